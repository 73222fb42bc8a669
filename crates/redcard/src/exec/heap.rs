//! Values, objects and locations of a run.

use crate::ir::{ArrayId, FieldId};
use std::collections::HashMap;

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A number.
    Int(i64),
    /// No object.
    Null,
    /// An object or array.
    Ref(u32),
    /// A thread.
    Thread(u32),
}

/// A part of a location inside of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// A field.
    Field(FieldId),
    /// An element.
    Element(ArrayId, i64),
}

/// A location ρ.f.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location {
    /// The object.
    pub object: u32,
    /// Where inside.
    pub parts: Vec<Part>,
}

#[derive(Clone, Copy)]
enum Kind {
    Object,
    Array(i64),
}

/// The heap: what was stored; 0 elsewhere.
#[derive(Default)]
pub(super) struct Heap {
    objects: Vec<Kind>,
    cells: HashMap<Location, Value>,
}

impl Heap {
    pub(super) fn object(&mut self) -> Value {
        self.objects.push(Kind::Object);
        Value::Ref(self.objects.len() as u32 - 1)
    }

    pub(super) fn array(&mut self, length: i64) -> Option<Value> {
        (0..=1 << 20).contains(&length).then(|| {
            self.objects.push(Kind::Array(length));
            Value::Ref(self.objects.len() as u32 - 1)
        })
    }

    pub(super) fn length(&self, of: Value) -> Option<i64> {
        match of {
            Value::Ref(object) => match self.objects.get(object as usize)? {
                Kind::Array(length) => Some(*length),
                Kind::Object => None,
            },
            _ => None,
        }
    }

    /// Is there such a place? Elements are checked against the length; only arrays have elements.
    pub(super) fn exists(&self, location: &Location) -> bool {
        let kind = self.objects.get(location.object as usize);
        match (kind, location.parts.first()) {
            (Some(Kind::Array(length)), Some(Part::Element(_, index))) => (0..*length).contains(index),
            (Some(Kind::Object), Some(Part::Field(_))) => true,
            _ => false,
        }
    }

    pub(super) fn get(&self, location: &Location) -> Value {
        self.cells.get(location).copied().unwrap_or(Value::Int(0))
    }

    pub(super) fn set(&mut self, location: Location, value: Value) {
        self.cells.insert(location, value);
    }
}
