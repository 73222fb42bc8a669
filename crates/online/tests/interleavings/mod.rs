//! Small programs, all results of their serial orders, and the check that loom's runs of them give no other.

use crate::common::{Actor, PlainVar, Rules, Variant};
use deadheat_online::{LockState, Outcome, Sets, VarState, Word};
use loom::model::Builder;
use loom::sync::atomic::{AtomicU64, Ordering};
use loom::sync::{Mutex, MutexGuard};
use std::collections::BTreeSet;
use std::sync::Arc;

pub const X: usize = 0;
pub const Y: usize = 1;
pub const Z: usize = 2;
const VARS: usize = 3;

/// An operation on a variable or on the one lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    R(usize),
    W(usize),
    Acq,
    Rel,
}

/// Thread 0 forks the others, who do the `setup` one after the other; then all run at once; then thread 0 joins the others and goes on `after`.
#[derive(Clone, Debug)]
pub struct Program {
    pub setup: Vec<(usize, Op)>,
    pub threads: Vec<Vec<Op>>,
    pub after: Vec<Op>,
}

/// What a run came to: the outcomes of each thread, and the variables at the end of the concurrent part and of the whole.
type Ending = (Vec<Vec<Outcome>>, Vec<PlainVar>, Vec<Outcome>, Vec<PlainVar>);

fn fork_all(n: usize) -> Vec<Actor> {
    let mut actors: Vec<Actor> = (0..n).map(|slot| Actor::new(slot as u32)).collect();
    let (first, others) = actors.split_at_mut(1);
    others.iter_mut().for_each(|other| first[0].thread.fork(&mut other.thread));
    actors
}

fn join_all(actors: &mut [Actor]) {
    let (first, others) = actors.split_at_mut(1);
    others.iter().for_each(|other| first[0].thread.join(&other.thread));
}

/// One serial run on plain data.
struct Serial {
    rules: Rules,
    vars: Vec<PlainVar>,
    lock: LockState,
}

impl Serial {
    fn step(&mut self, actor: &mut Actor, op: Op) -> Option<Outcome> {
        match op {
            Op::R(x) => return Some(self.vars[x].read(self.rules, actor)),
            Op::W(x) => return Some(self.vars[x].write(self.rules, actor)),
            Op::Acq => actor.thread.acquire(&self.lock),
            Op::Rel => actor.thread.release(&mut self.lock),
        }
        None
    }

    fn run(program: &Program, rules: Rules, order: &[usize]) -> Ending {
        let mut actors = fork_all(program.threads.len());
        let mut run = Serial { rules, vars: vec![PlainVar::default(); VARS], lock: LockState::new() };
        for (t, op) in &program.setup {
            run.step(&mut actors[*t], *op);
        }
        let mut outcomes = vec![Vec::new(); actors.len()];
        let mut ops: Vec<_> = program.threads.iter().map(|ops| ops.iter()).collect();
        for &t in order {
            let op = *ops[t].next().expect("an operation per step");
            outcomes[t].extend(run.step(&mut actors[t], op));
        }
        let middle = run.vars.clone();
        join_all(&mut actors);
        let after = program.after.iter().filter_map(|op| run.step(&mut actors[0], *op)).collect();
        (outcomes, middle, after, run.vars)
    }
}

/// Calls `f` with all serial orders: lists of the threads whose turn it is.
fn serial_orders(program: &Program, order: &mut Vec<usize>, f: &mut impl FnMut(&[usize])) {
    let done = |t| order.iter().filter(|u| **u == t).count();
    let next: Vec<Option<Op>> =
        program.threads.iter().enumerate().map(|(t, ops)| ops.get(done(t)).copied()).collect();
    // Who has acquired and not yet released: nobody else may acquire.
    let held = program.threads.iter().enumerate().any(|(t, ops)| {
        let mut lock_ops = ops[..done(t)].iter().filter(|op| matches!(op, Op::Acq | Op::Rel));
        lock_ops.next_back() == Some(&Op::Acq)
    });
    if next.iter().all(Option::is_none) {
        return f(order);
    }
    for (t, op) in next.into_iter().enumerate() {
        if op.is_some_and(|op| op != Op::Acq || !held) {
            order.push(t);
            serial_orders(program, order, f);
            order.pop();
        }
    }
}

fn serial_endings(program: &Program, rules: Rules) -> BTreeSet<String> {
    let mut endings = BTreeSet::new();
    serial_orders(program, &mut Vec::new(), &mut |order| {
        endings.insert(format!("{:?}", Serial::run(program, rules, order)));
    });
    endings
}

/// What the threads of a concurrent run share.
struct Shared {
    variant: Variant,
    vars: [VarState; VARS],
    sets: Sets,
    lock: Mutex<LockState>,
}

impl Shared {
    fn new(variant: Variant) -> Shared {
        Shared {
            variant,
            vars: std::array::from_fn(|_| VarState::new()),
            sets: Sets::new(),
            lock: Mutex::new(LockState::new()),
        }
    }

    fn run(&self, actor: &mut Actor, ops: &[Op]) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        let mut held: Option<MutexGuard<'_, LockState>> = None;
        for op in ops {
            let whole = Word::WHOLE;
            match *op {
                Op::R(x) => outcomes.extend(self.variant.read(actor, &self.vars[x], &self.sets, whole)),
                Op::W(x) => outcomes.extend(self.variant.write(actor, &self.vars[x], &self.sets, whole)),
                Op::Acq => actor.thread.acquire(held.insert(self.lock.lock().unwrap())),
                // In the setup, where each operation stands alone, nobody holds it.
                Op::Rel => {
                    actor.thread.release(&mut held.take().unwrap_or_else(|| self.lock.lock().unwrap()))
                }
            }
        }
        outcomes
    }

    fn state(&self) -> Vec<PlainVar> {
        self.vars.iter().map(|var| PlainVar::of(var, &self.sets)).collect()
    }

    /// Each variable gives up its set, and no set is left.
    fn check_counts(&self) {
        let sets = self.vars.iter().map(VarState::load_r).filter(|r| r.is_special());
        sets.for_each(|set| self.sets.release(set));
        assert_eq!(self.sets.live(), 0, "sets that no variable holds");
    }
}

fn concurrent_run(program: &Program, variant: Variant) -> Ending {
    let shared = Arc::new(Shared::new(variant));
    let mut actors = fork_all(program.threads.len());
    for (t, op) in &program.setup {
        shared.run(&mut actors[*t], &[*op]);
    }
    let mut others = Vec::new();
    for (mut actor, ops) in actors.drain(1..).zip(&program.threads[1..]) {
        let (shared, ops) = (shared.clone(), ops.clone());
        let idle = ops.is_empty();
        let work = move || (shared.run(&mut actor, &ops), actor);
        others.push(if idle { Err(work()) } else { Ok(loom::thread::spawn(work)) });
    }
    let mut outcomes = vec![shared.run(&mut actors[0], &program.threads[0])];
    for other in others {
        let (outcome, actor) = other.map_or_else(|idle| idle, |handle| handle.join().unwrap());
        outcomes.push(outcome);
        actors.push(actor);
    }
    let middle = shared.state();
    join_all(&mut actors);
    let after = shared.run(&mut actors[0], &program.after);
    let end = shared.state();
    shared.check_counts();
    (outcomes, middle, after, end)
}

fn explore(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 20_000;
    builder.check(model);
}

/// Every interleaving ends as some serial order does.
pub fn check(variant: Variant, program: &Program, preemptions: usize) {
    let serial = serial_endings(program, variant.rules());
    let program = program.clone();
    explore(preemptions, move || {
        let ending = format!("{:?}", concurrent_run(&program, variant));
        assert!(serial.contains(&ending), "no serial order ends like this: {ending}\nbut these: {serial:#?}");
    });
}

/// While one thread reads and writes, another splits the variable as `shadow` does: whoever finds W special finds what it stands for.
pub fn check_split(variant: Variant, preemptions: usize) {
    explore(preemptions, move || {
        let shared = Arc::new((Shared::new(variant), AtomicU64::new(0)));
        let mut actors = fork_all(2);
        let mut other = actors.remove(1);
        let splitter = {
            let shared = shared.clone();
            loom::thread::spawn(move || {
                let pair = shared.0.vars[X].lock();
                assert!(!pair.w.is_special());
                shared.1.store(42, Ordering::Relaxed);
                shared.0.vars[X].set_r(Word::NONE);
                shared.0.vars[X].unlock(Word(Word::SPECIAL | 1));
            })
        };
        for _ in 0..2 {
            let before = other.thread.now();
            let var = &shared.0.vars[X];
            let outcome = variant.write(&mut other, var, &shared.0.sets, Word::WHOLE);
            let read = variant.read(&mut other, var, &shared.0.sets, Word::WHOLE);
            let special = var.load_w().is_special();
            assert!(outcome.is_some() || special, "a write refused before the split");
            // Who chooses before it locks may have stamped in vain.
            let stamps_first = variant == Variant::V2 || variant.rules() == Rules::FastTrack;
            assert!(outcome.is_some() || stamps_first || other.thread.now() == before);
            assert!(read.is_some() || special, "a read refused before the split");
            if special {
                assert_eq!(shared.1.load(Ordering::Relaxed), 42, "a handle without what it stands for");
            }
        }
        splitter.join().unwrap();
        assert!(shared.0.vars[X].load_w().is_special(), "the split was undone");
        assert!(shared.0.vars[X].load_r().is_none(), "a word beside a split");
    });
}
