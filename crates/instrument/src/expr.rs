//! Expressions: every load is taken out, so that it can have its handler.

use crate::build::{at, let_, name, offset, statement};
use crate::refuse::refuse;
use crate::statement::Pass;
use deadheat_lang::ast::{Binary, Block, Builtin, Expr, ExprKind, Name, Span, Statement, StatementKind};

/// The places of all `spawn`s in a block, in the order of the text.
pub fn spawns(block: &Block, found: &mut Vec<Span>) {
    for s in &block.statements {
        match &s.kind {
            StatementKind::Let(_, _, e) | StatementKind::Do(e) => spawns_of(e, found),
            StatementKind::Assign(_, e) => spawns_of(e, found),
            StatementKind::If(_, then, otherwise) => {
                spawns(then, found);
                otherwise.iter().for_each(|b| spawns(b, found));
            }
            StatementKind::Block(b) | StatementKind::Sync(_, b) | StatementKind::While(_, b) => {
                spawns(b, found)
            }
            _ => {}
        }
    }
}

fn spawns_of(e: &Expr, found: &mut Vec<Span>) {
    match &e.kind {
        ExprKind::Spawn(..) => found.push(e.span),
        ExprKind::SpawnBlock(block) => {
            found.push(e.span);
            spawns(block, found);
        }
        _ => {}
    }
}

impl Pass<'_> {
    /// The expression without loads and calls; what it needs first is appended to `out`.
    pub(crate) fn expr(&mut self, e: &Expr, out: &mut Vec<Statement>) -> Expr {
        let kind = match &e.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) => e.kind.clone(),
            ExprKind::Name(global) if self.is_global(global) => return self.load(e, out),
            ExprKind::Name(_) => e.kind.clone(),
            ExprKind::Index(array, _) if matches!(&array.kind, ExprKind::Name(a) if self.is_global(a)) => {
                return self.load(e, out);
            }
            ExprKind::Field(array, field) if field.text == "length" => {
                ExprKind::Field(array.clone(), field.clone())
            }
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, Box::new(self.expr(a, out))),
            ExprKind::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                return self.short_circuit(*op, a, b, out);
            }
            ExprKind::Binary(op, a, b) => {
                let a = self.expr(a, out);
                ExprKind::Binary(*op, Box::new(a), Box::new(self.expr(b, out)))
            }
            ExprKind::Builtin(builtin @ (Builtin::Max | Builtin::Min | Builtin::SelfId), arguments) => {
                ExprKind::Builtin(*builtin, arguments.iter().map(|a| self.expr(a, out)).collect())
            }
            ExprKind::Call(function, arguments) => {
                let call = self.call(function, arguments, e.span, out);
                return self.keep(call, out);
            }
            ExprKind::Spawn(..) | ExprKind::SpawnBlock(_) => {
                let spawn = self.spawn(e, out);
                return self.keep(spawn, out);
            }
            _ => {
                self.errors.push(refuse(e.span, what(&e.kind)));
                e.kind.clone()
            }
        };
        at(kind, e.span)
    }

    /// Puts a value into a new local.
    pub(crate) fn keep(&mut self, value: Expr, out: &mut Vec<Statement>) -> Expr {
        let local = self.fresh();
        out.push(let_(&local, value));
        name(&local)
    }

    /// The call, with the number of the thread as one more argument.
    pub(crate) fn call(
        &mut self,
        f: &Name,
        arguments: &[Expr],
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Expr {
        let mut arguments: Vec<Expr> = arguments.iter().map(|a| self.expr(a, out)).collect();
        arguments.push(self.me());
        at(ExprKind::Call(f.clone(), arguments), span)
    }

    /// [spawn u li] `merge(C[t], C[u]); inc(t, C[t]); spawn u [li]_u`
    pub(crate) fn spawn(&mut self, e: &Expr, out: &mut Vec<Statement>) -> Expr {
        let Some(child) = self.layout.thread_at(e.span).filter(|_| !self.repeats) else {
            self.errors.push(refuse(
                e.span,
                "a spawn in a loop or in a function, whose threads have no number in the text",
            ));
            return e.clone();
        };
        let kind = match &e.kind {
            ExprKind::Spawn(function, arguments) => {
                let mut arguments: Vec<Expr> = arguments.iter().map(|a| self.expr(a, out)).collect();
                arguments.push(crate::build::int(child));
                ExprKind::Spawn(function.clone(), arguments)
            }
            ExprKind::SpawnBlock(block) => ExprKind::SpawnBlock(self.as_thread(child, block)),
            _ => unreachable!("only spawns come here"),
        };
        out.push(crate::build::perform("__fork", vec![self.me(), crate::build::int(child)]));
        at(kind, e.span)
    }

    /// [a := load x] `lock X[x]; hb_check(W[x], C[t]); move((C[t], t), (R[x], t)); a := load x; unlock X[x]`
    fn load(&mut self, e: &Expr, out: &mut Vec<Statement>) -> Expr {
        let (place, location) = self.place(e, out);
        let local = self.fresh();
        self.guarded("__load", location, let_(&local, place), out);
        name(&local)
    }

    /// A shared place whose index is a local, and the number of its location.
    pub(crate) fn place(&mut self, e: &Expr, out: &mut Vec<Statement>) -> (Expr, Expr) {
        match &e.kind {
            ExprKind::Name(global) => {
                let rows = self.layout.rows(global).expect("it is a global");
                (e.clone(), crate::build::int(rows.first))
            }
            ExprKind::Index(array, index) => {
                let ExprKind::Name(global) = &array.kind else { unreachable!("an array of the program") };
                let rows = self.layout.rows(global).expect("it is a global");
                let index = self.expr(index, out);
                let index = self.keep(index, out);
                self.bound(&index, rows.length.unwrap_or(1), out);
                let place = at(ExprKind::Index(array.clone(), Box::new(index.clone())), e.span);
                (place, offset(rows.first, index))
            }
            _ => unreachable!("only places come here"),
        }
    }

    /// An index outside of its array would be a location of another one.
    fn bound(&mut self, index: &Expr, length: u32, out: &mut Vec<Statement>) {
        use crate::build::{binary, block, int};
        let low = binary(Binary::Less, index.clone(), int(0));
        let high = binary(Binary::GreaterEqual, index.clone(), int(length));
        let panic = statement(StatementKind::Panic(Some("index out of bounds".into())));
        let outside = binary(Binary::Or, low, high);
        out.push(statement(StatementKind::If(outside, block(vec![panic]), None)));
    }

    /// `let v = a; if v { v = b; }`, or with `!v` for `||`.
    fn short_circuit(&mut self, op: Binary, a: &Expr, b: &Expr, out: &mut Vec<Statement>) -> Expr {
        let first = self.expr(a, out);
        let mut later = Vec::new();
        let second = self.expr(b, &mut later);
        if later.is_empty() {
            return crate::build::binary(op, first, second);
        }
        let value = self.keep(first, out);
        later.push(statement(StatementKind::Assign(value.clone(), second)));
        let test = match op {
            Binary::And => value.clone(),
            _ => crate::build::not(value.clone()),
        };
        out.push(statement(StatementKind::If(test, crate::build::block(later), None)));
        value
    }
}

/// What an expression is called that is refused.
fn what(kind: &ExprKind) -> &'static str {
    match kind {
        ExprKind::Builtin(Builtin::Malloc, _) => "the heap",
        ExprKind::Builtin(..) => "atomic operations",
        ExprKind::NewChan(..) | ExprKind::Receive(_) => "channels",
        ExprKind::Index(..) => "the heap and arrays made at run time",
        _ => "classes and references",
    }
}
