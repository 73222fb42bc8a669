//! What the explorer explores: anything whose threads can be stepped from one preemption point to the next.
//!
//! The language's interpreter is one such system; an instrumented process under a controlled runtime can be another. A system is
//! deterministic: from its start, the same actions lead to the same state and the same events. Threads and places keep
//! their numbers over all schedules: thread 3 is the same `spawn` of the same parent in every run.

use crate::saved;
use deadheat_trace::{Event, Loc, LockId, Op, Tid};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A static place in the program: what a data race preemption point is.
pub type Site = Loc;

/// One scheduling decision: which thread goes on, and which way where it can go several ways (a `select` with several ready branches, a
/// rendezvous with several partners).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Action {
    /// Who.
    pub tid: Tid,
    /// Which way, below [`Status::Ready`]'s count.
    pub choice: u32,
}

/// What a thread can do now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Not created yet in this run.
    Absent,
    /// Stands before an operation that it can do in so many ways, at least one.
    Ready(u32),
    /// Stands before an operation that it cannot do yet.
    Blocked(Blocked),
    /// Has ended.
    Finished,
}

/// What a blocked thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Blocked {
    /// A lock that another thread (or it itself) holds.
    Lock(#[serde(with = "saved::Lock32")] LockId, #[serde(with = "saved::Tid32")] Tid),
    /// Another thread's end.
    Join(#[serde(with = "saved::Tid32")] Tid),
    /// A channel operation, or one of several.
    Channel,
    /// To be made runnable.
    Descheduled,
    /// That something it read in vain changes: it spins.
    Spinning,
}

/// Preemption point predicates: where a transition ends besides synchronisation, before and after which it always ends.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Points {
    /// Before every access to shared memory: the naive state space.
    Everywhere,
    /// Before the accesses at these places: a bit for each number of a place.
    At(Vec<u64>),
}

impl Points {
    /// Synchronisation only.
    pub fn sync_only() -> Points {
        Points::At(Vec::new())
    }

    /// Synchronisation and the accesses at those places.
    pub fn at(sites: impl IntoIterator<Item = Site>) -> Points {
        let mut words = Vec::new();
        for site in sites {
            let n = site.0 as usize;
            if words.len() <= n / 64 {
                words.resize(n / 64 + 1, 0);
            }
            words[n / 64] |= 1 << (n % 64);
        }
        Points::At(words)
    }

    /// May threads be switched before the access at that place?
    #[inline]
    pub fn has(&self, site: Site) -> bool {
        match self {
            Points::Everywhere => true,
            Points::At(words) => {
                let n = site.0 as usize;
                words.get(n / 64).is_some_and(|word| word >> (n % 64) & 1 != 0)
            }
        }
    }
}

/// What happened in a transition, in order.
#[derive(Default, Debug)]
pub struct Log {
    /// The operations, also of other threads where one step moves two (a rendezvous).
    pub events: Vec<Event>,
    /// Operations whose readiness the transition saw: all branches of a `select`, the one it took too, if it has several or a default.
    /// Another thread's operation that would change their readiness does not commute with this transition.
    pub peeked: Vec<Op>,
    /// What the transition leaves its thread (or one it made, or its partner) offering to others: when it ends before a send or receive on a
    /// channel of capacity 0, or a `select` with such branches, those operations. Others' steps now have one more partner.
    pub offered: Vec<Op>,
}

impl Log {
    /// Empties it, keeping its memory.
    pub fn clear(&mut self) {
        self.events.clear();
        self.peeked.clear();
        self.offered.clear();
    }
}

/// What went wrong in a step. The run ends there.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// Which kind.
    pub kind: FaultKind,
    /// The thread that did it.
    #[serde(with = "saved::Tid32")]
    pub tid: Tid,
    /// Where.
    #[serde(with = "saved::Loc32")]
    pub site: Site,
    /// In words, for the reader; the same for the same fault in every run.
    pub message: String,
}

/// The kinds of faults that a system finds itself. Deadlocks, races and endless runs are found by the explorer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum FaultKind {
    /// An assertion that does not hold.
    Assertion,
    /// `panic`, or a send on a closed channel.
    Panic,
    /// An access to memory that was freed.
    UseAfterFree,
    /// A second `free`.
    DoubleFree,
    /// A loop that goes on for ever without waiting for anybody (also a guess: millions of steps on its own).
    Endless,
    /// An unlock of a lock that the thread does not hold, a null reference, an index out of bounds, a division by zero.
    Error,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::Assertion => "assertion failed",
            FaultKind::Panic => "panic",
            FaultKind::UseAfterFree => "use after free",
            FaultKind::DoubleFree => "double free",
            FaultKind::Endless => "endless loop",
            FaultKind::Error => "error",
        })
    }
}

/// A program that can be run under any schedule, again and again.
///
/// What partial order reduction relies on, beyond determinism:
/// - An operation that can block, or change who is blocked, is the first of its transition, and every transition logs something for the
///   operation that it begins with: a marker (`Op::Begin`) where there is nothing else to say, as for a `select` that takes its default.
/// - There is a preemption point before every `free`, or malloc-recycle candidates must be kept ([`Recycled`](crate::Recycled)).
/// - A channel's `Op::ChanMake` is logged before its first operation.
/// - A rendezvous is one step of one of its two threads, [`Status::Ready`] in as many ways as it has partners; the other is
///   [`Status::Blocked`] until then. Its first two events are the operations of both.
pub trait System {
    /// Back to the start: thread 0 stands before its first operation.
    fn reset(&mut self);

    /// One more than the largest number of a thread that exists or has existed in this run.
    fn threads(&self) -> u32;

    /// What that thread can do now.
    fn status(&self, tid: Tid) -> Status;

    /// The operations of which `tid` stands before one, as far as they are known: none for a thread that has ended; several for a `select`.
    /// Used for what blocked threads would have done.
    fn pending(&self, tid: Tid, into: &mut Vec<Op>);

    /// Lets a ready thread do the operation it stands before and run on to its next preemption point: before or after a synchronisation, or
    /// before an access at one of `points`. What it did is appended to `log`, also if it ends in a fault: then with the operation that
    /// failed (the second close, the access to freed memory), since another order may be without fault.
    fn step(&mut self, action: Action, points: &Points, log: &mut Log) -> Result<(), Fault>;

    /// A digest of what the run has computed: equal for equal shared states. To compare final states.
    fn digest(&self) -> u64;
}
