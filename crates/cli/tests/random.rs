//! Random programs of several threads, run and recorded: the races that the runtime reports are those that the definition finds in the record.
//!
//! `DEADHEAT_SEED=7` starts with another seed than usual, `DEADHEAT_RANDOM=100` runs so many files of scripts for each way to build the interpreter.

#[path = "random/dice.rs"]
mod dice;
#[path = "random/judge.rs"]
mod judge;
#[path = "random/program.rs"]
mod program;
#[path = "random/script.rs"]
mod script;

use dice::Dice;
use judge::{Tally, judge};
use script::Script;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

const BIN: &str = env!("CARGO_BIN_EXE_deadheat");
const INTERPRETER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/random/interpreter.c");

/// Scripts in a file: the threads of one after those of the other take over their slots.
const SCRIPTS: usize = 40;

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

/// The newest of `stem-99` … `stem-12`, `stem` that is installed.
fn newest(stem: &str) -> String {
    let versions = (12..100).rev().map(|version| format!("{stem}-{version}"));
    let runs = |name: &String| {
        let mut probe = Command::new(name);
        probe.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
    };
    versions.chain([stem.to_owned()]).find(runs).unwrap_or_else(|| panic!("no {stem} is installed"))
}

fn build(compiler: &str, level: &str, source: &Path, out: &Path) {
    let mut command = Command::new(BIN);
    command.args(["cc", "-g", level, "-pthread", "-w"]).arg(source).arg("-o").arg(out);
    command.env_remove("DEADHEAT_ELIDE");
    let status = command.env("DEADHEAT_CC", newest(compiler)).status().expect("deadheat runs");
    assert!(status.success(), "{compiler} {level} does not build {}", source.display());
}

/// Runs the program under `deadheat run --record`, and judges what it left.
fn run(program: &Path, arguments: &[&Path], folder: &Path) -> Result<Tally, String> {
    let [trace, findings] = ["trace.bin", "findings.json"].map(|name| folder.join(name));
    let mut command = Command::new(BIN);
    command.arg("run").arg("--record").arg(&trace).arg("--json").arg(&findings).arg(program).args(arguments);
    command.env("DEADHEAT_OPTIONS", "suppress_equal_stacks=0").env_remove("TSAN_OPTIONS");
    let output = command.stdin(Stdio::null()).output().map_err(|e| e.to_string())?;
    match output.status.code() {
        Some(0 | 66) => judge(&trace, &findings),
        status => {
            let told = String::from_utf8_lossy(&output.stderr);
            let tail: Vec<&str> = told.lines().rev().take(20).collect();
            Err(format!("ended with {status:?}: {tail:#?}"))
        }
    }
}

/// Many scripts on one build of the interpreter.
fn scripts(compiler: &str, level: &str, seed: u64) {
    let folder = TempDir::new().unwrap();
    let [program, file] = ["interpreter", "scripts"].map(|name| folder.path().join(name));
    build(compiler, level, Path::new(INTERPRETER), &program);
    let mut sum = Tally::default();
    let seed = setting("DEADHEAT_SEED", seed);
    for seed in seed..seed + setting("DEADHEAT_RANDOM", 12) {
        let mut dice = Dice::new(seed);
        let scripts: Vec<Script> = (0..SCRIPTS).map(|_| Script::random(&mut dice)).collect();
        std::fs::write(&file, script::file(&scripts)).unwrap();
        let tally = run(&program, &[&file], folder.path());
        let tally = match tally {
            Ok(tally) => tally,
            Err(e) => {
                let kept = folder.keep();
                panic!("{compiler} {level}, DEADHEAT_SEED={seed}: {e}; it is all in {}", kept.display())
            }
        };
        sum.events += tally.events;
        sum.racy += tally.racy;
        (sum.pieces, sum.quiet) = (sum.pieces + tally.pieces, sum.quiet + tally.quiet);
    }
    assert!(
        sum.racy > 100 && sum.quiet > 20 && sum.pieces > sum.quiet + 20,
        "the scripts say little: {sum:?}"
    );
}

#[test]
fn scripts_by_gcc_not_optimised() {
    scripts("gcc", "-O0", 1000);
}

#[test]
fn scripts_by_gcc_optimised() {
    scripts("gcc", "-O2", 2000);
}

#[test]
fn scripts_by_clang_not_optimised() {
    scripts("clang", "-O0", 3000);
}

#[test]
fn scripts_by_clang_optimised() {
    scripts("clang", "-O2", 4000);
}

/// Whole programs, each compiled by itself, so there are fewer of them.
fn programs(compiler: &str, level: &str, seed: u64) {
    let folder = TempDir::new().unwrap();
    let [source, built] = ["program.c", "program"].map(|name| folder.path().join(name));
    for seed in seed..seed + 8 {
        std::fs::write(&source, program::source(&mut Dice::new(seed))).unwrap();
        build(compiler, level, &source, &built);
        for _ in 0..3 {
            if let Err(e) = run(&built, &[], folder.path()) {
                let kept = folder.keep();
                panic!("{compiler} {level}, program {seed}: {e}; it is all in {}", kept.display());
            }
        }
    }
}

#[test]
fn programs_by_gcc() {
    programs("gcc", "-O2", 100);
    programs("gcc", "-O0", 200);
}

#[test]
fn programs_by_clang() {
    programs("clang", "-O2", 300);
    programs("clang", "-O0", 400);
}
