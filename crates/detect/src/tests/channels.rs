//! *Ready, Set, Go!* §5: the producer and its two consumers, with the states of both detectors as printed.

use super::{Run, vc, x};
use crate::detector::Detector;
use crate::hb_sets::collected::Collected;
use crate::precise::Precise;
use crate::sync::JoinRule;
use crate::verifiedft::VerifiedVar;
use deadheat_clock::{Clock, Tid, VectorClock};
use deadheat_trace::{ChanId, EventId, Mode, Op};

const P0: Tid = Tid(0);
const P1: Tid = Tid(1);
const P2: Tid = Tid(2);
const C: ChanId = ChanId(0);
const D: ChanId = ChanId(1);

/// The run up to where `p0` is about to write `z` again; the writes and reads of `z` are events 4, 8 and 11.
fn until_second_write<D_: Detector>(run: &mut Run<D_>) {
    run.step(P0, Op::ChanMake(C, 2))
        .step(P0, Op::ChanMake(D, 2))
        .step(P0, Op::Fork(P1))
        .step(P0, Op::Fork(P2));
    run.step(P0, Op::Write(x())).step(P0, Op::Send(C)).step(P0, Op::Send(C));
    for p in [P1, P2] {
        run.step(p, Op::Receive(C)).step(p, Op::Read(x())).step(p, Op::Send(D));
    }
    run.step(P0, Op::Receive(D)).step(P0, Op::Receive(D));
}

const FIRST_WRITE: (EventId, Mode) = (EventId(4), Mode::Write);
const READ_1: (EventId, Mode) = (EventId(8), Mode::Read);
const READ_2: (EventId, Mode) = (EventId(11), Mode::Read);
const SECOND_WRITE: (EventId, Mode) = (EventId(15), Mode::Write);

#[test]
fn happens_before_sets() {
    // No R-GC before the end: the first table is about what the rules themselves keep.
    let mut run = Run::new(Collected::new(u64::MAX));
    let sets = |run: &Run<Collected>| -> Vec<Vec<(EventId, Mode)>> {
        run.detector.inner.sync.threads().iter().map(|t| t.knowledge.labels()).collect()
    };
    until_second_write(&mut run);
    // E^p0 = {(m0,!z), (m1,?z), (m2,?z)}   E^p1 = {(m0,!z), (m1,?z)}   E^p2 = {(m0,!z), (m2,?z)}
    assert_eq!(
        sets(&run),
        [vec![FIRST_WRITE, READ_1, READ_2], vec![FIRST_WRITE, READ_1], vec![FIRST_WRITE, READ_2]]
    );
    run.step(P0, Op::Write(x()));
    assert_eq!(sets(&run)[0], [SECOND_WRITE], "[R-Write] itself forgets what the writer knew of z");
    run.detector.collect();
    // E^p0 = {(m3,!z)}   E^p1 = {}   E^p2 = {}
    assert_eq!(sets(&run), [vec![SECOND_WRITE], vec![], vec![]]);
    assert_eq!(run.races, 0);
}

#[test]
fn vector_clocks() {
    let mut run = Run::new(Precise::<VerifiedVar>::new(JoinRule::Keep));
    // The paper's clocks start at 0, ours (as in Figure 2 of 000) at 1: what is known of a thread is one more here.
    let clocks = |run: &Run<Precise<VerifiedVar>>| -> Vec<VectorClock> {
        let from_zero = |v: &VectorClock| v.entries().map(|(t, c)| (t, Clock(c.0 - 1))).collect();
        run.detector.sync.threads().iter().map(|t| from_zero(&t.knowledge)).collect()
    };
    // C_p0 = ⊥[p0 ↦ 6, p1 ↦ 1, p2 ↦ 1]   C_p1 = ⊥[p0 ↦ 2, p1 ↦ 2]   C_p2 = ⊥[p0 ↦ 3, p2 ↦ 2]
    let printed = [vc(&[(0, 6), (1, 1), (2, 1)]), vc(&[(0, 2), (1, 2)]), vc(&[(0, 3), (2, 2)])];
    until_second_write(&mut run);
    assert_eq!(clocks(&run), printed);
    run.step(P0, Op::Write(x()));
    assert_eq!(clocks(&run), printed, "the write changes no clock");
    assert_eq!(run.races, 0);
}

/// The same with a consumer that does not tell the producer: the second write races with its read.
#[test]
fn a_silent_consumer_races() {
    let mut run = Run::new(Collected::new(1));
    run.step(P0, Op::ChanMake(C, 2)).step(P0, Op::Fork(P1));
    run.step(P0, Op::Write(x())).step(P0, Op::Send(C)).step(P1, Op::Receive(C)).step(P1, Op::Read(x()));
    run.step(P0, Op::Write(x()));
    assert_eq!(run.races, 1);
}
