//! Terms: what contexts, specifications and the solver talk about. Pure expressions over locals, array lengths, and loads of the heap.
//!
//! Arithmetic is that of the integers, kept as linear sums over *atoms* (everything that is not a sum). Where the program's
//! arithmetic may wrap, the sum is an opaque [`Op`] instead, so that nothing false is ever concluded from it.

use crate::ir::{ArrayId, Binary, ClassId, FieldId, Program, Var};
use std::sync::Arc;

/// A value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// A number.
    Int(i64),
    /// No object.
    Null,
    /// A local.
    Var(Var),
    /// An implicitly existentially quantified variable (§3.1): the value a local had before.
    Skolem(u32),
    /// The variable of the path's n-th range.
    Bound(u8),
    /// What the function returns; in `ensures` only.
    Result,
    /// The length of an array.
    Length(Arc<Term>),
    /// What the heap holds at a location now.
    Load(Arc<Loc>),
    /// A sum of two parts or more, or of one with a factor or a constant.
    Sum(Arc<Sum>),
    /// Any other function of its arguments.
    Apply(Op, Arc<[Term]>),
}

/// `constant + Σ factor · atom`; atoms in order, factors not 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sum {
    /// What is added to the parts.
    pub constant: i64,
    /// Atoms with their factors.
    pub parts: Vec<(Term, i64)>,
}

/// Functions of which the solver knows little more than that they are functions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Op {
    /// An operator that is not linear here.
    Binary(Binary),
    /// 1 for 0, else 0.
    Not,
    /// A sum whose numbers do not fit: constant, then factor and atom in turn.
    Huge,
    /// ⌊t / c⌋ for a constant c > 0.
    FloorDiv(i64),
    /// t − c·⌊t / c⌋ for a constant c > 0.
    FloorMod(i64),
}

/// A location: base and steps.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Loc {
    /// The object or array.
    pub base: Term,
    /// At least one.
    pub steps: Vec<LocStep>,
}

/// A part of an address computation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LocStep {
    /// `.f`
    Field(FieldId),
    /// `[t]`
    Index(ArrayId, Term),
}

impl Loc {
    /// The class of what is stored there.
    pub fn class(&self, program: &Program) -> Option<ClassId> {
        match self.steps.last()? {
            LocStep::Field(field) => program.fields.get(field.index()).map(|f| f.class),
            LocStep::Index(array, _) => program.arrays.get(array.index()).map(|a| a.class),
        }
    }

    /// Every term directly inside.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        let indices = self.steps.iter().filter_map(|step| match step {
            LocStep::Index(_, term) => Some(term),
            LocStep::Field(_) => None,
        });
        std::iter::once(&self.base).chain(indices)
    }

    /// The same location of other terms.
    pub fn map(&self, change: &mut impl FnMut(&Term) -> Term) -> Loc {
        let base = change(&self.base);
        let steps = self.steps.iter().map(|step| match step {
            LocStep::Field(field) => LocStep::Field(*field),
            LocStep::Index(array, term) => LocStep::Index(*array, change(term)),
        });
        Loc { base, steps: steps.collect() }
    }

    /// How many loads and steps stand behind one another (§6 allows four).
    pub fn depth(&self) -> usize {
        self.steps.len() + self.terms().map(Term::load_depth).max().unwrap_or(0)
    }
}

impl Term {
    /// The sum of terms with factors; opaque if a number does not fit.
    pub fn linear(constant: i64, parts: &[(&Term, i64)]) -> Option<Term> {
        let mut sum = Sum { constant, parts: Vec::new() };
        for (term, factor) in parts {
            sum.add(term, *factor)?;
        }
        Some(sum.into_term())
    }

    /// `self + other`
    pub fn plus(&self, other: &Term) -> Option<Term> {
        Term::linear(0, &[(self, 1), (other, 1)])
    }

    /// `self − other`
    pub fn minus(&self, other: &Term) -> Option<Term> {
        Term::linear(0, &[(self, 1), (other, -1)])
    }

    /// `self + n`
    pub fn offset(&self, n: i64) -> Option<Term> {
        Term::linear(n, &[(self, 1)])
    }

    /// `op(self, ..)` that the solver cannot look into.
    pub fn apply(op: Op, arguments: &[Term]) -> Term {
        Term::Apply(op, arguments.into())
    }

    /// ⌊self / divisor⌋
    pub fn floor_div(&self, divisor: i64) -> Term {
        match self {
            Term::Int(n) if divisor > 0 => Term::Int(n.div_euclid(divisor)),
            _ => Term::apply(Op::FloorDiv(divisor), std::slice::from_ref(self)),
        }
    }

    /// self modulo divisor
    pub fn floor_mod(&self, divisor: i64) -> Term {
        match self {
            Term::Int(n) if divisor > 0 => Term::Int(n.rem_euclid(divisor)),
            _ => Term::apply(Op::FloorMod(divisor), std::slice::from_ref(self)),
        }
    }

    /// The load of a location.
    pub fn load(loc: Loc) -> Term {
        Term::Load(Arc::new(loc))
    }

    /// Visits this term and everything inside, outside first.
    pub fn visit(&self, see: &mut impl FnMut(&Term)) {
        see(self);
        match self {
            Term::Length(of) => of.visit(see),
            Term::Load(loc) => loc.terms().for_each(|t| t.visit(see)),
            Term::Sum(sum) => sum.parts.iter().for_each(|(t, _)| t.visit(see)),
            Term::Apply(_, arguments) => arguments.iter().for_each(|t| t.visit(see)),
            _ => {}
        }
    }

    /// Is there something like that inside?
    pub fn any(&self, test: &mut impl FnMut(&Term) -> bool) -> bool {
        let mut found = false;
        self.visit(&mut |t| found = found || test(t));
        found
    }

    /// Rewrites leaves (variables of all sorts) and whole subterms for which `change` has an answer; sums stay in order. A sum
    /// whose numbers no longer fit becomes a term that equals nothing but itself.
    pub fn rewrite(&self, change: &mut dyn FnMut(&Term) -> Option<Term>) -> Term {
        if let Some(new) = change(self) {
            return new;
        }
        match self {
            Term::Length(of) => Term::Length(Arc::new(of.rewrite(change))),
            Term::Load(loc) => Term::load(loc.map(&mut |t| t.rewrite(change))),
            Term::Sum(sum) => {
                let mut new = Sum { constant: sum.constant, parts: Vec::new() };
                for (atom, factor) in &sum.parts {
                    let atom = atom.rewrite(change);
                    if new.add(&atom, *factor).is_none() {
                        let parts = sum.parts.iter().flat_map(|(t, n)| [Term::Int(*n), t.rewrite(change)]);
                        let arguments: Vec<Term> =
                            [Term::Int(sum.constant)].into_iter().chain(parts).collect();
                        return Term::apply(Op::Huge, &arguments);
                    }
                }
                new.into_term()
            }
            Term::Apply(op, arguments) => {
                let new: Vec<Term> = arguments.iter().map(|t| t.rewrite(change)).collect();
                match (op, &new[..]) {
                    (Op::FloorDiv(c), [t]) => t.floor_div(*c),
                    (Op::FloorMod(c), [t]) => t.floor_mod(*c),
                    _ => Term::Apply(*op, new.into()),
                }
            }
            _ => self.clone(),
        }
    }

    /// Does it read the heap?
    pub fn has_load(&self) -> bool {
        self.any(&mut |t| matches!(t, Term::Load(_)))
    }

    /// How many loads are nested at most.
    pub fn load_depth(&self) -> usize {
        match self {
            Term::Length(of) => of.load_depth(),
            Term::Load(loc) => loc.depth(),
            Term::Sum(sum) => sum.parts.iter().map(|(t, _)| t.load_depth()).max().unwrap_or(0),
            Term::Apply(_, arguments) => arguments.iter().map(Term::load_depth).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// How many nodes it has.
    pub fn size(&self) -> usize {
        let mut nodes = 0;
        self.visit(&mut |_| nodes += 1);
        nodes
    }

    /// As constant and parts.
    pub fn as_sum(&self) -> Sum {
        match self {
            Term::Int(n) => Sum { constant: *n, parts: Vec::new() },
            Term::Sum(sum) => (**sum).clone(),
            atom => Sum { constant: 0, parts: vec![(atom.clone(), 1)] },
        }
    }
}

impl Sum {
    /// Adds `factor · term`; `None` if a number does not fit.
    fn add(&mut self, term: &Term, factor: i64) -> Option<()> {
        match term {
            Term::Int(n) => self.constant = self.constant.checked_add(n.checked_mul(factor)?)?,
            Term::Sum(sum) => {
                self.constant = self.constant.checked_add(sum.constant.checked_mul(factor)?)?;
                for (atom, inner) in &sum.parts {
                    self.add_atom(atom, inner.checked_mul(factor)?)?;
                }
            }
            atom => self.add_atom(atom, factor)?,
        }
        Some(())
    }

    fn add_atom(&mut self, atom: &Term, factor: i64) -> Option<()> {
        match self.parts.binary_search_by(|(a, _)| a.cmp(atom)) {
            Ok(at) => {
                self.parts[at].1 = self.parts[at].1.checked_add(factor)?;
                if self.parts[at].1 == 0 {
                    self.parts.remove(at);
                }
            }
            Err(at) if factor != 0 => self.parts.insert(at, (atom.clone(), factor)),
            Err(_) => {}
        }
        Some(())
    }

    fn into_term(self) -> Term {
        match (self.constant, &self.parts[..]) {
            (n, []) => Term::Int(n),
            (0, [(atom, 1)]) => atom.clone(),
            _ => Term::Sum(Arc::new(self)),
        }
    }
}
