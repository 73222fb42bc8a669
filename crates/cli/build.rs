//! Builds and packages the runtime, for the program to carry along.

use std::path::{Path, PathBuf};
use std::{env, fs, process};

/// Where the runtime runs.
const RUNTIME_TARGET: &str = "x86_64-unknown-linux-gnu";

/// The files that the program embeds; empty where the runtime cannot run.
const FILES: [&str; 3] = ["libdeadheat.a", "libdeadheat.syms", "libtsan.so.2"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={}", deadheat_package::SYMBOLS);
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let files = out.join("runtime");
    let target = env::var("TARGET").unwrap_or_default();
    if let Err(error) = if target == RUNTIME_TARGET { runtime(&out, &files) } else { nothing(&files) } {
        eprintln!("{error}");
        process::exit(1);
    }
    println!("cargo::rustc-env=DEADHEAT_RUNTIME_FILES={}", files.display());
    println!("cargo::rustc-env=DEADHEAT_RUNTIME_HASH={:016x}", fingerprint(&files));
}

fn runtime(out: &Path, files: &Path) -> Result<(), String> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let folder = here.with_file_name("rt-tsan");
    let library = deadheat_package::build(&folder, RUNTIME_TARGET, &build_folder(out))?;
    for source in &library.sources {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    deadheat_package::pack(&library.archive, &out.join("work"), files).map(drop)
}

/// Where the nested cargo builds: beside the folders of all build scripts, since the programs of `cargo build`, `cargo clippy` and
/// `cargo test` each run this one, and the runtime in them is the same.
fn build_folder(out: &Path) -> PathBuf {
    let beside = out.ancestors().nth(3).filter(|folder| folder.join("build").is_dir());
    beside.unwrap_or(out).join("runtime-build")
}

fn nothing(files: &Path) -> Result<(), String> {
    fs::create_dir_all(files).map_err(|e| e.to_string())?;
    FILES.iter().try_for_each(|name| fs::write(files.join(name), "").map_err(|e| e.to_string()))
}

/// Tells packaged runtimes apart (FNV-1a): each has its own folder in the user's cache.
fn fingerprint(files: &Path) -> u64 {
    let contents = FILES.iter().flat_map(|name| fs::read(files.join(name)).unwrap_or_default());
    contents.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
