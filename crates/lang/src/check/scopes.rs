//! Local variables: which name means which, block by block.

use crate::ast::{Name, Span, Type};
use foldhash::HashMap;

/// A local variable.
struct Local {
    /// Missing if its declaration was wrong.
    ty: Option<Type>,
    span: Span,
    /// How many scopes were open when it was declared.
    depth: usize,
}

/// The locals that are visible. Finding one takes no longer in a body with a hundred thousand of them.
#[derive(Default)]
pub(super) struct Scopes<'p> {
    /// For each name the variables of that name, the innermost last.
    visible: HashMap<&'p str, Vec<Local>>,
    /// For each open scope the names that it declared.
    open: Vec<Vec<&'p str>>,
}

impl<'p> Scopes<'p> {
    pub(super) fn enter(&mut self) {
        self.open.push(Vec::new());
    }

    pub(super) fn leave(&mut self) {
        for name in self.open.pop().unwrap_or_default() {
            self.visible.entry(name).and_modify(|locals| {
                locals.pop();
            });
        }
    }

    /// Declares a local in the innermost scope. Fails with the earlier one of that name in the same scope; `_` is no name.
    pub(super) fn declare(&mut self, name: &'p Name, ty: Option<Type>) -> Result<(), Span> {
        if name.text == "_" {
            return Ok(());
        }
        let depth = self.open.len();
        let locals = self.visible.entry(&name.text).or_default();
        if let Some(earlier) = locals.last().filter(|l| l.depth == depth) {
            return Err(earlier.span);
        }
        locals.push(Local { ty, span: name.span, depth });
        if let Some(scope) = self.open.last_mut() {
            scope.push(&name.text);
        }
        Ok(())
    }

    /// The type of the local that the name stands for, if it stands for one.
    pub(super) fn find(&self, name: &str) -> Option<&Option<Type>> {
        Some(&self.visible.get(name)?.last()?.ty)
    }

    /// The names that are visible.
    pub(super) fn names(&self) -> impl Iterator<Item = &'p str> {
        self.visible.iter().filter(|(_, locals)| !locals.is_empty()).map(|(name, _)| *name)
    }
}
