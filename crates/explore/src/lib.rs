//! Every schedule that matters.
//!
//! Stateless model checking over any [`System`]: preemption points as predicates, partial order reduction, and iterative
//! deepening with data races as new preemption points (*Soundness Proofs for Iterative Deepening*, CMU-PDL-16-103).

mod bug;
mod run;
mod saved;
mod schedule;
mod search;
mod space;
mod system;
mod text;
#[cfg(test)]
mod testing;

pub use bug::{Bug, BugKind, Bugs, DataRace, Deadlock, Livelock, RacingAccess, Wait};
pub use run::candidates::{Candidate, Recycled};
pub use run::objects::Heap;
pub use schedule::{Diverged, Replay, Schedule, Segment, replay};
pub use search::Search;
pub use space::{Counts, End, Options, Races, Run, Space};
pub use system::{Action, Blocked, Fault, FaultKind, Log, Points, Site, Status, System};
pub use text::BadSchedule;
