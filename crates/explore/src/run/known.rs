//! What threads know of each other in a run, for race detection: happens-before of `docs/happens-before.md`, over clocks that are
//! forgotten together when the run ends.
//!
//! The rules are those of `deadheat-detect`'s synchronisation, which is the differential oracle of the tests; here nothing is allocated
//! once the buffers have grown.

use super::rows::{Row, Rows};
use deadheat_trace::{BarrierId, ChanId, Event, FenceOrder, LockId, Op, Tid, VolatileId};
use std::collections::VecDeque;

/// `C_t`.
#[derive(Clone, Copy, Default)]
struct Thread {
    knows: Row,
    /// What it knew at its last release fence.
    released: Row,
    /// What its relaxed loads have read.
    pending: Row,
    waited: u32,
}

/// `L_m`.
#[derive(Clone, Copy, Default)]
struct Lock {
    run: u32,
    exclusive: Row,
    shared: Row,
    depth: u32,
}

#[derive(Default)]
struct Channel {
    run: u32,
    capacity: u32,
    untouched: u32,
    forward: VecDeque<Row>,
    backward: VecDeque<Row>,
    closed: Row,
    /// Halves of a rendezvous that wait for theirs.
    blocked: VecDeque<(Tid, Op)>,
}

#[derive(Default)]
struct Barrier {
    run: u32,
    parties: Option<u32>,
    round: u64,
    gathering: Row,
    arrived: u32,
    complete: Vec<Row>,
    inside: Vec<(Tid, u64)>,
}

/// All that synchronisation remembers in a run.
#[derive(Default)]
pub(crate) struct Known {
    pub rows: Rows,
    run: u32,
    threads: Vec<Thread>,
    locks: Vec<Lock>,
    volatiles: Vec<(u32, Row)>,
    channels: Vec<Channel>,
    barriers: Vec<Barrier>,
}

fn slot<T: Default>(items: &mut Vec<T>, at: usize) -> &mut T {
    if items.len() <= at {
        items.resize_with(at + 1, T::default);
    }
    &mut items[at]
}

impl Known {
    pub(crate) fn begin(&mut self) {
        self.rows.clear();
        self.threads.clear();
        self.run = self.run.wrapping_add(1);
        if self.run == 0 {
            *self = Known { run: 1, ..Known::default() };
        }
    }

    /// What the thread knows, and now: its own clock.
    #[inline]
    pub(crate) fn of(&mut self, tid: Tid) -> Row {
        if let Some(thread) = self.threads.get(tid.index())
            && thread.knows != Row::BOTTOM
        {
            return thread.knows;
        }
        self.start(tid)
    }

    fn start(&mut self, tid: Tid) -> Row {
        self.rows.hold(tid);
        let knows = self.rows.make();
        self.rows.set(knows, tid.0, 1);
        slot(&mut self.threads, tid.index()).knows = knows;
        knows
    }

    /// The thread's time.
    #[inline]
    pub(crate) fn now(&mut self, tid: Tid) -> u32 {
        let row = self.of(tid);
        self.rows.get(row, tid.0)
    }

    #[inline]
    pub(crate) fn advance(&mut self, tid: Tid) {
        let row = self.threads[tid.index()].knows;
        let now = self.rows.get(row, tid.0);
        self.rows.set(row, tid.0, now + 1);
    }

    #[inline]
    pub(crate) fn learn(&mut self, tid: Tid, from: Row) {
        if from != Row::BOTTOM {
            self.rows.join(self.threads[tid.index()].knows, from);
        }
    }

    /// `into := C_t`, then a new instant.
    #[inline]
    fn publish(&mut self, tid: Tid, mut into: Row) -> Row {
        self.rows.own(&mut into);
        self.rows.copy(into, self.threads[tid.index()].knows);
        self.advance(tid);
        into
    }

    /// `into := into ⊔ C_t`, then a new instant.
    #[inline]
    fn publish_into(&mut self, tid: Tid, mut into: Row) -> Row {
        self.rows.own(&mut into);
        self.rows.join(into, self.threads[tid.index()].knows);
        self.advance(tid);
        into
    }

    #[inline]
    fn lock(&mut self, m: LockId) -> &mut Lock {
        let run = self.run;
        let lock = slot(&mut self.locks, m.index());
        if lock.run != run {
            *lock = Lock { run, ..Lock::default() };
        }
        lock
    }

    /// The effect of an operation that orders threads; accesses have none here.
    #[inline]
    pub(crate) fn apply(&mut self, event: &Event) {
        let t = event.tid;
        self.of(t);
        match event.op {
            Op::Acquire(m) => self.acquire(t, m),
            Op::Release(m) => self.release(t, m),
            Op::AcquireShared(m) => {
                let from = self.lock(m).exclusive;
                self.learn(t, from);
            }
            Op::ReleaseShared(m) => {
                let into = self.lock(m).shared;
                self.lock(m).shared = self.publish_into(t, into);
            }
            Op::Wait(_, m) => {
                self.threads[t.index()].waited = std::mem::replace(&mut self.lock(m).depth, 1);
                self.release(t, m);
            }
            Op::Woken(_, m) => {
                self.acquire(t, m);
                self.lock(m).depth = self.threads[t.index()].waited;
            }
            Op::Fork(child) => {
                let into = self.of(child);
                self.publish_into(t, into);
            }
            Op::Join(child) => {
                let from = self.of(child);
                self.learn(t, from);
            }
            Op::VolatileRead(v) => {
                let from = *self.volatile(v);
                self.learn(t, from);
            }
            Op::VolatileWrite(v) => {
                let into = *self.volatile(v);
                *self.volatile(v) = self.publish_into(t, into);
            }
            Op::Fence(order) => self.fence(t, order),
            Op::Send(_) | Op::Receive(_) | Op::ReceiveClosed(_) | Op::Close(_) | Op::ChanMake(..) => {
                self.channel_op(t, event.op);
            }
            Op::BarrierMake(..) | Op::BarrierEnter(_) | Op::BarrierLeave(_) => self.barrier_op(t, event.op),
            _ => {}
        }
    }

    fn acquire(&mut self, t: Tid, m: LockId) {
        let lock = self.lock(m);
        lock.depth += 1;
        let Lock { exclusive, shared, depth, .. } = *lock;
        if depth == 1 {
            self.learn(t, exclusive);
            self.learn(t, shared);
        }
    }

    fn release(&mut self, t: Tid, m: LockId) {
        let lock = self.lock(m);
        lock.depth = lock.depth.saturating_sub(1);
        let Lock { exclusive, depth, .. } = *lock;
        if depth == 0 {
            self.lock(m).exclusive = self.publish(t, exclusive);
        }
    }

    fn volatile(&mut self, v: VolatileId) -> &mut Row {
        let run = self.run;
        let volatile = slot(&mut self.volatiles, v.index());
        if volatile.0 != run {
            *volatile = (run, Row::BOTTOM);
        }
        &mut volatile.1
    }

    fn fence(&mut self, t: Tid, order: FenceOrder) {
        if order.acquires() {
            let pending = std::mem::take(&mut self.threads[t.index()].pending);
            self.learn(t, pending);
        }
        if order.releases() {
            let released = self.threads[t.index()].released;
            self.threads[t.index()].released = self.publish(t, released);
        }
    }

    /// What a relaxed store publishes.
    pub(crate) fn released_by_fence(&self, t: Tid) -> Row {
        self.threads[t.index()].released
    }

    /// Keeps what a relaxed load has read for the next acquire fence.
    pub(crate) fn keep_for_fence(&mut self, t: Tid, read: Row) {
        if read != Row::BOTTOM {
            let mut pending = self.threads[t.index()].pending;
            self.rows.own(&mut pending);
            self.rows.join(pending, read);
            self.threads[t.index()].pending = pending;
        }
    }

    fn channel(&mut self, c: ChanId) -> &mut Channel {
        let run = self.run;
        let channel = slot(&mut self.channels, c.index());
        if channel.run != run {
            channel.begin(run, 0);
        }
        channel
    }

    fn channel_op(&mut self, t: Tid, op: Op) {
        match op {
            Op::ChanMake(c, capacity) => {
                let run = self.run;
                self.channel(c).begin(run, capacity);
            }
            Op::Send(c) | Op::Receive(c) if self.channel(c).capacity == 0 => self.meet(t, c, op),
            Op::Send(c) => {
                let message = self.publish(t, Row::BOTTOM);
                let channel = self.channel(c);
                channel.forward.push_back(message);
                if channel.untouched > 0 {
                    channel.untouched -= 1;
                } else if let Some(slot) = channel.backward.pop_front() {
                    self.learn(t, slot);
                }
            }
            Op::Receive(c) => {
                if self.channel(c).capacity < u32::MAX {
                    let slot = self.publish(t, Row::BOTTOM);
                    self.channel(c).backward.push_back(slot);
                }
                if let Some(message) = self.channel(c).forward.pop_front() {
                    self.learn(t, message);
                }
            }
            Op::ReceiveClosed(c) => {
                let closed = self.channel(c).closed;
                self.learn(t, closed);
            }
            Op::Close(c) => {
                let closed = self.channel(c).closed;
                self.channel(c).closed = self.publish(t, closed);
            }
            _ => {}
        }
    }

    /// A rendezvous: the half that comes second completes both.
    fn meet(&mut self, t: Tid, c: ChanId, half: Op) {
        let channel = self.channel(c);
        let waiting = channel.blocked.front().copied();
        match waiting {
            Some((partner, other)) if other != half => {
                channel.blocked.pop_front();
                let (mine, theirs) = (self.of(t), self.of(partner));
                self.rows.join(mine, theirs);
                self.rows.copy(theirs, mine);
                self.advance(t);
                self.advance(partner);
            }
            _ => channel.blocked.push_back((t, half)),
        }
    }

    fn barrier(&mut self, b: BarrierId) -> &mut Barrier {
        let run = self.run;
        let barrier = slot(&mut self.barriers, b.index());
        if barrier.run != run {
            *barrier = Barrier { run, ..Barrier::default() };
        }
        barrier
    }

    fn barrier_op(&mut self, t: Tid, op: Op) {
        match op {
            Op::BarrierMake(b, parties) => {
                let run = self.run;
                *self.barrier(b) = Barrier { run, parties: Some(parties), ..Barrier::default() };
            }
            Op::BarrierEnter(b) => {
                let gathering = self.barrier(b).gathering;
                let gathering = self.publish_into(t, gathering);
                let barrier = self.barrier(b);
                barrier.gathering = gathering;
                barrier.arrived += 1;
                barrier.inside.push((t, barrier.round));
                if barrier.parties == Some(barrier.arrived) {
                    barrier.complete_round();
                }
            }
            Op::BarrierLeave(b) => {
                let barrier = self.barrier(b);
                let Some(at) = barrier.inside.iter().position(|&(u, _)| u == t) else { return };
                let (_, round) = barrier.inside.swap_remove(at);
                if round == barrier.round {
                    barrier.complete_round();
                }
                let from = barrier.complete[round as usize];
                self.learn(t, from);
            }
            _ => {}
        }
    }
}

impl Channel {
    fn begin(&mut self, run: u32, capacity: u32) {
        (self.run, self.capacity, self.untouched, self.closed) = (run, capacity, capacity, Row::BOTTOM);
        self.forward.clear();
        self.backward.clear();
        self.blocked.clear();
    }
}

impl Barrier {
    fn complete_round(&mut self) {
        self.complete.push(std::mem::take(&mut self.gathering));
        self.arrived = 0;
        self.round += 1;
    }
}
