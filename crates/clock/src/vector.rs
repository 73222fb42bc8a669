//! Vector clocks: for each thread, the last of its instants that happens before now.

use crate::{Clock, Epoch, Knowledge, Tid};
use alloc::vec::Vec;
use core::fmt;

/// `V ∈ Tid → Clock`, zero wherever nothing is stored.
///
/// Only the entries from the first to the last thread known are stored: a thread with a high number that has met nobody
/// costs one entry, not one for each thread before it.
#[derive(Clone, Default)]
pub struct VectorClock {
    /// The thread of `clocks[0]`.
    first: u32,
    clocks: Vec<Clock>,
}

impl VectorClock {
    /// `⊥_V`.
    pub const fn bottom() -> VectorClock {
        VectorClock { first: 0, clocks: Vec::new() }
    }

    /// `V(t)`.
    #[inline]
    pub fn get(&self, t: Tid) -> Clock {
        // A thread before `first` wraps round to an index beyond the end.
        self.clocks.get(t.0.wrapping_sub(self.first) as usize).copied().unwrap_or(Clock::ZERO)
    }

    /// The epoch `t@V(t)`.
    #[inline]
    pub fn epoch(&self, t: Tid) -> Epoch {
        Epoch::new(t, self.get(t))
    }

    /// `t@c ≼ V`: did that instant happen before?
    #[inline]
    pub fn covers(&self, e: Epoch) -> bool {
        e.clock() <= self.get(e.tid())
    }

    /// `V[t := c]`.
    pub fn set(&mut self, t: Tid, c: Clock) {
        self.reserve(t.0, t.0 + 1);
        self.clocks[(t.0 - self.first) as usize] = c;
    }

    /// `inc_t(V)`.
    #[inline]
    pub fn increment(&mut self, t: Tid) {
        match self.clocks.get_mut(t.0.wrapping_sub(self.first) as usize) {
            Some(c) => *c = c.next(),
            None => self.set(t, Clock(1)),
        }
    }

    /// `self ⊑ other`.
    pub fn le(&self, other: &VectorClock) -> bool {
        self.first_beyond(other).is_none()
    }

    /// The first thread of which `self` knows more than `other` does: why `self ⋢ other`.
    pub fn first_beyond(&self, other: &VectorClock) -> Option<Tid> {
        self.entries().find(|&(t, c)| c > other.get(t)).map(|(t, _)| t)
    }

    /// The threads known, with the last instant known of each.
    pub fn entries(&self) -> impl Iterator<Item = (Tid, Clock)> + '_ {
        let first = self.first;
        self.clocks
            .iter()
            .enumerate()
            .filter(|(_, c)| **c != Clock::ZERO)
            .map(move |(i, c)| (Tid(first + i as u32), *c))
    }

    /// Forgets everything, and keeps the memory for what comes next.
    pub fn clear(&mut self) {
        self.clocks.clear();
    }

    /// Makes `self` equal to `other` in the memory it already has.
    pub fn copy_from(&mut self, other: &VectorClock) {
        self.first = other.first;
        self.clocks.clone_from(&other.clocks);
    }

    /// Stores at least the threads from `lo` up to, not including, `hi`.
    fn reserve(&mut self, lo: u32, hi: u32) {
        if self.clocks.is_empty() {
            self.first = lo;
        }
        if lo < self.first {
            let missing = (self.first - lo) as usize;
            self.clocks.splice(0..0, core::iter::repeat_n(Clock::ZERO, missing));
            self.first = lo;
        }
        let len = (hi - self.first) as usize;
        if len > self.clocks.len() {
            self.clocks.resize(len, Clock::ZERO);
        }
    }
}

impl Knowledge for VectorClock {
    fn of_thread(t: Tid) -> VectorClock {
        let mut v = VectorClock::bottom();
        v.increment(t);
        v
    }

    /// `V ⊔ V'`.
    fn join(&mut self, other: &VectorClock) {
        if other.clocks.is_empty() {
            return;
        }
        self.reserve(other.first, other.first + other.clocks.len() as u32);
        let at = (other.first - self.first) as usize;
        for (mine, theirs) in self.clocks[at..].iter_mut().zip(&other.clocks) {
            *mine = (*mine).max(*theirs);
        }
    }

    fn assign(&mut self, other: &VectorClock) {
        self.copy_from(other);
    }

    fn advance(&mut self, owner: Tid) {
        self.increment(owner);
    }
}

impl PartialEq for VectorClock {
    fn eq(&self, other: &VectorClock) -> bool {
        self.entries().eq(other.entries())
    }
}

impl Eq for VectorClock {}

impl FromIterator<(Tid, Clock)> for VectorClock {
    fn from_iter<I: IntoIterator<Item = (Tid, Clock)>>(entries: I) -> VectorClock {
        let mut v = VectorClock::bottom();
        for (t, c) in entries {
            v.set(t, c);
        }
        v
    }
}

impl fmt::Debug for VectorClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.entries().map(|(t, c)| (t.0, c.0))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vc(entries: &[(u32, u64)]) -> VectorClock {
        entries.iter().map(|&(t, c)| (Tid(t), Clock(c))).collect()
    }

    #[test]
    fn zeros_do_not_show() {
        assert_eq!(vc(&[(3, 0), (5, 2)]), vc(&[(5, 2)]));
        assert_eq!(vc(&[(0, 0)]), VectorClock::bottom());
    }

    #[test]
    fn order_and_join_are_pointwise() {
        let (a, b) = (vc(&[(1, 4), (7, 1)]), vc(&[(0, 2), (1, 3)]));
        assert_eq!(a.first_beyond(&b), Some(Tid(1)));
        assert_eq!(b.first_beyond(&a), Some(Tid(0)));
        let mut both = a.clone();
        both.join(&b);
        assert_eq!(both, vc(&[(0, 2), (1, 4), (7, 1)]));
        assert!(a.le(&both) && b.le(&both) && VectorClock::bottom().le(&a));
    }

    #[test]
    fn a_late_thread_costs_one_entry() {
        let v = VectorClock::of_thread(Tid(4_000_000));
        assert_eq!(v.clocks.len(), 1);
        assert_eq!(v.epoch(Tid(4_000_000)).clock(), Clock(1));
        assert_eq!(v.get(Tid(0)), Clock::ZERO);
    }
}
