//! The corpus in `testdata/traces`: every detector on every trace, against the answers written beside them.

mod common;

use common::{PRECISE, first_races, judge_all, run};
use deadheat_detect::DetectorKind;
use deadheat_report::Race;
use deadheat_trace::{Feasibility, Namespace, Trace, format};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/traces");
    let files = fs::read_dir(folder).expect("the corpus is in the repository").map(|f| f.unwrap().path());
    let mut traces: Vec<_> = files.filter(|p| p.extension().is_some_and(|e| e == "std")).collect();
    traces.sort();
    traces
}

fn read(path: &Path) -> Trace {
    let file = fs::File::open(path).unwrap();
    let trace = format::open(file).and_then(|mut source| Trace::read(&mut source));
    trace.unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// First byte of each racing run of memory, by name or address, and the number of the event that completes its first race.
fn racing(races: &[Race], trace: &Trace) -> BTreeMap<String, u64> {
    let bytes = first_races(races);
    let starts = bytes.iter().filter(|(b, event)| bytes.get(&(*b - 1)) != Some(event));
    let name = |b: u64| match deadheat_trace::Addr(b).name_index() {
        Some(i) => trace.symbols.name(Namespace::Var, i).unwrap().to_owned(),
        None => format!("{b:#x}"),
    };
    starts.map(|(b, event)| (name(*b), event.0 + 1)).collect()
}

fn expected(path: &Path) -> BTreeMap<String, u64> {
    let text = fs::read_to_string(path.with_extension("races")).unwrap();
    let lines = text.lines().filter(|l| !l.starts_with('#'));
    lines
        .map(|line| {
            let (variable, event) = line.split_once(' ').expect("variable event");
            (variable.to_owned(), event.parse().unwrap())
        })
        .collect()
}

#[test]
fn every_detector_knows_the_answers() {
    let traces = corpus();
    assert!(traces.len() >= 35, "the corpus has only {} traces", traces.len());
    for path in traces {
        let (trace, wanted) = (read(&path), expected(&path));
        let mut feasible = Feasibility::default();
        for (i, event) in trace.events.iter().enumerate() {
            let checked = feasible.check(event);
            checked
                .unwrap_or_else(|v| panic!("{}:{}: {}", path.display(), i + 1, v.describe(&trace.symbols)));
        }
        for kind in PRECISE.into_iter().chain([DetectorKind::Oracle]) {
            let found = racing(&run(kind, 2, &trace.events), &trace);
            assert_eq!(found, wanted, "{} by {}", path.display(), kind.name());
        }
        judge_all(&trace.events).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
}

/// The candidate detectors see more, and less: both ways are pinned.
#[test]
fn candidates_differ_from_races() {
    let trace = |name: &str| {
        read(
            &Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../../testdata/traces")
                .join(name)
                .with_extension("std"),
        )
    };
    let found = |kind, name: &str| {
        racing(&run(kind, 1, &trace(name).events), &trace(name)).into_keys().collect::<Vec<_>>()
    };
    // Paper 002, Figure 1: lines 1 and 9 are candidates under must-happen-before, and no race of this run.
    assert_eq!(found(DetectorKind::LimitedHb, "deepening-fig1"), ["foo"]);
    assert!(found(DetectorKind::VerifiedFt, "deepening-fig1").is_empty());
    // Ordered by messages, not by locks: Eraser warns all the same, limited happens-before does not.
    assert_eq!(found(DetectorKind::Lockset, "rsg-section5"), ["z"]);
    assert!(found(DetectorKind::LimitedHb, "rsg-section5").is_empty());
    // Read-only after initialisation by one thread: Eraser says nothing, as designed, where there is a race.
    assert!(found(DetectorKind::Lockset, "eight-readers-then-one").is_empty());
    assert_eq!(found(DetectorKind::VerifiedFt, "eight-readers-then-one"), ["x"]);
}
