//! Random feasible traces: every precise detector agrees with the oracle, on each byte, at the same event.

mod common;

use common::{first_races, judge_all, run};
use deadheat_detect::DetectorKind;
use deadheat_trace::generate::{Disciplined, Shape, Workload, random_trace};
use deadheat_trace::{Event, Feasibility, Loc, LockId, Op, Span, Tid, Trace};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn all_operations(choices in prop::collection::vec(any::<u64>(), 0..400)) {
        let trace = random_trace(choices, Shape::default());
        judge_all(&trace.events).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn few_threads_much_contention(choices in prop::collection::vec(any::<u64>(), 0..200)) {
        let trace = random_trace(choices, Shape { threads: 2, vars: 1, objects: 1, accesses: 8 });
        judge_all(&trace.events).map_err(TestCaseError::fail)?;
    }

    /// Few accesses between much synchronisation: whether they race hangs on long chains of it.
    #[test]
    fn long_chains(choices in prop::collection::vec(any::<u64>(), 0..400)) {
        let trace = random_trace(choices, Shape { threads: 3, vars: 4, objects: 1, accesses: 1 });
        judge_all(&trace.events).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn many_threads(choices in prop::collection::vec(any::<u64>(), 0..600)) {
        let trace = random_trace(choices, Shape { threads: 9, vars: 2, objects: 3, accesses: 4 });
        judge_all(&trace.events).map_err(TestCaseError::fail)?;
    }
}

/// Threads come and go: who is forked after whose end decides whose slot is taken over.
fn churn(choices: &[u32]) -> Vec<Event> {
    let (mut feasible, mut events, mut born) = (Feasibility::default(), Vec::new(), 1);
    for &choice in choices {
        let (tid, other) = (Tid(choice % born), Tid(choice / 64 % born));
        let op = match choice / 4096 % 8 {
            0 | 1 => Op::Fork(Tid(born)),
            2 => Op::Join(other),
            3 => Op::Exit,
            4 => Op::Write(Span::named(choice / 65536 % 4)),
            5 => Op::Read(Span::named(choice / 65536 % 4)),
            6 => Op::Acquire(LockId(0)),
            _ => Op::Release(LockId(0)),
        };
        let event = Event { op, tid, loc: Loc::NONE };
        if feasible.check(&event).is_ok() {
            events.push(event);
            born += u32::from(matches!(op, Op::Fork(_)));
        }
    }
    events
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn threads_come_and_go(choices in prop::collection::vec(any::<u32>(), 0..150)) {
        judge_all(&churn(&choices)).map_err(TestCaseError::fail)?;
    }
}

fn disciplined(work: Workload) -> Trace {
    Trace::read(&mut Disciplined::new(work)).expect("a generator does not fail")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    /// Traces in which order is kept but for a few slips: the last words of long synchronisation chains matter here.
    #[test]
    fn disciplined_with_slips(
        seed in any::<u64>(), threads in 1u32..7, vars in 1u32..9, locks in 0u32..4, channels in 0u32..5,
        race_density in prop_oneof![Just(0.0), Just(0.01), Just(0.1)], section in 1u32..6, burst in 1u32..5,
    ) {
        let work = Workload { threads, vars, locks, channels, events: 400, race_density, reads: 0.6, section, burst, seed };
        let trace = disciplined(work);
        let mut feasible = Feasibility::default();
        for event in &trace.events {
            prop_assert!(feasible.check(event).is_ok(), "{event:?}");
        }
        judge_all(&trace.events).map_err(TestCaseError::fail)?;
        if race_density == 0.0 {
            prop_assert!(run(DetectorKind::Oracle, 1, &trace.events).is_empty());
        }
    }
}

/// The property tests would pass on traces that say nothing: this shows that they do not.
#[test]
fn the_random_traces_have_substance() {
    let mut rng = fastrand::Rng::with_seed(7);
    let (mut racy, mut quiet, mut seen) = (0, 0, [0usize; 31]);
    for _ in 0..500 {
        let shape = Shape { threads: 3, vars: 4, objects: 1, accesses: 1 };
        let trace = random_trace((0..400).map(|_| rng.u64(..)), shape);
        let races = run(DetectorKind::Oracle, 1, &trace.events);
        let bytes: std::collections::BTreeSet<u64> =
            trace.events.iter().filter_map(|e| e.op.access()).map(|a| a.span.addr.0).collect();
        racy += first_races(&races).len().min(1);
        quiet += usize::from(bytes.len() > first_races(&races).len());
        trace.events.iter().for_each(|e| seen[number(e.op)] += 1);
    }
    assert!(racy > 200 && quiet > 200, "{racy} racy, {quiet} with quiet variables");
    assert!(seen.iter().take(29).all(|&n| n > 5), "{seen:?}");
}

/// A number for each kind of operation; markers come last.
fn number(op: Op) -> usize {
    match op {
        Op::Read(_) => 0,
        Op::Write(_) => 1,
        Op::Acquire(_) => 2,
        Op::Release(_) => 3,
        Op::AcquireShared(_) => 4,
        Op::ReleaseShared(_) => 5,
        Op::Fork(_) => 6,
        Op::Join(_) => 7,
        Op::Start => 8,
        Op::Exit => 9,
        Op::VolatileRead(_) => 10,
        Op::VolatileWrite(_) => 11,
        Op::AtomicLoad(..) => 12,
        Op::AtomicStore(..) => 13,
        Op::AtomicRmw(..) => 14,
        Op::Fence(_) => 15,
        Op::Wait(..) => 16,
        Op::Woken(..) => 17,
        Op::Notify(..) => 18,
        Op::BarrierMake(..) => 19,
        Op::BarrierEnter(_) => 20,
        Op::BarrierLeave(_) => 21,
        Op::ChanMake(..) => 22,
        Op::Send(_) => 23,
        Op::Receive(_) => 24,
        Op::ReceiveClosed(_) => 25,
        Op::Close(_) => 26,
        Op::Alloc(_) => 27,
        Op::Free(_) => 28,
        Op::Begin(_) => 29,
        Op::End(_) => 30,
    }
}
