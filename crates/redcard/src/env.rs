//! The value of every local as a term over the *roots* (parameters, φ-functions, reads, calls, allocations).
//!
//! Locals are assigned once, so `x = e` (`[ASSIGN]` of Fig. 4) holds wherever x is in scope: each path from the definition of an operand
//! of e to a point that x dominates passes the definition of x again. Terms are therefore written over roots from the
//! start, and contexts need no item for a pure definition.
//!
//! *Deviation*: the paper takes arithmetic to be exact. Wrapping operators become sums only if the branches that dominate them
//! exclude an overflow; otherwise they stay opaque.

use crate::graph::Graph;
use crate::ir::{Binary, BlockId, End, Function, Inst, Operand, Place, Pure, Step, Var};
use crate::literal::Literal;
use crate::solver::{Builtin, Solver};
use crate::term::{Loc, LocStep, Op, Term};
use std::sync::Arc;

/// Values of locals.
pub struct Env {
    terms: Vec<Term>,
}

/// Larger terms become roots.
const LARGEST: usize = 24;

impl Env {
    /// Computes the values, in an order in which definitions come before uses.
    pub fn new(function: &Function, graph: &Graph) -> Env {
        let terms = (0..function.vars.len()).map(|n| Term::Var(Var(n as u32))).collect();
        let mut env = Env { terms };
        let mut blocks: Vec<BlockId> = (0..function.blocks.len()).map(|b| BlockId(b as u32)).collect();
        blocks.retain(|b| graph.reachable(*b));
        blocks.sort_by_key(|b| graph.position(*b));
        let mut solver = Builtin::default();
        for at in blocks {
            let mut guards = None;
            for inst in &function.blocks[at.index()].insts {
                let Inst::Let(to, pure) = inst else { continue };
                let new = env.pure(*to, pure, |env, exact| {
                    let facts = guards.get_or_insert_with(|| env.guards(function, graph, at));
                    fits(&mut solver, facts, exact)
                });
                if new.size() <= LARGEST {
                    env.terms[to.index()] = new;
                }
            }
        }
        env
    }

    /// The value of an operand.
    pub fn operand(&self, operand: Operand) -> Term {
        match operand {
            Operand::Var(var) => self.terms.get(var.index()).cloned().unwrap_or(Term::Var(var)),
            Operand::Int(n) => Term::Int(n),
            Operand::Null => Term::Null,
        }
    }

    /// A location over terms.
    pub fn loc(&self, place: &Place) -> Loc {
        let steps = place.steps.iter().map(|step| match step {
            Step::Field(field) => LocStep::Field(*field),
            Step::Index(array, index) => LocStep::Index(*array, self.operand(*index)),
        });
        Loc { base: self.operand(place.base), steps: steps.collect() }
    }

    /// What a branch tells when it goes that way.
    pub fn condition(&self, on: Operand, taken: bool) -> Vec<Literal> {
        let mut facts = Vec::new();
        condition(&self.operand(on), taken, &mut facts);
        facts
    }

    /// The conditions of all branches that must have been taken to get to a block.
    fn guards(&self, function: &Function, graph: &Graph, block: BlockId) -> Vec<Literal> {
        let mut facts = Vec::new();
        let mut at = Some(block);
        while let Some(block) = at {
            if let [only] = graph.preds[block.index()][..]
                && let End::Branch(on, yes, no) = function.blocks[only.index()].end
                && yes != no
            {
                facts.extend(self.condition(on, yes == block));
            }
            at = graph.parent(block);
        }
        facts
    }

    fn pure(&self, to: Var, pure: &Pure, fits: impl FnMut(&Env, &Term) -> bool) -> Term {
        match pure {
            Pure::Copy(of) => self.operand(*of),
            Pure::Not(of) => Term::apply(Op::Not, &[self.operand(*of)]),
            Pure::Length(of) => Term::Length(Arc::new(self.operand(*of))),
            Pure::Unknown => Term::Var(to),
            Pure::Binary(op, a, b) => self.binary(*op, self.operand(*a), self.operand(*b), fits),
        }
    }

    fn binary(&self, op: Binary, a: Term, b: Term, mut fits: impl FnMut(&Env, &Term) -> bool) -> Term {
        let product = || match (&a, &b) {
            (Term::Int(n), other) | (other, Term::Int(n)) => Term::linear(0, &[(other, *n)]),
            _ => None,
        };
        let exact = match op {
            Binary::Add | Binary::WrappingAdd => a.plus(&b),
            Binary::Sub | Binary::WrappingSub => a.minus(&b),
            Binary::Mul | Binary::WrappingMul => product(),
            _ => None,
        };
        // x · (c · y) is c · (x · y), so that a multiple of 8 is seen to be one.
        if op == Binary::Mul && exact.is_none() {
            let (x, c) = factored(&a);
            let (y, d) = factored(&b);
            let (x, y) = if y < x { (y, x) } else { (x, y) };
            let whole = Term::apply(Op::Binary(op), &[x, y]);
            if let Some(product) = c.checked_mul(d).and_then(|factor| Term::linear(0, &[(&whole, factor)])) {
                return product;
            }
        }
        let wraps = matches!(op, Binary::WrappingAdd | Binary::WrappingSub | Binary::WrappingMul);
        match exact {
            Some(sum) if !wraps || fits(self, &sum) => sum,
            _ if matches!(op, Binary::Mul | Binary::WrappingMul) && b < a => {
                Term::apply(Op::Binary(op), &[b, a])
            }
            _ => Term::apply(Op::Binary(op), &[a, b]),
        }
    }
}

/// A term as a factor and the rest.
fn factored(term: &Term) -> (Term, i64) {
    match term {
        Term::Sum(sum) => match (sum.constant, &sum.parts[..]) {
            (0, [(atom, factor)]) => (atom.clone(), *factor),
            _ => (term.clone(), 1),
        },
        _ => (term.clone(), 1),
    }
}

/// Does the sum stay within 64 bits? Its atoms do.
fn fits(solver: &mut Builtin, guards: &[Literal], exact: &Term) -> bool {
    let sum = exact.as_sum();
    if sum.parts.is_empty() {
        return true;
    }
    let (least, greatest) = (Term::Int(i64::MIN), Term::Int(i64::MAX));
    let mut facts = guards.to_vec();
    let mut bounded = |t: &Term| {
        if !matches!(t, Term::Sum(_) | Term::Int(_)) {
            facts.push(Literal::Le(least.clone(), t.clone()));
            facts.push(Literal::Le(t.clone(), greatest.clone()));
        }
    };
    exact.visit(&mut bounded);
    guards.iter().flat_map(Literal::sides).for_each(|side| side.visit(&mut bounded));
    let within =
        vec![Literal::Le(least.clone(), exact.clone()), Literal::Le(exact.clone(), greatest.clone())];
    solver.entails(&facts, &[within])
}

/// The facts that follow from a condition's being true or false.
pub fn condition(term: &Term, taken: bool, facts: &mut Vec<Literal>) {
    let Term::Apply(op, arguments) = term else {
        facts.push(Literal::Eq(term.clone(), Term::Int(0)));
        if taken && let Some(last) = facts.last_mut() {
            *last = last.negated();
        }
        return;
    };
    let literal = match (op, &arguments[..]) {
        (Op::Not, [inner]) => return condition(inner, !taken, facts),
        (Op::Binary(Binary::And), [a, b]) if taken => {
            condition(a, true, facts);
            return condition(b, true, facts);
        }
        (Op::Binary(Binary::Or), [a, b]) if !taken => {
            condition(a, false, facts);
            return condition(b, false, facts);
        }
        (Op::Binary(Binary::Eq), [a, b]) => Literal::Eq(a.clone(), b.clone()),
        (Op::Binary(Binary::Ne), [a, b]) => Literal::Ne(a.clone(), b.clone()),
        (Op::Binary(Binary::Lt), [a, b]) => Literal::Lt(a.clone(), b.clone()),
        (Op::Binary(Binary::Le), [a, b]) => Literal::Le(a.clone(), b.clone()),
        (Op::Binary(Binary::Gt), [a, b]) => Literal::Lt(b.clone(), a.clone()),
        (Op::Binary(Binary::Ge), [a, b]) => Literal::Le(b.clone(), a.clone()),
        _ => Literal::Ne(term.clone(), Term::Int(0)),
    };
    facts.push(if taken { literal } else { literal.negated() });
}
