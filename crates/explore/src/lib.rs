//! Every schedule that matters.
//!
//! Stateless model checking over any [`System`]: preemption points as predicates, partial order reduction, and iterative
//! deepening with data races as new preemption points (*Soundness Proofs for Iterative Deepening*, CMU-PDL-16-103).

mod bug;
mod deepen;
mod relevant;
mod run;
mod saved;
mod schedule;
mod search;
mod shrink;
mod space;
mod system;
#[cfg(test)]
mod testing;
mod text;

pub use bug::{Bug, BugKind, Bugs, DataRace, Deadlock, Livelock, RacingAccess, Wait};
pub use deepen::{
    AfterBug, Budget, Deepening, FoundCandidate, Progress, SpaceProgress, SpaceState, Verdict, Why,
};
pub use relevant::Interleaving;
pub use run::candidates::{Candidate, Recycled};
pub use run::objects::Heap;
pub use schedule::{Diverged, Replay, ReplayStep, Schedule, Segment, replay, replay_to_the_end};
pub use search::Search;
pub use shrink::{Shrunk, shrink};
pub use space::{Counts, End, Options, Races, Run, Space};
pub use system::{Action, Blocked, Fault, FaultKind, Log, Points, Site, Status, System};
pub use text::BadSchedule;
