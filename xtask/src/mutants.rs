//! Mistakes made in the detectors, one at a time, by cargo-mutants: whether a test notices each. `.cargo/mutants.toml` says which are not worth making, and why.

use crate::setup;
use crate::shell::{self, Step, target};

/// Tries every mistake; the outcome of each is left in `mutants.out` in the target folder.
pub fn run(options: &[String]) -> Step {
    setup::mutants()?;
    let out = target().display().to_string();
    let mut args =
        vec!["mutants", "--output", &out, "--package", "deadheat-detect", "--package", "deadheat-online"];
    args.extend(options.iter().map(String::as_str));
    shell::run(&setup::cargo_mutants(), &args)
}
