//! The runtime that this program carries, unpacked where compilers and the loader can find it.

use crate::failure::{Failure, plain};
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The files, and the runtime's fingerprint; all empty if this platform has no runtime.
const FILES: [(&str, &[u8]); 3] = [
    (ARCHIVE, include_bytes!(concat!(env!("DEADHEAT_RUNTIME_FILES"), "/libdeadheat.a"))),
    (EXPORTS, include_bytes!(concat!(env!("DEADHEAT_RUNTIME_FILES"), "/libdeadheat.syms"))),
    (SHARED, include_bytes!(concat!(env!("DEADHEAT_RUNTIME_FILES"), "/libtsan.so.2"))),
];
const FINGERPRINT: &str = env!("DEADHEAT_RUNTIME_HASH");

const ARCHIVE: &str = "libdeadheat.a";
const EXPORTS: &str = "libdeadheat.syms";
const SHARED: &str = "libtsan.so.2";
const SPECS: &str = "gcc.specs";

/// Instruments what gcc compiles, without gcc linking its own runtime.
const GCC_SPECS: &str = "*cc1:\n+ -fsanitize=thread\n\n";

/// What the shared library is called by programs of older and newer gccs, and by clang's `-shared-libsan`.
const OTHER_NAMES: [&str; 4] =
    ["libtsan.so.0", "libtsan.so.1", "libclang_rt.tsan.so", "libclang_rt.tsan-x86_64.so"];

/// The unpacked runtime.
pub struct Runtime {
    folder: PathBuf,
    /// Set if there is no cache to keep it in.
    passing: Option<TempDir>,
}

impl Runtime {
    /// Unpacks it, unless it has been before: into the user's cache, or for this run only.
    pub fn unpack() -> Result<Runtime, Failure> {
        if FILES.iter().any(|(_, contents)| contents.is_empty()) {
            return Err(Failure::new(
                "the runtime is for Linux on x86-64 only; deadheat trace works everywhere",
            ));
        }
        if let Some(folder) = cache().and_then(|cache| keep(&cache).ok()) {
            return Ok(Runtime { folder, passing: None });
        }
        let unpacked =
            TempDir::with_prefix("deadheat-").and_then(|folder| fill(folder.path()).map(|()| folder));
        let passing =
            unpacked.map_err(|e| Failure::new(format!("cannot unpack the runtime: {}", plain(&e))))?;
        Ok(Runtime { folder: passing.path().to_owned(), passing: Some(passing) })
    }

    /// Does it go when this process ends?
    pub fn is_passing(&self) -> bool {
        self.passing.is_some()
    }

    /// The folder of the shared library.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The static archive.
    pub fn archive(&self) -> PathBuf {
        self.folder.join(ARCHIVE)
    }

    /// What a program with the archive in it exports.
    pub fn exports(&self) -> PathBuf {
        self.folder.join(EXPORTS)
    }

    /// What gcc is to do differently.
    pub fn specs(&self) -> PathBuf {
        self.folder.join(SPECS)
    }
}

/// Where the user's programs keep what they can make again.
fn cache() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    Some(set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?.join("deadheat"))
}

/// The folder of this runtime in the cache, made if it is not there: beside, then moved to its place, so that whoever finds it
/// finds all of it.
fn keep(cache: &Path) -> io::Result<PathBuf> {
    let folder = cache.join(FINGERPRINT);
    if is_whole(&folder) {
        return Ok(folder);
    }
    fs::create_dir_all(cache)?;
    let beside = TempDir::with_prefix_in("unpack-", cache)?;
    fill(beside.path())?;
    if fs::rename(beside.path(), &folder).is_err() && !is_whole(&folder) {
        // A machine that went down while writing has left half a file.
        fs::remove_dir_all(&folder)?;
        fs::rename(beside.path(), &folder)?;
    }
    Ok(folder)
}

fn is_whole(folder: &Path) -> bool {
    let whole = |(name, contents): &(&str, &[u8])| {
        fs::metadata(folder.join(name)).is_ok_and(|about| about.len() == contents.len() as u64)
    };
    FILES.iter().all(whole) && whole(&(SPECS, GCC_SPECS.as_bytes()))
}

fn fill(folder: &Path) -> io::Result<()> {
    for (name, contents) in FILES.into_iter().chain([(SPECS, GCC_SPECS.as_bytes())]) {
        fs::write(folder.join(name), contents)?;
    }
    OTHER_NAMES.iter().try_for_each(|name| symlink(SHARED, folder.join(name)))
}
