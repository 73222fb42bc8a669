//! The candidate detectors: which locks a thread holds, and which pairs are reported for it.

use super::{M, x};
use crate::detector::Detector;
use crate::locksets::eraser::Eraser;
use crate::locksets::limited::Limited;
use crate::locksets::{Held, Lockset};
use crate::rule::Rule;
use deadheat_clock::Tid;
use deadheat_trace::{CondId, Event, EventId, Loc, LockId, Op, Scope, StoreOrder, VolatileId};

const N: LockId = LockId(1);
const C: CondId = CondId(1);

/// What a thread holds after these steps.
fn held(steps: &[Op]) -> Lockset {
    let mut held = Held::default();
    steps.iter().for_each(|&op| held.apply(Tid(1), op));
    assert_eq!(held.by(Tid(0)), Lockset::default(), "another thread");
    held.by(Tid(1))
}

/// Two accesses that are reported, by the numbers of their steps.
type Pairs = Vec<(u64, u64)>;

/// What is reported, and how often each rule was applied.
fn found(mut detector: impl Detector, steps: &[(u32, Op)]) -> (Pairs, Vec<(Rule, u64)>) {
    let mut pairs = Pairs::new();
    for (id, &(t, op)) in (0..).map(EventId).zip(steps) {
        let event = Event { op, tid: Tid(t), loc: Loc::NONE };
        detector.on_event(id, &event, &mut |race| pairs.push((race.prior.event.0, race.current.event.0)));
    }
    (pairs, detector.counters().iter().collect())
}

fn eraser(steps: &[(u32, Op)]) -> Pairs {
    found(Eraser::default(), steps).0
}

fn limited(steps: &[(u32, Op)]) -> Pairs {
    found(Limited::default(), steps).0
}

#[test]
fn locks_are_held_until_the_last_release() {
    let steps =
        [Op::Acquire(N), Op::Acquire(M), Op::Acquire(N), Op::Release(N), Op::Release(N), Op::Release(M)];
    let after = |n: usize| held(&steps[..n]).locks();
    assert_eq!([after(1), after(3), after(4)], [vec![N], vec![M, N], vec![M, N]]);
    assert_eq!([after(5), after(6)], [vec![M], vec![]]);
}

/// All the holds of the lock, and no other ones, are given back and come again.
#[test]
fn a_wait_gives_its_lock_back() {
    let lock = [Op::Acquire(M), Op::Acquire(N), Op::Acquire(N)];
    let woken = [Op::Wait(C, N), Op::Woken(C, N), Op::Release(N), Op::Release(N)];
    let after = |n: usize| held(&[&lock, &woken[..n]].concat()).locks();
    assert_eq!([after(1), after(2), after(3), after(4)], [vec![M], vec![M, N], vec![M, N], vec![M]]);
}

#[test]
fn two_readers_are_not_kept_apart() {
    let (writes, reads) = (held(&[Op::Acquire(M)]), held(&[Op::AcquireShared(M)]));
    assert!(writes.protects(&writes) && writes.protects(&reads) && reads.protects(&writes));
    assert!(!reads.protects(&reads) && !writes.protects(&held(&[Op::Acquire(N)])));

    let both = [Op::Acquire(M), Op::AcquireShared(N), Op::ReleaseShared(N)];
    assert_eq!((held(&both[..2]).locks(), held(&both[..2]).exclusive()), (vec![M, N], vec![M]));
    assert_eq!(held(&both).locks(), [M]);
}

/// Eraser's Figure 4, transition by transition.
#[test]
fn the_states_of_eraser() {
    use Rule::*;
    let (r, w, lock, unlock) = (Op::Read(x()), Op::Write(x()), Op::Acquire(M), Op::Release(M));
    let rules = |steps: &[(u32, Op)]| found(Eraser::default(), steps).1;
    assert_eq!(rules(&[(0, w), (0, w), (0, r)]), [(LocksetExclusive, 3)]);
    assert_eq!(rules(&[(0, w), (1, r), (2, r)]), [(LocksetExclusive, 1), (LocksetShared, 2)]);
    assert_eq!(rules(&[(0, w), (1, w)]), [(LocksetExclusive, 1), (LocksetEmpty, 1)]);
    assert_eq!(
        rules(&[(0, r), (1, lock), (1, w), (1, r), (1, unlock), (0, r)]),
        [(LocksetExclusive, 1), (LocksetRefine, 2), (LocksetEmpty, 1)]
    );
    let store = Op::AtomicStore(x(), StoreOrder::Relaxed);
    assert_eq!(rules(&[(0, store), (1, store)]), [], "atomics are left out");
}

#[test]
fn eraser_names_the_last_access_of_another_thread() {
    let (r, w) = (Op::Read(x()), Op::Write(x()));
    assert_eq!(eraser(&[(0, w), (1, w), (1, w)]), [(0, 1), (0, 2)]);
    assert_eq!(eraser(&[(0, w), (1, r), (2, r), (2, w)]), [(1, 3)]);
    assert_eq!(eraser(&[(0, w), (1, r), (2, r)]), []);
    let section = |t: u32, op: Op| [(t, Op::Acquire(M)), (t, op), (t, Op::Release(M))];
    assert_eq!(eraser(&[section(0, w), section(1, w), section(0, r)].concat()), []);
    let shared = [(1, Op::AcquireShared(M)), (1, w)];
    assert_eq!(eraser(&[&section(0, w)[..], &shared].concat()), [(1, 4)], "a reader's lock is no writer's");
}

/// Definition 11, clause by clause.
#[test]
fn candidates() {
    let (r, w) = (Op::Read(x()), Op::Write(x()));
    assert_eq!(limited(&[(0, w), (0, w)]), [], "one thread");
    assert_eq!(limited(&[(0, r), (1, r)]), [], "no conflict");
    assert_eq!(limited(&[(0, w), (1, r)]), [(0, 1)]);
    let section = |t: u32, op: Op| [(t, Op::Acquire(M)), (t, op), (t, Op::Release(M))];
    assert_eq!(limited(&[section(0, w), section(1, w)].concat()), [], "a common lock");
    assert_eq!(limited(&[(0, w), (0, Op::Fork(Tid(1))), (1, w)]), [], "must happen before");
    let rules = found(Limited::default(), &[(0, w), (1, w)]).1;
    assert_eq!(rules, [(Rule::LimitedAccess, 2), (Rule::LimitedCandidate, 1)]);
}

/// Only what makes another thread runnable orders the two.
#[test]
fn what_must_happen_before() {
    let w = Op::Write(x());
    let between = |by: &[Op], to: &[Op]| {
        let (first, second) = ([&[w], by].concat(), [to, &[w]].concat());
        let steps = first.into_iter().map(|op| (0, op)).chain(second.into_iter().map(|op| (1, op)));
        !limited(&steps.collect::<Vec<_>>()).is_empty()
    };
    assert!(!between(&[Op::Notify(C, Scope::One)], &[Op::Wait(C, M), Op::Woken(C, M)]));
    assert!(between(&[], &[Op::Wait(C, M), Op::Woken(C, M)]), "woken by nobody");
    assert!(between(&[Op::Acquire(M), Op::Release(M)], &[Op::Acquire(M), Op::Release(M)]));
    let v = VolatileId(0);
    assert!(between(&[Op::VolatileWrite(v)], &[Op::VolatileRead(v)]));
}

/// Of each thread, mode and lockset the last access stands for the earlier ones.
#[test]
fn accesses_that_a_location_remembers() {
    let (r, w) = (Op::Read(x()), Op::Write(x()));
    assert_eq!(limited(&[(0, w), (1, r), (2, w)]), [(0, 1), (0, 2), (1, 2)]);
    assert_eq!(limited(&[(0, w), (0, w), (1, w)]), [(1, 2)], "the same kind");
    let steps = [(0, w), (0, r), (0, Op::Acquire(M)), (0, w), (1, w)];
    assert_eq!(limited(&steps), [(0, 4), (1, 4), (3, 4)], "another mode, and another lockset");
    let many: Vec<_> = (0..257).map(|t| (t, r)).chain([(300, w)]).collect();
    let rivals: Vec<u64> = limited(&many).into_iter().map(|(prior, _)| prior).collect();
    assert_eq!(rivals, (1..257).collect::<Vec<_>>(), "the oldest of too many is gone");
}
