//! Sets as values: what they hold, how often they are held, and when one stands for another.

use super::*;
use crate::word::Clock;

const LOW: u8 = 0x0f;
const HIGH: u8 = 0xf0;

fn at(slot: u32, clock: u64) -> Word {
    Word::new(Slot(slot), Clock(clock), Word::WHOLE)
}

fn reads(sets: &Sets, set: Word) -> Vec<Word> {
    let mut reads = Vec::new();
    sets.each(set, |read| reads.push(read));
    reads
}

#[test]
fn sets_fill_their_lines() {
    for class in 0..CLASSES {
        assert_eq!(size_of::<Head>() + capacity(class) * size_of::<AtomicU64>(), Chunk::LINE << class);
    }
    for entries in 1..300 {
        let class = class_for(entries);
        assert!(entries <= capacity(class) && (class == 0 || entries > capacity(class - 1)), "{entries}");
    }
}

/// More of them than a chunk has, of several classes.
#[test]
fn many_sets_at_once() {
    let sets = Sets::new();
    let sizes = [2, 6, 7, 14, 15, 31, 100];
    let all: Vec<Vec<Word>> =
        (1..60).flat_map(|clock| sizes.map(|n| (0..n).map(|slot| at(slot, clock)).collect())).collect();
    let handles: Vec<Word> = all.iter().map(|of| sets.gather(&mut of.clone())).collect();
    assert_eq!(sets.live(), all.len());
    for (set, of) in handles.iter().zip(&all) {
        assert_eq!((reads(&sets, *set), sets.len(*set)), (of.clone(), of.len()));
    }
    handles.iter().for_each(|set| sets.release(*set));
    assert_eq!(sets.live(), 0);
    let again = sets.gather(&mut all[0].clone());
    assert_eq!((reads(&sets, again), sets.live()), (all[0].clone(), 1), "in the place of one that came back");
}

/// Whoever makes it, and whatever was made in between.
#[test]
fn equal_sets_are_one() {
    let sets = Sets::new();
    let one = sets.gather(&mut [at(1, 1), at(2, 1)]);
    let other = sets.gather(&mut [at(1, 1), at(2, 2)]);
    let same = sets.gather(&mut [at(2, 1), at(1, 1)]);
    assert_eq!((same, sets.live()), (one, 2));
    sets.release(one);
    assert_eq!(sets.live(), 2, "it is held once more");
    sets.release(one);
    assert_eq!(sets.live(), 1);
    let new = sets.gather(&mut [at(1, 1), at(2, 1)]);
    assert!(new != one && reads(&sets, other) == [at(1, 1), at(2, 2)], "a handle names one value for ever");
}

/// Sets that would be looked for at one place.
#[test]
fn sets_are_told_apart_by_what_they_hold() {
    let sets = Sets::new();
    let place = |reads: &[Word]| hash(reads) as usize % COMMON;
    let one = [at(1, 1), at(2, 1)];
    let longer = |clock: u64| [one[0], one[1], at(3, clock)];
    let other = (2..).map(|clock| [one[0], at(2, clock)]).find(|of| place(of) == place(&one)).unwrap();
    let longer = (1..).map(longer).find(|of| place(of) == place(&one)).unwrap();
    for mut of in [&one[..], &other, &one, &longer, &one].map(|of| of.to_vec()) {
        let set = sets.gather(&mut of);
        assert_eq!(reads(&sets, set), of);
    }
    assert_eq!(sets.live(), 5);
}

#[test]
fn a_set_that_one_variable_holds_changes_in_place() {
    let (sets, mut shares) = (Sets::new(), Shares::new());
    let set = sets.pair(at(1, 1), at(2, 1), &mut shares);
    assert_eq!(sets.with(set, at(2, 1), &mut shares), set, "nothing new");
    let new = sets.with(set, at(2, 2), &mut shares);
    assert_eq!((reads(&sets, new), sets.live()), (alloc::vec![at(1, 1), at(2, 2)], 1));
    assert_eq!(index_of(new), index_of(set));
    assert!(new != set && !sets.hold(set) && sets.hold(new), "the old handle names nothing any more");
    // Two hold it now.
    let third = sets.with(new, at(2, 3), &mut shares);
    assert_eq!(reads(&sets, new), [at(1, 1), at(2, 2)]);
    assert_eq!((reads(&sets, third), sets.live()), (alloc::vec![at(1, 1), at(2, 3)], 2));
}

/// As a thread does it that reads an array.
#[test]
fn what_a_thread_made_lately_it_finds_again() {
    let (sets, mut shares) = (Sets::new(), Shares::new());
    assert_eq!(sets.shared(at(1, 1), at(2, 1), &shares), None);
    let set = sets.pair(at(1, 1), at(2, 1), &mut shares);
    assert_eq!(sets.shared(at(1, 1), at(2, 1), &shares), Some(set));
    let more = sets.with(set, at(3, 1), &mut shares);
    assert_eq!(sets.shared(set, at(3, 1), &shares), Some(more));
    assert_eq!(sets.with(set, at(3, 1), &mut shares), more);
    assert_eq!(sets.live(), 1, "nobody holds the first one");
    (0..3).for_each(|_| sets.release(more));
    assert_eq!((sets.live(), sets.shared(set, at(3, 1), &shares)), (0, None));
}

#[test]
fn reads_of_parts() {
    let (sets, mut shares) = (Sets::new(), Shares::new());
    let (low, high) = (at(1, 1).with_extent(LOW), at(1, 2).with_extent(HIGH));
    let set = sets.pair(at(2, 1), low, &mut shares);
    let both = sets.with(set, high, &mut shares);
    assert_eq!(reads(&sets, both), [low, high, at(2, 1)], "of different bytes");
    assert_eq!((sets.latest(both, Slot(1)), sets.latest(both, Slot(3))), (Some(high), None));
    assert!(!sets.are_all_of(both, Word::WHOLE) && !sets.are_all_of(both, LOW));
    let whole = sets.with(both, at(1, 3), &mut shares);
    assert_eq!(reads(&sets, whole), [at(1, 3), at(2, 1)], "one for all of them");
    assert!(sets.are_all_of(whole, Word::WHOLE) && !sets.are_all_of(whole, LOW));
    let part = at(1, 4).with_extent(LOW);
    let parts = sets.with(whole, part, &mut shares);
    assert_eq!(reads(&sets, parts), [at(1, 3).with_extent(HIGH), part, at(2, 1)], "for a part of it");
    assert_eq!(sets.live(), 1);
}

/// Some of what is known, by whichever of the two.
#[test]
fn reads_that_are_forgotten() {
    type Less = fn(&Sets, Word, u8, &mut Shares) -> Word;
    let forget: Less = |sets, set, extent, _| sets.forget(set, extent);
    for less in [forget, Sets::less] {
        let (sets, mut shares) = (Sets::new(), Shares::new());
        let (low, high) = (at(1, 1).with_extent(LOW), at(2, 1).with_extent(HIGH));
        let make = || sets.gather(&mut [low, high, at(3, 1)]);
        let left = less(&sets, make(), HIGH, &mut shares);
        assert_eq!(reads(&sets, left), [low, at(3, 1).with_extent(LOW)]);
        assert_eq!(less(&sets, left, LOW, &mut shares), Word::NONE);
        let pair = sets.gather(&mut [low, high]);
        assert_eq!(less(&sets, pair, LOW, &mut shares), high, "one read is no set");
        assert_eq!(sets.live(), 0);
    }
}

/// Of the bytes in question, and as often as one asks.
#[test]
fn reads_that_are_not_known() {
    let sets = Sets::new();
    let mut thread = ThreadState::new(Slot(0), Clock(0), |_| false);
    let (known, unknown) = (at(1, 1).with_extent(LOW), at(2, 1).with_extent(HIGH));
    thread.learn(Slot(1), Clock(1));
    let set = sets.gather(&mut [known, unknown]);
    let asked = |extent: u8| sets.unknown(set, &thread, extent);
    assert_eq!([asked(LOW), asked(Word::WHOLE), asked(HIGH)], [None, Some(unknown), Some(unknown)]);
    assert_eq!([asked(LOW), asked(Word::WHOLE)], [None, Some(unknown)]);
    thread.learn(Slot(2), Clock(1));
    assert_eq!(sets.unknown(set, &thread, Word::WHOLE), None);
    let later = sets.gather(&mut [known, at(2, 2)]);
    assert_eq!(sets.unknown(later, &thread, Word::WHOLE), Some(at(2, 2)), "another set");
}
