//! The rules state by state, the paper's Figure 1 first, for each implementation; and what becomes of parts of a variable.
#![cfg(not(loom))]

mod common;

use common::{Actor, PlainVar, Rules, Variant};
use deadheat_online::{Clock, LockState, Outcome, Rule, Sets, Slot, ThreadState, VarState, Word};

const WHOLE: u8 = Word::WHOLE;
const A: u32 = 0;
const B: u32 = 1;

fn at(slot: u32, clock: u64) -> Word {
    Word::new(Slot(slot), Clock(clock), WHOLE)
}

/// A thread whose next clock is that.
fn actor(slot: u32, clock: u64) -> Actor {
    let thread = ThreadState::new(Slot(slot), Clock(clock - 1), |_| false);
    Actor { thread, last: Word::NONE }
}

/// A variable that remembers that write and that read.
fn var(w: Word, r: Word) -> VarState {
    let var = VarState::new();
    var.lock();
    var.set_r(r);
    var.unlock(w);
    var
}

fn reads(var: &VarState, sets: &Sets) -> Vec<Word> {
    PlainVar::of(var, sets).reads.into_values().collect()
}

#[test]
fn figure_1() {
    for variant in Variant::ALL {
        let (sets, x) = (Sets::new(), var(at(A, 1), at(A, 1)));
        let (mut a, mut b, mut m) = (actor(A, 4), actor(B, 8), LockState::new());

        assert_eq!(variant.write(&mut a, &x, &sets, WHOLE), Some(Rule::WriteExclusive.into()));
        assert_eq!((x.load_w(), x.load_r()), (at(A, 4), at(A, 1)));

        a.thread.release(&mut m);
        assert!(m.covers(at(A, 4)) && !m.covers(at(A, 5)) && !m.covers(at(B, 1)));

        b.thread.acquire(&m);
        assert!(b.thread.covers(at(A, 4)) && !b.thread.covers(at(A, 5)));

        assert_eq!(variant.read(&mut b, &x, &sets, WHOLE), Some(Rule::ReadExclusive.into()));
        assert_eq!((x.load_w(), x.load_r()), (at(A, 4), at(B, 8)));

        assert_eq!(variant.read(&mut a, &x, &sets, WHOLE), Some(Rule::ReadShare.into()));
        assert_eq!((x.load_w(), reads(&x, &sets)), (at(A, 4), vec![at(A, 5), at(B, 8)]));

        let race = variant.write(&mut a, &x, &sets, WHOLE).unwrap();
        assert_eq!(race, Outcome::racing(Rule::SharedWriteRace, at(B, 8)), "{variant:?}");
        assert_eq!(x.load_w(), at(A, 5));
    }
}

/// Each rule that Figure 1 leaves out, from a state that calls for it.
#[test]
fn the_other_rules() {
    for variant in Variant::ALL {
        let sets = Sets::new();
        let (mut a, mut b) = (actor(A, 4), actor(B, 8));
        let again = |x: &VarState, a: &mut Actor, rule: Rule| {
            let before = PlainVar::of(x, &sets);
            let outcome = if rule == Rule::WriteSameEpoch {
                variant.write(a, x, &sets, WHOLE)
            } else {
                variant.read(a, x, &sets, WHOLE)
            };
            assert_eq!((outcome, PlainVar::of(x, &sets)), (Some(rule.into()), before), "{variant:?}");
        };

        let x = VarState::new();
        variant.read(&mut a, &x, &sets, WHOLE);
        again(&x, &mut a, Rule::ReadSameEpoch);
        variant.write(&mut a, &x, &sets, WHOLE);
        again(&x, &mut a, Rule::WriteSameEpoch);
        let race = Outcome::racing(Rule::WriteReadRace, at(A, 4));
        assert_eq!(variant.read(&mut b, &x, &sets, WHOLE), Some(race), "recorded nevertheless:");
        assert_eq!(reads(&x, &sets), [at(A, 4), at(B, 8)]);

        let x = VarState::new();
        variant.read(&mut a, &x, &sets, WHOLE);
        variant.read(&mut b, &x, &sets, WHOLE);
        let fasttrack = variant.rules() == Rules::FastTrack;
        again(&x, &mut b, if fasttrack { Rule::ReadShared } else { Rule::ReadSharedSameEpoch });

        let x = var(at(A, 4), Word::NONE);
        let race = Outcome::racing(Rule::WriteWriteRace, at(A, 4));
        assert_eq!(variant.write(&mut b, &x, &sets, WHOLE), Some(race));
        let x = var(Word::NONE, at(A, 4));
        let race = Outcome::racing(Rule::ReadWriteRace, at(A, 4));
        assert_eq!(variant.write(&mut b, &x, &sets, WHOLE), Some(race));
    }
}

/// [Write Shared] forgets the reads, and their set is free again.
#[test]
fn a_write_after_all_reads_forgets_them() {
    for variant in Variant::ALL {
        let (sets, x) = (Sets::new(), VarState::new());
        let (mut a, mut b) = (actor(A, 1), actor(B, 1));
        variant.read(&mut a, &x, &sets, WHOLE);
        variant.read(&mut b, &x, &sets, WHOLE);
        assert_eq!(sets.live(), 1);
        a.thread.join(&b.thread);
        assert_eq!(variant.write(&mut a, &x, &sets, WHOLE), Some(Rule::WriteShared.into()));
        assert_eq!((x.load_r(), sets.live()), (Word::NONE, 0));
    }
}

/// Accesses of one part of a variable are like those of a whole one, as long as all is about the same part.
#[test]
fn parts() {
    const LOW: u8 = 0x0f;
    for variant in Variant::ALL {
        let (sets, x) = (Sets::new(), VarState::new());
        let (mut a, mut b) = (actor(A, 1), actor(B, 1));
        assert_eq!(variant.write(&mut a, &x, &sets, LOW), Some(Rule::WriteExclusive.into()));
        assert_eq!(variant.read(&mut a, &x, &sets, LOW), Some(Rule::ReadExclusive.into()));
        let low = at(A, 1).with_extent(LOW);
        assert_eq!((x.load_w(), x.load_r()), (low, low));

        let refused = |b: &mut Actor, write: bool, extent: u8| {
            let now = b.thread.now();
            let outcome =
                if write { variant.write(b, &x, &sets, extent) } else { variant.read(b, &x, &sets, extent) };
            assert_eq!((x.load_w(), x.load_r()), (low, low), "nothing changes");
            outcome.is_none() && b.thread.now() == now
        };
        for extent in [WHOLE, 0xf0, 0x03] {
            assert!(
                refused(&mut b, true, extent) && refused(&mut b, false, extent),
                "{variant:?} {extent:x}"
            );
        }
        // More bytes by the same stamp: v2 needs no lock for that, and no look at each byte.
        if variant != Variant::V2 {
            assert!(refused(&mut a, true, WHOLE) && refused(&mut a, false, WHOLE));
        }
        // A part of a part, in the same epoch: seen without the lock only.
        assert_eq!(refused(&mut a, true, 0x03), variant == Variant::V1);
        assert_eq!(refused(&mut a, false, 0x03), variant == Variant::V1);
        assert!(refused(&mut b, false, LOW), "a set is for whole variables");
        let race = Outcome::racing(Rule::WriteWriteRace, low);
        assert_eq!(variant.write(&mut b, &x, &sets, LOW), Some(race));
    }
}

/// Without the lock, v2 takes what it knows for whatever bytes, as long as one word is enough for what is left.
#[test]
fn parts_that_one_word_can_tell() {
    let (sets, x) = (Sets::new(), VarState::new());
    let (mut a, mut b) = (actor(A, 1), actor(B, 1));
    let v2 = Variant::V2;
    assert_eq!(v2.write(&mut a, &x, &sets, 0x0f), Some(Rule::WriteExclusive.into()));
    assert_eq!(v2.write(&mut a, &x, &sets, 0xf0), Some(Rule::WriteExclusive.into()));
    assert_eq!(v2.read(&mut a, &x, &sets, 0x03), Some(Rule::ReadExclusive.into()));
    assert_eq!((x.load_w(), x.load_r()), (at(A, 1), at(A, 1).with_extent(0x03)));
    b.thread.join(&a.thread);
    assert_eq!(v2.read(&mut b, &x, &sets, 0x0f), Some(Rule::ReadExclusive.into()), "stands for a's");
    assert_eq!(v2.write(&mut b, &x, &sets, 0x0f), None, "a's write of the other half stays");
    assert_eq!((x.load_w(), x.load_r()), (at(A, 1), at(B, 1).with_extent(0x0f)));
}

#[test]
fn a_part_of_a_variable_with_a_set() {
    for variant in Variant::ALL {
        let (sets, x) = (Sets::new(), VarState::new());
        let (mut a, mut b) = (actor(A, 1), actor(B, 1));
        variant.read(&mut a, &x, &sets, WHOLE);
        variant.read(&mut b, &x, &sets, WHOLE);
        let set = x.load_r();
        let mut c = actor(2, 1);
        assert_eq!(variant.read(&mut c, &x, &sets, 0x0f), None);
        assert_eq!(variant.write(&mut c, &x, &sets, 0x0f), None);
        // Who has read the whole variable in this epoch has read the part, which v2 sees.
        let part = variant.read(&mut a, &x, &sets, 0x0f);
        assert_eq!(part.is_some(), variant == Variant::V2, "{variant:?}");
        assert_eq!((x.load_w(), x.load_r()), (Word::NONE, set));
    }
}

#[test]
fn a_word_that_is_not_ours_is_left_alone() {
    // But for one bit, they are accesses that the thread knows.
    let pointer = Word(Word::SPECIAL | at(A, 1).0);
    let line = Word(Word::SPECIAL | Word::FOREIGN | at(A, 1).0);
    for (variant, (w, r)) in Variant::ALL.into_iter().flat_map(|variant| {
        [(pointer, Word::NONE), (pointer, line), (Word::NONE, line), (at(A, 1), line)]
            .map(|pair| (variant, pair))
    }) {
        let (sets, x) = (Sets::new(), var(w, r));
        let mut a = actor(A, 2);
        assert_eq!(variant.read(&mut a, &x, &sets, WHOLE), None);
        assert_eq!(variant.write(&mut a, &x, &sets, WHOLE), None);
        assert_eq!((x.load_w(), x.load_r(), a.thread.now()), (w, r, Clock(1)), "{variant:?}");
    }
}

/// Reads of other bytes, by a thread that is not known: no matter for this handler.
#[test]
fn a_read_of_another_part() {
    let read = at(A, 1).with_extent(0xf0);
    for variant in Variant::ALL {
        let (sets, x) = (Sets::new(), var(Word::NONE, read));
        let mut b = actor(B, 1);
        assert_eq!(variant.write(&mut b, &x, &sets, 0x0f), None, "{variant:?}");
        assert_eq!(variant.read(&mut b, &x, &sets, 0x0f), None, "{variant:?}");
        assert_eq!((x.load_w(), x.load_r()), (Word::NONE, read));
    }
}

/// A read that its thread released to nobody is not forgotten when a later thread in the slot reads too.
#[test]
fn an_orphaned_read() {
    let orphaned = |word: Word| word.slot() == Slot(A) && matches!(word.clock(), Clock(0 | 1));
    let thread = |slot, before| {
        let thread = ThreadState::new(Slot(slot), Clock(before), orphaned);
        Actor { thread, last: Word::NONE }
    };
    for variant in Variant::ALL {
        // Alone, or in a set already when the later thread comes.
        for readers in [1, 2] {
            an_orphan_among(readers, variant, thread);
        }
    }
}

fn an_orphan_among(readers: u32, variant: Variant, thread: impl Fn(u32, u64) -> Actor) {
    let (sets, x) = (Sets::new(), VarState::new());
    let (mut first, mut second, mut writer) = (thread(A, 0), thread(A, 1), thread(B, 0));
    variant.read(&mut first, &x, &sets, WHOLE);
    if readers > 1 {
        variant.read(&mut writer, &x, &sets, WHOLE);
    }
    for _ in 0..3 {
        variant.read(&mut second, &x, &sets, WHOLE);
        second.thread.release(&mut LockState::new());
    }
    writer.thread.join(&second.thread);
    let mut reads = Vec::new();
    sets.each(x.load_r(), |read| reads.push(read));
    assert_eq!(reads[..2], [at(A, 1), at(A, 4)], "the orphan and the last of the others");
    let race = Outcome::racing(Rule::SharedWriteRace, at(A, 1));
    assert_eq!(variant.write(&mut writer, &x, &sets, WHOLE), Some(race), "{variant:?}");
}

/// However many threads leave a read behind that nothing happens after, one of them is enough to race with.
#[test]
fn one_orphaned_read_stands_for_all() {
    let orphaned = |word: Word| word.slot() == Slot(A);
    for variant in Variant::ALL {
        let (sets, x) = (Sets::new(), VarState::new());
        let mut writer = Actor { thread: ThreadState::new(Slot(B), Clock(0), orphaned), last: Word::NONE };
        variant.read(&mut writer, &x, &sets, WHOLE);
        for before in 0..100 {
            let thread = ThreadState::new(Slot(A), Clock(before), orphaned);
            variant.read(&mut Actor { thread, last: Word::NONE }, &x, &sets, WHOLE);
        }
        let mut reads = Vec::new();
        sets.each(x.load_r(), |read| reads.push(read));
        assert_eq!(
            reads,
            [at(A, 1), at(A, 100), at(B, 1)],
            "the first, the last and the other's: {variant:?}"
        );
        let race = Outcome::racing(Rule::SharedWriteRace, at(A, 1));
        assert_eq!(variant.write(&mut writer, &x, &sets, WHOLE), Some(race), "{variant:?}");
    }
}

/// A lock's last release says nothing new to whoever knows its clock, however that thread came to know it.
#[test]
fn clocks_tell_releases_apart() {
    let [mut a, mut b, mut c] = [actor(A, 1), actor(B, 1), actor(2, 1)];
    let (mut m, mut n, mut o) = (LockState::new(), LockState::new(), LockState::new());
    c.stamp();
    c.thread.release(&mut o);
    a.stamp();
    a.thread.release(&mut m);
    b.thread.acquire(&m);
    // A learns of C without an access of its own; B already knows all accesses of A.
    a.thread.acquire(&o);
    a.thread.release(&mut n);
    b.thread.acquire(&n);
    assert!(b.thread.covers(at(2, 1)), "a release after an acquire is a new one");
    // The same when what A acquires has no last releaser.
    let mut d = actor(3, 1);
    d.stamp();
    d.thread.release_join(&mut o);
    a.thread.acquire(&o);
    a.thread.release(&mut n);
    b.thread.acquire(&n);
    assert!(b.thread.covers(at(3, 1)), "after an acquire of several releases too");
    // The same when A goes on in a slot whose earlier clocks B knows.
    a.thread.move_to(Slot(2), Clock(1));
    let last = a.thread.known().get(Slot(A));
    a.thread.release(&mut m);
    b.thread.acquire(&m);
    assert!(b.thread.covers(at(A, last.0)), "and so is the first one in a new slot");
}

#[test]
fn rules_have_the_names_of_the_paper() {
    for rule in Rule::ALL {
        assert_eq!(rule.name().replace([' ', '-'], ""), format!("{rule:?}"));
    }
}

#[test]
fn later_is_within_half_the_range() {
    let start = at(A, 1);
    assert!(start.is_since(start) && at(A, Clock::LIMIT).is_since(start) && !at(A, 0).is_since(start));
    assert!(!Word(start.0 + Clock::LIMIT).is_since(start) && !at(B, 1).is_since(start));
}
