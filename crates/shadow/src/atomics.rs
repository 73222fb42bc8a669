//! The atomic accesses to a granule. Atomics never race with each other, so unordered ones pile up: one a thread and extent is kept, until a plain
//! write, or an atomic one that is ordered after it, stands for it.

use crate::access::{Access, Conflict, Mode, Stamps};
use alloc::vec::Vec;
use deadheat_online::{Slot, ThreadState, Word};

#[derive(Clone, Copy, Debug)]
struct Atomic {
    /// Who, when, and which bytes.
    word: Word,
    key: Key,
}

/// The slot, the extent, and whether it writes: what the accesses are in order of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key(u32);

impl Key {
    fn new(slot: Slot, extent: u8, writes: bool) -> Key {
        Key(slot.0 << 9 | (extent as u32) << 1 | writes as u32)
    }

    fn writes(self) -> bool {
        self.0 & 1 != 0
    }
}

impl Atomic {
    fn new(word: Word, writes: bool) -> Atomic {
        Atomic { word, key: Key::new(word.slot(), word.extent(), writes) }
    }
}

/// In order of their keys.
#[derive(Default, Debug)]
pub(crate) struct Atomics(Vec<Atomic>);

impl Atomics {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// An atomic access that this plain one conflicts with and does not know.
    pub fn check(&self, thread: &ThreadState, access: Access) -> Option<Conflict> {
        let conflicts = |a: &&Atomic| {
            (a.key.writes() || access.mode.writes())
                && a.word.extent() & access.extent != 0
                && !thread.covers(a.word)
        };
        let prior = self.0.iter().find(conflicts)?;
        let mode = if prior.key.writes() { Mode::AtomicWrite } else { Mode::AtomicRead };
        Some(Conflict::new(prior.word, mode, access.extent))
    }

    /// Remembers an atomic access.
    #[inline(always)]
    pub fn record(&mut self, thread: &mut ThreadState, access: Access, stamps: &mut impl Stamps) {
        let key = Key::new(thread.slot(), access.extent, access.mode.writes());
        let start = self.first(key);
        // Nearly always its last one is there, and it is its own.
        match self.0.get_mut(start).filter(|a| a.key == key) {
            Some(own) if thread.is_current(own.word) => {}
            Some(own) if thread.covers_by_memo(own.word) => {
                own.word = stamps.here(thread).with_extent(access.extent);
            }
            _ => self.record_anew(thread, access, key, start, stamps),
        }
    }

    /// Where the accesses of that key begin, or would.
    #[inline(always)]
    fn first(&self, key: Key) -> usize {
        const FEW: usize = 8;
        if self.0.len() <= FEW {
            self.0.iter().position(|a| a.key >= key).unwrap_or(self.0.len())
        } else {
            self.0.partition_point(|a| a.key < key)
        }
    }

    /// Remembers an atomic access of that key, whose place is from `start` on.
    #[inline(never)]
    fn record_anew(
        &mut self,
        thread: &mut ThreadState,
        access: Access,
        key: Key,
        start: usize,
        stamps: &mut impl Stamps,
    ) {
        let Access { mode, extent } = access;
        // Several only where an earlier thread of the slot left one that nothing happens after.
        let range = start..start + self.0[start..].iter().take_while(|a| a.key == key).count();
        if self.0[range.clone()].iter().any(|a| thread.is_current(a.word)) {
            return;
        }
        let new = Atomic::new(stamps.here(thread).with_extent(extent), mode.writes());
        let own = range.clone().find(|i| thread.covers(self.0[*i].word));
        match own {
            Some(i) => self.0[i] = new,
            // Looked through only when it would grow, so that it costs a constant share of what was added.
            None if self.0.len() == self.0.capacity() => {
                self.0.retain(|old| !stands_for(thread, new, *old));
                self.merge_orphans(thread);
                let place = self.0.partition_point(|a| a.key <= key);
                self.0.insert(place, new);
            }
            None => self.0.insert(range.end, new),
        }
    }

    /// Nothing happens after any of the orphans, so whatever conflicts with one races with it: one stands for all others of no more bytes and no other kind.
    fn merge_orphans(&mut self, thread: &ThreadState) {
        let mut kept: Vec<(u8, bool)> = Vec::new();
        self.0.retain(|a| {
            let (bytes, writes) = (a.word.extent(), a.key.writes());
            let is_new = !kept.iter().any(|(all, w)| bytes & !all == 0 && (*w || !writes));
            let is_orphan = thread.is_orphan(a.word);
            if is_orphan && is_new {
                kept.push((bytes, writes));
            }
            !is_orphan || is_new
        });
    }

    /// The accesses to those bytes are forgotten, or a plain write stands for them.
    pub fn forget(&mut self, extent: u8) {
        if !self.0.iter().any(|a| a.word.extent() & extent != 0) {
            return;
        }
        self.0.retain_mut(|a| {
            *a = Atomic::new(a.word.with_extent(a.word.extent() & !extent), a.key.writes());
            a.word.extent() != 0
        });
        self.0.sort_unstable_by_key(|a| a.key);
    }
}

/// Whatever races with the old access races with the new one too: it is ordered before it, and conflicts with no more.
fn stands_for(thread: &ThreadState, new: Atomic, old: Atomic) -> bool {
    let within = old.word.extent() & !new.word.extent() == 0;
    within && (new.key.writes() || !old.key.writes()) && thread.covers(old.word)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use deadheat_online::{Clock, LockState};
    use proptest::prelude::*;

    /// Threads of these slots have ended, and released nothing to anybody.
    const ORPHANS: core::ops::Range<u32> = 3..9;

    fn is_orphan(word: Word) -> bool {
        ORPHANS.contains(&word.slot().0)
    }

    struct Anywhere;

    impl Stamps for Anywhere {
        fn here(&mut self, thread: &mut ThreadState) -> Word {
            thread.stamp()
        }

        fn merged(&mut self, _: &mut ThreadState, _: Word, new: Word) -> Word {
            new
        }
    }

    /// All atomic accesses that there were.
    #[derive(Default)]
    struct All(Vec<(Word, bool)>);

    impl All {
        fn conflicts(&self, thread: &ThreadState, access: Access) -> bool {
            self.0.iter().any(|(word, writes)| {
                (*writes || access.mode.writes())
                    && word.extent() & access.extent != 0
                    && !thread.covers(*word)
            })
        }

        fn forget(&mut self, extent: u8) {
            self.0.iter_mut().for_each(|(word, _)| *word = word.with_extent(word.extent() & !extent));
        }
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Atomic { writes: bool, extent: u8 },
        Acquire,
        Release,
        Forget { extent: u8 },
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            6 => (any::<bool>(), any::<u8>()).prop_map(|(writes, extent)| Step::Atomic { writes, extent }),
            1 => Just(Step::Acquire),
            1 => Just(Step::Release),
            1 => prop::sample::select(&[1u8, 0xf0, 0xff]).prop_map(|extent| Step::Forget { extent }),
        ]
    }

    fn record(atomics: &mut Atomics, all: &mut All, thread: &mut ThreadState, writes: bool, extent: u8) {
        let mode = if writes { Mode::AtomicWrite } else { Mode::AtomicRead };
        all.0.push((thread.epoch().with_extent(extent), writes));
        atomics.record(thread, Access { mode, extent }, &mut Anywhere);
        assert!(atomics.0.is_sorted_by_key(|a| a.key));
    }

    proptest! {
        /// What is left of the atomic accesses conflicts with a plain one if and only if one of all of them does.
        #[test]
        fn what_is_kept_stands_for_all(
            left in prop::collection::vec((ORPHANS, any::<bool>(), any::<u8>()), 0..8),
            steps in prop::collection::vec((0..3usize, step()), 1..80),
        ) {
            let (mut atomics, mut all, mut lock) = (Atomics::default(), All::default(), LockState::default());
            for (slot, writes, extent) in left {
                let mut ended = ThreadState::new(Slot(slot), Clock(0), |_| false);
                record(&mut atomics, &mut all, &mut ended, writes, extent);
            }
            let mut threads: [_; 3] = core::array::from_fn(|i| ThreadState::new(Slot(i as u32), Clock(0), is_orphan));
            for (by, step) in steps {
                match step {
                    Step::Atomic { writes, extent } => record(&mut atomics, &mut all, &mut threads[by], writes, extent),
                    Step::Acquire => threads[by].acquire(&lock),
                    Step::Release => threads[by].release(&mut lock),
                    Step::Forget { extent } => {
                        atomics.forget(extent);
                        all.forget(extent);
                    }
                }
                for extent in (0..8).map(|byte| 1 << byte).chain([0x0f, 0xff]) {
                    for mode in [Mode::Read, Mode::Write] {
                        let access = Access { mode, extent };
                        let found = atomics.check(&threads[by], access).is_some();
                        prop_assert_eq!(found, all.conflicts(&threads[by], access), "{:?} {:?}", access, atomics);
                    }
                }
            }
        }
    }

    /// Orphans are never ordered before anything: one of a kind stands for all others that touch no more.
    #[test]
    fn orphans_do_not_pile_up() {
        let (mut atomics, mut all) = (Atomics::default(), All::default());
        let always: fn(Word) -> bool = |word| word.slot() != Slot(0);
        let mut own = ThreadState::new(Slot(0), Clock(0), always);
        for slot in 1..1000 {
            let mut ended = ThreadState::new(Slot(slot), Clock(0), always);
            record(&mut atomics, &mut all, &mut ended, slot % 3 == 0, 1 << (slot % 8));
        }
        record(&mut atomics, &mut all, &mut own, false, 1);
        assert!(atomics.0.len() <= 64, "{} are left", atomics.0.len());
    }
}
