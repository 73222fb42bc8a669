//! A race with everything that was known where it was found.

use deadheat_clock::{Clock, Tid};
use deadheat_trace::{EventId, Loc, LockId, Mode, Span};

/// Which access came second in the trace, and over what. *Ready, Set, Go!* §1 has the names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum RaceKind {
    ReadAfterWrite,
    WriteAfterRead,
    WriteAfterWrite,
}

impl RaceKind {
    /// The kind of a race between those two, in that order; not both may be reads.
    pub fn of(prior: Mode, current: Mode) -> RaceKind {
        match (prior.writes(), current.writes()) {
            (true, false) => RaceKind::ReadAfterWrite,
            (false, true) => RaceKind::WriteAfterRead,
            (true, true) => RaceKind::WriteAfterWrite,
            (false, false) => unreachable!("two reads do not race"),
        }
    }

    /// `write-after-read` and so on.
    pub fn name(self) -> &'static str {
        match self {
            RaceKind::ReadAfterWrite => "read-after-write",
            RaceKind::WriteAfterRead => "write-after-read",
            RaceKind::WriteAfterWrite => "write-after-write",
        }
    }
}

/// One of the two accesses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Party {
    /// Its event.
    pub event: EventId,
    /// The thread that made it.
    pub tid: Tid,
    /// Where in the program.
    pub loc: Loc,
    /// How it touched memory.
    pub mode: Mode,
}

/// Why the detector holds that nothing orders the two accesses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// Vector clocks: each access at its thread's time, and the later thread knows of the earlier one only up to `known < prior`.
    Clocks {
        /// Time of the earlier access.
        prior: Clock,
        /// Time of the later access.
        current: Clock,
        /// What the later thread knows of the earlier one.
        known: Clock,
    },
    /// Happens-before sets: the label of the earlier access (its event) is not in the later thread's set, which has this many.
    Label {
        /// Size of the later thread's happens-before set.
        known: usize,
    },
    /// The definition: of the earlier thread's steps only the first `known` happen before the later access; the earlier access is
    /// its step number `prior`, the later access step number `current` of its own thread, all from 1.
    Steps {
        /// Step of the earlier access in its thread.
        prior: u64,
        /// Step of the later access in its thread.
        current: u64,
        /// Steps of the earlier thread that happen before the later access.
        known: u64,
    },
    /// A candidate only: no common lock. The two may be ordered by other means.
    Locks {
        /// Locks held at the earlier access.
        prior: Vec<LockId>,
        /// Locks held at the later access.
        current: Vec<LockId>,
    },
}

/// Two accesses to the same memory, at least one of them a write, that nothing orders.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Race {
    /// The bytes both touched.
    pub span: Span,
    /// The access that came first in the trace.
    pub prior: Party,
    /// The access that came second; the race is complete with it.
    pub current: Party,
    /// What the detector knew.
    pub evidence: Evidence,
}

impl Race {
    /// Which kind of race it is.
    pub fn kind(&self) -> RaceKind {
        RaceKind::of(self.prior.mode, self.current.mode)
    }
}
