//! The functions of the C library that the runtime stands in for, by theme.

mod barriers;
mod c11;
mod conditions;
mod exceptions;
mod exit;
mod files;
mod fork;
mod formats;
mod guards;
pub mod jumps;
mod keys;
mod libraries;
mod mappings;
mod memory;
mod mutexes;
mod new;
mod once;
mod rwlocks;
mod semaphores;
mod signals;
mod sockets;
mod spinlocks;
mod streams;
mod strings;
pub mod threads;
mod touch;

pub use exit::at_the_very_end;
pub use threads::own_stack;

pub use crate::annotate::hooks::{default_options, default_suppressions};

/// Readies what interceptors need.
pub fn start() {
    signals::start();
    fork::start();
    threads::start();
}
