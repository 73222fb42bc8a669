//! Real threads on the real atomics, 128-bit ones included: what is ordered never races, and no read is lost.
#![cfg(not(loom))]

mod common;

use common::{Actor, PlainVar, Variant};
use deadheat_online::{LockState, Sets, VarState, Word};
use std::sync::{Barrier, Mutex};

const THREADS: u32 = 4;
const ROUNDS: usize = 3_000;
const VARS: usize = 16;

/// Variables by use: read by all; used under the lock; written by all, whose races are not told apart.
struct Heap {
    read: [VarState; VARS],
    locked: [VarState; VARS],
    racy: [VarState; VARS],
    lock: Mutex<LockState>,
    sets: Sets,
}

impl Heap {
    fn new() -> Heap {
        let vars = || std::array::from_fn(|_| VarState::new());
        let lock = Mutex::new(LockState::new());
        Heap { read: vars(), locked: vars(), racy: vars(), lock, sets: Sets::new() }
    }

    fn vars(&self) -> impl Iterator<Item = &VarState> {
        self.read.iter().chain(&self.locked).chain(&self.racy)
    }

    fn round(&self, variant: Variant, actor: &mut Actor, i: usize) {
        let whole = Word::WHOLE;
        let ordered = |outcome: Option<deadheat_online::Outcome>| {
            assert_eq!(
                outcome.expect("whole words only").race(),
                None,
                "{variant:?} sees a race where there is none"
            );
        };
        for var in &self.read {
            ordered(variant.read(actor, var, &self.sets, whole));
        }
        variant.write(actor, &self.racy[i % VARS], &self.sets, whole);
        variant.read(actor, &self.racy[(i + 1) % VARS], &self.sets, whole);
        if i.is_multiple_of(4) {
            let mut lock = self.lock.lock().unwrap();
            actor.thread.acquire(&lock);
            ordered(variant.read(actor, &self.locked[i % VARS], &self.sets, whole));
            ordered(variant.write(actor, &self.locked[i % VARS], &self.sets, whole));
            actor.thread.release(&mut lock);
        }
    }
}

fn run(variant: Variant) {
    let heap = Heap::new();
    let mut main = Actor::new(0);
    let mut actors: Vec<Actor> = (1..=THREADS).map(Actor::new).collect();
    actors.iter_mut().for_each(|actor| main.thread.fork(&mut actor.thread));
    let start = Barrier::new(THREADS as usize);
    std::thread::scope(|scope| {
        for actor in &mut actors {
            scope.spawn(|| {
                start.wait();
                (0..ROUNDS).for_each(|i| heap.round(variant, actor, i));
                let last = |var| variant.read(actor, var, &heap.sets, Word::WHOLE);
                heap.read.iter().map(last).for_each(|outcome| assert!(outcome.is_some()));
            });
        }
    });
    for var in &heap.read {
        let reads = PlainVar::of(var, &heap.sets).reads;
        for actor in &actors {
            let read = reads.get(&actor.thread.slot()).copied().unwrap_or_default();
            assert!(
                actor.thread.is_current(read),
                "{variant:?}: the last read of {actor:?} is lost: {read:?}",
                actor = actor.thread.slot()
            );
        }
    }
    actors.iter().for_each(|actor| main.thread.join(&actor.thread));
    for var in heap.vars() {
        let outcome = variant.write(&mut main, var, &heap.sets, Word::WHOLE).unwrap();
        assert_eq!(outcome.race(), None, "all is over before main goes on");
        assert!(!var.load_r().is_special(), "main has read all there was");
    }
    assert_eq!(heap.sets.live(), 0, "{variant:?} leaks sets");
}

#[test]
fn ordered_accesses_never_race_and_no_read_is_lost() {
    Variant::ALL.into_iter().for_each(run);
}
