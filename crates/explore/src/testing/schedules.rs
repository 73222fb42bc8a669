//! Replay, shrinking, and the transformation of Lemma 1.

use super::generate::{self, Taste};
use super::machine::{Ins::*, Machine};
use super::*;
use crate::{AfterBug, Blocked, Budget, BugKind, Deepening, Interleaving, Races, replay, shrink};
use deadheat_trace::Tid;
use std::sync::atomic::AtomicBool;

fn taste(seed: u64) -> Taste {
    let tastes = [
        generate::PLAIN,
        Taste { threads: 3, most: 3, ..generate::PLAIN },
        Taste { channels: true, most: 4, ..generate::PLAIN },
    ];
    tastes[seed as usize % tastes.len()]
}

/// A schedule found with few preemption points leads to the same state with all of them.
#[test]
fn a_schedule_does_not_depend_on_preemption_points() {
    for seed in 0..first_seeds(500) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut machine = generate::program(&mut rng, taste(seed));
        for points in
            [Points::sync_only(), Points::at([Machine::site(1, 1), Machine::site(2, 2)]), Points::Everywhere]
        {
            let mut space = Space::new(points, options(Search::Random { seed }));
            for _ in 0..4 {
                let run = space.next_run(&mut machine).unwrap();
                let (digest, schedule) = (machine.digest(), space.last_schedule());
                let replayed = replay(&mut machine, &schedule);
                assert_eq!(replayed.diverged, None, "seed {seed} {schedule} {:?}", machine.code);
                assert_eq!(machine.digest(), digest, "seed {seed}");
                assert_eq!(
                    replayed.preemptions, run.preemptions,
                    "seed {seed} {schedule} {:?}",
                    machine.code
                );
                assert_eq!(replayed.schedule(), schedule);
            }
        }
    }
}

/// Lemma 1 on random interleavings; and Lemma 2: where they switch, deepening would too.
#[test]
fn every_interleaving_has_a_fully_relevant_one() {
    let (mut moved, mut checked) = (0, 0);
    for seed in 0..first_seeds(500) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut machine = generate::program(&mut rng, taste(seed));
        let mut deepening =
            Deepening::new(Options { races: Races::Ignore, ..Options::default() }, AfterBug::GoOn);
        deepening.run(&mut [machine.clone()], Budget::default(), &AtomicBool::new(false), &mut |_| {});
        let points = deepening.progress().sites;
        let mut space = Space::new(Points::Everywhere, options(Search::Random { seed }));
        for _ in 0..6 {
            if space.next_run(&mut machine).unwrap().end != End::Finished {
                continue;
            }
            let digest = machine.digest();
            let original = Interleaving::of(&replay(&mut machine, &space.last_schedule()));
            moved += usize::from(!original.is_fully_relevant());
            let relevant = original.relevant();
            assert!(relevant.is_fully_relevant());
            let again = replay(&mut machine, &relevant.schedule());
            assert_eq!((again.diverged, machine.digest()), (None, digest), "seed {seed} {:?}", machine.code);
            assert!(Interleaving::of(&again).is_fully_relevant(), "seed {seed}");
            if deepening.is_complete() && deepening.bugs().is_empty() {
                checked += 1;
                for site in relevant.points() {
                    assert!(points.contains(&site), "seed {seed} {site:?} {points:?} {:?}", machine.code);
                }
            }
        }
    }
    assert!(moved > 500 && checked > 500, "{moved} {checked}");
}

#[test]
fn a_schedule_that_cannot_be_followed_says_where() {
    let mut machine =
        Machine::parallel(vec![vec![Lock(0), Unlock(0)], vec![Lock(0), Unlock(0)]], vec![], vec![]);
    let mut schedule = crate::Schedule::default();
    schedule.push(Tid(0), 2, 0);
    schedule.push(Tid(1), 1, 0);
    schedule.push(Tid(2), 1, 0);
    let diverged = replay(&mut machine, &schedule).diverged.unwrap();
    assert_eq!((diverged.segment, diverged.operations), (2, 0));
    assert!(diverged.to_string().contains("segment 3"), "{diverged}");
}

fn first_bug(machine: &mut Machine, seed: u64) -> crate::Bug {
    let options = Options { search: Search::Random { seed }, races: Races::Ignore, ..Options::default() };
    let mut space = Space::new(Points::Everywhere, options);
    while space.bugs().is_empty() {
        space.next_run(machine).unwrap();
        assert!(space.counts().runs < 100_000);
    }
    space.bugs().iter().next().unwrap().clone()
}

/// The lost update: one preemption, between a read and its write.
#[test]
fn a_lost_update_shrinks_to_one_preemption() {
    let add = vec![Read(0), Write(0, 1), Read(1), Write(1, 1), Read(2)];
    let finally = vec![Read(0), AssertNot(1)];
    let mut machine = Machine::parallel(vec![add.clone(), add], vec![], finally);
    for seed in 0..20 {
        let bug = first_bug(&mut machine, seed);
        let shrunk = shrink(&mut machine, &bug, 20_000);
        assert_eq!(shrunk.bug.preemptions, 1, "{}", shrunk.bug.schedule);
        assert!(shrunk.fewest);
        let replayed = replay(&mut machine, &shrunk.bug.schedule);
        assert!(replayed.bugs.iter().any(|b| b.is_same(&bug.kind)));
        assert!(shrunk.bug.schedule.segments.len() <= 6, "{}", shrunk.bug.schedule);
    }
}

#[test]
fn a_deadlock_has_its_cycle() {
    let one = |a, b| vec![Read(0), Lock(a), Read(1), Lock(b), Unlock(b), Unlock(a)];
    let mut machine = Machine::parallel(vec![one(0, 1), one(1, 0)], vec![], vec![]);
    let bug = first_bug(&mut machine, 1);
    let BugKind::Deadlock(deadlock) = &bug.kind else { panic!("{bug:?}") };
    let mut cycle = deadlock.cycle.clone();
    cycle.sort_unstable();
    assert_eq!(cycle, [Tid(1), Tid(2)]);
    assert!(deadlock.waits.iter().any(|w| w.tid == Tid(0) && w.on == Blocked::Join(Tid(1))));
    let shrunk = shrink(&mut machine, &bug, 5_000);
    assert_eq!(shrunk.bug.preemptions, 1);
}

/// A wake-up that comes before its thread sleeps is lost; one that finds it asleep is not.
#[test]
fn a_lost_wakeup_is_a_deadlock_of_its_own_kind() {
    let mut machine = Machine::parallel(vec![vec![Deschedule], vec![MakeRunnable(1)]], vec![], vec![]);
    let mut space = Space::new(Points::sync_only(), Options::default());
    while space.next_run(&mut machine).is_some() {}
    let kinds: Vec<_> = space.bugs().iter().map(|b| &b.kind).collect();
    let [BugKind::Deadlock(deadlock)] = kinds[..] else { panic!("{kinds:?}") };
    assert_eq!(deadlock.lost_wakeups, [Tid(1)]);
    assert_eq!(space.counts().runs, 2);
    // Without anybody to wake it there is nothing to lose.
    let mut alone = Machine::parallel(vec![vec![Deschedule]], vec![], vec![]);
    let mut space = Space::new(Points::sync_only(), Options::default());
    while space.next_run(&mut alone).is_some() {}
    let kinds: Vec<_> = space.bugs().iter().map(|b| &b.kind).collect();
    assert!(matches!(kinds[..], [BugKind::Deadlock(d)] if d.lost_wakeups.is_empty()));
}
