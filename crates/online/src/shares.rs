//! What a thread remembers of sets of reads, so that it need not make or look through the same one for every element of an array.

use crate::word::Word;
use alloc::vec::Vec;

/// How many sets a thread remembers, once it has made one. Elements of an array may have been read by any of the other threads, in any order, before this one:
/// with too few remembered, equal sets are made again and again, and each of them is one more to come across.
const ROOM: usize = 256;

/// How many sets a thread remembers to have wanted.
const WANTED: usize = 16;

/// The sets that a thread made lately: a scan over a shared array asks for the same few at every element.
#[derive(Debug)]
pub struct Shares {
    /// Empty until the first set is made; then each at the place that its parts say.
    entries: Vec<Share>,
    /// Sets that it could have made lately.
    wanted: [u64; WANTED],
    /// A set whose reads the thread knows all.
    pub(crate) known: core::cell::Cell<Word>,
    /// Reads that a later one of their slot does not stand for: see [`ThreadState::new`](crate::ThreadState::new).
    pub(crate) orphaned: fn(Word) -> bool,
}

#[derive(Clone, Copy, Default, Debug)]
struct Share {
    old: Word,
    read: Word,
    new: Word,
}

impl Shares {
    /// None yet.
    pub const fn new() -> Shares {
        Shares {
            entries: Vec::new(),
            wanted: [0; WANTED],
            known: core::cell::Cell::new(Word::NONE),
            orphaned: |_| false,
        }
    }

    /// None yet, of a thread for which these accesses are orphans.
    pub(crate) fn with_orphans(orphaned: fn(Word) -> bool) -> Shares {
        Shares { orphaned, ..Shares::new() }
    }

    /// The set that was made of these two.
    pub(crate) fn find(&self, old: Word, read: Word) -> Option<Word> {
        let share = self.entries.get(place(old, read))?;
        (share.old == old && share.read == read).then_some(share.new)
    }

    /// The set of these two has been wanted lately, as it is where an array is read: it is worth making. A set that is good for one variable only is not.
    pub fn wants(&mut self, old: Word, read: Word) -> bool {
        let key = mixed(old, read);
        core::mem::replace(&mut self.wanted[(key >> 48) as usize % WANTED], key) == key
    }

    /// Remembers a set, without holding it.
    pub(crate) fn keep(&mut self, old: Word, read: Word, new: Word) -> Word {
        if self.entries.is_empty() {
            self.entries.resize(ROOM, Share::default());
        }
        self.entries[place(old, read)] = Share { old, read, new };
        new
    }
}

fn mixed(old: Word, read: Word) -> u64 {
    (old.0 ^ read.0.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn place(old: Word, read: Word) -> usize {
    (mixed(old, read) >> 48) as usize % ROOM
}

impl Default for Shares {
    fn default() -> Shares {
        Shares::new()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::word::{Clock, Slot};

    const SET: Word = Word(Word::SPECIAL);

    fn at(slot: u32, clock: u64) -> Word {
        Word::new(Slot(slot), Clock(clock), Word::WHOLE)
    }

    /// A pair at the same place, as `other` makes them, is not taken for the one that is there.
    fn not_found_for(other: impl Fn(u64) -> (Word, Word)) {
        let (old, read) = (at(1, 1), at(2, 1));
        let mut shares = Shares::new();
        assert_eq!((shares.find(old, read), shares.keep(old, read, SET)), (None, SET));
        assert_eq!(shares.find(old, read), Some(SET));
        let same_place = |&(a, b): &(Word, Word)| place(a, b) == place(old, read);
        let (a, b) = (2..).map(other).find(same_place).expect("there are few places");
        assert_eq!(shares.find(a, b), None);
    }

    #[test]
    fn a_set_is_found_by_both_its_parts() {
        not_found_for(|clock| (at(1, clock), at(2, 1)));
        not_found_for(|clock| (at(1, 1), at(2, clock)));
    }

    #[test]
    fn many_sets_are_remembered() {
        let mut shares = Shares::new();
        let parts: Vec<(Word, Word)> = (1..100).map(|clock| (at(1, clock), at(2, clock * clock))).collect();
        parts.iter().for_each(|&(old, read)| {
            shares.keep(old, read, SET);
        });
        let found = parts.iter().filter(|(old, read)| shares.find(*old, *read).is_some()).count();
        assert!(found > 50, "of 99 only {found}");
    }

    #[test]
    fn what_was_wanted_lately_is_wanted() {
        let mut shares = Shares::new();
        let mut wanted = || (1..=WANTED as u64).filter(|&clock| shares.wants(at(1, clock), at(2, 1))).count();
        assert_eq!(wanted(), 0);
        assert!(wanted() > 1, "several are remembered at once");
        assert!(shares.wants(at(3, 3), at(4, 4)) != shares.wants(at(3, 3), at(4, 4)));
    }
}
