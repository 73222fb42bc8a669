//! The rules by name, what broke them, and how to say so.

use crate::{BarrierId, ChanId, CondId, LockId, Namespace, Span, Symbols, Tid};

/// How a thread holds a lock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Hold {
    Exclusive,
    Shared,
}

/// A broken rule with what broke it; the table at the top of this module's parent has them in words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Rule {
    LockHeld { lock: LockId, holder: Tid },
    LockUpgraded { lock: LockId },
    LockDowngraded { lock: LockId },
    LockNotHeld { lock: LockId, hold: Hold },
    WaitWithoutLock { cond: CondId, lock: LockId },
    WokenWithoutWait { cond: CondId, lock: LockId },
    ForkedTwice { child: Tid },
    ForkedItself,
    ForkedLate { child: Tid },
    StepAfterExit,
    StepAfterJoin,
    StartedLate,
    StartedWithoutFork,
    JoinedItself,
    JoinedUnknown { child: Tid },
    JoinedBlocked { child: Tid },
    StepWhileWaiting { cond: CondId, lock: LockId },
    StepInsideBarrier { barrier: BarrierId },
    StepInRendezvous { chan: ChanId },
    BarrierForNobody { barrier: BarrierId },
    BarrierMadeTwice { barrier: BarrierId },
    BarrierMadeLate { barrier: BarrierId },
    LeftWithoutEntering { barrier: BarrierId },
    LeftTooEarly { barrier: BarrierId, arrived: u64, parties: u64 },
    ChannelNotMade { chan: ChanId },
    ChannelMadeTwice { chan: ChanId },
    ChannelFull { chan: ChanId, capacity: u32 },
    ChannelEmpty { chan: ChanId },
    SentOnClosed { chan: ChanId },
    ClosedTwice { chan: ChanId },
    ClosedUnderSender { chan: ChanId, blocked: Tid },
    ClosedUnderReceiver { chan: ChanId, blocked: Tid },
    NotClosed { chan: ChanId },
    NotDrained { chan: ChanId, left: u64 },
    NotAllocated { span: Span },
}

/// An event that cannot happen where it stands: who did it, and which rule it breaks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Violation {
    /// The thread of the event.
    pub tid: Tid,
    /// The rule.
    pub rule: Rule,
}

impl Violation {
    /// The rule's short name, as in the table.
    pub fn rule(&self) -> &'static str {
        self.rule.text().0
    }

    /// One sentence without a full stop: who did what, why it cannot be, and the rule in words.
    pub fn describe(&self, symbols: &Symbols) -> String {
        let (_, law) = self.rule.text();
        format!("{} (rule: {law})", self.sentence(symbols))
    }

    /// The sentence without the rule.
    pub(super) fn sentence(&self, symbols: &Symbols) -> String {
        let names = Names(symbols);
        let (who, rule) = (symbols.thread(self.tid), self.rule);
        let did = rule.of_locks_and_threads(&names).unwrap_or_else(|| rule.of_other_objects(&names));
        format!("{who} {did}")
    }
}

impl Rule {
    /// The name and the law.
    fn text(&self) -> (&'static str, &'static str) {
        use Rule::*;
        match self {
            LockHeld { .. } => ("lock-held", "a lock has one holder, or several that share it"),
            LockUpgraded { .. } => ("lock-upgraded", "a reader would wait for itself to become the writer"),
            LockDowngraded { .. } => ("lock-downgraded", "a writer is not a reader as well"),
            LockNotHeld { .. } => ("lock-not-held", "a thread gives back only what it holds"),
            WaitWithoutLock { .. } => {
                ("wait-without-lock", "a wait gives back a lock that is held exclusively")
            }
            WokenWithoutWait { .. } => {
                ("woken-without-wait", "a thread comes back only from the wait it is in")
            }
            ForkedTwice { .. } => ("forked-twice", "a thread is forked at most once"),
            ForkedItself => ("forked-itself", "a thread is forked by another one"),
            ForkedLate { .. } => ("forked-late", "a thread has no step before its fork"),
            StepAfterExit => ("step-after-exit", "exit is a thread's last step"),
            StepAfterJoin => ("step-after-join", "a joined thread has ended"),
            StartedLate => ("started-late", "start is a thread's first step"),
            StartedWithoutFork => ("started-without-fork", "only the first thread starts without a fork"),
            JoinedItself => ("joined-itself", "a thread is joined by another one"),
            JoinedUnknown { .. } => ("joined-unknown", "a joined thread was forked or had a step"),
            JoinedBlocked { .. } => ("joined-blocked", "a joined thread has ended"),
            StepWhileWaiting { .. } => {
                ("step-while-waiting", "a waiting thread does nothing until it is woken")
            }
            StepInsideBarrier { .. } => ("step-inside-barrier", "inside a barrier a thread does nothing"),
            StepInRendezvous { .. } => ("step-in-rendezvous", "half a rendezvous waits for its partner"),
            BarrierForNobody { .. } => ("barrier-for-nobody", "a barrier is for at least one thread"),
            BarrierMadeTwice { .. } => ("barrier-made-twice", "a barrier is made once"),
            BarrierMadeLate { .. } => ("barrier-made-late", "a barrier is made before it is used"),
            LeftWithoutEntering { .. } => {
                ("left-without-entering", "a thread leaves the barrier it is inside of")
            }
            LeftTooEarly { .. } => ("left-too-early", "a thread leaves when its round is complete"),
            ChannelNotMade { .. } => ("channel-not-made", "a channel is made before it is used"),
            ChannelMadeTwice { .. } => ("channel-made-twice", "a channel is made once"),
            ChannelFull { .. } => ("channel-full", "a buffer holds no more values than its capacity"),
            ChannelEmpty { .. } => ("channel-empty", "a value is sent before it is received"),
            SentOnClosed { .. } => ("sent-on-closed", "nothing is sent on a closed channel"),
            ClosedTwice { .. } => ("closed-twice", "a channel is closed at most once"),
            ClosedUnderSender { .. } => {
                ("closed-under-sender", "a sender cannot finish once its channel is closed")
            }
            ClosedUnderReceiver { .. } => {
                ("closed-under-receiver", "the receive got a value, so a send must come first")
            }
            NotClosed { .. } => ("not-closed", "the end of a channel is received after its close"),
            NotDrained { .. } => ("not-drained", "the end of a channel is received after its last value"),
            NotAllocated { .. } => ("not-allocated", "a free gives back exactly one live block"),
        }
    }

    /// What the thread did, for the rules that have a condition in the paper and those of condition variables.
    fn of_locks_and_threads(self, names: &Names) -> Option<String> {
        use Rule::*;
        let (lock, cond, thread) = (|l| names.lock(l), |c| names.cond(c), |t| names.thread(t));
        Some(match self {
            LockHeld { lock: l, holder } => format!("acquires {}, which {} holds", lock(l), thread(holder)),
            LockUpgraded { lock: l } => format!("acquires {} exclusively, which it holds shared", lock(l)),
            LockDowngraded { lock: l } => format!("acquires {} shared, which it holds exclusively", lock(l)),
            LockNotHeld { lock: l, hold: Hold::Exclusive } => {
                format!("releases {}, which it does not hold exclusively", lock(l))
            }
            LockNotHeld { lock: l, hold: Hold::Shared } => {
                format!("releases {}, which it does not hold shared", lock(l))
            }
            WaitWithoutLock { cond: c, lock: l } => {
                format!("waits on {} with {}, which it does not hold exclusively", cond(c), lock(l))
            }
            WokenWithoutWait { cond: c, lock: l } => {
                format!("is woken from {} with {}, but is not waiting there", cond(c), lock(l))
            }
            ForkedTwice { child } => format!("forks {}, which was forked before", thread(child)),
            ForkedItself => "forks itself".into(),
            ForkedLate { child } => format!("forks {}, which is running already", thread(child)),
            StepAfterExit => "does something after its exit".into(),
            StepAfterJoin => "does something after it was joined".into(),
            StartedLate => "starts, but has had a step before".into(),
            StartedWithoutFork => "starts, but nobody has forked it".into(),
            JoinedItself => "joins itself".into(),
            JoinedUnknown { child } => format!("joins {}, which nobody has forked or seen", thread(child)),
            JoinedBlocked { child } => format!("joins {}, which is blocked", thread(child)),
            StepWhileWaiting { cond: c, lock: l } => {
                format!("does something while it waits on {} with {}", cond(c), lock(l))
            }
            _ => return None,
        })
    }

    /// What the thread did, for barriers, channels and memory.
    fn of_other_objects(self, names: &Names) -> String {
        use Rule::*;
        let (bar, chan, thread) = (|b| names.barrier(b), |c| names.chan(c), |t| names.thread(t));
        match self {
            StepInsideBarrier { barrier } => format!("does something inside {}", bar(barrier)),
            BarrierForNobody { barrier } => format!("makes {} for no threads", bar(barrier)),
            BarrierMadeTwice { barrier } => format!("makes {}, which was made before", bar(barrier)),
            BarrierMadeLate { barrier } => format!("makes {}, which is in use already", bar(barrier)),
            LeftWithoutEntering { barrier } => format!("leaves {}, but is not inside", bar(barrier)),
            LeftTooEarly { barrier, arrived, parties } => {
                format!("leaves {} when {arrived} of {parties} threads have arrived", bar(barrier))
            }
            StepInRendezvous { chan: c } => format!("does something while it is blocked on {}", chan(c)),
            ChannelNotMade { chan: c } => format!("uses {}, which nobody has made", chan(c)),
            ChannelMadeTwice { chan: c } => format!("makes {}, which was made before", chan(c)),
            ChannelFull { chan: c, capacity } => {
                format!("sends on {}, whose buffer is full with {capacity}", chan(c))
            }
            ChannelEmpty { chan: c } => format!("receives from {}, which has no value", chan(c)),
            SentOnClosed { chan: c } => format!("sends on {}, which is closed", chan(c)),
            ClosedTwice { chan: c } => format!("closes {}, which is closed", chan(c)),
            ClosedUnderSender { chan: c, blocked } => {
                format!("closes {}, on which {} is blocked as a sender", chan(c), thread(blocked))
            }
            ClosedUnderReceiver { chan: c, blocked } => {
                format!("closes {}, on which {} is blocked as a receiver", chan(c), thread(blocked))
            }
            NotClosed { chan: c } => format!("receives the end of {}, which is open", chan(c)),
            NotDrained { chan: c, left } => {
                format!("receives the end of {}, which has {left} more to receive", chan(c))
            }
            NotAllocated { span } => format!("frees {}, which is not a live block", names.span(span)),
            _ => unreachable!("the rules of locks and threads are told apart before"),
        }
    }
}

/// Objects with their kind: `lock m`, or `lock 3` where the trace has no name.
pub(super) struct Names<'a>(pub(super) &'a Symbols);

impl Names<'_> {
    fn object(&self, kind: &str, space: Namespace, index: u32) -> String {
        match self.0.name(space, index) {
            Some(name) => format!("{kind} {name}"),
            None => format!("{kind} {index}"),
        }
    }

    pub(super) fn thread(&self, t: Tid) -> String {
        self.0.thread(t)
    }

    pub(super) fn lock(&self, l: LockId) -> String {
        self.object("lock", Namespace::Lock, l.0)
    }

    pub(super) fn cond(&self, c: CondId) -> String {
        self.object("condition", Namespace::Cond, c.0)
    }

    pub(super) fn barrier(&self, b: BarrierId) -> String {
        self.object("barrier", Namespace::Barrier, b.0)
    }

    pub(super) fn chan(&self, c: ChanId) -> String {
        self.object("channel", Namespace::Chan, c.0)
    }

    pub(super) fn span(&self, s: Span) -> String {
        self.0.span(s)
    }
}
