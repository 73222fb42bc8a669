//! Reads that are certain to be followed by a write of the same bytes in the same moment. (clang sees it within a block, up to the next call of whatever.)
//!
//! The mirror image of `redundant`: a key is *due* where all of its bytes will be checked as written on every way from there, before anything publishes, learns or may fail to come back.
//! To all other threads both places are one moment, so the check of the write stands for both. What is due is built up from nothing, so that it is due within a bounded number of steps: a loop that may go on for ever leads to no check.

use super::checks::{Check, Mode};
use super::effects::Effect;
use super::keys::{Keys, Table};
use super::linear::Forms;
use super::turns::Context;
use crate::ir::{BlockId, Value};

/// Which of the checks those of later writes stand for. They are in the order of blocks and instructions.
pub fn find<'a>(context: &Context<'a, '_>, forms: &Forms<'a>, checks: &[Check<'a>]) -> Vec<bool> {
    let mut found = vec![false; checks.len()];
    let table = Table::new(checks.iter(), forms);
    let has = |writes: bool| checks.iter().any(|check| (check.what.mode == Mode::Write) == writes);
    if table.keys.is_empty() || !has(true) || !has(false) {
        return found;
    }
    let steps = steps(context, checks, &table);
    let walk = |block: BlockId, due: &mut Keys, found: &mut dyn FnMut(usize, bool)| {
        for step in &steps[block.0 as usize] {
            match *step {
                Step::Check(check, key) if checks[check].what.mode == Mode::Write => table.gain(due, key),
                Step::Check(check, key) => found(check, due.has(key)),
                Step::Define(root) => table.about[&root].iter().for_each(|key| due.remove(*key)),
                Step::End => due.clear(),
            }
        }
    };
    let count = table.keys.len();
    let mut before = vec![Keys::none(count); context.function.blocks.len()];
    let behind = |before: &[Keys], block: BlockId| {
        let mut targets = context.function.block(block).targets().iter();
        let Some(first) = targets.next() else { return Keys::none(count) };
        let mut due = before[first.0 as usize].clone();
        targets.for_each(|target| due.keep_common(&before[target.0 as usize]));
        due
    };
    let mut changed = true;
    while changed {
        changed = false;
        for block in context.cfg.order.iter().rev() {
            let mut due = behind(&before, *block);
            walk(*block, &mut due, &mut |_, _| {});
            if before[block.0 as usize] != due {
                before[block.0 as usize] = due;
                changed = true;
            }
        }
    }
    for block in &context.cfg.order {
        walk(*block, &mut behind(&before, *block), &mut |check, is_due| found[check] = is_due);
    }
    found
}

/// What matters of an instruction.
enum Step {
    /// A check, with its key.
    Check(usize, usize),
    /// A root is defined that keys are about.
    Define(Value),
    /// The moment ends.
    End,
}

/// The steps of each block, the last one first.
fn steps<'a>(context: &Context<'a, '_>, checks: &[Check<'a>], table: &Table) -> Vec<Vec<Step>> {
    let mut next = checks.iter().enumerate().rev().peekable();
    let mut all = Vec::new();
    for block in context.function.ids().rev() {
        let mut steps = Vec::new();
        for (at, inst) in context.function.block(block).insts.iter().enumerate().rev() {
            if context.effects.of(context.module, inst) != Effect::NONE {
                steps.push(Step::End);
            }
            steps.extend(inst.result.filter(|root| table.about.contains_key(root)).map(Step::Define));
            while let Some((check, _)) = next.next_if(|(_, c)| c.block == block && c.at == at) {
                steps.extend(table.of[check].map(|key| Step::Check(check, key)));
            }
        }
        all.push(steps);
    }
    all.reverse();
    all
}
