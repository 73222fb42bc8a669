//! The bigger-step semantics of instrumented programs: Figure 11, executably.
//!
//! A step is an instruction of the original program together with all of its handler: `(P, m) ⇒_t R`. The state is the original program's, and
//! the clocks as the instrumented program lays them out, so that the two can be compared cell by cell.

use crate::layout::Layout;
use deadheat_explore::{Action, Fault, FaultKind, Log, Points, Status, System};
use deadheat_lang::Machine;
use deadheat_trace::{Event, Op, Span, Tid};

/// The original program with the clocks beside it.
#[derive(Clone, Debug)]
pub struct Bigger {
    machine: Machine,
    layout: Layout,
    /// `C`, `L`, `R` and `W`, in the order of [`Layout::clocks`].
    clocks: Vec<i64>,
    /// The number in the text of each thread of the machine.
    numbers: Vec<u32>,
}

/// The blocks of clocks.
#[derive(Clone, Copy)]
enum Block {
    C,
    L,
    R,
    W,
}

impl Bigger {
    /// At the start of the original program.
    pub fn new(machine: Machine, layout: Layout) -> Bigger {
        let clocks = vec![0; layout.clock_cells()];
        let mut bigger = Bigger { machine, layout, clocks, numbers: Vec::new() };
        System::reset(&mut bigger);
        bigger
    }

    /// The program's own globals, then the clocks: as the instrumented program has them.
    pub fn cells(&self) -> Vec<i64> {
        [self.machine.global_cells(), &self.clocks].concat()
    }

    fn row(&mut self, block: Block, row: u32) -> &mut [i64] {
        let width = self.layout.threads() as usize;
        let before: u32 = self.layout.clocks()[..block as usize].iter().map(|(_, rows)| rows).sum();
        let start = (before + row) as usize * width;
        &mut self.clocks[start..start + width]
    }

    fn number(&self, tid: Tid) -> u32 {
        self.numbers[tid.index()]
    }

    /// What the instruction's handler does to the clocks; false if its check fails.
    fn apply(&mut self, event: &Event) -> bool {
        let t = self.number(event.tid);
        match event.op {
            Op::Read(at) => {
                let x = self.location(at);
                let fine = self.is_before(Block::W, x, t);
                if fine {
                    self.stamp(Block::R, x, t);
                }
                return fine;
            }
            Op::Write(at) => {
                let x = self.location(at);
                let fine = self.is_before(Block::W, x, t) && self.is_before(Block::R, x, t);
                if fine {
                    self.stamp(Block::W, x, t);
                }
                return fine;
            }
            Op::Acquire(m) => {
                let known = self.row(Block::L, m.0).to_vec();
                join(self.row(Block::C, t), &known);
            }
            Op::Release(m) => {
                let known = self.row(Block::C, t).to_vec();
                self.row(Block::L, m.0).copy_from_slice(&known);
                self.increment(t);
            }
            Op::Fork(child) => {
                let at = self.machine.code().spans[event.loc.0 as usize];
                let u = self.layout.thread_at(at).expect("every spawn has its number");
                if self.numbers.len() <= child.index() {
                    self.numbers.resize(child.index() + 1, 0);
                }
                self.numbers[child.index()] = u;
                let known = self.row(Block::C, t).to_vec();
                join(self.row(Block::C, u), &known);
                self.increment(t);
            }
            Op::Join(child) => {
                let u = self.number(child);
                let known = self.row(Block::C, u).to_vec();
                join(self.row(Block::C, t), &known);
                self.increment(u);
            }
            _ => {}
        }
        true
    }

    fn location(&self, at: Span) -> u32 {
        self.layout.location((at.addr.0 >> 3) as u32).expect("every global has its location")
    }

    /// `hb_check(block[x], C[t])`
    fn is_before(&mut self, block: Block, x: u32, t: u32) -> bool {
        let known = self.row(Block::C, t).to_vec();
        self.row(block, x).iter().zip(known).all(|(seen, known)| *seen <= known)
    }

    /// `move((C[t], t), (block[x], t))`
    fn stamp(&mut self, block: Block, x: u32, t: u32) {
        let now = self.row(Block::C, t)[t as usize];
        self.row(block, x)[t as usize] = now;
    }

    fn increment(&mut self, t: u32) {
        self.row(Block::C, t)[t as usize] += 1;
    }
}

fn join(mine: &mut [i64], theirs: &[i64]) {
    mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
}

impl System for Bigger {
    fn reset(&mut self) {
        self.machine.reset();
        self.clocks.fill(0);
        self.numbers.clear();
        self.numbers.push(0);
        (0..self.layout.threads()).for_each(|t| self.row(Block::C, t)[t as usize] = 1);
    }

    fn threads(&self) -> u32 {
        self.machine.threads()
    }

    fn status(&self, tid: Tid) -> Status {
        self.machine.status(tid)
    }

    fn pending(&self, tid: Tid, into: &mut Vec<Op>) {
        self.machine.pending_ops(tid, into);
    }

    fn step(&mut self, action: Action, _: &Points, log: &mut Log) -> Result<(), Fault> {
        let first = log.events.len();
        let done = self.machine.step(action, &Points::Everywhere, log);
        for i in first..log.events.len() {
            let event = log.events[i];
            if !self.apply(&event) {
                let message = "the handler's check fails".into();
                return Err(Fault { kind: FaultKind::Assertion, tid: event.tid, site: event.loc, message });
            }
        }
        done
    }

    fn digest(&self) -> u64 {
        self.clocks.iter().fold(self.machine.digest(), |digest, cell| {
            (digest ^ *cell as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        })
    }
}
