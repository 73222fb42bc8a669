//! What a thread and a lock know, and the handlers of acquire, release, fork and join (Figure 3 of the paper, lines 102–118).
//!
//! | paper | here | who may touch it |
//! | --- | --- | --- |
//! | `st.t` | `slot` | read-only while the thread runs in it |
//! | `st.V[t]` | `now` | the thread itself |
//! | `st.V` | `known`, without the thread's own entry | the forker before the thread starts, then the thread, after its end whoever joined it |
//! | `E_t` | the interval `start ..= now` | as `now` |
//! | `sm.V` | `LockState` | whoever holds the lock m |
//!
//! *Deviations*, all without effect on what races: an epoch is an interval of clocks and not one clock, since a clock also says which place of the program an
//! access came from (`stamp`); a release begins a new epoch only if the old one has an access to tell apart; an acquire of what
//! the thread already knows (the releaser's clock suffices to tell) joins nothing, a release that adds to such knowledge replaces it, and one that
//! has nothing to add but its own clock copies nothing.

use crate::clocks::{Clocks, Most};
use crate::sets::Shares;
use crate::word::{Clock, Slot, Word};
use core::mem::offset_of;

/// Who makes the word that an access is remembered by: the same one if it is asked again in the same epoch for the same place.
pub trait Stamp {
    /// The word, of the thread's current epoch.
    fn stamp(&mut self, thread: &mut ThreadState) -> Word;
}

impl<F: FnMut(&mut ThreadState) -> Word> Stamp for F {
    #[inline]
    fn stamp(&mut self, thread: &mut ThreadState) -> Word {
        self(thread)
    }
}

/// Slots at hand for [`ThreadState::covers`].
pub const MEMO: usize = 16;

/// A thread's view: its own time and what it knows of the others'.
#[derive(Debug)]
pub struct ThreadState {
    slot: Slot,
    /// The first clock of the current epoch.
    start: Clock,
    /// The clock of the latest access that was stamped; below `start` if the epoch has none yet.
    now: Clock,
    /// What happened before, of the other slots.
    known: Clocks,
    /// `known` has grown since the last release, so the next one must be told from it by its clock.
    learned: bool,
    /// The first clock that was released with all of `known`, as long as that has not grown since.
    told: Clock,
    /// Accesses that nothing can ever happen after, although a later clock of their slot is known: see [`ThreadState::new`].
    orphaned: fn(Word) -> bool,
    /// For some slots, up to where they are known, at hand: what is known once stays known.
    memo: [core::cell::Cell<Word>; MEMO],
    /// Sets of reads made lately, to be used again.
    pub shares: Shares,
}

impl ThreadState {
    /// Where fields are, for [`ThreadState::covers_by_memo`] and [`ThreadState::stamp`] in assembly.
    pub const MEMO_AT: usize = offset_of!(ThreadState, memo);
    /// The first clock of the current epoch.
    pub const START_AT: usize = offset_of!(ThreadState, start);
    /// The latest clock.
    pub const NOW_AT: usize = offset_of!(ThreadState, now);

    /// A thread in a slot whose clocks up to `before` are used up. `orphaned` tells the accesses of earlier threads in a slot that ended
    /// without releasing them to anybody: no clock covers these. Asked about clock 0 of a slot it tells whether the slot has any.
    ///
    /// Who takes over a slot stands for all who had it before: its forker must know the slot up to the last clock that was released there.
    /// Otherwise [`ThreadState::covers`] and the shortcut of [`ThreadState::acquire`] go wrong.
    pub fn new(slot: Slot, before: Clock, orphaned: fn(Word) -> bool) -> ThreadState {
        ThreadState {
            slot,
            start: Clock(before.0 + 1),
            now: before,
            known: Clocks::new(),
            learned: false,
            told: Clock(before.0 + 1),
            orphaned,
            memo: [const { core::cell::Cell::new(Word::NONE) }; MEMO],
            shares: Shares::with_orphans(orphaned),
        }
    }

    /// The thread's slot.
    pub fn slot(&self) -> Slot {
        self.slot
    }

    /// The latest clock of this thread.
    pub fn now(&self) -> Clock {
        self.now
    }

    /// The latest clock as a word of whole accesses.
    pub fn latest(&self) -> Word {
        Word::new(self.slot, self.now, Word::WHOLE)
    }

    /// What the thread knows of the others.
    pub fn known(&self) -> &Clocks {
        &self.known
    }

    /// The beginning of the current epoch as a word that whole accesses are compared with.
    #[inline]
    pub fn epoch(&self) -> Word {
        Word::new(self.slot, self.start, Word::WHOLE)
    }

    /// A new clock in the current epoch, for accesses from a new place.
    #[inline]
    pub fn stamp(&mut self) -> Word {
        self.now = Clock(self.now.0.max(self.start.0 - 1) + 1);
        Word::new(self.slot, self.now, Word::WHOLE)
    }

    /// As [`ThreadState::stamp`], at that clock or later.
    pub fn stamp_from(&mut self, clock: Clock) -> Word {
        self.now = Clock(self.now.0.max(clock.0 - 1));
        self.stamp()
    }

    /// The access is by this thread in its current epoch.
    #[inline]
    pub fn is_current(&self, word: Word) -> bool {
        word.with_extent(Word::WHOLE).is_since(self.epoch())
    }

    /// The access happens before this thread's next step: `w ≤ S_t.V`.
    #[inline]
    pub fn covers(&self, word: Word) -> bool {
        self.covers_by_memo(word) || self.look_up(word)
    }

    /// As [`ThreadState::covers`], of what is at hand: if not, it still may.
    #[inline]
    pub fn covers_by_memo(&self, word: Word) -> bool {
        // The same slot, and not later.
        self.memo[word.slot().0 as usize % MEMO].get().is_since(word.epoch())
    }

    /// The access is of a thread that ended without releasing it to anybody: nothing ever happens after it.
    pub fn is_orphan(&self, word: Word) -> bool {
        (self.orphaned)(word)
    }

    #[inline(never)]
    fn look_up(&self, word: Word) -> bool {
        let slot = word.slot();
        // Its own accesses are all in its past.
        let known = if slot == self.slot { Clock(Clock::LIMIT - 1) } else { self.known.get(slot) };
        if word.clock() > known {
            return false;
        }
        if (self.orphaned)(word) {
            return false;
        }
        if !(self.orphaned)(Word::new(slot, Clock(0), 0)) {
            self.memo[slot.0 as usize % MEMO].set(Word::new(slot, known, 0));
        }
        true
    }

    /// The slot's clocks are nearly used up.
    pub fn is_exhausted(&self) -> bool {
        self.now.0 >= Clock::LIMIT - (1 << 20)
    }

    /// Goes on in another slot, whose earlier clocks it must know as in [`ThreadState::new`]; what was done in the old one happened before.
    pub fn move_to(&mut self, slot: Slot, before: Clock) {
        self.known.learn(self.slot, self.now);
        self.learned = true;
        self.memo.iter().for_each(|memo| memo.set(Word::NONE));
        (self.slot, self.start, self.now) = (slot, Clock(before.0 + 1), before);
    }

    /// `[Acquire]` t learns what the lock knows.
    #[inline]
    pub fn acquire(&mut self, lock: &LockState) {
        if !self.knows(lock) {
            self.learn_from(lock);
        }
    }

    /// The thread knows what the lock knows, as far as its releaser's clock tells; it does if the lock knows nothing.
    #[inline]
    pub fn knows(&self, lock: &LockState) -> bool {
        match lock.by {
            Some((slot, clock)) => slot == self.slot || self.known.get(slot) >= clock,
            None => lock.known.is_empty(),
        }
    }

    #[inline(never)]
    fn learn_from(&mut self, lock: &LockState) {
        self.learned |= self.known.join(&lock.known);
        if let Some((slot, clock)) = lock.by {
            self.learn(slot, clock);
        }
    }

    /// `[Release]` the lock knows what t knows, and t begins a new epoch.
    #[inline]
    pub fn release(&mut self, lock: &mut LockState) {
        self.settle();
        // As a rule nobody else has used the lock since t did, and t has learned nothing from anybody: clocks of releases tell.
        if !lock.by.is_some_and(|(slot, clock)| slot == self.slot && clock >= self.told) {
            lock.known.clone_from(&self.known);
        }
        lock.by = Some((self.slot, self.now));
        self.advance();
    }

    /// A release that adds to what is known instead of replacing it: readers of a lock, barriers, read-modify-writes.
    pub fn release_join(&mut self, lock: &mut LockState) {
        // Nothing is lost if it knows all that was released before.
        if self.knows(lock) {
            return self.release(lock);
        }
        self.settle();
        lock.forget_releaser();
        lock.known.join(&self.known);
        lock.known.learn(self.slot, self.now);
        self.advance();
    }

    /// `[Fork]` u begins with what t knows.
    pub fn fork(&mut self, child: &mut ThreadState) {
        self.settle();
        child.known.join(&self.known);
        child.learned = true;
        child.learn(self.slot, self.now);
        self.advance();
    }

    /// `[Join]` t learns what u knew at its end.
    pub fn join(&mut self, child: &ThreadState) {
        self.learned |= self.known.join(&child.known);
        self.learn(child.slot, child.now);
    }

    /// Learns that a slot's accesses up to that clock happened before. If the slot's thread released at that clock, what it knew then must have been learned too:
    /// [`ThreadState::acquire`] relies on it.
    pub fn learn(&mut self, slot: Slot, clock: Clock) {
        if slot != self.slot && self.known.get(slot) < clock {
            self.learned = true;
            self.known.learn(slot, clock);
        }
    }

    /// Uses up a clock if there is something new to release: who knows a releaser's clock must know all that it knew then.
    #[inline]
    fn settle(&mut self) {
        if self.learned {
            self.now = self.now.max(self.start);
            (self.learned, self.told) = (false, self.now);
        }
    }

    /// Begins a new epoch, if the current one has an access to be told apart from what comes.
    #[inline]
    fn advance(&mut self) {
        if self.now >= self.start {
            self.start = Clock(self.now.0 + 1);
        }
    }
}

/// What a lock, or anything else that passes knowledge on, knows.
#[derive(Clone, Default, Debug)]
pub struct LockState {
    known: Clocks,
    /// The last releaser and its clock, if `known` is exactly what that thread knew.
    by: Option<(Slot, Clock)>,
}

impl LockState {
    /// Knows nothing.
    pub const fn new() -> LockState {
        LockState { known: Clocks::new(), by: None }
    }

    /// Knows what the other knows too.
    pub fn join(&mut self, other: &LockState) {
        if self.is_empty() {
            return self.clone_from(other);
        }
        // As in `ThreadState::knows`.
        if let Some((slot, clock)) = other.by
            && self.covers(Word::new(slot, clock, 0))
        {
            return;
        }
        self.forget_releaser();
        self.known.join(&other.known);
        if let Some((slot, clock)) = other.by {
            self.known.learn(slot, clock);
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = LockState::new();
    }

    /// Knows nothing.
    pub fn is_empty(&self) -> bool {
        self.by.is_none() && self.known.is_empty()
    }

    /// The access is known.
    pub fn covers(&self, word: Word) -> bool {
        let by = self.by.is_some_and(|(slot, clock)| slot == word.slot() && word.clock() <= clock);
        by || self.known.covers(word)
    }

    /// Adds what it knows to the most that anybody knows.
    pub fn add_to(&self, most: &mut Most) {
        most.add(&self.known);
        if let Some((slot, clock)) = self.by {
            most.learn(slot, clock);
        }
    }

    fn forget_releaser(&mut self) {
        if let Some((slot, clock)) = self.by.take() {
            self.known.learn(slot, clock);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn at(slot: u32, clock: u64) -> Word {
        Word::new(Slot(slot), Clock(clock), Word::WHOLE)
    }

    #[test]
    fn stamps_are_of_the_epoch_and_never_go_back() {
        let mut thread = ThreadState::new(Slot(3), Clock(6), |_| false);
        assert_eq!((thread.latest(), thread.stamp()), (at(3, 6), at(3, 7)));
        assert_eq!((thread.stamp_from(Clock(100)), thread.latest()), (at(3, 100), at(3, 100)));
        assert_eq!(thread.stamp_from(Clock(50)), at(3, 101));
        assert!(thread.is_current(at(3, 7)) && !thread.is_current(at(3, 6)));
    }

    /// A later clock of the slot is known and at hand, an earlier access of it is still nobody's.
    #[test]
    fn an_orphan_is_never_covered() {
        // Slot 300 has an orphan at clock 3, and says so when asked about clock 0.
        let orphaned = |word: Word| word.slot() == Slot(300) && matches!(word.clock(), Clock(0 | 3));
        let mut thread = ThreadState::new(Slot(1), Clock(0), orphaned);
        thread.learn(Slot(300), Clock(5));
        thread.learn(Slot(301), Clock(5));
        for _ in 0..2 {
            assert!(thread.covers(at(300, 5)) && thread.covers(at(300, 2)) && !thread.covers(at(300, 6)));
            assert!(
                !thread.covers(at(300, 3)) && thread.is_orphan(at(300, 3)) && !thread.is_orphan(at(300, 2))
            );
            assert!(!thread.covers_by_memo(at(300, 2)), "{:?}", thread.memo);
            assert!(
                thread.covers(at(301, 3)) && thread.covers_by_memo(at(301, 5)) && !thread.covers(at(301, 6))
            );
        }
    }

    /// Also if something was learned meanwhile.
    #[test]
    fn a_release_covers_the_whole_epoch() {
        let mut thread = ThreadState::new(Slot(0), Clock(0), |_| false);
        thread.learn(Slot(1), Clock(1));
        let (first, last) = (thread.stamp(), thread.stamp());
        let mut lock = LockState::new();
        thread.release(&mut lock);
        assert!(lock.covers(first) && lock.covers(last) && lock.covers(at(1, 1)));
        assert!(!thread.is_current(last));
    }

    /// What is known already, by the releaser's clock, is not joined again, and what is not is.
    #[test]
    fn releases_add_up() {
        let mut threads = [0, 1, 2].map(|slot| ThreadState::new(Slot(slot), Clock(0), |_| false));
        let mut lock = LockState::new();
        let mut stamps = alloc::vec::Vec::new();
        for round in [0usize, 0, 1, 2, 1, 0] {
            stamps.push(threads[round].stamp());
            assert!(!threads[round].knows(&lock) || stamps.len() < 3);
            threads[round].release_join(&mut lock);
            assert!(stamps.iter().all(|stamp| lock.covers(*stamp)), "{lock:?}");
        }
        threads[0].acquire(&lock);
        assert!(threads[0].knows(&LockState::new()) && stamps.iter().all(|stamp| threads[0].covers(*stamp)));
        let mut fence = LockState::new();
        let mut one = LockState::new();
        threads[1].release(&mut one);
        fence.join(&one);
        fence.join(&lock);
        assert!(stamps.iter().all(|stamp| fence.covers(*stamp)), "{fence:?}");
        let last = threads[0].stamp();
        threads[0].release(&mut one);
        [&one, &one, &lock].into_iter().for_each(|known| fence.join(known));
        assert!(fence.covers(last) && !lock.covers(last));
    }

    /// A release copies nothing if the lock has it all from the same thread, and only then.
    #[test]
    fn what_was_learned_since_the_last_release_is_released() {
        let mut threads = [0, 1].map(|slot| ThreadState::new(Slot(slot), Clock(0), |_| false));
        let [own, other] = &mut threads;
        let (mut lock, mut from_other) = (LockState::new(), LockState::new());
        for round in 0..4 {
            let stamps = [own.stamp(), other.stamp()];
            other.release(&mut from_other);
            if round % 2 == 1 {
                own.release(&mut lock);
            }
            own.acquire(&from_other);
            assert!(!lock.covers(stamps[1]));
            own.release(&mut lock);
            assert!(stamps.iter().all(|stamp| lock.covers(*stamp)), "{round}");
        }
        // Nor is it the same if another thread was in the slot when it was released.
        let mut next = ThreadState::new(Slot(0), threads[0].now(), |_| false);
        next.release(&mut lock);
        assert!(!lock.covers(at(1, 1)));
    }

    #[test]
    fn what_a_lock_knows_counts_among_the_most() {
        let (mut a, mut b) =
            (ThreadState::new(Slot(0), Clock(0), |_| false), ThreadState::new(Slot(1), Clock(0), |_| false));
        let mut lock = LockState::new();
        a.stamp();
        a.release(&mut lock);
        b.acquire(&lock);
        b.stamp();
        b.release(&mut lock);
        let mut most = Most::new();
        lock.add_to(&mut most);
        assert!(LockState::new().is_empty() && !lock.is_empty());
        assert_eq!((most.get(Slot(0)), most.get(Slot(1)), most.get(Slot(2))), (Clock(1), Clock(1), Clock(0)));
    }

    #[test]
    fn a_thread_moves_before_its_clocks_are_used_up() {
        let exhausted = |now: u64| ThreadState::new(Slot(0), Clock(now), |_| false).is_exhausted();
        assert!(!exhausted(0) && !exhausted(Clock::LIMIT / 2));
        assert!(exhausted(Clock::LIMIT - 1000) && exhausted(Clock::LIMIT - (1 << 20)));
    }
}
