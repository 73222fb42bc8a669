//! Congruence closure: equal arguments, equal values (the congruence half of the combination in `builtin.rs`).

use crate::ir::{ArrayId, FieldId};
use crate::term::{Loc, LocStep, Op, Term};
use std::collections::HashMap;

/// What a node applies to its children.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Head {
    /// A leaf or a sum: itself only.
    Leaf(Term),
    Length,
    /// A load; its children are the base and the indices.
    Load(Vec<Shape>),
    Apply(Op),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Shape {
    Field(FieldId),
    Index(ArrayId),
}

pub(super) struct Node {
    pub(super) term: Term,
    head: Head,
    pub(super) children: Vec<u32>,
    parent: u32,
}

/// Terms, and which are known to be equal.
#[derive(Default)]
pub(super) struct Classes {
    pub(super) nodes: Vec<Node>,
    ids: HashMap<Term, u32>,
}

impl Classes {
    /// The node of a term.
    pub(super) fn node(&mut self, term: &Term) -> u32 {
        if let Some(id) = self.ids.get(term) {
            return *id;
        }
        let (head, children): (Head, Vec<u32>) = match term {
            Term::Length(of) => (Head::Length, vec![self.node(of)]),
            Term::Load(loc) => (Head::Load(shape(loc)), loc.terms().map(|t| self.node(t)).collect()),
            Term::Apply(op, arguments) => {
                (Head::Apply(*op), arguments.iter().map(|t| self.node(t)).collect())
            }
            Term::Sum(sum) => {
                let atoms = sum.parts.iter().map(|(t, _)| self.node(t)).collect();
                (Head::Leaf(term.clone()), atoms)
            }
            _ => (Head::Leaf(term.clone()), Vec::new()),
        };
        let id = self.nodes.len() as u32;
        self.nodes.push(Node { term: term.clone(), head, children, parent: id });
        self.ids.insert(term.clone(), id);
        // Quotient and remainder come together: t = c·(t div c) + t mod c.
        if let Term::Apply(Op::FloorMod(c), arguments) = term {
            self.node(&Term::Apply(Op::FloorDiv(*c), arguments.clone()));
        }
        if let Term::Apply(Op::FloorDiv(c), arguments) = term {
            self.node(&Term::Apply(Op::FloorMod(*c), arguments.clone()));
        }
        id
    }

    /// The representative.
    pub(super) fn find(&self, mut id: u32) -> u32 {
        while self.nodes[id as usize].parent != id {
            id = self.nodes[id as usize].parent;
        }
        id
    }

    /// Makes two equal; says whether that is new.
    pub(super) fn merge(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        let (low, high) = (a.min(b), a.max(b));
        self.nodes[high as usize].parent = low;
        low != high
    }

    /// Merges what has equal heads and equal children until nothing changes.
    pub(super) fn close(&mut self) {
        loop {
            let mut table: HashMap<(&Head, Vec<u32>), u32> = HashMap::new();
            let mut same = Vec::new();
            for (id, node) in self.nodes.iter().enumerate() {
                if matches!(node.head, Head::Leaf(_)) {
                    continue;
                }
                let key = (&node.head, node.children.iter().map(|c| self.find(*c)).collect::<Vec<_>>());
                match table.get(&key) {
                    Some(other) if self.find(*other) != self.find(id as u32) => {
                        same.push((*other, id as u32))
                    }
                    Some(_) => {}
                    None => _ = table.insert(key, id as u32),
                }
            }
            if same.is_empty() {
                return;
            }
            for (a, b) in same {
                self.merge(a, b);
            }
        }
    }
}

fn shape(loc: &Loc) -> Vec<Shape> {
    let shape = loc.steps.iter().map(|step| match step {
        LocStep::Field(field) => Shape::Field(*field),
        LocStep::Index(array, _) => Shape::Index(*array),
    });
    shape.collect()
}
