//! How loops go: the block before each, its counters, and how often it goes round.

use super::cfg::{Cfg, Loop};
use super::effects::{Effect, Effects};
use super::linear::{Definitions, Forms, Linear};
use crate::ir::{BlockId, Function, Kind, Module, Operand, Value};

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

/// How many turns more: `left / by`, which is a whole number.
pub struct Turns {
    pub left: Linear,
    pub by: i64,
}

/// A loop, the block before it, and how it goes.
pub struct Place<'b> {
    of: &'b Loop,
    /// The block before it, which only leads into it.
    pub before: BlockId,
    /// The blocks from which it is left.
    leaving: Vec<BlockId>,
    counters: Vec<Counter>,
    /// How often it goes round again after its first turn, unless it is left before that.
    at_most: Option<Turns>,
}

impl<'b> Place<'b> {
    /// A loop with a block before it.
    pub fn of<'a>(context: &Context<'a, '_>, forms: &mut Forms<'a>, of: &'b Loop) -> Option<Place<'b>> {
        let before = context.cfg.preheader(context.function, of)?;
        let leaves = |block: &BlockId| {
            let targets = context.function.block(*block).targets();
            targets.is_empty() || targets.iter().any(|t| !of.contains(*t))
        };
        let leaving = of.blocks.iter().copied().filter(leaves).collect();
        let mut place = Place { of, before, leaving, counters: Vec::new(), at_most: None };
        place.counters = place.find_counters(context, forms);
        place.at_most = place.find_turns(context, forms);
        Some(place)
    }

    /// Nothing in the loop does more than that effect allows.
    pub fn only(&self, context: &Context<'_, '_>, allowed: impl Fn(Effect) -> bool) -> bool {
        let insts = |block: &BlockId| &context.function.block(*block).insts;
        self.of.blocks.iter().flat_map(insts).all(|i| allowed(context.effects.of(context.module, i)))
    }

    /// The loop comes to an end.
    pub fn ends(&self) -> bool {
        self.at_most.is_some()
    }

    /// How often it goes round again after its first turn, whatever happens.
    pub fn more_turns(&self) -> Option<&Turns> {
        self.at_most.as_ref().filter(|_| self.leaving == self.of.latches)
    }

    /// As [`more_turns`](Place::more_turns), if it is not left before that.
    pub fn at_most(&self) -> Option<&Turns> {
        self.at_most.as_ref()
    }

    /// What is in that block is done at every turn, whatever happens.
    pub fn is_certain(&self, context: &Context<'_, '_>, block: BlockId) -> bool {
        let mut ends = self.leaving.iter().chain(&self.of.latches);
        self.of.contains(block) && ends.all(|end| context.cfg.dominates(block, *end))
    }

    fn find_counters<'a>(&self, context: &Context<'a, '_>, forms: &mut Forms<'a>) -> Vec<Counter> {
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
    pub fn stride<'a>(&self, context: &Context<'a, '_>, forms: &Forms<'a>, form: &Linear) -> Option<i64> {
        let mut stride = 0i64;
        for (atom, factor) in &form.terms {
            match self.counters.iter().find(|c| forms.atom_of(c.value) == Some(*atom)) {
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
    pub fn at_first(&self, forms: &Forms<'_>, form: &Linear) -> Linear {
        self.counters.iter().fold(form.clone(), |form, counter| match forms.atom_of(counter.value) {
            Some(atom) => form.without(atom).plus(&counter.first, form.factor(atom)),
            None => form,
        })
    }

    /// By the comparison at its one jump back.
    fn find_turns<'a>(&self, context: &Context<'a, '_>, forms: &mut Forms<'a>) -> Option<Turns> {
        let [latch] = self.of.latches[..] else { return None };
        let (on, yes) = match &context.function.block(latch).insts.last()?.kind {
            Kind::Branch { on: Operand::Local(on), yes, no } if yes != no => (on, *yes),
            _ => return None,
        };
        let (block, at) = context.definitions[on.0 as usize]?;
        let inst = &context.function.blocks[block as usize].insts[at as usize];
        let Kind::Compare { predicate, bits, left, right } = &inst.kind else { return None };
        if !self.of.contains(BlockId(block)) || !self.leaving.contains(&latch) {
            return None;
        }
        let again = if yes == self.of.header { predicate } else { inverse(predicate)? };
        match again {
            "ne" => self.until_equal(context, forms, *bits, left, right),
            _ if *bits == 64 => self
                .while_less(context, forms, again, left, right)
                .or_else(|| self.while_less(context, forms, mirrored(again)?, right, left)),
            _ => None,
        }
    }

    fn until_equal<'a>(
        &self,
        context: &Context<'a, '_>,
        forms: &mut Forms<'a>,
        bits: u32,
        left: &Operand<'a>,
        right: &Operand<'a>,
    ) -> Option<Turns> {
        let difference = forms.operand(right)?.plus(&forms.operand(left)?, -1);
        let narrow = 64u32.checked_sub(bits)?;
        let step = self.stride(context, forms, &difference)? << narrow >> narrow;
        let by = step.checked_abs().filter(|by| *by > 0)?;
        // `right - left` is zero after `-difference / step` turns more.
        let left = self.at_first(forms, &difference).times(-step.signum());
        if narrow == 0 {
            // That this is a whole number, the program itself relies on: it would go round for years until it meets zero the next time.
            return Some(Turns { left, by });
        }
        // A narrow counter may well go round through zero. With powers of two the first time is the one that is computed here, or there is none.
        let left = match left.as_constant() {
            _ if by.count_ones() != 1 => return None,
            Some(number) => Linear::constant(number & ((1 << bits) - 1)),
            None => forms.zero_extended(bits, left),
        };
        Some(Turns { left, by })
    }

    /// It goes round again while the value compares so with a bound that stays, and the value is a sum that does not wrap.
    fn while_less<'a>(
        &self,
        context: &Context<'a, '_>,
        forms: &mut Forms<'a>,
        again: &str,
        value: &Operand<'a>,
        bound: &Operand<'a>,
    ) -> Option<Turns> {
        let Operand::Local(sum) = value else { return None };
        let (block, at) = context.definitions[sum.0 as usize]?;
        let (signed, way) = again.split_at(1);
        let signed = signed == "s";
        match &context.function.blocks[block as usize].insts[at as usize].kind {
            Kind::Binary { op: "add", bits: 64, nuw, nsw, .. } if if signed { *nsw } else { *nuw } => {}
            _ => return None,
        }
        let (value, mut bound) = (forms.operand(value)?, forms.operand(bound)?);
        if self.stride(context, forms, &bound)? != 0 {
            return None;
        }
        let step = self.stride(context, forms, &value)?;
        // An unsigned sum that counts down would wrap.
        let fits = match way {
            "lt" | "le" => step > 0,
            "gt" | "ge" => step < 0 && signed,
            _ => false,
        };
        if !fits || step == i64::MIN {
            return None;
        }
        // Where that wraps, the loop would never end.
        bound.offset = match way {
            "le" => bound.offset.wrapping_add(1),
            "ge" => bound.offset.wrapping_sub(1),
            _ => bound.offset,
        };
        let left = forms.rounds(signed, self.at_first(forms, &value), self.at_first(forms, &bound), step);
        Some(Turns { left, by: 1 })
    }
}

/// The comparison that says the opposite.
fn inverse(predicate: &str) -> Option<&'static str> {
    Some(match predicate {
        "eq" => "ne",
        "ne" => "eq",
        "slt" => "sge",
        "sge" => "slt",
        "sgt" => "sle",
        "sle" => "sgt",
        "ult" => "uge",
        "uge" => "ult",
        "ugt" => "ule",
        "ule" => "ugt",
        _ => return None,
    })
}

/// The comparison that says the same with its operands exchanged.
fn mirrored(predicate: &str) -> Option<&'static str> {
    Some(match predicate {
        "slt" => "sgt",
        "sgt" => "slt",
        "sle" => "sge",
        "sge" => "sle",
        "ult" => "ugt",
        "ugt" => "ult",
        "ule" => "uge",
        "uge" => "ule",
        _ => return None,
    })
}
