//! Random traces, judged by happens-before as sets of accesses: clocks, shortcuts and slots say the same, and every implementation flags the
//! first race on each variable.
#![cfg(not(loom))]

mod common;

use common::{Actor, PlainVar, Rules, Variant};
use deadheat_online::{Clock, LockState, Outcome, Sets, Slot, ThreadState, VarState, Word};
use proptest::prelude::*;
use std::collections::BTreeSet;

const LOCKS: usize = 3;
const VARS: usize = 3;

/// What happens, with numbers to be taken modulo what there is.
#[derive(Clone, Copy, Debug)]
enum Op {
    Read(usize, usize),
    Write(usize, usize),
    Acquire(usize, usize),
    Release(usize, usize),
    ReleaseJoin(usize, usize),
    JoinLocks(usize, usize),
    ClearLock(usize),
    Fork(usize),
    /// The second ends, and the first joins it.
    Join(usize, usize),
    Move(usize),
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let n = || 0usize..8;
    let op = prop_oneof![
        6 => (n(), n()).prop_map(|(t, x)| Op::Read(t, x)),
        4 => (n(), n()).prop_map(|(t, x)| Op::Write(t, x)),
        4 => (n(), n()).prop_map(|(t, m)| Op::Acquire(t, m)),
        4 => (n(), n()).prop_map(|(t, m)| Op::Release(t, m)),
        1 => (n(), n()).prop_map(|(t, m)| Op::ReleaseJoin(t, m)),
        1 => (n(), n()).prop_map(|(m, n)| Op::JoinLocks(m, n)),
        1 => n().prop_map(Op::ClearLock),
        2 => n().prop_map(Op::Fork),
        1 => (n(), n()).prop_map(|(t, u)| Op::Join(t, u)),
        1 => n().prop_map(Op::Move),
    ];
    prop::collection::vec(op, 1..60)
}

/// Where the variables are: the real thing, or plain data.
enum Memory {
    Real(Variant, Vec<VarState>, Box<Sets>),
    Plain(Rules, Vec<PlainVar>),
}

impl Memory {
    fn real(variant: Variant) -> Memory {
        Memory::Real(variant, (0..VARS).map(|_| VarState::new()).collect(), Box::default())
    }

    fn access(&mut self, actor: &mut Actor, x: usize, write: bool) -> Outcome {
        match self {
            Memory::Real(variant, vars, sets) if write => {
                variant.write(actor, &vars[x], sets, Word::WHOLE).expect("whole variables only")
            }
            Memory::Real(variant, vars, sets) => {
                variant.read(actor, &vars[x], sets, Word::WHOLE).expect("whole variables only")
            }
            Memory::Plain(rules, vars) if write => vars[x].write(*rules, actor),
            Memory::Plain(rules, vars) => vars[x].read(*rules, actor),
        }
    }

    fn state(&self) -> Vec<PlainVar> {
        match self {
            Memory::Real(_, vars, sets) => vars.iter().map(|var| PlainVar::of(var, sets)).collect(),
            Memory::Plain(_, vars) => vars.clone(),
        }
    }
}

/// A thread and what it knows by definition: accesses that happened before.
struct Thread {
    actor: Actor,
    knows: BTreeSet<usize>,
    /// Goes up at releases and moves.
    epoch: usize,
}

#[derive(Default)]
struct Lock {
    state: LockState,
    knows: BTreeSet<usize>,
}

struct Access {
    word: Word,
    var: usize,
    write: bool,
    /// The thread's number of all ever started, and its epoch.
    by: (usize, usize),
}

struct World {
    memory: Memory,
    threads: Vec<(usize, Thread)>,
    started: usize,
    locks: Vec<Lock>,
    accesses: Vec<Access>,
    outcomes: Vec<Outcome>,
    raced: [bool; VARS],
    /// Slots that were left, and where: to be taken over by who knows them.
    left: Vec<(Slot, Clock)>,
    slots: u32,
}

impl World {
    fn new(memory: Memory) -> World {
        let main = Thread { actor: Actor::new(0), knows: BTreeSet::new(), epoch: 0 };
        World {
            memory,
            threads: vec![(0, main)],
            started: 1,
            locks: (0..LOCKS).map(|_| Lock::default()).collect(),
            accesses: Vec::new(),
            outcomes: Vec::new(),
            raced: [false; VARS],
            left: Vec::new(),
            slots: 1,
        }
    }

    fn thread(&mut self, t: usize) -> &mut Thread {
        let n = self.threads.len();
        &mut self.threads[t % n].1
    }

    /// A slot for a thread that knows what this one knows: an old one if it knows all that was done there.
    fn slot_for(&mut self, t: usize) -> (Slot, Clock) {
        let known = self.thread(t).actor.thread.known().clone();
        if let Some(i) = self.left.iter().position(|(slot, last)| known.get(*slot) >= *last) {
            return self.left.swap_remove(i);
        }
        self.slots += 1;
        (Slot(self.slots - 1), Clock(u64::from(self.slots % 3)))
    }

    fn step(&mut self, op: Op) {
        match op {
            Op::Read(t, x) => self.access(t, x % VARS, false),
            Op::Write(t, x) => self.access(t, x % VARS, true),
            Op::Acquire(t, m) => {
                let n = self.threads.len();
                let (thread, lock) = (&mut self.threads[t % n].1, &self.locks[m % LOCKS]);
                thread.actor.thread.acquire(&lock.state);
                thread.knows.extend(&lock.knows);
            }
            Op::Release(t, m) | Op::ReleaseJoin(t, m) => {
                let n = self.threads.len();
                let (thread, lock) = (&mut self.threads[t % n].1, &mut self.locks[m % LOCKS]);
                if matches!(op, Op::Release(..)) {
                    thread.actor.thread.release(&mut lock.state);
                    lock.knows.clear();
                } else {
                    thread.actor.thread.release_join(&mut lock.state);
                }
                lock.knows.extend(&thread.knows);
                thread.epoch += 1;
            }
            Op::JoinLocks(m, n) if m % LOCKS != n % LOCKS => {
                let from = Lock {
                    state: self.locks[n % LOCKS].state.clone(),
                    knows: self.locks[n % LOCKS].knows.clone(),
                };
                self.locks[m % LOCKS].state.join(&from.state);
                self.locks[m % LOCKS].knows.extend(&from.knows);
            }
            Op::JoinLocks(..) => {}
            Op::ClearLock(m) => {
                self.locks[m % LOCKS].state.clear();
                self.locks[m % LOCKS].knows.clear();
            }
            Op::Fork(t) => self.fork(t),
            Op::Join(t, u) => self.join(t, u),
            Op::Move(t) => {
                let (slot, before) = self.slot_for(t);
                let thread = self.thread(t);
                let old = (thread.actor.thread.slot(), thread.actor.thread.now());
                thread.actor.thread.move_to(slot, before);
                thread.epoch += 1;
                self.left.push(old);
            }
        }
    }

    fn fork(&mut self, t: usize) {
        if self.threads.len() == 5 {
            return;
        }
        let (slot, before) = self.slot_for(t);
        let mut child = ThreadState::new(slot, before, |_| false);
        let thread = self.thread(t);
        thread.actor.thread.fork(&mut child);
        thread.epoch += 1;
        let actor = Actor { thread: child, last: Word::NONE };
        let child = Thread { actor, knows: thread.knows.clone(), epoch: 0 };
        self.threads.push((self.started, child));
        self.started += 1;
    }

    fn join(&mut self, t: usize, u: usize) {
        let (t, u) = (t % self.threads.len(), u % self.threads.len());
        if t == u {
            return;
        }
        let (_, child) = self.threads.remove(u);
        let thread = self.thread(if t > u { t - 1 } else { t });
        thread.actor.thread.join(&child.actor.thread);
        thread.knows.extend(&child.knows);
        self.left.push((child.actor.thread.slot(), child.actor.thread.now()));
    }

    fn access(&mut self, t: usize, var: usize, write: bool) {
        let n = self.threads.len();
        let (number, thread) = &mut self.threads[t % n];
        let conflicts =
            |(i, a): (usize, &Access)| a.var == var && (a.write || write) && !thread.knows.contains(&i);
        let races = self.accesses.iter().enumerate().any(conflicts);
        let outcome = self.memory.access(&mut thread.actor, var, write);
        if !self.raced[var] {
            assert_eq!(outcome.race().is_some(), races, "{outcome:?}, the access {}", self.accesses.len());
        }
        self.raced[var] |= races;
        self.outcomes.push(outcome);
        thread.knows.insert(self.accesses.len());
        // In an epoch all accesses have one stamp; one that was not recorded has a stamp that was taken earlier, if any.
        let word = thread.actor.last;
        self.accesses.push(Access { word, var, write, by: (*number, thread.epoch) });
    }

    /// Clocks say what the definition says.
    fn check_clocks(&self) {
        for (i, access) in self.accesses.iter().enumerate() {
            for (number, thread) in &self.threads {
                let state = &thread.actor.thread;
                assert_eq!(
                    state.covers(access.word),
                    thread.knows.contains(&i),
                    "access {i} for thread {number}"
                );
                assert_eq!(state.is_current(access.word), access.by == (*number, thread.epoch), "access {i}");
            }
            for (m, lock) in self.locks.iter().enumerate() {
                assert_eq!(
                    lock.state.covers(access.word),
                    lock.knows.contains(&i),
                    "access {i} for lock {m}"
                );
            }
        }
    }
}

fn run(memory: Memory, ops: &[Op]) -> World {
    let mut world = World::new(memory);
    for op in ops {
        world.step(*op);
        world.check_clocks();
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_implementation_finds_the_first_races(ops in ops()) {
        for rules in [Rules::VerifiedFt, Rules::FastTrack] {
            let plain = run(Memory::Plain(rules, vec![PlainVar::default(); VARS]), &ops);
            for variant in Variant::ALL.into_iter().filter(|v| v.rules() == rules) {
                let real = run(Memory::real(variant), &ops);
                prop_assert_eq!(&real.outcomes, &plain.outcomes, "{:?}", variant);
                prop_assert_eq!(real.memory.state(), plain.memory.state(), "{:?}", variant);
                let Memory::Real(_, vars, sets) = &real.memory else { unreachable!() };
                vars.iter().map(VarState::load_r).filter(|r| r.is_special()).for_each(|set| sets.release(set));
                prop_assert_eq!(sets.live(), 0, "{:?} leaks sets", variant);
            }
        }
    }
}
