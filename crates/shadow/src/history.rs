//! What is remembered of one kind of access, reads or writes, to the bytes of a granule:
//! - nothing;
//! - one access, with its extent;
//! - *two* accesses of one thread, in one word (`two`);
//! - a *line*: several accesses, eight at most, which differ in their bytes or, of reads, are concurrent;
//! - of reads, a set: concurrent ones of the same bytes, as a rule, so that other granules have equal ones; or too many for a line.
//!
//! A line belongs to one granule and lies in one line of the processor's cache. It ends as soon as one access stands for all bytes.
//!
//! **Discipline.** Lines are touched under their granule's lock, with one exception: a thread looks for *its own* accesses of the current epoch without it ([`told`]). Nobody
//! else writes these, so to find them is enough, if the granule still has the line afterwards. Lines that have ended may be used for anything, but stay readable; the word that
//! names a line has, beside its address, a number that another line at the same address hardly has at the moment that matters: the clock at which it was made.

use crate::access::{Access, Stamps};
use crate::fold::Block;
use crate::two::{self, KIND_BITS, is_two, two};
use alloc::boxed::Box;
use core::sync::atomic::{AtomicU64, Ordering, fence};
use deadheat_online::{Pair, Sets, ThreadState, VarState, Word};

/// A history, in one word: what a cell's W or R holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct History(pub Word);

/// What a special word is, beside a set: a line of [`MOST`] words, or, with [`SHORT`], of four. [`Version`](crate::Version)s have the bit [`VERSION`] too.
const LINE: u64 = Word::SPECIAL | Word::FOREIGN;
const SHORT: u64 = 1;
pub(crate) const VERSION: u64 = 2;
/// The address of a line, within its word; the clock is above it.
const ADDRESS: u64 = (1 << CLOCK) - 32;
const CLOCK: u32 = 47;
const CLOCKS: u64 = 1 << (Word::FOREIGN.trailing_zeros() - CLOCK);

/// So many words a line has at most.
pub(crate) const MOST: usize = 8;

/// Words of a history, and one more; zeroes behind them. The latest is the first.
struct Words {
    all: [Word; MOST + 1],
    len: usize,
}

impl Words {
    const NONE: Words = Words { all: [Word::NONE; MOST + 1], len: 0 };

    #[inline]
    fn push(&mut self, word: Word) {
        self.all[self.len] = word;
        self.len += 1;
    }

    fn as_slice(&self) -> &[Word] {
        &self.all[..self.len]
    }

    fn iter(&self) -> impl Iterator<Item = Word> {
        self.as_slice().iter().copied()
    }

    /// A new access beside these: of those that it stands for, the other bytes are left, of the others all.
    #[inline(always)]
    fn of(new: Word, others: &[Word], stands_for: impl Fn(Word) -> bool) -> Words {
        let mut left = Words::NONE;
        left.push(new);
        for &word in others {
            let shared = word.extent() & new.extent();
            let bytes = if shared != 0 && stands_for(word) { word.extent() & !shared } else { word.extent() };
            if bytes == 0 {
            } else if word.epoch() == new.epoch() {
                left.all[0] = new.with_extent(left.all[0].extent() | bytes);
            } else {
                left.push(word.with_extent(bytes));
            }
        }
        left
    }
}

/// A line in memory, short or long.
#[repr(align(32))]
#[expect(dead_code, reason = "read as a slice")]
struct Short([Word; 4]);
#[repr(align(64))]
#[expect(dead_code, reason = "read as a slice")]
struct Long([Word; MOST]);

impl History {
    /// The word is a line and not an access, a set, or what else there may be.
    #[inline]
    pub fn is_line(word: Word) -> bool {
        word.0 & (LINE | KIND_BITS) == LINE
    }

    /// It has accesses of its own: it is no set, and nothing else that a word may be.
    #[inline(always)]
    fn is_list(self) -> bool {
        !self.0.is_special() || self.0.0 & (LINE | VERSION) == LINE
    }

    /// The accesses that the word tells by itself, the latest first; it is no set.
    #[inline(always)]
    fn flat(self) -> [Word; 2] {
        match self.0 {
            word if is_two(word) => [two::latest(word), two::earlier(word)],
            word if word.is_special() => [Word::NONE; 2],
            word => [word, Word::NONE],
        }
    }

    /// All of its accesses, the latest first; it is no set.
    #[inline(always)]
    fn all(self) -> Words {
        let mut all = Words::NONE;
        match self.line() {
            Some(line) => History::each(line).for_each(|word| all.push(word)),
            None => self.flat().into_iter().filter(|word| !word.is_none()).for_each(|word| all.push(word)),
        }
        all
    }

    /// The words of a line, and zeroes behind them.
    #[inline]
    pub(crate) fn line<'a>(self) -> Option<&'a [AtomicU64]> {
        if !History::is_line(self.0) {
            return None;
        }
        let at = (self.0.0 & ADDRESS) as *const AtomicU64;
        // SAFETY: a line has that many words, and what was one stays readable.
        Some(unsafe { core::slice::from_raw_parts(at, if self.0.0 & SHORT != 0 { 4 } else { MOST }) })
    }

    /// Its words, one by one.
    #[inline]
    fn each<'a>(line: &'a [AtomicU64]) -> impl Iterator<Item = Word> + use<'a> {
        line.iter().map(|word| Word(word.load(Ordering::Relaxed))).take_while(|word| !word.is_none())
    }

    /// A new access beside those that are here, which is no set.
    #[inline(always)]
    fn with(self, new: Word, stands_for: impl Fn(Word) -> bool) -> Words {
        Words::of(new, self.all().as_slice(), stands_for)
    }

    /// The bytes that the thread has accessed in its current epoch.
    #[inline]
    pub fn current(self, thread: &ThreadState, sets: &Sets) -> u8 {
        let is_current = |word: &Word| thread.is_current(*word);
        if self.is_set() {
            return sets.latest(self.0, thread.slot()).filter(is_current).map_or(0, Word::extent);
        }
        self.all().iter().filter(is_current).fold(0, |bytes, word| bytes | word.extent())
    }

    /// An access to some of these bytes that the thread does not know.
    #[inline]
    pub fn unordered(self, thread: &ThreadState, sets: &Sets, extent: u8) -> Option<Word> {
        let races = |word: &Word| word.extent() & extent != 0 && !thread.covers(*word);
        if self.is_set() { sets.unknown(self.0, thread, extent) } else { self.all().iter().find(races) }
    }

    /// Some byte has concurrent reads.
    pub fn is_set(self) -> bool {
        self.0.is_set()
    }

    /// The thread knows all of these accesses to some of those bytes. Not said of sets.
    #[inline(always)]
    pub fn is_known(self, thread: &ThreadState, extent: u8) -> bool {
        let is_known = |word: Word| word.extent() & extent == 0 || thread.covers(word);
        if !self.0.is_special() {
            return is_known(self.0);
        }
        match self.line() {
            Some(line) => line.iter().all(|at| is_known(Word(at.load(Ordering::Relaxed)))),
            None => is_two(self.0) && self.flat().into_iter().all(is_known),
        }
    }

    /// A new access beside these, in one pass: over those to its bytes that the thread knows; of the others, a read leaves all. What most accesses come to whose bytes have different histories. None, and
    /// nothing changed, if it is a write to bytes of which the thread does not know all, or if it takes more to tell.
    #[inline(always)]
    pub fn after(
        self,
        thread: &mut ThreadState,
        sets: &Sets,
        access: Access,
        stamp: Word,
        stamps: &mut impl Stamps,
    ) -> Option<History> {
        if !self.is_list() {
            return None;
        }
        let Access { mode, extent } = access;
        let new = stamp.with_extent(extent);
        let mut words = Words::NONE;
        words.push(new);
        let (mut bytes, mut is_current, mut is_shared) = (extent, false, false);
        let mut is_told = |word: Word| {
            let mut stays = word.extent();
            if stays & extent == 0 {
            } else if thread.covers(word) {
                stays &= !extent;
            } else if mode.writes() {
                return false;
            } else {
                is_shared = true;
            }
            if stays == 0 {
            } else if word.epoch() == new.epoch() {
                bytes |= stays;
            } else if words.len == MOST {
                return false;
            } else {
                is_current |= thread.is_current(word);
                words.push(word.with_extent(stays));
            }
            true
        };
        let is_all = match self.line() {
            Some(line) => History::each(line).all(&mut is_told),
            None => self.flat().into_iter().all(|word| word.is_none() || is_told(word)),
        };
        if !is_all {
            return None;
        }
        words.all[0] = new.with_extent(bytes);
        if is_current {
            join_current(thread, &mut words, stamps);
        }
        if is_shared && let Some(set) = words.shared(thread, sets, extent) {
            self.end();
            return Some(History(set));
        }
        Some(self.becomes(&words))
    }

    /// A write, remembered by that word, over the earlier ones.
    #[inline]
    pub fn written(self, thread: &mut ThreadState, new: Word, stamps: &mut impl Stamps) -> History {
        let mut words = self.with(new, |_| true);
        join(thread, &mut words, stamps);
        self.becomes(&words)
    }

    /// A read, remembered by that word, beside the earlier ones that are not ordered before it.
    #[inline]
    pub fn read(self, thread: &mut ThreadState, sets: &Sets, new: Word, stamps: &mut impl Stamps) -> History {
        if self.is_set() {
            return self.read_shared(thread, sets, new, stamps);
        }
        let mut words = self.with(new, |word| thread.covers(word));
        join(thread, &mut words, stamps);
        match words.shared(thread, sets, new.extent()) {
            Some(set) => {
                self.end();
                History(set)
            }
            None => self.becomes(&words),
        }
    }

    /// `[Read Shared]` a read beside those of a set.
    #[inline(never)]
    fn read_shared(
        self,
        thread: &mut ThreadState,
        sets: &Sets,
        new: Word,
        stamps: &mut impl Stamps,
    ) -> History {
        let own = sets.latest(self.0, thread.slot()).filter(|read| thread.is_current(*read));
        let own = own.unwrap_or_default();
        let read = new.with_extent(own.extent() | new.extent());
        let is_one = own.extent() & !new.extent() == 0 || own.epoch() == new.epoch();
        if is_one && (sets.are_all_of(self.0, read.extent()) || thread.shares.wants(self.0, read)) {
            return History(sets.with(self.0, read, &mut thread.shares));
        }
        if sets.len(self.0) > MOST {
            let read = if is_one { read } else { merged(thread, own, new, stamps) };
            return History(sets.with(self.0, read, &mut thread.shares));
        }
        let mut all = Words::NONE;
        sets.each(self.0, |word| all.push(word));
        let mut words = Words::of(new, all.as_slice(), |word| thread.covers(word));
        join(thread, &mut words, stamps);
        let set = words.shared(thread, sets, new.extent());
        let new = set.unwrap_or_else(|| History(Word::NONE).becomes(&words).0);
        sets.release(self.0);
        History(new)
    }

    /// These words instead, in the same memory if there is room.
    #[inline]
    fn becomes(self, words: &Words) -> History {
        let flat = match words.as_slice() {
            [] | [_] => Some(words.all[0]),
            [one, other] => two(*one, *other),
            _ => None,
        };
        if let Some(flat) = flat {
            self.end();
            return History(flat);
        }
        if let Some(line) = self.line()
            && line.len() >= words.len
        {
            line.iter().zip(words.all).for_each(|(to, word)| to.store(word.0, Ordering::Relaxed));
            return self;
        }
        self.end();
        let [a, b, c, d, e, f, g, h, _] = words.all;
        if words.len <= 4 {
            return History(short([a, b, c, d]));
        }
        let line = Box::into_raw(Box::new(Long([a, b, c, d, e, f, g, h]))) as u64;
        History(named(line, a))
    }

    /// What is left when those bytes are forgotten.
    pub fn without(self, sets: &Sets, extent: u8) -> History {
        if self.is_set() { History(sets.forget(self.0, extent)) } else { self.without_some(extent) }
    }

    /// As [`History::without`], of what is no set.
    #[inline]
    pub fn without_some(self, extent: u8) -> History {
        let has_some = match self.line() {
            Some(line) => line.iter().any(|at| Word(at.load(Ordering::Relaxed)).extent() & extent != 0),
            None => self.flat().iter().any(|word| word.extent() & extent != 0),
        };
        if !has_some {
            return self;
        }
        let less = |word: Word| word.with_extent(word.extent() & !extent);
        let mut left = Words::NONE;
        self.all().iter().map(less).filter(|word| word.extent() != 0).for_each(|word| left.push(word));
        self.becomes(&left)
    }

    /// `[Write Shared]` the reads of those bytes are all ordered before a write, which stands for them from now on.
    pub fn settled(self, thread: &mut ThreadState, sets: &Sets, extent: u8) -> History {
        if self.is_set() { History(sets.less(self.0, extent, &mut thread.shares)) } else { self }
    }

    /// The thread knows all that one word tells.
    #[inline(always)]
    pub fn is_flatly_known(self, thread: &ThreadState) -> bool {
        if !self.0.is_special() {
            self.0.is_none() || thread.covers(self.0)
        } else {
            knows(thread, self.flat())
        }
    }

    /// A new access over these, if the thread knows them and they are told by one word, as it will be afterwards. None if it will not.
    #[inline(always)]
    pub fn flatly_over(self, thread: &mut ThreadState, new: Word, stamps: &mut impl Stamps) -> Option<Word> {
        if self.0.is_none() {
            return Some(new);
        }
        let [latest, earlier] = self.flat();
        if !is_flat(self.0) || !knows(thread, [latest, earlier]) {
            return None;
        }
        let [stays, stays_too] = [latest, earlier].map(|word| word.extent() & !new.extent());
        if stays == 0 {
            return if stays_too == 0 { Some(new) } else { two(new, earlier.with_extent(stays_too)) };
        }
        if !thread.is_current(latest) {
            return if stays_too == 0 { two(new, latest.with_extent(stays)) } else { None };
        }
        // What it did to other bytes may be told with the new access, since it was in the same epoch.
        let both = if latest.epoch() == new.epoch() {
            new.with_extent(new.extent() | stays)
        } else {
            merged(thread, latest.with_extent(stays), new, stamps)
        };
        if stays_too == 0 { Some(both) } else { two(both, earlier.with_extent(stays_too)) }
    }

    /// What is left of what one word tells when those bytes are forgotten, if one word can tell that; else all of it.
    #[inline(always)]
    pub fn flatly_without(self, extent: u8) -> Word {
        if self.0.is_none() {
            return self.0;
        }
        let [latest, earlier] = self.flat().map(|word| word.with_extent(word.extent() & !extent));
        match (latest.extent(), earlier.extent()) {
            (0, 0) => Word::NONE,
            (_, 0) => latest,
            (0, _) => earlier,
            _ => self.0,
        }
    }

    /// Gives the line back, if it is one.
    pub fn end(self) {
        let Some(line) = self.line() else { return };
        let words = line.as_ptr().cast_mut();
        // SAFETY: it came from a box of that many words, and this history was its only name.
        unsafe {
            match line.len() {
                4 => drop(Box::from_raw(words as *mut Short)),
                _ => drop(Box::from_raw(words as *mut Long)),
            }
        }
    }
}

/// The thread knows both accesses that one word tells. What is at hand is of slots without orphans, where the latest of two is enough to know.
#[inline(always)]
fn knows(thread: &ThreadState, [latest, earlier]: [Word; 2]) -> bool {
    thread.covers_by_memo(latest) || thread.covers(latest) && (earlier.is_none() || thread.covers(earlier))
}

/// What W or R holds is told by that word and by nothing else: nothing, an access, or two. Not locked.
#[inline(always)]
pub fn is_flat(word: Word) -> bool {
    word.0 & Word::OTHER == 0 || is_two(word) && !word.is_locked()
}

/// The thread knows all that a flat word tells.
#[inline(always)]
pub fn is_known(thread: &ThreadState, word: Word) -> bool {
    History(word).is_flatly_known(thread)
}

/// The latest access that the word tells; itself if it does not tell any.
#[inline(always)]
pub fn latest(word: Word) -> Word {
    if is_two(word) { two::latest(word) } else { word }
}

/// Which bytes of an access the thread has accessed in its current epoch, which began with that word, or written if it reads: as far as the cell and its lines tell, without the lock.
#[inline(always)]
pub fn told(cell: &VarState, epoch: Word, access: Access) -> u8 {
    let Access { mode, extent } = access;
    if let Some((block, lane)) = Block::folded(cell) {
        return if block.is_since(lane, epoch, mode) { extent } else { 0 };
    }
    let own = |load: fn(&VarState) -> Word| {
        let word = load(cell);
        let bytes =
            |word: Word| if word.with_extent(Word::WHOLE).is_since(epoch) { word.extent() } else { 0 };
        let Some(line) = History(word).line() else { return bytes(latest(word)) & extent };
        // What is behind its words is of no epoch.
        let told = line.iter().fold(0, |told, at| told | bytes(Word(at.load(Ordering::Relaxed))));
        // Acquire: what was read above was read before the word is read again.
        fence(Ordering::Acquire);
        if load(cell) == word { told & extent } else { 0 }
    };
    let read = if mode.writes() { 0 } else { own(VarState::load_r) };
    if read == extent { read } else { read | own(VarState::load_w) }
}

/// As [`told`], of a cell with a line that looks like that: all of the bytes.
#[inline(always)]
pub fn is_told_in_line(cell: &VarState, seen: Pair, epoch: Word, access: Access) -> bool {
    let Access { mode, extent } = access;
    let has = |word: Word, load: fn(&VarState) -> Word| {
        let Some(line) = History(word).line() else { return is_of_epoch(latest(word), epoch, extent) };
        let has = line.iter().any(|at| is_of_epoch(Word(at.load(Ordering::Relaxed)), epoch, extent));
        // As there.
        fence(Ordering::Acquire);
        has && load(cell) == word
    };
    !mode.writes() && has(seen.r, VarState::load_r) || has(seen.w, VarState::load_w)
}

/// It is an access to all of those bytes in the epoch that began with that word.
#[inline(always)]
fn is_of_epoch(word: Word, epoch: Word, extent: u8) -> bool {
    word.with_extent(Word::WHOLE).is_since(epoch) && word.extent() & extent == extent
}

impl Words {
    /// `[Read Share]` the set that these reads make, the first of them new, to those bytes. None if they are better kept in a line.
    #[inline]
    fn shared(&self, thread: &mut ThreadState, sets: &Sets, extent: u8) -> Option<Word> {
        let same = |word: &Word| word.extent() == self.all[0].extent();
        match self.as_slice() {
            [] | [_] => None,
            // By the same threads as other granules.
            [read, one] => {
                let wanted = same(one) || one.extent() & extent != 0 && thread.shares.wants(*one, *read);
                wanted.then(|| sets.pair(*one, *read, &mut thread.shares))
            }
            all => {
                let fits = all.len() <= MOST && !all.iter().all(same);
                (!fits).then(|| sets.gather(&mut { self.all }[..self.len]))
            }
        }
    }
}

/// A line of four words.
fn short(words: [Word; 4]) -> Word {
    named(SHORT | Box::into_raw(Box::new(Short(words))) as u64, words[0])
}

/// The word that names a line at that address, of which that is the latest access.
fn named(line: u64, latest: Word) -> Word {
    Word(LINE | line | (latest.clock().0 % CLOCKS) << CLOCK)
}

/// Makes one word of all that are of the thread's current epoch, the first of them new.
#[inline]
fn join(thread: &mut ThreadState, words: &mut Words, stamps: &mut impl Stamps) {
    if words.as_slice().iter().skip(1).any(|word| thread.is_current(*word)) {
        join_current(thread, words, stamps);
    }
}

#[inline(never)]
fn join_current(thread: &mut ThreadState, words: &mut Words, stamps: &mut impl Stamps) {
    let mut left = Words::NONE;
    left.push(Word::NONE);
    for word in words.as_slice().iter().rev() {
        if !thread.is_current(*word) {
            left.push(*word);
        } else if left.all[0].is_none() {
            left.all[0] = *word;
        } else {
            left.all[0] = merged(thread, left.all[0], *word, stamps);
        }
    }
    *words = left;
}

/// One word for two accesses of the thread's current epoch: the new one at its own bytes.
fn merged(thread: &mut ThreadState, old: Word, new: Word, stamps: &mut impl Stamps) -> Word {
    stamps.merged(thread, old, new).with_extent(old.extent() | new.extent())
}
