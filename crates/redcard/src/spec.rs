//! Paths and method specifications (Fig. 3, Fig. 5): what a method requires, ensures and modifies.

use crate::ir::{AccessId, ClassId, Kind};
use crate::term::{Loc, LocStep, Term};
use std::collections::BTreeSet;

/// `i ∈ start to end by step`: {i ∈ [start, end) | (i − start) mod step = 0}
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Range {
    /// The first index.
    pub start: Term,
    /// The index that is no longer in.
    pub end: Term,
    /// At least 1.
    pub step: i64,
}

/// A quantified path: `∀(i ∈ r). … loc` was accessed in this span, by an access of this kind or one that covers it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Path {
    /// Read or write (§6).
    pub kind: Kind,
    /// From outside to inside; the n-th binds [`Term::Bound`]`(n)`.
    pub ranges: Vec<Range>,
    /// The location.
    pub loc: Loc,
}

impl Path {
    /// A path without quantifiers.
    pub fn plain(kind: Kind, loc: Loc) -> Path {
        Path { kind, ranges: Vec::new(), loc }
    }

    /// The same path of other terms.
    pub fn rewrite(&self, change: &mut dyn FnMut(&Term) -> Option<Term>) -> Path {
        let ranges = self.ranges.iter().map(|range| Range {
            start: range.start.rewrite(change),
            end: range.end.rewrite(change),
            step: range.step,
        });
        let ranges = ranges.collect();
        Path { kind: self.kind, ranges, loc: self.loc.map(&mut |t| t.rewrite(change)) }
    }

    /// Every term directly inside.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        self.ranges.iter().flat_map(|r| [&r.start, &r.end]).chain(self.loc.terms())
    }

    /// Is there a term like that inside?
    pub fn any(&self, test: &mut impl FnMut(&Term) -> bool) -> bool {
        self.terms().any(|t| t.any(test))
    }

    /// Could the two be about the same location, by the look of their steps?
    pub fn same_shape(&self, other: &Loc) -> bool {
        self.loc.steps.len() == other.steps.len()
            && self.loc.steps.iter().zip(&other.steps).all(|pair| match pair {
                (LocStep::Field(_), LocStep::Field(_)) => true,
                (LocStep::Index(a, _), LocStep::Index(b, _)) => a == b,
                _ => false,
            })
    }
}

/// What may change while a method runs (`K`): κ ::= f | ARRAY | ALL, with classes for f and ARRAY.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Modifies {
    /// `ALL`: the span may end.
    pub all: bool,
    /// Values of these classes may change.
    pub classes: BTreeSet<ClassId>,
}

impl Modifies {
    /// Anything may happen.
    pub fn everything() -> Modifies {
        Modifies { all: true, classes: BTreeSet::new() }
    }

    /// Is everything of `other` in it?
    pub fn contains(&self, other: &Modifies) -> bool {
        self.all || (!other.all && other.classes.is_subset(&self.classes))
    }
}

/// `requires P ensures Q modifies K`. Paths talk of the parameters, and `Q` of [`Term::Result`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spec {
    /// Available at every call.
    pub requires: Vec<Path>,
    /// Available when it returns.
    pub ensures: Vec<Path>,
    /// What may change.
    pub modifies: Modifies,
}

impl Spec {
    /// "requires { } ensures { } modifies { ALL }": the intra-procedural mode's for every method (§6).
    pub fn conservative() -> Spec {
        Spec { modifies: Modifies::everything(), ..Spec::default() }
    }
}

/// Which accesses made a path available.
pub type Sources = BTreeSet<AccessId>;
