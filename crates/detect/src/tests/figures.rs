//! The example runs of *Verifying Dynamic Race Detection* and *VerifiedFT*, state by state as printed.

use super::{M, Run, vc, x};
use crate::epochs::EpochVar;
use crate::fasttrack::FastVar;
use crate::history::History;
use crate::precise::{Precise, VarState};
use crate::sync::JoinRule;
use crate::vector_clock::VarClocks;
use crate::verifiedft::VerifiedVar;
use deadheat_clock::{Clock, Epoch, Tid, VectorClock};
use deadheat_trace::{CondId, LockId, Op};

const T0: Tid = Tid(0);
const T1: Tid = Tid(1);
const T2: Tid = Tid(2);

fn at(t: Tid, c: u64) -> Epoch {
    Epoch::new(t, Clock(c))
}

/// The state of `x` in a run.
fn var<V: VarState>(run: &mut Run<Precise<V>>) -> V {
    run.detector.memory.exact(x()).expect("x was touched").plain.clone()
}

fn clocks(history: &History) -> VectorClock {
    history.entries().collect()
}

fn reads<R>(var: &EpochVar<R>) -> VectorClock {
    clocks(var.v.as_deref().expect("the reads are a vector"))
}

/// VerifiedFT, Figure 1: `S_A.V`, `S_B.V`, `S_m.V` and `S_x` after each step.
#[test]
fn verifiedft_figure_1() {
    let (a, b, private_a, private_b) = (Tid(0), Tid(1), LockId(1), LockId(2));
    let mut run = Run::new(Precise::<VerifiedVar>::new(JoinRule::Keep)).started(2);
    // Up to the figure's first row: A is at 4, B at 8, x was read and written at A@1, and A holds m.
    run.step(a, Op::Acquire(M)).step(a, Op::Read(x())).step(a, Op::Write(x()));
    for (t, m, times) in [(a, private_a, 3), (b, private_b, 7)] {
        for _ in 0..times {
            run.step(t, Op::Acquire(m)).step(t, Op::Release(m));
        }
    }

    let check =
        |run: &mut Run<Precise<VerifiedVar>>, [s_a, s_b, s_m]: [[u64; 2]; 3], v: Option<[u64; 2]>, r, w| {
            let pair = |[m, n]: [u64; 2]| vc(&[(0, m), (1, n)]);
            let sync = &run.detector.sync;
            assert_eq!(sync.threads()[0].knowledge, pair(s_a), "S_A.V");
            assert_eq!(sync.threads()[1].knowledge, pair(s_b), "S_B.V");
            assert_eq!(sync.locks()[0].exclusive, pair(s_m), "S_m.V");
            let s_x = var(run);
            assert_eq!((s_x.r, s_x.w), (r, w), "S_x.R, S_x.W");
            assert_eq!(s_x.v.map(|v| clocks(&v)), v.map(pair), "S_x.V");
        };
    check(&mut run, [[4, 0], [0, 8], [0, 0]], None, at(a, 1), at(a, 1));
    run.step(a, Op::Write(x()));
    check(&mut run, [[4, 0], [0, 8], [0, 0]], None, at(a, 1), at(a, 4));
    run.step(a, Op::Release(M));
    check(&mut run, [[5, 0], [0, 8], [4, 0]], None, at(a, 1), at(a, 4));
    run.step(b, Op::Acquire(M));
    check(&mut run, [[5, 0], [4, 8], [4, 0]], None, at(a, 1), at(a, 4));
    run.step(b, Op::Read(x()));
    check(&mut run, [[5, 0], [4, 8], [4, 0]], None, at(b, 8), at(a, 4));
    run.step(a, Op::Read(x()));
    check(&mut run, [[5, 0], [4, 8], [4, 0]], Some([5, 8]), Epoch::SHARED, at(a, 4));
    assert_eq!(run.races, 0);
    run.step(a, Op::Write(x()));
    assert_eq!(run.races, 1, "Race!");
}

fn vector_clock() -> Run<Precise<VarClocks>> {
    Run::new(Precise::new(JoinRule::Increment)).started(3)
}

fn fasttrack() -> Run<Precise<FastVar>> {
    Run::new(Precise::new(JoinRule::Increment)).started(3)
}

/// Runs the same steps in both detectors; none of these runs has a race.
fn both(steps: &[(Tid, Op)]) -> (VarClocks, FastVar) {
    let (mut slow, mut fast) = (vector_clock(), fasttrack());
    for &(tid, op) in steps {
        slow.step(tid, op);
        fast.step(tid, op);
    }
    assert_eq!((slow.races, fast.races), (0, 0));
    (var(&mut slow), var(&mut fast))
}

/// Figure 4: FastTrack's write epoch emulates the write vector clock.
#[test]
fn verifying_figure_4() {
    let mut steps = vec![(T0, Op::Acquire(M)), (T0, Op::Write(x()))];
    let (slow, fast) = both(&steps);
    assert_eq!((clocks(&slow.writes), fast.w), (vc(&[(0, 1)]), at(T0, 1)));
    steps.extend([(T0, Op::Release(M)), (T1, Op::Acquire(M)), (T1, Op::Write(x()))]);
    let (slow, fast) = both(&steps);
    assert_eq!((clocks(&slow.writes), fast.w), (vc(&[(0, 1), (1, 1)]), at(T1, 1)));
}

/// Figure 5: after `[Write Shared]` the write epoch emulates the read vector clock.
#[test]
fn verifying_figure_5() {
    let mut steps = vec![(T1, Op::Acquire(M)), (T1, Op::Read(x())), (T0, Op::Read(x()))];
    let (slow, fast) = both(&steps);
    assert_eq!((clocks(&slow.reads), clocks(&slow.writes)), (vc(&[(0, 1), (1, 1)]), vc(&[])));
    assert_eq!((fast.r, reads(&fast), fast.w), (Epoch::SHARED, vc(&[(0, 1), (1, 1)]), Epoch::BOTTOM));
    steps.extend([(T1, Op::Release(M)), (T0, Op::Acquire(M)), (T0, Op::Write(x()))]);
    let (slow, fast) = both(&steps);
    assert_eq!((clocks(&slow.reads), clocks(&slow.writes)), (vc(&[(0, 1), (1, 1)]), vc(&[(0, 1)])));
    assert_eq!((fast.r, fast.w), (Epoch::BOTTOM, at(T0, 1)));
}

/// Figure 6: FastTrack's read vector clock emulates the conventional one only in part.
#[test]
fn verifying_figure_6() {
    let mut steps = vec![(T0, Op::Acquire(M)), (T0, Op::Read(x()))];
    let (slow, fast) = both(&steps);
    assert_eq!((clocks(&slow.reads), fast.r), (vc(&[(0, 1)]), at(T0, 1)));
    steps.extend([(T0, Op::Release(M)), (T1, Op::Acquire(M)), (T1, Op::Read(x()))]);
    let (slow, fast) = both(&steps);
    assert_eq!((clocks(&slow.reads), fast.r), (vc(&[(0, 1), (1, 1)]), at(T1, 1)));
    steps.push((T2, Op::Read(x())));
    let (slow, fast) = both(&steps);
    assert_eq!(clocks(&slow.reads), vc(&[(0, 1), (1, 1), (2, 1)]));
    assert_eq!((fast.r, reads(&fast)), (Epoch::SHARED, vc(&[(1, 1), (2, 1)])));
}

/// The three differences between FastTrack and VerifiedFT (VerifiedFT §3), pinned.
#[test]
fn where_verifiedft_differs() {
    let (mut fast, mut verified) =
        (fasttrack(), Run::new(Precise::<VerifiedVar>::new(JoinRule::Keep)).started(3));
    let steps = [
        (T0, Op::Fork(T1)),
        (T1, Op::Read(x())),
        (T0, Op::Read(x())),
        (T0, Op::Read(x())),
        (T0, Op::Join(T1)),
        (T0, Op::Write(x())),
    ];
    for (tid, op) in steps {
        fast.step(tid, op);
        verified.step(tid, op);
    }
    use crate::rule::Rule;
    let (f, v) = (&fast.detector.rules, &verified.detector.rules);
    assert_eq!((f.get(Rule::ReadShared), f.get(Rule::ReadSharedSameEpoch)), (1, 0));
    assert_eq!((v.get(Rule::ReadShared), v.get(Rule::ReadSharedSameEpoch)), (0, 1));
    let joined = |t: Tid| vc(&[(0, 1), (t.0, 1)]);
    assert_eq!(verified.detector.sync.threads()[1].knowledge, joined(T1), "[Join] leaves u alone");
    assert_eq!(fast.detector.sync.threads()[1].knowledge, vc(&[(0, 1), (1, 2)]), "[Join] increments u");
    assert_eq!(var(&mut fast).r, Epoch::BOTTOM, "[Write Shared] forgets the reads");
    assert_eq!(var(&mut verified).r, Epoch::SHARED, "[Write Shared] keeps the reads");
}

/// A wait gives a lock back however often it is held, and the return takes it as often.
#[test]
fn waits_keep_the_depth() {
    let mut run = Run::new(Precise::<VerifiedVar>::new(JoinRule::Keep));
    run.step(T0, Op::Acquire(M)).step(T0, Op::Acquire(M)).step(T0, Op::Wait(CondId(0), M));
    run.step(T1, Op::Acquire(M)).step(T1, Op::Release(M));
    run.step(T0, Op::Woken(CondId(0), M)).step(T0, Op::Release(M));
    let releases = |run: &Run<Precise<VerifiedVar>>| run.detector.rules.get(crate::Rule::Release);
    assert_eq!(releases(&run), 1, "the inner release of T0 is not one");
    run.step(T0, Op::Release(M));
    assert_eq!(releases(&run), 2);
}
