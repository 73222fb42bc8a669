//! The detectors extracted from the proofs against the Rust ones, on random traces.

use super::{cannot, contents, install, say};
use crate::shell::{Step, cargo, root, target};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// How many traces.
const TRACES: u32 = 1_000_000;
/// What the generator starts from.
const SEED: u32 = 1;

/// Compares them, unless neither side has changed since it was done.
pub fn run(build: &Path, anew: bool) -> Step {
    let sources =
        ["proofs", "crates/clock", "crates/trace", "crates/report", "crates/detect", "crates/online"];
    let hashes: Result<Vec<u64>, String> = sources.iter().map(|s| contents(&root().join(s))).collect();
    let hash = hashes?.iter().fold(0_u64, |all, one| all.rotate_left(7) ^ one);
    let stamp = target().join("proofs").join(format!("compared-{hash:016x}"));
    if !anew && stamp.exists() {
        println!("neither the proofs nor the Rust detectors have changed since they were compared");
        return Ok(());
    }
    install()?;
    let check = root().join("proofs/differential/check.ml");
    fs::copy(&check, build.join("check.ml")).map_err(|e| cannot("copy", &check, &e))?;
    let compile = ["ocamlopt", "-w", "-a", "oracle.mli", "oracle.ml", "check.ml", "-o", "check"];
    say(build, "ocamlfind", &compile)?;
    cargo(&["build", "--release", "--package", "deadheat-differential"])?;
    compare(&target().join("release/deadheat-differential"), &build.join("check"))?;
    fs::write(&stamp, "").map_err(|e| cannot("write", &stamp, &e))
}

/// The traces and verdicts of the first go to the second.
fn compare(rust: &Path, proved: &Path) -> Step {
    let failed = |e: std::io::Error| format!("cannot compare the detectors: {e}");
    eprintln!("$ deadheat-differential {TRACES} {SEED} | check");
    let numbers = [TRACES.to_string(), SEED.to_string()];
    let mut traces = Command::new(rust).args(numbers).stdout(Stdio::piped()).spawn().map_err(failed)?;
    let piped = traces.stdout.take().map_or_else(Stdio::null, Stdio::from);
    let compared = Command::new(proved).stdin(piped).status().map_err(failed)?;
    let made = traces.wait().map_err(failed)?;
    match (compared.success(), made.success()) {
        (false, _) => Err("the Rust detectors and the proved ones differ".into()),
        (true, false) => Err("not all traces were made".into()),
        (true, true) => Ok(()),
    }
}
