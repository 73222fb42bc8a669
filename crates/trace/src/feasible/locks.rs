//! Rules (1) and (2): who holds which lock, how, and how often.

use super::{Hold, Rule, slot};
use crate::{LockId, Tid};

/// A lock is free, held by one writer, or held by some readers; never by both.
#[derive(Clone, Default)]
struct Lock {
    writer: Option<Held>,
    readers: Vec<Held>,
}

/// A thread and how often it has taken the lock.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub(super) tid: Tid,
    pub(super) depth: u64,
}

#[derive(Clone, Default)]
pub(super) struct Locks(Vec<Lock>);

impl Locks {
    pub(super) fn check_acquire(&self, t: Tid, lock: LockId, hold: Hold) -> Result<(), Rule> {
        let Some(state) = self.0.get(lock.index()) else { return Ok(()) };
        let mine = state.readers.iter().any(|r| r.tid == t);
        match (state.writer, hold) {
            (Some(w), _) if w.tid != t => Err(Rule::LockHeld { lock, holder: w.tid }),
            (Some(_), Hold::Shared) => Err(Rule::LockDowngraded { lock }),
            (None, Hold::Exclusive) if mine => Err(Rule::LockUpgraded { lock }),
            (None, Hold::Exclusive) => match state.readers.first() {
                Some(r) => Err(Rule::LockHeld { lock, holder: r.tid }),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    pub(super) fn check_release(&self, t: Tid, lock: LockId, hold: Hold) -> Result<(), Rule> {
        match self.depth(t, lock, hold) {
            0 => Err(Rule::LockNotHeld { lock, hold }),
            _ => Ok(()),
        }
    }

    /// How often the thread holds the lock that way.
    pub(super) fn depth(&self, t: Tid, lock: LockId, hold: Hold) -> u64 {
        self.holders(lock).find(|&(h, how)| h.tid == t && how == hold).map_or(0, |(h, _)| h.depth)
    }

    /// Everybody who holds the lock, and how.
    pub(super) fn holders(&self, lock: LockId) -> impl Iterator<Item = (Held, Hold)> {
        self.0.get(lock.index()).into_iter().flat_map(|state| {
            let readers = state.readers.iter().map(|&r| (r, Hold::Shared));
            state.writer.map(|w| (w, Hold::Exclusive)).into_iter().chain(readers)
        })
    }

    /// `times` is more than one only for the return from a wait.
    pub(super) fn record_acquire(&mut self, t: Tid, lock: LockId, hold: Hold, times: u64) {
        let state = slot(&mut self.0, lock.index());
        let held = match hold {
            Hold::Exclusive => state.writer.get_or_insert(Held { tid: t, depth: 0 }),
            Hold::Shared => reader(&mut state.readers, t),
        };
        held.depth += times;
    }

    pub(super) fn record_release(&mut self, t: Tid, lock: LockId, hold: Hold) {
        let state = slot(&mut self.0, lock.index());
        match hold {
            Hold::Exclusive => {
                state.writer = state.writer.map(|w| Held { depth: w.depth - 1, ..w }).filter(|w| w.depth > 0);
            }
            Hold::Shared => {
                reader(&mut state.readers, t).depth -= 1;
                state.readers.retain(|r| r.depth > 0);
            }
        }
    }

    /// Takes the lock from its writer, who held it so often.
    pub(super) fn record_release_all(&mut self, lock: LockId) -> u64 {
        slot(&mut self.0, lock.index()).writer.take().map_or(0, |w| w.depth)
    }
}

fn reader(readers: &mut Vec<Held>, t: Tid) -> &mut Held {
    let i = readers.iter().position(|r| r.tid == t).unwrap_or_else(|| {
        readers.push(Held { tid: t, depth: 0 });
        readers.len() - 1
    });
    &mut readers[i]
}
