//! The table of `docs/happens-before.md`, row by row: what orders two accesses, and what does not.

mod hb_build;

use deadheat_trace::*;
use hb_build::*;

/// The racing pairs of a trace that must be feasible.
fn racing(steps: &[(u32, Op)]) -> Vec<(usize, usize)> {
    let events = trace(steps);
    let mut checker = Feasibility::new();
    for event in &events {
        assert_eq!(checker.check(event), Ok(()), "{event:?}");
    }
    let hb = HappensBefore::of(&events).expect("short");
    races(&events, &hb).iter().map(|race| (race.first, race.second)).collect()
}

#[track_caller]
fn ordered(steps: &[(u32, Op)]) {
    assert_eq!(racing(steps), []);
}

#[track_caller]
fn race(steps: &[(u32, Op)], first: usize, second: usize) {
    assert_eq!(racing(steps), [(first, second)]);
}

#[test]
fn nothing_orders_plain_accesses() {
    race(&[(1, w()), (2, w())], 0, 1);
    race(&[(1, w()), (2, r())], 0, 1);
    race(&[(1, r()), (2, w())], 0, 1);
    ordered(&[(1, r()), (2, r())]);
    ordered(&[(1, w()), (1, w())]);
}

#[test]
fn locks() {
    ordered(&[(1, acq(0)), (1, w()), (1, rel(0)), (2, acq(0)), (2, w())]);
    race(&[(1, acq(0)), (1, rel(0)), (1, w()), (2, acq(0)), (2, w())], 2, 4);
    race(&[(1, acq(0)), (1, w()), (1, rel(0)), (2, acq(1)), (2, w())], 1, 4);
    // An earlier release counts too, through the sections in between.
    ordered(&[(1, acq(0)), (1, w()), (1, rel(0)), (2, acq(0)), (2, rel(0)), (3, acq(0)), (3, w())]);
}

#[test]
fn only_the_outermost_pair_of_a_reentrant_lock_counts() {
    let inner =
        [(1, acq(0)), (1, acq(0)), (1, w()), (1, rel(0)), (1, w()), (1, rel(0)), (2, acq(0)), (2, w())];
    ordered(&inner);
    let events = trace(&inner);
    assert_eq!(edges(&events), [Edge { from: 5, to: 6, why: EdgeKind::Lock }]);
}

#[test]
fn readers_do_not_order_each_other() {
    race(&[(1, racq(0)), (1, w()), (1, rrel(0)), (2, racq(0)), (2, r())], 1, 4);
    // Reader to writer, writer to reader.
    ordered(&[
        (1, racq(0)),
        (1, r()),
        (1, rrel(0)),
        (2, acq(0)),
        (2, w()),
        (2, rel(0)),
        (1, racq(0)),
        (1, r()),
    ]);
    // Two readers, then a writer after both.
    ordered(&[
        (1, racq(0)),
        (2, racq(0)),
        (1, r()),
        (2, r()),
        (1, rrel(0)),
        (2, rrel(0)),
        (3, acq(0)),
        (3, w()),
    ]);
    // The writer's release still reaches a reader that comes after another reader.
    ordered(&[
        (1, acq(0)),
        (1, w()),
        (1, rel(0)),
        (2, racq(0)),
        (2, rrel(0)),
        (3, racq(0)),
        (3, r()),
        (3, rrel(0)),
    ]);
}

#[test]
fn only_the_last_releases_make_edges() {
    let write = |t| [(t, acq(0)), (t, rel(0))];
    let read = |t| [(t, racq(0)), (t, rrel(0))];
    let events = trace(&[write(1), write(2), read(3), read(1), write(4)].concat());
    let lock = |from, to| Edge { from, to, why: EdgeKind::Lock };
    assert_eq!(edges(&events), [lock(1, 2), lock(3, 4), lock(3, 6), lock(5, 8), lock(7, 8)]);
}

#[test]
fn fork_and_join() {
    ordered(&[(1, w()), (1, fork(2)), (2, w()), (1, join(2)), (1, w())]);
    race(&[(1, fork(2)), (1, w()), (2, w()), (1, join(2))], 1, 2);
    // Several joins.
    ordered(&[(1, fork(2)), (1, fork(3)), (2, w()), (1, join(2)), (1, r()), (3, join(2)), (3, r())]);
    // fork → join even if the child has no step.
    ordered(&[(1, w()), (1, fork(2)), (3, join(2)), (3, w())]);
    // A fork arrives before the child's first step, a join leaves after its last one: both may be channel operations.
    ordered(&[(1, make(0, 1)), (1, w()), (1, fork(2)), (2, send(0)), (3, recv(0)), (3, w())]);
    ordered(&[(1, make(0, 1)), (1, w()), (1, send(0)), (2, recv(0)), (3, join(2)), (3, w())]);
    // Nobody forked 2, nobody joined 1.
    race(&[(1, Op::Start), (1, w()), (1, Op::Exit), (2, w())], 1, 3);
}

#[test]
fn volatiles() {
    ordered(&[(1, w()), (1, vw(0)), (2, vr(0)), (2, w())]);
    // Every earlier write, not just the last.
    ordered(&[(1, w()), (1, vw(0)), (2, vw(0)), (3, vr(0)), (3, w())]);
    // Writes do not order each other, nor do reads, nor a read and a later write.
    race(&[(1, w()), (1, vw(0)), (2, vw(0)), (2, w())], 0, 3);
    race(&[(1, w()), (1, vr(0)), (2, vw(0)), (2, w())], 0, 3);
    race(&[(1, w()), (1, vr(0)), (2, vr(0)), (2, w())], 0, 3);
    race(&[(1, w()), (1, vw(0)), (2, vr(1)), (2, w())], 0, 3);
}

#[test]
fn waits() {
    ordered(&[
        (1, acq(0)),
        (1, acq(0)),
        (1, w()),
        (1, wait(0)),
        (2, acq(0)),
        (2, w()),
        (2, rel(0)),
        (1, woken(0)),
        (1, w()),
    ]);
    // A notification orders nothing.
    let notify = Op::Notify(CondId(0), Scope::All);
    race(&[(1, acq(0)), (1, wait(0)), (2, w()), (2, notify), (1, woken(0)), (1, w())], 2, 5);
}

#[test]
fn barriers_with_parties() {
    ordered(&[(1, barrier(0, 2)), (1, w()), (1, enter(0)), (2, enter(0)), (2, leave(0)), (2, w())]);
    // The one that comes last into the round is ordered as well; the accesses of one phase are not.
    race(
        &[
            (1, barrier(0, 2)),
            (1, enter(0)),
            (2, w()),
            (2, enter(0)),
            (1, leave(0)),
            (2, leave(0)),
            (1, w()),
            (2, w()),
        ],
        6,
        7,
    );
    // An enter of the second round that comes before a leave of the first does not count for it.
    race(
        &[(1, barrier(0, 2)), (1, enter(0)), (2, enter(0)), (3, w()), (3, enter(0)), (1, leave(0)), (1, w())],
        3,
        6,
    );
}

#[test]
fn barriers_without_parties() {
    ordered(&[(1, w()), (1, enter(0)), (2, enter(0)), (2, leave(0)), (2, w())]);
    // The first leave ends the round: who enters later is in the next one.
    race(
        &[(1, enter(0)), (2, enter(0)), (2, leave(0)), (3, w()), (3, enter(0)), (1, leave(0)), (1, w())],
        3,
        6,
    );
    ordered(&[(1, enter(0)), (1, leave(0)), (3, w()), (3, enter(0)), (1, enter(0)), (1, leave(0)), (1, w())]);
}

#[test]
fn rule_1_sends_to_receives() {
    ordered(&[(1, make(0, 2)), (1, w()), (1, send(0)), (2, recv(0)), (2, w())]);
    // The second receive is ordered after the second send only.
    race(
        &[(1, make(0, 2)), (1, w()), (1, send(0)), (3, send(0)), (4, recv(0)), (2, recv(0)), (2, w())],
        1,
        6,
    );
    race(&[(1, make(0, 2)), (1, send(0)), (1, w()), (2, recv(0)), (2, w())], 2, 4);
}

#[test]
fn rule_2_receives_to_sends() {
    // A channel as a lock, Fig. 9 of Ready, Set, Go!.
    ordered(&[(1, make(0, 1)), (1, send(0)), (1, w()), (1, recv(0)), (2, send(0)), (2, w()), (2, recv(0))]);
    // With two slots it does not exclude.
    race(&[(1, make(0, 2)), (1, send(0)), (1, w()), (1, recv(0)), (2, send(0)), (2, w())], 2, 5);
    // The completion of the send, not its start: the receive that follows learns nothing of the first receive (§2, end).
    race(
        &[(1, make(0, 1)), (1, send(0)), (2, w()), (2, recv(0)), (1, send(0)), (3, recv(0)), (3, w())],
        2,
        6,
    );
}

#[test]
fn figure_13_conditional_race() {
    // Trace (5): p0 sends twice, p1 writes z and receives, p2 receives and reads z.
    race(
        &[(0, make(0, 2)), (0, send(0)), (0, send(0)), (1, w()), (1, recv(0)), (2, recv(0)), (2, r())],
        3,
        6,
    );
}

#[test]
fn rendezvous_orders_both_ways() {
    // Sender first: before the send → after the receive, and before the receive → after the send.
    ordered(&[(1, make(0, 0)), (1, w()), (1, send(0)), (2, recv(0)), (2, w())]);
    ordered(&[(1, make(0, 0)), (1, send(0)), (2, w()), (2, recv(0)), (1, w())]);
    // Receiver first.
    ordered(&[(1, make(0, 0)), (2, w()), (2, recv(0)), (1, send(0)), (1, w())]);
    ordered(&[(1, make(0, 0)), (2, recv(0)), (1, w()), (1, send(0)), (2, w())]);
    // What comes after either half is unordered.
    race(&[(1, make(0, 0)), (1, send(0)), (2, recv(0)), (1, w()), (2, w())], 3, 4);
    let events = trace(&[(1, make(0, 0)), (1, send(0)), (2, recv(0))]);
    let hb = HappensBefore::of(&events).expect("short");
    assert!(hb.before(1, 2) && hb.before(2, 1));
}

#[test]
fn close_is_received() {
    let closed = [(1, make(0, 1)), (1, w()), (1, close(0)), (2, recv_closed(0)), (2, w())];
    ordered(&closed);
    // A close orders nothing for a receive of a value.
    race(&[(1, make(0, 1)), (3, send(0)), (1, w()), (1, close(0)), (2, recv(0)), (2, w())], 2, 5);
}

#[test]
fn memory_starts_afresh() {
    let (whole, low) = (Span::new(0x100, 8), Span::new(0x100, 4));
    race(&[(1, Op::Alloc(whole)), (1, Op::Free(whole)), (2, w())], 1, 2);
    ordered(&[(1, Op::Alloc(whole)), (1, w()), (1, Op::Free(whole)), (2, Op::Alloc(whole)), (2, w())]);
    // An alloc of a part leaves the rest: bytes 0x104..0x108, or two runs around a hole.
    let events = trace(&[(1, w()), (3, Op::Alloc(low)), (2, w())]);
    let hb = HappensBefore::of(&events).expect("short");
    assert_eq!(races(&events, &hb), [RacePair { first: 0, second: 2, span: Span::new(0x104, 4) }]);
    let events = trace(&[(1, w()), (3, Op::Alloc(Span::new(0x103, 2))), (2, w()), (1, w())]);
    let hb = HappensBefore::of(&events).expect("short");
    let pair = |first, second, addr, size| RacePair { first, second, span: Span::new(addr, size) };
    assert_eq!(races(&events, &hb), [pair(0, 2, 0x100, 3), pair(0, 2, 0x105, 3), pair(2, 3, 0x100, 8)]);
}

#[test]
fn a_trace_may_end_anywhere() {
    ordered(&[(1, make(0, 0)), (1, w()), (1, send(0))]);
    race(&[(1, acq(0)), (1, w()), (1, wait(0)), (2, w())], 1, 3);
    race(&[(1, w()), (1, enter(0)), (2, w()), (2, enter(0))], 0, 2);
}

#[test]
fn markers_order_nothing() {
    race(
        &[
            (1, w()),
            (1, Op::Begin(LabelId(0))),
            (1, Op::End(LabelId(0))),
            (2, Op::Begin(LabelId(0))),
            (2, w()),
        ],
        0,
        4,
    );
}

#[test]
fn evidence_in_steps() {
    let events = trace(&[(1, w()), (1, w()), (1, fork(2)), (1, w()), (2, r()), (2, w())]);
    let hb = HappensBefore::of(&events).expect("short");
    assert_eq!((hb.step(3), hb.step(5), hb.known(Tid(1), 5), hb.known(Tid(9), 5)), (4, 2, 3, 0));
    assert_eq!((hb.known(Tid(2), 5), hb.known(Tid(2), 0)), (1, 0));
}

#[test]
fn too_long_a_trace_is_refused() {
    let events = vec![Event { op: w(), tid: Tid(0), loc: Loc::NONE }; HappensBefore::MAX_EVENTS + 1];
    let error = HappensBefore::of(&events).expect_err("too long");
    assert_eq!(
        error.to_string(),
        "happens-before by definition takes at most 50000 events, and the trace has 50001"
    );
}
