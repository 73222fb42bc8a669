//! Random programs whose threads take turns in a fixed order: with `--elide` at any level they have races on the same variables as without.
//!
//! Turns are handed on by plain variables in functions that are not instrumented: no detector sees an order in them, and check elimination takes them for nothing, so that the turns of others fall into the
//! middle of its spans. `DEADHEAT_SEED=7` starts with another seed than usual, `DEADHEAT_RANDOM=100` tries so many programs.

#[path = "elide/program.rs"]
mod program;

use std::collections::BTreeSet;
use std::path::Path;
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

fn build(source: &Path, out: &Path, how: &str, level: &str) -> String {
    let mut command = Command::new(BIN);
    command.args(["cc", &format!("--elide={level}"), "--elide-stats", "-g", how, "-pthread", "-w"]);
    command.arg(source).arg("-o").arg(out).env("DEADHEAT_CC", clang());
    let output = command.output().expect("deadheat runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{how} --elide={level} does not build {}: {told}", source.display());
    assert!(!told.contains("all of them") && !told.contains("cannot be read"), "{told}");
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

#[test]
fn the_same_variables_race() {
    let seed = setting("DEADHEAT_SEED", 500);
    let (mut races, mut gone) = (0, 0);
    for seed in seed..seed + setting("DEADHEAT_RANDOM", 6) {
        let folder = TempDir::new().expect("a temporary folder");
        let [source, built] = ["program.c", "program"].map(|name| folder.path().join(name));
        std::fs::write(&source, program::source(seed)).expect("it can be written");
        for how in ["-O2", "-O0"] {
            build(&source, &built, how, "off");
            let expected = racing(&built);
            for level in ["redundant", "coalesce", "inline"] {
                let told = build(&source, &built, how, level);
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
        races > 20 && gone > 20,
        "the programs say little: {races} races, {gone} functions with fewer checks"
    );
}
