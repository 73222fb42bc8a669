//! Random steps of several threads over a few granules: races are told byte by byte as the definition has them, with the right place.

mod machine;
#[path = "machine/model.rs"]
mod model;

use deadheat_shadow::{Access, Mode};
use machine::{BYTES, GRANULES, LOCKS, Machine, Site, details};
use model::{Model, THREADS, Verdict};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Step {
    Access { by: usize, start: usize, size: usize, mode: Mode, site: Site },
    Acquire { by: usize, lock: usize },
    Release { by: usize, lock: usize },
    ReleaseJoin { by: usize, lock: usize },
    Fork { by: usize },
    Join { by: usize, ended: usize },
    Forget { start: usize, size: usize },
    Mark { byte: usize },
}

/// How steps are drawn: from how many places, and with what share of atomics and synchronisation.
#[derive(Clone, Copy)]
struct Mix {
    sites: Site,
    atomics: u32,
    sync: u32,
    forgets: u32,
}

fn access(sites: Site, modes: &'static [Mode]) -> impl Strategy<Value = Step> {
    let size = prop::sample::select(&[1usize, 1, 2, 4, 4, 8, 8, 16]);
    // Half of the accesses are aligned, as in programs.
    let place = (0..BYTES, size, any::<bool>());
    (0..THREADS, place, prop::sample::select(modes), 0..sites).prop_map(
        |(by, (start, size, aligned), mode, site)| {
            let start = if aligned { start / size * size } else { start };
            Step::Access { by, start: start.min(BYTES - size), size, mode, site }
        },
    )
}

fn step(mix: Mix) -> impl Strategy<Value = Step> {
    let (by, lock) = (0..THREADS, 0..LOCKS);
    prop_oneof![
        40 => access(mix.sites, &[Mode::Read, Mode::Read, Mode::Write]),
        mix.atomics => access(mix.sites, &[Mode::AtomicRead, Mode::AtomicWrite]),
        mix.sync => (by.clone(), lock.clone()).prop_map(|(by, lock)| Step::Acquire { by, lock }),
        mix.sync => (by.clone(), lock.clone()).prop_map(|(by, lock)| Step::Release { by, lock }),
        mix.sync / 3 => (by.clone(), lock).prop_map(|(by, lock)| Step::ReleaseJoin { by, lock }),
        4 => by.clone().prop_map(|by| Step::Fork { by }),
        1 => (by.clone(), by).prop_map(|(by, ended)| Step::Join { by, ended }),
        mix.forgets => (0..BYTES, 1..20usize).prop_map(|(start, size)| Step::Forget { start, size }),
        mix.atomics / 4 => (0..BYTES).prop_map(|byte| Step::Mark { byte }),
    ]
}

/// Granules of a run of bytes, with their extents.
fn parts(start: usize, size: usize) -> impl Iterator<Item = (usize, u8)> {
    let end = (start + size).min(BYTES);
    (0..GRANULES).filter_map(move |g| {
        let bits = (0..8).filter(|i| (start..end).contains(&(g * 8 + i)));
        let extent = bits.fold(0, |extent, i| extent | 1 << i);
        (extent != 0).then_some((g, extent))
    })
}

fn bytes(granule: usize, extent: u8) -> impl Iterator<Item = usize> {
    (0..8).filter(move |i| extent >> i & 1 != 0).map(move |i| granule * 8 + i)
}

/// Both memories go through the steps; says where they differ, else how many races were told.
fn judge(steps: &[Step], handlers: bool) -> Result<usize, TestCaseError> {
    let (mut machine, mut model, mut told) = (Machine { handlers, ..Machine::new() }, Model::new(), 0);
    // All threads at once or one by one: some steps are forks.
    for step in steps {
        let alive = |t: usize| model.running.get(t).copied().unwrap_or(false);
        match *step {
            Step::Access { by, start, size, mode, site } if alive(by) => {
                for (granule, extent) in parts(start, size) {
                    let found = machine.access(by, granule, Access { mode, extent }, site);
                    if let Some(found) = found {
                        told += 1;
                        prop_assert!(model.is_true(by, mode, found), "{step:?} does not race with {found:?}");
                    }
                    let verdict = model.access(by, bytes(granule, extent), mode, site);
                    let agree = match verdict {
                        Verdict::First => found.is_some(),
                        Verdict::None => found.is_none(),
                        Verdict::Later => true,
                    };
                    prop_assert!(agree, "{step:?}: {verdict:?}, but told was {found:?}");
                }
            }
            Step::Acquire { by, lock } if alive(by) => {
                machine.threads[by].acquire(&machine.locks[lock]);
                model.acquire(by, lock);
            }
            Step::Release { by, lock } if alive(by) => {
                machine.threads[by].release(&mut machine.locks[lock]);
                model.release(by, lock);
            }
            Step::ReleaseJoin { by, lock } if alive(by) => {
                machine.threads[by].release_join(&mut machine.locks[lock]);
                model.release_join(by, lock);
            }
            Step::Fork { by } if alive(by) && model.running.len() < THREADS => {
                machine.fork(by);
                model.fork(by);
            }
            Step::Join { by, ended } if alive(by) && alive(ended) && by != ended && ended != 0 => {
                machine.join(by, ended);
                model.join(by, ended);
            }
            Step::Forget { start, size } => {
                for (granule, extent) in parts(start, size) {
                    machine.forget(granule, extent);
                    bytes(granule, extent).for_each(|byte| model.forget(byte));
                }
            }
            Step::Mark { byte } => {
                machine.mark(byte / 8, 1 << (byte % 8));
                model.mark(byte);
            }
            _ => {}
        }
        let marks = (0..BYTES).filter(|b| machine.marks(b / 8) >> (b % 8) & 1 != 0);
        prop_assert!(marks.eq((0..BYTES).filter(|b| model.is_marked(*b))), "marks differ after {step:?}");
    }
    (0..GRANULES).for_each(|granule| machine.forget(granule, 0xff));
    let empty = machine.cells.iter().all(|c| c.load_w().is_none() && c.load_r().is_none());
    prop_assert!(empty, "something is remembered of forgotten memory");
    prop_assert_eq!(machine.memory.sets.live(), 0, "sets of reads are held by nobody");
    prop_assert_eq!(details(), 0, "details are held by nobody");
    Ok(told)
}

fn steps(mix: Mix, most: usize) -> impl Strategy<Value = Vec<Step>> {
    // Four threads more from the start, most of the time.
    let forks = prop_oneof![3 => Just(THREADS - 1), 1 => Just(0)];
    (forks, prop::collection::vec(step(mix), 0..most)).prop_map(|(forks, steps)| {
        let forks = std::iter::repeat_n(Step::Fork { by: 0 }, forks);
        forks.chain(steps).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6000, ..ProptestConfig::default() })]

    #[test]
    fn everything(steps in steps(Mix { sites: 6, atomics: 12, sync: 12, forgets: 3 }, 120), handlers in any::<bool>()) {
        judge(&steps, handlers)?;
    }

    /// Mostly reads and writes: granules split and become whole again.
    #[test]
    fn plain_accesses(steps in steps(Mix { sites: 4, atomics: 0, sync: 15, forgets: 1 }, 200), handlers in any::<bool>()) {
        judge(&steps, handlers)?;
    }

    /// Much order, so that races come late and states are deep.
    #[test]
    fn much_synchronisation(steps in steps(Mix { sites: 9, atomics: 6, sync: 60, forgets: 1 }, 250), handlers in any::<bool>()) {
        judge(&steps, handlers)?;
    }
}

/// The property tests would pass on steps that never race: this shows that about half of them do.
#[test]
fn the_random_steps_have_substance() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = steps(Mix { sites: 9, atomics: 6, sync: 60, forgets: 1 }, 250);
    let told = (0..300).map(|_| judge(&strategy.new_tree(&mut runner).unwrap().current(), true).unwrap());
    let told: Vec<usize> = told.collect();
    let racy = told.iter().filter(|n| **n > 0).count();
    assert!((100..290).contains(&racy), "{racy} of 300 have races");
}
