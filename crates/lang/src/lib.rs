//! The small language: its syntax, its semantics, and an interpreter that any schedule can drive.

pub mod ast;
mod check;
pub mod code;
mod compile;
mod error;
mod format;
pub mod generate;
mod lexer;
mod machine;
mod parser;
mod system;
mod trace;

pub use check::{ClassLayout, FieldLayout, MAX_ELEMENTS, Types, check};
pub use compile::compile;
pub use error::Error;
pub use format::{format, print};
pub use machine::{Address, Machine, Options};
pub use parser::{MAX_NESTING, parse};
pub use trace::Lines;
