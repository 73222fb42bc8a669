//! Mistakes made in the detectors and handlers, one at a time, by cargo-mutants: whether a test notices each. `.cargo/mutants.toml` says which are not worth making, and why.

use crate::setup;
use crate::shell::{Step, root, target};
use std::fs;
use std::process::Command;

/// The crates, and which of their tests have to do it: those that take seconds.
const CRATES: [(&str, &[&str]); 2] = [
    ("deadheat-detect", &["--lib", "--test", "corpus"]),
    ("deadheat-online", &["--lib", "--test", "rules", "--test", "stress", "--test", "traces"]),
];

/// Tries every mistake; the outcome of each is left in the target folder.
pub fn run(options: &[String]) -> Step {
    setup::mutants()?;
    for (name, tests) in CRATES {
        let out = target().join("mutants").join(name);
        fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
        let mut mutants = Command::new(setup::cargo_mutants());
        mutants.current_dir(root()).arg("mutants").arg("--output").arg(&out).args(["--package", name]);
        // Most of the time is the compiler's. Who waits for ever is found out by the timeout.
        mutants.args(["--timeout", "60", "--cargo-arg=--config=profile.dev.opt-level=0"]);
        mutants.args(options).arg("--").args(tests);
        eprintln!("$ cargo mutants --package {name}");
        let ended = mutants.status().map_err(|e| format!("cargo mutants: {e}"))?;
        // 2 and 3 say that mistakes were missed, and that some had no end.
        if !matches!(ended.code(), Some(0 | 2 | 3)) {
            return Err(format!("cargo mutants: {ended}"));
        }
        let missed = out.join("mutants.out/missed.txt");
        let missed = fs::read_to_string(&missed).map_err(|e| format!("{}: {e}", missed.display()))?;
        if !missed.trim().is_empty() {
            return Err(format!("{name}: no test notices these mistakes:\n{}", missed.trim()));
        }
    }
    Ok(())
}
