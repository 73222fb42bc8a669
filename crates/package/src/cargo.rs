//! The nested cargo that builds the runtime's crate, whatever the outer one was told.

use crate::Error;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// A static library as cargo left it.
#[derive(Debug)]
pub struct Library {
    /// The file.
    pub archive: PathBuf,
    /// What it was made of: a change to one of these asks for a new one.
    pub sources: Vec<PathBuf>,
}

/// Builds the crate in that folder for that target, with a target folder of its own.
pub fn build(folder: &Path, target: &str, out: &Path) -> Result<Library, Error> {
    let mut command = clean(Command::new(env::var_os("CARGO").unwrap_or("cargo".into())));
    command.current_dir(folder).args(["build", "--release", "--target", target, "--target-dir"]).arg(out);
    // Exceptions and cancelled threads unwind through interceptors. Warnings are for whoever lints that crate.
    command.env("CARGO_ENCODED_RUSTFLAGS", "-Cforce-unwind-tables=yes\x1f-Awarnings");
    let output = command.output().map_err(|e| format!("cannot run cargo: {e}"))?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cannot build {}:\n{told}", folder.display()));
    }
    find(&out.join(target).join("release"), folder)
}

/// Without what the outer cargo, rustc or clippy set for their own build. Where crates come from stays.
fn clean(mut command: Command) -> Command {
    for (name, _) in env::vars_os().filter(|(name, _)| leaks(name)) {
        command.env_remove(name);
    }
    command
}

fn leaks(name: &OsStr) -> bool {
    const CARGO_KEEPS: [&str; 10] = [
        "CARGO_HOME",
        "CARGO_MAKEFLAGS",
        "CARGO_HTTP_",
        "CARGO_NET_",
        "CARGO_OFFLINE",
        "CARGO_REGISTRIES_",
        "CARGO_REGISTRY_",
        "CARGO_RESOLVER_",
        "CARGO_SOURCE_",
        "CARGO_TERM_",
    ];
    const RUST: [&str; 6] = [
        "RUSTFLAGS",
        "RUSTDOCFLAGS",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTC_LINKER",
        "CLIPPY_ARGS",
    ];
    let Some(name) = name.to_str() else { return false };
    RUST.contains(&name) || name.starts_with("CARGO_") && !CARGO_KEEPS.iter().any(|k| name.starts_with(k))
}

/// The one static library in that folder, with what cargo says it was made of.
fn find(built: &Path, folder: &Path) -> Result<Library, Error> {
    let files = fs::read_dir(built).map_err(|e| format!("{}: {e}", built.display()))?;
    let archive = files.flatten().map(|f| f.path()).find(|f| f.extension() == Some(OsStr::new("a")));
    let archive = archive.ok_or_else(|| format!("{} did not become a static library", folder.display()))?;
    let about = archive.with_extension("d");
    let text = fs::read_to_string(&about).map_err(|e| format!("{}: {e}", about.display()))?;
    Ok(Library { sources: sources(&text), archive })
}

/// The source files, and the manifests and lock files above them.
fn sources(dep_info: &str) -> Vec<PathBuf> {
    let files: BTreeSet<PathBuf> = dependencies(dep_info).into_iter().map(PathBuf::from).collect();
    let manifests: BTreeSet<PathBuf> = files
        .iter()
        .filter_map(|f| f.ancestors().find(|a| a.join("Cargo.toml").exists()))
        .map(PathBuf::from)
        .collect();
    let beside = manifests.iter().flat_map(|m| ["Cargo.toml", "Cargo.lock"].map(|name| m.join(name)));
    let beside: Vec<PathBuf> = beside.filter(|f| f.exists()).collect();
    files.into_iter().chain(beside).collect()
}

/// The words after `target:`; a space in a name has a backslash before it.
fn dependencies(dep_info: &str) -> Vec<OsString> {
    let Some((_, rest)) = dep_info.lines().next().and_then(|line| line.split_once(": ")) else {
        return Vec::new();
    };
    let escaped = rest.replace("\\ ", "\0");
    escaped.split_whitespace().map(|word| word.replace('\0', " ").into()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_spaces() {
        assert_eq!(dependencies("/a/lib.a: /b/c.rs /d\\ e/f.rs\n"), ["/b/c.rs", "/d e/f.rs"]);
        assert!(dependencies("").is_empty());
    }

    #[test]
    fn the_outer_build_stays_outside() {
        for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_DIR", "CARGO_BUILD_TARGET"] {
            assert!(leaks(OsStr::new(name)), "{name}");
        }
        for name in ["RUSTC_WORKSPACE_WRAPPER", "CARGO_PROFILE_RELEASE_LTO", "CARGO_CFG_DEBUG_ASSERTIONS"] {
            assert!(leaks(OsStr::new(name)), "{name}");
        }
        for name in
            ["CARGO_HOME", "CARGO_NET_OFFLINE", "CARGO_SOURCE_X_DIRECTORY", "RUSTUP_TOOLCHAIN", "PATH"]
        {
            assert!(!leaks(OsStr::new(name)), "{name}");
        }
    }
}
