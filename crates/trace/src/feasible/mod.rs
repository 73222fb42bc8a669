//! Which traces can happen: a streaming checker, and repairs for logs that miss events.
//!
//! The base are conditions (1)–(4) on feasible traces of *VerifiedFT* §2; the column *cond.* has the number, or `–` for
//! operations that the paper does not have. Each rule is one variant of [`Rule`].
//!
//! | rule | cond. | what it demands |
//! | --- | --- | --- |
//! | `lock-held` | 1 | a lock has one holder, or several that share it |
//! | `lock-upgraded` | 1 | a thread that holds a lock shared would wait for itself to take it exclusively |
//! | `lock-downgraded` | 1 | a thread that holds a lock exclusively does not take it shared as well |
//! | `lock-not-held` | 2 | a thread gives back only what it holds, and in the mode it holds it |
//! | `wait-without-lock` | 2 | a wait gives back the lock, which the thread must hold exclusively |
//! | `woken-without-wait` | – | a thread comes back only from the wait that it is in |
//! | `forked-twice` | 3 | a thread is forked at most once |
//! | `forked-itself` | 3 | a thread is forked by another one |
//! | `forked-late` | 4 | a thread has no step before its fork |
//! | `step-after-exit` | 4 | exit is a thread's last step |
//! | `step-after-join` | 4 | a joined thread has ended |
//! | `started-late` | 4 | start is a thread's first step |
//! | `started-without-fork` | 4 | a thread with a start was forked, unless the trace begins with it |
//! | `joined-itself` | 4 | a thread is joined by another one |
//! | `joined-unknown` | 4 | a joined thread was forked or had a step |
//! | `joined-blocked` | 4 | a joined thread has ended, so it is not blocked |
//! | `step-while-waiting` | – | a waiting thread does nothing until it is woken |
//! | `step-inside-barrier` | – | a thread inside a barrier does nothing until it leaves |
//! | `step-in-rendezvous` | – | half a rendezvous does nothing until its partner comes |
//! | `barrier-for-nobody` | – | a barrier is for at least one thread |
//! | `barrier-made-twice` | – | a barrier is made once |
//! | `barrier-made-late` | – | a barrier is made before it is used |
//! | `left-without-entering` | – | a thread leaves only the barrier it is inside of |
//! | `left-too-early` | – | a thread leaves when its round is complete |
//! | `channel-not-made` | – | a channel is made before it is used |
//! | `channel-made-twice` | – | a channel is made once |
//! | `channel-full` | – | a buffer holds no more values than its capacity |
//! | `channel-empty` | – | a value is sent before it is received |
//! | `sent-on-closed` | – | nothing is sent on a closed channel |
//! | `closed-twice` | – | a channel is closed at most once |
//! | `closed-under-sender` | – | a sender that is blocked when its channel is closed never sends |
//! | `closed-under-receiver` | – | the receive got a value, so a send must come first |
//! | `not-closed` | – | the end of a channel is received after its close |
//! | `not-drained` | – | the end of a channel is received after its last value |
//! | `not-allocated` | – | a free gives back exactly one live block |
//!
//! # Deviations
//! - Condition (5), a step between fork and join, is *not* demanded: real threads can be empty, and happens-before has a direct
//!   edge from fork to join for them.
//! - Condition (1) forbids every second acquire; here locks are re-entrant and may be shared.
//! - Threads that nobody forked and that have no `start` run from the beginning, as in the paper. Those *with* a `start` come from
//!   recorders that log forks too, so a missing fork is a mistake.
//! - A thread may end while it holds locks. Volatiles, atomics, fences, notifications and markers have no rule.
//!
//! # Cost
//! The state is bounded by the number of objects and live blocks, not of events. A plain access of a running thread costs a test of
//! the operation and one load of the thread's phase.

mod barriers;
mod blocks;
mod channels;
mod locks;
mod repair;
mod threads;
mod violation;

pub use repair::{Fix, Repair};
pub use violation::{Hold, Rule, Violation};

use crate::{ChanId, Event, LockId, Op, Tid};
use barriers::Barriers;
use blocks::Blocks;
use channels::{Channels, Half, Outcome};
use locks::Locks;
use threads::{Phase, Threads};

/// The checker: what the events so far have left behind.
#[derive(Clone, Default)]
pub struct Feasibility {
    threads: Threads,
    locks: Locks,
    barriers: Barriers,
    channels: Channels,
    blocks: Blocks,
}

impl Feasibility {
    /// A checker that has seen nothing.
    pub fn new() -> Feasibility {
        Feasibility::default()
    }

    /// Takes the next event if it can happen here; if not, says why and is as before.
    #[inline]
    pub fn check(&mut self, event: &Event) -> Result<(), Violation> {
        if has_no_rule(event.op) && self.threads.is_running(event.tid) {
            return Ok(());
        }
        self.check_slow(event)
    }

    /// Everything but a plain step of a running thread: first all questions, then all changes.
    #[inline(never)]
    fn check_slow(&mut self, event: &Event) -> Result<(), Violation> {
        match self.check_thread(event).and_then(|()| self.check_op(event)) {
            Ok(()) => {
                self.record(event);
                Ok(())
            }
            Err(rule) => Err(Violation { tid: event.tid, rule }),
        }
    }

    /// May this thread do this now, whatever the object says?
    fn check_thread(&self, event: &Event) -> Result<(), Rule> {
        match (self.threads.phase(event.tid), event.op) {
            (Phase::Waiting { cond, lock, .. }, Op::Woken(c, l)) if (c, l) == (cond, lock) => Ok(()),
            (Phase::Inside { barrier, .. }, Op::BarrierLeave(b)) if b == barrier => Ok(()),
            (Phase::Unseen | Phase::Running, _) => Ok(()),
            (Phase::Waiting { cond, lock, .. }, _) => Err(Rule::StepWhileWaiting { cond, lock }),
            (Phase::Inside { barrier, .. }, _) => Err(Rule::StepInsideBarrier { barrier }),
            (Phase::Meeting { chan, .. }, _) => Err(Rule::StepInRendezvous { chan }),
            (Phase::Exited, _) => Err(Rule::StepAfterExit),
            (Phase::Joined, _) => Err(Rule::StepAfterJoin),
        }
    }

    /// Does the object allow it?
    fn check_op(&self, event: &Event) -> Result<(), Rule> {
        let t = event.tid;
        match event.op {
            Op::Acquire(m) => self.locks.check_acquire(t, m, Hold::Exclusive),
            Op::AcquireShared(m) => self.locks.check_acquire(t, m, Hold::Shared),
            Op::Release(m) => self.locks.check_release(t, m, Hold::Exclusive),
            Op::ReleaseShared(m) => self.locks.check_release(t, m, Hold::Shared),
            Op::Wait(cond, lock) if self.locks.depth(t, lock, Hold::Exclusive) == 0 => {
                Err(Rule::WaitWithoutLock { cond, lock })
            }
            Op::Woken(cond, lock) => match self.threads.phase(t) {
                Phase::Waiting { .. } => self.locks.check_acquire(t, lock, Hold::Exclusive),
                _ => Err(Rule::WokenWithoutWait { cond, lock }),
            },
            Op::Fork(u) => self.threads.check_fork(t, u),
            Op::Join(u) => self.threads.check_join(t, u),
            Op::Start => self.threads.check_start(t),
            Op::BarrierMake(b, parties) => self.barriers.check_make(b, parties),
            Op::BarrierLeave(barrier) => match self.threads.phase(t) {
                Phase::Inside { round, .. } => self.barriers.check_leave(barrier, round),
                _ => Err(Rule::LeftWithoutEntering { barrier }),
            },
            Op::ChanMake(c, _) => self.channels.check_make(c),
            Op::Send(c) => self.channels.check_send(c),
            Op::Receive(c) => self.channels.check_receive(c),
            Op::ReceiveClosed(c) => self.channels.check_receive_closed(c),
            Op::Close(c) => self.channels.check_close(c),
            Op::Free(span) => self.blocks.check_free(span),
            _ => Ok(()),
        }
    }

    /// The event happens.
    fn record(&mut self, event: &Event) {
        let t = event.tid;
        self.threads.record_step(t);
        match event.op {
            Op::Acquire(m) => self.locks.record_acquire(t, m, Hold::Exclusive, 1),
            Op::AcquireShared(m) => self.locks.record_acquire(t, m, Hold::Shared, 1),
            Op::Release(m) => self.locks.record_release(t, m, Hold::Exclusive),
            Op::ReleaseShared(m) => self.locks.record_release(t, m, Hold::Shared),
            Op::Wait(cond, lock) => {
                let depth = self.locks.record_release_all(lock);
                self.threads.record(t, Phase::Waiting { cond, lock, depth });
            }
            Op::Woken(_, lock) => self.record_woken(t, lock),
            Op::Fork(u) => self.threads.record_fork(u),
            Op::Join(u) => self.threads.record(u, Phase::Joined),
            Op::Exit => self.threads.record(t, Phase::Exited),
            Op::BarrierMake(b, parties) => self.barriers.record_make(b, parties),
            Op::BarrierEnter(barrier) => {
                let round = self.barriers.record_enter(barrier);
                self.threads.record(t, Phase::Inside { barrier, round });
            }
            Op::BarrierLeave(_) => self.threads.record(t, Phase::Running),
            Op::ChanMake(c, capacity) => self.channels.record_make(c, capacity),
            Op::Send(c) => self.record_half(t, c, Half::Send),
            Op::Receive(c) => self.record_half(t, c, Half::Receive),
            Op::Close(c) => self.channels.record_close(c),
            Op::Alloc(span) => self.blocks.record_alloc(span),
            Op::Free(span) => self.blocks.record_free(span),
            _ => {}
        }
    }

    /// Back from a wait with the lock as deep as it was.
    fn record_woken(&mut self, t: Tid, lock: LockId) {
        if let Phase::Waiting { depth, .. } = self.threads.phase(t) {
            self.locks.record_acquire(t, lock, Hold::Exclusive, depth);
        }
        self.threads.record(t, Phase::Running);
    }

    /// One side of a channel; on a rendezvous it blocks or frees the partner that was there first.
    fn record_half(&mut self, t: Tid, chan: ChanId, half: Half) {
        match self.channels.record_half(t, chan, half) {
            Outcome::Done => {}
            Outcome::Blocks => self.threads.record(t, Phase::Meeting { chan }),
            Outcome::Frees(partner) => self.threads.record(partner, Phase::Running),
        }
    }
}

/// Operations that any running thread may do at any time.
#[inline]
fn has_no_rule(op: Op) -> bool {
    matches!(
        op,
        Op::Read(_)
            | Op::Write(_)
            | Op::VolatileRead(_)
            | Op::VolatileWrite(_)
            | Op::AtomicLoad(..)
            | Op::AtomicStore(..)
            | Op::AtomicRmw(..)
            | Op::Fence(_)
            | Op::Notify(..)
            | Op::Begin(_)
            | Op::End(_)
    )
}

/// The entry of a dense identifier, made if it is new.
#[inline]
fn slot<T: Default>(table: &mut Vec<T>, index: usize) -> &mut T {
    if index >= table.len() {
        grow(table, index);
    }
    &mut table[index]
}

#[cold]
fn grow<T: Default>(table: &mut Vec<T>, index: usize) {
    table.resize_with(index + 1, T::default);
}
