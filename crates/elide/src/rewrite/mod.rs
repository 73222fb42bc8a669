//! From what is known about checks to another text of the module.

pub mod edits;
pub mod frames;
