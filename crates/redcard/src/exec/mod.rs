//! An executable semantics of the graphs (Fig. 6 of the paper): threads under any schedule, a trace of actions, and its judges.
//!
//! This is what the tests of Theorem 1 run. It shares nothing with the analysis but the graph.

mod heap;
mod judge;
mod machine;

pub use heap::{Location, Value};
pub use judge::{Fault, Race, monitor, races};
pub use machine::{Machine, Outcome, Schedule};

use crate::ir::{AccessId, Kind};

/// A thread of a run; main is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tid(pub u32);

/// Something that orders events: a lock, a volatile location, a named object.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SyncObject {
    /// An object's lock.
    Lock(u32),
    /// A volatile location.
    Volatile(Location),
    /// Of that name.
    Named(String),
}

/// What a thread did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Read or wrote a location. Accesses of unknown code have no id.
    Access(Option<AccessId>, Kind, Location),
    /// What it did before comes before what others do after they acquire.
    Release(SyncObject),
    /// The other end.
    Acquire(SyncObject),
    /// Started a thread.
    Fork(Tid),
    /// Saw a thread end.
    Join(Tid),
}

/// One step of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Who.
    pub tid: Tid,
    /// What.
    pub action: Action,
}
