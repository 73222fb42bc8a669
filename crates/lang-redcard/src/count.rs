//! Table 1: how many of a run's accesses are checked, and how many would be if the instructions had been annotated with hindsight. Of Table 2: how many locations a checker has to remember.

use crate::monitor::{Cell, access, record, releases};
use deadheat_redcard::ir::Kind;
use deadheat_trace::{Event, Tid};
use std::collections::{HashMap, HashSet};

/// What a run, whose events tell every access, had to check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Accesses.
    pub accesses: u64,
    /// Accesses by instructions that accessed, at least once, a location that was not accessed before in its span: "dynamically
    /// non-redundant", the least that any annotation could check in this run.
    pub needed: u64,
    /// Different locations that were accessed.
    pub locations: u64,
}

/// Counts the accesses of a run.
pub fn counts(events: &[Event]) -> Counts {
    let mut spans: HashMap<Tid, HashMap<Cell, Kind>> = HashMap::new();
    let mut places: HashMap<u32, (u64, bool)> = HashMap::new();
    let mut locations: HashSet<Cell> = HashSet::new();
    for event in events {
        let span = spans.entry(event.tid).or_default();
        let Some((kind, cell)) = access(&event.op) else {
            if releases(&event.op) {
                span.clear();
            }
            continue;
        };
        let redundant = span.get(&cell).is_some_and(|by| by.covers(kind));
        record(span, cell, kind);
        locations.insert(cell);
        let (times, always) = places.entry(event.loc.0).or_insert((0, true));
        *times += 1;
        *always &= redundant;
    }
    let accesses = places.values().map(|(times, _)| times).sum();
    let needed = places.values().filter(|(_, always)| !always).map(|(times, _)| times).sum();
    Counts { accesses, needed, locations: locations.len() as u64 }
}

/// What a checker had to do in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// Accesses that it looked at.
    pub accesses: u64,
    /// Locations of which it had to remember something, so that it needs a shadow for each: those that were looked at once or more.
    pub locations: u64,
}

/// What is to be done for the accesses at places with a check.
pub fn checked(events: &[Event], unchecked: &[bool]) -> Checked {
    let at_checks = events.iter().filter(|event| !unchecked[event.loc.0 as usize]);
    let cells: Vec<Cell> = at_checks.filter_map(|event| access(&event.op)).map(|(_, cell)| cell).collect();
    let locations = cells.iter().collect::<HashSet<_>>().len() as u64;
    Checked { accesses: cells.len() as u64, locations }
}
