//! Checks in loops whose addresses come again in the same span, though nobody can say beforehand which: a word on the stack remembers them.
//!
//! - *From the first on*: a loop that goes through memory from the same place whenever it is entered, and may be left early (a search). What it has come to is a beginning of all that it could come to;
//!   the word is where that beginning ends. The loop publishes nothing, and makes the check at every turn that is followed by another one. The definition of a root of that place sets the word back.
//! - *The last one*: an address that is made of a value which the loop may carry from turn to turn unchanged (the best so far). The word is the last address that was checked.
//!
//! What ends a span sets both back, as in `once`.

use super::cfg::Loop;
use super::checks::{Check, Mode};
use super::linear::{Forms, Linear};
use super::once::{Once, Plan, can_clear, first_behind};
use super::turns::{Context, Place};
use crate::ir::lex::Cursor;
use crate::ir::{BlockId, Kind, Operand, Value};

/// What the word says of addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Says {
    /// All from the first up to that one have been checked.
    Below,
    /// That one has been checked.
    Last,
}

/// A word of the function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    /// The check that it is for.
    pub check: usize,
    /// What it says.
    pub says: Says,
    /// Where it is set back, besides where spans end: before that instruction of that block.
    pub clears: Vec<(BlockId, usize)>,
}

/// The words of a function.
#[derive(Default)]
pub struct Words {
    /// The words.
    pub all: Vec<Word>,
    /// Where spans end: before that instruction of that block.
    pub ends: Vec<(BlockId, usize)>,
}

/// Words of a function, at most.
const MOST: usize = 8;
/// A loop that takes larger steps is not followed: its addresses could come round.
const STEP: i64 = 1 << 20;
/// How far a value is followed from turn to turn.
const DEPTH: u32 = 6;

/// Looks for such checks among those that are always made.
pub fn plan<'a>(
    context: &Context<'a, '_>,
    forms: &mut Forms<'a>,
    checks: &[Check<'a>],
    plan: &Plan,
) -> Words {
    if context.cfg.loops.is_empty() || checks.is_empty() {
        return Words::default();
    }
    let mut words = Words { all: Vec::new(), ends: ends(context) };
    let mut seen = vec![false; checks.len()];
    // Inner loops come first, so that each check is looked at in the innermost one that it is in.
    for inner in &context.cfg.loops {
        let new = |i: &usize| !seen[*i] && inner.contains(checks[*i].block);
        let own: Vec<usize> = (0..checks.len()).filter(new).collect();
        own.iter().for_each(|check| seen[*check] = true);
        let able = |check: &usize| {
            let always = plan.checks.get(*check).is_none_or(|once| *once == Once::default());
            let Check { line, range, what, .. } = &checks[*check];
            always && line.is_some() && range.is_none() && what.mode != Mode::VirtualRead
        };
        let own: Vec<usize> = own.into_iter().filter(able).collect();
        let is_nested = context.cfg.loops.iter().any(|l| is_around(l, inner));
        let place = if is_nested && !own.is_empty() { Place::of(context, forms, inner) } else { None };
        for check in own {
            let Check { block, address: Some(address), .. } = &checks[check] else { continue };
            let from = place
                .as_ref()
                .and_then(|p| from_the_first_on(context, forms, p, inner, &words.ends, *block, address));
            let found = match from {
                Some(clears) => Some(Word { check, says: Says::Below, clears }),
                None if is_carried(context, forms, inner, &words.ends, address) => {
                    Some(Word { check, says: Says::Last, clears: Vec::new() })
                }
                None => None,
            };
            words.all.extend(found.filter(|_| words.all.len() < MOST));
        }
    }
    words
}

/// A loop around another one.
fn is_around(around: &Loop, inner: &Loop) -> bool {
    around.header != inner.header && around.contains(inner.header)
}

/// All places where a span ends.
fn ends(context: &Context<'_, '_>) -> Vec<(BlockId, usize)> {
    let publishes = |(block, at): &(BlockId, usize)| {
        context.effects.of(context.module, &context.function.block(*block).insts[*at]).publishes
    };
    let of_block = |block: BlockId| (0..context.function.block(block).insts.len()).map(move |at| (block, at));
    context.function.ids().flat_map(of_block).filter(publishes).collect()
}

/// The loop makes a check of that address at every turn, beginning with the same address whenever it is entered again by a loop around it. Where that address may change.
fn from_the_first_on<'a>(
    context: &Context<'a, '_>,
    forms: &Forms<'a>,
    place: &Place<'_>,
    inner: &Loop,
    ends: &[(BlockId, usize)],
    block: BlockId,
    address: &Linear,
) -> Option<Vec<(BlockId, usize)>> {
    place.stride(context, forms, address).filter(|stride| (1..=STEP).contains(stride))?;
    let goes_on = inner.latches.iter().all(|latch| context.cfg.dominates(block, *latch));
    if !goes_on || !place.only(context, |effect| !effect.publishes) {
        return None;
    }
    let roots = forms.roots_of(&place.at_first(forms, address));
    let defined = |root: &Value| context.definitions[root.0 as usize];
    let outside = |around: &Loop| roots.iter().filter_map(defined).all(|(b, _)| !around.contains(BlockId(b)));
    let mut around = context.cfg.loops.iter().filter(|l| is_around(l, inner));
    around.find(|around| outside(around) && comes_again(context, ends, around, inner))?;
    let clear = |(block, at): (u32, u32)| {
        let behind = first_behind(context, BlockId(block), at as usize);
        can_clear(context, (block, at)).then_some((BlockId(block), behind))
    };
    roots.iter().filter_map(defined).map(clear).collect()
}

/// The address is made of values from outside of the loop, and of one or more that may stay the same from one turn to the next.
fn is_carried<'a>(
    context: &Context<'a, '_>,
    forms: &Forms<'a>,
    inner: &Loop,
    ends: &[(BlockId, usize)],
    address: &Linear,
) -> bool {
    let mut carried = 0;
    let stays = |root: &Value| match context.definitions[root.0 as usize] {
        Some((block, _)) if BlockId(block) == inner.header => {
            carried += 1;
            may_stay(context, inner, *root)
        }
        Some((block, _)) => !inner.contains(BlockId(block)),
        None => true,
    };
    forms.roots_of(address).iter().all(stays) && carried > 0 && comes_again(context, ends, inner, inner)
}

/// A φ of the loop's header may be what it was at the last turn.
fn may_stay(context: &Context<'_, '_>, inner: &Loop, root: Value) -> bool {
    let inst = |value: Value| {
        context.definitions[value.0 as usize]
            .map(|(b, i)| (BlockId(b), &context.function.blocks[b as usize].insts[i as usize]))
    };
    let Some((_, phi)) = inst(root) else { return false };
    let Kind::Phi { from, .. } = &phi.kind else { return false };
    let mut open: Vec<(&Operand<'_>, u32)> =
        from.iter().filter(|(_, block)| inner.contains(*block)).map(|(value, _)| (value, DEPTH)).collect();
    while let Some((value, depth)) = open.pop() {
        let Operand::Local(value) = value else { continue };
        if *value == root {
            return true;
        }
        match inst(*value).filter(|(block, _)| depth > 0 && inner.contains(*block)) {
            Some((block, inst)) if block != inner.header => match &inst.kind {
                Kind::Phi { from, .. } => open.extend(from.iter().map(|(value, _)| (value, depth - 1))),
                Kind::Other if inst.text.contains(" = select i1 ") => {
                    let name = context.function.names[root.0 as usize];
                    let mut cursor = Cursor::new(inst.text);
                    let tokens = std::iter::from_fn(|| Some(cursor.next()).filter(|token| !token.is_empty()));
                    if tokens.skip(1).any(|token| token == name) {
                        return true;
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
    false
}

/// There is a way through the loop `around`, from where `inner` is left (or from its header, if they are one) to its header, on which nothing is published.
fn comes_again(
    context: &Context<'_, '_>,
    publishing: &[(BlockId, usize)],
    around: &Loop,
    inner: &Loop,
) -> bool {
    let is_quiet = |block: BlockId| !publishing.iter().any(|(b, _)| *b == block);
    let is_same = around.header == inner.header;
    let mut open: Vec<BlockId> = if is_same { vec![inner.header] } else { inner.blocks.clone() };
    let mut seen = vec![false; context.function.blocks.len()];
    while let Some(block) = open.pop() {
        if std::mem::replace(&mut seen[block.0 as usize], true) || !is_quiet(block) {
            continue;
        }
        let from_inner = !is_same && inner.contains(block);
        for to in context.function.block(block).targets().iter().filter(|to| around.contains(**to)) {
            if *to == inner.header && !from_inner {
                return true;
            }
            open.push(*to);
        }
    }
    false
}
