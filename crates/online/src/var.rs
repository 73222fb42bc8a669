//! A variable's state and its lock.
//!
//! | paper | here | v1 | v1.5 | v2 |
//! | --- | --- | --- | --- | --- |
//! | `sx` (the lock) | the top bit of `w` | | | |
//! | `sx.W` | `w` | under the lock | write-protected: written under the lock, read by anybody | as v1.5, or W and R replaced at once while nobody has the lock (`pair`) |
//! | `sx.R` | `r` | under the lock | write-protected | as W |
//! | `sx.V`, `sx.V[*]` | a set of reads that `r` names (`sets`) | under the lock | under the lock | own entry read by anybody, see `sets` |
//!
//! An embedder that keeps all others away from a variable may change it by plain stores ([`VarState::change`]): to them it is as if the pair was replaced at once, later.

use crate::sync::{AtomicU64, Ordering, await_change};
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

    /// W and R as they are, one after the other, possibly locked.
    #[inline]
    pub fn seen(&self) -> Pair {
        Pair { w: self.load_w(), r: self.load_r() }
    }

    /// Locks the variable and tells what it holds.
    #[inline]
    pub fn lock(&self) -> Pair {
        let mut attempt = 0;
        let mut w = Word(self.w.load(Ordering::Relaxed));
        loop {
            match self.try_lock(w) {
                Ok(()) => return Pair { w, r: self.r_of_locked() },
                #[cfg(not(loom))]
                Err(now) if now.is_folded() => {
                    crate::unfold(self, &mut attempt);
                    w = self.load_w();
                }
                Err(now) if now.is_locked() => {
                    w = Word(await_change(&self.w, now.0, &mut attempt, Ordering::Relaxed));
                }
                Err(now) => w = now,
            }
        }
    }

    /// Locks the variable and tells what it holds, if nobody has the lock.
    pub fn lock_at_once(&self) -> Option<Pair> {
        let mut w = Word(self.w.load(Ordering::Relaxed));
        while !w.is_locked() {
            match self.try_lock(w) {
                Ok(()) => return Some(Pair { w, r: self.r_of_locked() }),
                Err(now) => w = now,
            }
        }
        None
    }

    /// Locks the variable if W is that, unlocked; else tells what W is.
    #[inline]
    pub(crate) fn try_lock(&self, w: Word) -> Result<(), Word> {
        if w.is_locked() {
            return Err(w);
        }
        // Acquire: pairs with `unlock`.
        let locked = w.0 | Word::LOCK;
        match self.w.compare_exchange_weak(w.0, locked, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Ok(()),
            Err(now) => Err(Word(now)),
        }
    }

    /// Replaces W, whatever it says of locks, if it is `old`. Acquire: pairs with [`VarState::unlock`].
    pub fn replace_w(&self, old: Word, new: Word) -> bool {
        self.w.compare_exchange(old.0, new.0, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// What the variable holds, W and R one after the other, when it is not locked.
    pub(crate) fn look(&self) -> Pair {
        let mut attempt = 0;
        loop {
            let w = self.load_w();
            if !w.is_locked() {
                return Pair { w, r: self.load_r() };
            }
            await_change(&self.w, w.0, &mut attempt, Ordering::Relaxed);
        }
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

    /// Nothing is remembered any more, whoever may look: for a variable that is no longer what it was.
    #[inline]
    pub fn clear(&self) {
        self.r.store(0, Ordering::Relaxed);
        self.w.store(0, Ordering::Release);
    }

    /// Replaces one value by another by plain stores: for a caller who knows that nobody else changes the variable or has its lock.
    #[inline(always)]
    pub fn change(&self, old: Pair, new: Pair) {
        if new.r != old.r {
            self.set_r(new.r);
        }
        if new.w != old.w {
            self.unlock(new.w);
        }
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::word::{Clock, Slot};

    #[test]
    fn a_change_is_of_what_differs() {
        let word = |clock| Word::new(Slot(1), Clock(clock), 0xff);
        let values = [(1, 2), (1, 3), (4, 3), (5, 6)].map(|(w, r)| Pair { w: word(w), r: word(r) });
        let var = VarState::new();
        var.change(Pair::default(), values[0]);
        for (old, new) in values.into_iter().zip(values.into_iter().skip(1)) {
            assert_eq!(var.seen(), old);
            var.change(old, new);
        }
        assert_eq!(var.seen(), values[3]);
    }

    #[test]
    fn a_lock_is_had_by_one() {
        let var = VarState::new();
        let is = Pair { w: Word::new(Slot(1), Clock(2), 3), r: Word::new(Slot(4), Clock(5), 6) };
        assert_eq!(var.lock(), Pair::default());
        var.set_r(is.r);
        var.unlock(is.w);
        assert_eq!((var.look(), var.lock_at_once()), (is, Some(is)));
        assert_eq!(var.seen(), Pair { w: Word(is.w.0 | Word::LOCK), ..is });
        assert_eq!((var.lock_at_once(), var.try_lock(is.w)), (None, Err(var.load_w())));
        var.unlock(is.w);
        assert_eq!(var.lock_at_once(), Some(is));
        let (locked, other) = (var.load_w(), Word(Word::FOLDED | 1 << 9));
        assert!(other.is_folded() && !locked.is_folded() && !Word(Word::OTHER | Word::FOREIGN).is_folded());
        assert!(!var.replace_w(is.w, other) && var.load_w() == locked);
        assert!(var.replace_w(locked, other) && var.load_w() == other);
        var.clear();
        assert_eq!(var.seen(), Pair::default(), "whoever has the lock");
    }
}
