//! Statements.

use super::Spot;
use super::body::Body;
use deadheat_lang::ast::{Block, Case, Expr, ExprKind, Guard, Span, Statement, StatementKind, Type};
use deadheat_redcard::ir::{Effect, End, Inst, Operand, Pure, Sync};

impl<'p> Body<'_, 'p> {
    /// A block with its scope.
    pub(super) fn statements(&mut self, block: &'p Block) {
        let outer = self.locals.len();
        for Statement { kind, span } in &block.statements {
            self.mark(span.start, Spot::Statement);
            self.statement(kind, *span);
        }
        self.locals.truncate(outer);
    }

    fn statement(&mut self, kind: &'p StatementKind, span: Span) {
        match kind {
            StatementKind::Let(name, _, value) => {
                let value = self.expr(value);
                self.declare(&name.text, value);
            }
            StatementKind::Assign(place, value) => self.assignment(place, value),
            StatementKind::Do(e) => _ = self.expr(e),
            StatementKind::If(condition, then, otherwise) => self.branch(condition, then, otherwise.as_ref()),
            StatementKind::While(condition, body) => self.repeat(condition, body, span),
            StatementKind::Block(block) => self.statements(block),
            StatementKind::Lock(e) => {
                let lock = self.lock(e);
                self.emit(Inst::Sync(Sync::Lock(lock)));
            }
            StatementKind::Unlock(e) => {
                let lock = self.lock(e);
                self.emit(Inst::Sync(Sync::Unlock(lock)));
            }
            StatementKind::Sync(e, body) => {
                let lock = self.lock(e);
                self.emit(Inst::Sync(Sync::Lock(lock)));
                self.statements(body);
                self.emit(Inst::Sync(Sync::Unlock(lock)));
            }
            StatementKind::Wait(e) => {
                let thread = self.expr(e);
                self.emit(Inst::Sync(Sync::Join(thread)));
            }
            StatementKind::Deschedule => self.both("deschedule"),
            StatementKind::MakeRunnable(e) => {
                self.expr(e);
                self.emit(Inst::Sync(Sync::Other(Effect::Release, "make_runnable".into())));
            }
            StatementKind::Yield => {}
            StatementKind::Send(chan, value) => {
                self.expr(chan);
                self.expr(value);
                self.both("send");
            }
            StatementKind::Close(e) => {
                self.expr(e);
                self.both("close");
            }
            StatementKind::Select(cases, default) => self.select(cases, default.as_ref()),
            StatementKind::Free(e) => {
                self.expr(e);
                self.both("free");
            }
            StatementKind::Assert(e) => {
                let (holds, fails) = (self.block(), self.block());
                self.condition(e, holds, fails);
                self.go(holds);
            }
            StatementKind::Panic(_) => self.end(End::Stop),
            StatementKind::Print(values) => values.iter().for_each(|e| _ = self.expr(e)),
            StatementKind::Return(value) => {
                let value = value.as_ref().map(|e| self.expr(e));
                self.end(End::Return(value));
            }
        }
    }

    fn assignment(&mut self, place: &'p Expr, value: &'p Expr) {
        if let ExprKind::Name(name) = &place.kind
            && self.local(name).is_some()
        {
            let value = self.expr(value);
            self.assign(name, value);
            return;
        }
        let (at, access) = self.place(place);
        self.may_fail(&at, value);
        let value = self.expr(value);
        self.store(at, access, value, place.span);
    }

    /// Operands first, in order; then one of the cases, or the default. All of them end the span.
    fn select(&mut self, cases: &'p [Case], default: Option<&'p Block>) {
        for case in cases {
            match &case.guard {
                Guard::Send(chan, value) => {
                    self.expr(chan);
                    self.expr(value);
                }
                Guard::Receive(_, chan) => _ = self.expr(chan),
            }
        }
        self.both("select");
        let outer = self.locals.clone();
        let mut ways = Vec::new();
        let bodies = cases.iter().map(|case| (Some(&case.guard), &case.body));
        let bodies: Vec<_> = bodies.chain(default.map(|body| (None, body))).collect();
        for (n, (guard, body)) in bodies.iter().enumerate() {
            self.locals.clone_from(&outer);
            let rest = self.choice(n + 1 == bodies.len());
            if let Some(Guard::Receive(name, _)) = guard {
                let value = self.pure(Pure::Unknown);
                name.iter().for_each(|name| self.declare(&name.text, value));
            }
            self.statements(body);
            self.locals.truncate(outer.len());
            ways.extend(self.leave());
            rest.into_iter().for_each(|rest| self.go(rest));
        }
        self.join(ways);
    }

    /// A branch that nobody can foresee, into the block that is returned unless it is the last one.
    fn choice(&mut self, last: bool) -> Option<deadheat_redcard::ir::BlockId> {
        if last {
            return None;
        }
        let (yes, no) = (self.block(), self.block());
        let coin = self.pure(Pure::Unknown);
        self.end(End::Branch(coin, yes, no));
        self.go(yes);
        Some(no)
    }

    /// The operands of a lock; which lock it is does not matter here.
    pub(super) fn lock(&mut self, e: &'p Expr) -> Operand {
        match self.all.types.of(e) {
            Type::Mutex => _ = self.place(e),
            _ => return self.expr(e),
        }
        Operand::Null
    }
}
