//! Happens-before by definition: the edges of `docs/happens-before.md`, their closure, and the races.
//!
//! This is the judge of the detectors. It shares nothing with their passing-on of vector clocks: it lists which operation is ordered
//! before which, closes that transitively with bit sets, and looks at every pair of conflicting accesses. The trace must be
//! feasible ([`Feasibility`](crate::Feasibility)) and may end anywhere, also in the middle of a wait, a barrier or a rendezvous.
//!
//! Every event is two nodes, its *start* and its *completion*, which program order joins in a chain. An edge leaves from a start and
//! arrives at a completion; [`EdgeKind::leaves`] and [`EdgeKind::arrives`] have the exceptions:
//! - A fork arrives at the *start* of the child's first step. Were it the completion, a child whose first step is a send would not pass
//!   on what its parent did.
//! - A join leaves from the *completion* of the child's last step, which may be a receive.
//! - Atomic operations and fences leave from their *completion*. In C++20 *synchronizes with* is transitive through one read-modify-write
//!   or one `acq_rel` fence: what it acquires, it releases.
//!
//! Only channels ever see the difference otherwise (*Ready, Set, Go!* §2, end).

mod atomics;
mod edges;
mod order;
mod races;

pub use edges::edges;
pub use order::{HappensBefore, TooLong};
pub use races::{RacePair, races};

/// Which words of the table make an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EdgeKind {
    /// Release → acquire of a lock, waits included.
    Lock,
    /// Fork → first step of the child.
    Fork,
    /// Last step of the child, or its fork if it has no step → join.
    Join,
    /// Volatile write → read.
    Volatile,
    /// Head of a release sequence → acquire, either of which may be a fence.
    Atomic,
    /// Enter → leave.
    Barrier,
    /// Rule (1): send → receive.
    Send,
    /// Rule (2): receive → a later send, or the same one on a rendezvous.
    Slot,
    /// Close → receive on closed.
    Close,
}

/// The two nodes of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum End {
    Start,
    Completion,
}

impl EdgeKind {
    /// The node of the earlier event that the edge leaves from.
    pub fn leaves(self) -> End {
        match self {
            EdgeKind::Join | EdgeKind::Atomic => End::Completion,
            _ => End::Start,
        }
    }

    /// The node of the later event that the edge arrives at.
    pub fn arrives(self) -> End {
        match self {
            EdgeKind::Fork => End::Start,
            _ => End::Completion,
        }
    }
}

/// One event is ordered before another by synchronisation. `from < to`, except for one of the two edges of a rendezvous.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// Index of the event it leaves from.
    pub from: usize,
    /// Index of the event it arrives at.
    pub to: usize,
    /// Why.
    pub why: EdgeKind,
}
