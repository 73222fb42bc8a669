//! The explorer's theorems, held against a naive search over every interleaving, on random programs of the language.

use deadheat_explore::{AfterBug, Budget, Deepening, End, Options, Points, Races, Search, Space, Verdict};
use deadheat_lang::generate::{Constructs, Shape, random_program};
use deadheat_lang::{Machine, check, compile, parse};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Programs with more interleavings are left to larger machines.
const MOST_RUNS: u64 = 20_000;

fn machine(source: &str) -> Machine {
    let program = parse(source).unwrap_or_else(|e| panic!("{}", e[0].render("random", source, false)));
    let types = check(&program).unwrap_or_else(|e| panic!("{}", e[0].render("random", source, false)));
    Machine::new(Arc::new(compile(&program, &types).expect("small")), deadheat_lang::Options::default())
}

/// Every final state and every fault that the search finds; `None` if it takes too long.
fn outcomes(source: &str, search: Search, points: &Points) -> Option<(BTreeSet<String>, u64)> {
    let mut machine = machine(source);
    let options = Options { search, races: Races::Ignore, ..Options::default() };
    let mut space = Space::new(points.clone(), options);
    let mut seen = BTreeSet::new();
    while let Some(run) = space.next_run(&mut machine) {
        match run.end {
            End::Finished | End::Stuck => drop(seen.insert(format!("{:?} {:x}", run.end, machine.digest()))),
            End::Redundant | End::Fault => {}
            End::TooLong => panic!("random programs end"),
        }
        if space.counts().runs > MOST_RUNS {
            return None;
        }
    }
    assert_eq!(space.counts().diverged, 0, "{search:?} could not follow its own sequences:\n{source}");
    seen.extend(space.bugs().iter().map(|bug| match &bug.kind {
        deadheat_explore::BugKind::Fault(fault) => format!("{fault:?}"),
        other => format!("{:?}", std::mem::discriminant(other)),
    }));
    Some((seen, space.counts().runs))
}

/// `DEADHEAT_REPEATS` makes it so many times as much.
fn seeds(count: u64) -> std::ops::Range<u64> {
    let repeats = std::env::var("DEADHEAT_REPEATS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    0..count * repeats
}

#[track_caller]
fn reductions_lose_nothing(shape: Shape, seeds: std::ops::Range<u64>) {
    let mut compared = 0;
    for seed in seeds.clone() {
        let source = random_program(shape, seed);
        let Some((all, _)) = outcomes(&source, Search::Naive, &Points::Everywhere) else { continue };
        compared += 1;
        for search in [Search::Dpor, Search::Optimal] {
            let (found, _) =
                outcomes(&source, search, &Points::Everywhere).expect("fewer runs than the naive search");
            assert_eq!(found, all, "{search:?} on seed {seed}:\n{source}");
        }
    }
    assert!(compared * 2 > seeds.end - seeds.start, "only {compared} programs were small enough");
}

#[test]
fn partial_order_reduction_finds_every_outcome_of_the_calculus() {
    let shape = Shape { threads: 2, vars: 2, locks: 2, statements: 4, constructs: Constructs::Calculus };
    reductions_lose_nothing(shape, seeds(700));
    let shape = Shape { threads: 3, vars: 2, locks: 1, statements: 2, constructs: Constructs::Calculus };
    reductions_lose_nothing(shape, seeds(300));
}

#[test]
fn partial_order_reduction_finds_every_outcome_of_the_language() {
    let shape = Shape { threads: 2, vars: 2, locks: 1, statements: 4, constructs: Constructs::All };
    reductions_lose_nothing(shape, seeds(700));
    let shape = Shape { threads: 3, vars: 1, locks: 1, statements: 2, constructs: Constructs::All };
    reductions_lose_nothing(shape, seeds(400));
}

/// Theorem 2: iterative deepening finds every final state and every fault that the naive search finds.
#[test]
fn deepening_finds_what_preempting_everywhere_finds() {
    let shapes = [
        Shape { threads: 2, vars: 2, locks: 1, statements: 4, constructs: Constructs::Calculus },
        Shape { threads: 2, vars: 2, locks: 1, statements: 3, constructs: Constructs::All },
        Shape { threads: 3, vars: 1, locks: 1, statements: 2, constructs: Constructs::All },
    ];
    let (mut compared, mut deepened) = (0, 0);
    for seed in seeds(600) {
        let source = random_program(shapes[seed as usize % shapes.len()], seed ^ 0xdee9);
        let Some((all, _)) = outcomes(&source, Search::Naive, &Points::Everywhere) else { continue };
        let options = Options { races: Races::Ignore, ..Options::default() };
        let mut deepening = Deepening::new(options, AfterBug::GoOn);
        let verdict =
            deepening.run(&mut [machine(&source)], Budget::default(), &AtomicBool::new(false), &mut |_| {});
        let expected = match deepening.bugs().is_empty() {
            true => Verdict::Verified,
            false => Verdict::Bugs { complete: true },
        };
        assert_eq!(verdict, expected, "seed {seed}:\n{source}");
        let sites = deepening.progress().sites;
        deepened += u32::from(!sites.is_empty());
        let (found, _) = outcomes(&source, Search::Optimal, &Points::at(sites)).expect("fewer runs");
        assert_eq!(found, all, "seed {seed}:\n{source}");
        compared += 1;
    }
    assert!(
        compared > 400 && deepened > 200,
        "{compared} programs compared, {deepened} of them with candidates"
    );
}
