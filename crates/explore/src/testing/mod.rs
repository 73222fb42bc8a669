//! Programs to explore in tests: a tiny machine, random programs for it, and brute force to judge the searches.

mod classes;
mod deepening;
mod generate;
mod machine;
mod programs;
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
    let mut space = Space::new(points, options);
    let mut seen = Seen::default();
    while let Some(run) = space.next_run(machine) {
        if run.end == End::Finished {
            seen.states.insert(machine.digest());
        }
        assert!(space.counts().runs < 3_000_000, "no end");
    }
    assert_eq!(space.counts().diverged, 0, "{:?}", machine.code);
    (seen.runs, seen.redundant) = (space.counts().runs, space.counts().redundant);
    seen.bugs = space.bugs().iter().map(|b| bug_words(&b.kind)).collect();
    seen
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
