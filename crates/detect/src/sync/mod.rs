//! Synchronisation, written once over any [`Knowledge`]: who learns what from whom.
//!
//! `docs/happens-before.md` is the specification. Everything here is one of two moves: a thread *publishes* (an object
//! takes what the thread knows, and the thread's time advances, so that its later steps are not covered) or *learns* (the thread joins what an
//! object holds). The papers' `[Acquire]`, `[Release]`, `[Fork]`, `[Join]` (000 Figure 2, 001 Figure 2) and `R-Send`,
//! `R-Rec`, `R-Rend`, `R-Close`, `R-Rec-⊥`, `R-Go` (004 Figures 4 and 5) are the arms of [`SyncState::apply`].
//!
//! The trace must be feasible. On one that is not, the result means nothing, but nothing panics.

mod barrier;
mod channel;

use crate::rule::{Counters, Rule};
use barrier::Barrier;
use channel::Channel;
use deadheat_clock::{Knowledge, Tid};
use deadheat_trace::{Event, FenceOrder, LockId, Op};

/// What `[Join]` does to the thread that ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JoinRule {
    /// `C_u := inc_u(C_u)`: VectorClock (000 Figure 2) and FastTrack.
    Increment,
    /// Nothing: the multi-join variant (000 §3.4) and VerifiedFT. Two threads may then join `u` at once without a conflict.
    Keep,
}

/// `C_t` of 000, `S_t` of 001, `E_hb` of 004, with what fences keep aside.
#[derive(Clone)]
pub struct ThreadState<K> {
    /// What the thread knows now.
    pub knowledge: K,
    /// The name it goes by in clocks; [`UNHEARD`] before it is heard of. See [`SyncState::fork`].
    slot: Tid,
    /// It has exited, or somebody has joined it.
    ended: bool,
    /// What the thread knew at its last release fence: its relaxed stores publish that.
    fence_released: Option<Box<K>>,
    /// What its relaxed loads have read: its next acquire fence learns that.
    fence_pending: Option<Box<K>>,
    /// How often the lock was held that a wait gave back.
    waited_depth: u32,
}

/// The slot of a thread that has none yet.
const UNHEARD: Tid = Tid(u32::MAX);

impl<K: Default> Default for ThreadState<K> {
    fn default() -> ThreadState<K> {
        let (fence_released, fence_pending) = (None, None);
        let (slot, ended, waited_depth) = (UNHEARD, false, 0);
        ThreadState { knowledge: K::default(), slot, ended, fence_released, fence_pending, waited_depth }
    }
}

/// `L_m` of 000, `S_m` of 001. A mutex uses only `exclusive`.
#[derive(Clone, Default)]
pub struct LockState<K> {
    /// What the last exclusive holder knew when it let go.
    pub exclusive: K,
    /// What the shared holders since then knew when they let go.
    pub shared: K,
    /// How often the exclusive holder holds it.
    depth: u32,
}

/// All that synchronisation remembers: threads, locks, volatiles, barriers, channels.
#[derive(Clone)]
pub struct SyncState<K> {
    join_rule: JoinRule,
    threads: Vec<ThreadState<K>>,
    /// How many slots there are.
    slots: u32,
    /// Ended threads whose slots nobody has taken over.
    ended: Vec<Tid>,
    locks: Vec<LockState<K>>,
    volatiles: Vec<K>,
    barriers: Vec<Barrier<K>>,
    channels: Vec<Channel<K>>,
}

/// `items[i]`, with defaults put in up to there first.
fn slot_of<T: Default>(items: &mut Vec<T>, i: usize) -> &mut T {
    if i >= items.len() {
        items.resize_with(i + 1, T::default);
    }
    &mut items[i]
}

impl<K: Knowledge> SyncState<K> {
    /// The state before the first event.
    pub fn new(join_rule: JoinRule) -> SyncState<K> {
        let (threads, ended, locks, volatiles) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (barriers, channels) = (Vec::new(), Vec::new());
        SyncState { join_rule, threads, slots: 0, ended, locks, volatiles, barriers, channels }
    }

    /// The state of thread `t`, made if this is the first time it is heard of.
    #[inline]
    pub fn thread(&mut self, t: Tid) -> &mut ThreadState<K> {
        if self.threads.get(t.index()).is_none_or(|thread| thread.slot == UNHEARD) {
            self.start(t);
        }
        &mut self.threads[t.index()]
    }

    /// The states of all threads heard of.
    #[cfg(test)]
    pub fn threads(&self) -> &[ThreadState<K>] {
        &self.threads
    }

    /// The states of all locks heard of.
    #[cfg(test)]
    pub fn locks(&self) -> &[LockState<K>] {
        &self.locks
    }

    /// The thread is heard of for the first time, and gets a slot of its own.
    #[cold]
    fn start(&mut self, t: Tid) {
        let slot = Tid(self.slots);
        self.slots += 1;
        let thread = slot_of(&mut self.threads, t.index());
        thread.slot = slot;
        thread.knowledge = K::of_thread(slot);
    }

    /// Lets every piece of knowledge there is be changed, in-flight messages included.
    pub fn each_knowledge(&mut self, f: &mut dyn FnMut(&mut K)) {
        for t in &mut self.threads {
            f(&mut t.knowledge);
            [&mut t.fence_released, &mut t.fence_pending].into_iter().flatten().for_each(|k| f(k));
        }
        for l in &mut self.locks {
            f(&mut l.exclusive);
            f(&mut l.shared);
        }
        self.volatiles.iter_mut().for_each(&mut *f);
        self.barriers.iter_mut().for_each(|b| b.each_knowledge(f));
        self.channels.iter_mut().for_each(|c| c.each_knowledge(f));
    }

    /// The effect of an event that orders threads; memory accesses and markers have none here.
    pub fn apply(&mut self, event: &Event, rules: &mut Counters) {
        let t = event.tid;
        self.thread(t);
        let rule = match event.op {
            Op::Acquire(m) => self.acquire(t, m),
            Op::Release(m) => self.release(t, m),
            Op::AcquireShared(m) => self.acquire_shared(t, m),
            Op::ReleaseShared(m) => self.release_shared(t, m),
            Op::Wait(_, m) => self.wait(t, m),
            Op::Woken(_, m) => self.woken(t, m),
            Op::Fork(u) => self.fork(t, u),
            Op::Join(u) => self.join(t, u),
            Op::Exit => self.end(t),
            Op::VolatileRead(v) => {
                self.threads[t.index()].learn(slot_of(&mut self.volatiles, v.index()));
                Rule::VolatileRead
            }
            // A volatile is a lock that nobody holds: it keeps what all its writers knew.
            Op::VolatileWrite(v) => {
                self.threads[t.index()].publish_into(slot_of(&mut self.volatiles, v.index()));
                Rule::VolatileWrite
            }
            Op::Fence(order) => self.fence(t, order),
            Op::BarrierMake(b, parties) => return slot_of(&mut self.barriers, b.index()).make(parties),
            Op::BarrierEnter(b) => {
                slot_of(&mut self.barriers, b.index()).enter(t, &mut self.threads[t.index()])
            }
            Op::BarrierLeave(b) => {
                slot_of(&mut self.barriers, b.index()).leave(t, &mut self.threads[t.index()])
            }
            Op::ChanMake(c, capacity) => return slot_of(&mut self.channels, c.index()).make(capacity),
            Op::Send(c) => slot_of(&mut self.channels, c.index()).send(t, &mut self.threads),
            Op::Receive(c) => slot_of(&mut self.channels, c.index()).receive(t, &mut self.threads),
            Op::ReceiveClosed(c) => {
                slot_of(&mut self.channels, c.index()).receive_closed(&mut self.threads[t.index()])
            }
            Op::Close(c) => slot_of(&mut self.channels, c.index()).close(&mut self.threads[t.index()]),
            Op::Read(_) | Op::Write(_) | Op::AtomicLoad(..) | Op::AtomicStore(..) | Op::AtomicRmw(..) => {
                return;
            }
            Op::Alloc(_) | Op::Free(_) | Op::Start | Op::Notify(..) | Op::Begin(_) | Op::End(_) => return,
        };
        rules.hit(rule);
    }

    // [Acquire] C_t := C_t ⊔ L_m
    fn acquire(&mut self, t: Tid, m: LockId) -> Rule {
        let lock = slot_of(&mut self.locks, m.index());
        lock.depth += 1;
        if lock.depth > 1 {
            return Rule::Reenter;
        }
        let thread = &mut self.threads[t.index()];
        thread.learn(&lock.exclusive);
        thread.learn(&lock.shared);
        Rule::Acquire
    }

    // [Release] L_m := C_t, C_t := inc_t(C_t)
    fn release(&mut self, t: Tid, m: LockId) -> Rule {
        let lock = slot_of(&mut self.locks, m.index());
        lock.depth = lock.depth.saturating_sub(1);
        if lock.depth > 0 {
            return Rule::Reenter;
        }
        self.threads[t.index()].publish(&mut lock.exclusive);
        Rule::Release
    }

    // A reader learns from the last writer only …
    fn acquire_shared(&mut self, t: Tid, m: LockId) -> Rule {
        self.threads[t.index()].learn(&slot_of(&mut self.locks, m.index()).exclusive);
        Rule::AcquireShared
    }

    // … and the next writer learns from all readers.
    fn release_shared(&mut self, t: Tid, m: LockId) -> Rule {
        self.threads[t.index()].publish_into(&mut slot_of(&mut self.locks, m.index()).shared);
        Rule::ReleaseShared
    }

    fn wait(&mut self, t: Tid, m: LockId) -> Rule {
        let lock = slot_of(&mut self.locks, m.index());
        self.threads[t.index()].waited_depth = std::mem::replace(&mut lock.depth, 1);
        self.release(t, m);
        Rule::Wait
    }

    fn woken(&mut self, t: Tid, m: LockId) -> Rule {
        self.acquire(t, m);
        self.locks[m.index()].depth = self.threads[t.index()].waited_depth;
        Rule::Woken
    }

    // [Fork] C_u := C_u ⊔ C_t, C_t := inc_t(C_t); R-Go.
    //
    // A child that starts after all steps of an ended thread takes over its slot: every step of the one happens before every step of the
    // other, so one component of the clocks serves both, exactly. Clocks then grow with the threads alive, not with all there ever were.
    fn fork(&mut self, t: Tid, u: Tid) -> Rule {
        match self.take_slot(t) {
            Some(slot) if slot_of(&mut self.threads, u.index()).slot == UNHEARD => {
                self.threads[u.index()].slot = slot;
                self.hand_over(t, u);
                self.threads[u.index()].advance();
            }
            _ => {
                self.thread(u);
                self.hand_over(t, u);
            }
        }
        Rule::Fork
    }

    fn hand_over(&mut self, t: Tid, u: Tid) {
        if let Ok([parent, child]) = self.threads.get_disjoint_mut([t.index(), u.index()]) {
            parent.publish_into(&mut child.knowledge);
        }
    }

    /// The slot of a lately ended thread all of whose steps happen before `t`'s next.
    fn take_slot(&mut self, t: Tid) -> Option<Tid> {
        const LATELY: usize = 8;
        if self.join_rule == JoinRule::Increment {
            // Each further join would move the ended thread's clock into its successor's time.
            return None;
        }
        let recent = self.ended.len().saturating_sub(LATELY)..self.ended.len();
        let at = recent.rev().find(|&i| {
            let ended = &self.threads[self.ended[i].index()];
            self.threads[t.index()].knowledge.outlives(ended.slot, &ended.knowledge)
        })?;
        Some(self.threads[self.ended.swap_remove(at).index()].slot)
    }

    // The set X of 000 §3.4: who has exited. That nothing comes after is the feasibility check's to say.
    fn end(&mut self, t: Tid) -> Rule {
        if !std::mem::replace(&mut self.thread(t).ended, true) {
            self.ended.push(t);
        }
        Rule::Exit
    }

    // [Join] C_t := C_t ⊔ C_u, and C_u := inc_u(C_u) where the rule says so.
    fn join(&mut self, t: Tid, u: Tid) -> Rule {
        self.end(u);
        if let Ok([waiter, ended]) = self.threads.get_disjoint_mut([t.index(), u.index()]) {
            waiter.learn(&ended.knowledge);
            if self.join_rule == JoinRule::Increment {
                ended.advance();
            }
        }
        Rule::Join
    }

    fn fence(&mut self, t: Tid, order: FenceOrder) -> Rule {
        let thread = &mut self.threads[t.index()];
        if order.acquires()
            && let Some(pending) = thread.fence_pending.take()
        {
            thread.learn(&pending);
        }
        if order.releases() {
            let mut released = thread.fence_released.take().unwrap_or_default();
            thread.publish(&mut released);
            thread.fence_released = Some(released);
        }
        Rule::Fence
    }
}

impl<K: Knowledge> ThreadState<K> {
    /// The name the thread goes by in clocks.
    #[inline]
    pub fn slot(&self) -> Tid {
        self.slot
    }

    /// A new instant: later steps are not covered by what was published.
    #[inline]
    pub fn advance(&mut self) {
        self.knowledge.advance(self.slot());
    }

    /// `C_t := C_t ⊔ from`.
    #[inline]
    pub fn learn(&mut self, from: &K) {
        self.knowledge.join(from);
    }

    /// `into := C_t`, then the thread's time advances.
    #[inline]
    pub fn publish(&mut self, into: &mut K) {
        into.assign(&self.knowledge);
        self.advance();
    }

    /// `into := into ⊔ C_t`, then the thread's time advances.
    #[inline]
    pub fn publish_into(&mut self, into: &mut K) {
        into.join(&self.knowledge);
        self.advance();
    }

    /// What a relaxed store publishes: the knowledge of the last release fence, if there was one.
    pub fn released_by_fence(&self) -> Option<&K> {
        self.fence_released.as_deref()
    }

    /// Keeps what a relaxed load has read for the next acquire fence.
    pub fn keep_for_fence(&mut self, read: &K) {
        self.fence_pending.get_or_insert_default().join(read);
    }
}
