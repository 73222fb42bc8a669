//! Theorems 4 and 5 of *Verifying Dynamic Race Detection*, and what they rest on, on random programs and on the paper's own.
//!
//! The instrumented program, run under every interleaving of its small steps, comes out as the bigger-step semantics says (Lemmas 3, 9 and 10), cell
//! by cell, clocks included; and that agrees with the original program: race-free runs end in the same states, racy ones fail, nothing else fails.

use deadheat_detect::DetectorKind;
use deadheat_explore::{Action, End, Log, Options, Points, Races, Search, Space, Status, System};
use deadheat_instrument::{Bigger, Guard, Layout, instrument};
use deadheat_lang::generate::{Constructs, Shape, random_program};
use deadheat_lang::{Machine, check, compile, parse, print};
use deadheat_trace::{EventId, Tid};
use std::collections::BTreeSet;
use std::sync::Arc;

fn machine(source: &str) -> Machine {
    let program = parse(source).unwrap_or_else(|e| panic!("{}", e[0].render("program", source, false)));
    let types = check(&program).unwrap_or_else(|e| panic!("{}", e[0].render("program", source, false)));
    Machine::new(Arc::new(compile(&program, &types).expect("small")), deadheat_lang::Options::default())
}

/// The instrumented program, through its text: what is printed is what is meant.
fn instrumented(source: &str, guard: Guard) -> (Machine, Layout) {
    let program = parse(source).expect("a program");
    let (made, layout) =
        instrument(&program, guard).unwrap_or_else(|e| panic!("{}", e[0].render("program", source, false)));
    (machine(&print(&made)), layout)
}

/// What a run can come to: the cells of its final state, or that it failed or got stuck.
type Outcomes = BTreeSet<Outcome>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outcome {
    Cells(Vec<i64>),
    Failed,
    Stuck,
}

/// Programs with more interleavings are left out.
const MOST_RUNS: u64 = 30_000;

fn outcomes<S: System>(system: &mut S, search: Search, cells: impl Fn(&S) -> Vec<i64>) -> Option<Outcomes> {
    let mut space =
        Space::new(Points::Everywhere, Options { search, races: Races::Ignore, ..Options::default() });
    let mut seen = Outcomes::new();
    while let Some(run) = space.next_run(system) {
        match run.end {
            End::Finished => drop(seen.insert(Outcome::Cells(cells(system)))),
            End::Stuck => drop(seen.insert(Outcome::Stuck)),
            End::Fault => drop(seen.insert(Outcome::Failed)),
            End::Redundant => {}
            End::TooLong => panic!("random programs end"),
        }
        if space.counts().runs > MOST_RUNS {
            return None;
        }
    }
    Some(seen)
}

/// The original's outcomes, each run judged by VectorClock: race-free final states, and whether there is a racy run.
fn original(source: &str) -> Option<(Outcomes, bool)> {
    let mut machine = machine(source);
    let options = Options { search: Search::Naive, races: Races::Ignore, ..Options::default() };
    let mut space = Space::new(Points::Everywhere, options);
    let (mut seen, mut racy) = (Outcomes::new(), false);
    while let Some(run) = space.next_run(&mut machine) {
        let mut detector = DetectorKind::VectorClock.build(0);
        let mut races = 0;
        detector.on_events(EventId(0), space.last_events(), &mut |_| races += 1);
        match run.end {
            _ if races > 0 => racy = true,
            End::Finished => drop(seen.insert(Outcome::Cells(machine.global_cells().to_vec()))),
            End::Stuck => drop(seen.insert(Outcome::Stuck)),
            End::Fault => drop(seen.insert(Outcome::Failed)),
            End::Redundant | End::TooLong => panic!("a naive search of a program that ends has neither"),
        }
        if space.counts().runs > MOST_RUNS {
            return None;
        }
    }
    Some((seen, racy))
}

fn shape(threads: u32, statements: u32) -> Shape {
    Shape { threads, vars: 2, locks: 1, statements, constructs: Constructs::Calculus }
}

/// Theorems 4 and 5 between the original and the bigger steps, by every interleaving of both.
#[test]
fn bigger_steps_agree_with_the_original() {
    let (mut racy_ones, mut compared) = (0, 0);
    for seed in 0..2000 {
        let source = random_program(if seed % 4 == 0 { shape(3, 1) } else { shape(2, 3) }, seed);
        let Some((mut expected, racy)) = original(&source) else { continue };
        let layout = instrumented(&source, Guard::PerLocation).1;
        let own = layout.own_cells();
        let mut bigger = Bigger::new(machine(&source), layout);
        let Some(found) = outcomes(&mut bigger, Search::Naive, |b| b.cells()[..own].to_vec()) else {
            continue;
        };
        compared += 1;
        racy_ones += u64::from(racy);
        expected.extend(racy.then_some(Outcome::Failed));
        assert_eq!(found, expected, "seed {seed}:\n{source}");
    }
    assert!(compared > 1500 && (300..compared - 100).contains(&racy_ones), "{racy_ones} racy of {compared}");
}

/// Lemmas 3, 9 and 10: the instrumented program's small steps come to what its bigger steps come to, clocks included.
#[test]
fn small_steps_agree_with_bigger_steps() {
    let mut compared = 0;
    for seed in 0..500 {
        let source = random_program(if seed % 4 == 0 { shape(3, 1) } else { shape(2, 2) }, seed);
        let (mut small, layout) = instrumented(&source, Guard::PerLocation);
        let cells = layout.own_cells() + layout.clock_cells();
        let mut bigger = Bigger::new(machine(&source), layout);
        // The small steps are too many for the naive search; that the reduction loses nothing is tested where it lives.
        let Some(found) = outcomes(&mut small, Search::Optimal, |m| m.global_cells()[..cells].to_vec())
        else {
            continue;
        };
        let Some(expected) = outcomes(&mut bigger, Search::Naive, Bigger::cells) else { continue };
        compared += 1;
        assert_eq!(found, expected, "seed {seed}:\n{source}");
    }
    assert!(compared > 250, "only {compared} programs were small enough");
}

/// Lemma 5: while an instrumentation section runs, no other thread touches what it touches. Checked as: in any run of the instrumented program, the
/// handlers' own memory (everything but the program's variables) never has a data race.
#[test]
fn sections_do_not_interfere() {
    let mut racy = 0;
    for seed in 0..400 {
        let source = random_program(shape(2, 3), seed);
        for (guard, may_race) in [(Guard::PerLocation, false), (Guard::None, true)] {
            let (mut machine, layout) = instrumented(&source, guard);
            let raced = clocks_race(&mut machine, &layout, seed);
            assert!(may_race || !raced, "seed {seed}:\n{source}");
            racy += u32::from(raced);
        }
    }
    assert!(racy > 20, "without the locks some handlers race: {racy}");
}

/// Do the clocks have a data race in one of some random runs?
fn clocks_race(machine: &mut Machine, layout: &Layout, seed: u64) -> bool {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..20).any(|_| {
        machine.reset();
        let mut log = Log::default();
        loop {
            let ready: Vec<Tid> = (0..machine.created())
                .map(Tid)
                .filter(|t| matches!(machine.status(*t), Status::Ready(_)))
                .collect();
            let Some(&tid) = ready.get(random.usize(0..ready.len().max(1))) else { break };
            if machine.step(Action { tid, choice: 0 }, &Points::Everywhere, &mut log).is_err() {
                break;
            }
        }
        let clocks = layout.own_cells() as u64..(layout.own_cells() + layout.clock_cells()) as u64;
        let mut detector = DetectorKind::VerifiedFt.build(0);
        let mut raced = false;
        detector.on_events(EventId(0), &log.events, &mut |race| {
            raced |= clocks.contains(&(race.span.addr.0 >> 3))
        });
        raced
    })
}

/// Figure 10: without the locks the handlers race, and a run of a racy program can end well.
#[test]
fn without_locks_races_are_missed() {
    let source = include_str!("../../../testdata/lang/verifying-fig10.heat");
    for (guard, misses) in [(Guard::PerLocation, false), (Guard::None, true)] {
        let (mut machine, layout) = instrumented(source, guard);
        let own = layout.own_cells();
        let found = outcomes(&mut machine, Search::Optimal, |m| m.global_cells()[..own].to_vec())
            .expect("small enough");
        let ended_well = found.iter().any(|o| matches!(o, Outcome::Cells(_)));
        assert_eq!(ended_well, misses, "{guard:?}: {found:?}");
        assert!(found.contains(&Outcome::Failed), "{guard:?}");
    }
}
