//! Lemma 1, made to run: the equivalent interleaving that switches threads only where it matters.
//!
//! *Soundness Proofs for Iterative Deepening* (CMU-PDL-16-103), §5.1. A switch away from a thread is *relevant* (Definition 15) if the thread's
//! next instruction is a synchronisation or conflicts with something that others do meanwhile. An irrelevant one is removed by moving the
//! thread's instructions from after the others to before them, up to the first that is a synchronisation or conflicts: they
//! commute with all that the others did. Repeated from the first irrelevant switch on, this ends with a *fully relevant*
//! interleaving (Definition 16).
//!
//! Deviation: the report's synchronisation points lie before and after each synchronisation, ours only before: a switch just after one
//! is relevant only if what comes next is.

use crate::run::objects::{Heap, Names, Touch, dependent};
use crate::schedule::{Replay, Schedule};
use crate::system::{Action, Log, Site};
use deadheat_trace::Op;

/// One instruction of an interleaving.
#[derive(Clone)]
struct Instruction {
    action: Action,
    operations: u32,
    touches: Vec<Touch>,
    /// Where it is, if it is an access without synchronisation.
    plain: Option<Site>,
}

/// An interleaving, instruction by instruction.
pub struct Interleaving {
    instructions: Vec<Instruction>,
}

impl Interleaving {
    /// What was replayed.
    pub fn of(replay: &Replay) -> Interleaving {
        let mut names = Names::default();
        let (mut from, mut peeked) = (0, 0);
        let instructions = replay
            .steps
            .iter()
            .map(|step| {
                let (end, peeked_end) = (step.events as usize, step.peeked as usize);
                let instruction =
                    instruction(step.action, &replay.log, from..end, peeked..peeked_end, &mut names);
                (from, peeked) = (end, peeked_end);
                instruction
            })
            .collect();
        Interleaving { instructions }
    }

    /// The switch away from the thread of instruction `at`: where that thread goes on, if it does.
    fn switch_at(&self, at: usize) -> Option<usize> {
        let tid = self.instructions[at].action.tid;
        let next = at + 1 + self.instructions[at + 1..].iter().position(|i| i.action.tid == tid)?;
        (next > at + 1).then_some(next)
    }

    /// Does that instruction conflict with one of those?
    fn conflicts(&self, at: usize, others: std::ops::Range<usize>) -> bool {
        let touches = &self.instructions[at].touches;
        self.instructions[others].iter().any(|i| dependent(&i.touches, touches))
    }

    /// Is the switch after `at`, to where its thread goes on at `next`, relevant?
    fn is_relevant(&self, at: usize, next: usize) -> bool {
        self.instructions[next].plain.is_none() || self.conflicts(next, at + 1..next)
    }

    /// The first irrelevant switch: after which instruction, and where its thread goes on.
    fn first_irrelevant(&self) -> Option<(usize, usize)> {
        let switches = (0..self.instructions.len()).filter_map(|at| Some((at, self.switch_at(at)?)));
        switches.into_iter().find(|&(at, next)| !self.is_relevant(at, next))
    }

    /// Is it fully relevant?
    pub fn is_fully_relevant(&self) -> bool {
        self.first_irrelevant().is_none()
    }

    /// The places, other than synchronisation, before which it switches threads.
    pub fn points(&self) -> Vec<Site> {
        let switches = (0..self.instructions.len()).filter_map(|at| self.switch_at(at));
        let mut sites: Vec<Site> = switches.filter_map(|next| self.instructions[next].plain).collect();
        sites.sort_unstable();
        sites.dedup();
        sites
    }

    /// The equivalent fully relevant interleaving.
    pub fn relevant(mut self) -> Interleaving {
        while let Some((at, next)) = self.first_irrelevant() {
            // From `next` on, the thread's instructions up to χ, or to the end of its transition, come before the others.
            let tid = self.instructions[next].action.tid;
            let rest = &self.instructions[next..];
            let transition = rest.iter().take_while(|i| i.action.tid == tid).count();
            let moves =
                |i: &usize| self.instructions[*i].plain.is_some() && !self.conflicts(*i, at + 1..next);
            let prefix = (next..next + transition).take_while(moves).count();
            self.instructions[at + 1..next + prefix].rotate_right(prefix);
        }
        self
    }

    /// As a schedule.
    pub fn schedule(&self) -> Schedule {
        let mut schedule = Schedule::default();
        for i in &self.instructions {
            schedule.push(i.action.tid, i.operations, i.action.choice);
        }
        schedule
    }
}

fn instruction(
    action: Action,
    log: &Log,
    events: std::ops::Range<usize>,
    peeked: std::ops::Range<usize>,
    names: &mut Names,
) -> Instruction {
    let mut touches = Vec::new();
    let events = &log.events[events];
    for event in events {
        names.touches(event.op, Heap::Independent, &mut touches);
        touches.push(names.step_of(event.tid));
    }
    touches.push(names.step_of(action.tid));
    log.peeked[peeked].iter().for_each(|&op| names.peeks(op, &mut touches));
    let is_plain = |op| matches!(op, Op::Read(_) | Op::Write(_) | Op::Alloc(_) | Op::Free(_));
    let plain = events.iter().all(|e| is_plain(e.op)).then(|| events.first().map(|e| e.loc)).flatten();
    Instruction { action, operations: events.len() as u32, touches, plain }
}
