//! The direct edges between synchronisation operations, without those that the others and program order imply.
//!
//! What is left out, and why nothing is lost:
//! - Locks: an acquire is joined to the last exclusive release only, or to the shared ones after it. Every earlier release is ordered
//!   before the acquire that belongs to that one.
//! - Volatiles: of each thread's writes only the last, and only if the reader has not read since.
//! - Fork and join: the child's first and last step; program order does the rest.
//! - Edges from an event to a later one of the same thread.

use super::atomics::Atomics;
use super::{Edge, EdgeKind};
use crate::{BarrierId, ChanId, Event, LockId, Op, Tid, VolatileId};
use std::collections::{BTreeMap, HashMap};

/// The direct synchronisation edges of a feasible trace, by the event they arrive at.
pub fn edges(events: &[Event]) -> Vec<Edge> {
    let mut trace = Reading { events, ..Reading::default() };
    for (i, event) in events.iter().enumerate() {
        trace.read(i, event);
    }
    trace.channel_edges();
    trace.out.sort_unstable_by_key(|e| (e.to, e.from, e.why));
    trace.out
}

/// One pass over the trace: for each object its past, as event indices.
#[derive(Default)]
struct Reading<'a> {
    events: &'a [Event],
    out: Vec<Edge>,
    threads: HashMap<Tid, Thread>,
    locks: HashMap<LockId, Lock>,
    volatiles: HashMap<VolatileId, Volatile>,
    barriers: HashMap<BarrierId, Barrier>,
    channels: BTreeMap<ChanId, Channel>,
    atomics: Atomics,
}

#[derive(Default)]
struct Thread {
    fork: Option<usize>,
    last: Option<usize>,
}

#[derive(Default)]
struct Lock {
    /// How often each thread holds it exclusively and shared.
    exclusive: HashMap<Tid, u64>,
    shared: HashMap<Tid, u64>,
    /// What a thread that waits has to get back.
    parked: HashMap<Tid, u64>,
    last_release: Option<usize>,
    /// Shared releases since the last exclusive acquire.
    shared_releases: Vec<usize>,
}

#[derive(Default)]
struct Volatile {
    last_write: BTreeMap<Tid, usize>,
    last_read: HashMap<Tid, usize>,
}

#[derive(Default)]
struct Barrier {
    parties: Option<usize>,
    rounds: Vec<Round>,
    /// The round that each thread has entered last.
    inside: HashMap<Tid, usize>,
}

#[derive(Default)]
struct Round {
    enters: Vec<usize>,
    left: bool,
}

#[derive(Default)]
struct Channel {
    capacity: usize,
    sends: Vec<usize>,
    receives: Vec<usize>,
    close: Option<usize>,
}

impl Reading<'_> {
    fn read(&mut self, i: usize, event: &Event) {
        let t = event.tid;
        self.thread_step(i, event);
        match event.op {
            Op::Acquire(m) => self.acquire(i, t, m),
            Op::Release(m) => self.release(i, t, m),
            Op::AcquireShared(m) => self.acquire_shared(i, t, m),
            Op::ReleaseShared(m) => self.release_shared(i, t, m),
            Op::Wait(_, m) => {
                let lock = self.locks.entry(m).or_default();
                let depth = lock.exclusive.remove(&t).unwrap_or(0);
                lock.parked.insert(t, depth);
                lock.last_release = Some(i);
            }
            Op::Woken(_, m) => {
                self.acquire(i, t, m);
                let lock = self.locks.entry(m).or_default();
                let depth = lock.parked.remove(&t).unwrap_or(1);
                lock.exclusive.insert(t, depth);
            }
            Op::VolatileRead(v) => self.volatile_read(i, t, v),
            Op::VolatileWrite(v) => {
                self.volatiles.entry(v).or_default().last_write.insert(t, i);
            }
            Op::BarrierMake(b, n) => self.barriers.entry(b).or_default().parties = Some(n as usize),
            Op::BarrierEnter(b) => self.barriers.entry(b).or_default().enter(i, t),
            Op::BarrierLeave(b) => self.leave(i, t, b),
            Op::ChanMake(c, k) => self.channels.entry(c).or_default().capacity = k as usize,
            Op::Send(c) => self.channels.entry(c).or_default().sends.push(i),
            Op::Receive(c) => self.channels.entry(c).or_default().receives.push(i),
            Op::Close(c) => self.channels.entry(c).or_default().close = Some(i),
            Op::ReceiveClosed(c) => {
                let close = self.channels.entry(c).or_default().close;
                self.edges(close, i, EdgeKind::Close);
            }
            _ => {
                let heads = self.atomics.read(i, event);
                self.edges(heads, i, EdgeKind::Atomic);
            }
        }
    }

    fn edges(&mut self, from: impl IntoIterator<Item = usize>, to: usize, why: EdgeKind) {
        let events = self.events;
        let others = from.into_iter().filter(|&from| events[from].tid != events[to].tid);
        self.out.extend(others.map(|from| Edge { from, to, why }));
    }

    fn thread_step(&mut self, i: usize, event: &Event) {
        let me = self.threads.entry(event.tid).or_default();
        let fork = if me.last.is_none() { me.fork } else { None };
        me.last = Some(i);
        self.edges(fork, i, EdgeKind::Fork);
        match event.op {
            Op::Fork(u) => self.threads.entry(u).or_default().fork = Some(i),
            Op::Join(u) => {
                let child = self.threads.entry(u).or_default();
                let end = child.last.or(child.fork);
                self.edges(end, i, EdgeKind::Join);
            }
            _ => {}
        }
    }

    fn acquire(&mut self, i: usize, t: Tid, m: LockId) {
        let lock = self.locks.entry(m).or_default();
        let depth = lock.exclusive.entry(t).or_default();
        *depth += 1;
        if *depth > 1 {
            return;
        }
        let mut before = std::mem::take(&mut lock.shared_releases);
        if before.is_empty() {
            before.extend(lock.last_release);
        }
        self.edges(before, i, EdgeKind::Lock);
    }

    fn release(&mut self, i: usize, t: Tid, m: LockId) {
        let lock = self.locks.entry(m).or_default();
        if let Some(depth) = lock.exclusive.get_mut(&t) {
            *depth -= 1;
            if *depth == 0 {
                lock.exclusive.remove(&t);
                lock.last_release = Some(i);
            }
        }
    }

    fn acquire_shared(&mut self, i: usize, t: Tid, m: LockId) {
        let lock = self.locks.entry(m).or_default();
        let depth = lock.shared.entry(t).or_default();
        *depth += 1;
        let before = lock.last_release.filter(|_| *depth == 1);
        self.edges(before, i, EdgeKind::Lock);
    }

    fn release_shared(&mut self, i: usize, t: Tid, m: LockId) {
        let lock = self.locks.entry(m).or_default();
        if let Some(depth) = lock.shared.get_mut(&t) {
            *depth -= 1;
            if *depth == 0 {
                lock.shared.remove(&t);
                lock.shared_releases.push(i);
            }
        }
    }

    fn volatile_read(&mut self, i: usize, t: Tid, v: VolatileId) {
        let volatile = self.volatiles.entry(v).or_default();
        let read = volatile.last_read.insert(t, i);
        let writes = volatile.last_write.values().copied();
        let new: Vec<usize> = writes.filter(|&w| read.is_none_or(|r| w > r)).collect();
        self.edges(new, i, EdgeKind::Volatile);
    }

    fn leave(&mut self, i: usize, t: Tid, b: BarrierId) {
        let barrier = self.barriers.entry(b).or_default();
        let Some(round) = barrier.inside.remove(&t) else { return };
        barrier.rounds[round].left = true;
        let enters = barrier.rounds[round].enters.clone();
        self.edges(enters, i, EdgeKind::Barrier);
    }

    /// Rules (1) and (2), by number.
    fn channel_edges(&mut self) {
        for channel in std::mem::take(&mut self.channels).into_values() {
            let Channel { capacity, sends, receives, .. } = channel;
            for (&send, &receive) in sends.iter().zip(&receives) {
                self.edges([send], receive, EdgeKind::Send);
            }
            for (&receive, &send) in receives.iter().zip(sends.iter().skip(capacity)) {
                self.edges([receive], send, EdgeKind::Slot);
            }
        }
    }
}

impl Barrier {
    fn enter(&mut self, i: usize, t: Tid) {
        let full = self.rounds.last().is_none_or(|round| match self.parties {
            Some(n) => round.enters.len() >= n,
            None => round.left,
        });
        if full {
            self.rounds.push(Round::default());
        }
        let round = self.rounds.len() - 1;
        self.rounds[round].enters.push(i);
        self.inside.insert(t, round);
    }
}
