//! The classic families, with the counts that papers give.

use super::machine::{Ins::*, Machine};
use super::*;

fn optimal(machine: &mut Machine) -> Seen {
    let seen = search(machine, Points::Everywhere, options(Search::Optimal));
    assert_eq!(seen.redundant, 0);
    seen
}

fn twice(ins: Ins) -> Vec<Ins> {
    vec![ins.clone(), ins]
}

fn sections() -> Vec<Ins> {
    vec![Lock(0), Read(0), Write(0, 1), Unlock(0), Lock(0), Read(0), Write(0, 1), Unlock(0)]
}

#[test]
fn the_golden_counts() {
    let adds = |n: u32| Machine::parallel((0..n).map(|_| twice(Add(0, 1))).collect(), vec![], vec![]);
    assert_eq!(optimal(&mut adds(2)).runs, 6);
    assert_eq!(optimal(&mut adds(3)).runs, 90);
    let mut locked = Machine::parallel(vec![sections(), sections()], vec![], vec![]);
    assert_eq!(optimal(&mut locked).runs, 6);
    for points in [Points::sync_only(), Points::Everywhere] {
        assert_eq!(search(&mut locked, points.clone(), options(Search::Optimal)).runs, 6, "{points:?}");
    }
}

/// N readers of a variable and a writer: 2^N.
fn readers(n: u32) -> Machine {
    let mut threads = vec![vec![Set(0, 1)]];
    threads.extend((0..n).map(|_| vec![Read(0)]));
    Machine::parallel(threads, vec![], vec![])
}

/// `array[j] := array[j-1] + 1` for each j, and one that looks for the last zero.
fn last_zero(n: u32) -> Machine {
    let mut threads = Vec::new();
    let mut seeker = Vec::new();
    for i in (0..=n).rev() {
        // Stops at the first that is zero.
        seeker.extend([Read(i), SkipIf(0, 2 * i)]);
    }
    threads.push(seeker);
    threads.extend((1..=n).map(|j| vec![Read(j - 1), Write(j, 1)]));
    Machine::parallel(threads, vec![], vec![])
}

/// Threads that put four messages each into a hash table with compare-and-swap.
fn indexer(n: u32) -> Machine {
    let thread = |tid: u32| {
        let mut code = Vec::new();
        for m in 1..=4u32 {
            let w = m * 11 + tid;
            let h = w * 7 % 128;
            // At most three probes: no more are needed for so few threads.
            for probe in 0..3u32 {
                let rest = 2 * (2 - probe);
                code.extend([Cas((h + probe) % 128, 0, i64::from(w)), SkipIf(1, rest)]);
            }
        }
        code
    };
    let mut machine = Machine::parallel((0..n).map(thread).collect(), vec![], vec![]);
    machine.initial = vec![0; 128];
    machine
}

/// Inodes that take blocks, each under its lock.
fn file_system(n: u32) -> Machine {
    let thread = |tid: u32| {
        let i = tid % 32;
        let (inode, busy, lock_i, lock_b) = (i, |b: u32| 32 + b, i, |b: u32| 32 + b);
        let mut code = vec![Lock(lock_i), Read(inode)];
        let mut body = Vec::new();
        // The block i*2 is free or the next one is.
        for probe in 0..2 {
            let b = (i * 2 + probe) % 26;
            let found = vec![Set(busy(b), 1), Set(inode, i64::from(b) + 1), Unlock(lock_b(b)), Recall];
            body.extend([Lock(lock_b(b)), Read(busy(b)), SkipUnless(0, found.len() as u32 + 1)]);
            body.extend(found);
            // Nothing is zero after the recall of a one: skips the other probe.
            body.push(SkipIf(0, if probe == 0 { 1 + 9 } else { 1 }));
            body.push(Unlock(lock_b(b)));
        }
        code.push(SkipUnless(0, body.len() as u32));
        code.extend(body);
        code.push(Unlock(lock_i));
        code
    };
    let mut machine = Machine::parallel((0..n).map(thread).collect(), vec![], vec![]);
    machine.initial = vec![0; 64];
    machine
}

fn philosophers(n: u32) -> Machine {
    let one = |i: u32| {
        let (left, right) = (i, (i + 1) % n);
        vec![Lock(left), Lock(right), Unlock(right), Unlock(left)]
    };
    Machine::parallel((0..n).map(one).collect(), vec![], vec![])
}

#[test]
fn readers_and_a_writer_have_the_published_counts() {
    for n in [1, 2, 4, 8, 10] {
        assert_eq!(optimal(&mut readers(n)).runs, 1 << n);
    }
}

/// *Source Sets*, Table 1: 64, 3328 and 147456 for 5, 10 and 15.
#[test]
fn last_zero_has_the_published_counts() {
    assert_eq!(optimal(&mut last_zero(5)).runs, 64);
    assert_eq!(optimal(&mut last_zero(10)).runs, 3328);
}

/// *Source Sets*, Table 1: 8 and 4096 for 12 and 15 threads.
#[test]
fn indexer_has_the_published_counts() {
    assert_eq!(optimal(&mut indexer(11)).runs, 1);
    assert_eq!(optimal(&mut indexer(12)).runs, 8);
    assert_eq!(optimal(&mut indexer(15)).runs, 4096);
}

/// *Source Sets*, Table 1: 2, 8, 32 and 64 for 14, 16, 18 and 19 threads.
#[test]
fn file_system_has_the_published_counts() {
    for (n, runs) in [(14, 2), (16, 8), (18, 32), (19, 64)] {
        assert_eq!(optimal(&mut file_system(n)).runs, runs, "{n}");
    }
}

#[test]
fn philosophers_deadlock_and_count_as_brute_force_does() {
    for n in 2..=3 {
        let mut machine = philosophers(n);
        let seen = optimal(&mut machine);
        let classes = classes::brute_force(&mut machine, 3_000_000).unwrap();
        assert_eq!(seen.runs, classes.len() as u64, "{n}");
        assert_eq!(seen.bugs.len(), 1, "{:?}", seen.bugs);
    }
}

#[test]
fn random_programs_have_as_many_optimal_runs_as_traces() {
    let tastes = [
        generate::PLAIN,
        generate::Taste { threads: 3, most: 2, ..generate::PLAIN },
        generate::Taste { channels: true, locks: false, most: 3, ..generate::PLAIN },
        generate::Taste { wakes: true, most: 3, ..generate::PLAIN },
    ];
    let mut compared = 0;
    for seed in 0..first_seeds(2000) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut machine = generate::program(&mut rng, tastes[seed as usize % tastes.len()]);
        let code = machine.code.clone();
        let has = |f: fn(&Ins) -> bool| code.iter().flatten().any(f);
        // A select that peeks tells more runs apart than the classes do, and a fault ends a run early.
        if has(|i| matches!(i, Select(_) | SelectOrDefault(_) | Close(_))) {
            continue;
        }
        let Some(classes) = classes::brute_force(&mut machine, 10_000) else { continue };
        compared += 1;
        let (explored, redundant) = classes::explored(&mut machine, Search::Optimal);
        assert_eq!((explored.len(), redundant), (classes.len(), 0), "seed {seed} {code:?}");
        assert_eq!(explored.into_iter().collect::<BTreeSet<_>>(), classes, "seed {seed}");
        let (explored, _) = classes::explored(&mut machine, Search::Dpor);
        assert_eq!(explored.into_iter().collect::<BTreeSet<_>>(), classes, "dpor, seed {seed} {code:?}");
    }
    assert!(compared > 800, "{compared}");
}

/// Everything that the language of tests has: the same final states and bugs as the naive search.
#[test]
fn random_programs_have_the_states_and_bugs_of_the_naive_search() {
    let all = generate::Taste { asserts: true, most: 3, ..generate::PLAIN };
    let tastes = [
        generate::Taste { most: 4, ..all },
        generate::Taste { threads: 3, most: 2, ..all },
        generate::Taste { channels: true, ..all },
        generate::Taste { channels: true, threads: 3, most: 2, locks: false, ..all },
        generate::Taste { wakes: true, ..all },
        generate::Taste { rendezvous: true, ..all },
        generate::Taste { rendezvous: true, threads: 3, most: 2, locks: false, ..all },
        generate::Taste { rendezvous: true, channels: true, threads: 3, most: 2, ..all },
        generate::Taste { rendezvous: true, threads: 4, most: 1, locks: false, ..all },
    ];
    let mut compared = 0;
    for seed in 0..first_seeds(3600) {
        let mut rng = fastrand::Rng::with_seed(seed ^ 0x5eed);
        let mut machine = generate::program(&mut rng, tastes[seed as usize % tastes.len()]);
        let code = machine.code.clone();
        let Some(naive) = bounded_search(&mut machine, Points::Everywhere, options(Search::Naive), 6_000)
        else {
            continue;
        };
        compared += 1;
        for by in [Search::Dpor, Search::Optimal] {
            let seen = search(&mut machine, Points::Everywhere, options(by));
            assert_eq!(
                (&seen.states, &seen.bugs),
                (&naive.states, &naive.bugs),
                "{by:?}, seed {seed} {code:?}"
            );
        }
    }
    assert!(compared > 1500, "{compared}");
}

/// With as many preemptions allowed as the longest schedule needs, a bounded search is the unbounded one; with fewer it sees less.
#[test]
fn a_bound_on_preemptions_holds() {
    for seed in 0..60 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut machine = generate::program(&mut rng, generate::PLAIN);
        let all = search(&mut machine, Points::Everywhere, options(Search::Naive));
        let mut before = 0;
        for bound in 0..4 {
            let bounded = Options { preemptions: Some(bound), ..options(Search::Naive) };
            let mut space = Space::new(Points::Everywhere, bounded.clone());
            while let Some(run) = space.next_run(&mut machine) {
                assert!(run.preemptions <= bound);
            }
            assert!(before <= space.counts().runs && space.counts().runs <= all.runs);
            before = space.counts().runs;
            let naive = search(&mut machine, Points::Everywhere, bounded);
            let dpor = Options { preemptions: Some(bound), ..options(Search::Dpor) };
            let dpor = search(&mut machine, Points::Everywhere, dpor);
            assert!(dpor.states.is_subset(&naive.states), "seed {seed}");
            assert!(dpor.bugs.is_subset(&naive.bugs), "seed {seed}");
        }
        let unbounded = Options { preemptions: Some(100), ..options(Search::Dpor) };
        assert_eq!(search(&mut machine, Points::Everywhere, unbounded).states, all.states, "seed {seed}");
    }
}

/// Three threads pass two items each through a buffer of two, with both of its ends closed at last: verified completely.
#[test]
fn a_bounded_buffer_is_verified() {
    let producer = |n| vec![Send(0, n), Send(0, n + 1)];
    let consumer = vec![Receive(0), Receive(0), Receive(0), Receive(0)];
    let mut machine = Machine::parallel(vec![producer(1), producer(3), consumer], vec![Make(0, 2)], vec![]);
    let seen = optimal(&mut machine);
    assert!(seen.bugs.is_empty());
    // The orders of four sends, two of each thread.
    assert_eq!(seen.runs, 6);
}
