//! `deadheat trace stats`: what a trace is made of, and which rules a detector applied to it how often.

use crate::args::{Detector, Stats};
use crate::failure::{Failure, Outcome};
use crate::output::print;
use crate::run::{Flow, Run};
use deadheat_detect::{Counters, DetectorKind, Rule};
use deadheat_report::counted;
use deadheat_trace::format::operation_name;
use deadheat_trace::{Namespace, Symbols};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Counts the trace's events and the detector's rules.
pub fn run(args: &Stats) -> Result<Outcome, Failure> {
    let mut run = Run::open(&args.input)?;
    let Detector(kind) = args.choice.detector;
    let mut detector = kind.build(args.choice.gc_every);
    let (mut operations, mut races) = (BTreeMap::<&'static str, u64>::new(), 0);
    run.each(&mut |first, events, _| {
        events.iter().for_each(|e| *operations.entry(operation_name(&e.op)).or_default() += 1);
        detector.on_events(first, events, &mut |_| races += 1);
        Flow::Go
    })?;
    detector.finish(&mut |_| races += 1).map_err(|e| Failure::at(run.name(), e))?;
    let mut operations: Vec<_> = operations.into_iter().collect();
    operations.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    print(&match args.json {
        true => format!("{:#}\n", as_json(&run, &operations, kind, detector.counters())),
        false => as_text(&run, &operations, kind, detector.counters()),
    })?;
    Ok(Outcome::of(races))
}

const THINGS: [(Namespace, &str); 7] = [
    (Namespace::Thread, "thread"),
    (Namespace::Var, "variable"),
    (Namespace::Lock, "lock"),
    (Namespace::Volatile, "volatile"),
    (Namespace::Cond, "condition"),
    (Namespace::Barrier, "barrier"),
    (Namespace::Chan, "channel"),
];

fn things(symbols: &Symbols) -> impl Iterator<Item = (&'static str, u32)> {
    THINGS.iter().map(|&(space, name)| (name, symbols.count(space))).filter(|(_, n)| *n > 0)
}

fn as_text(run: &Run, operations: &[(&str, u64)], kind: DetectorKind, rules: &Counters) -> String {
    let mut out = String::new();
    let counts: Vec<String> =
        things(run.symbols()).map(|(name, n)| counted(n.into(), name, &format!("{name}s"))).collect();
    let _ = writeln!(out, "{}, {}", counted(run.events, "event", "events"), counts.join(", "));
    table(&mut out, "operation", operations.iter().map(|(name, n)| (*name, *n)));
    let (accesses, sync): (Vec<_>, Vec<_>) =
        by_frequency(rules).into_iter().partition(|(rule, _)| rule.is_access());
    let named = |rules: &[(Rule, u64)]| rules.iter().map(|(rule, n)| (rule.name(), *n)).collect::<Vec<_>>();
    table(&mut out, &format!("{}, rules for accesses", kind.name()), named(&accesses).into_iter());
    table(&mut out, &format!("{}, rules for synchronisation", kind.name()), named(&sync).into_iter());
    out
}

fn by_frequency(rules: &Counters) -> Vec<(Rule, u64)> {
    let mut rules: Vec<_> = rules.iter().collect();
    rules.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    rules
}

/// Rows with their share of the whole.
fn table<'a>(out: &mut String, title: &str, rows: impl Iterator<Item = (&'a str, u64)> + Clone) {
    let total: u64 = rows.clone().map(|(_, n)| n).sum();
    if total == 0 {
        return;
    }
    let _ = writeln!(out, "\n{title:<40} {:>14} {:>8}", "count", "%");
    for (name, n) in rows {
        let _ = writeln!(out, "  {name:<38} {n:>14} {:>8.2}", 100.0 * n as f64 / total as f64);
    }
}

fn as_json(run: &Run, operations: &[(&str, u64)], kind: DetectorKind, rules: &Counters) -> Value {
    let map = |pairs: Vec<(&str, u64)>| -> Map<String, Value> {
        pairs.into_iter().map(|(name, n)| (name.to_owned(), json!(n))).collect()
    };
    let rules = by_frequency(rules).into_iter().map(|(rule, n)| (rule.name(), n)).collect();
    let things: Map<_, _> = things(run.symbols()).map(|(name, n)| (format!("{name}s"), json!(n))).collect();
    json!({
        "events": run.events, "things": things,
        "operations": map(operations.to_vec()), "detector": kind.name(), "rules": map(rules),
    })
}
