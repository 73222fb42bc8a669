//! Programs to explore in tests: a tiny machine, random programs for it, and brute force to judge the searches.

mod classes;
mod deepening;
mod generate;
mod machine;
mod programs;
mod random;
mod schedules;

use crate::{End, Options, Points, Search, Space, System};
use machine::{Ins, Machine};
use std::collections::BTreeSet;

/// What a search of a space saw.
#[derive(Default)]
struct Seen {
    runs: u64,
    redundant: u64,
    /// Final states of runs that finished.
    states: BTreeSet<u64>,
    /// Bugs by their words.
    bugs: BTreeSet<String>,
}

fn options(search: Search) -> Options {
    Options { search, ..Options::default() }
}

/// Searches a space to its end.
fn search(machine: &mut Machine, points: Points, options: Options) -> Seen {
    bounded_search(machine, points, options, 3_000_000).expect("an end")
}

/// Searches a space to its end; `None` if that takes more runs.
fn bounded_search(machine: &mut Machine, points: Points, options: Options, most: u64) -> Option<Seen> {
    let mut space = Space::new(points, options);
    let mut seen = Seen::default();
    while let Some(run) = space.next_run(machine) {
        if run.end == End::Finished {
            seen.states.insert(machine.digest());
        }
        if space.counts().runs > most {
            return None;
        }
    }
    assert_eq!(space.counts().diverged, 0, "{:?}", machine.code);
    (seen.runs, seen.redundant) = (space.counts().runs, space.counts().redundant);
    seen.bugs = space.bugs().iter().map(|b| bug_words(&b.kind)).collect();
    Some(seen)
}

/// How many seeds a test tries: more where somebody asks for a long run.
fn first_seeds(usual: u64) -> u64 {
    let times = std::env::var("DEADHEAT_EXPLORE_TIMES").ok().and_then(|t| t.parse().ok()).unwrap_or(1);
    usual * times
}

fn bug_words(kind: &crate::BugKind) -> String {
    match kind {
        crate::BugKind::DataRace(r) => {
            let (a, b) = (r.first.site.0, r.second.site.0);
            format!("race {} {}", a.min(b), a.max(b))
        }
        crate::BugKind::Fault(f) => format!("{} {}", f.kind, f.site.0),
        crate::BugKind::Deadlock(d) => format!("deadlock {:?}", d.waits),
        other => other.to_string(),
    }
}
