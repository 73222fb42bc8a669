//! Two accesses of one thread in one word: the latest, to some bytes of a granule, and an earlier one, to all others. What a thread leaves behind that goes through a granule piece by piece and finds there what it did
//! in an earlier epoch; a line would take memory of its own, and a line of the processor's cache, for each of such granules.

use deadheat_online::{Clock, Slot, Word};

/// What says of a special word that it is such a pair. Lines have not the last of these bits, versions have [`VERSION`](crate::history::VERSION).
const TWO: u64 = Word::SPECIAL | Word::FOREIGN | KIND_BIT;
const KIND: u64 = TWO | crate::history::VERSION;

/// ```text
///  60 … 53            52 … 45   44 … 18              17 … 3             2
///  extent of latest    slot     clock of the latest  clocks in between  1
/// ```
/// What does not fit is kept in a line.
const BETWEEN: u32 = 3;
const CLOCK: u32 = 18;
const SLOT: u32 = 45;
const EXTENT: u32 = 53;
/// Bits of a difference within an epoch: clocks use half of their range, so that one of the next slot, at an earlier clock, differs in a bit above these.
pub const SINCE: u32 = SLOT - 1;
/// Where the extent of the latest is.
pub const TWO_EXTENT: u32 = EXTENT;
/// Bits that tell kinds of special words apart: in the word of a pair that one is set, and no other.
pub const KIND_BITS: u64 = KIND_BIT | crate::history::VERSION;
/// That one.
pub const KIND_BIT: u64 = 1 << 2;
const MOST_BETWEEN: u64 = 1 << (CLOCK - BETWEEN);
const MOST_CLOCKS: u64 = 1 << (SINCE - CLOCK);
const MOST_SLOTS: u32 = 1 << (EXTENT - SLOT);

/// The word is such a pair.
#[inline(always)]
pub(crate) fn is_two(word: Word) -> bool {
    word.0 & KIND == TWO
}

/// The word for both, if there is one.
#[inline(always)]
pub(crate) fn two(latest: Word, earlier: Word) -> Option<Word> {
    let (clock, slot) = (latest.clock().0, latest.slot());
    let between = clock.wrapping_sub(earlier.clock().0);
    let fits = latest.extent() ^ earlier.extent() == Word::WHOLE
        && slot == earlier.slot()
        && slot.0 < MOST_SLOTS
        && clock < MOST_CLOCKS
        && between < MOST_BETWEEN;
    let all =
        (latest.extent() as u64) << EXTENT | (slot.0 as u64) << SLOT | clock << CLOCK | between << BETWEEN;
    fits.then_some(Word(TWO | all))
}

/// The word after one more access like the latest of a pair, from the same place in the same epoch, to other bytes as well: none if it is no such pair.
#[inline(always)]
pub(crate) fn grown(two: Word, new: Word) -> Option<Word> {
    let (slot, clock) =
        (two.0 >> SLOT & (MOST_SLOTS as u64 - 1), two.0 >> CLOCK & ((1 << (SLOT - CLOCK)) - 1));
    let is_like = is_two(two) && !two.is_locked() && slot == new.slot().0 as u64 && clock == new.clock().0;
    let bytes = (two.0 >> EXTENT) as u8 | new.extent();
    let all =
        || if bytes == Word::WHOLE { new.with_extent(bytes) } else { Word(two.0 | (bytes as u64) << EXTENT) };
    is_like.then(all)
}

/// What the word of a pair is compared with, all extents set, whose latest access is of an epoch that began with that word: it is one if it is less than two to the power of [`SINCE`] beyond this. Zero if there is none.
#[inline(always)]
pub fn since(epoch: Word) -> Word {
    let (clock, slot) = (epoch.clock().0, epoch.slot().0);
    let fits = slot < MOST_SLOTS && clock < MOST_CLOCKS;
    Word(if fits { TWO & !KIND_BITS | 0xff << EXTENT | (slot as u64) << SLOT | clock << CLOCK } else { 0 })
}

/// The latest access of a pair.
#[inline(always)]
pub(crate) fn latest(two: Word) -> Word {
    let bits = |from: u32, to: u32| two.0 >> from & ((1 << (to - from)) - 1);
    Word::new(Slot(bits(SLOT, EXTENT) as u32), Clock(bits(CLOCK, SLOT)), (two.0 >> EXTENT) as u8)
}

/// The other one.
#[inline(always)]
pub(crate) fn earlier(two: Word) -> Word {
    let (latest, between) = (latest(two), two.0 >> BETWEEN & (MOST_BETWEEN - 1));
    Word::new(latest.slot(), Clock(latest.clock().0 - between), !latest.extent())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{History, VERSION};
    use crate::open::Version;

    fn word(slot: u32, clock: u64, extent: u8) -> Word {
        Word::new(Slot(slot), Clock(clock), extent)
    }

    #[test]
    fn both_are_read_back() {
        let largest = word(MOST_SLOTS - 1, MOST_CLOCKS - 1, 0xfe);
        for (one, other) in [
            (word(0, 2, 0x0f), word(0, 1, 0xf0)),
            (word(3, 7, 0x01), word(3, 7, 0xfe)),
            (largest, word(MOST_SLOTS - 1, MOST_CLOCKS - MOST_BETWEEN, 1)),
        ] {
            let both = two(one, other).expect("it fits");
            assert_eq!((latest(both), earlier(both)), (one, other));
            assert!(is_two(both) && is_two(Word(both.0 | Word::LOCK)) && both.is_special());
            assert!(!History::is_line(both) && !both.is_set() && !Word(both.0 | Word::LOCK).is_folded());
            assert_eq!(latest(Word(both.0 | Word::LOCK)), one);
        }
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let one = word(9, 50_000, 0x0f);
        assert!(two(one, word(9, 40_000, 0xf0)).is_some());
        for other in
            [word(8, 40_000, 0xf0), word(9, 40_000, 0x70), word(9, 40_000, 0xf1), word(9, 50_001, 0xf0)]
        {
            assert_eq!(two(one, other), None, "{other:?}");
        }
        assert_eq!(two(one, word(9, 50_000 - MOST_BETWEEN, 0xf0)), None);
        assert!(two(one, word(9, 50_001 - MOST_BETWEEN, 0xf0)).is_some());
        assert_eq!(two(word(MOST_SLOTS, 5, 1), word(MOST_SLOTS, 4, 0xfe)), None);
        assert_eq!(two(word(1, MOST_CLOCKS, 1), word(1, MOST_CLOCKS - 1, 0xfe)), None);
    }

    /// The comparison that the fast paths make.
    #[test]
    fn a_pair_of_the_epoch_is_told_by_a_difference() {
        let is_of = |both: Word, epoch: Word| {
            (both.0 | 0xff << TWO_EXTENT).wrapping_sub(since(epoch).0) >> SINCE == 0
                && both.0 & KIND_BITS == KIND_BIT
        };
        let both = |slot, clock| two(word(slot, clock, 0x0f), word(slot, clock - 1, 0xf0)).expect("it fits");
        let epoch = word(3, 1000, 0xff);
        for (clock, is_it) in [(999, false), (1000, true), (1001, true), (MOST_CLOCKS - 1, true)] {
            assert_eq!(is_of(both(3, clock), epoch), is_it, "{clock}");
            assert!(!is_of(both(2, clock), epoch) && !is_of(both(4, clock), epoch));
            assert!(!is_of(Word(both(3, clock).0 | Word::LOCK), epoch));
        }
        assert!(!is_of(word(3, 1001, 0xff), epoch) && !is_of(Version::numbered(1).0, epoch));
        let beyond = [word(MOST_SLOTS, 5, 0xff), word(1, MOST_CLOCKS, 0xff)];
        assert_eq!(beyond.map(since), [Word::NONE; 2]);
        assert!(beyond.iter().all(|epoch| !is_of(both(1, 1000), *epoch)));
    }

    #[test]
    fn the_latest_grows() {
        let (one, other) = (word(3, 7, 0x03), word(3, 5, 0xfc));
        let both = two(one, other).expect("it fits");
        assert_eq!(grown(both, word(3, 7, 0x0c)), two(word(3, 7, 0x0f), word(3, 5, 0xf0)));
        assert_eq!(grown(both, word(3, 7, 0xfe)), Some(word(3, 7, 0xff)));
        for new in [word(3, 8, 0x0c), word(3, 5, 0x0c), word(4, 7, 0x0c)] {
            assert_eq!(grown(both, new), None, "{new:?}");
        }
        assert_eq!(grown(Word(both.0 | Word::LOCK), word(3, 7, 0x0c)), None);
        assert_eq!(grown(one, word(3, 7, 0x0c)), None, "no pair");
    }

    #[test]
    fn nothing_else_is_a_pair() {
        let others = [word(3, 4, 0xff), Version::NONE.0, Version::numbered(1).0, Version::numbered(3).0];
        assert!(others.iter().all(|word| !is_two(*word)));
        assert!(!is_two(Word(Word::SPECIAL | 1 << 2)) && !is_two(Word(TWO | VERSION)) && !is_two(Word::NONE));
    }
}
