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
