//! Vector clocks: for each thread, the last of its instants that happens before now.

use crate::{Clock, Epoch, Knowledge, Tid, TidMap};
use core::fmt;

/// `V ∈ Tid → Clock`, zero wherever nothing is stored.
#[derive(Clone, Default)]
pub struct VectorClock {
    clocks: TidMap<Clock>,
}

impl VectorClock {
    /// `⊥_V`.
    pub const fn bottom() -> VectorClock {
        VectorClock { clocks: TidMap::new() }
    }

    /// `V(t)`.
    #[inline]
    pub fn get(&self, t: Tid) -> Clock {
        self.clocks.get(t)
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
        *self.clocks.entry(t) = c;
    }

    /// `inc_t(V)`.
    #[inline]
    pub fn increment(&mut self, t: Tid) {
        let clock = self.clocks.entry(t);
        *clock = clock.next();
    }

    /// `self ⊑ other`.
    pub fn le(&self, other: &VectorClock) -> bool {
        self.clocks.iter().all(|(t, c)| c <= other.get(t))
    }

    /// The threads known, with the last instant known of each.
    pub fn entries(&self) -> impl Iterator<Item = (Tid, Clock)> + '_ {
        self.clocks.iter().filter(|(_, c)| *c != Clock::ZERO)
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
        self.clocks.merge(&other.clocks, Ord::max);
    }

    fn assign(&mut self, other: &VectorClock) {
        self.clocks.copy_from(&other.clocks);
    }

    fn outlives(&self, owner: Tid, last: &VectorClock) -> bool {
        self.get(owner) >= last.get(owner)
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
        assert!(!a.le(&b) && !b.le(&a));
        let mut both = a.clone();
        both.join(&b);
        assert_eq!(both, vc(&[(0, 2), (1, 4), (7, 1)]));
        assert!(a.le(&both) && b.le(&both) && VectorClock::bottom().le(&a));
    }

    #[test]
    fn a_new_thread_knows_only_itself() {
        let v = VectorClock::of_thread(Tid(9));
        assert_eq!(v, vc(&[(9, 1)]));
        assert!(v.covers(Epoch::BOTTOM) && v.covers(v.epoch(Tid(9))));
        assert!(!v.covers(Epoch::new(Tid(9), Clock(2))) && !v.covers(Epoch::new(Tid(8), Clock(1))));
    }
}
