//! The runtime, built and packaged into a folder, without the program that carries it.

use crate::shell::{Step, root, target};
use std::path::PathBuf;

/// Where the runtime runs.
const RUNTIME_TARGET: &str = "x86_64-unknown-linux-gnu";

/// Makes `libdeadheat.a`, `libdeadheat.syms` and `libtsan.so.2` in that folder.
pub fn run(out: Option<PathBuf>) -> Step {
    let out = out.unwrap_or_else(|| target().join("runtime"));
    let build = target().join("runtime-build");
    let library = deadheat_package::build(&root().join("crates/rt-tsan"), RUNTIME_TARGET, &build)?;
    let runtime = deadheat_package::pack(&library.archive, &build.join("work"), &out)?;
    for file in [runtime.archive, runtime.exports, runtime.shared] {
        let size = std::fs::metadata(&file).map_err(|e| format!("{}: {e}", file.display()))?.len();
        println!("{:>6} KiB  {}", size.div_ceil(1024), file.display());
    }
    Ok(())
}
