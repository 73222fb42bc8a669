//! Places: what can be read and written.

use super::body::Body;
use super::{HEAP, Shared};
use deadheat_lang::ast::{Atomicity, Expr, ExprKind, Span, Type};
use deadheat_redcard::ir::{Binary, Inst, Operand, Place, Pure, Step, Sync};

/// The object whose fields the globals are: the one object that no variable holds.
const GLOBALS: Operand = Operand::Null;

impl<'p> Body<'_, 'p> {
    /// A shared place, its operands evaluated.
    pub(super) fn place(&mut self, e: &'p Expr) -> (Place, Atomicity) {
        let one = |base, step| Place { base, steps: vec![step] };
        match &e.kind {
            ExprKind::Name(name) => match self.all.globals[name.as_str()] {
                Shared::Cell(field, access) => (one(GLOBALS, Step::Field(field)), access),
                Shared::Elements(..) => unreachable!("an array that lies in place is no value"),
            },
            ExprKind::Field(object, name) => {
                let Type::Class(class) = self.all.types.of(object) else {
                    unreachable!("the check has seen to it")
                };
                let (field, access) = self.all.fields[&(class.as_str(), name.text.as_str())];
                let object = self.expr(object);
                (one(object, Step::Field(field)), access)
            }
            ExprKind::Index(array, index) => self.element(array, index),
            _ => unreachable!("the check has seen to it that this is a place"),
        }
    }

    fn element(&mut self, array: &'p Expr, index: &'p Expr) -> (Place, Atomicity) {
        let one = |base, step| Place { base, steps: vec![step] };
        if let ExprKind::Name(name) = &array.kind
            && self.local(name).is_none()
            && let Some(Shared::Elements(kind, access)) = self.all.globals.get(name.as_str()).copied()
        {
            let index = self.expr(index);
            return (one(GLOBALS, Step::Index(kind, index)), access);
        }
        let ty = self.all.types.of(array);
        let array = self.expr(array);
        let index = self.expr(index);
        let Type::Array(element) = ty else {
            let cell = self.pure(Pure::Binary(Binary::WrappingAdd, array, index));
            return (one(GLOBALS, Step::Index(HEAP, cell)), Atomicity::Plain);
        };
        let kind = self.all.kind(element);
        (one(array, Step::Index(kind, index)), Atomicity::Plain)
    }

    pub(super) fn load(&mut self, place: Place, access: Atomicity, span: Span) -> Operand {
        match access {
            Atomicity::Plain => self.read(place, span),
            Atomicity::Atomic => {
                let to = self.fresh();
                self.emit(Inst::Sync(Sync::VolatileRead(to, place)));
                Operand::Var(to)
            }
        }
    }

    pub(super) fn store(&mut self, place: Place, access: Atomicity, value: Operand, span: Span) {
        match access {
            Atomicity::Plain => self.write(place, value, span),
            Atomicity::Atomic => self.emit(Inst::Sync(Sync::VolatileWrite(place, value))),
        }
    }

    /// The address is computed, and may be found to be none, before the value is evaluated and the place written. If something
    /// happens in between, the graph says so: the length of what is not there is an operation that can fail.
    pub(super) fn may_fail(&mut self, place: &Place, value: &Expr) {
        let trivial = matches!(
            value.kind,
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null | ExprKind::This | ExprKind::New(_)
        );
        let there = place.base == GLOBALS || self.local("this") == Some(place.base);
        let known = there && matches!(place.steps[..], [Step::Field(_)]);
        if !trivial && !known {
            self.pure(Pure::Length(place.base));
        }
    }
}
