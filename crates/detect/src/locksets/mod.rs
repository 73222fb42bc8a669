//! Detectors that go by the locks held. They report *candidates*: pairs that may be ordered by other means.

pub mod eraser;
pub mod limited;

use deadheat_clock::Tid;
use deadheat_trace::{LockId, Op};
use std::sync::Arc;

/// How a lock is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hold {
    /// By a writer, or as a mutex.
    Exclusive,
    /// By a reader.
    Shared,
}

/// The locks a thread holds at some moment, in the order of their numbers. Cheap to clone: accesses keep the set of their moment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lockset(Arc<[(LockId, Hold)]>);

impl Lockset {
    /// Is there a lock in both sets that keeps the two apart? Two shared holders are not kept apart.
    pub fn protects(&self, other: &Lockset) -> bool {
        self.0.iter().any(|&(m, mine)| {
            other.0.iter().any(|&(n, theirs)| m == n && (mine, theirs) != (Hold::Shared, Hold::Shared))
        })
    }

    /// The locks, however they are held.
    pub fn locks(&self) -> Vec<LockId> {
        self.0.iter().map(|(m, _)| *m).collect()
    }

    /// The locks held exclusively.
    pub fn exclusive(&self) -> Vec<LockId> {
        self.0.iter().filter(|(_, hold)| *hold == Hold::Exclusive).map(|(m, _)| *m).collect()
    }
}

/// Who holds which locks.
#[derive(Clone, Default)]
pub struct Held {
    threads: Vec<HeldBy>,
}

#[derive(Clone, Default)]
struct HeldBy {
    /// Every hold, re-entrant ones as often as they were taken.
    holds: Vec<(LockId, Hold)>,
    /// The holds that a wait gave back.
    waiting: Vec<(LockId, Hold)>,
    current: Lockset,
}

impl Held {
    /// The locks that `t` holds now.
    pub fn by(&self, t: Tid) -> Lockset {
        self.threads.get(t.index()).map_or_else(Lockset::default, |h| h.current.clone())
    }

    /// The effect of an operation of `t` on the locks it holds.
    pub fn apply(&mut self, t: Tid, op: Op) {
        if !matches!(
            op,
            Op::Acquire(_)
                | Op::Release(_)
                | Op::AcquireShared(_)
                | Op::ReleaseShared(_)
                | Op::Wait(..)
                | Op::Woken(..)
        ) {
            return;
        }
        if t.index() >= self.threads.len() {
            self.threads.resize_with(t.index() + 1, HeldBy::default);
        }
        self.threads[t.index()].apply(op);
    }
}

impl HeldBy {
    fn apply(&mut self, op: Op) {
        match op {
            Op::Acquire(m) => self.holds.push((m, Hold::Exclusive)),
            Op::AcquireShared(m) => self.holds.push((m, Hold::Shared)),
            Op::Release(m) => self.drop_one((m, Hold::Exclusive)),
            Op::ReleaseShared(m) => self.drop_one((m, Hold::Shared)),
            Op::Wait(_, m) => self.waiting = self.holds.extract_if(.., |(n, _)| *n == m).collect(),
            Op::Woken(..) => self.holds.append(&mut self.waiting),
            _ => {}
        }
        let mut set = self.holds.clone();
        set.sort_by_key(|(m, _)| *m);
        set.dedup();
        self.current = Lockset(set.into());
    }

    fn drop_one(&mut self, hold: (LockId, Hold)) {
        if let Some(at) = self.holds.iter().rposition(|h| *h == hold) {
            self.holds.remove(at);
        }
    }
}
