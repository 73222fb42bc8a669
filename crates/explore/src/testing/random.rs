//! The random searches: what they promise, counted.

use super::machine::{Ins::*, Machine};
use super::*;
use std::collections::BTreeMap;

/// In how many of so many runs a bug shows.
fn hits(machine: &mut Machine, search: Search, runs: u32) -> (u32, u32) {
    let options = Options { races: crate::Races::Ignore, ..options(search) };
    let mut space = Space::new(Points::Everywhere, options);
    let (mut hits, mut longest) = (0, 0);
    for _ in 0..runs {
        let run = space.next_run(machine).unwrap();
        hits += u32::from(run.end == End::Fault);
        longest = longest.max(run.steps);
    }
    (hits, longest)
}

/// 1/(n·k^(d−1)): an order of two threads has depth 1, a lost update depth 2.
#[test]
fn pct_keeps_its_promise() {
    let long = |mut code: Vec<Ins>| {
        code.splice(0..0, std::iter::repeat_n(Read(5), 12));
        code
    };
    let order = vec![long(vec![Read(0), AssertNot(0)]), long(vec![Set(0, 1)])];
    let mut order = Machine::parallel(order, vec![], vec![]);
    let (hit, _) = hits(&mut order, Search::Pct { seed: 1, depth: 1 }, 3000);
    assert!(hit * 3 >= 3000 / 2, "{hit}");
    let add = || long(vec![Read(0), Write(0, 1)]);
    let mut lost = Machine::parallel(vec![add(), add()], vec![], vec![Read(0), AssertNot(1)]);
    let (hit, longest) = hits(&mut lost, Search::Pct { seed: 1, depth: 2 }, 6000);
    assert!(hit * 3 * longest >= 6000, "{hit} {longest}");
    assert_eq!(hits(&mut lost, Search::Pct { seed: 1, depth: 1 }, 300).0, 0);
}

/// All orders of the accesses to one object are about equally likely.
#[test]
fn surw_is_uniform() {
    let adds = || vec![Read(5), Add(0, 1), Read(5), Add(0, 1), Add(0, 1)];
    let mut machine = Machine::parallel(vec![adds(), adds()], vec![], vec![]);
    let mut space = Space::new(Points::Everywhere, options(Search::Surw { seed: 5 }));
    let mut orders = BTreeMap::new();
    for _ in 0..4000 {
        space.next_run(&mut machine).unwrap();
        let adds = space.last_events().iter().filter(|e| e.op.access().is_some_and(|a| a.mode.atomic()));
        *orders.entry(adds.map(|e| e.tid.0).collect::<Vec<_>>()).or_insert(0) += 1;
    }
    assert_eq!(orders.len(), 20);
    assert!(orders.values().all(|n| (120..300).contains(n)), "{orders:?}");
}

#[test]
fn a_random_walk_sees_all_states_of_a_small_program() {
    let mut machine = Machine::parallel(vec![vec![Read(0), Write(0, 1)]; 2], vec![], vec![]);
    let all = search(&mut machine, Points::Everywhere, options(Search::Naive));
    for by in [Search::Random { seed: 1 }, Search::Pct { seed: 1, depth: 3 }, Search::Surw { seed: 1 }] {
        let mut space = Space::new(Points::Everywhere, options(by));
        let mut states = BTreeSet::new();
        for _ in 0..500 {
            space.next_run(&mut machine).unwrap();
            states.insert(machine.digest());
        }
        assert_eq!(states, all.states, "{by:?}");
    }
}

/// A run without end is left at the limit, and says so; threads that only spin are found at once.
#[test]
fn a_long_run_is_a_livelock_perhaps() {
    let mut machine = Machine::parallel(vec![vec![Read(0); 30]], vec![], vec![]);
    let mut space = Space::new(Points::Everywhere, Options { step_limit: 20, ..Options::default() });
    assert_eq!(space.next_run(&mut machine).unwrap().end, End::TooLong);
    let bug = space.bugs().iter().next().unwrap();
    assert!(bug.kind.to_string().contains("perhaps"), "{}", bug.kind);
}
