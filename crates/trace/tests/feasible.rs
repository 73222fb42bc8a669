//! Every rule of feasibility: a trace that keeps it, and one that breaks it with its very last event.

mod hb_build;

use deadheat_trace::*;
use hb_build::*;

fn ok(steps: &[(u32, Op)]) {
    let mut checker = Feasibility::new();
    for event in trace(steps) {
        if let Err(violation) = checker.check(&event) {
            panic!("{event:?}: {}", violation.describe(&Symbols::default()));
        }
    }
}

/// All but the last event can happen, and the last breaks that rule, however often it is tried.
fn breaks(rule: &str, steps: &[(u32, Op)]) -> Violation {
    let events = trace(steps);
    let (last, before) = events.split_last().expect("not empty");
    let mut checker = Feasibility::new();
    for event in before {
        assert_eq!(checker.check(event), Ok(()), "{event:?}");
    }
    let violation = checker.check(last).expect_err("cannot happen");
    assert_eq!(violation.rule(), rule, "{}", violation.describe(&Symbols::default()));
    assert_eq!(checker.check(last), Err(violation), "an error leaves the checker as it was");
    violation
}

#[test]
fn locks() {
    ok(&[(1, acq(0)), (1, acq(0)), (1, rel(0)), (1, rel(0)), (2, acq(0)), (1, acq(1))]);
    ok(&[(1, racq(0)), (2, racq(0)), (1, racq(0)), (1, rrel(0)), (1, rrel(0)), (2, rrel(0)), (1, acq(0))]);
    breaks("lock-held", &[(1, acq(0)), (2, acq(0))]);
    breaks("lock-held", &[(1, acq(0)), (1, acq(0)), (1, rel(0)), (2, acq(0))]);
    breaks("lock-held", &[(1, acq(0)), (2, racq(0))]);
    breaks("lock-held", &[(1, racq(0)), (2, acq(0))]);
    breaks("lock-upgraded", &[(1, racq(0)), (1, acq(0))]);
    breaks("lock-upgraded", &[(2, racq(0)), (1, racq(0)), (1, acq(0))]);
    breaks("lock-downgraded", &[(1, acq(0)), (1, racq(0))]);
    breaks("lock-not-held", &[(1, rel(0))]);
    breaks("lock-not-held", &[(1, acq(0)), (2, rel(0))]);
    breaks("lock-not-held", &[(1, acq(0)), (1, rel(0)), (1, rel(0))]);
    breaks("lock-not-held", &[(1, acq(0)), (1, rrel(0))]);
    breaks("lock-not-held", &[(1, racq(0)), (1, rel(0))]);
    breaks("lock-not-held", &[(1, racq(0)), (2, rrel(0))]);
}

#[test]
fn waits() {
    // The depth comes back: after the wait two releases are due again.
    ok(&[
        (1, acq(0)),
        (1, acq(0)),
        (1, wait(0)),
        (2, acq(0)),
        (2, rel(0)),
        (1, woken(0)),
        (1, rel(0)),
        (1, rel(0)),
    ]);
    breaks("lock-held", &[(1, acq(0)), (1, acq(0)), (1, wait(0)), (1, woken(0)), (1, rel(0)), (2, acq(0))]);
    breaks("wait-without-lock", &[(1, wait(0))]);
    breaks("wait-without-lock", &[(1, racq(0)), (1, wait(0))]);
    breaks("woken-without-wait", &[(1, acq(0)), (1, woken(0))]);
    breaks("step-while-waiting", &[(1, acq(0)), (1, wait(0)), (1, w())]);
    breaks("step-while-waiting", &[(1, acq(0)), (1, wait(0)), (1, Op::Exit)]);
    breaks("step-while-waiting", &[(1, acq(0)), (1, wait(0)), (1, woken(1))]);
    breaks("lock-held", &[(1, acq(0)), (1, wait(0)), (2, acq(0)), (1, woken(0))]);
}

#[test]
fn threads() {
    ok(&[(1, Op::Start), (1, fork(2)), (2, Op::Start), (2, w()), (2, Op::Exit), (1, join(2)), (3, join(2))]);
    ok(&[(1, fork(2)), (1, join(2))]); // an empty thread: condition (5) is not demanded
    ok(&[(1, w()), (2, w()), (1, join(2))]); // a thread that nobody forked
    ok(&[(1, acq(0)), (1, Op::Exit)]);
    ok(&[(1, Op::Exit)]);
    breaks("forked-twice", &[(1, fork(2)), (3, fork(2))]);
    breaks("forked-twice", &[(1, fork(2)), (2, w()), (3, fork(2))]);
    breaks("forked-itself", &[(1, fork(1))]);
    breaks("forked-late", &[(2, w()), (1, fork(2))]);
    breaks("step-after-exit", &[(1, Op::Exit), (1, w())]);
    breaks("step-after-exit", &[(1, Op::Exit), (1, Op::Exit)]);
    breaks("step-after-join", &[(1, fork(2)), (1, join(2)), (2, w())]);
    breaks("started-late", &[(1, w()), (1, Op::Start)]);
    breaks("started-late", &[(1, Op::Start), (1, Op::Start)]);
    breaks("started-without-fork", &[(1, Op::Start), (2, Op::Start)]);
    breaks("joined-itself", &[(1, join(1))]);
    breaks("joined-unknown", &[(1, join(2))]);
    breaks("joined-blocked", &[(2, acq(0)), (2, wait(0)), (1, join(2))]);
    breaks("joined-blocked", &[(2, enter(0)), (1, join(2))]);
    breaks("joined-blocked", &[(1, make(0, 0)), (2, send(0)), (1, join(2))]);
}

#[test]
fn barriers() {
    ok(&[(1, barrier(0, 2)), (1, enter(0)), (2, enter(0)), (1, leave(0)), (1, enter(0)), (2, leave(0))]);
    // More threads than parties: the third arrival opens the second round.
    ok(&[(1, barrier(0, 2)), (1, enter(0)), (2, enter(0)), (3, enter(0)), (2, leave(0)), (1, leave(0))]);
    ok(&[(1, enter(0)), (1, leave(0)), (2, enter(0)), (3, enter(0)), (2, leave(0)), (3, leave(0))]);
    breaks("barrier-for-nobody", &[(1, barrier(0, 0))]);
    breaks("barrier-made-twice", &[(1, barrier(0, 2)), (1, barrier(0, 2))]);
    breaks("barrier-made-late", &[(1, enter(0)), (2, barrier(0, 2))]);
    breaks("left-without-entering", &[(1, leave(0))]);
    breaks("left-too-early", &[(1, barrier(0, 2)), (1, enter(0)), (1, leave(0))]);
    breaks(
        "left-too-early",
        &[(1, barrier(0, 2)), (1, enter(0)), (2, enter(0)), (3, enter(0)), (2, leave(0)), (3, leave(0))],
    );
    breaks("step-inside-barrier", &[(1, enter(0)), (1, enter(0))]);
    breaks("step-inside-barrier", &[(1, enter(0)), (1, enter(1))]);
    breaks("step-inside-barrier", &[(1, enter(0)), (1, leave(1))]);
    breaks("step-inside-barrier", &[(1, enter(0)), (1, r())]);
}

#[test]
fn buffered_channels() {
    ok(&[
        (1, make(0, 2)),
        (1, send(0)),
        (1, send(0)),
        (2, recv(0)),
        (1, send(0)),
        (1, close(0)),
        (2, recv(0)),
    ]);
    ok(&[
        (1, make(0, 1)),
        (1, send(0)),
        (1, close(0)),
        (2, recv(0)),
        (2, recv_closed(0)),
        (3, recv_closed(0)),
    ]);
    breaks("channel-not-made", &[(1, send(0))]);
    breaks("channel-not-made", &[(1, close(0))]);
    breaks("channel-made-twice", &[(1, make(0, 1)), (2, make(0, 1))]);
    breaks("channel-full", &[(1, make(0, 1)), (1, send(0)), (2, send(0))]);
    breaks("channel-empty", &[(1, make(0, 1)), (2, recv(0))]);
    breaks("channel-empty", &[(1, make(0, 1)), (1, close(0)), (2, recv(0))]);
    breaks("sent-on-closed", &[(1, make(0, 1)), (1, close(0)), (2, send(0))]);
    breaks("closed-twice", &[(1, make(0, 1)), (1, close(0)), (2, close(0))]);
    breaks("not-closed", &[(1, make(0, 1)), (1, recv_closed(0))]);
    breaks("not-drained", &[(1, make(0, 1)), (1, send(0)), (1, close(0)), (2, recv_closed(0))]);
}

#[test]
fn rendezvous() {
    ok(&[(1, make(0, 0)), (1, send(0)), (2, recv(0)), (1, w()), (2, w())]);
    ok(&[(1, make(0, 0)), (2, recv(0)), (1, send(0)), (2, w()), (1, close(0)), (2, recv_closed(0))]);
    // First come, first served: the second send frees nobody, the receive frees the first.
    ok(&[(1, make(0, 0)), (1, send(0)), (2, send(0)), (3, recv(0)), (1, w())]);
    breaks("step-in-rendezvous", &[(1, make(0, 0)), (1, send(0)), (2, send(0)), (3, recv(0)), (2, w())]);
    breaks("step-in-rendezvous", &[(1, make(0, 0)), (1, send(0)), (1, recv(0))]);
    breaks("closed-under-sender", &[(1, make(0, 0)), (1, send(0)), (2, close(0))]);
    breaks("closed-under-receiver", &[(1, make(0, 0)), (1, recv(0)), (2, close(0))]);
    breaks("channel-empty", &[(1, make(0, 0)), (1, close(0)), (2, recv(0))]);
    breaks("sent-on-closed", &[(1, make(0, 0)), (1, close(0)), (2, send(0))]);
}

#[test]
fn memory() {
    ok(&[(1, alloc(16, 16)), (1, alloc(32, 8)), (2, free(16, 16)), (2, alloc(8, 24)), (1, w())]);
    // A free that the log missed: the old block is gone, and the new one can be freed.
    for (old, new) in [
        ((16, 16), (24, 16)),
        ((16, 16), (8, 64)),
        ((8, 64), (16, 16)),
        ((u64::MAX - 7, 64), (u64::MAX - 6, 64)),
    ] {
        ok(&[(1, alloc(old.0, old.1)), (2, alloc(new.0, new.1)), (2, free(new.0, new.1))]);
        breaks(
            "not-allocated",
            &[(1, alloc(old.0, old.1)), (2, alloc(new.0, new.1)), (1, free(old.0, old.1))],
        );
    }
    breaks("not-allocated", &[(1, free(16, 16))]);
    breaks("not-allocated", &[(1, alloc(16, 16)), (1, free(16, 8))]);
    breaks("not-allocated", &[(1, alloc(16, 16)), (1, free(20, 12))]);
    breaks("not-allocated", &[(1, alloc(16, 16)), (1, free(16, 16)), (2, free(16, 16))]);
}

#[test]
fn a_violation_says_who_what_and_why() {
    let mut symbols = Symbols::default();
    for (space, name) in [(Namespace::Thread, "T0"), (Namespace::Thread, "T1"), (Namespace::Lock, "m")] {
        symbols.intern(space, name);
    }
    let held = breaks("lock-held", &[(0, acq(0)), (1, acq(0))]);
    assert_eq!(
        held.describe(&symbols),
        "T1 acquires lock m, which T0 holds (rule: a lock has one holder, or several that share it)"
    );
    let early = breaks("left-too-early", &[(7, barrier(3, 2)), (7, enter(3)), (7, leave(3))]);
    assert_eq!(
        early.describe(&symbols),
        "thread 7 leaves barrier 3 when 1 of 2 threads have arrived (rule: a thread leaves when its round is complete)"
    );
}

/// The table in the module's comment has every rule, and every rule has its own name.
#[test]
fn the_table_is_complete() {
    let table = include_str!("../src/feasible/mod.rs");
    let mut seen = std::collections::BTreeSet::new();
    let mut random = Random::new(1);
    for _ in 0..20_000 {
        let mut checker = Feasibility::new();
        for _ in 0..60 {
            if let Err(violation) = checker.check(&random.event()) {
                assert!(table.contains(&format!("//! | `{}` |", violation.rule())), "{violation:?}");
                violation.describe(&Symbols::default());
                seen.insert(violation.rule());
            }
        }
    }
    let listed = table.lines().filter(|line| line.starts_with("//! | `")).count();
    assert_eq!(seen.len(), listed, "random events break every rule in the table: {seen:?}");
}
