//! Which rule is applied and counted, and what is one race and what are two.

use super::{M, Run, x};
use crate::detector::Detector;
use crate::fasttrack::FastVar;
use crate::hb_sets::after_write::AfterWriteVar;
use crate::hb_sets::all_races::AllRacesVar;
use crate::hb_sets::collected::Collected;
use crate::history::Site;
use crate::precise::{Precise, VarState};
use crate::rule::Rule;
use crate::sync::JoinRule;
use crate::vector_clock::VarClocks;
use crate::verifiedft::VerifiedVar;
use deadheat_clock::Tid;
use deadheat_trace::{Addr, BarrierId, Event, EventId, LoadOrder, Loc, Op, RmwOrder, Span, StoreOrder};

fn counted<V: VarState>(steps: &[(u32, Op)]) -> Vec<(Rule, u64)> {
    counted_by(Precise::<V>::new(JoinRule::Keep), steps)
}

fn counted_by(detector: impl Detector, steps: &[(u32, Op)]) -> Vec<(Rule, u64)> {
    let mut run = Run::new(detector).started(3);
    steps.iter().for_each(|&(t, op)| {
        run.step(Tid(t), op);
    });
    run.detector.counters().iter().collect()
}

#[test]
fn each_access_is_counted_under_its_rule() {
    use Rule::*;
    let (r, w) = (Op::Read(x()), Op::Write(x()));
    type Case<'a> = (&'a [(u32, Op)], &'a [(Rule, u64)]);
    let cases: [Case<'_>; 8] = [
        (&[(0, w), (0, w)], &[(WriteSameEpoch, 1), (WriteExclusive, 1)]),
        (&[(0, w), (1, w)], &[(WriteExclusive, 1), (WriteWriteRace, 1)]),
        (&[(0, w), (1, Op::Free(x()))], &[(WriteExclusive, 1), (WriteWriteRace, 1)]),
        (&[(0, w), (1, r)], &[(WriteReadRace, 1), (WriteExclusive, 1)]),
        (&[(0, r), (0, w)], &[(ReadExclusive, 1), (WriteExclusive, 1)]),
        (&[(0, r), (1, w)], &[(ReadExclusive, 1), (ReadWriteRace, 1)]),
        (&[(0, r), (1, r), (2, r)], &[(ReadExclusive, 1), (ReadShare, 1), (ReadShared, 1)]),
        (&[(0, r), (1, r), (2, w)], &[(ReadExclusive, 1), (ReadShare, 1), (SharedWriteRace, 1)]),
    ];
    for (steps, rules) in cases {
        assert_eq!(counted::<VerifiedVar>(steps), rules, "{steps:?}");
        assert_eq!(counted::<FastVar>(steps), rules, "{steps:?}");
    }
}

#[test]
fn the_other_detectors_tell_their_races_apart_too() {
    use Rule::*;
    let (r, w) = (Op::Read(x()), Op::Write(x()));
    assert_eq!(counted::<VarClocks>(&[(0, w), (1, w)]), [(Write, 1), (WriteWriteRace, 1)]);
    assert_eq!(counted::<VarClocks>(&[(0, r), (1, w)]), [(Read, 1), (ReadWriteRace, 1)]);
    for (steps, rules) in
        [([(0, w), (1, w)], [(RWrite, 1), (RWriteWaW, 1)]), ([(0, r), (1, w)], [(RRead, 1), (RWriteWaR, 1)])]
    {
        assert_eq!(counted::<AllRacesVar>(&steps), rules);
        assert_eq!(counted_by(Collected::new(1000), &steps), rules);
    }
}

#[test]
fn garbage_is_collected_every_so_often() {
    // Three starts and four reads.
    let rules = counted_by(Collected::new(3), &[(0, Op::Read(x())); 4]);
    assert_eq!(rules.iter().find(|(rule, _)| *rule == Rule::RGc), Some(&(Rule::RGc, 2)));
}

/// An atomic access goes by its own label, not by one that happens to be known.
#[test]
fn a_plain_write_races_with_an_atomic_one() {
    fn races<V: VarState>() -> usize {
        let mut run = Run::new(Precise::<V>::new(JoinRule::Keep));
        run.step(Tid(1), Op::Write(Span::named(1)));
        run.step(Tid(0), Op::AtomicStore(x(), StoreOrder::Relaxed)).step(Tid(1), Op::Write(x()));
        run.races
    }
    assert_eq!([races::<AfterWriteVar>(), races::<AllRacesVar>(), races::<VarClocks>()], [1, 1, 1]);
}

#[test]
fn a_read_modify_write_releases_and_acquires() {
    let flag = Span::named(1);
    let races = |by: RmwOrder, to: RmwOrder| {
        let mut run = Run::new(Precise::<VerifiedVar>::new(JoinRule::Keep)).started(2);
        run.step(Tid(0), Op::Write(x())).step(Tid(0), Op::AtomicRmw(flag, by));
        run.step(Tid(1), Op::AtomicRmw(flag, to)).step(Tid(1), Op::Read(x())).races
    };
    assert_eq!(races(RmwOrder::AcqRel, RmwOrder::AcqRel), 0);
    assert_eq!(races(RmwOrder::Relaxed, RmwOrder::AcqRel), 1);
    assert_eq!(races(RmwOrder::AcqRel, RmwOrder::Relaxed), 1);
}

/// What a thread does after a release is not published by it.
#[test]
fn an_atomic_release_begins_an_epoch() {
    let flag = Span::named(1);
    for release in [Op::AtomicStore(flag, StoreOrder::Release), Op::AtomicRmw(flag, RmwOrder::Release)] {
        let mut run = Run::new(Precise::<VerifiedVar>::new(JoinRule::Keep)).started(2);
        run.step(Tid(0), release).step(Tid(0), Op::Write(x()));
        run.step(Tid(1), Op::AtomicLoad(flag, LoadOrder::Acquire)).step(Tid(1), Op::Read(x()));
        assert_eq!(run.races, 1, "{release:?}");
    }
}

/// An atomic access that is known is known to plain ones, and its label is no garbage: a location remembers it.
#[test]
fn a_plain_write_after_an_atomic_one() {
    fn races(detector: impl Detector) -> usize {
        let mut run = Run::new(detector).started(2);
        let store = Op::AtomicStore(x(), StoreOrder::Relaxed);
        run.step(Tid(0), Op::Acquire(M)).step(Tid(0), store).step(Tid(0), Op::Release(M));
        run.step(Tid(1), Op::Acquire(M)).step(Tid(1), Op::Write(x())).races
    }
    assert_eq!(races(Precise::<VerifiedVar>::new(JoinRule::Keep)), 0);
    assert_eq!(races(Collected::new(1)), 0);
}

/// Who enters when a round of two is complete is in the next one, although nobody has left yet.
#[test]
fn rounds_of_a_barrier() {
    let (b, y, z) = (BarrierId(0), Span::named(1), Span::named(2));
    let (enter, leave) = (Op::BarrierEnter(b), Op::BarrierLeave(b));
    let mut run = Run::new(Precise::<VerifiedVar>::new(JoinRule::Keep)).started(3);
    let mut races = |steps: &[(u32, Op)]| {
        steps.iter().for_each(|&(t, op)| {
            run.step(Tid(t), op);
        });
        run.races
    };
    races(&[(0, Op::BarrierMake(b, 2)), (0, Op::Write(x())), (2, Op::Write(y))]);
    races(&[(0, enter), (1, enter), (2, enter), (0, leave)]);
    assert_eq!(races(&[(0, Op::Read(y))]), 1, "2 is in the next round");
    races(&[(0, Op::Write(z)), (0, enter), (2, leave)]);
    assert_eq!(races(&[(2, Op::Read(z))]), 1, "0 was in the second round before 2 left it");
    assert_eq!(races(&[(1, leave), (1, Op::Read(x()))]), 1, "0 was in the first round");
    assert_eq!(races(&[(1, Op::Read(z))]), 2, "0 wrote this after the first round");
}

#[test]
fn sites_keep_the_numbers_of_long_traces() {
    let event = Event { op: Op::Read(x()), tid: Tid(0), loc: Loc::NONE };
    for id in [0, 7, u64::from(u32::MAX), (1 << 33) + 5].map(EventId) {
        assert_eq!(Site::new(id, &event).event(), id);
    }
}

#[test]
fn synchronisation_is_counted_apart() {
    let (lock, unlock) = (Op::Acquire(M), Op::Release(M));
    let rules = counted::<VerifiedVar>(&[(0, lock), (0, lock), (0, Op::Read(x())), (0, unlock), (0, unlock)]);
    let accesses: Vec<_> = rules.iter().filter(|(rule, _)| rule.is_access()).collect();
    assert_eq!(accesses, [&(Rule::ReadExclusive, 1)]);
    let count = |rule| rules.iter().find(|(r, _)| *r == rule).map(|(_, n)| *n);
    // Entered again once, and left again once.
    assert_eq!(
        (count(Rule::Acquire), count(Rule::Release), count(Rule::Reenter)),
        (Some(1), Some(1), Some(2))
    );
    assert!(!Rule::RGc.is_access() && !Rule::Acquire.is_access() && Rule::Read.is_access());
}

/// Bytes side by side that race with the same earlier access are one race.
#[test]
fn a_race_of_several_cells() {
    let at = |addr: u64, size: u64| Span { addr: Addr(addr), size };
    let spans = |steps: &[(u32, Op)]| {
        let mut run = Run::new(Precise::<VerifiedVar>::new(JoinRule::Keep)).started(3);
        let (last, first) = steps.split_last().expect("there are steps");
        first.iter().for_each(|&(t, op)| {
            run.step(Tid(t), op);
        });
        let mut spans = Vec::new();
        let event = Event { op: last.1, tid: Tid(last.0), loc: Loc::NONE };
        run.detector.on_event(EventId(run.steps), &event, &mut |race| spans.push(race.span));
        spans
    };
    let read = (2, Op::Read(at(64, 8)));
    let whole = (0, Op::Write(at(64, 8)));
    assert_eq!(spans(&[whole, (1, Op::Read(at(66, 4))), read]), [at(64, 8)], "cells of one write");
    assert_eq!(spans(&[whole, (2, Op::Write(at(66, 4))), read]), [at(64, 2), at(70, 2)], "not side by side");
    let halves = [(0, Op::Write(at(64, 4))), (0, Op::Write(at(68, 4))), read];
    assert_eq!(spans(&halves), [at(64, 4), at(68, 4)], "two writes");
}
