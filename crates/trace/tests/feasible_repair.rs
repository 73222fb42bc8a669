//! Lenient mode: what comes out is feasible whatever comes in, and the common gaps of logs are filled as one would.

mod hb_build;

use deadheat_trace::*;
use hb_build::*;

/// The repaired trace, and the repairs in words.
fn repaired(steps: &[(u32, Op)]) -> (Vec<(u32, Op)>, Vec<String>) {
    let (mut checker, mut out, mut said) = (Feasibility::new(), Vec::new(), Vec::new());
    for event in trace(steps) {
        let repairs = checker.admit_lenient(&event, &mut out);
        said.extend(repairs.iter().map(|r| r.describe(&Symbols::default())));
    }
    (out.iter().map(|e| (e.tid.0, e.op)).collect(), said)
}

#[track_caller]
fn becomes(steps: &[(u32, Op)], expected: &[(u32, Op)]) {
    assert_eq!(repaired(steps).0, expected);
}

#[test]
fn garbage_becomes_feasible() {
    let (mut most, mut kept, mut all) = (0, 0, 0);
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let (mut lenient, mut strict) = (Feasibility::new(), Feasibility::new());
        let mut out = Vec::new();
        for _ in 0..80 {
            let event = random.event();
            out.clear();
            let repairs = lenient.admit_lenient(&event, &mut out);
            most = most.max(repairs.len());
            let dropped = repairs.last().is_some_and(|r| r.fix == Fix::Drop);
            let inserted =
                repairs.iter().map(|r| if let Fix::Insert(e) = &r.fix { e.len() } else { 0 }).sum::<usize>();
            assert_eq!(out.len(), inserted + usize::from(!dropped), "seed {seed}: {repairs:?}");
            for e in &out {
                assert_eq!(strict.check(e), Ok(()), "seed {seed}: {e:?} for {event:?} after {repairs:?}");
            }
            (kept, all) = (kept + usize::from(!dropped), all + 1);
        }
    }
    assert!(most <= 3, "the comment at MOST_REPAIRS says three, and it was {most}");
    assert!(kept * 4 > all, "even of garbage a part is used: {kept} of {all}");
}

#[test]
fn a_feasible_trace_stays_as_it_is() {
    for seed in 0..500 {
        let events = Random::new(seed).feasible(300);
        let (mut checker, mut out) = (Feasibility::new(), Vec::new());
        for event in &events {
            assert_eq!(checker.admit_lenient(event, &mut out), []);
        }
        assert_eq!(out, events);
    }
}

#[test]
fn gaps_around_locks() {
    becomes(&[(1, rel(0))], &[(1, acq(0)), (1, rel(0))]);
    becomes(
        &[(1, acq(0)), (1, acq(0)), (2, acq(0))],
        &[(1, acq(0)), (1, acq(0)), (1, rel(0)), (1, rel(0)), (2, acq(0))],
    );
    becomes(&[(1, racq(0)), (1, rel(0))], &[(1, racq(0)), (1, rrel(0))]); // an untyped unlock
    becomes(
        &[(1, acq(0)), (1, racq(0)), (1, rrel(0)), (1, rel(0))],
        &[(1, acq(0)), (1, acq(0)), (1, rel(0)), (1, rel(0))],
    );
    becomes(&[(1, acq(0)), (1, Op::Exit), (2, acq(0))], &[(1, acq(0)), (1, Op::Exit)]);
    becomes(&[(1, woken(0))], &[(1, acq(0)), (1, wait(0)), (1, woken(0))]);
    becomes(&[(1, acq(0)), (1, wait(0)), (1, w())], &[(1, acq(0)), (1, wait(0)), (1, woken(0)), (1, w())]);
}

#[test]
fn gaps_around_threads() {
    becomes(&[(1, Op::Start), (2, Op::Start)], &[(1, Op::Start), (1, fork(2)), (2, Op::Start)]);
    becomes(&[(1, Op::Exit), (2, Op::Start), (2, w())], &[(1, Op::Exit), (2, w())]);
    becomes(
        &[(1, fork(2)), (1, fork(2)), (1, join(2)), (2, w()), (1, join(3)), (3, w())],
        &[(1, fork(2)), (1, join(2)), (3, w())],
    );
}

#[test]
fn gaps_around_other_objects() {
    becomes(&[(1, recv(0))], &[(1, make(0, u32::MAX)), (1, send(0)), (1, recv(0))]);
    becomes(
        &[(1, send(0)), (1, close(0)), (1, close(0))],
        &[(1, make(0, u32::MAX)), (1, send(0)), (1, close(0))],
    );
    becomes(&[(1, leave(0))], &[(1, enter(0)), (1, leave(0))]);
    // Of memory from before the log only the write remains: an alloc would hide races of the free with earlier accesses.
    becomes(&[(1, free(16, 8))], &[(1, Op::Write(Span::new(16, 8)))]);
    becomes(&[(1, alloc(16, 8)), (2, alloc(16, 8))], &[(1, alloc(16, 8)), (2, alloc(16, 8))]);
}

#[test]
fn a_repair_says_what_it_did() {
    let (_, said) = repaired(&[
        (1, acq(0)),
        (2, acq(0)),
        (1, fork(1)),
        (1, free(16, 8)),
        (3, recv(7)),
        (3, racq(1)),
        (4, racq(1)),
        (5, racq(1)),
        (6, racq(1)),
        (2, acq(1)),
    ]);
    assert_eq!(
        said,
        [
            "thread 2 acquires lock 0, which thread 1 holds; assumed before it: thread 1 released lock 0",
            "thread 1 forks itself; dropped the event",
            "thread 1 frees 0x10:8, which is not a live block; took it as: thread 1 wrote 0x10:8",
            "thread 3 uses channel 7, which nobody has made; \
         assumed before it: thread 3 made channel 7, thread 3 sent on channel 7",
            "thread 2 acquires lock 1, which thread 3 holds; assumed before it: thread 3 released lock 1 shared, \
         thread 4 released lock 1 shared, thread 5 released lock 1 shared, and 1 more",
        ]
    );
}
