//! Literals: the atomic facts of contexts and of the solver's questions.

use crate::term::Term;

/// A fact about terms. An alias constraint `x = y.f` is an [`Literal::Eq`] with a load in it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Literal {
    /// The same value.
    Eq(Term, Term),
    /// Different values.
    Ne(Term, Term),
    /// ≤, of numbers.
    Le(Term, Term),
    /// <, of numbers.
    Lt(Term, Term),
}

impl Literal {
    /// The opposite.
    pub fn negated(&self) -> Literal {
        match self.clone() {
            Literal::Eq(a, b) => Literal::Ne(a, b),
            Literal::Ne(a, b) => Literal::Eq(a, b),
            Literal::Le(a, b) => Literal::Lt(b, a),
            Literal::Lt(a, b) => Literal::Le(b, a),
        }
    }

    /// Both sides.
    pub fn sides(&self) -> [&Term; 2] {
        match self {
            Literal::Eq(a, b) | Literal::Ne(a, b) | Literal::Le(a, b) | Literal::Lt(a, b) => [a, b],
        }
    }

    /// The same fact of other terms.
    pub fn rewrite(&self, change: &mut dyn FnMut(&Term) -> Option<Term>) -> Literal {
        let mut new = |t: &Term| t.rewrite(change);
        match self {
            Literal::Eq(a, b) => Literal::Eq(new(a), new(b)),
            Literal::Ne(a, b) => Literal::Ne(new(a), new(b)),
            Literal::Le(a, b) => Literal::Le(new(a), new(b)),
            Literal::Lt(a, b) => Literal::Lt(new(a), new(b)),
        }
    }

    /// Is there a term like that inside?
    pub fn any(&self, test: &mut impl FnMut(&Term) -> bool) -> bool {
        self.sides().into_iter().any(|t| t.any(test))
    }

    /// True or false without knowing anything; `None` if that depends.
    pub fn constant(&self) -> Option<bool> {
        Some(match self {
            Literal::Eq(a, b) | Literal::Le(a, b) if a == b => true,
            Literal::Ne(a, b) | Literal::Lt(a, b) if a == b => false,
            Literal::Eq(Term::Int(_), Term::Int(_)) => false,
            Literal::Ne(Term::Int(_), Term::Int(_)) => true,
            Literal::Le(Term::Int(a), Term::Int(b)) => a <= b,
            Literal::Lt(Term::Int(a), Term::Int(b)) => a < b,
            _ => return None,
        })
    }
}
