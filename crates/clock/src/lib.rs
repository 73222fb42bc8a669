//! Time as race detectors see it: threads, clocks, epochs, vector clocks, and what they have in common.
//!
//! The names are those of the papers: `Tid`, `Epoch` (`t@c`), `VectorClock` (`V`, with `⊑`, `⊔`, `inc_t`).
//! [`Knowledge`] is the join-semilattice over which all synchronisation is written once.
#![no_std]

extern crate alloc;

mod epoch;
mod knowledge;
mod map;
mod vector;

pub use epoch::{Clock, Epoch, Tid};
pub use knowledge::Knowledge;
pub use map::TidMap;
pub use vector::VectorClock;
