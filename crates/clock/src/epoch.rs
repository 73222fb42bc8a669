//! A thread's identity, its local time, and the two packed into one word.

use core::fmt;

/// A thread, numbered densely from 0 in the order of first appearance.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tid(pub u32);

impl Tid {
    /// One more than the largest thread number an [`Epoch`] can hold.
    pub const LIMIT: u32 = 1 << Epoch::TID_BITS;

    /// The thread's number as an index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A thread's local time: how often it has published what it knows, plus one. 0 is before its first step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Clock(pub u64);

impl Clock {
    /// The time of no step at all.
    pub const ZERO: Clock = Clock(0);
    /// The largest time an [`Epoch`] can hold.
    pub const MAX: Clock = Clock((1 << Epoch::CLOCK_BITS) - 1);

    /// The next instant.
    #[inline]
    pub fn next(self) -> Clock {
        debug_assert!(self < Clock::MAX, "a thread's clock has run out");
        Clock(self.0 + 1)
    }
}

/// `t@c`: thread `t` at its local time `c`, in one word so that it can be compared and stored at once.
///
/// ```text
///  63            42 41                                        0
/// ┌────────────────┬───────────────────────────────────────────┐
/// │  thread (22)   │                clock (42)                 │
/// └────────────────┴───────────────────────────────────────────┘
///  all zeros = ⊥ (no access yet)      all ones = SHARED
/// ```
///
/// 22 bits hold four million threads, more than a run can have alive. 42 bits hold 4.4 · 10¹² instants: a thread that
/// publishes twenty million times a second lasts 60 hours, and no recorded trace is that long. A real epoch has
/// a clock of at least 1, so it is never ⊥; SHARED is kept apart by [`Tid::LIMIT`] and [`Clock::MAX`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Epoch(u64);

impl Epoch {
    /// Width of the thread half; see the type's layout.
    pub const TID_BITS: u32 = 22;
    /// Width of the clock half; see the type's layout.
    pub const CLOCK_BITS: u32 = 64 - Self::TID_BITS;

    /// `⊥ₑ`, the epoch that happens before everything.
    pub const BOTTOM: Epoch = Epoch(0);
    /// Stands in a variable's `R` once its reads are kept in a vector clock.
    pub const SHARED: Epoch = Epoch(u64::MAX);

    /// `tid@clock`.
    #[inline]
    pub fn new(tid: Tid, clock: Clock) -> Epoch {
        debug_assert!(tid.0 < Tid::LIMIT && clock <= Clock::MAX);
        Epoch((tid.0 as u64) << Self::CLOCK_BITS | clock.0)
    }

    /// The thread of `t@c`.
    #[inline]
    pub fn tid(self) -> Tid {
        Tid((self.0 >> Self::CLOCK_BITS) as u32)
    }

    /// The time of `t@c`.
    #[inline]
    pub fn clock(self) -> Clock {
        Clock(self.0 & Clock::MAX.0)
    }

    /// Is this `⊥ₑ`?
    #[inline]
    pub fn is_bottom(self) -> bool {
        self == Self::BOTTOM
    }
}

impl Default for Epoch {
    fn default() -> Epoch {
        Epoch::BOTTOM
    }
}

impl fmt::Debug for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Epoch::BOTTOM => f.write_str("⊥"),
            Epoch::SHARED => f.write_str("SHARED"),
            e => write!(f, "{}@{}", e.tid().0, e.clock().0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_come_back() {
        for tid in [0, 1, 7, Tid::LIMIT - 1] {
            for clock in [1, 2, 1 << 40, Clock::MAX.0 - 1] {
                let e = Epoch::new(Tid(tid), Clock(clock));
                assert_eq!((e.tid(), e.clock()), (Tid(tid), Clock(clock)));
                assert!(!e.is_bottom() && e != Epoch::SHARED);
            }
        }
    }
}
