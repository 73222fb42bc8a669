//! Checks that a loop makes at every turn, made once before it: of the same address, or of all the elements that it goes through.
//!
//! A check may be made before the loop if
//! - nothing in the loop publishes or learns, so that the whole loop is one moment to all other threads, and nothing in it may fail to come back;
//! - it is certain to be made: its block dominates every block that leaves the loop or jumps back. (An access before it that traps ends the program; that is taken to not happen, as clang does where it drops a read before a write.)
//!
//! If its address moves with the loop's counters, the loop has to go round a number of times that is known when it begins: it leaves only behind the comparison of a counter, for equality, at its one jump back.
//! Then the check stands for a range: it must be one without gaps, so that nothing is checked that is not accessed.

use super::cfg::{Cfg, Loop};
use super::checks::{Check, Mode, Named};
use super::effects::{Effect, Effects};
use super::linear::{Definitions, Forms, Linear};
use crate::ir::{BlockId, Function, Kind, Module, Operand, Value};
use crate::rewrite::compute::Source;

/// What the checks of a function are looked at with.
pub struct Context<'a, 'b> {
    /// The module.
    pub module: &'b Module<'a>,
    /// The function.
    pub function: &'b Function<'a>,
    /// Its control flow.
    pub cfg: &'b Cfg,
    /// Where its values are defined.
    pub definitions: &'b Definitions,
    /// What calls do.
    pub effects: &'b Effects<'a>,
}

/// A counter of a loop: a φ that changes by the same at every turn.
struct Counter {
    value: Value,
    first: Linear,
    step: i64,
}

/// Moves checks out of loops, inner ones first; the checks that stand for others are added at the end. Which of all of them have others in their place.
pub fn hoist<'a>(context: &Context<'a, '_>, forms: &mut Forms<'a>, checks: &mut Vec<Check<'a>>) -> Vec<bool> {
    let mut moved = vec![false; checks.len()];
    for one in &context.cfg.loops {
        let Some(place) = Place::of(context, one) else { continue };
        let able: Vec<usize> =
            (0..checks.len()).filter(|i| !moved[*i] && place.is_certain(context, checks[*i].block)).collect();
        if able.is_empty() {
            continue;
        }
        let counters = place.counters(context, forms);
        let turns = place.more_turns(context, forms, &counters);
        for group in groups(checks, &able, |form| place.stride(context, forms, &counters, form)) {
            let new = place.combined(context, forms, checks, &group, &counters, turns.as_ref());
            let source = Source {
                function: context.function,
                cfg: context.cfg,
                definitions: context.definitions,
                forms,
                opaque: context.module.opaque,
            };
            let Some(new) = new.filter(|new| {
                new.address.iter().chain(&new.length).all(|form| source.can(form, place.before))
            }) else {
                continue;
            };
            group.checks.iter().for_each(|i| moved[*i] = true);
            checks.push(new);
            moved.push(false);
        }
    }
    moved
}

/// Checks of the same mode whose addresses differ by constants, and by how much they move at each turn.
struct Group {
    checks: Vec<usize>,
    stride: i64,
}

fn groups(
    checks: &[Check<'_>],
    able: &[usize],
    mut stride: impl FnMut(&Linear) -> Option<i64>,
) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for i in able {
        let (check, Some(address)) = (&checks[*i], &checks[*i].address) else { continue };
        let fits = |group: &&mut Group| {
            let first = &checks[group.checks[0]];
            first.what.mode == check.what.mode
                && first.length == check.length
                && first.address.as_ref().is_some_and(|a| a.terms == address.terms)
        };
        match groups.iter_mut().find(fits) {
            Some(group) if group.stride != 0 => group.checks.push(*i),
            _ => groups.extend(stride(address).map(|stride| Group { checks: vec![*i], stride })),
        }
    }
    groups
}

/// A loop, and the block before it.
struct Place<'b> {
    of: &'b Loop,
    before: BlockId,
    /// The blocks from which it is left.
    leaving: Vec<BlockId>,
}

impl<'b> Place<'b> {
    fn of(context: &Context<'_, '_>, of: &'b Loop) -> Option<Place<'b>> {
        let Context { function, cfg, module, effects, .. } = context;
        let before = cfg.preheader(function, of)?;
        let quiet = |block: &BlockId| {
            function.block(*block).insts.iter().all(|i| effects.of(module, i) == Effect::NONE)
        };
        // A loop within it may stay for ever, and so never come to the check.
        let inner = cfg.loops.iter().any(|l| l.header != of.header && of.contains(l.header));
        if inner || !of.blocks.iter().all(quiet) {
            return None;
        }
        let leaves = |block: &BlockId| {
            let targets = function.block(*block).targets();
            targets.is_empty() || targets.iter().any(|t| !of.contains(*t))
        };
        Some(Place { of, before, leaving: of.blocks.iter().copied().filter(leaves).collect() })
    }

    /// What is in that block is done at every turn, whatever happens.
    fn is_certain(&self, context: &Context<'_, '_>, block: BlockId) -> bool {
        let mut ends = self.leaving.iter().chain(&self.of.latches);
        self.of.contains(block) && ends.all(|end| context.cfg.dominates(block, *end))
    }

    fn counters<'a>(&self, context: &Context<'a, '_>, forms: &mut Forms<'a>) -> Vec<Counter> {
        let [latch] = self.of.latches[..] else { return Vec::new() };
        let phis = context.function.block(self.of.header).insts.iter().take_while(|i| i.is_phi);
        let counter = |inst: &crate::ir::Inst<'a>| {
            let (Kind::Phi { from, .. }, Some(value)) = (&inst.kind, inst.result) else { return None };
            let mut of = |block: BlockId| {
                from.iter().find(|(_, b)| *b == block).map(|(o, _)| o.clone()).and_then(|o| forms.operand(&o))
            };
            let (first, next) = (of(self.before)?, of(latch)?);
            let own = forms.operand(&Operand::Local(value))?;
            let step = next.plus(&own, -1).as_constant()?;
            Some(Counter { value, first, step })
        };
        phis.filter_map(counter).collect()
    }

    /// By how much the form changes at each turn: zero if it does not. None if that is not known.
    fn stride<'a>(
        &self,
        context: &Context<'a, '_>,
        forms: &Forms<'a>,
        counters: &[Counter],
        form: &Linear,
    ) -> Option<i64> {
        let mut stride = 0i64;
        for (atom, factor) in &form.terms {
            match counters.iter().find(|c| forms.atom_of(c.value) == Some(*atom)) {
                Some(counter) => stride = stride.wrapping_add(factor.wrapping_mul(counter.step)),
                None if forms
                    .roots_of(&Linear { terms: vec![(*atom, 1)], offset: 0 })
                    .iter()
                    .all(|root| self.is_outside(context, *root)) => {}
                None => return None,
            }
        }
        Some(stride)
    }

    fn is_outside(&self, context: &Context<'_, '_>, root: Value) -> bool {
        context.definitions[root.0 as usize].is_none_or(|(block, _)| !self.of.contains(BlockId(block)))
    }

    /// What the form is at the first turn.
    fn at_first<'a>(&self, forms: &Forms<'a>, counters: &[Counter], form: &Linear) -> Linear {
        counters.iter().fold(form.clone(), |form, counter| match forms.atom_of(counter.value) {
            Some(atom) => form.without(atom).plus(&counter.first, form.factor(atom)),
            None => form,
        })
    }

    /// How often the loop goes round again after its first turn.
    fn more_turns<'a>(
        &self,
        context: &Context<'a, '_>,
        forms: &mut Forms<'a>,
        counters: &[Counter],
    ) -> Option<Turns> {
        let ([latch], [leaving]) = (&self.of.latches[..], &self.leaving[..]) else { return None };
        if latch != leaving {
            return None;
        }
        let Kind::Branch { on: Operand::Local(on), yes, .. } =
            &context.function.block(*latch).insts.last()?.kind
        else {
            return None;
        };
        let (block, at) = context.definitions[on.0 as usize]?;
        let Kind::Compare { predicate, bits, left, right } =
            &context.function.blocks[block as usize].insts[at as usize].kind
        else {
            return None;
        };
        if !self.of.contains(BlockId(block)) {
            return None;
        }
        // It goes round again while they differ.
        let again = if *predicate == "ne" {
            self.of.header
        } else {
            *context.function.block(*latch).targets().iter().find(|t| **t != self.of.header)?
        };
        if !matches!(*predicate, "eq" | "ne") || *yes != again {
            return None;
        }
        let difference = forms.operand(right)?.plus(&forms.operand(left)?, -1);
        let narrow = 64u32.checked_sub(*bits)?;
        let step = self.stride(context, forms, counters, &difference)? << narrow >> narrow;
        let by = step.checked_abs().filter(|by| *by > 0)?;
        // `right - left` is zero after `-difference / step` turns more.
        let left = self.at_first(forms, counters, &difference).times(-step.signum());
        if narrow == 0 {
            // That this is a whole number, the program itself relies on: it would go round for years until it meets zero the next time.
            return Some(Turns { left, by });
        }
        // A narrow counter may well go round through zero. With powers of two the first time is the one that is computed here, or there is none.
        let left = match left.as_constant() {
            _ if by.count_ones() != 1 => return None,
            Some(number) => Linear::constant(number & ((1 << bits) - 1)),
            None => forms.zero_extended(*bits, left),
        };
        Some(Turns { left, by })
    }

    /// The check that stands for a group.
    fn combined<'a>(
        &self,
        context: &Context<'a, '_>,
        forms: &mut Forms<'a>,
        checks: &[Check<'a>],
        group: &Group,
        counters: &[Counter],
        turns: Option<&Turns>,
    ) -> Option<Check<'a>> {
        let first = &checks[group.checks[0]];
        let at = context.function.block(self.before).insts.len() - 1;
        let new = |address: Linear, length: Option<Linear>, what: Named| Check {
            block: self.before,
            at,
            line: None,
            what,
            length,
            address: Some(address),
            argument: "",
            trailer: first.trailer,
        };
        let address = first.address.as_ref()?;
        if group.stride == 0 {
            // The same bytes at every turn.
            if let Some(length) = &first.length
                && self.stride(context, forms, counters, length) != Some(0)
            {
                return None;
            }
            let length = first.length.as_ref().map(|l| self.at_first(forms, counters, l));
            return Some(new(self.at_first(forms, counters, address), length, first.what));
        }
        let turns = turns.filter(|_| first.length.is_none())?;
        let (low, high) = contiguous(group.checks.iter().map(|i| &checks[*i]))?;
        let stride = i64::try_from(group.stride.unsigned_abs()).ok()?;
        // Without gaps from turn to turn, and a whole number of bytes for a step of the counter.
        if high - low < stride || stride % turns.by != 0 || first.what.mode == Mode::VirtualRead {
            return None;
        }
        let more = turns.left.times(stride / turns.by);
        let length = Linear::constant(high - low).plus(&more, 1);
        let mut start = self.at_first(forms, counters, address);
        start.offset = start.offset.wrapping_sub(address.offset).wrapping_add(low);
        if group.stride < 0 {
            start = start.plus(&more, -1);
        }
        Some(new(start, Some(length), Named { aligned: false, ..first.what }))
    }
}

/// How many turns more: `left / by`, which is a whole number.
struct Turns {
    left: Linear,
    by: i64,
}

/// From where to where the checks reach, if there is no gap between them.
fn contiguous<'a, 'b: 'a>(checks: impl Iterator<Item = &'a Check<'b>>) -> Option<(i64, i64)> {
    let mut parts: Vec<(i64, i64)> = checks
        .filter_map(|c| Some((c.address.as_ref()?.offset, c.what.size as i64)))
        .map(|(at, size)| (at, at + size))
        .collect();
    parts.sort_unstable();
    let (first, rest) = parts.split_first()?;
    rest.iter().try_fold(*first, |(low, high), part| (part.0 <= high).then(|| (low, high.max(part.1))))
}
