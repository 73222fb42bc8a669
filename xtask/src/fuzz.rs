//! Fuzzing of the readers of traces and programs, on a stable toolchain.

use crate::setup::cargo_fuzz;
use crate::shell::{Step, root};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

/// Fuzzes every target for that long, two at a time, each from its seeds.
pub fn run(seconds: u32) -> Step {
    let targets = targets()?;
    for target in &targets {
        build(target)?;
    }
    for pair in targets.chunks(2) {
        let runs: Vec<_> = pair.iter().cloned().map(|t| thread::spawn(move || fuzz(&t, seconds))).collect();
        for run in runs {
            run.join().map_err(|_| "a fuzzing thread panicked".to_string())??;
        }
    }
    Ok(())
}

/// The names of the targets: one file each.
fn targets() -> Result<Vec<String>, String> {
    let folder = root().join("fuzz/fuzz_targets");
    let files = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let names =
        files.flatten().filter_map(|f| Some(Path::new(&f.file_name()).file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    Ok(names)
}

fn command(verb: &str, target: &str) -> Command {
    let mut command = Command::new(cargo_fuzz());
    command.current_dir(root()).args(["fuzz", verb, "--sanitizer", "none", target]);
    command
}

fn build(target: &str) -> Step {
    eprintln!("$ cargo fuzz build {target}");
    let built = command("build", target).status().map_err(|e| format!("cargo fuzz: {e}"))?;
    if built.success() { Ok(()) } else { Err(format!("cargo fuzz build {target} failed")) }
}

fn fuzz(target: &str, seconds: u32) -> Step {
    eprintln!("$ cargo fuzz run {target}, {seconds} s");
    let corpus = root().join("fuzz/corpus").join(target);
    fs::create_dir_all(&corpus).map_err(|e| format!("{}: {e}", corpus.display()))?;
    let [corpus, seeds] = [corpus, root().join("fuzz/seeds").join(target)].map(|p| p.display().to_string());
    let mut limits =
        vec![format!("-max_total_time={seconds}"), "-rss_limit_mb=2048".into(), "-timeout=10".into()];
    // The words of a language, which no fuzzer guesses.
    let words = root().join("fuzz/dictionaries").join(target);
    if words.exists() {
        limits.push(format!("-dict={}", words.display()));
    }
    let mut run = command("run", target);
    let output = run.args([&corpus, &seeds]).arg("--").args(limits).output();
    let output = output.map_err(|e| format!("cargo fuzz: {e}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("fuzzing {target} found something:\n{told}"));
    }
    eprintln!("  {target}: {}", told.lines().rev().find(|l| l.contains("Done")).unwrap_or("done"));
    Ok(())
}
