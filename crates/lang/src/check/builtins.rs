//! The functions of the language itself.

use super::{Checker, items::Position};
use crate::ast::{Builtin, Expr, ExprKind, Span, Type};
use crate::error::Error;

/// How many arguments it takes.
fn arity(builtin: Builtin) -> usize {
    match builtin {
        Builtin::SelfId => 0,
        Builtin::Malloc | Builtin::TryLock => 1,
        Builtin::Max | Builtin::Min | Builtin::Xchg | Builtin::FetchAdd => 2,
        Builtin::Cas => 3,
    }
}

impl<'p> Checker<'p> {
    pub(super) fn builtin(&mut self, builtin: Builtin, arguments: &'p [Expr], span: Span) -> Option<Type> {
        let name = builtin.name();
        if arguments.len() != arity(builtin) {
            return self.wrong_arity(name, arity(builtin), arguments, span);
        }
        match builtin {
            Builtin::SelfId => {}
            Builtin::Max | Builtin::Min => {
                for (position, argument) in arguments.iter().enumerate() {
                    self.argument(argument, &Type::Int, name, position);
                }
            }
            Builtin::Malloc => {
                self.size(&arguments[0], "the size");
            }
            Builtin::TryLock => {
                self.lock(&arguments[0]);
                return Some(Type::Bool);
            }
            Builtin::FetchAdd => {
                let place = self.shared(&arguments[0], name);
                self.argument(&arguments[1], &Type::Int, name, 1);
                if let Some(ty) = place.filter(|ty| *ty != Type::Int) {
                    let message = format!("`fetch_add` adds integers, and this is `{ty}`");
                    return self.report(Error::new(arguments[0].span, message, format!("`{ty}`")));
                }
            }
            Builtin::Xchg => return self.exchanged(arguments, name),
            Builtin::Cas => return self.exchanged(arguments, name).map(|_| Type::Bool),
        }
        Some(Type::Int)
    }

    /// A place and values of its type, which is returned.
    fn exchanged(&mut self, arguments: &'p [Expr], name: &str) -> Option<Type> {
        let ty = self.shared(&arguments[0], name);
        let ty = match ty {
            Some(ty) if matches!(ty, Type::Int | Type::Bool | Type::Class(_)) => ty,
            Some(ty) => {
                let message =
                    format!("`{name}` takes integers, truth values and objects, and this is `{ty}`");
                return self.report(Error::new(arguments[0].span, message, format!("`{ty}`")));
            }
            None => {
                arguments[1..].iter().for_each(|a| self.glance(a));
                return None;
            }
        };
        for (position, argument) in arguments.iter().enumerate().skip(1) {
            self.argument(argument, &ty, name, position);
        }
        Some(ty)
    }

    /// The number of elements, cells or messages: not negative, not huge, as far as that can be seen.
    pub(super) fn size(&mut self, e: &'p Expr, what: &str) -> Option<()> {
        self.expect(e, &Type::Int, what)?;
        match e.kind {
            ExprKind::Int(n) if n < 0 => {
                self.report(Error::new(e.span, format!("{what} is negative"), "less than zero"))
            }
            ExprKind::Int(n) if n.unsigned_abs() > super::MAX_ELEMENTS => {
                let error = Error::new(
                    e.span,
                    format!("{what} is too large"),
                    format!("more than {}", super::MAX_ELEMENTS),
                );
                self.report(error)
            }
            _ => Some(()),
        }
    }

    /// `new [T; n]`
    pub(super) fn new_array(&mut self, element: &'p Type, count: &'p Expr, span: Span) -> Option<Type> {
        self.size(count, "the number of elements");
        self.usable(element, span, Position::Element)?;
        Some(Type::Array(Box::new(element.clone())))
    }

    /// `chan T(k)`
    pub(super) fn new_channel(&mut self, message: &'p Type, capacity: &'p Expr, span: Span) -> Option<Type> {
        self.size(capacity, "the channel's capacity");
        self.usable(message, span, Position::Message)?;
        Some(Type::Chan(Box::new(message.clone())))
    }
}
