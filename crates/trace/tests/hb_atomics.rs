//! Atomics: release sequences, fences, and what is not an edge.

mod hb_build;

use deadheat_trace::{FenceOrder as F, LoadOrder as L, RmwOrder as M, StoreOrder as S, *};
use hb_build::*;

/// Is the first event, a write to X by thread 1, ordered before the last one, a write to X by another?
fn ordered(between: &[(u32, Op)], last: u32) -> bool {
    let steps = [&[(1, w())], between, &[(last, w())]].concat();
    let events = trace(&steps);
    let hb = HappensBefore::of(&events).expect("short");
    let before = hb.before(0, events.len() - 1);
    let races = races(&events, &hb);
    assert_eq!(races.iter().any(|r| (r.first, r.second) == (0, events.len() - 1)), !before);
    before
}

fn fence(order: F) -> Op {
    Op::Fence(order)
}

#[test]
fn release_store_acquire_load() {
    for (s, l, is) in [
        (S::Release, L::Acquire, true),
        (S::SeqCst, L::SeqCst, true),
        (S::Release, L::SeqCst, true),
        (S::Relaxed, L::Acquire, false),
        (S::Release, L::Relaxed, false),
        (S::Relaxed, L::Relaxed, false),
    ] {
        assert_eq!(ordered(&[(1, store(s)), (2, load(l))], 2), is, "{s:?} {l:?}");
    }
    // In the other order there is nothing to read from, whatever the total order of seq_cst says.
    assert!(!ordered(&[(1, load(L::SeqCst)), (2, store(S::SeqCst))], 2));
    assert!(!ordered(&[(1, store(S::SeqCst)), (2, store(S::SeqCst))], 2));
}

#[test]
fn read_modify_writes_continue_a_sequence() {
    for m in [M::Relaxed, M::Acquire, M::Release, M::AcqRel, M::SeqCst] {
        assert!(ordered(&[(1, store(S::Release)), (3, rmw(m)), (2, load(L::Acquire))], 2), "{m:?}");
    }
    assert!(ordered(&[(1, rmw(M::Release)), (2, rmw(M::Acquire))], 2));
    assert!(!ordered(&[(1, rmw(M::Acquire)), (2, rmw(M::Acquire))], 2));
    assert!(!ordered(&[(1, rmw(M::Release)), (2, rmw(M::Release))], 2));
    // Reference counting: every decrement releases, the last one fences.
    assert!(ordered(
        &[(1, rmw(M::Release)), (3, rmw(M::Release)), (2, rmw(M::Release)), (2, fence(F::Acquire))],
        2
    ));
}

#[test]
fn any_other_write_ends_a_sequence() {
    for op in [store(S::Relaxed), store(S::Release), Op::Write(Y), Op::Free(Y), Op::Alloc(Y)] {
        assert!(!ordered(&[(1, store(S::Release)), (3, op), (2, load(L::Acquire))], 2), "{op:?}");
    }
    // Also one of the same thread, since C++20.
    assert!(!ordered(&[(1, store(S::Release)), (1, store(S::Relaxed)), (2, load(L::Acquire))], 2));
    // A plain read does not, and a load that came before is not undone.
    assert!(ordered(&[(1, store(S::Release)), (3, Op::Read(Y)), (2, load(L::Acquire))], 2));
    assert!(ordered(&[(1, store(S::Release)), (2, load(L::Acquire)), (3, store(S::Relaxed))], 2));
}

#[test]
fn sequences_are_per_byte() {
    let half = |offset| Span::new(Y.addr.0 + offset, 4);
    let high_stored = [(1, store(S::Release)), (3, Op::AtomicStore(half(4), S::Relaxed))];
    let load = |span| (2, Op::AtomicLoad(span, L::Acquire));
    assert!(ordered(&[high_stored[0], high_stored[1], load(Y)], 2));
    assert!(ordered(&[high_stored[0], high_stored[1], load(half(0))], 2));
    assert!(!ordered(&[high_stored[0], high_stored[1], load(half(4))], 2));
}

#[test]
fn fences() {
    let (st, ld) = ((1, store(S::Relaxed)), (2, load(L::Relaxed)));
    assert!(ordered(&[(1, fence(F::Release)), st, ld, (2, fence(F::Acquire))], 2));
    assert!(ordered(&[(1, fence(F::SeqCst)), st, ld, (2, fence(F::SeqCst))], 2));
    assert!(ordered(&[(1, fence(F::Release)), st, (2, load(L::Acquire))], 2));
    assert!(ordered(&[(1, store(S::Release)), ld, (2, fence(F::Acquire))], 2));
    assert!(ordered(&[(1, fence(F::Release)), (1, rmw(M::Relaxed)), (2, rmw(M::Acquire))], 2));
    // The wrong kind of fence, on the wrong side of the access, or in nobody's way.
    assert!(!ordered(&[(1, fence(F::Acquire)), st, ld, (2, fence(F::Acquire))], 2));
    assert!(!ordered(&[(1, fence(F::Release)), st, ld, (2, fence(F::Release))], 2));
    assert!(!ordered(&[st, (1, fence(F::Release)), ld, (2, fence(F::Acquire))], 2));
    assert!(!ordered(&[(1, fence(F::Release)), st, (2, fence(F::Acquire)), ld], 2));
    assert!(!ordered(&[(1, fence(F::SeqCst)), (2, fence(F::SeqCst))], 2));
    // The head is at the fence: what comes between it and the store is not released.
    let events = trace(&[(1, fence(F::Release)), (1, w()), st, (2, load(L::Acquire)), (2, w())]);
    let hb = HappensBefore::of(&events).expect("short");
    assert!(hb.before(0, 4) && !hb.before(1, 4));
}

/// In C++20 one operation can be synchronised with and synchronise in turn; see the top of `hb.rs`.
#[test]
fn what_one_operation_acquires_it_releases() {
    let other = Span::new(0x300, 8);
    let through_fence = |order| {
        let relay = [(3, load(L::Relaxed)), (3, fence(order)), (3, Op::AtomicStore(other, S::Relaxed))];
        let steps =
            [&[(1, store(S::Release))], &relay[..], &[(2, Op::AtomicLoad(other, L::Acquire))]].concat();
        ordered(&steps, 2)
    };
    assert!(through_fence(F::AcqRel) && through_fence(F::SeqCst));
    assert!(!through_fence(F::Acquire) && !through_fence(F::Release));
    // A wide read-modify-write passes on what it has read in the other half.
    let half = |offset| Span::new(Y.addr.0 + offset, 4);
    let wide = |m| {
        [(1, Op::AtomicStore(half(0), S::Release)), (3, rmw(m)), (2, Op::AtomicLoad(half(4), L::Acquire))]
    };
    assert!(ordered(&wide(M::AcqRel), 2));
    assert!(!ordered(&wide(M::Release), 2) && !ordered(&wide(M::Acquire), 2));
}

#[test]
fn atomics_race_with_plain_accesses_only() {
    let racing = |a, b| {
        let events = trace(&[(1, a), (2, b)]);
        !races(&events, &HappensBefore::of(&events).expect("short")).is_empty()
    };
    assert!(racing(Op::Write(Y), load(L::SeqCst)) && racing(load(L::SeqCst), Op::Write(Y)));
    assert!(racing(Op::Read(Y), store(S::SeqCst)) && racing(rmw(M::SeqCst), Op::Read(Y)));
    assert!(!racing(Op::Read(Y), load(L::Relaxed)));
    assert!(!racing(store(S::Relaxed), store(S::Relaxed)) && !racing(rmw(M::Relaxed), load(L::Relaxed)));
}
