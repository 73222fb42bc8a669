//! From what is known about checks to another text of the module.

pub mod compute;
pub mod edits;
pub mod emit;
pub mod frames;
pub mod inline;
pub mod memory;
pub mod preheaders;
