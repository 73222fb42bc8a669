//! From an address in a process to what stands in the source: functions with those inlined into them, files, lines, variables.
//!
//! The caller says which files are mapped where, and hands over their bytes; everything else happens in memory, without the standard
//! library, so that the runtime can do it inside the watched process. Nothing is parsed before it is asked for, and nothing in a
//! file, however damaged, is worse than a frame that knows less: DWARF first, then the symbol table, then module and offset.
//!
//! Not understood: debug sections compressed with zstd, and symbols in `.gnu_debugdata` (xz).
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod demangle;
mod dwarf;
mod image;
mod separate;
mod symbolizer;
mod symbols;

pub use demangle::demangle;
pub use symbolizer::{At, Frame, Global, Loader, Module, Symbolizer};
