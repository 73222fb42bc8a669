//! *Verifying Dynamic Race Detection*, Definitions 1–3: FastTrack's state emulates VectorClock's after every event.

use super::Run;
use crate::fasttrack::FastVar;
use crate::history::History;
use crate::precise::{Precise, VarState};
use crate::sync::JoinRule;
use crate::vector_clock::VarClocks;
use deadheat_clock::{Epoch, VectorClock};
use deadheat_trace::generate::{Shape, random_trace};
use deadheat_trace::{Mode, Op, Span};
use proptest::prelude::*;

const VARS: u32 = 3;

/// Every `C_u` and `L_m`, and what is in flight besides.
fn contexts<V: VarState<Knowledge = VectorClock>>(state: &Precise<V>) -> Vec<VectorClock> {
    let mut all = Vec::new();
    state.sync.clone().each_knowledge(&mut |k| all.push(k.clone()));
    all
}

fn clock(history: &History) -> VectorClock {
    history.entries().collect()
}

/// Definition 1: `e` emulates `V` for each of those.
fn emulates(e: Epoch, v: &VectorClock, contexts: &[VectorClock]) -> bool {
    contexts.iter().all(|c| !c.covers(e) || v.le(c))
}

/// Definition 2: `V_0` partially emulates `V` for each of those.
fn partially_emulates(v0: &VectorClock, v: &VectorClock, contexts: &[VectorClock]) -> bool {
    contexts.iter().all(|c| {
        let covered = |t| v0.get(t) <= c.get(t);
        let emulated = |u, by| !covered(by) || v.get(u) <= c.get(u);
        let stored = v0.entries().all(|(u, _)| emulated(u, u));
        let dropped: Vec<_> = v.entries().map(|(u, _)| u).filter(|u| v0.get(*u).0 == 0).collect();
        stored && (dropped.is_empty() || v0.entries().any(|(t, _)| dropped.iter().all(|&u| emulated(u, t))))
    })
}

/// Definition 3 for one location; says which clause fails.
fn related(slow: &VarClocks, fast: &FastVar, contexts: &[VectorClock]) -> Result<(), &'static str> {
    let clause = |holds: bool, what| if holds { Ok(()) } else { Err(what) };
    let (r, w) = (clock(&slow.reads), clock(&slow.writes));
    clause(w.get(fast.w.tid()) == fast.w.clock(), "W'_x = c@t, but W_x(t) ≠ c")?;
    clause(emulates(fast.w, &w, contexts), "W'_x does not emulate W_x")?;
    let fast_reads = match (&fast.v, fast.r) {
        (Some(v), Epoch::SHARED) => clock(v),
        (_, Epoch::BOTTOM) => VectorClock::bottom(),
        (_, e) => [(e.tid(), e.clock())].into_iter().collect(),
    };
    clause(fast_reads.le(&r), "R'_x(t) > R_x(t) for some t")?;
    match fast.r {
        Epoch::BOTTOM => clause(emulates(fast.w, &r, contexts), "R'_x = ⊥, but W'_x does not emulate R_x"),
        Epoch::SHARED => {
            clause(partially_emulates(&fast_reads, &r, contexts), "R'_x does not partially emulate R_x")
        }
        e => {
            clause(r.get(e.tid()) == e.clock(), "R'_x = c@t, but R_x(t) ≠ c")?;
            clause(emulates(e, &r, contexts), "R'_x does not emulate R_x")
        }
    }
}

/// Are the two states in the relation ~ on all variables?
fn all_related(slow: &mut Precise<VarClocks>, fast: &mut Precise<FastVar>) -> Result<(), String> {
    let contexts = contexts(slow);
    if contexts != self::contexts(fast) {
        return Err("C or L differ".into());
    }
    for i in 0..VARS {
        let x = Span::named(i);
        let (Some(s), Some(f)) = (slow.memory.exact(x), fast.memory.exact(x)) else { continue };
        related(&s.plain, &f.plain, &contexts).map_err(|e| format!("variable {i}: {e}"))?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    /// The relation is about runs without a race: the first race ends the comparison, in both detectors at once.
    #[test]
    fn fasttrack_emulates_vector_clock(choices in prop::collection::vec(any::<u64>(), 0..300), accesses in 1u32..16) {
        let trace = random_trace(choices, Shape { threads: 4, vars: VARS, objects: 2, accesses });
        let mut slow = Run::new(Precise::<VarClocks>::new(JoinRule::Increment));
        let mut fast = Run::new(Precise::<FastVar>::new(JoinRule::Increment));
        for event in trace.events.iter().filter(|e| is_core(e.op)) {
            slow.step(event.tid, event.op);
            fast.step(event.tid, event.op);
            prop_assert_eq!(slow.races, fast.races);
            if slow.races > 0 {
                break;
            }
            all_related(&mut slow.detector, &mut fast.detector).map_err(TestCaseError::fail)?;
        }
    }
}

/// Plain accesses to variables, and everything that is not an access.
fn is_core(op: Op) -> bool {
    match op.access() {
        Some(a) => matches!(a.mode, Mode::Read | Mode::Write) && a.span.addr.name_index().is_some(),
        None => !matches!(op, Op::Alloc(_)),
    }
}
