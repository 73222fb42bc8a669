//! Slots of ended threads are taken over where, and only where, happens-before makes that exact.

use super::{Run, x};
use crate::precise::Precise;
use crate::sync::JoinRule;
use crate::verifiedft::VerifiedVar;
use deadheat_clock::Tid;
use deadheat_trace::Op;

const MAIN: Tid = Tid(0);

fn run() -> Run<Precise<VerifiedVar>> {
    Run::new(Precise::new(JoinRule::Keep))
}

/// The slot of a thread in a run.
fn slot(run: &mut Run<Precise<VerifiedVar>>, t: Tid) -> Tid {
    run.detector.sync.thread(t).slot()
}

#[test]
fn a_thread_forked_after_a_join_takes_the_slot() {
    let mut run = run();
    for t in (1..=1000).map(Tid) {
        run.step(MAIN, Op::Fork(t)).step(t, Op::Write(x())).step(t, Op::Exit).step(MAIN, Op::Join(t));
        assert_eq!(slot(&mut run, t), Tid(1));
    }
    assert_eq!(run.races, 0, "all writes are ordered");
    assert_eq!(run.detector.sync.thread(MAIN).knowledge.entries().count(), 2, "clocks do not grow");
}

#[test]
fn a_join_ends_a_thread_that_did_not_say_so() {
    let mut run = run();
    for t in [1, 2].map(Tid) {
        run.step(MAIN, Op::Fork(t)).step(MAIN, Op::Join(t));
        assert_eq!(slot(&mut run, t), Tid(1));
    }
}

#[test]
fn a_thread_that_may_overlap_does_not() {
    let mut run = run();
    run.step(MAIN, Op::Fork(Tid(1))).step(Tid(1), Op::Write(x())).step(Tid(1), Op::Exit);
    // Nobody has joined thread 1: the main thread does not know its end.
    run.step(MAIN, Op::Fork(Tid(2)));
    assert_ne!(slot(&mut run, Tid(2)), slot(&mut run, Tid(1)));
    run.step(Tid(2), Op::Write(x()));
    assert_eq!(run.races, 1);
}

/// A second join of a thread tells nothing about the one that took over its slot.
#[test]
fn a_late_join_knows_only_the_first_owner() {
    let mut run = run();
    let [first, second, other] = [1, 2, 3].map(Tid);
    run.step(MAIN, Op::Fork(other))
        .step(MAIN, Op::Fork(first))
        .step(first, Op::Exit)
        .step(MAIN, Op::Join(first));
    run.step(MAIN, Op::Fork(second)).step(second, Op::Write(x()));
    assert_eq!(slot(&mut run, first), slot(&mut run, second));
    run.step(other, Op::Join(first)).step(other, Op::Read(x()));
    assert_eq!(run.races, 1, "the read does not know the second owner's write");
}
