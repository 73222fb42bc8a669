//! Context implication Π ⊢ π: paths through aliases and quantified ranges, constraints through the solver.
//!
//! A quantified goal is shown for arbitrary indices: each available path says under which condition it covers them, and the
//! solver must show that one of the conditions always holds. That is all of §4's three implications, and nested ranges too.

use crate::context::{Available, Context};
use crate::ir::{Kind, Program};
use crate::literal::Literal;
use crate::solver::{Cube, Solver};
use crate::spec::{Path, Sources};
use crate::term::{Loc, LocStep, Term};
use crate::weaken::Weaken;
use std::collections::BTreeSet;

/// With more candidates than this, those of other objects are sorted out first.
const FEW: usize = 3;

/// Asks the solver on behalf of contexts.
pub struct Prover<'a> {
    /// The program, for its fields.
    pub program: &'a Program,
    /// Who decides.
    pub solver: &'a mut dyn Solver,
    /// The last Skolem variable that was used.
    pub fresh: u32,
    /// Which rule is broken on purpose.
    pub weaken: Weaken,
}

impl Prover<'_> {
    /// Π ⊢ π for a constraint: true now, whatever happens later.
    pub fn implies(&mut self, context: &Context, fact: &Literal) -> bool {
        context.facts.contains(fact) || self.solver.entails(&context.facts, &[vec![fact.clone()]])
    }

    /// Π ⊢ π for a constraint that is to be kept: its loads must be of available paths as well.
    pub fn implies_lasting(&mut self, context: &Context, fact: &Literal) -> bool {
        if context.facts.contains(fact) {
            return true;
        }
        // Nothing follows about a variable of which nothing is said.
        let unheard = |t: &Term| {
            matches!(t, Term::Var(_) | Term::Skolem(_))
                && !context.facts.iter().any(|f| f.any(&mut |other| other == t))
        };
        if fact.any(&mut { unheard }) && !fact.any(&mut |t| matches!(t, Term::Length(_))) {
            return false;
        }
        self.implies(context, fact) && fact.sides().into_iter().all(|side| self.stable(context, side, &[]))
    }

    /// Π ⊢ p: by which accesses.
    pub fn covers(&mut self, context: &Context, goal: &Path) -> Option<Sources> {
        let same = |p: &Path| self.kinds(p.kind, goal.kind) && p.loc == goal.loc && p.ranges == goal.ranges;
        if let Some(same) = context.paths.iter().find(|p| same(&p.path)) {
            return Some(same.by.clone());
        }
        let (loc, facts) = self.arbitrary(goal);
        self.covered(context, goal.kind, &loc, &facts.concat())
    }

    /// Π ⊢ p for a path that is to be kept.
    pub fn covers_lasting(&mut self, context: &Context, goal: &Path) -> Option<Sources> {
        if let Some(same) = context.paths.iter().find(|p| p.path == *goal) {
            return Some(same.by.clone());
        }
        let by = self.covers(context, goal)?;
        let (loc, facts) = self.arbitrary(goal);
        // A bound must last even where its own range is empty now; the location only where the ranges are not.
        let bounds = (0..facts.len()).all(|n| {
            let outer = facts[..n].concat();
            facts[n].iter().flat_map(Literal::sides).all(|t| self.stable(context, t, &outer))
        });
        let all = facts.concat();
        (bounds && loc.terms().all(|t| self.stable(context, t, &all))).then_some(by)
    }

    fn kinds(&self, available: Kind, goal: Kind) -> bool {
        self.weaken == Weaken::ReadsAndWrites || available.covers(goal)
    }

    /// The goal at arbitrary indices, and for each range the facts that put its index into it.
    pub fn arbitrary(&mut self, goal: &Path) -> (Loc, Vec<Vec<Literal>>) {
        let mut chosen: Vec<Term> = Vec::new();
        let mut all = Vec::new();
        for range in &goal.ranges {
            let mut facts = Vec::new();
            self.fresh += 2;
            let index = Term::Skolem(self.fresh);
            let start = range.start.rewrite(&mut |t| bound(t, &chosen));
            let end = range.end.rewrite(&mut |t| bound(t, &chosen));
            facts.push(Literal::Le(start.clone(), index.clone()));
            facts.push(Literal::Lt(index.clone(), end));
            if range.step > 1 {
                let steps = Term::Skolem(self.fresh - 1);
                if let Some(value) = Term::linear(0, &[(&start, 1), (&steps, range.step)]) {
                    facts.push(Literal::Eq(index.clone(), value));
                }
            }
            chosen.push(index);
            all.push(facts);
        }
        (goal.loc.map(&mut |t| t.rewrite(&mut |t| bound(t, &chosen))), all)
    }

    /// Is that location available under the extra facts?
    fn covered(&mut self, context: &Context, kind: Kind, loc: &Loc, extra: &[Literal]) -> Option<Sources> {
        let mut found: Vec<(Cube, &Available)> = Vec::new();
        for available in &context.paths {
            if self.kinds(available.path.kind, kind) && self.fields_cover(&available.path.loc, loc) {
                found.extend(
                    conditions(&available.path, loc, context).into_iter().map(|cube| (cube, available)),
                );
            }
        }
        // Without a candidate only an empty range helps.
        if found.is_empty() && extra.is_empty() {
            return None;
        }
        let mut facts = context.facts.clone();
        facts.extend_from_slice(extra);
        if let Some((_, only)) =
            found.iter().find(|(cube, _)| cube.iter().all(|l| l.constant() == Some(true)))
        {
            return Some(only.by.clone());
        }
        if found.len() > FEW {
            let bases: BTreeSet<&Term> =
                found.iter().map(|(_, available)| &available.path.loc.base).collect();
            let same = |base: &&Term| self.may_be(&facts, base, &loc.base);
            let same: BTreeSet<&Term> = bases.into_iter().filter(same).collect();
            found.retain(|(_, available)| same.contains(&available.path.loc.base));
            if found.is_empty() && extra.is_empty() {
                return None;
            }
        }
        let cubes: Vec<Cube> = found.iter().map(|(cube, _)| cube.clone()).collect();
        if !self.solver.entails(&facts, &cubes) {
            return None;
        }
        // Name one access if one is enough, else all that could be meant.
        let single = found.iter().find(|(cube, _)| self.solver.entails(&facts, std::slice::from_ref(cube)));
        Some(match single {
            Some((_, available)) => available.by.clone(),
            None => found.iter().flat_map(|(_, available)| available.by.iter().copied()).collect(),
        })
    }

    /// Is a path of that base worth a question about this one? Only if it is known to be the same: what is covered by one object in one
    /// case and by another in another is left alone.
    fn may_be(&mut self, facts: &[Literal], base: &Term, goal: &Term) -> bool {
        base == goal
            || base.any(&mut |t| matches!(t, Term::Bound(_)))
            || self.solver.entails(facts, &[vec![Literal::Eq(base.clone(), goal.clone())]])
    }

    /// Same steps, where a wider field may stand for a narrower one inside.
    fn fields_cover(&self, available: &Loc, goal: &Loc) -> bool {
        let last = available.steps.len().wrapping_sub(1);
        available.steps.len() == goal.steps.len()
            && available.steps.iter().zip(&goal.steps).enumerate().all(|(n, pair)| match pair {
                (LocStep::Field(a), LocStep::Field(b)) if a == b => true,
                (LocStep::Field(a), LocStep::Field(b)) if n == last => {
                    let fields = &self.program.fields;
                    fields.get(a.index()).zip(fields.get(b.index())).is_some_and(|(a, b)| a.covers(b))
                }
                (LocStep::Index(a, _), LocStep::Index(b, _)) => a == b,
                _ => false,
            })
    }

    /// Is every load inside of a location that is available, wherever the extra facts hold?
    fn stable(&mut self, context: &Context, term: &Term, extra: &[Literal]) -> bool {
        let mut loads = Vec::new();
        term.visit(&mut |t| {
            if let Term::Load(loc) = t {
                loads.push(loc.clone());
            }
        });
        loads.iter().all(|loc| {
            let load = Term::Load(loc.clone());
            let mut plain = context.paths.iter().map(|p| &p.path).filter(|p| p.ranges.is_empty());
            context.facts.iter().any(|f| f.any(&mut |t| *t == load))
                || plain.any(|p| p.loc == **loc || p.any(&mut |t| *t == load))
                || self.covered(context, Kind::Read, loc, extra).is_some()
        })
    }
}

fn bound(term: &Term, chosen: &[Term]) -> Option<Term> {
    match term {
        Term::Bound(n) => chosen.get(usize::from(*n)).cloned(),
        _ => None,
    }
}

/// Under which conditions does an available path contain a location?
fn conditions(available: &Path, goal: &Loc, context: &Context) -> Vec<Cube> {
    let mut matches = vec![Match { chosen: vec![None; available.ranges.len()], cube: Vec::new() }];
    for (pattern, term) in available.loc.terms().zip(goal.terms()) {
        matches = matches.into_iter().flat_map(|m| m.unify(pattern, term, context)).collect();
    }
    matches.into_iter().filter_map(|m| m.ranges(available)).collect()
}

#[derive(Clone)]
struct Match {
    chosen: Vec<Option<Term>>,
    cube: Cube,
}

impl Match {
    /// Every way to make the pattern the term.
    fn unify(mut self, pattern: &Term, term: &Term, context: &Context) -> Vec<Match> {
        let is_open = |t: &Term| t.any(&mut |t| matches!(t, Term::Bound(_)));
        match pattern {
            Term::Bound(n) => {
                match self.chosen.get_mut(usize::from(*n)) {
                    Some(slot @ None) => *slot = Some(term.clone()),
                    Some(Some(other)) => self.cube.push(Literal::Eq(other.clone(), term.clone())),
                    None => return Vec::new(),
                }
                vec![self]
            }
            closed if !is_open(closed) => {
                if closed != term {
                    self.cube.push(Literal::Eq(closed.clone(), term.clone()));
                }
                vec![self]
            }
            Term::Load(pattern) => {
                let known = loads_equal_to(term, context).into_iter();
                let known = known.filter(|loc| same_steps(&pattern.steps, &loc.steps));
                known
                    .flat_map(|loc| {
                        let mut matches = vec![self.clone()];
                        for (p, t) in pattern.terms().zip(loc.terms()) {
                            matches = matches.into_iter().flat_map(|m| m.unify(p, t, context)).collect();
                        }
                        matches
                    })
                    .collect()
            }
            Term::Sum(sum) => self.solve(sum, term).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// ±bound + rest = term, for a bound that occurs once and a rest without any.
    fn solve(mut self, sum: &crate::term::Sum, term: &Term) -> Option<Match> {
        let open = |t: &Term| t.any(&mut |t| matches!(t, Term::Bound(_)));
        let (mut bound, mut rest) = (None, Term::Int(sum.constant));
        for (atom, factor) in &sum.parts {
            match atom {
                Term::Bound(n) if bound.is_none() && factor.abs() == 1 => bound = Some((*n, *factor)),
                closed if !open(closed) => rest = Term::linear(0, &[(&rest, 1), (closed, *factor)])?,
                _ => return None,
            }
        }
        let (n, factor) = bound?;
        let value = Term::linear(0, &[(term, factor), (&rest, factor.checked_neg()?)])?;
        match self.chosen.get_mut(usize::from(n))? {
            slot @ None => *slot = Some(value),
            Some(other) => self.cube.push(Literal::Eq(other.clone(), value)),
        }
        Some(self)
    }

    /// The chosen indices are in their ranges.
    fn ranges(mut self, available: &Path) -> Option<Cube> {
        let chosen: Vec<Term> = self.chosen.into_iter().collect::<Option<_>>()?;
        for (range, index) in available.ranges.iter().zip(&chosen) {
            let start = range.start.rewrite(&mut |t| bound(t, &chosen));
            let end = range.end.rewrite(&mut |t| bound(t, &chosen));
            self.cube.push(Literal::Le(start.clone(), index.clone()));
            self.cube.push(Literal::Lt(index.clone(), end));
            if range.step > 1 {
                self.cube.push(Literal::Eq(index.minus(&start)?.floor_mod(range.step), Term::Int(0)));
            }
        }
        Some(self.cube)
    }
}

fn same_steps(a: &[LocStep], b: &[LocStep]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|pair| match pair {
            (LocStep::Field(a), LocStep::Field(b)) => a == b,
            (LocStep::Index(a, _), LocStep::Index(b, _)) => a == b,
            _ => false,
        })
}

/// The loads that a term is known to be, itself first.
fn loads_equal_to(term: &Term, context: &Context) -> Vec<Loc> {
    let own = if let Term::Load(loc) = term { Some((**loc).clone()) } else { None };
    let known = context.facts.iter().filter_map(|fact| match fact {
        Literal::Eq(a, Term::Load(loc)) | Literal::Eq(Term::Load(loc), a) if a == term => {
            Some((**loc).clone())
        }
        _ => None,
    });
    own.into_iter().chain(known).collect()
}
