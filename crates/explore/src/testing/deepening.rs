//! Iterative deepening against the naive search, and the figures of the report.

use super::generate::{self, Taste};
use super::machine::{Ins::*, Machine};
use super::*;
use crate::{
    Action, AfterBug, Budget, BugKind, Deepening, Fault, Heap, Log, Recycled, Status, System, Verdict,
};
use deadheat_trace::{Op, Tid};
use std::sync::atomic::AtomicBool;

fn deepen(machine: &Machine, options: Options, after_bug: AfterBug) -> (Deepening, Verdict) {
    let mut deepening = Deepening::new(options, after_bug);
    let mut systems = [machine.clone()];
    let cancel = AtomicBool::new(false);
    let verdict = deepening.run(&mut systems, Budget::default(), &cancel, &mut |_| {});
    (deepening, verdict)
}

fn words(deepening: &Deepening) -> BTreeSet<String> {
    deepening.bugs().iter().map(|b| bug_words(&b.kind)).collect()
}

/// Theorem 2: what the naive search finds, deepening finds. Final states are those of the largest space.
#[test]
fn finds_all_states_and_bugs_of_the_naive_search() {
    let tastes = [
        Taste { asserts: true, ..generate::PLAIN },
        Taste { threads: 3, most: 2, asserts: true, ..generate::PLAIN },
        Taste { channels: true, most: 3, asserts: true, ..generate::PLAIN },
        Taste { wakes: true, most: 3, asserts: true, ..generate::PLAIN },
    ];
    let (mut compared, mut deepened) = (0, 0);
    for seed in 0..first_seeds(2400) {
        let mut rng = fastrand::Rng::with_seed(seed ^ 0xdee9);
        let mut machine = generate::program(&mut rng, tastes[seed as usize % tastes.len()]);
        let mut naive = Space::new(Points::Everywhere, options(Search::Naive));
        let mut states = BTreeSet::new();
        while let Some(run) = naive.next_run(&mut machine) {
            if run.end == End::Finished {
                states.insert(machine.digest());
            }
            if naive.counts().runs > 2500 {
                break;
            }
        }
        if !naive.is_complete() {
            continue;
        }
        compared += 1;
        let bugs: BTreeSet<String> = naive.bugs().iter().map(|b| bug_words(&b.kind)).collect();
        for search_by in [Search::Optimal, Search::Dpor] {
            let (deepening, verdict) = deepen(&machine, options(search_by), AfterBug::GoOn);
            let found = words(&deepening);
            // A fault ends its transition, and with it what a preemption just before it, where nothing conflicts, would have shown:
            // Lemma 1 then leads to that fault instead of the one behind it.
            let faults = |bugs: &BTreeSet<String>| bugs.iter().filter(|b| !b.starts_with("race")).count();
            let same = match faults(&bugs) {
                0 => found == bugs,
                _ => found.is_subset(&bugs) && faults(&found) > 0,
            };
            assert!(same, "seed {seed} {search_by:?} {found:?} {bugs:?} {:?}", machine.code);
            let wanted = if bugs.is_empty() { Verdict::Verified } else { Verdict::Bugs { complete: true } };
            assert_eq!(verdict, wanted, "seed {seed}");
            let sites = deepening.progress().sites;
            deepened += usize::from(!sites.is_empty());
            let largest = search(&mut machine, Points::at(sites), options(search_by));
            let same =
                if faults(&bugs) == 0 { largest.states == states } else { largest.states.is_subset(&states) };
            assert!(same, "seed {seed} {search_by:?} {:?}", machine.code);
        }
    }
    assert!(compared > 1000 && deepened > 500, "{compared} {deepened}");
}

/// Figure 5: x = 0, y = 1, t1.x = 2, t2.x = 3, t1.y = 4, t2.y = 5.
fn figure_5() -> Machine {
    let thread = |mine: u32, other: u32| {
        let panic = vec![Read(1), SkipUnless(1, 2), Read(other + 2), AssertNot(1)];
        let mut inner = vec![Read(1), Write(1, 1), Set(mine + 2, 1)];
        inner.extend(panic);
        let n = inner.len() as u32;
        let mut code = vec![
            Read(0),
            Write(0, 1),
            Set(mine, 1),
            Read(0),
            SkipUnless(1, n + 2),
            Read(other),
            SkipUnless(1, n),
        ];
        code.extend(inner);
        code
    };
    Machine::parallel(vec![thread(2, 3), thread(3, 2)], vec![], vec![])
}

#[test]
fn figure_5_needs_two_nested_races() {
    let options = Options { races: crate::Races::Ignore, ..Options::default() };
    let mut machine = figure_5();
    let sync = search(&mut machine, Points::sync_only(), options.clone());
    assert!(sync.bugs.is_empty(), "{:?}", sync.bugs);
    let (deepening, verdict) = deepen(&machine, options, AfterBug::Stop);
    assert_eq!(verdict, Verdict::Bugs { complete: false });
    assert!(matches!(&deepening.bugs().iter().next().unwrap().kind, BugKind::Fault(_)));
    // The sites of x's accesses are found in the first space, those of y's not before.
    let x_sites = |s: crate::Site| s.0 % 64 <= 6;
    let first_y = deepening.candidates().iter().position(|f| !x_sites(f.candidate.first));
    let first_x = deepening.candidates().iter().position(|f| x_sites(f.candidate.first));
    assert!(first_x.unwrap() < first_y.unwrap());
    assert!(deepening.candidates()[..first_y.unwrap()].iter().any(|f| f.space == 0));
    assert!(deepening.candidates()[first_y.unwrap()].space > 0);
}

/// Figure 1: a candidate under must-happen-before, and none once a barrier of another kind orders them.
#[test]
fn figure_1_is_a_candidate_though_pure_happens_before_orders_it() {
    let one = vec![Set(1, 5), Lock(0), Set(0, 1), Unlock(0)];
    let two = vec![Lock(0), Read(0), Unlock(0), SkipUnless(1, 1), Set(1, 6)];
    let machine = Machine::parallel(vec![one, two], vec![], vec![]);
    let (deepening, verdict) = deepen(&machine, Options::default(), AfterBug::GoOn);
    let pair = (Machine::site(1, 0), Machine::site(2, 4));
    let found = |f: &&crate::FoundCandidate| (f.candidate.first, f.candidate.second) == pair;
    assert!(deepening.candidates().iter().any(|f| found(&f)));
    assert_eq!(verdict, Verdict::Verified, "{:?}", words(&deepening));
}

/// Under contention the unlock makes the other section runnable: what is inside one is not a candidate with what is inside the other even
/// without locksets, by Definition 6, but what comes after is.
#[test]
fn sections_do_not_make_candidates() {
    let section = vec![Lock(0), Read(0), Write(0, 1), Unlock(0)];
    let machine = Machine::parallel(vec![section.clone(), section], vec![], vec![]);
    let (deepening, verdict) = deepen(&machine, Options::default(), AfterBug::GoOn);
    assert_eq!(verdict, Verdict::Verified);
    assert_eq!(deepening.candidates(), []);
    assert_eq!(deepening.progress().runs, 2);
}

const NO_VARIABLE: u32 = u32::MAX;

/// Figure 2: x1->foo; free(x1) and, in the recycled memory, y->bar. The lock is what orders them in a run, as `publish` does.
fn figure_2() -> Machine {
    let main = vec![Malloc(0)];
    let one = vec![Read(0), Lock(0), Poke, Free, Unlock(0)];
    let two = vec![Lock(0), Unlock(0), Malloc(NO_VARIABLE), Poke];
    Machine::parallel(vec![one, two], main, vec![])
}

#[test]
fn figure_2_is_dropped_as_malloc_recycle() {
    let (deepening, verdict) = deepen(&figure_2(), Options::default(), AfterBug::GoOn);
    assert_eq!(verdict, Verdict::Verified, "{:?}", words(&deepening));
    assert!(deepening.progress().recycled > 0);
    let pokes = |f: &crate::FoundCandidate| {
        (f.candidate.first, f.candidate.second) == (Machine::site(1, 2), Machine::site(2, 3))
    };
    assert!(!deepening.candidates().iter().any(pokes));
    let keep = Options { recycled: Recycled::Keep, ..Options::default() };
    let (kept, verdict) = deepen(&figure_2(), keep, AfterBug::GoOn);
    assert_eq!(verdict, Verdict::Verified);
    assert!(kept.candidates().iter().any(pokes));
    assert!(kept.progress().runs >= deepening.progress().runs);
}

/// Figures 3 and 4: the same pattern, but T2 got the old address before: a true race, found in another schedule.
#[test]
fn figure_3_is_found_though_it_fits_the_pattern() {
    let main = vec![Malloc(0)];
    // publish(x1) and get_published_x() are under the lock, so that they are preemption points and not candidates.
    let one = vec![Lock(0), Read(0), Set(1, 1), Unlock(0), Poke, Free];
    let two = vec![
        Lock(0),
        Read(1),
        Unlock(0),
        SkipUnless(1, 6),
        Lock(0),
        Read(0),
        Unlock(0),
        Keep,
        Malloc(NO_VARIABLE),
        Recall,
        Poke,
    ];
    let machine = Machine::parallel(vec![one, two], main, vec![]);
    for recycled in [Recycled::Drop, Recycled::Keep] {
        let options = Options { recycled, ..Options::default() };
        let (deepening, _) = deepen(&machine, options, AfterBug::GoOn);
        let words = words(&deepening);
        let race = format!("race {} {}", Machine::site(1, 4).0, Machine::site(2, 10).0);
        assert!(words.contains(&race), "{words:?}");
        assert!(words.iter().any(|w| w.starts_with("use after free")), "{words:?}");
    }
}

/// Figure 6: the address comes out of memory that is recycled itself.
fn figure_6() -> Machine {
    // Variable 0 holds x's address, 1 is p->ptr, 2 says that p is published.
    let main = vec![Malloc(0)];
    let one = vec![Read(0), Set(1, 0), Set(2, 1), Poke, Free];
    let two = vec![Read(2), SkipUnless(1, 3), Malloc(NO_VARIABLE), Read(1), Poke];
    Machine::parallel(vec![one, two], main, vec![])
}

fn faults(machine: &Machine, recycled: Recycled) -> BTreeSet<String> {
    let options = Options { recycled, races: crate::Races::Ignore, ..Options::default() };
    words(&deepen(machine, options, AfterBug::GoOn).0)
}

#[test]
fn figure_6_is_found_by_induction() {
    for s in [Search::Naive, Search::Dpor, Search::Optimal] {
        let seen = search(&mut figure_6(), Points::Everywhere, options(s));
        assert!(seen.bugs.contains("use after free 132"), "{s:?} {:?}", seen.bugs);
    }
    let found = faults(&figure_6(), Recycled::Drop);
    assert_eq!(found, faults(&figure_6(), Recycled::Keep));
    assert!(found.iter().any(|w| w.starts_with("use after free")), "{found:?}");
}

/// Lemma 5 wants a preemption point between publishing an address and the access that makes the pair. Data race points lie *before*
/// accesses, so without one before `free` the filter loses the bug.
#[test]
fn the_filter_needs_preemption_points_before_free() {
    let mut machine = figure_6();
    machine.free_points = false;
    assert!(faults(&machine, Recycled::Drop).is_empty());
    assert!(!faults(&machine, Recycled::Keep).is_empty());
}

/// Theorem 3 on random programs with a heap: the same bugs with and without the filter.
#[test]
fn the_filter_loses_no_bugs() {
    let mut dropped = 0;
    for seed in 0..first_seeds(400) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut thread = || {
            let mut code = Vec::new();
            for _ in 0..rng.u32(1..4) {
                match rng.u32(..6) {
                    0 => code.extend([Malloc(0)]),
                    1 => code.extend([Read(0), Free]),
                    2 => code.extend([Read(0), Poke]),
                    3 => code.extend([Malloc(NO_VARIABLE), Poke, Free]),
                    4 => code.extend([Lock(0), Read(0), Poke, Unlock(0)]),
                    _ => code.extend([Malloc(NO_VARIABLE), Poke]),
                }
            }
            code
        };
        let machine = Machine::parallel(vec![thread(), thread()], vec![Malloc(0)], vec![]);
        let by = |recycled| {
            let options = Options { recycled, ..Options::default() };
            let (deepening, verdict) = deepen(&machine, options, AfterBug::GoOn);
            let faults: BTreeSet<_> =
                words(&deepening).into_iter().filter(|w| !w.starts_with("race")).collect();
            (faults, verdict, deepening.progress().recycled)
        };
        let (drop, keep) = (by(Recycled::Drop), by(Recycled::Keep));
        assert_eq!(drop.0, keep.0, "seed {seed} {:?}", machine.code);
        dropped += drop.2;
    }
    assert!(dropped > 20, "{dropped}");
}

/// Figures 7 to 9: an overrun of a neighbouring block, found only where allocations are ordered.
#[test]
fn figure_7_needs_the_strengthened_mode() {
    // T2 takes block 0, computes the address of block 1 behind it, and writes there after another malloc. Only when T1's block is block 1 and
    // still alive do they race; when it is freed and not recycled T2 writes freed memory.
    let one = vec![Malloc(NO_VARIABLE), Poke, Free];
    let two = vec![Malloc(2), Add(2, 1), Keep, Malloc(NO_VARIABLE), Load(2), Poke];
    let mut machine = Machine::parallel(vec![one, two], vec![], vec![]);
    machine.malloc_points = true;
    let options = Options { heap: Heap::Overruns, ..Options::default() };
    let (deepening, _) = deepen(&machine, options, AfterBug::GoOn);
    let found = words(&deepening);
    let race = format!("race {} {}", Machine::site(1, 1).0, Machine::site(2, 5).0);
    assert!(found.contains(&race), "{found:?}");
}

#[test]
fn a_saved_exploration_goes_on_where_it_was() {
    let mut machine = figure_5();
    machine.code[1].truncate(11);
    machine.code[2].truncate(11);
    let cancel = AtomicBool::new(false);
    let (whole, verdict) = deepen(&machine, Options::default(), AfterBug::GoOn);
    let mut parts = Deepening::new(Options::default(), AfterBug::GoOn);
    let mut last = Verdict::Incomplete(crate::Why::Runs);
    for slice in 1..100_000 {
        let budget = Budget { runs: Some(slice * 7), ..Budget::default() };
        last = parts.run(&mut [machine.clone()], budget, &cancel, &mut |_| {});
        let saved = serde_json::to_string(&parts).unwrap();
        parts = serde_json::from_str(&saved).unwrap();
        if parts.is_complete() {
            break;
        }
    }
    assert_eq!(last, verdict);
    assert_eq!(words(&parts), words(&whole));
    assert_eq!(parts.progress().sites, whole.progress().sites);
}

#[test]
fn a_saved_search_makes_the_same_runs() {
    for search in [
        Search::Naive,
        Search::Dpor,
        Search::Optimal,
        Search::Pct { seed: 3, depth: 3 },
        Search::Surw { seed: 1 },
    ] {
        let mut machine = figure_5();
        let mut whole = Space::new(Points::Everywhere, options(search));
        let mut saved = Space::new(Points::Everywhere, options(search));
        for i in 0..300 {
            let (a, b) = (whole.next_run(&mut machine), saved.next_run(&mut machine));
            assert_eq!(a, b, "{search:?} {i}");
            if a.is_none() {
                break;
            }
            assert_eq!(whole.last_schedule(), saved.last_schedule(), "{search:?} {i}");
            if i % 10 == 0 {
                saved = serde_json::from_str(&serde_json::to_string(&saved).unwrap()).unwrap();
            }
        }
    }
}

#[test]
fn several_workers_find_the_same() {
    let machine = figure_5();
    let (one, verdict) = deepen(&machine, Options::default(), AfterBug::GoOn);
    let mut deepening = Deepening::new(Options::default(), AfterBug::GoOn);
    let mut systems = vec![machine; 3];
    let cancel = AtomicBool::new(false);
    let again = deepening.run(&mut systems, Budget::default(), &cancel, &mut |_| {});
    assert_eq!((again, words(&deepening)), (verdict, words(&one)));
}

#[test]
fn a_budget_is_kept() {
    let machine = figure_5();
    let cancel = AtomicBool::new(true);
    let mut deepening =
        Deepening::new(Options { races: crate::Races::Ignore, ..Options::default() }, AfterBug::GoOn);
    let mut systems = [machine];
    let stopped = deepening.run(&mut systems, Budget::default(), &cancel, &mut |_| {});
    assert_eq!(stopped, Verdict::Incomplete(crate::Why::Stopped));
    let runs = Budget { runs: Some(deepening.progress().runs + 10), ..Budget::default() };
    let cancel = AtomicBool::new(false);
    assert_eq!(
        deepening.run(&mut systems, runs, &cancel, &mut |_| {}),
        Verdict::Incomplete(crate::Why::Runs)
    );
    assert_eq!(Some(deepening.progress().runs), runs.runs);
}

/// What comes after a fork, or after a send, in the same transition is not ordered before the one it makes runnable.
#[test]
fn what_follows_an_unblocking_operation_is_a_candidate() {
    let main = vec![Fork(1), Set(0, 1), Join(1)];
    let machine = Machine::new(vec![main, vec![Read(0)]]);
    let (deepening, _) = deepen(&machine, Options::default(), AfterBug::GoOn);
    assert!(!deepening.candidates().is_empty());
    // What comes before the fork, and after the join, is ordered.
    let main = vec![Set(0, 1), Fork(1), Join(1), Set(0, 2)];
    let machine = Machine::new(vec![main, vec![Read(0), Write(0, 1)]]);
    let (deepening, verdict) = deepen(&machine, Options::default(), AfterBug::GoOn);
    assert_eq!((deepening.candidates(), verdict), (&[][..], Verdict::Verified));
}

/// Definition 6, condition 2: what must happen before a thread's transition need not before its later ones.
#[test]
fn must_happen_before_is_not_transitive_through_ones_own_thread() {
    let main = vec![Set(0, 1), Fork(1), Join(1)];
    let machine = Machine::new(vec![main, vec![Lock(0), Unlock(0), Read(0)]]);
    let (deepening, verdict) = deepen(&machine, Options::default(), AfterBug::GoOn);
    assert_eq!((deepening.candidates().len(), verdict), (1, Verdict::Verified));
}

/// After a rendezvous both go on in the same step: what they do then is not ordered.
#[test]
fn a_race_in_a_joint_step_is_seen() {
    let programs = vec![vec![Send(0, 1), Read(0)], vec![Receive(0), Set(0, 1)]];
    let mut machine = Machine::parallel(programs, vec![Make(0, 0)], vec![]);
    let seen = search(&mut machine, Points::sync_only(), options(Search::Optimal));
    let race = format!("race {} {}", Machine::site(1, 1).0, Machine::site(2, 1).0);
    assert_eq!(seen.bugs, BTreeSet::from([race]));
}

/// A system that is another one in every second run.
struct Fickle {
    machines: [Machine; 2],
    at: usize,
}

impl System for Fickle {
    fn reset(&mut self) {
        self.at = 1 - self.at;
        self.machines[self.at].reset();
    }

    fn threads(&self) -> u32 {
        self.machines[self.at].threads()
    }

    fn status(&self, tid: Tid) -> Status {
        self.machines[self.at].status(tid)
    }

    fn pending(&self, tid: Tid, into: &mut Vec<Op>) {
        self.machines[self.at].pending(tid, into);
    }

    fn step(&mut self, action: Action, points: &Points, log: &mut Log) -> Result<(), Fault> {
        self.machines[self.at].step(action, points, log)
    }

    fn digest(&self) -> u64 {
        self.machines[self.at].digest()
    }
}

#[test]
fn a_system_that_does_not_repeat_itself_is_not_verified() {
    let adds = Machine::parallel(vec![vec![Add(0, 1)]; 2], vec![], vec![]);
    let short = Machine::new(vec![vec![Read(0)]]);
    for search in [Search::Naive, Search::Dpor, Search::Optimal] {
        let mut system = [Fickle { machines: [short.clone(), adds.clone()], at: 0 }];
        let mut deepening = Deepening::new(options(search), AfterBug::GoOn);
        let cancel = AtomicBool::new(false);
        let verdict = deepening.run(&mut system, Budget::default(), &cancel, &mut |_| {});
        assert_eq!(verdict, Verdict::Incomplete(crate::Why::Diverged), "{search:?}");
    }
}
