//! Expressions and places.

use super::{Body, Compiler, LATER};
use crate::ast::{Atomicity, Binary, Block, Builtin, Expr, ExprKind, Span, Type};
use crate::code::{FunctionId, Instr, Reg};

/// Something that can be read and written.
#[derive(Clone, Copy)]
enum Place {
    Local(Reg),
    Global(u32, Atomicity),
    /// The register holds the address.
    Memory(Reg, Atomicity),
}

impl<'p> Compiler<'p> {
    /// The value of an expression, in a register that must not be written.
    pub(super) fn expr(&mut self, e: &'p Expr) -> Reg {
        if let ExprKind::Name(name) = &e.kind
            && let Some(r) = self.scope.find(name)
        {
            return r;
        }
        if e.kind == ExprKind::This {
            return self.scope.find("this").expect("the check has seen to it");
        }
        let r = self.scope.temporary();
        self.expr_into(e, r);
        r
    }

    /// The value of an expression, in that register.
    pub(super) fn expr_into(&mut self, e: &'p Expr, into: Reg) {
        let span = e.span;
        match &e.kind {
            ExprKind::Int(n) => drop(self.emit(Instr::Const(into, *n), span)),
            ExprKind::Bool(b) => drop(self.emit(Instr::Const(into, i64::from(*b)), span)),
            ExprKind::Null => drop(self.emit(Instr::Const(into, 0), span)),
            ExprKind::This => {
                let this = self.expr(e);
                self.emit(Instr::Move(into, this), span);
            }
            ExprKind::Field(array, name) if name.text == "length" && self.is_array(array) => {
                let instr = match self.types.of(array) {
                    Type::Inline(_, length) => Instr::Const(into, i64::from(*length)),
                    _ => Instr::Length(into, self.expr(array)),
                };
                self.emit(instr, span);
            }
            ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..) => {
                let place = self.place(e);
                self.read(place, into, span);
            }
            ExprKind::Unary(op, a) => {
                let a = self.expr(a);
                self.emit(Instr::Unary(*op, into, a), span);
            }
            ExprKind::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                self.short_circuit(*op, a, b, into, span)
            }
            ExprKind::Binary(op, a, b) => {
                let a = self.expr(a);
                let b = self.expr(b);
                self.emit(Instr::Binary(*op, into, a, b), span);
            }
            ExprKind::Call(name, arguments) => {
                let function = self.named[name.text.as_str()];
                let first = self.in_a_row(arguments);
                self.emit(Instr::Call(into, function, first), span);
            }
            ExprKind::Method(object, name, arguments) => {
                let function = self.method(object, &name.text);
                let first = self.in_a_row(std::iter::once(&**object).chain(arguments));
                self.emit(Instr::Call(into, function, first), span);
            }
            ExprKind::Builtin(builtin, arguments) => self.builtin(*builtin, arguments, into, span),
            ExprKind::New(class) => {
                let fields = self.classes[class.text.as_str()].fields.len() as u16;
                self.emit(Instr::New(into, fields), span);
            }
            ExprKind::NewArray(_, length) => {
                let length = self.expr(length);
                self.emit(Instr::NewArray(into, length), span);
            }
            ExprKind::NewChan(_, room) => {
                let room = self.expr(room);
                self.emit(Instr::NewChan(into, room), span);
            }
            ExprKind::Receive(chan) => {
                let chan = self.expr(chan);
                self.emit(Instr::Receive(into, chan), span);
            }
            ExprKind::Spawn(name, arguments) => {
                let function = self.named[name.text.as_str()];
                let first = self.in_a_row(arguments);
                self.emit(Instr::Spawn(into, function, first), span);
            }
            ExprKind::SpawnBlock(block) => self.spawn_block(block, into, span),
        }
    }

    /// Arguments in registers that follow each other; the first of them.
    pub(super) fn in_a_row(&mut self, arguments: impl IntoIterator<Item = &'p Expr>) -> Reg {
        let arguments: Vec<&Expr> = arguments.into_iter().collect();
        let row: Vec<Reg> = arguments.iter().map(|_| self.scope.temporary()).collect();
        for (e, r) in arguments.into_iter().zip(&row) {
            self.expr_into(e, *r);
        }
        row.first().copied().unwrap_or(Reg(0))
    }

    fn short_circuit(&mut self, op: Binary, a: &'p Expr, b: &'p Expr, into: Reg, span: Span) {
        self.expr_into(a, into);
        let test = match op {
            Binary::And => into,
            _ => {
                let not = self.scope.temporary();
                self.emit(Instr::Unary(crate::ast::Unary::Not, not, into), span);
                not
            }
        };
        let out = self.emit(Instr::JumpUnless(test, LATER), span);
        self.expr_into(b, into);
        self.land(out);
    }

    fn builtin(&mut self, builtin: Builtin, arguments: &'p [Expr], into: Reg, span: Span) {
        let instr = match (builtin, arguments) {
            (Builtin::SelfId, _) => Instr::SelfId(into),
            (Builtin::Max, [a, b]) => {
                let a = self.expr(a);
                Instr::Max(into, a, self.expr(b))
            }
            (Builtin::Min, [a, b]) => {
                let a = self.expr(a);
                Instr::Min(into, a, self.expr(b))
            }
            (Builtin::Malloc, [cells]) => Instr::Malloc(into, self.expr(cells)),
            (Builtin::Xchg, [place, value]) => {
                let at = self.address(place);
                Instr::Xchg(into, at, self.expr(value))
            }
            (Builtin::FetchAdd, [place, value]) => {
                let at = self.address(place);
                Instr::FetchAdd(into, at, self.expr(value))
            }
            (Builtin::Cas, [place, old, new]) => {
                let at = self.address(place);
                let old = self.expr(old);
                Instr::Cas(into, at, old, self.expr(new))
            }
            (Builtin::TryLock, [lock]) => {
                self.code.tries_locks = true;
                Instr::TryLock(into, self.lock(lock))
            }
            _ => unreachable!("the check has counted the arguments"),
        };
        self.emit(instr, span);
    }

    /// The block runs in a thread of its own with copies of all locals.
    fn spawn_block(&mut self, block: &'p Block, into: Reg, span: Span) {
        let captured: Vec<(String, Reg)> = self.scope.locals().to_vec();
        let row: Vec<Reg> = captured.iter().map(|_| self.scope.temporary()).collect();
        for ((_, from), to) in captured.iter().zip(&row) {
            self.emit(Instr::Move(*to, *from), span);
        }
        let params = captured.into_iter().map(|(local, _)| local).collect();
        let name = format!("spawned in {}", self.code.functions[self.current.0 as usize].name);
        let function = self.new_function(name, Body::Block(block, params));
        self.emit(Instr::Spawn(into, function, row.first().copied().unwrap_or(Reg(0))), span);
    }

    pub(super) fn assign(&mut self, place: &'p Expr, value: &'p Expr) {
        match self.place(place) {
            Place::Local(r) => self.expr_into(value, r),
            Place::Global(offset, Atomicity::Plain) => {
                let value = self.expr(value);
                self.emit(Instr::StoreGlobal(offset, value), place.span);
            }
            Place::Memory(at, Atomicity::Plain) => {
                let value = self.expr(value);
                self.emit(Instr::Store(at, value), place.span);
            }
            atomic => {
                let at = self.address_of(atomic, place.span);
                let value = self.expr(value);
                self.emit(Instr::AtomicStore(at, value), place.span);
            }
        }
    }

    fn read(&mut self, place: Place, into: Reg, span: Span) {
        let instr = match place {
            Place::Local(r) => Instr::Move(into, r),
            Place::Global(offset, Atomicity::Plain) => Instr::LoadGlobal(into, offset),
            Place::Memory(at, Atomicity::Plain) => Instr::Load(into, at),
            Place::Global(_, Atomicity::Atomic) | Place::Memory(_, Atomicity::Atomic) => {
                Instr::AtomicLoad(into, self.address_of(place, span))
            }
        };
        self.emit(instr, span);
    }

    fn place(&mut self, e: &'p Expr) -> Place {
        match &e.kind {
            ExprKind::Name(name) => match self.scope.find(name) {
                Some(r) => Place::Local(r),
                None => {
                    let global = self.globals[name.as_str()];
                    Place::Global(global.offset, global.access)
                }
            },
            ExprKind::Field(object, name) => {
                let (offset, access) = self.field(object, &name.text);
                let object = self.expr(object);
                let at = self.scope.temporary();
                self.emit(Instr::FieldAddress(at, object, offset), e.span);
                Place::Memory(at, access)
            }
            ExprKind::Index(array, index) => self.element(array, index, e.span),
            _ => unreachable!("the check has seen to it that this is a place"),
        }
    }

    fn element(&mut self, array: &'p Expr, index: &'p Expr, span: Span) -> Place {
        if let ExprKind::Name(name) = &array.kind
            && self.scope.find(name).is_none()
            && let Some(&global) = self.globals.get(name.as_str())
            && let Some(inline) = global.inline
        {
            let index = self.expr(index);
            let at = self.scope.temporary();
            self.emit(Instr::InlineAddress(at, inline, index), span);
            return Place::Memory(at, global.access);
        }
        let is_heap = *self.types.of(array) == Type::Int;
        let array = self.expr(array);
        let index = self.expr(index);
        let at = self.scope.temporary();
        let instr = match is_heap {
            true => Instr::CellAddress(at, array, index),
            false => Instr::ElementAddress(at, array, index),
        };
        self.emit(instr, span);
        Place::Memory(at, Atomicity::Plain)
    }

    /// The address of a shared place.
    fn address(&mut self, e: &'p Expr) -> Reg {
        let place = self.place(e);
        self.address_of(place, e.span)
    }

    fn address_of(&mut self, place: Place, span: Span) -> Reg {
        match place {
            Place::Memory(at, _) => at,
            Place::Global(offset, _) => {
                let at = self.scope.temporary();
                self.emit(Instr::Const(at, i64::from(offset)), span);
                at
            }
            Place::Local(_) => unreachable!("the check has seen to it that this is shared"),
        }
    }

    /// The cell that `lock` and `unlock` take: a mutex, or that of an object.
    pub(super) fn lock(&mut self, e: &'p Expr) -> Reg {
        if *self.types.of(e) == Type::Mutex {
            return self.address(e);
        }
        let object = self.expr(e);
        let at = self.scope.temporary();
        self.emit(Instr::LockAddress(at, object), e.span);
        at
    }

    fn is_array(&self, e: &Expr) -> bool {
        matches!(self.types.of(e), Type::Array(_) | Type::Inline(..))
    }

    fn class_of(&self, object: &Expr) -> &'p str {
        let Type::Class(name) = self.types.of(object) else { unreachable!("the check has seen to it") };
        name
    }

    fn field(&self, object: &Expr, name: &str) -> (u16, Atomicity) {
        let fields = &self.classes[self.class_of(object)].fields;
        let n = fields.iter().position(|f| f.name.text == name).expect("the check has seen to it");
        (n as u16 + 1, fields[n].access)
    }

    fn method(&self, object: &Expr, name: &str) -> FunctionId {
        self.methods[&(self.class_of(object), name)]
    }
}
