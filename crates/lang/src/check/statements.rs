//! Statements.

use super::items::Position;
use super::{Body, Checker, MAX_MEMBERS};
use crate::ast::{Block, Case, Expr, ExprKind, Guard, Name, Span, Statement, StatementKind, Type};
use crate::error::Error;

impl<'p> Checker<'p> {
    /// A block with its own scope.
    pub(super) fn block(&mut self, block: &'p Block) {
        self.scopes.enter();
        self.statements(block);
        self.scopes.leave();
    }

    pub(super) fn statements(&mut self, block: &'p Block) {
        for statement in &block.statements {
            if self.errors.is_full() {
                return;
            }
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &'p Statement) {
        match &statement.kind {
            StatementKind::Let(name, ty, value) => self.let_statement(name, ty.as_ref(), value),
            StatementKind::Assign(place, value) => self.assign(place, value),
            StatementKind::Do(e) => self.effect(e),
            StatementKind::If(condition, then, otherwise) => {
                self.condition(condition);
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.block(otherwise);
                }
            }
            StatementKind::While(condition, body) => {
                self.condition(condition);
                self.block(body);
            }
            StatementKind::Block(block) => self.block(block),
            StatementKind::Lock(lock) | StatementKind::Unlock(lock) => {
                self.lock(lock);
            }
            StatementKind::Sync(lock, body) => {
                self.lock(lock);
                let around = self.body.sync.replace(lock.span);
                self.block(body);
                self.body.sync = around;
            }
            StatementKind::Wait(thread) => {
                self.expect(thread, &Type::Thread, "what `wait` waits for");
            }
            StatementKind::MakeRunnable(thread) => {
                self.expect(thread, &Type::Thread, "what `make_runnable` wakes");
            }
            StatementKind::Deschedule | StatementKind::Yield | StatementKind::Panic(_) => {}
            StatementKind::Send(channel, value) => self.send(channel, value),
            StatementKind::Close(channel) => {
                self.channel(channel);
            }
            StatementKind::Select(cases, default) => {
                cases.iter().for_each(|case| self.case(case));
                if cases.is_empty() && default.is_none() {
                    let error =
                        Error::new(statement.span, "this `select` has no cases", "it would wait for ever");
                    self.errors.push(
                        error.help("write `case` or `default`, or `deschedule;` to wait for `make_runnable`"),
                    );
                }
                if let Some(default) = default {
                    self.block(default);
                }
            }
            StatementKind::Free(address) => {
                self.expect(address, &Type::Int, "what `free` takes");
            }
            StatementKind::Assert(e) => self.condition(e),
            StatementKind::Print(values) => {
                values.iter().for_each(|v| self.printed(v));
                if values.len() > MAX_MEMBERS {
                    let message = format!("at most {MAX_MEMBERS} values can be printed at once");
                    self.errors.push(Error::new(statement.span, message, format!("{} values", values.len())));
                }
            }
            StatementKind::Return(value) => self.return_statement(value.as_ref(), statement.span),
        }
    }

    fn let_statement(&mut self, name: &'p Name, ty: Option<&'p Type>, value: &'p Expr) {
        let found = match ty {
            Some(ty) if self.usable(ty, name.span, Position::Value).is_some() => {
                self.expect(value, ty, "the value");
                Some(ty.clone())
            }
            Some(_) => None,
            None => self.value(value, None),
        };
        // The variable is known only from here on: its value may use an outer one of the same name.
        self.local("variable", name, found);
    }

    fn assign(&mut self, place: &'p Expr, value: &'p Expr) {
        match self.assigned(place) {
            Some(ty) => {
                self.expect(value, &ty, "the value");
            }
            None => self.glance(value),
        }
    }

    /// An expression that is there for what it does.
    fn effect(&mut self, e: &'p Expr) {
        use ExprKind::{Builtin, Call, Method, Receive, Spawn, SpawnBlock};
        let acts =
            matches!(e.kind, Call(..) | Method(..) | Builtin(..) | Receive(_) | Spawn(..) | SpawnBlock(_));
        if acts {
            self.ty(e, None);
            return;
        }
        if self.value(e, None).is_some() {
            let error = Error::new(e.span, "this does nothing", "its value is not used");
            self.errors.push(match e.kind {
                ExprKind::Binary(crate::ast::Binary::Equal, ..) => error.help("assign with `=`"),
                _ => error.help("to read something for the sake of reading, write `let _ = x;`"),
            });
        }
    }

    fn condition(&mut self, e: &'p Expr) {
        self.expect(e, &Type::Bool, "a condition");
    }

    fn send(&mut self, channel: &'p Expr, value: &'p Expr) {
        match self.channel(channel) {
            Some(message) => {
                self.expect(value, &message, "what is sent");
            }
            None => self.glance(value),
        }
    }

    /// What the channel carries.
    pub(super) fn channel(&mut self, e: &'p Expr) -> Option<Type> {
        match self.value(e, None)? {
            Type::Chan(message) => Some(*message),
            ty => self.report(Error::new(
                e.span,
                format!("expected a channel, and this is `{ty}`"),
                format!("`{ty}`"),
            )),
        }
    }

    fn case(&mut self, case: &'p Case) {
        self.scopes.enter();
        match &case.guard {
            Guard::Send(channel, value) => self.send(channel, value),
            Guard::Receive(name, channel) => {
                let message = self.channel(channel);
                if let Some(name) = name {
                    self.local("variable", name, message);
                }
            }
        }
        self.block(&case.body);
        self.scopes.leave();
    }

    fn printed(&mut self, e: &'p Expr) {
        if let Some(ty) = self.value(e, None)
            && !matches!(ty, Type::Int | Type::Bool)
        {
            let message = format!("`print` takes numbers and truth values, and this is `{ty}`");
            self.errors.push(Error::new(e.span, message, format!("`{ty}`")));
        }
    }

    fn return_statement(&mut self, value: Option<&'p Expr>, span: Span) {
        if let Some(sync) = self.body.sync {
            let word = Span { start: span.start, end: span.start + "return".len() as u32 };
            let error =
                Error::new(word, "`return` may not leave a `sync` block", "the lock would stay taken");
            let error = error.related(sync, "this lock");
            self.errors
                .push(error.help("keep the result in a local variable, and return it after the block"));
        }
        match (self.body.result, value) {
            (Some(Type::Unit) | None, Some(value)) => self.no_result(value),
            (Some(Type::Unit) | None, None) => {}
            (Some(ty), Some(value)) => {
                self.expect(value, ty, "the result");
            }
            (Some(ty), None) => {
                self.errors.push(Error::new(
                    span,
                    format!("`return` needs a value of type `{ty}`"),
                    "without a value",
                ));
            }
        }
    }

    fn no_result(&mut self, value: &'p Expr) {
        self.value(value, None);
        let error = if self.body.function {
            Error::new(value.span, "this function returns nothing", "a value")
                .help("say what it returns: `fn f() -> int { .. }`")
        } else {
            Error::new(value.span, "a thread returns nothing", "a value")
                .help("write `return;`, and store the value where others see it")
        };
        self.errors.push(error);
    }

    /// The block of a new thread: it sees copies of the locals, and holds none of the locks.
    pub(super) fn spawned(&mut self, block: &'p Block) {
        let around = self.body.clone();
        self.body = Body { this: around.this, ..Body::default() };
        self.block(block);
        self.body = around;
    }
}
