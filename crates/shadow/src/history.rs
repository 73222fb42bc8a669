//! What is remembered of one kind of access, reads or writes, to the bytes of a granule:
//! - nothing;
//! - one access, with its extent;
//! - a *line*: one access for each byte, where these differ; eight words at most, with disjoint extents;
//! - of reads, a set: some byte has concurrent ones.
//!
//! A line belongs to one granule, and is touched under its lock. It ends as soon as one access stands for all bytes.

use crate::access::Stamps;
use alloc::boxed::Box;
use deadheat_online::{Sets, ThreadState, Word};

/// A history, in one word: what a cell's W or R holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct History(pub Word);

/// What a special word is, beside a set: a line of up to eight words, or, with [`SHORT`], of four.
const LINE: u64 = Word::SPECIAL | Word::FOREIGN;
const SHORT: u64 = 1;

/// Words with disjoint extents. The latest is the first.
struct Words {
    all: [Word; 8],
    len: usize,
}

impl Words {
    const NONE: Words = Words { all: [Word::NONE; 8], len: 0 };

    fn push(&mut self, word: Word) {
        self.all[self.len] = word;
        self.len += 1;
    }

    fn as_slice(&self) -> &[Word] {
        &self.all[..self.len]
    }
}

impl History {
    /// The word is a line and not an access, a set, or what else there may be.
    #[inline]
    pub fn is_line(word: Word) -> bool {
        word.0 & LINE == LINE
    }

    /// The words of a line, and zeroes behind them. The caller holds the lock of the granule that it belongs to.
    #[inline]
    fn line<'a>(self) -> Option<&'a mut [Word]> {
        if !History::is_line(self.0) {
            return None;
        }
        let at = (self.0.0 & !(LINE | Word::LOCK | SHORT)) as *mut Word;
        // SAFETY: a line has that many words, and nobody else touches it.
        Some(unsafe { core::slice::from_raw_parts_mut(at, if self.0.0 & SHORT != 0 { 4 } else { 8 }) })
    }

    #[inline]
    fn words(self) -> Words {
        let mut words = Words::NONE;
        match self.line() {
            Some(line) => line.iter().take_while(|word| !word.is_none()).for_each(|word| words.push(*word)),
            None if !self.0.is_none() => words.push(self.0),
            None => {}
        }
        words
    }

    /// The bytes that the thread has accessed in its current epoch: one word tells all of them.
    #[inline]
    pub fn current(self, thread: &ThreadState, sets: &Sets) -> u8 {
        let is_current = |word: &Word| thread.is_current(*word);
        let own = if !self.0.is_special() {
            Some(self.0).filter(is_current)
        } else if let Some(line) = self.line() {
            line.iter().copied().take_while(|word| !word.is_none()).find(is_current)
        } else {
            sets.latest(self.0, thread.slot()).filter(is_current)
        };
        own.map_or(0, Word::extent)
    }

    /// An access to some of these bytes that the thread does not know.
    #[inline]
    pub fn unordered(self, thread: &ThreadState, sets: &Sets, extent: u8) -> Option<Word> {
        let races = |word: &Word| word.extent() & extent != 0 && !thread.covers(*word);
        if !self.0.is_special() {
            return Some(self.0).filter(races);
        }
        match self.line() {
            Some(line) => line.iter().copied().take_while(|word| !word.is_none()).find(races),
            None => sets.unknown(self.0, thread, extent),
        }
    }

    /// Some byte has concurrent reads.
    pub fn is_set(self) -> bool {
        self.0.is_set()
    }

    /// A write of these bytes, from the current place, over the earlier ones.
    pub fn written(self, thread: &mut ThreadState, extent: u8, stamps: &mut impl Stamps) -> History {
        self.over(thread, self.words(), extent, stamps)
    }

    /// A read of these bytes, from the current place, beside the earlier ones that are not ordered before it.
    pub fn read(
        self,
        thread: &mut ThreadState,
        sets: &Sets,
        extent: u8,
        stamps: &mut impl Stamps,
    ) -> History {
        if self.is_set() {
            // [Read Shared]
            let own = sets.latest(self.0, thread.slot()).filter(|read| thread.is_current(*read));
            let read = with(thread, own.unwrap_or_default(), extent, stamps);
            return History(sets.with(self.0, read, &mut thread.shares));
        }
        let words = self.words();
        let concurrent = |word: &Word| word.extent() & extent != 0 && !thread.covers(*word);
        if !words.as_slice().iter().any(concurrent) {
            return self.over(thread, words, extent, stamps); // [Read Exclusive], byte by byte
        }
        // [Read Share]
        let mut reads = Words::NONE;
        let mut own = Word::NONE;
        for word in words.as_slice() {
            if thread.is_current(*word) {
                own = *word;
                continue;
            }
            let stays = if thread.covers(*word) { word.extent() & !extent } else { word.extent() };
            if stays != 0 {
                reads.push(word.with_extent(stays));
            }
        }
        let read = with(thread, own, extent, stamps);
        self.end();
        if let [one] = *reads.as_slice() {
            return History(sets.pair(one, read, &mut thread.shares));
        }
        let mut all = [read; 9];
        all[1..=reads.len].copy_from_slice(reads.as_slice());
        History(sets.gather(&mut all[..=reads.len]))
    }

    /// The words with that access in place of all to the same bytes.
    fn over(self, thread: &mut ThreadState, words: Words, extent: u8, stamps: &mut impl Stamps) -> History {
        let mut left = Words { len: 1, ..Words::NONE };
        let mut own = Word::NONE;
        for word in words.as_slice() {
            if thread.is_current(*word) {
                own = *word;
            } else if word.extent() & !extent != 0 {
                left.push(word.with_extent(word.extent() & !extent));
            }
        }
        left.all[0] = with(thread, own, extent, stamps);
        self.becomes(left)
    }

    /// These words instead, in the same memory if there is room.
    fn becomes(self, words: Words) -> History {
        if words.len < 2 {
            self.end();
            return History(words.all[0]);
        }
        if let Some(line) = self.line()
            && line.len() >= words.len
        {
            line.copy_from_slice(&words.all[..line.len()]);
            return self;
        }
        self.end();
        let line = match words.all {
            [a, b, c, d, Word::NONE, ..] => SHORT | Box::into_raw(Box::new([a, b, c, d])) as u64,
            all => Box::into_raw(Box::new(all)) as u64,
        };
        History(Word(LINE | line))
    }

    /// What is left when those bytes are forgotten.
    pub fn without(self, sets: &Sets, extent: u8) -> History {
        if self.is_set() {
            return History(sets.forget(self.0, extent));
        }
        let (words, mut left) = (self.words(), Words::NONE);
        for word in words.as_slice() {
            if word.extent() & !extent != 0 {
                left.push(word.with_extent(word.extent() & !extent));
            }
        }
        self.becomes(left)
    }

    /// `[Write Shared]` the reads of those bytes are all ordered before a write, which stands for them from now on.
    pub fn settled(self, thread: &mut ThreadState, sets: &Sets, extent: u8) -> History {
        if self.is_set() { History(sets.less(self.0, extent, &mut thread.shares)) } else { self }
    }

    /// Gives the line back, if it is one.
    fn end(self) {
        let Some(line) = self.line() else { return };
        let words = line.as_mut_ptr();
        // SAFETY: it came from a box of that many words, and this history was its only name.
        unsafe {
            match line.len() {
                4 => drop(Box::from_raw(words as *mut [Word; 4])),
                _ => drop(Box::from_raw(words as *mut [Word; 8])),
            }
        }
    }
}

/// The word for an access from the current place, and for what the thread did in its current epoch to other bytes.
fn with(thread: &mut ThreadState, own: Word, extent: u8, stamps: &mut impl Stamps) -> Word {
    let new = stamps.here(thread);
    let stays = own.extent() & !extent;
    let merged = stays != 0 && own.epoch() != new.epoch();
    let new = if merged { stamps.merged(thread, own, new, extent) } else { new };
    new.with_extent(stays | extent)
}
