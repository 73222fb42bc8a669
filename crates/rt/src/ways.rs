//! A thread's tables of stamps at hand: four ways for each hash, so that what is used in turns does not push each other out, and more hashes where there is too much of one epoch.

use alloc::vec::Vec;
use deadheat_online::Word;

/// Ways of a hash.
const WAYS: usize = 4;

/// Something at hand, with a stamp that says when it was used.
pub trait Kept: Copy {
    /// Nothing; with a stamp that is older than any.
    const NONE: Self;

    /// The stamp.
    fn word(&self) -> Word;
}

/// What is at hand.
pub struct Ways<T> {
    sets: Vec<[T; WAYS]>,
    /// How many sets there may be.
    most: usize,
    /// How often something of the current epoch had to make room.
    crowded: usize,
}

impl<T: Kept> Ways<T> {
    /// Nothing, with room for so many at first and at most: powers of two.
    pub fn new(room: usize, most: usize) -> Ways<T> {
        Ways { sets: alloc::vec![[T::NONE; WAYS]; room / WAYS], most: most / WAYS, crowded: 0 }
    }

    /// All that is at hand with that hash, of which the upper half counts.
    #[inline(always)]
    pub fn of(&mut self, hash: u64) -> &mut [T; WAYS] {
        let at = (hash >> 32) as usize & (self.sets.len() - 1);
        // SAFETY: there is a power of two of them, at least one.
        unsafe { self.sets.get_unchecked_mut(at) }
    }

    /// Keeps something new at hand instead of what was used the longest ago. Stamps before `floor` are not used again, only what they are about.
    pub fn keep(&mut self, hash: u64, floor: Word, new: T) {
        let set = self.of(hash);
        let oldest = (0..WAYS).min_by_key(|way| set[*way].word().0).unwrap_or(0);
        let is_crowded = set[oldest].word().0 >= floor.0;
        set[oldest] = new;
        self.crowded += is_crowded as usize;
        if self.crowded > self.sets.len() && self.sets.len() < self.most {
            self.sets = alloc::vec![[T::NONE; WAYS]; self.sets.len() * 2];
            self.crowded = 0;
        }
    }

    /// Nothing is at hand any more.
    pub fn clear(&mut self) {
        self.sets.fill([T::NONE; WAYS]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Kept for Word {
        const NONE: Word = Word::NONE;

        fn word(&self) -> Word {
            *self
        }
    }

    #[test]
    fn the_oldest_makes_room_and_crowds_make_more() {
        let mut ways = Ways::new(4, 16);
        let stamps = [5, 3, 4, 6, 7, 8].map(Word);
        stamps.iter().for_each(|stamp| ways.keep(0, Word(9), *stamp));
        let kept = |ways: &mut Ways<Word>, hash| {
            let mut kept = ways.of(hash).map(|word| word.0);
            kept.sort_unstable();
            kept
        };
        assert_eq!(kept(&mut ways, 0), [5, 6, 7, 8]);
        // Of one epoch.
        (9..50).for_each(|stamp| ways.keep((stamp % 4) << 32, Word(9), Word(stamp)));
        assert_eq!((ways.sets.len(), kept(&mut ways, 1 << 32)), (4, [37, 41, 45, 49]));
        ways.clear();
        assert_eq!(kept(&mut ways, 1 << 32), [0; 4]);
    }
}
