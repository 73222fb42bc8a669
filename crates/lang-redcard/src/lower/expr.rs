//! Expressions.

use super::body::Body;
use deadheat_lang::ast::{self, Builtin, Expr, ExprKind, Type, Unary};
use deadheat_redcard::ir::{
    Binary, BlockId, Callee, End, FuncId, Inst, Operand, Place, Pure, Shape, SiteId, Sync,
};

impl<'p> Body<'_, 'p> {
    /// The value of an expression.
    pub(super) fn expr(&mut self, e: &'p Expr) -> Operand {
        match &e.kind {
            ExprKind::Int(n) => Operand::Int(*n),
            ExprKind::Bool(b) => Operand::Int(i64::from(*b)),
            ExprKind::Null => Operand::Null,
            ExprKind::This => self.local("this").expect("the check has seen to it"),
            ExprKind::Field(array, name) if name.text == "length" && self.is_array(array) => {
                match self.all.types.of(array) {
                    Type::Inline(_, length) => Operand::Int(i64::from(*length)),
                    _ => {
                        let array = self.expr(array);
                        self.pure(Pure::Length(array))
                    }
                }
            }
            ExprKind::Name(name) if self.local(name).is_some() => self.local(name).unwrap_or(Operand::Null),
            ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..) => {
                let (place, access) = self.place(e);
                self.load(place, access, e.span)
            }
            ExprKind::Unary(Unary::Negate, a) => {
                let a = self.expr(a);
                self.pure(Pure::Binary(Binary::WrappingSub, Operand::Int(0), a))
            }
            ExprKind::Unary(Unary::Not, a) => {
                let a = self.expr(a);
                self.pure(Pure::Not(a))
            }
            ExprKind::Binary(ast::Binary::And | ast::Binary::Or, ..) => self.short_circuit(e),
            ExprKind::Binary(op, a, b) => {
                let a = self.expr(a);
                let b = self.expr(b);
                self.pure(Pure::Binary(binary(*op), a, b))
            }
            ExprKind::Call(name, arguments) => {
                let function = self.all.functions[name.text.as_str()];
                let arguments = self.all_of(arguments);
                self.call(e, function, arguments)
            }
            ExprKind::Method(object, name, arguments) => {
                let Type::Class(class) = self.all.types.of(object) else {
                    unreachable!("the check has seen to it")
                };
                let function = self.all.methods[&(class.as_str(), name.text.as_str())];
                let arguments = self.all_of(std::iter::once(&**object).chain(arguments));
                self.call(e, function, arguments)
            }
            ExprKind::Builtin(builtin, arguments) => self.builtin(*builtin, arguments),
            ExprKind::New(_) => self.allocate(Shape::Object),
            ExprKind::NewArray(element, length) => {
                let length = self.expr(length);
                let kind = self.all.kind(element);
                self.allocate(Shape::Array(kind, length))
            }
            ExprKind::NewChan(_, room) => {
                self.expr(room);
                self.pure(Pure::Unknown)
            }
            ExprKind::Receive(chan) => {
                self.expr(chan);
                self.both("receive");
                self.pure(Pure::Unknown)
            }
            ExprKind::Spawn(name, arguments) => {
                let function = self.all.functions[name.text.as_str()];
                let arguments = self.all_of(arguments);
                self.fork(function, arguments)
            }
            ExprKind::SpawnBlock(block) => {
                let (names, values): (Vec<String>, Vec<Operand>) = self.locals.iter().cloned().unzip();
                let name = format!("spawned in {}", self.all.out.graph.functions[self.id.index()].name);
                let function = self.all.body(name, block, names);
                self.fork(function, values)
            }
        }
    }

    fn is_array(&self, e: &Expr) -> bool {
        matches!(self.all.types.of(e), Type::Array(_) | Type::Inline(..))
    }

    fn all_of(&mut self, arguments: impl IntoIterator<Item = &'p Expr>) -> Vec<Operand> {
        arguments.into_iter().map(|e| self.expr(e)).collect()
    }

    fn call(&mut self, e: &'p Expr, function: FuncId, arguments: Vec<Operand>) -> Operand {
        let to = (*self.all.types.of(e) != Type::Unit).then(|| self.fresh());
        self.emit(Inst::Call(to, Callee::Known(function), arguments));
        to.map_or(Operand::Null, Operand::Var)
    }

    fn fork(&mut self, function: FuncId, arguments: Vec<Operand>) -> Operand {
        let to = self.fresh();
        self.emit(Inst::Sync(Sync::Fork(Some(to), function, arguments)));
        Operand::Var(to)
    }

    fn allocate(&mut self, shape: Shape) -> Operand {
        let (to, site) = (self.fresh(), SiteId(self.all.sites));
        self.all.sites += 1;
        self.emit(Inst::New(to, site, shape));
        Operand::Var(to)
    }

    fn builtin(&mut self, builtin: Builtin, arguments: &'p [Expr]) -> Operand {
        match (builtin, arguments) {
            (Builtin::Xchg, [place, value]) => {
                let (place, _) = self.place(place);
                let value = self.expr(value);
                self.modify(place, |_, _| value)
            }
            (Builtin::FetchAdd, [place, value]) => {
                let (place, _) = self.place(place);
                let value = self.expr(value);
                self.modify(place, |body, old| body.pure(Pure::Binary(Binary::WrappingAdd, old, value)))
            }
            (Builtin::Cas, [place, old, new]) => {
                let (place, _) = self.place(place);
                self.expr(old);
                let new = self.expr(new);
                self.modify(place, |_, _| new);
                self.pure(Pure::Unknown)
            }
            (Builtin::TryLock, [lock]) => {
                self.lock(lock);
                self.both("try_lock");
                self.pure(Pure::Unknown)
            }
            (Builtin::Min | Builtin::Max, [a, b]) => {
                let (a, b) = (self.expr(a), self.expr(b));
                let (small, large) = (self.block(), self.block());
                let less = self.pure(Pure::Binary(Binary::Lt, a, b));
                self.end(End::Branch(less, small, large));
                let (less, otherwise) = if builtin == Builtin::Min { (a, b) } else { (b, a) };
                self.either([(small, less), (large, otherwise)])
            }
            // Of `self` and `malloc` nothing is known but the operands.
            _ => {
                self.all_of(arguments);
                self.pure(Pure::Unknown)
            }
        }
    }

    /// An atomic operation, on an atomic place or a plain one: read, then write. It ends the span even if it turns out not to write.
    fn modify(&mut self, place: Place, new: impl FnOnce(&mut Self, Operand) -> Operand) -> Operand {
        let to = self.fresh();
        self.emit(Inst::Sync(Sync::VolatileRead(to, place.clone())));
        let new = new(self, Operand::Var(to));
        self.emit(Inst::Sync(Sync::VolatileWrite(place, new)));
        Operand::Var(to)
    }

    /// Branches on a condition, so that each way knows all that it tells.
    pub(super) fn condition(&mut self, e: &'p Expr, yes: BlockId, no: BlockId) {
        match &e.kind {
            ExprKind::Unary(Unary::Not, a) => self.condition(a, no, yes),
            ExprKind::Binary(ast::Binary::And, a, b) => {
                let second = self.block();
                self.condition(a, second, no);
                self.go(second);
                self.condition(b, yes, no);
            }
            ExprKind::Binary(ast::Binary::Or, a, b) => {
                let second = self.block();
                self.condition(a, yes, second);
                self.go(second);
                self.condition(b, yes, no);
            }
            _ => {
                let on = self.expr(e);
                self.end(End::Branch(on, yes, no));
            }
        }
    }

    /// `&&` or `||` as a value.
    fn short_circuit(&mut self, e: &'p Expr) -> Operand {
        let (yes, no) = (self.block(), self.block());
        self.condition(e, yes, no);
        self.either([(yes, Operand::Int(1)), (no, Operand::Int(0))])
    }

    /// Goes on behind both blocks, with the value of the one that it came through.
    fn either(&mut self, ways: [(BlockId, Operand); 2]) -> Operand {
        let join = self.block();
        for (block, _) in ways {
            self.go(block);
            self.end(End::Jump(join));
        }
        let value = self.phi(join, "%", ways.to_vec());
        self.go(join);
        value
    }
}

fn binary(op: ast::Binary) -> Binary {
    match op {
        ast::Binary::Add => Binary::WrappingAdd,
        ast::Binary::Subtract => Binary::WrappingSub,
        ast::Binary::Multiply => Binary::WrappingMul,
        ast::Binary::Divide => Binary::Div,
        ast::Binary::Remainder => Binary::Rem,
        ast::Binary::Equal => Binary::Eq,
        ast::Binary::NotEqual => Binary::Ne,
        ast::Binary::Less => Binary::Lt,
        ast::Binary::LessEqual => Binary::Le,
        ast::Binary::Greater => Binary::Gt,
        ast::Binary::GreaterEqual => Binary::Ge,
        ast::Binary::And => Binary::And,
        ast::Binary::Or => Binary::Or,
    }
}
