//! Every dynamic race detector of the papers, over one event model, and the oracle that judges them.
//!
//! A detector is what threads *know* (`sync`, over any `Knowledge`) and what memory *remembers* (a `VarState` per cell of
//! `memory`). `precise` puts the two together; each precise algorithm adds only its `VarState` and its rules.
//! Locksets and limited happens-before are candidates' detectors with a structure of their own, and the oracle is
//! happens-before from its definition.

mod atomic;
mod detector;
mod epochs;
mod fasttrack;
mod hb_sets;
mod history;
mod kind;
mod locksets;
mod memory;
mod oracle;
mod precise;
mod rule;
mod sync;
#[cfg(test)]
mod tests;
mod vector_clock;
mod verifiedft;

pub use deadheat_report::Precision;
pub use detector::{Detector, RaceSink};
pub use kind::DetectorKind;
pub use rule::{Counters, Rule};
