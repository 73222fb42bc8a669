//! The registers of the function being compiled.

use crate::code::Reg;

/// Which names are in which registers. Temporaries lie above the locals and go with the statement.
#[derive(Default)]
pub struct Scope {
    locals: Vec<(String, Reg)>,
    next: u16,
    most: u16,
}

/// A place to come back to.
pub struct Mark {
    locals: usize,
    next: u16,
}

impl Scope {
    /// A function with these parameters.
    pub fn new(params: Vec<String>) -> Scope {
        let mut scope = Scope::default();
        for local in params {
            let r = scope.temporary();
            scope.locals.push((local, r));
        }
        scope
    }

    pub fn enter(&self) -> Mark {
        Mark { locals: self.locals.len(), next: self.next }
    }

    pub fn leave(&mut self, mark: Mark) {
        self.locals.truncate(mark.locals);
        self.next = mark.next;
    }

    /// A register nobody uses.
    pub fn temporary(&mut self) -> Reg {
        let r = Reg(self.next);
        self.next = self.next.saturating_add(1);
        self.most = self.most.max(self.next);
        r
    }

    /// Names the register.
    pub fn declare(&mut self, local: &str, r: Reg) {
        self.locals.push((local.to_owned(), r));
    }

    /// The register of that local: the innermost one.
    pub fn find(&self, name: &str) -> Option<Reg> {
        self.locals.iter().rev().find(|(local, _)| local == name).map(|(_, r)| *r)
    }

    /// All locals, the hidden ones too, so that the copy has the same order.
    pub fn locals(&self) -> &[(String, Reg)] {
        &self.locals
    }

    /// Did the registers run out? Then the code is wrong.
    pub fn is_too_large(&self) -> bool {
        self.most == u16::MAX
    }

    /// How many registers the function needs.
    pub fn most(&self) -> u16 {
        self.most
    }
}
