//! Modules that real compilers have written: untouched they come back byte for byte, and whatever is done to them, the same compiler takes them.

use deadheat_elide::{Level, elide};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Programs that have a bit of everything.
const PROGRAMS: [&str; 4] = [
    "benches/programs/lufact.c",
    "benches/programs/moldyn.c",
    "testdata/programs/cxx/async.cpp",
    "testdata/programs/cxx/exception-cleanup.cpp",
];

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// The clangs that are installed.
fn clangs() -> Vec<String> {
    let runs = |name: &String| {
        let mut probe = Command::new(name);
        probe.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
    };
    (14..=22).map(|version| format!("clang-{version}")).chain(["clang".to_owned()]).filter(runs).collect()
}

#[test]
fn modules_of_all_clangs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [module, object] = ["module.ll", "module.o"].map(|name| folder.path().join(name));
    for clang in clangs() {
        for (program, how) in PROGRAMS.iter().flat_map(|p| ["-O0", "-O2"].map(|o| (p, o))) {
            let source = file(program);
            if !source.exists() {
                continue;
            }
            let mut first = Command::new(&clang);
            first
                .args(["-w", "-g", how, "-fsanitize=thread", "-S", "-emit-llvm", "-o"])
                .arg(&module)
                .arg(&source);
            first.args(program.ends_with("cpp").then_some("-std=c++20"));
            assert!(first.status().is_ok_and(|s| s.success()), "{clang} {how} does not compile {program}");
            let text = std::fs::read_to_string(&module).expect("clang has written it");
            for level in Level::ALL {
                let what = format!("{clang} {how} {program} {}", level.name());
                let elided = elide(&text, level).expect("it is a module");
                assert_eq!(elided.unread, 0, "{what}");
                if level == Level::Off {
                    assert!(elided.text == text, "{what} is not the same");
                    continue;
                }
                std::fs::write(&module, elided.text).expect("it can be written");
                let mut second = Command::new(&clang);
                second
                    .args(["-w", "-g", how, "-Xclang", "-disable-llvm-passes", "-x", "ir", "-c"])
                    .arg(&module)
                    .arg("-o")
                    .arg(&object);
                assert!(second.status().is_ok_and(|s| s.success()), "{what} does not compile");
            }
        }
    }
}
