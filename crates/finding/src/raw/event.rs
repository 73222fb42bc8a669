//! What a thread did, as it is recorded.

/// One step of one thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// When: counts up over all threads.
    pub stamp: u64,
    /// Who.
    pub thread: u32,
    /// Where in the program; 0 if not known.
    pub site: u32,
    /// What.
    pub what: What,
}

/// What a thread did. Objects are known by their address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum What {
    /// A plain read of `size` bytes.
    Read { address: u64, size: u64 },
    /// A plain write.
    Write { address: u64, size: u64 },
    /// An atomic load; also what is left of a compare-and-swap that fails.
    AtomicLoad { address: u64, size: u64, order: Order },
    /// An atomic store.
    AtomicStore { address: u64, size: u64, order: Order },
    /// An atomic read-modify-write that succeeds.
    AtomicRmw { address: u64, size: u64, order: Order },
    /// A fence.
    Fence { order: Order },
    /// Took a mutex, or a read-write lock for writing.
    Lock { lock: u64 },
    /// Gave it back.
    Unlock { lock: u64 },
    /// Took a read-write lock for reading.
    LockShared { lock: u64 },
    /// Gave it back.
    UnlockShared { lock: u64 },
    /// Created a thread.
    Fork { child: u32 },
    /// Waited for the end of a thread.
    Join { child: u32 },
    /// First step of a thread.
    Start,
    /// Last step of a thread.
    Exit,
    /// Began to wait on a condition variable; gave the mutex back.
    Wait { cond: u64, lock: u64 },
    /// Came back from waiting; has the mutex again.
    Woken { cond: u64, lock: u64 },
    /// Woke one or all of those that wait.
    Notify { cond: u64, scope: Scope },
    /// Made a barrier for so many threads.
    BarrierMake { barrier: u64, parties: u32 },
    /// Arrived at a barrier.
    BarrierEnter { barrier: u64 },
    /// Left it.
    BarrierLeave { barrier: u64 },
    /// Memory was handed out.
    Alloc { address: u64, size: u64 },
    /// Memory was given back.
    Free { address: u64, size: u64 },
    /// Released its past to an object: a pipe, a semaphore, an annotation.
    Release { object: u64 },
    /// Acquired what was released to an object.
    Acquire { object: u64 },
    /// The runtime reported a race that the access before completes; `with` is the earlier access's site.
    Race { address: u64, size: u64, with: u32 },
    /// The object at that address is no more: what comes there later is another.
    Gone { object: u64 },
}

/// Memory order of an atomic operation or a fence, numbered as compilers number them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Order {
    Relaxed = 0,
    Consume = 1,
    Acquire = 2,
    Release = 3,
    AcqRel = 4,
    SeqCst = 5,
}

impl Order {
    /// The order with that number.
    pub fn from_number(n: u8) -> Option<Order> {
        use Order::*;
        [Relaxed, Consume, Acquire, Release, AcqRel, SeqCst].get(usize::from(n)).copied()
    }
}

/// Whom a notification wakes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Scope {
    One = 0,
    All = 1,
}
