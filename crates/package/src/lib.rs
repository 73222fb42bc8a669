//! The runtime, built and packaged: `libdeadheat.a` to link into programs, and `libtsan.so.2` for programs that gcc linked already.
//!
//! Both are made at build time, by the command line's build script and by `cargo xtask runtime`: nothing of this is in the
//! program that users run. Interceptors are called `__interceptor_NAME` in the source, since a Rust program that
//! defined `memcpy` itself would call it for every copy of its own. Here they get their real names.
//!
//! ```text
//!  crates/rt-tsan ──cargo──► static library ──ld -r──► one object ──objcopy──► names as programs know them ──► .a, .so, .syms
//! ```

mod cargo;
mod object_file;
mod pack;
mod symbols;
mod tools;

pub use cargo::{Library, build};
pub use pack::{MARKER, Runtime, pack};

/// Why the runtime could not be built or packaged, in words.
pub type Error = String;

/// A variable of the environment: if it is set, the runtime's functions keep their names, for profilers.
pub const SYMBOLS: &str = "DEADHEAT_SYMBOLS";
