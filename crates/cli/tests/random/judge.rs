//! A run and its own trace: every byte's first race was reported, and every report is a racing pair of the trace, access for access.
//!
//! What comes after a byte's first race is not compared: no detector that keeps less than the whole past can tell all of it.

use deadheat_detect::DetectorKind;
use deadheat_finding::{AccessMode, Finding, Kind, json};
use deadheat_report::Race;
use deadheat_trace::{Event, EventId, Op, Symbols, Trace, format};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// An access as both sides know it: thread, what it did, first byte, size, and the line of the source.
type Key = (u32, &'static str, u64, u64, String);
type Counted = BTreeMap<Key, usize>;

/// What a judgement was about, to show that it was about something.
#[derive(Default, Debug)]
pub struct Tally {
    pub events: usize,
    /// Accesses that race.
    pub racy: usize,
    /// Pieces of the trace between which only the main thread runs, and those without a race.
    pub pieces: usize,
    pub quiet: usize,
}

/// Compares; says what differs.
pub fn judge(trace: &Path, findings: &Path) -> Result<Tally, String> {
    let file = std::fs::File::open(trace).map_err(|e| format!("{}: {e}", trace.display()))?;
    let trace =
        format::open(file).and_then(|mut reader| Trace::read(&mut reader)).map_err(|e| e.to_string())?;
    let text = std::fs::read_to_string(findings).map_err(|e| format!("{}: {e}", findings.display()))?;
    let findings: Vec<Finding> = json::read(&text).collect::<Result<_, _>>().map_err(|e| e.to_string())?;
    let side = Side { events: &trace.events, symbols: &trace.symbols };

    let reported = reported(&findings)?;
    let mut tally = Tally { events: trace.events.len(), racy: reported.values().sum(), ..Tally::default() };
    let (mut first, mut all, mut pairs) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for piece in pieces(&trace.events) {
        let truth = races(&trace.events[piece.clone()]);
        (tally.pieces, tally.quiet) = (tally.pieces + 1, tally.quiet + usize::from(truth.is_empty()));
        let at = |id: EventId| EventId(id.0 + piece.start as u64);
        first.extend(first_races(&truth).into_iter().map(at));
        all.extend(truth.iter().map(|r| at(r.current.event)));
        pairs.extend(truth.iter().map(|r| (side.place(at(r.current.event)), side.place(at(r.prior.event)))));
    }
    let (first, all) = (side.count(first), side.count(all));
    let within =
        |less: &Counted, more: &Counted| less.iter().all(|(key, n)| more.get(key).unwrap_or(&0) >= n);
    if !within(&first, &reported) {
        return Err(format!(
            "first races of the trace that were not reported: {}",
            difference(&first, &reported)
        ));
    }
    if !within(&reported, &all) {
        return Err(format!("reported, but no race of the trace: {}", difference(&reported, &all)));
    }
    for finding in findings.iter().filter(|f| is_race(f)) {
        let pair = (place(finding, 0), place(finding, 1));
        if !pairs.contains(&pair) {
            return Err(format!("no racing pair of the trace: {pair:?}"));
        }
    }
    Ok(tally)
}

/// Every racing pair, from the definition of happens-before.
fn races(events: &[Event]) -> Vec<Race> {
    let mut found = Vec::new();
    let mut detector = DetectorKind::Oracle.build(DetectorKind::GC_EVERY);
    detector.on_events(EventId(0), events, &mut |race| found.push(race));
    detector.finish(&mut |race| found.push(race)).expect("the piece is short");
    found
}

/// The events with which some byte's first race is complete.
fn first_races(races: &[Race]) -> BTreeSet<EventId> {
    let mut first: BTreeMap<u64, EventId> = BTreeMap::new();
    for race in races {
        for byte in race.span.addr.0..race.span.end() {
            let at = first.entry(byte).or_insert(race.current.event);
            *at = (*at).min(race.current.event);
        }
    }
    first.into_values().collect()
}

/// Runs of events between which no thread but the first is alive, so that nothing in one races with anything in another.
fn pieces(events: &[Event]) -> Vec<std::ops::Range<usize>> {
    let (mut alive, mut start, mut pieces) = (0, 0, Vec::new());
    for (i, event) in events.iter().enumerate() {
        match event.op {
            Op::Fork(_) => alive += 1,
            Op::Join(_) => alive -= 1,
            _ => continue,
        }
        if alive == 0 {
            pieces.push(start..i + 1);
            start = i + 1;
        }
    }
    pieces.push(start..events.len());
    pieces
}

/// A trace and its names.
struct Side<'a> {
    events: &'a [Event],
    symbols: &'a Symbols,
}

impl Side<'_> {
    /// How often each access is among these events; several races of one event count once.
    fn count(&self, events: impl IntoIterator<Item = EventId>) -> Counted {
        let distinct: BTreeSet<EventId> = events.into_iter().collect();
        let mut counted = Counted::new();
        distinct.into_iter().for_each(|id| *counted.entry(self.key(id)).or_default() += 1);
        counted
    }

    fn key(&self, id: EventId) -> Key {
        let event = &self.events[id.0 as usize];
        let span = event.op.access().expect("only accesses race").span;
        let (thread, what, line) = self.place(id);
        (thread, what, span.addr.0, span.size, line)
    }

    /// Thread, kind and line.
    fn place(&self, id: EventId) -> (u32, &'static str, String) {
        use deadheat_trace::Mode;
        let event = &self.events[id.0 as usize];
        let what = match (event.op, event.op.access().map(|a| a.mode)) {
            (Op::Free(_), _) => "free",
            (_, Some(Mode::Read)) => "read",
            (_, Some(Mode::Write)) => "write",
            (_, Some(Mode::AtomicRead)) => "atomic read",
            _ => "atomic write",
        };
        let name = self.symbols.thread(event.tid);
        let thread = name.strip_prefix('T').and_then(|n| n.parse().ok()).unwrap_or(0);
        let loc = self.symbols.loc(event.loc).unwrap_or_default();
        // Code that the optimiser has moved has no line.
        let line = loc.rsplit('/').next().filter(|name| name.contains(".c:"));
        (thread, what, line.unwrap_or_default().to_owned())
    }
}

fn is_race(finding: &Finding) -> bool {
    matches!(finding.kind, Kind::DataRace | Kind::UseAfterFree)
}

fn place(finding: &Finding, access: usize) -> (u32, &'static str, String) {
    let access = &finding.accesses[access];
    // The innermost line of the instruction itself: functions that are inlined there, and the one that they are inlined into.
    let frames = &access.stack.0;
    let inlined = frames.iter().take_while(|f| f.inlined).count();
    let line = frames
        .iter()
        .take(inlined + 1)
        .find_map(|f| Some(format!("{}:{}", f.file.as_ref()?.rsplit('/').next()?, f.line?)));
    (access.thread.0, access.mode.noun(), line.unwrap_or_default())
}

fn reported(findings: &[Finding]) -> Result<Counted, String> {
    let mut counted = Counted::new();
    for finding in findings {
        if !is_race(finding) {
            return Err(format!("something else was found: {:?}", finding.kind));
        }
        let current = &finding.accesses[0];
        let (thread, what, line) = place(finding, 0);
        // What comes after the free is a use of freed memory; a free that comes second is a race like others.
        let after_free = finding.accesses[1].mode == AccessMode::Free;
        assert_eq!(after_free, finding.kind == Kind::UseAfterFree, "{:?}", finding.kind);
        *counted.entry((thread, what, current.addr.0, current.size, line)).or_default() += 1;
    }
    Ok(counted)
}

fn difference(a: &Counted, b: &Counted) -> String {
    let keys: BTreeSet<&Key> = a.keys().chain(b.keys()).collect();
    let differ = keys.into_iter().filter(|k| a.get(*k) != b.get(*k));
    let told = differ.map(|k| format!("{k:x?}: {} and {}", a.get(k).unwrap_or(&0), b.get(k).unwrap_or(&0)));
    told.take(12).collect::<Vec<_>>().join("; ")
}
