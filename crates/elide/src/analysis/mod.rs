//! What is known about a function's checks.

pub mod again;
pub mod calls;
pub mod cfg;
pub mod checks;
pub mod effects;
pub mod fields;
pub mod joins;
pub mod keys;
pub mod later;
pub mod linear;
pub mod local;
pub mod loops;
pub mod once;
pub mod redundant;
pub mod specs;
pub mod turns;
pub mod work;
