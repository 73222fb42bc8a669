//! What a fresh Debian or Ubuntu machine with Rust lacks.

use crate::shell::{Step, cargo, has, run, target};
use std::path::{Path, PathBuf};

/// A C and a C++ compiler: for zstd, for the fuzzer's engine, and to package the runtime, with the linker that comes along.
pub fn compilers() -> Step {
    let missing: Vec<&str> = [("cc", "gcc"), ("c++", "g++")]
        .into_iter()
        .filter(|(program, _)| !has(program, &["--version"]))
        .map(|(_, package)| package)
        .collect();
    apt_install(&missing)?;
    for component in ["rustfmt", "clippy"] {
        if !has("cargo", &[if component == "rustfmt" { "fmt" } else { "clippy" }, "--version"]) {
            run(Path::new("rustup"), &["component", "add", component])?;
        }
    }
    Ok(())
}

/// clang, of any version: the tests run programs of both compilers. With it comes the linker's plugin for `-flto`.
pub fn clang() -> Step {
    if has(&newest("clang"), &["--version"]) { Ok(()) } else { apt_install(&["clang"]) }
}

/// ThreadSanitizer's runtime for the newest clang, to be compared with: Debian has it in a package of its own.
pub fn clang_tsan() -> Step {
    clang()?;
    let clang = newest("clang");
    let say = |option: &str| {
        let said =
            std::process::Command::new(&clang).arg(option).output().map_err(|e| format!("{clang}: {e}"))?;
        Ok::<_, String>(String::from_utf8_lossy(&said.stdout).trim().to_string())
    };
    let folder = PathBuf::from(say("--print-runtime-dir")?);
    let is_there = |folder: &Path| {
        folder.join("libclang_rt.tsan-x86_64.a").exists() || folder.join("libclang_rt.tsan.a").exists()
    };
    // clang names the folder of a layout that Debian does not use.
    if is_there(&folder) || folder.parent().is_some_and(|lib| is_there(&lib.join("linux"))) {
        return Ok(());
    }
    let version = say("-dumpversion")?;
    let number = version.split('.').next().unwrap_or_default();
    apt_install(&[&format!("libclang-rt-{number}-dev")])
}

/// The Z3 solver: tests compare our decision procedure with it.
pub fn z3() -> Step {
    if has("z3", &["--version"]) { Ok(()) } else { apt_install(&["z3"]) }
}

/// The newest compiler of that name, with or without a number.
pub fn newest(name: &str) -> String {
    let numbered = (12..=22).rev().map(|n| format!("{name}-{n}"));
    numbered.into_iter().find(|name| has(name, &["--version"])).unwrap_or_else(|| name.into())
}

/// Installs packages.
pub fn apt_install(packages: &[&str]) -> Step {
    if packages.is_empty() {
        return Ok(());
    }
    let list = packages.join(" ");
    eprintln!("xtask: installing {list} with apt-get");
    let apt = |args: &[&str]| match is_root() {
        true => run(Path::new("apt-get"), args),
        false => run(Path::new("sudo"), &[&["apt-get"], args].concat()),
    };
    apt(&["update"])
        .and_then(|()| apt(&[&["install", "--yes", "--no-install-recommends"], packages].concat()))
        .map_err(|e| format!("{e}; please install these packages yourself: {list}"))
}

fn is_root() -> bool {
    std::process::Command::new("id").arg("-u").output().is_ok_and(|o| o.stdout.trim_ascii() == b"0")
}

/// Where tools of our own go, so that nothing of the user's is touched.
fn tools() -> PathBuf {
    target().join("tools")
}

/// The `cargo-fuzz` program.
pub fn cargo_fuzz() -> PathBuf {
    tools().join("bin/cargo-fuzz")
}

/// The `cargo-mutants` program.
pub fn cargo_mutants() -> PathBuf {
    tools().join("bin/cargo-mutants")
}

/// cargo-fuzz.
pub fn fuzzer() -> Step {
    tool(&cargo_fuzz(), "cargo-fuzz", "0.13.2")
}

/// cargo-mutants.
pub fn mutants() -> Step {
    tool(&cargo_mutants(), "cargo-mutants", "27.1.0")
}

/// A program made with cargo, built once into the target folder.
fn tool(program: &Path, name: &str, version: &str) -> Step {
    if program.exists() {
        return Ok(());
    }
    let root = tools().display().to_string();
    cargo(&["install", name, "--version", version, "--locked", "--root", &root])
}
