//! Mistakes made in the detectors and handlers, one at a time, by cargo-mutants: whether a test notices each. `.cargo/mutants.toml` says which are not worth making, and why.

use crate::setup;
use crate::shell::{self, Step, target};

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
        std::fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
        let out = out.display().to_string();
        // Who waits for ever is found out by the timeout.
        let mut args = vec!["mutants", "--output", &out, "--package", name, "--timeout", "60"];
        args.extend(options.iter().map(String::as_str));
        args.push("--");
        args.extend(tests);
        shell::run(&setup::cargo_mutants(), &args)?;
    }
    Ok(())
}
