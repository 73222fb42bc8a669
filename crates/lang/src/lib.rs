//! The small language: its syntax, its semantics, and an interpreter that any schedule can drive.

pub mod ast;
