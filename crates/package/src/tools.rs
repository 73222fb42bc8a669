//! The tools of binutils, each run with its message kept for when it fails.

use crate::Error;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Runs a tool; what it said is the error.
pub fn run<I: AsRef<OsStr>>(tool: &str, args: impl IntoIterator<Item = I>) -> Result<(), Error> {
    // Messages are read by us; and an archive made twice is the same twice.
    let output = Command::new(tool).args(args).env("LC_ALL", "C").env("ZERO_AR_DATE", "1").output();
    let output = output
        .map_err(|e| format!("cannot run {tool}: {e} (the runtime is packaged with gcc and binutils)"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{tool}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// The names in quotes after that phrase, once each: which symbols a linker's message is about.
pub fn named(message: &str, phrase: &str) -> Vec<String> {
    let after = message.split(phrase).skip(1);
    let quoted = after.filter_map(|rest| rest.trim_start().strip_prefix('`')?.split('\'').next());
    let mut names: Vec<String> = quoted.map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

/// Writes a file for a tool to read.
pub fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn undefined_symbols_in_a_message() {
        let message = "a.o: undefined reference to `foo'\nb.o: undefined reference to `bar'\nundefined reference to `foo'";
        assert_eq!(super::named(message, "undefined reference to"), ["bar", "foo"]);
    }
}
