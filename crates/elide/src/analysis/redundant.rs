//! Checks that an earlier one of the same span has made already, on every path.
//!
//! A forward analysis over *keys*: an address as a linear form, a number of bytes, a mode. A key holds where all of its bytes have been checked in that mode since the span began.
//! - A check makes its key hold, and every key that it covers, or that it completes with others that hold.
//! - What may publish ends the span: nothing holds behind it (`effects` argues it). What only learns changes nothing.
//! - The definition of a root (a φ, a load, a call's result) ends all keys whose address is made of it: they were about its last value. Stores end nothing: forms are about values, not about memory.
//! - Where paths meet, what holds on all of them does. Loops begin with everything and lose what is not so.

use super::cfg::Cfg;
use super::checks::Check;
use super::keys::{Keys, Table};
use super::linear::Forms;
use super::turns::Context;
use crate::ir::{BlockId, Value};
use hashbrown::HashMap;

/// What is known, and what is asked, besides the checks that a function makes. All are checks at a place.
#[derive(Default)]
pub struct Around<'a> {
    /// Made by all callers before the function begins.
    pub at_entry: Vec<Check<'a>>,
    /// Made by a call when it comes back: behind the instruction that they are at.
    pub behind: Vec<Check<'a>>,
    /// Made by nobody: would they be redundant before the instruction that they are at?
    pub questions: Vec<Check<'a>>,
}

/// What was found.
pub struct Found {
    /// For each of the checks, whether it is redundant.
    pub redundant: Vec<bool>,
    /// For each of the questions, whether it would be.
    pub answers: Vec<bool>,
}

/// Which of the checks are redundant; they are in the order of blocks and instructions.
pub fn find<'a>(
    context: &Context<'a, '_>,
    forms: &Forms<'a>,
    checks: &[Check<'a>],
    around: &Around<'a>,
) -> Found {
    let Around { at_entry, behind, questions } = around;
    let table = Table::new(checks.iter().chain(at_entry).chain(behind).chain(questions), forms);
    let mut found = Found { redundant: vec![false; checks.len()], answers: vec![false; questions.len()] };
    if table.keys.is_empty() {
        return found;
    }
    let flow = Flow::through(context, &table, steps(context, checks, around, &table), Paths::All);
    flow.walk(|_, step, held| match step {
        Step::Check { check, key } => found.redundant[*check] = held.has(*key),
        Step::Ask { question, key } => found.answers[*question] = held.has(*key),
        _ => {}
    });
    found
}

/// Where something has to hold that is to hold where paths meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paths {
    /// On all of them.
    All,
    /// On one of them.
    Some,
}

/// What holds where.
pub struct Flow<'b> {
    table: &'b Table,
    cfg: &'b Cfg,
    paths: Paths,
    steps: Vec<Vec<Step>>,
    /// At the end of each block.
    after: Vec<Option<Keys>>,
}

impl<'b> Flow<'b> {
    /// Follows the keys through those steps.
    pub fn through(
        context: &Context<'_, 'b>,
        table: &'b Table,
        steps: Vec<Vec<Step>>,
        paths: Paths,
    ) -> Flow<'b> {
        let after = vec![None; context.function.blocks.len()];
        let mut flow = Flow { table, cfg: context.cfg, paths, steps, after };
        let mut changed = true;
        while changed {
            changed = false;
            for block in &context.cfg.order {
                let mut held = flow.before(*block);
                for step in &flow.steps[block.0 as usize] {
                    step.apply(table, &mut held);
                }
                let after = &mut flow.after[block.0 as usize];
                if after.as_ref() != Some(&held) {
                    *after = Some(held);
                    changed = true;
                }
            }
        }
        flow
    }

    fn before(&self, block: BlockId) -> Keys {
        let count = self.table.keys.len();
        let mut from =
            self.cfg.before[block.0 as usize].iter().filter_map(|b| self.after[b.0 as usize].as_ref());
        if block == BlockId(0) {
            return Keys::none(count);
        }
        let mut held = from.next().cloned().unwrap_or_else(|| match self.paths {
            Paths::All => Keys::all(count),
            Paths::Some => Keys::none(count),
        });
        from.for_each(|other| match self.paths {
            Paths::All => held.keep_common(other),
            Paths::Some => held.add_all(other),
        });
        held
    }

    /// Calls `f` with each step of each block that can be reached, and what holds before it.
    pub fn walk(&self, mut f: impl FnMut(BlockId, &Step, &Keys)) {
        for block in &self.cfg.order {
            let mut held = self.before(*block);
            for step in &self.steps[block.0 as usize] {
                f(*block, step, &held);
                step.apply(self.table, &mut held);
            }
        }
    }
}

/// What matters of an instruction.
pub enum Step {
    /// A check, with its key.
    Check { check: usize, key: usize },
    /// Somebody else has made a check with that key.
    Given(usize),
    /// Does the key hold?
    Ask { question: usize, key: usize },
    /// The span ends at that instruction of the block.
    End(usize),
    /// A root is defined that keys are about, by that instruction of the block.
    Define(Value, usize),
}

impl Step {
    fn apply(&self, table: &Table, held: &mut Keys) {
        match self {
            Step::Check { key, .. } | Step::Given(key) => {
                if !held.has(*key) {
                    table.gain(held, *key);
                }
            }
            Step::Ask { .. } => {}
            Step::End(_) => held.clear(),
            Step::Define(root, _) => table.about[root].iter().for_each(|key| held.remove(*key)),
        }
    }
}

/// The steps of each block. At an instruction: checks that are not there yet and come before it, what is asked before it, what it does, and what is known behind it.
pub fn steps<'a>(
    context: &Context<'a, '_>,
    checks: &[Check<'a>],
    around: &Around<'a>,
    table: &Table,
) -> Vec<Vec<Step>> {
    let Around { at_entry, behind, questions } = around;
    let (of_entry, of_others) = table.of[checks.len()..].split_at(at_entry.len());
    let (of_behind, of_questions) = of_others.split_at(behind.len());
    let (behind, questions) = (Places::of(behind), Places::of(questions));
    let mut next = checks.iter().enumerate().peekable();
    let mut all = Vec::new();
    for block in context.function.ids() {
        let mut steps = Vec::new();
        if block == BlockId(0) {
            steps.extend(of_entry.iter().flatten().map(|key| Step::Given(*key)));
        }
        for (at, inst) in context.function.block(block).insts.iter().enumerate() {
            let mut checks = |steps: &mut Vec<Step>, is_there: bool| {
                let here = |c: &Check<'_>| c.block == block && c.at == at && c.line.is_some() == is_there;
                while let Some((check, _)) = next.next_if(|(_, c)| here(c)) {
                    steps.extend(table.of[check].map(|key| Step::Check { check, key }));
                }
            };
            checks(&mut steps, false);
            let ask = |q: &usize| of_questions[*q].map(|key| Step::Ask { question: *q, key });
            steps.extend(questions.at(block, at).iter().filter_map(ask));
            if context.effects.of(context.module, inst).publishes {
                steps.push(Step::End(at));
            }
            if let Some(root) = inst.result.filter(|v| table.about.contains_key(v)) {
                steps.push(Step::Define(root, at));
            }
            checks(&mut steps, true);
            steps.extend(behind.at(block, at).iter().filter_map(|i| of_behind[*i]).map(Step::Given));
        }
        all.push(steps);
    }
    all
}

/// Which of some checks are at an instruction.
struct Places(HashMap<(BlockId, usize), Vec<usize>, foldhash::fast::FixedState>);

impl Places {
    fn of(checks: &[Check<'_>]) -> Places {
        let mut places = Places(HashMap::default());
        for (i, check) in checks.iter().enumerate() {
            places.0.entry((check.block, check.at)).or_default().push(i);
        }
        places
    }

    fn at(&self, block: BlockId, at: usize) -> &[usize] {
        self.0.get(&(block, at)).map_or(&[], Vec::as_slice)
    }
}
