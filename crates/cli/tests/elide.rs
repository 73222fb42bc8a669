//! Random programs whose threads take turns in a fixed order: with `--elide` at any level they have races on the same variables as without.
//!
//! Turns are handed on by plain variables in functions that are not instrumented: no detector sees an order in them, and check elimination takes them for nothing, so that the turns of others fall into the
//! middle of its spans. In several files, the linker joins them (`-flto`). `DEADHEAT_SEED=7` starts with another seed than usual, `DEADHEAT_RANDOM=100` tries so many programs.

#[path = "elide/program.rs"]
mod program;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const BIN: &str = env!("CARGO_BIN_EXE_deadheat");

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

/// The newest clang that is installed.
fn clang() -> String {
    let runs = |name: &String| {
        let mut probe = Command::new(name);
        probe.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
    };
    let names = (14..100).rev().map(|version| format!("clang-{version}"));
    names.chain(["clang".to_owned()]).find(runs).expect("clang is installed")
}

fn build(sources: &[PathBuf], out: &Path, how: &str, level: &str) -> String {
    let mut command = Command::new(BIN);
    command.args(["cc", &format!("--elide={level}"), "--elide-stats", "-g", "-pthread", "-w"]);
    command.args(how.split(' ')).args(sources).arg("-o").arg(out).env("DEADHEAT_CC", clang());
    let output = command.output().expect("deadheat runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{how} --elide={level} does not build {}: {told}", sources[0].display());
    for trouble in ["all of them", "cannot be read", "all checks", "by itself"] {
        assert!(!told.contains(trouble), "{told}");
    }
    told
}

/// The variables that the program's reports are about.
fn racing(program: &Path) -> BTreeSet<String> {
    let mut command = Command::new(program);
    command
        .env("DEADHEAT_OPTIONS", "suppress_equal_stacks=0 suppress_equal_addresses=0")
        .env_remove("TSAN_OPTIONS");
    let output = command.stdin(Stdio::null()).output().expect("the program runs");
    assert!(
        matches!(output.status.code(), Some(0 | 66)),
        "{} ended with {:?}",
        program.display(),
        output.status
    );
    let told = String::from_utf8_lossy(&output.stderr);
    let variable =
        |line: &str| Some(line.split_once("Location is global '")?.1.split_once('\'')?.0.to_owned());
    told.lines().filter_map(variable).collect()
}

/// Builds programs of random seeds in those ways, the sources of each in files of their own: at all levels they have the same races.
fn judge(programs: u64, ways: [&str; 2], sources: impl Fn(u64) -> Vec<String>) {
    let seed = setting("DEADHEAT_SEED", 500);
    let (mut races, mut gone) = (0, 0);
    for seed in seed..seed + setting("DEADHEAT_RANDOM", programs) {
        let folder = TempDir::new().expect("a temporary folder");
        let built = folder.path().join("program");
        let write = |(number, text): (usize, String)| {
            let file = folder.path().join(format!("{number}.c"));
            std::fs::write(&file, text).expect("it can be written");
            file
        };
        let files: Vec<PathBuf> = sources(seed).into_iter().enumerate().map(write).collect();
        for how in ways {
            build(&files, &built, how, "off");
            let expected = racing(&built);
            for level in ["redundant", "coalesce", "inline"] {
                let told = build(&files, &built, how, level);
                let found = racing(&built);
                if found != expected {
                    let kept = folder.keep();
                    panic!(
                        "DEADHEAT_SEED={seed} {how} --elide={level}: {found:?}, not {expected:?}; it is in {}",
                        kept.display()
                    );
                }
                gone +=
                    told.lines().filter(|l| !l.contains(" 0 redundant, 0 merged, 0 out of loops")).count();
            }
            races += expected.len();
        }
    }
    assert!(
        races as u64 > 3 * programs && gone as u64 > 3 * programs,
        "the programs say little: {races} races, {gone} functions with fewer checks"
    );
}

#[test]
fn the_same_variables_race() {
    judge(6, ["-O2", "-O0"], |seed| vec![program::source(seed)]);
}

#[test]
fn the_same_variables_race_across_files() {
    judge(3, ["-O2 -flto", "-O0 -flto"], program::files);
}
