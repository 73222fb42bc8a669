//! The comparison as a table and as JSON.

use super::Contestant;
use crate::failure::Failure;
use crate::run::Run;
use deadheat_report::{Difference, differences, printable};
use deadheat_trace::{EventId, Symbols};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Differences are listed up to here.
const DIFFERENCES_TOLD: usize = 20;

/// More detectors than this that say the same are "the others".
const NAMED: usize = 3;

const LEGEND: &str = "\
accesses    that complete a race
variables   that race (neighbouring bytes without a name count as one)
pairs       of places in the program that race with each other
first race  the event that completes it
time        as a multiple of the fastest detector's
";

/// The comparison for people.
pub fn as_text(all: &[Contestant], run: &Run) -> String {
    let mut out = String::new();
    let fastest = all.iter().filter(|c| c.out().is_none()).map(|c| c.time).min().unwrap_or_default();
    let _ = writeln!(
        out,
        "{:<20}{:>10}{:>11}{:>8}{:>12}{:>8}  precision",
        "detector", "accesses", "variables", "pairs", "first race", "time"
    );
    for c in all {
        if let Some(why) = c.out() {
            let _ = writeln!(out, "{:<20}  left out: {}", c.kind.name(), printable(why.into()));
            continue;
        }
        let ratio = c.time.as_secs_f64() / fastest.as_secs_f64().max(1e-9);
        let _ = writeln!(out, "{}", row(c, ratio));
    }
    let _ = write!(out, "\n{LEGEND}");
    tell_differences(&mut out, all, run.symbols());
    out
}

fn row(c: &Contestant, ratio: f64) -> String {
    let counts = c.tally.counts();
    let first = c.tally.first_races().earliest().map_or("-".into(), number);
    format!(
        "{:<20}{:>10}{:>11}{:>8}{first:>12}{ratio:>7.1}x  {}",
        c.kind.name(),
        counts.events,
        counts.variables,
        counts.pairs,
        c.kind.precision().name()
    )
}

/// Events are numbered from 1, as lines are.
fn number(event: EventId) -> String {
    (event.0 + 1).to_string()
}

fn tell_differences(out: &mut String, all: &[Contestant], symbols: &Symbols) {
    let racing: Vec<&Contestant> = all.iter().filter(|c| c.out().is_none()).collect();
    let differences = differences_of(&racing);
    if racing.len() < 2 {
        return;
    }
    if differences.is_empty() {
        let _ =
            writeln!(out, "\nAll agree on which variables race, and on the event of the first race on each.");
        return;
    }
    let _ = writeln!(out, "\nWhere they differ, with the event of the first race:");
    let told: Vec<_> = differences.iter().take(DIFFERENCES_TOLD).collect();
    let names: Vec<String> = told.iter().map(|d| printable(symbols.span(d.span))).collect();
    let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).min(40);
    for (name, difference) in names.iter().zip(&told) {
        let _ = writeln!(out, "  {name:<width$}  {}", verdicts(&racing, &difference.first));
    }
    if differences.len() > told.len() {
        let _ = writeln!(out, "  and {} more", differences.len() - told.len());
    }
}

/// `event 3: lockset; no race: the other 9`.
fn verdicts(racing: &[&Contestant], first: &[Option<EventId>]) -> String {
    // Those without a race come last.
    let mut groups: BTreeMap<(bool, Option<EventId>), Vec<&str>> = BTreeMap::new();
    for (c, event) in racing.iter().zip(first) {
        groups.entry((event.is_none(), *event)).or_default().push(c.kind.name());
    }
    let most = groups.values().map(Vec::len).max().unwrap_or(0);
    let verdict = |(&(_, event), names): (&(bool, Option<EventId>), &Vec<&str>)| {
        let when = event.map_or("no race".into(), |e| format!("event {}", number(e)));
        let who =
            if names.len() == most && most > NAMED { format!("the other {most}") } else { names.join(", ") };
        format!("{when}: {who}")
    };
    groups.iter().map(verdict).collect::<Vec<_>>().join("; ")
}

fn differences_of(racing: &[&Contestant]) -> Vec<Difference> {
    differences(&racing.iter().map(|c| c.tally.first_races()).collect::<Vec<_>>())
}

/// The comparison for programs.
pub fn as_json(all: &[Contestant], run: &Run, stopped: Option<&Failure>) -> String {
    let racing: Vec<&Contestant> = all.iter().filter(|c| c.out().is_none()).collect();
    let event = |e: &Option<EventId>| json!(e.map(|e| e.0 + 1));
    let detectors: Vec<Value> = all.iter().map(contestant_as_json).collect();
    let differ = differences_of(&racing).into_iter().map(|d| {
        let by: Map<String, Value> =
            racing.iter().zip(&d.first).map(|(c, e)| (c.kind.name().into(), event(e))).collect();
        json!({ "variable": run.symbols().span(d.span), "first_race": by })
    });
    let mut comparison =
        json!({ "events": run.events, "detectors": detectors, "differences": differ.collect::<Vec<_>>() });
    if let Some(n) = run.repaired() {
        comparison["repaired"] = json!(n);
    }
    if let Some(failure) = stopped {
        comparison["stopped"] = json!(failure.to_string());
    }
    format!("{comparison:#}\n")
}

fn contestant_as_json(c: &Contestant) -> Value {
    let (name, precision) = (c.kind.name(), c.kind.precision().name());
    if let Some(why) = c.out() {
        return json!({ "detector": name, "precision": precision, "left_out": why });
    }
    let counts = c.tally.counts();
    json!({
        "detector": name, "precision": precision, "racing_events": counts.events,
        "racing_variables": counts.variables, "racing_pairs": counts.pairs,
        "first_race": c.tally.first_races().earliest().map(|e| e.0 + 1), "seconds": c.time.as_secs_f64(),
    })
}
