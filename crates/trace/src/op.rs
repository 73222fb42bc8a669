//! The event model: who did what, where in the source, to which memory or object.
//!
//! `docs/happens-before.md` says which orderings each operation makes. Every identifier is dense (0, 1, 2, …) and its name is in
//! [`Symbols`](crate::Symbols), except addresses, which are numbers unless the trace names its variables.

use deadheat_clock::Tid;
use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The identifier as an index.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A mutex or read-write lock (a mutex is a read-write lock that nobody shares).
    LockId,
    /// A Java-style volatile.
    VolatileId,
    /// A condition variable.
    CondId,
    /// A barrier.
    BarrierId,
    /// A channel.
    ChanId,
    /// The operand of a `begin`/`end` marker.
    LabelId,
}

/// Position of an event in its trace, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct EventId(pub u64);

/// A byte of memory, or a variable that the trace knows by name only.
///
/// Named variables live in the upper half of the address space, which no user process has, eight bytes apart so
/// that no two share a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Addr(pub u64);

impl Addr {
    const NAMED: u64 = 1 << 63;
    const STRIDE: u64 = 8;

    /// The address of the named variable with that index in [`Symbols`](crate::Symbols).
    pub fn named(index: u32) -> Addr {
        Addr(Self::NAMED + Self::STRIDE * u64::from(index))
    }

    /// The index of the named variable at this address.
    pub fn name_index(self) -> Option<u32> {
        self.0.checked_sub(Self::NAMED).and_then(|n| u32::try_from(n / Self::STRIDE).ok())
    }
}

/// A run of bytes. A named variable has one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    /// The first byte.
    pub addr: Addr,
    /// How many bytes, at least one.
    pub size: u64,
}

impl Span {
    /// The largest run of bytes in a trace: half of the address space, which named variables do not reach.
    pub const MAX_SIZE: u64 = Addr::NAMED;

    /// The `size` bytes from `addr`.
    pub fn new(addr: u64, size: u64) -> Span {
        Span { addr: Addr(addr), size }
    }

    /// The named variable with that index.
    pub fn named(index: u32) -> Span {
        Span { addr: Addr::named(index), size: 1 }
    }

    /// The first byte after the run.
    pub fn end(self) -> u64 {
        self.addr.0 + self.size
    }

    /// Do the two runs share a byte?
    pub fn overlaps(self, other: Span) -> bool {
        self.addr.0 < other.end() && other.addr.0 < self.end()
    }
}

/// A place in the program's source: a number or, with the top bit set, a name in [`Symbols`](crate::Symbols).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Loc(pub u32);

impl Loc {
    const NAMED: u32 = 1 << 31;
    /// The trace does not say.
    pub const NONE: Loc = Loc(u32::MAX);

    /// A numeric place; `None` if it is too large and must be named by its digits.
    pub fn number(n: u32) -> Option<Loc> {
        (n < Self::NAMED).then_some(Loc(n))
    }

    /// The place with that index in the symbols.
    pub fn named(index: u32) -> Loc {
        debug_assert!(index < Self::NAMED - 1);
        Loc(Self::NAMED | index)
    }

    /// The number of a numeric place.
    pub fn as_number(self) -> Option<u32> {
        (self.0 < Self::NAMED).then_some(self.0)
    }

    /// The index in the symbols of a named place.
    pub fn name_index(self) -> Option<u32> {
        (self.0 >= Self::NAMED && self != Self::NONE).then_some(self.0 & !Self::NAMED)
    }
}

impl fmt::Debug for Loc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.as_number(), self.name_index()) {
            (Some(n), _) => write!(f, "{n}"),
            (_, Some(i)) => write!(f, "#{i}"),
            _ => f.write_str("?"),
        }
    }
}

/// Memory order of an atomic load; a failed compare-and-swap is a load with its failure order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum LoadOrder {
    Relaxed,
    Acquire,
    SeqCst,
}

/// Memory order of an atomic store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum StoreOrder {
    Relaxed,
    Release,
    SeqCst,
}

/// Memory order of an atomic read-modify-write.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum RmwOrder {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// Memory order of a fence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum FenceOrder {
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl LoadOrder {
    /// Does it acquire what it reads?
    pub fn acquires(self) -> bool {
        self != LoadOrder::Relaxed
    }
}

impl StoreOrder {
    /// Does it release what came before?
    pub fn releases(self) -> bool {
        self != StoreOrder::Relaxed
    }
}

impl RmwOrder {
    /// Does it acquire what it reads?
    pub fn acquires(self) -> bool {
        matches!(self, RmwOrder::Acquire | RmwOrder::AcqRel | RmwOrder::SeqCst)
    }

    /// Does it release what came before?
    pub fn releases(self) -> bool {
        matches!(self, RmwOrder::Release | RmwOrder::AcqRel | RmwOrder::SeqCst)
    }
}

impl FenceOrder {
    /// Is it an acquire fence?
    pub fn acquires(self) -> bool {
        self != FenceOrder::Release
    }

    /// Is it a release fence?
    pub fn releases(self) -> bool {
        self != FenceOrder::Acquire
    }
}

/// Whom a notification wakes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Scope {
    One,
    All,
}

/// What a thread did. A `select` is the channel operation that it chose.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A plain read.
    Read(Span),
    /// A plain write.
    Write(Span),
    /// Took a lock exclusively; re-entrant.
    Acquire(LockId),
    /// Gave an exclusively held lock back.
    Release(LockId),
    /// Took a lock shared, as a reader; re-entrant.
    AcquireShared(LockId),
    /// Gave a shared lock back.
    ReleaseShared(LockId),
    /// Created a thread.
    Fork(Tid),
    /// Waited for a thread's end; several threads may join the same one.
    Join(Tid),
    /// First step of a thread, if the trace has one.
    Start,
    /// Last step of a thread, if the trace has one.
    Exit,
    /// Read a volatile.
    VolatileRead(VolatileId),
    /// Wrote a volatile.
    VolatileWrite(VolatileId),
    /// An atomic load of the latest value.
    AtomicLoad(Span, LoadOrder),
    /// An atomic store.
    AtomicStore(Span, StoreOrder),
    /// A successful atomic read-modify-write.
    AtomicRmw(Span, RmwOrder),
    /// A memory fence.
    Fence(FenceOrder),
    /// Began to wait: gave the lock back, however often it was held.
    Wait(CondId, LockId),
    /// Came back from waiting: holds the lock again as before.
    Woken(CondId, LockId),
    /// Woke waiting threads.
    Notify(CondId, Scope),
    /// A barrier for that many threads a round.
    BarrierMake(BarrierId, u32),
    /// Arrived at a barrier.
    BarrierEnter(BarrierId),
    /// Left a barrier; the round was complete.
    BarrierLeave(BarrierId),
    /// A channel with that capacity; 0 is a rendezvous.
    ChanMake(ChanId, u32),
    /// Sent on a channel.
    Send(ChanId),
    /// Received a value from a channel.
    Receive(ChanId),
    /// Received the end of a closed and drained channel.
    ReceiveClosed(ChanId),
    /// Closed a channel.
    Close(ChanId),
    /// Memory handed out: its history starts afresh.
    Alloc(Span),
    /// Memory given back: counts as a write to all of it.
    Free(Span),
    /// Start of a region that the trace marks; orders nothing.
    Begin(LabelId),
    /// End of a marked region; orders nothing.
    End(LabelId),
}

/// Read or write, as far as conflicts are concerned: two accesses conflict unless both are reads or both are atomic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Mode {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
}

impl Mode {
    /// Does it change memory?
    pub fn writes(self) -> bool {
        matches!(self, Mode::Write | Mode::AtomicWrite)
    }

    /// Is it atomic?
    pub fn atomic(self) -> bool {
        matches!(self, Mode::AtomicRead | Mode::AtomicWrite)
    }

    /// Would two unordered accesses of these modes to the same byte be a race?
    pub fn conflicts(self, other: Mode) -> bool {
        (self.writes() || other.writes()) && !(self.atomic() && other.atomic())
    }
}

/// The memory access that an operation makes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// Which bytes.
    pub span: Span,
    /// How.
    pub mode: Mode,
}

impl Op {
    /// The memory access that this operation makes, if it makes one. `Free` writes; `Alloc` does not.
    #[inline]
    pub fn access(self) -> Option<Access> {
        let (span, mode) = match self {
            Op::Read(s) => (s, Mode::Read),
            Op::Write(s) | Op::Free(s) => (s, Mode::Write),
            Op::AtomicLoad(s, _) => (s, Mode::AtomicRead),
            Op::AtomicStore(s, _) | Op::AtomicRmw(s, _) => (s, Mode::AtomicWrite),
            _ => return None,
        };
        Some(Access { span, mode })
    }
}

/// One step of one thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Event {
    /// What it did.
    pub op: Op,
    /// The thread.
    pub tid: Tid,
    /// Where in the program.
    pub loc: Loc,
}

// Batches of events should stay in the first-level cache: 1,024 of them take 32 KiB.
const _: () = assert!(size_of::<Event>() == 32);
