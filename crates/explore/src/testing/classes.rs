//! Mazurkiewicz traces by brute force, from their definition: runs are the same if they have the same operations and the same order of
//! each two that do not commute. Written apart from the search's own idea of what commutes.

use super::machine::Machine;
use crate::{Options, Points, Search, Space};
use deadheat_trace::{Event, Op};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Do two operations of different threads not commute, where both are possible?
fn conflict(a: Op, b: Op) -> bool {
    if let (Some(x), Some(y)) = (a.access(), b.access()) {
        return x.span.overlaps(y.span) && (x.mode.writes() || y.mode.writes());
    }
    match (a, b) {
        (Op::Acquire(m), Op::Acquire(n)) => m == n,
        (Op::Send(c), Op::Send(d)) | (Op::Receive(c), Op::Receive(d)) => c == d,
        (Op::Receive(c), Op::ReceiveClosed(d)) | (Op::ReceiveClosed(c), Op::Receive(d)) => c == d,
        (Op::Close(c), Op::Send(d) | Op::Receive(d) | Op::ReceiveClosed(d) | Op::Close(d)) => c == d,
        (Op::Send(c) | Op::Receive(c) | Op::ReceiveClosed(c), Op::Close(d)) => c == d,
        (Op::VolatileWrite(v), Op::VolatileWrite(w) | Op::VolatileRead(w)) => v == w,
        (Op::VolatileRead(v), Op::VolatileWrite(w)) => v == w,
        _ => false,
    }
}

/// The run up to commuting: each event with which of the earlier ones it does not commute with.
fn canonical(events: &[Event]) -> u64 {
    let mut counts = [0u32; 64];
    let names: Vec<(u32, u32)> = events
        .iter()
        .map(|e| {
            counts[e.tid.index()] += 1;
            (e.tid.0, counts[e.tid.index()])
        })
        .collect();
    let mut lines: Vec<_> = (0..events.len())
        .map(|i| {
            let mut before: Vec<_> = (0..i)
                .filter(|&j| events[j].tid != events[i].tid && conflict(events[j].op, events[i].op))
                .map(|j| names[j])
                .collect();
            before.sort_unstable();
            (names[i], events[i].op, before)
        })
        .collect();
    lines.sort_by_key(|l| l.0);
    let mut hasher = DefaultHasher::new();
    lines.hash(&mut hasher);
    hasher.finish()
}

/// The Mazurkiewicz traces of all interleavings; `None` if there are too many to look at.
pub fn brute_force(machine: &mut Machine, most: u64) -> Option<BTreeSet<u64>> {
    let options = Options { search: Search::Naive, ..Options::default() };
    let mut space = Space::new(Points::Everywhere, options);
    let mut classes = BTreeSet::new();
    while space.next_run(machine).is_some() {
        classes.insert(canonical(space.last_events()));
        if space.counts().runs > most {
            return None;
        }
    }
    Some(classes)
}

/// The Mazurkiewicz traces that a search sees, one for each run, and how many runs were redundant.
pub fn explored(machine: &mut Machine, search: Search) -> (Vec<u64>, u64) {
    let mut space = Space::new(Points::Everywhere, Options { search, ..Options::default() });
    let mut classes = Vec::new();
    while let Some(run) = space.next_run(machine) {
        if run.end != crate::End::Redundant {
            classes.push(canonical(space.last_events()));
        }
    }
    (classes, space.counts().redundant)
}
