//! The functions of the C library that the runtime stands in for, by theme.

mod accounts;
mod answers;
mod arguments;
mod barriers;
mod c11;
mod clocks;
mod conditions;
pub mod contexts;
mod environment;
mod exceptions;
mod exit;
mod files;
mod fork;
mod formats;
mod fortified;
mod guards;
pub mod jumps;
mod keys;
mod libraries;
mod mappings;
mod memory;
mod mutexes;
mod new;
mod numbers;
mod once;
mod paths;
mod patterns;
mod polls;
mod queues;
mod rwlocks;
mod scans;
mod semaphores;
mod signals;
mod sockets;
mod spinlocks;
mod streams;
mod strings;
mod system;
mod texts;
pub mod threads;
mod touch;
mod wide;

pub use exit::at_the_very_end;
pub use threads::own_stack;

pub use crate::annotate::hooks::{default_options, default_suppressions};

/// Readies what interceptors need.
pub fn start() {
    signals::start();
    fork::start();
    threads::start();
}
