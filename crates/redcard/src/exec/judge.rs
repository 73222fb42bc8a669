//! Judges of traces: happens-before from its definition, races, and the well-formedness of §2.1. They know nothing of the analysis.

use super::{Action, Event, SyncObject, Tid};
use crate::ir::{AccessId, Kind};
use std::collections::HashMap;

/// Two accesses to one location, at least one a write, that nothing orders: their places in the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Race {
    /// The earlier.
    pub first: usize,
    /// The later.
    pub second: usize,
}

type Clock = HashMap<Tid, u64>;

fn join(into: &mut Clock, other: &Clock) {
    for (tid, time) in other {
        let slot = into.entry(*tid).or_default();
        *slot = (*slot).max(*time);
    }
}

/// All races among the accesses that count, in the order of their second access.
pub fn races(trace: &[Event], counts: impl Fn(usize) -> bool) -> Vec<Race> {
    let mut threads: HashMap<Tid, Clock> = HashMap::new();
    let mut objects: HashMap<&SyncObject, Clock> = HashMap::new();
    let mut accesses: HashMap<_, Vec<(usize, Tid, u64, Kind)>> = HashMap::new();
    let mut found = Vec::new();
    for (at, Event { tid, action }) in trace.iter().enumerate() {
        let mut own = threads.remove(tid).unwrap_or_default();
        own.entry(*tid).or_insert(1);
        match action {
            Action::Access(_, kind, location) if counts(at) => {
                let earlier = accesses.entry(location).or_default();
                for (first, other, time, before) in earlier.iter() {
                    let ordered = own.get(other).is_some_and(|known| known >= time);
                    if !ordered && (*kind == Kind::Write || *before == Kind::Write) {
                        found.push(Race { first: *first, second: at });
                    }
                }
                earlier.push((at, *tid, own[tid], *kind));
            }
            Action::Access(..) => {}
            Action::Release(object) => {
                join(objects.entry(object).or_default(), &own);
                *own.entry(*tid).or_default() += 1;
            }
            Action::Acquire(object) => {
                if let Some(clock) = objects.get(object) {
                    join(&mut own, clock);
                }
            }
            Action::Fork(child) => {
                join(threads.entry(*child).or_default(), &own);
                *own.entry(*tid).or_default() += 1;
            }
            Action::Join(child) => {
                if let Some(clock) = threads.get(child) {
                    join(&mut own, clock);
                }
            }
        }
        threads.insert(*tid, own);
    }
    found
}

/// An unchecked access that no checked one of its span covers, though nothing raced before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Where in the trace.
    pub at: usize,
    /// Which access.
    pub id: AccessId,
}

/// The first violation of well-formedness.
pub fn monitor(trace: &[Event], checked: impl Fn(AccessId) -> bool) -> Option<Fault> {
    let race_free = races(trace, |_| true).first().map_or(trace.len(), |race| race.second);
    let mut spans: HashMap<Tid, HashMap<_, Kind>> = HashMap::new();
    for (at, Event { tid, action }) in trace.iter().enumerate().take(race_free + 1) {
        let span = spans.entry(*tid).or_default();
        match action {
            Action::Access(id, kind, location) => match id.filter(|id| !checked(*id)) {
                Some(id) if !span.get(location).is_some_and(|by: &Kind| by.covers(*kind)) => {
                    return Some(Fault { at, id });
                }
                Some(_) => {}
                None => {
                    let slot = span.entry(location).or_insert(*kind);
                    *slot = (*slot).max(*kind);
                }
            },
            Action::Release(_) | Action::Fork(_) => span.clear(),
            Action::Acquire(_) | Action::Join(_) => {}
        }
    }
    None
}
