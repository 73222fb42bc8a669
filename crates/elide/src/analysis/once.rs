//! Checks that were made before in the same span on some paths, but not on all: the function remembers which way it came.
//!
//! A word on the stack has a bit for each such key. A check is made if its bit is not set, and sets the bits of all keys that it covers; what ends a span clears them all, and the definition of a root those that are about it.
//! So a bit is set only where `redundant` would let its key hold, had it known the path: RedCard peels the first turn off a loop for that.

use super::checks::Check;
use super::keys::Table;
use super::linear::Forms;
use super::redundant::{Around, Flow, Paths, Step, steps};
use super::turns::Context;
use crate::ir::{BlockId, Value};

/// What a check has to do with the word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Once {
    /// It is not made if this bit is set. Zero: it always is.
    pub unless: u64,
    /// The bits that it sets.
    pub sets: u64,
}

/// Bits to be cleared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clear {
    /// In that block.
    pub block: BlockId,
    /// Before that instruction.
    pub at: usize,
    /// These; all of them if it ends a span.
    pub bits: u64,
}

/// What is to be done to a function.
#[derive(Default)]
pub struct Plan {
    /// For each of its checks.
    pub checks: Vec<Once>,
    /// Where bits are cleared.
    pub clears: Vec<Clear>,
}

/// Bits of the word.
const BITS: usize = 64;

/// Looks for checks that are redundant on some paths. They are in the order of blocks and instructions.
pub fn plan<'a>(context: &Context<'a, '_>, forms: &Forms<'a>, checks: &[Check<'a>]) -> Plan {
    let mut plan = Plan { checks: vec![Once::default(); checks.len()], clears: Vec::new() };
    let table = Table::new(checks.iter(), forms);
    if table.keys.is_empty() {
        return plan;
    }
    let steps = steps(context, checks, &Around::default(), &table);
    let flow = Flow::through(context, &table, steps, Paths::Some);
    let bits = Bits::of(context, &table, &flow);
    if bits.keys.is_empty() {
        return plan;
    }
    flow.walk(|block, step, held| match *step {
        Step::Check { check, key } => {
            let unless = if held.has(key) { bits.of_key(key) } else { 0 };
            plan.checks[check] = Once { unless, sets: bits.covered_by(&table, key) };
        }
        Step::End(at) if bits.keys.iter().any(|key| held.has(*key)) => {
            plan.clears.push(Clear { block, at, bits: u64::MAX });
        }
        Step::Define(root, at) => {
            let lost = table.about[&root].iter().filter(|key| held.has(**key));
            let lost = lost.fold(0, |lost, key| lost | bits.of_key(*key));
            let at = first_behind(context, block, at);
            plan.clears.extend((lost != 0).then_some(Clear { block, at, bits: lost }));
        }
        _ => {}
    });
    plan
}

/// The keys that have bits, in order of these.
struct Bits {
    keys: Vec<usize>,
}

impl Bits {
    /// A bit for each key that a check is about which may have been made before; inner loops first, if there are too many.
    fn of(context: &Context<'_, '_>, table: &Table, flow: &Flow<'_>) -> Bits {
        let mut found: Vec<(usize, usize)> = Vec::new();
        flow.walk(|block, step, held| {
            if let Step::Check { key, .. } = step
                && held.has(*key)
            {
                let depth = context.cfg.loops.iter().filter(|l| l.contains(block)).count();
                found.push((usize::MAX - depth, *key));
            }
        });
        found.sort_unstable();
        let mut keys = Vec::new();
        let able = |root: &Value| context.definitions[root.0 as usize].is_none_or(|d| can_clear(context, d));
        for (_, key) in found {
            let mut roots = table.about.iter().filter(|(_, keys)| keys.contains(&key)).map(|(root, _)| root);
            if keys.len() < BITS && !keys.contains(&key) && roots.all(able) {
                keys.push(key);
            }
        }
        Bits { keys }
    }

    fn of_key(&self, key: usize) -> u64 {
        self.keys.iter().position(|k| *k == key).map_or(0, |bit| 1 << bit)
    }

    fn covered_by(&self, table: &Table, key: usize) -> u64 {
        let covered = |(_, other): &(usize, &usize)| table.covers(key, **other);
        self.keys.iter().enumerate().filter(covered).fold(0, |bits, (bit, _)| bits | 1 << bit)
    }
}

/// Behind that instruction there is a place for more: not behind the last of a block, nor where exceptions land.
pub fn can_clear(context: &Context<'_, '_>, (block, at): (u32, u32)) -> bool {
    let insts = &context.function.blocks[block as usize].insts;
    let at = first_behind(context, BlockId(block), at as usize);
    insts.get(at).is_some_and(|inst| !inst.text.contains(" landingpad "))
}

/// The first instruction behind that one that is no φ.
pub fn first_behind(context: &Context<'_, '_>, block: BlockId, at: usize) -> usize {
    let insts = &context.function.block(block).insts;
    at + 1 + insts[at + 1..].iter().take_while(|inst| inst.is_phi).count()
}
