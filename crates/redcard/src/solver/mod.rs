//! Context implication is decided here: does a set of facts imply a disjunction of conjunctions?
//!
//! The paper asks Z3. Ours is congruence closure with linear integer facts ([`Builtin`]); it may say "no" where the answer is
//! yes, which keeps a check, but never the other way round. [`Z3`] is the reference that tests compare it with, and that users may ask for.

mod builtin;
mod congruence;
mod linear;
mod z3;

pub use builtin::Builtin;
pub use z3::{Answer, Z3};

use crate::literal::Literal;

/// A conjunction.
pub type Cube = Vec<Literal>;

/// A sound decision procedure (Property 1 of the paper): `true` only if every model of the facts is one of some cube.
pub trait Solver {
    /// Do the facts imply one of the cubes in every model?
    fn entails(&mut self, facts: &[Literal], goal: &[Cube]) -> bool;
}

impl<S: Solver + ?Sized> Solver for &mut S {
    fn entails(&mut self, facts: &[Literal], goal: &[Cube]) -> bool {
        (**self).entails(facts, goal)
    }
}
