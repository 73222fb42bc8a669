//! The small language: its syntax, its semantics, and an interpreter that any schedule can drive.

pub mod ast;
pub mod code;
mod machine;
mod system;

pub use machine::{Address, Machine, Options};
