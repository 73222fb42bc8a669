//! Conjectured loop invariants (§6): from induction variables, the loop's own conditions, and the paths that one iteration makes available.
//!
//! If an iteration with induction variable i leaves `a[i]` available, then "all of them so far" is conjectured:
//! `∀(k ∈ i₀ to i by c). a[k]`. The same step on a quantified path gives Figure 1's nested ranges.

use crate::context::{Available, Context};
use crate::env::Env;
use crate::ir::{BlockId, End, Function, Var};
use crate::literal::Literal;
use crate::spec::{Path, Range, Sources};
use crate::term::Term;

/// `i = φ(start, i + step)`
#[derive(Clone, Debug)]
struct Induction {
    var: Term,
    start: Term,
    step: i64,
}

/// What to try for one loop.
pub struct Conjectures {
    inductions: Vec<Induction>,
    conditions: Vec<Literal>,
}

/// Quantifiers that are nested at most.
const DEEPEST: usize = 3;

impl Conjectures {
    /// Looks at a loop.
    pub fn new(
        function: &Function,
        env: &Env,
        head: BlockId,
        forward: &[BlockId],
        back: &[BlockId],
        members: &[BlockId],
    ) -> Conjectures {
        let phis = &function.blocks[head.index()].phis;
        let inductions = phis.iter().filter_map(|phi| {
            let values = |blocks: &[BlockId]| {
                let of = phi.from.iter().filter(|(from, _)| blocks.contains(from));
                let mut all: Vec<Term> = of.map(|(_, operand)| env.operand(*operand)).collect();
                all.dedup();
                if all.len() == 1 { all.pop() } else { None }
            };
            let var = Term::Var(phi.to);
            let (start, next) = (values(forward)?, values(back)?);
            match next.minus(&var)? {
                Term::Int(step) if step != 0 && step != i64::MIN => Some(Induction { var, start, step }),
                _ => None,
            }
        });
        let inductions: Vec<Induction> = inductions.collect();
        let mut conditions = Vec::new();
        for block in members {
            if let End::Branch(on, ..) = function.blocks[block.index()].end {
                conditions.extend(env.condition(on, true));
            }
        }
        Conjectures { inductions, conditions }
    }

    /// Constraints on induction variables.
    pub fn facts(&self, in_scope: impl Fn(Var) -> bool) -> Vec<Literal> {
        let mut facts = Vec::new();
        for Induction { var, start, step } in &self.inductions {
            facts.push(match *step > 0 {
                true => Literal::Le(start.clone(), var.clone()),
                false => Literal::Le(var.clone(), start.clone()),
            });
            if step.abs() > 1
                && let Some(distance) = var.minus(start)
            {
                facts.push(Literal::Eq(distance.floor_mod(step.abs()), Term::Int(0)));
            }
        }
        if let [first, rest @ ..] = &self.inductions[..] {
            // Those that move together keep their distance.
            for other in rest.iter().filter(|other| other.step == first.step) {
                if let (Some(now), Some(then)) =
                    (other.var.minus(&first.var), other.start.minus(&first.start))
                {
                    facts.push(Literal::Eq(now, then));
                }
            }
        }
        facts.extend(self.conditions.iter().flat_map(|c| self.bounds(c)));
        facts.retain(|f| !f.any(&mut |t| matches!(t, Term::Var(v) if !in_scope(*v))));
        facts
    }

    /// `i < n` inside of the loop: `i ≤ n`, or as far beyond as one step goes, holds at its head.
    fn bounds(&self, condition: &Literal) -> Vec<Literal> {
        let (low, high) = match condition {
            Literal::Lt(a, b) | Literal::Le(a, b) => (a, b),
            _ => return Vec::new(),
        };
        let strict = i64::from(matches!(condition, Literal::Lt(..)));
        let mut found = Vec::new();
        for Induction { var, step, .. } in &self.inductions {
            let moves = |t: &Term| t.any(&mut |t| t == var);
            let slack = step.abs() - strict;
            if *step > 0 && moves(low) && !moves(high) {
                found.extend(high.offset(slack).map(|limit| Literal::Le(low.clone(), limit)));
            }
            if *step < 0 && moves(high) && !moves(low) {
                found.extend(high.offset(slack).map(|limit| Literal::Le(low.clone(), limit)));
            }
        }
        found
    }

    /// "All so far" for each path of a back edge that moves with an induction variable.
    pub fn paths(&self, latch: &Context) -> Vec<(Path, Sources)> {
        let mut found = Vec::new();
        for Available { path, by } in &latch.paths {
            for induction in &self.inductions {
                if let Some(path) = self.generalise(path, induction) {
                    found.push((path, by.clone()));
                }
            }
        }
        found
    }

    fn generalise(&self, path: &Path, by: &Induction) -> Option<Path> {
        // Other variables of the same step are this one at a distance.
        let path = path.rewrite(&mut |t| {
            let other =
                self.inductions.iter().find(|i| i.var == *t && i.var != by.var && i.step == by.step)?;
            by.var.plus(&other.start)?.minus(&by.start)
        });
        let moves = |p: &Path, v: &Term| p.any(&mut |t| t == v);
        let others = self.inductions.iter().any(|i| i.var != by.var && moves(&path, &i.var));
        if !moves(&path, &by.var) || others || path.ranges.len() >= DEEPEST {
            return None;
        }
        // An index 2·i + 1 is its own range: start, step and end move with the factor.
        let (substituted, range) = match self.scaled(&path, by) {
            Some(scaled) => scaled,
            None => (Term::Bound(0), range(&by.start, &by.var, by.step)?),
        };
        let var = &by.var;
        let inner = |t: &Term| match t {
            Term::Bound(n) => Some(Term::Bound(n + 1)),
            _ => None,
        };
        let shifted = path.rewrite(&mut { inner });
        let mut ranges = vec![range];
        let general = shifted.rewrite(&mut |t| (t == var).then(|| substituted.clone()));
        ranges.extend(general.ranges);
        Some(Path { kind: path.kind, ranges, loc: self.unscale(&path, by, general.loc) })
    }

    /// For a plain path whose only use of the variable is an index `f·i + rest` with |f| > 1: the range of the index itself.
    fn scaled(&self, path: &Path, by: &Induction) -> Option<(Term, Range)> {
        let index = scaled_index(path, &by.var)?;
        let sum = index.as_sum();
        let factor = sum.parts.iter().find(|(atom, _)| *atom == by.var)?.1;
        let at = |value: &Term| Some(index.rewrite(&mut |t| (*t == by.var).then(|| value.clone())));
        let (start, now) = (at(&by.start)?, at(&by.var)?);
        Some((by.var.clone(), range(&start, &now, by.step.checked_mul(factor)?)?))
    }

    fn unscale(&self, path: &Path, by: &Induction, loc: crate::term::Loc) -> crate::term::Loc {
        match scaled_index(path, &by.var) {
            Some(index) => loc.map(&mut |t| if *t == index { Term::Bound(0) } else { t.clone() }),
            None => loc,
        }
    }
}

/// The values from `start` to before `now` in that stride, upwards.
fn range(start: &Term, now: &Term, step: i64) -> Option<Range> {
    Some(match step > 0 {
        true => Range { start: start.clone(), end: now.clone(), step },
        false => {
            let step = step.checked_neg()?;
            Range { start: now.offset(step)?, end: start.offset(1)?, step }
        }
    })
}

/// The one index of a plain path that holds the variable with a factor other than ±1, if it is nowhere else.
fn scaled_index(path: &Path, var: &Term) -> Option<Term> {
    if !path.ranges.is_empty() {
        return None;
    }
    let mut holding = path.loc.terms().filter(|t| t.any(&mut |t| t == var));
    let index = holding.next().filter(|_| holding.next().is_none())?;
    let Term::Sum(sum) = index else { return None };
    let factor = sum.parts.iter().find(|(atom, _)| atom == var)?.1;
    let elsewhere = sum.parts.iter().any(|(atom, _)| atom != var && atom.any(&mut |t| t == var));
    (factor.abs() > 1 && !elsewhere && path.loc.base != *index).then(|| index.clone())
}
