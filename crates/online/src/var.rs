//! A variable's state and its lock.
//!
//! | paper | here | v1 | v1.5 | v2 |
//! | --- | --- | --- | --- | --- |
//! | `sx` (the lock) | the top bit of `w` | | | |
//! | `sx.W` | `w` | under the lock | write-protected: written under the lock, read by anybody | as v1.5 |
//! | `sx.R` | `r` | under the lock | write-protected | as v1.5, and once SHARED it stays so |
//! | `sx.V`, `sx.V[*]` | a set of reads that `r` names (`sets`) | under the lock | under the lock | own entry read by anybody, see `sets` |

use crate::sync::{AtomicU64, Ordering, wait};
use crate::word::Word;

/// What is remembered of a variable: its last write and its last read or reads. All zero: nothing.
#[repr(C, align(16))]
#[derive(Debug)]
pub struct VarState {
    w: AtomicU64,
    r: AtomicU64,
}

/// W and R of a variable, as one value.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Pair {
    /// The last write.
    pub w: Word,
    /// The last read, or a set of reads.
    pub r: Word,
}

impl VarState {
    /// Nothing is remembered.
    #[cfg(not(loom))]
    pub const fn new() -> VarState {
        VarState { w: AtomicU64::new(0), r: AtomicU64::new(0) }
    }

    /// Nothing is remembered.
    #[cfg(loom)]
    pub fn new() -> VarState {
        VarState { w: AtomicU64::new(0), r: AtomicU64::new(0) }
    }

    /// W as it is, possibly with its lock bit. Acquire: pairs with [`VarState::unlock`].
    #[inline]
    pub fn load_w(&self) -> Word {
        Word(self.w.load(Ordering::Acquire))
    }

    /// R as it is. Acquire: pairs with [`VarState::set_r`], so that the set it names is there.
    #[inline]
    pub fn load_r(&self) -> Word {
        Word(self.r.load(Ordering::Acquire))
    }

    /// Locks the variable and tells what it holds.
    #[inline]
    pub fn lock(&self) -> Pair {
        let mut attempt = 0;
        loop {
            let w = Word(self.w.load(Ordering::Relaxed));
            if w.0 & Word::LOCK == 0 && self.try_lock(w) {
                return Pair { w, r: self.r_of_locked() };
            }
            attempt += 1;
            pause(attempt);
        }
    }

    /// Locks the variable if W is that, unlocked.
    #[inline]
    pub(crate) fn try_lock(&self, w: Word) -> bool {
        // Acquire: pairs with `unlock`.
        self.w.compare_exchange_weak(w.0, w.0 | Word::LOCK, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// R for the lock's holder. Relaxed: R is written under the lock.
    #[inline]
    pub(crate) fn r_of_locked(&self) -> Word {
        Word(self.r.load(Ordering::Relaxed))
    }

    /// Sets R; the caller holds the lock.
    #[inline]
    pub fn set_r(&self, r: Word) {
        self.r.store(r.0, Ordering::Release);
    }

    /// Sets W and unlocks.
    #[inline]
    pub fn unlock(&self, w: Word) {
        self.w.store(w.0, Ordering::Release);
    }
}

impl Default for VarState {
    fn default() -> VarState {
        VarState::new()
    }
}

/// Spins for a moment, then lets others run: the holder of a variable's lock may have been descheduled.
#[cold]
pub(crate) fn pause(attempt: u32) {
    if attempt.is_multiple_of(64) {
        crate::give_way();
    } else {
        wait();
    }
}
