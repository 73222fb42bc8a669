//! Running other programs, with each said before it runs.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// Done, or why not, in one line.
pub type Step = Result<(), String>;

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the repository").to_owned()
}

/// Where cargo builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Runs cargo in the repository; warnings of rustdoc are errors.
pub fn cargo(args: &[&str]) -> Step {
    cargo_with(&[], args)
}

/// The same with more in its environment.
pub fn cargo_with(set: &[(&str, &str)], args: &[&str]) -> Step {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let mut command = Command::new(cargo);
    command.args(args).env("RUSTDOCFLAGS", "-D warnings").envs(set.iter().copied());
    let said: String = set.iter().map(|(name, value)| format!("{name}=\"{value}\" ")).collect();
    check(command, &format!("{said}cargo {}", args.join(" ")), 0)
}

/// Runs a program in the repository.
pub fn run(program: &Path, args: &[&str]) -> Step {
    run_expecting(program, args, 0)
}

/// Runs a program that is to end with that status.
pub fn run_expecting(program: &Path, args: &[&str], status: i32) -> Step {
    let mut command = Command::new(program);
    command.args(args);
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    check(command, &format!("{name} {}", args.join(" ")), status)
}

fn check(mut command: Command, what: &str, status: i32) -> Step {
    eprintln!("$ {what}");
    let ended = command.current_dir(root()).status().map_err(|e| format!("cannot run `{what}`: {e}"))?;
    if ended.code() == Some(status) { Ok(()) } else { Err(format!("`{what}` {}", failed(ended))) }
}

fn failed(status: ExitStatus) -> String {
    status.code().map_or_else(|| "was killed".into(), |code| format!("ended with status {code}"))
}

/// Is that program there, and does it run?
pub fn has(program: &str, args: &[&str]) -> bool {
    Command::new(program).args(args).output().is_ok_and(|o| o.status.success())
}
