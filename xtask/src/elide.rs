//! What is known of check elimination beyond its tests: the whole corpus at every level, and that the tests find weakened rules.

use crate::proofs::mutants;
use crate::setup;
use crate::shell::{Step, cargo_with, root, target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Every program of the corpus with fewer checks: the same verdicts. Every weakened rule: some test fails.
pub fn run() -> Step {
    setup::compilers()?;
    setup::clang()?;
    weakened()?;
    let corpus = ["test", "--package", "deadheat", "--test", "programs", "elided"];
    cargo_with(&[("DEADHEAT_ELIDED", "1")], &corpus)
}

/// Makes each mistake of `crates/elide/mutants.txt` in a copy of the crate, and runs its tests of rules there.
fn weakened() -> Step {
    let (sources, copy) = (root().join("crates/elide"), target().join("elide-mutants"));
    let at = copy.join("crates/elide");
    workspace(&copy)?;
    refresh(&sources, &at)?;
    if !passes(&copy)? {
        return Err("the rules of deadheat-elide fail without any mistake".into());
    }
    mutants::each(&sources, |file, text| {
        refresh(&sources, &at)?;
        fs::write(at.join(file), text).map_err(|e| format!("cannot write {file}: {e}"))?;
        if !cargo(&copy, &["check"])? {
            return Err(format!("a mistake in {file} does not compile"));
        }
        passes(&copy)
    })
}

fn passes(copy: &Path) -> Result<bool, String> {
    cargo(copy, &["test", "--quiet", "--lib", "--test", "rules"])
}

fn cargo(copy: &Path, args: &[&str]) -> Result<bool, String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.args(args).current_dir(copy).env("CARGO_TARGET_DIR", copy.join("target"));
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.map(|s| s.success()).map_err(|e| format!("cannot run cargo: {e}"))
}

/// A workspace of that one crate.
fn workspace(copy: &Path) -> Step {
    let file = root().join("Cargo.toml");
    let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let kept = text.lines().filter(|line| !line.starts_with("exclude =") && !line.contains("{ path = "));
    let line = |line: &str| match line.starts_with("members =") {
        true => "members = [\"crates/elide\"]\n".to_owned(),
        false => format!("{line}\n"),
    };
    fs::create_dir_all(copy.join("crates")).map_err(|e| e.to_string())?;
    fs::write(copy.join("Cargo.toml"), kept.map(line).collect::<String>()).map_err(|e| e.to_string())?;
    fs::copy(root().join("Cargo.lock"), copy.join("Cargo.lock")).map_err(|e| e.to_string())?;
    Ok(())
}

/// Brings a copied folder up to date; files that have not changed keep their times.
fn refresh(from: &Path, to: &Path) -> Step {
    fs::create_dir_all(to).map_err(|e| format!("cannot make {}: {e}", to.display()))?;
    for entry in fs::read_dir(from).map_err(|e| format!("{}: {e}", from.display()))? {
        let entry: PathBuf = entry.map_err(|e| e.to_string())?.path();
        let new = to.join(entry.file_name().unwrap_or_default());
        if entry.is_dir() {
            refresh(&entry, &new)?;
            continue;
        }
        let text = fs::read(&entry).map_err(|e| format!("{}: {e}", entry.display()))?;
        if fs::read(&new).ok().as_ref() != Some(&text) {
            fs::write(&new, text).map_err(|e| format!("{}: {e}", new.display()))?;
        }
    }
    Ok(())
}
