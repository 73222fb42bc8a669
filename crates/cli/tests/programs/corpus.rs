//! The folders of the corpus, and the judging of a whole one on two workers.

use crate::build::{Judge, Setting};
use crate::judge;
use crate::program::{Known, Program};
use crate::run;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex};
use std::thread;

/// How many compilations and runs go on at once, over all tests of this binary: more of them would only wait for each
/// other, and a program that spins for its turn would wait longest.
static FREE_WORKERS: (Mutex<usize>, Condvar) = (Mutex::new(WORKERS), Condvar::new());
const WORKERS: usize = 2;

/// After so many cases of a test, it is told how far it is.
const MANY: usize = 200;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/programs")
        .canonicalize()
        .expect("the corpus is there")
}

/// The names of the folders, one for each theme.
pub fn folders() -> Vec<String> {
    let entries = fs::read_dir(root()).expect("the corpus can be read").map(|entry| entry.expect("an entry"));
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// The programs of a folder, by name.
pub fn programs(theme: &str) -> Vec<Program> {
    let entries = fs::read_dir(root().join(theme)).unwrap_or_else(|error| panic!("{theme}: {error}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "c" || extension == "cpp"));
    paths.sort();
    paths.iter().map(|path| Program::read(theme, path)).collect()
}

/// Builds and runs every program of the folder in every setting; fails with a table of all wrong verdicts.
pub fn judge_theme(theme: &str) {
    let judge = Judge::chosen();
    let wanted = std::env::var("DEADHEAT_PROGRAM").unwrap_or_default();
    let mut programs = programs(theme);
    programs.retain(|program| program.name.contains(&wanted));
    let cases: Vec<(Setting, &Program)> = programs
        .iter()
        .filter(|program| judge.known(program) != Some(Known::Unsteady))
        .flat_map(|program| Setting::all(judge, program).into_iter().map(move |setting| (setting, program)))
        .collect();
    judge_cases(&cases);
}

/// Every so manieth program of all folders, built with fewer checks.
pub fn judge_elided(themes: &[&str], every: usize) {
    let wanted = std::env::var("DEADHEAT_PROGRAM").unwrap_or_default();
    let mut all: Vec<Program> = themes.iter().flat_map(|theme| programs(theme)).collect();
    all.retain(|program| program.name.contains(&wanted));
    let levels = ["redundant", "coalesce", "inline"];
    let settings = |program: &Program| {
        let of = |level| ["-O0", "-O2"].map(|optimisation| Setting::elided(program, level, optimisation));
        levels.into_iter().flat_map(of).flatten().collect::<Vec<_>>()
    };
    // Those about loops always: without the option they do not come to what they are about.
    let sample =
        all.iter().enumerate().filter(|(i, program)| i % every == 0 || program.name.contains("loop-"));
    let cases: Vec<(Setting, &Program)> = sample
        .flat_map(|(_, program)| settings(program).into_iter().map(move |setting| (setting, program)))
        .collect();
    judge_cases(&cases);
}

fn judge_cases(cases: &[(Setting, &Program)]) {
    let repeats = std::env::var("DEADHEAT_REPEATS")
        .map_or(1, |text| text.parse().expect("DEADHEAT_REPEATS is a number"));
    let next = Mutex::new(cases.iter().enumerate());
    let failures = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some((number, (setting, program))) = { next.lock().expect("no panic").next() } {
                    if number > 0 && number % MANY == 0 {
                        // Past the harness, which keeps what tests print: this takes an hour.
                        let _ = writeln!(std::io::stderr(), "{number} of {} judged", cases.len());
                    }
                    let found = with_worker(|| judge_case(*setting, program, repeats));
                    failures.lock().expect("no panic").extend(found);
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("no panic");
    failures.sort();
    assert!(failures.is_empty(), "{} wrong of {}:\n{}\n", failures.len(), cases.len(), failures.join("\n"));
}

/// Runs `work` while holding one of the workers.
fn with_worker<R>(work: impl FnOnce() -> R) -> R {
    let (free, changed) = &FREE_WORKERS;
    let mut now = changed.wait_while(free.lock().expect("no panic"), |free| *free == 0).expect("no panic");
    *now -= 1;
    drop(now);
    let result = work();
    *free.lock().expect("no panic") += 1;
    changed.notify_one();
    result
}

/// The lines of the table of failures for one program in one setting.
fn judge_case(setting: Setting, program: &Program, repeats: usize) -> Vec<String> {
    let line = |text: String| format!("  {:<32} {:<10} {text}", program.name, setting.name());
    let folder = tempfile::tempdir().expect("a temporary folder");
    if let Err(message) = setting.build(program, folder.path()) {
        return vec![line(message)];
    }
    let known = setting.judge.known(program);
    for repeat in 1..=repeats {
        let ran = run::run(setting.command(program, folder.path()));
        let complaints = judge::complaints(program, known, &ran);
        if !complaints.is_empty() {
            return complaints.into_iter().map(|text| line(format!("run {repeat}: {text}"))).collect();
        }
    }
    Vec::new()
}
