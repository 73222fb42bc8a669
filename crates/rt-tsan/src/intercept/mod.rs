//! The functions of the C library that the runtime stands in for, by theme.

mod memory;
mod mutexes;
mod threads;

pub use threads::own_stack;

/// What the program itself says the options should be.
pub fn default_options() -> &'static str {
    ""
}

/// What the program itself says should not be reported.
pub fn default_suppressions() -> &'static str {
    ""
}

/// Readies what interceptors need.
pub fn start() {
    threads::start();
}
