//! The small language: its syntax, its semantics, and an interpreter that any schedule can drive.

pub mod ast;
mod error;
mod lexer;
mod parser;

pub use error::Error;
pub use parser::{MAX_NESTING, parse};
