//! Our decision procedure: congruence closure and linear integer arithmetic that tell each other what is equal, under a case split.
//!
//! To show `facts ⟹ C₁ ∨ … ∨ Cₙ`, refute `facts ∧ ¬C₁ ∧ … ∧ ¬Cₙ`: each ¬Cᵢ is a clause, split literal by literal. Every
//! step that runs out of budget answers "not refuted", so a "yes" is a proof.

use super::congruence::Classes;
use super::linear::{Equalities, Form, Inequalities, Verdict};
use super::{Cube, Solver};
use crate::literal::Literal;
use crate::term::{LocStep, Op, Term};
use std::collections::{HashMap, HashSet};

/// The built-in solver, with its budgets.
#[derive(Clone, Debug)]
pub struct Builtin {
    /// Consistency checks per question.
    pub checks: u32,
    /// Facts considered per question, nearest to the goal first.
    pub facts: usize,
    answers: HashMap<(Vec<Literal>, Vec<Cube>), bool>,
}

impl Default for Builtin {
    fn default() -> Builtin {
        Builtin { checks: 200, facts: 48, answers: HashMap::new() }
    }
}

/// Remembered answers.
const MEMORY: usize = 20_000;

impl Solver for Builtin {
    fn entails(&mut self, facts: &[Literal], goal: &[Cube]) -> bool {
        let mut cubes: Vec<Cube> = Vec::new();
        for cube in goal {
            if cube.iter().any(|l| l.constant() == Some(false)) {
                continue;
            }
            let cube: Cube = cube.iter().filter(|l| l.constant().is_none()).cloned().collect();
            if cube.is_empty() || cube.iter().all(|l| facts.contains(l)) {
                return true;
            }
            cubes.push(cube);
        }
        let facts = match cubes.iter().flatten().any(arithmetic) || cubes.is_empty() {
            true => relevant(facts, &cubes, self.facts),
            // Which objects are the same rarely depends on numbers, and congruence alone is fast.
            false => {
                let aliases: Vec<Literal> = facts
                    .iter()
                    .filter(|f| matches!(f, Literal::Eq(..)) && !arithmetic(f))
                    .cloned()
                    .collect();
                relevant(&aliases, &cubes, self.facts)
            }
        };
        let key = (facts, cubes);
        if let Some(known) = self.answers.get(&key) {
            return *known;
        }
        let mut clauses: Vec<Vec<Literal>> =
            key.1.iter().map(|cube| cube.iter().map(Literal::negated).collect()).collect();
        clauses.sort_by_key(Vec::len);
        let mut budget = self.checks;
        let mut literals = key.0.clone();
        let answer = refute(&mut literals, &clauses, 2, &mut budget);
        if self.answers.len() >= MEMORY {
            self.answers.clear();
        }
        self.answers.insert(key, answer);
        answer
    }
}

/// Is a number compared, or an element loaded?
fn arithmetic(literal: &Literal) -> bool {
    let number = |t: &Term| match t {
        Term::Int(_) | Term::Sum(_) | Term::Length(_) | Term::Apply(..) => true,
        Term::Load(loc) => loc.steps.iter().any(|step| matches!(step, LocStep::Index(..))),
        _ => false,
    };
    matches!(literal, Literal::Le(..) | Literal::Lt(..)) || literal.any(&mut { number })
}

/// The facts connected to the goal through shared variables and lengths, nearest first, at most `most`.
fn relevant(facts: &[Literal], cubes: &[Cube], most: usize) -> Vec<Literal> {
    let mut known: HashSet<Term> = HashSet::new();
    let mark = |literal: &Literal, known: &mut HashSet<Term>| {
        literal.sides().into_iter().for_each(|side| {
            side.visit(&mut |t| {
                if matches!(t, Term::Var(_) | Term::Skolem(_) | Term::Null) {
                    known.insert(t.clone());
                }
            });
        });
    };
    cubes.iter().flatten().for_each(|l| mark(l, &mut known));
    // Arbitrary indices stand for the question too: their ranges may be empty.
    facts.iter().filter(|l| l.any(&mut |t| matches!(t, Term::Skolem(_)))).for_each(|l| mark(l, &mut known));
    if cubes.is_empty() {
        facts.iter().for_each(|l| mark(l, &mut known));
    }
    let mut taken = vec![false; facts.len()];
    let mut chosen = Vec::new();
    for _ in 0..RINGS {
        let before = chosen.len();
        let ring: Vec<usize> = (0..facts.len())
            .filter(|n| !taken[*n])
            .filter(|n| {
                let mut leaves = 0;
                let touches = facts[*n].any(&mut |t| {
                    let leaf = matches!(t, Term::Var(_) | Term::Skolem(_) | Term::Null);
                    leaves += u32::from(leaf);
                    leaf && known.contains(t)
                });
                touches || leaves == 0
            })
            .collect();
        for n in ring {
            if chosen.len() == most {
                return chosen;
            }
            taken[n] = true;
            chosen.push(facts[n].clone());
        }
        if chosen.len() == before {
            return chosen;
        }
        chosen[before..].iter().for_each(|l| mark(l, &mut known));
    }
    chosen
}

/// How far a fact may be from the goal, in shared variables.
const RINGS: usize = 4;

/// Is there no model of the literals and clauses? `splits` bounds the case distinctions a ≠ b into a < b, a > b.
fn refute(literals: &mut Vec<Literal>, clauses: &[Vec<Literal>], splits: u32, budget: &mut u32) -> bool {
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    if inconsistent(literals) {
        return true;
    }
    let cases: Vec<Literal>;
    let (first, rest, splits) = match clauses {
        [first, rest @ ..] => (first, rest, splits),
        [] => {
            let unequal = literals.iter().rposition(|l| matches!(l, Literal::Ne(..)));
            let (Some(at), true) = (unequal, splits > 0) else { return false };
            let Literal::Ne(a, b) = literals.remove(at) else { return false };
            cases = vec![Literal::Lt(a.clone(), b.clone()), Literal::Lt(b, a)];
            (&cases, clauses, splits - 1)
        }
    };
    for literal in first {
        let mark = literals.clone();
        literals.push(literal.clone());
        let refuted = refute(literals, rest, splits, budget);
        *literals = mark;
        if !refuted {
            return false;
        }
    }
    true
}

/// Is the conjunction impossible?
fn inconsistent(literals: &[Literal]) -> bool {
    if literals.iter().any(|l| l.constant() == Some(false)) {
        return true;
    }
    let mut theory = Theory::default();
    for literal in literals {
        theory.assume(literal);
    }
    theory.inconsistent()
}

#[derive(Default)]
struct Theory {
    classes: Classes,
    /// `form ≤ 0` over nodes.
    at_most: Vec<Form>,
    /// `form = 0` over nodes, found from inequalities.
    zero: Vec<Form>,
    unequal: Vec<(u32, u32)>,
}

/// Rounds of exchange between the two halves.
const ROUNDS: usize = 12;

impl Theory {
    fn assume(&mut self, literal: &Literal) {
        let [a, b] = literal.sides().map(|t| self.classes.node(t));
        let difference = Form::variable(a).plus(&Form::variable(b), -1);
        match literal {
            Literal::Eq(..) => _ = self.classes.merge(a, b),
            Literal::Ne(..) => self.unequal.push((a, b)),
            Literal::Le(..) => self.at_most.extend(difference),
            Literal::Lt(..) => {
                self.at_most.extend(difference.and_then(|d| d.plus(&Form::constant(1), 1)));
            }
        }
    }

    fn inconsistent(&mut self) -> bool {
        for _ in 0..ROUNDS {
            self.classes.close();
            if self.at_most.is_empty() && !self.numbers() {
                return self.unequal.iter().any(|(a, b)| self.classes.find(*a) == self.classes.find(*b));
            }
            let Some(equalities) = self.equalities() else { return true };
            if self.merge_equal_forms(&equalities) {
                continue;
            }
            if self.unequal.iter().any(|(a, b)| self.classes.find(*a) == self.classes.find(*b)) {
                return true;
            }
            let inequalities = self.inequalities(&equalities);
            let tight = inequalities.tight();
            if !tight.is_empty() {
                // Forms over reduced variables are forms over nodes: each class is named by a node.
                self.zero.extend(tight);
                continue;
            }
            return inequalities.refuted() || self.squeezed(&equalities, &inequalities);
        }
        false
    }

    /// Is there anything that arithmetic could say something about?
    fn numbers(&self) -> bool {
        let number = |t: &Term| matches!(t, Term::Int(_) | Term::Sum(_) | Term::Length(_) | Term::Apply(..));
        self.classes.nodes.iter().any(|node| number(&node.term))
    }

    /// A form over representatives.
    fn represent(&self, form: &Form) -> Option<Form> {
        let start = Form::constant(form.constant);
        form.parts.iter().try_fold(start, |sum, (v, n)| sum.plus(&Form::variable(self.classes.find(*v)), *n))
    }

    /// All equalities solved; `None` if they contradict each other.
    fn equalities(&self) -> Option<Equalities> {
        let mut equalities = Equalities::default();
        let own =
            self.classes.nodes.iter().enumerate().filter_map(|(id, node)| self.meaning(id as u32, node));
        for form in own.chain(self.zero.iter().cloned()) {
            let Some(form) = self.represent(&form) else { continue };
            if equalities.add(&form) == Verdict::Contradiction {
                return None;
            }
        }
        Some(equalities)
    }

    /// What a node's shape says: a form that is 0.
    fn meaning(&self, id: u32, node: &super::congruence::Node) -> Option<Form> {
        let minus = Form::default().plus(&Form::variable(id), -1)?;
        match &node.term {
            Term::Int(n) => minus.plus(&Form::constant(i128::from(*n)), 1),
            Term::Sum(sum) => {
                let start = minus.plus(&Form::constant(i128::from(sum.constant)), 1)?;
                let parts = sum.parts.iter().zip(&node.children);
                parts.into_iter().try_fold(start, |form, ((_, factor), child)| {
                    form.plus(&Form::variable(*child), i128::from(*factor))
                })
            }
            // 0 = −(t mod c) + t − c·(t div c)
            Term::Apply(Op::FloorMod(c), arguments) if *c > 0 => {
                let quotient = Term::Apply(Op::FloorDiv(*c), arguments.clone());
                let quotient = self.classes.nodes.iter().position(|n| n.term == quotient)?;
                let form = minus.plus(&Form::variable(node.children[0]), 1)?;
                form.plus(&Form::variable(quotient as u32), -i128::from(*c))
            }
            _ => None,
        }
    }

    /// Nodes of equal reduced form are equal; says whether that was news.
    fn merge_equal_forms(&mut self, equalities: &Equalities) -> bool {
        let mut forms: HashMap<Form, u32> = HashMap::new();
        let mut same = Vec::new();
        for id in 0..self.classes.nodes.len() as u32 {
            let Some(form) = equalities.reduce(&Form::variable(self.classes.find(id))) else { continue };
            match forms.get(&form) {
                Some(other) => same.push((*other, id)),
                None => _ = forms.insert(form, id),
            }
        }
        same.into_iter().fold(false, |news, (a, b)| self.classes.merge(a, b) || news)
    }

    fn inequalities(&self, equalities: &Equalities) -> Inequalities {
        let mut all = Inequalities::default();
        let mut add = |form: Option<Form>| {
            let reduced = form.and_then(|f| self.represent(&f)).and_then(|f| equalities.reduce(&f));
            reduced.into_iter().for_each(|f| all.add(f));
        };
        self.at_most.iter().for_each(|form| add(Some(form.clone())));
        for (id, node) in self.classes.nodes.iter().enumerate() {
            let plus = Form::variable(id as u32);
            let minus = Form::default().plus(&plus, -1);
            match &node.term {
                Term::Length(_) => add(minus),
                Term::Apply(Op::FloorMod(c), _) if *c > 0 => {
                    add(minus);
                    add(plus.plus(&Form::constant(1 - i128::from(*c)), 1));
                }
                _ => {}
            }
        }
        for form in &equalities.rest {
            add(Some(form.clone()));
            add(Form::default().plus(form, -1));
        }
        all
    }

    /// Is there a pair that must differ but can be neither way apart?
    fn squeezed(&self, equalities: &Equalities, inequalities: &Inequalities) -> bool {
        let apart = |a: u32, b: u32| {
            let form = Form::variable(self.classes.find(a)).plus(&Form::variable(self.classes.find(b)), -1);
            let form = form.and_then(|f| equalities.reduce(&f)).and_then(|f| f.plus(&Form::constant(1), 1));
            form.is_some_and(|form| {
                let mut with = inequalities.clone();
                with.add(form);
                with.refuted()
            })
        };
        self.unequal.iter().rev().take(6).any(|(a, b)| apart(*a, *b) && apart(*b, *a))
    }
}
