//! What the tests of all detectors share: running one, and judging it by the oracle.
#![allow(dead_code, missing_docs)]

use deadheat_detect::{DetectorKind, Precision};
use deadheat_report::{Race, RaceKind};
use deadheat_trace::{Event, EventId};
use std::collections::{BTreeMap, BTreeSet};

/// The precise detectors, the oracle apart.
pub const PRECISE: [DetectorKind; 6] = [
    DetectorKind::VectorClock,
    DetectorKind::MultiJoin,
    DetectorKind::FastTrack,
    DetectorKind::VerifiedFt,
    DetectorKind::HbSets,
    DetectorKind::HbSetsGc,
];

/// All that the detector reports on the trace.
pub fn run(kind: DetectorKind, gc_every: u64, events: &[Event]) -> Vec<Race> {
    let mut found = Vec::new();
    let mut detector = kind.build(gc_every);
    detector.on_events(EventId(0), events, &mut |race| found.push(race));
    detector.finish(&mut |race| found.push(race)).expect("the trace is short");
    found
}

/// Byte to the event with which its first race is complete.
pub fn first_races<'a>(races: impl IntoIterator<Item = &'a Race>) -> BTreeMap<u64, EventId> {
    let mut first = BTreeMap::new();
    for race in races {
        for byte in race.span.addr.0..race.span.end() {
            let at = first.entry(byte).or_insert(race.current.event);
            *at = (*at).min(race.current.event);
        }
    }
    first
}

/// Byte and the two events of every race.
fn pairs(races: &[Race]) -> BTreeSet<(u64, EventId, EventId)> {
    let bytes = |r: &Race| r.span.addr.0..r.span.end();
    races.iter().flat_map(|r| bytes(r).map(|b| (b, r.prior.event, r.current.event))).collect()
}

/// Judges a detector: it must report every byte's first race when it is complete, and nothing but true racing pairs.
pub fn judge(kind: DetectorKind, gc_every: u64, events: &[Event], truth: &[Race]) -> Result<(), String> {
    let found = run(kind, gc_every, events);
    let wanted: Vec<&Race> = match kind.precision() {
        Precision::AfterWrite => truth.iter().filter(|r| r.kind() != RaceKind::WriteAfterRead).collect(),
        _ => truth.iter().collect(),
    };
    let (mine, theirs) = (first_races(&found), first_races(wanted));
    if mine != theirs {
        return Err(format!("{}: first races by byte are {mine:x?}, the oracle's {theirs:x?}", kind.name()));
    }
    let invented: Vec<_> = pairs(&found).difference(&pairs(truth)).copied().collect();
    if !invented.is_empty() {
        return Err(format!("{}: reports pairs that do not race: {invented:x?}", kind.name()));
    }
    Ok(())
}

/// Judges all precise detectors and the after-write one.
pub fn judge_all(events: &[Event]) -> Result<(), String> {
    let truth = run(DetectorKind::Oracle, 1, events);
    let kinds = PRECISE.into_iter().chain([DetectorKind::HbSetsAfterWrite]);
    let listing = || {
        events.iter().enumerate().map(|(i, e)| format!("\n{i:4} T{} {:?}", e.tid.0, e.op)).collect::<String>()
    };
    kinds.into_iter().try_for_each(|kind| judge(kind, 3, events, &truth)).map_err(|e| e + &listing())
}
