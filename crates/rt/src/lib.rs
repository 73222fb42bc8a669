//! The race detector that lives inside the watched process: threads, synchronisation, stacks, heap, reports.
//!
//! *Invariants*: nothing here allocates through the program's `malloc`, calls the C library, panics on what the program does, or holds a
//! lock while it calls out. Only `os` makes system calls.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod access;
pub mod atomics;
pub mod bias;
mod chunks;
pub mod deadlock;
pub mod descriptors;
pub mod expected;
pub mod external;
pub mod first;
pub mod gate;
pub mod heap;
pub mod internal;
pub mod lately;
pub mod loads;
pub mod locksets;
pub mod memory;
pub mod modules;
pub mod mutex;
pub mod nestings;
pub mod os;
pub mod output;
pub mod own;
pub mod patience;
pub mod place;
mod prefault;
pub mod quick;
pub mod ranges;
pub mod reclaim;
pub mod record;
pub mod registry;
pub mod report;
mod scattered;
pub mod sites;
pub mod slots;
pub mod start;
pub mod sync;
pub mod thread;
pub mod tls;
mod ways;
