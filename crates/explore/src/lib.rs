//! Every schedule that matters.
//!
//! Stateless model checking over any [`System`]: preemption points as predicates, partial order reduction, and iterative
//! deepening with data races as new preemption points (*Soundness Proofs for Iterative Deepening*, CMU-PDL-16-103).

mod system;

pub use system::{Action, Blocked, Fault, FaultKind, Log, Points, Site, Status, System};
