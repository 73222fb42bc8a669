//! What a thread remembers of sets of reads, so that it need not make or look through the same one for every element of an array.

use crate::word::Word;
use alloc::vec::Vec;

/// How many sets a thread remembers, once it has made one. Elements of an array may have been read by any of the other threads, in any order, before this one:
/// with too few remembered, equal sets are made again and again, and each of them is one more to come across.
const ROOM: usize = 256;

/// The sets that a thread made lately: a scan over a shared array asks for the same few at every element.
#[derive(Debug)]
pub struct Shares {
    /// Empty until the first set is made; then each at the place that its parts say.
    entries: Vec<Share>,
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
        Shares { entries: Vec::new(), known: core::cell::Cell::new(Word::NONE), orphaned: |_| false }
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

    /// Remembers a set, without holding it.
    pub(crate) fn keep(&mut self, old: Word, read: Word, new: Word) -> Word {
        if self.entries.is_empty() {
            self.entries.resize(ROOM, Share::default());
        }
        self.entries[place(old, read)] = Share { old, read, new };
        new
    }
}

fn place(old: Word, read: Word) -> usize {
    let mixed = (old.0 ^ read.0.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 48) as usize % ROOM
}

impl Default for Shares {
    fn default() -> Shares {
        Shares::new()
    }
}
