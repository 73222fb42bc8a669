//! Our decision procedure against Z3: on every question that analyses of random programs ask, and on random ones.
//! Where they differ, ours says no. `cargo xtask test` installs `z3`.
#![allow(missing_docs)]

mod common;

use common::{lower::lower, source::source};
use deadheat_redcard::ir::{ArrayId, FieldId, Var, World};
use deadheat_redcard::literal::Literal;
use deadheat_redcard::solver::{Answer, Builtin, Cube, Solver, Z3};
use deadheat_redcard::term::{Loc, LocStep, Term};
use deadheat_redcard::{Config, ProxyMode, analyse};
use std::collections::HashSet;
use std::sync::Arc;

struct Both {
    ours: Builtin,
    reference: Z3,
    asked: HashSet<(Vec<Literal>, Vec<Cube>)>,
    yes: u32,
    missed: u32,
}

impl Both {
    fn new() -> Both {
        let reference = Z3::start().expect("z3 is there: `cargo xtask test` installs it");
        Both { ours: Builtin::default(), reference, asked: HashSet::new(), yes: 0, missed: 0 }
    }
}

impl Solver for Both {
    fn entails(&mut self, facts: &[Literal], goal: &[Cube]) -> bool {
        let ours = self.ours.entails(facts, goal);
        if self.asked.insert((facts.to_vec(), goal.to_vec())) {
            let reference = self.reference.ask(facts, goal).expect("z3 answers");
            match (ours, reference) {
                (true, Answer::No) => panic!("we say yes, z3 says no:\n{facts:#?}\n⟹ {goal:#?}"),
                (true, _) => self.yes += 1,
                (false, Answer::Yes) => self.missed += 1,
                (false, _) => {}
            }
        }
        ours
    }
}

#[test]
fn the_questions_of_analyses() {
    let mut both = Both::new();
    for seed in 0..40 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let program = lower(&source(&mut rng, true), World::Closed);
        let config = Config { proxies: ProxyMode::On, ..Config::default() };
        analyse(&program, config, &mut both).unwrap();
    }
    println!("{} questions, {} yes, {} that z3 alone can answer", both.asked.len(), both.yes, both.missed);
    assert!(both.yes > 500, "hardly a yes: {}", both.yes);
    assert!(both.missed * 10 < both.yes, "{} missed of {}", both.missed, both.yes + both.missed);
}

fn term(rng: &mut fastrand::Rng, depth: u32) -> Term {
    let leaf = |rng: &mut fastrand::Rng| Term::Var(Var(rng.u32(..4)));
    if depth == 0 {
        return leaf(rng);
    }
    let sub = |rng: &mut fastrand::Rng| term(rng, depth - 1);
    match rng.u8(..9) {
        0 => Term::Int(rng.i64(-3..4)),
        1 => Term::Length(Arc::new(sub(rng))),
        2 => Term::load(Loc { base: sub(rng), steps: vec![LocStep::Field(FieldId(rng.u32(..2)))] }),
        3 => Term::load(Loc { base: leaf(rng), steps: vec![LocStep::Index(ArrayId(0), sub(rng))] }),
        4 | 5 => {
            let (a, b) = (sub(rng), sub(rng));
            Term::linear(rng.i64(-2..3), &[(&a, rng.i64(-2..3)), (&b, rng.i64(-2..3))]).unwrap()
        }
        6 => sub(rng).floor_mod(rng.i64(2..5)),
        7 => sub(rng).floor_div(rng.i64(2..5)),
        _ => leaf(rng),
    }
}

fn literal(rng: &mut fastrand::Rng) -> Literal {
    let (a, b) = (term(rng, 2), term(rng, 2));
    match rng.u8(..5) {
        0 | 1 => Literal::Eq(a, b),
        2 => Literal::Ne(a, b),
        3 => Literal::Le(a, b),
        _ => Literal::Lt(a, b),
    }
}

#[test]
fn random_questions() {
    let mut both = Both::new();
    for seed in 0..4000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let facts: Vec<Literal> = (0..rng.usize(1..7)).map(|_| literal(&mut rng)).collect();
        let goal: Vec<Cube> =
            (0..rng.usize(1..4)).map(|_| (0..rng.usize(1..3)).map(|_| literal(&mut rng)).collect()).collect();
        both.entails(&facts, &goal);
    }
    println!("{} questions, {} yes, {} that z3 alone can answer", both.asked.len(), both.yes, both.missed);
    assert!(both.yes > 500, "hardly a yes: {}", both.yes);
}
