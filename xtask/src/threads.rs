//! Very many threads: the runtime stays precise, small, and as fast as with a few.

use crate::setup;
use crate::shell::{Step, cargo, root, target};
use std::path::{Path, PathBuf};
use std::process::Command;

const ALIVE: &str = "10000";
const CHURN: &str = "1000000";
/// How much larger the process may be at the end of the churn than after a tenth of it. Logs of what was done where fill a reserve, by some bytes for a thread;
/// a thread that cost what a live one does would take a thousand times this.
const GROWTH_KIB: u64 = 16 << 10;
/// How much dearer an operation may be with 300 threads than with 200, beside what ThreadSanitizer shows; times vary by some per cent.
const DEARER: f64 = 1.25;
const REPEATS: usize = 5;

/// Builds the program for Deadheat and for clang's ThreadSanitizer, and checks each claim.
pub fn run() -> Step {
    setup::compilers()?;
    setup::clang()?;
    cargo(&["build", "--release", "--package", "deadheat"])?;
    let (ours, theirs) = build()?;
    alive(&ours)?;
    cost(&ours, &theirs)?;
    churn(&ours)
}

fn build() -> Result<(PathBuf, PathBuf), String> {
    let folder = target().join("soak/threads");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let (source, clang) = (root().join("testdata/soak/threads/threads.c"), setup::newest("clang"));
    let [ours, theirs] = ["deadheat", "tsan"].map(|name| folder.join(name));
    let mut wrapper = Command::new(target().join("release/deadheat"));
    wrapper.arg("cc").env("DEADHEAT_CC", &clang);
    let mut direct = Command::new(&clang);
    direct.arg("-fsanitize=thread");
    for (mut compiler, out) in [(wrapper, &ours), (direct, &theirs)] {
        let built = compiler.args(["-g", "-O1", "-pthread"]).arg(&source).arg("-o").arg(out).status();
        if !built.map_err(|e| e.to_string())?.success() {
            return Err(format!("{} does not build", source.display()));
        }
    }
    Ok((ours, theirs))
}

/// What it printed, if it ended with that status and so many reports.
fn told(program: &Path, words: [&str; 2], status: i32, reports: usize) -> Result<String, String> {
    let what = format!("{} {}", program.display(), words.join(" "));
    // ThreadSanitizer may not find its place otherwise.
    let ran = Command::new("setarch").arg("-R").arg(program).args(words).output();
    let ran = ran.map_err(|e| format!("{what}: {e}"))?;
    let said = String::from_utf8_lossy(&ran.stderr);
    let found = said.matches("WARNING: ThreadSanitizer: data race").count();
    if ran.status.code() != Some(status) || found != reports {
        return Err(format!(
            "{what}: {found} races, {}, not {reports} and status {status}:\n{said}",
            ran.status
        ));
    }
    Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
}

fn alive(ours: &Path) -> Step {
    let told = told(ours, ["alive", ALIVE], 66, 1)?;
    println!("{}; the race of the first and the last is reported", told.trim());
    Ok(())
}

fn churn(ours: &Path) -> Step {
    let told = told(ours, ["churn", CHURN], 66, 1)?;
    let sizes: Vec<u64> =
        told.lines().filter_map(|l| l.split_once(" done, ")?.1.strip_suffix(" KiB")?.parse().ok()).collect();
    // The last line comes after the report, for which names were looked up.
    let (Some(early), Some(late)) = (sizes.get(1), sizes.iter().rev().nth(1)) else {
        return Err(format!("no sizes in: {told}"));
    };
    println!(
        "{CHURN} threads: {early} KiB after a tenth, {late} KiB at the end; the race of the first and the last is reported"
    );
    if *late > early + GROWTH_KIB { Err(format!("it grows: {told}")) } else { Ok(()) }
}

/// The best of several runs of both, in turns.
fn cost(ours: &Path, theirs: &Path) -> Step {
    let mut best = [[f64::MAX; 2]; 2];
    for _ in 0..REPEATS {
        for (i, program) in [ours, theirs].into_iter().enumerate() {
            for (j, threads) in ["200", "300"].into_iter().enumerate() {
                let told = told(program, ["cost", threads], 0, 0)?;
                let time = told.split_whitespace().next().and_then(|word| word.parse().ok());
                best[i][j] = time.unwrap_or(f64::MAX).min(best[i][j]);
            }
        }
    }
    let [[a, b], [c, d]] = best;
    println!(
        "an operation with 200 and 300 threads: {a} and {b} ns ({:.2}), ThreadSanitizer {c} and {d} ns ({:.2})",
        b / a,
        d / c
    );
    if b / a > DEARER.max(d / c) {
        Err("an operation gets dearer with the number of threads".into())
    } else {
        Ok(())
    }
}
