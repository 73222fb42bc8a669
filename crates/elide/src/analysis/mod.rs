//! What is known about a function's checks.

pub mod cfg;
pub mod checks;
pub mod effects;
pub mod fields;
pub mod linear;
pub mod loops;
pub mod redundant;
pub mod turns;
