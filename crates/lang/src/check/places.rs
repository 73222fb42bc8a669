//! Places: what can be assigned, locked, exchanged.

use super::{Checker, shorten};
use crate::ast::{Expr, ExprKind, Type};
use crate::error::Error;

impl<'p> Checker<'p> {
    /// The type of what is assigned to.
    pub(super) fn assigned(&mut self, place: &'p Expr) -> Option<Type> {
        let ty = self.place(place, "assigned to")?;
        match ty {
            Type::Mutex => {
                let error = Error::new(place.span, "a mutex has no value", "it cannot be assigned");
                self.report(error.help("use `lock` and `unlock`, or `sync`"))
            }
            Type::Inline(element, count) => {
                let error =
                    Error::new(place.span, "an array that lies in place cannot be replaced", "all of it");
                self.report(error.help(format!(
                    "assign its elements one by one, or declare a reference `[{element}]` and `new [{element}; {count}]`"
                )))
            }
            ty => Some(ty),
        }
    }

    /// The type of a name, field or element.
    fn place(&mut self, place: &'p Expr, done: &str) -> Option<Type> {
        let ty = self.ty(place, None)?;
        let what = match &place.kind {
            ExprKind::Field(base, _) if self.is_array(base) => "the length of an array never changes",
            ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..) => return Some(ty),
            _ => "only names, fields and elements are places",
        };
        self.report(Error::new(place.span, format!("this cannot be {done}"), what))
    }

    fn is_array(&self, base: &Expr) -> bool {
        matches!(self.types.find(base), Some(Type::Array(_) | Type::Inline(..)))
    }

    /// A mutex where it lies, or an object.
    pub(super) fn lock(&mut self, e: &'p Expr) -> Option<()> {
        match self.ty(e, None)? {
            Type::Mutex | Type::Class(_) => Some(()),
            ty => {
                let error = Error::new(
                    e.span,
                    format!("this is `{ty}`, and only mutexes and objects are locks"),
                    "no lock",
                );
                self.report(error.help("declare `global m: mutex;`"))
            }
        }
    }

    /// The type of a place that other threads see, for `xchg` and its like.
    pub(super) fn shared(&mut self, place: &'p Expr, by: &str) -> Option<Type> {
        let ty = self.place(place, "changed in place")?;
        if let ExprKind::Name(name) = &place.kind
            && self.scopes.find(name).is_some()
        {
            let message = format!("`{}` is a local variable, which no other thread sees", shorten(name));
            let error = Error::new(place.span, message, "not shared");
            return self
                .report(error.help(format!("`{by}` takes a global, a field, an element or a heap cell")));
        }
        Some(ty)
    }
}
