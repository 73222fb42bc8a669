//! What is known of a block: its state, its size, who allocated it, who freed it.

use super::{BadFree, Block, Origin};
use core::sync::atomic::{AtomicU32, Ordering};

/// What is known of a block. All zeros: it has never been used.
///
/// | field | written by |
/// |---|---|
/// | `word` | who holds the block; live → freed by compare-and-swap: of two threads that free it, one wins |
/// | `site`, `thread` | who takes the block |
/// | `freed_site`, `freed_thread` | who frees it |
/// | `next` | whoever holds the lock of the pool's list |
///
/// Reports read all of them without a lock: each field by itself is right, or was a moment ago.
#[repr(C)]
pub struct Record {
    word: AtomicU32,
    site: AtomicU32,
    thread: AtomicU32,
    freed_site: AtomicU32,
    freed_thread: AtomicU32,
    /// The block after this one in the pool's list.
    pub next: AtomicU32,
}

/// A block's state and its size as asked for, in one word; 0 is a block that has never been used.
///
/// ```text
///  31         3    2      1       0
/// ┌────────────┬───────┬───────┬──────┐
/// │    size    │ clean │ freed │ live │
/// └────────────┴───────┴───────┴──────┘
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Word(u32);

impl Word {
    /// Never used, and so all zeros.
    pub const NEVER_USED: Word = Word(0);

    const LIVE: u32 = 1;
    const FREED: u32 = 2;
    /// Freed, and its pages went back to the kernel: all zeros again.
    const CLEAN: u32 = 4;

    #[inline]
    fn live(size: usize) -> Word {
        Word((size as u32) << 3 | Word::LIVE)
    }

    /// Freed, and as it was left.
    #[inline]
    pub fn freed(size: usize) -> Word {
        Word((size as u32) << 3 | Word::FREED)
    }

    fn size(self) -> usize {
        (self.0 >> 3) as usize
    }

    /// The size, if the block is live.
    #[inline]
    pub fn live_size(self) -> Result<usize, BadFree> {
        if self.0 & Word::LIVE != 0 {
            Ok(self.size())
        } else {
            Err(if self == Word::NEVER_USED { BadFree::NotOurs } else { BadFree::DoubleFree })
        }
    }

    /// Whether all bytes of the block are known to be zero.
    #[inline]
    pub fn is_zeroed(self) -> bool {
        self == Word::NEVER_USED || self.0 & Word::CLEAN != 0
    }
}

impl Record {
    /// The block's state.
    #[inline]
    pub fn word(&self) -> Word {
        Word(self.word.load(Ordering::Relaxed))
    }

    /// All that is known, unless the block has never been used.
    pub fn describe(&self, start: usize) -> Option<Block> {
        let word = self.word();
        if word == Word::NEVER_USED {
            return None;
        }
        let pair = |site: &AtomicU32, thread: &AtomicU32| Origin {
            site: site.load(Ordering::Relaxed),
            thread: thread.load(Ordering::Relaxed),
        };
        let freed_by = word.live_size().is_err().then(|| pair(&self.freed_site, &self.freed_thread));
        Some(Block { start, size: word.size(), origin: pair(&self.site, &self.thread), freed_by })
    }

    /// A free block becomes live; returns what it was.
    #[inline]
    pub fn set_live(&self, size: usize, origin: Origin) -> Word {
        let before = self.word();
        debug_assert!(before.0 & Word::LIVE == 0, "a block for two");
        self.site.store(origin.site, Ordering::Relaxed);
        self.thread.store(origin.thread, Ordering::Relaxed);
        self.word.store(Word::live(size).0, Ordering::Relaxed);
        before
    }

    /// A live block of this size becomes free, for one of those who try.
    #[inline]
    pub fn set_freed(&self, size: usize, by: Origin) -> Result<(), BadFree> {
        let (live, freed) = (Word::live(size).0, Word::freed(size).0);
        match self.word.compare_exchange(live, freed, Ordering::Relaxed, Ordering::Relaxed) {
            Err(_) => Err(BadFree::DoubleFree),
            Ok(_) => {
                self.freed_site.store(by.site, Ordering::Relaxed);
                self.freed_thread.store(by.thread, Ordering::Relaxed);
                Ok(())
            }
        }
    }

    /// The pages of a freed block went back to the kernel.
    pub fn set_clean(&self) {
        self.word.fetch_or(Word::CLEAN, Ordering::Relaxed);
    }
}
