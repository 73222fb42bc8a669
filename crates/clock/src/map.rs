//! A map from threads to small values, dense between the first and the last thread that has one.

use crate::Tid;
use alloc::vec::Vec;

/// `Tid → T`, default wherever nothing is stored.
///
/// A thread with a high number that has met nobody costs one entry, not one for each thread before it.
#[derive(Clone, Default, Debug)]
pub struct TidMap<T> {
    /// The thread of `items[0]`.
    first: u32,
    items: Vec<T>,
}

impl<T: Copy + Default> TidMap<T> {
    /// The map that has nothing.
    pub const fn new() -> TidMap<T> {
        TidMap { first: 0, items: Vec::new() }
    }

    /// The value of `t`.
    #[inline]
    pub fn get(&self, t: Tid) -> T {
        // A thread before `first` wraps round to an index beyond the end.
        self.items.get(t.0.wrapping_sub(self.first) as usize).copied().unwrap_or_default()
    }

    /// The value of `t`, made if need be.
    #[inline]
    pub fn entry(&mut self, t: Tid) -> &mut T {
        let at = t.0.wrapping_sub(self.first) as usize;
        if at < self.items.len() {
            return &mut self.items[at];
        }
        self.cover(t.0, t.0 + 1);
        &mut self.items[(t.0 - self.first) as usize]
    }

    /// All stored entries, defaults between them included.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (Tid, T)> + '_ {
        (self.first..).map(Tid).zip(self.items.iter().copied())
    }

    /// Forgets everything, and keeps the memory for what comes next.
    pub fn clear(&mut self) {
        self.items.clear();
    }

    /// Makes `self` equal to `other` in the memory it already has.
    pub fn copy_from(&mut self, other: &TidMap<T>) {
        self.first = other.first;
        self.items.clone_from(&other.items);
    }

    /// `self[t] := f(self[t], other[t])` for every thread that `other` stores.
    #[inline]
    pub fn merge(&mut self, other: &TidMap<T>, f: impl Fn(T, T) -> T) {
        if other.items.is_empty() {
            return;
        }
        self.cover(other.first, other.first + other.items.len() as u32);
        let at = (other.first - self.first) as usize;
        for (mine, theirs) in self.items[at..].iter_mut().zip(&other.items) {
            *mine = f(*mine, *theirs);
        }
    }

    /// Stores at least the threads from `lo` up to, not including, `hi`.
    fn cover(&mut self, lo: u32, hi: u32) {
        if self.items.is_empty() {
            self.first = lo;
        }
        if lo < self.first {
            let missing = (self.first - lo) as usize;
            self.items.splice(0..0, core::iter::repeat_n(T::default(), missing));
            self.first = lo;
        }
        let len = (hi - self.first) as usize;
        if len > self.items.len() {
            self.items.resize(len, T::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_on_both_sides() {
        let mut map = TidMap::new();
        *map.entry(Tid(4_000_000)) = 1u8;
        assert_eq!(map.items.len(), 1);
        *map.entry(Tid(3_999_998)) = 2;
        *map.entry(Tid(4_000_001)) = 3;
        let stored: Vec<_> = map.iter().map(|(t, v)| (t.0, v)).collect();
        assert_eq!(stored, [(3_999_998, 2), (3_999_999, 0), (4_000_000, 1), (4_000_001, 3)]);
        assert_eq!((map.get(Tid(0)), map.get(Tid(u32::MAX))), (0, 0));
    }
}
