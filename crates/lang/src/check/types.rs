//! What the checker found out, for the compiler.

use crate::ast::{Atomicity, Class, Expr, Type};
use foldhash::HashMap;

/// The types of a program's expressions, and its classes.
///
/// Expressions are known by their addresses: it is about the very tree that was checked, unmoved and unchanged, and about no copy of it.
#[derive(Clone, Debug, Default)]
pub struct Types {
    /// Every type once.
    known: Vec<Type>,
    numbers: HashMap<Type, u32>,
    /// Address to index of `known`.
    of: HashMap<usize, u32>,
    classes: Vec<ClassLayout>,
    by_name: HashMap<String, usize>,
}

/// How objects of a class are laid out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassLayout {
    /// The class.
    pub name: String,
    /// In the order of their declaration.
    pub fields: Vec<FieldLayout>,
}

/// A field of a class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldLayout {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Plain or atomic.
    pub access: Atomicity,
}

impl ClassLayout {
    /// Which field it is, counted from 0.
    pub fn position(&self, field: &str) -> Option<usize> {
        self.fields.iter().position(|f| f.name == field)
    }
}

impl Types {
    /// The type of an expression of the tree that was checked. `null` has the type that its context gives it; a mutex or an
    /// array that lies in place, which are places and not values, have [`Type::Mutex`] and [`Type::Inline`].
    ///
    /// # Panics
    /// If the expression is not a part of that tree.
    pub fn of(&self, e: &Expr) -> &Type {
        self.find(e).expect("an expression of the tree that was checked")
    }

    /// The classes in the order of their declaration.
    pub fn classes(&self) -> &[ClassLayout] {
        &self.classes
    }

    /// Where in [`Types::classes`] a class is.
    pub fn class(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The type, if it is known yet.
    pub(super) fn find(&self, e: &Expr) -> Option<&Type> {
        self.of.get(&address(e)).map(|number| &self.known[*number as usize])
    }

    pub(super) fn record(&mut self, e: &Expr, ty: &Type) {
        let number = match self.numbers.get(ty) {
            Some(number) => *number,
            None => {
                let number = self.known.len() as u32;
                self.known.push(ty.clone());
                self.numbers.insert(ty.clone(), number);
                number
            }
        };
        self.of.insert(address(e), number);
    }

    pub(super) fn lay_out(&mut self, class: &Class) {
        let field = |f: &crate::ast::Field| FieldLayout {
            name: f.name.text.clone(),
            ty: f.ty.clone(),
            access: f.access,
        };
        let layout =
            ClassLayout { name: class.name.text.clone(), fields: class.fields.iter().map(field).collect() };
        self.by_name.insert(layout.name.clone(), self.classes.len());
        self.classes.push(layout);
    }
}

fn address(e: &Expr) -> usize {
    std::ptr::from_ref(e) as usize
}
