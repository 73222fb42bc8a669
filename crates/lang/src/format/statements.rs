//! Statements, each on a line of its own.

use super::expressions::Level;
use super::{Gap, Printer};
use crate::ast::{Block, Case, Expr, ExprKind, Guard, Statement, StatementKind};

impl Printer<'_> {
    /// `{ .. }` from brace to brace.
    pub(super) fn block(&mut self, block: &Block) {
        let closing = block.span.end.saturating_sub(1);
        if block.statements.is_empty() && self.layout.comment_before(closing).is_none() {
            self.push("{}");
            return;
        }
        self.open(block.span.start, block.statements.is_empty());
        for statement in &block.statements {
            self.statement(statement);
        }
        self.close(closing);
    }

    fn statement(&mut self, statement: &Statement) {
        let header = self.layout.header(statement.span);
        self.begin(statement.span.start, header, Gap::Kept);
        self.kind(statement);
        self.end_line(statement.span.end);
    }

    fn kind(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Let(name, ty, value) => {
                self.push("let ");
                self.push(&name.text);
                if let Some(ty) = ty {
                    self.push(": ");
                    self.ty(ty);
                }
                self.push(" = ");
                self.end_with(value);
            }
            StatementKind::Assign(place, value) => {
                self.first_expr(place);
                self.push(" = ");
                self.end_with(value);
            }
            StatementKind::Do(Expr { kind: ExprKind::SpawnBlock(block), .. }) => {
                self.push("spawn ");
                self.block(block);
            }
            StatementKind::Do(e) => {
                self.first_expr(e);
                self.push(";");
            }
            StatementKind::If(condition, then, otherwise) => {
                self.if_statement(condition, then, otherwise.as_ref())
            }
            StatementKind::While(condition, body) => self.with_body("while ", condition, body),
            StatementKind::Block(block) => self.block(block),
            StatementKind::Sync(lock, body) => self.with_body("sync ", lock, body),
            StatementKind::Select(cases, default) => self.select(statement, cases, default.as_ref()),
            StatementKind::Lock(e) => self.word_and("lock ", e),
            StatementKind::Unlock(e) => self.word_and("unlock ", e),
            StatementKind::Wait(e) => self.word_and("wait ", e),
            StatementKind::MakeRunnable(e) => self.word_and("make_runnable ", e),
            StatementKind::Close(e) => self.word_and("close ", e),
            StatementKind::Free(e) => self.word_and("free ", e),
            StatementKind::Assert(e) => self.word_and("assert ", e),
            StatementKind::Return(Some(e)) => self.word_and("return ", e),
            StatementKind::Return(None) => self.push("return;"),
            StatementKind::Deschedule => self.push("deschedule;"),
            StatementKind::Yield => self.push("yield;"),
            StatementKind::Send(channel, value) => {
                self.first_expr(channel);
                self.push(" <- ");
                self.end_with(value);
            }
            StatementKind::Panic(None) => self.push("panic;"),
            StatementKind::Panic(Some(what)) => {
                self.push("panic ");
                self.string(what);
                self.push(";");
            }
            StatementKind::Print(values) => {
                self.push("print ");
                self.list(values);
                self.push(";");
            }
        }
    }

    fn word_and(&mut self, word: &str, e: &Expr) {
        self.push(word);
        self.end_with(e);
    }

    fn end_with(&mut self, e: &Expr) {
        self.expr(e);
        self.push(";");
    }

    fn with_body(&mut self, word: &str, e: &Expr, body: &Block) {
        self.push(word);
        self.expr(e);
        self.push(" ");
        self.block(body);
    }

    fn if_statement(&mut self, condition: &Expr, then: &Block, otherwise: Option<&Block>) {
        self.with_body("if ", condition, then);
        let Some(otherwise) = otherwise else { return };
        self.push(" else ");
        match &otherwise.statements[..] {
            [Statement { kind: StatementKind::If(condition, then, otherwise), .. }] => {
                self.if_statement(condition, then, otherwise.as_ref());
            }
            _ => self.block(otherwise),
        }
    }

    fn select(&mut self, statement: &Statement, cases: &[Case], default: Option<&Block>) {
        self.push("select ");
        let brace = self.layout.header(statement.span);
        let closing = statement.span.end.saturating_sub(1);
        let empty = cases.is_empty() && default.is_none();
        if empty && self.layout.comment_before(closing).is_none() {
            self.push("{}");
            return;
        }
        self.open(brace, empty);
        for case in cases {
            self.begin(case.span.start, case.body.span.start, Gap::Kept);
            self.guard(&case.guard);
            self.block(&case.body);
            self.end_line(case.body.span.end);
        }
        if let Some(default) = default {
            self.begin(default.span.start, default.span.start, Gap::Kept);
            self.push("default ");
            self.block(default);
            self.end_line(default.span.end);
        }
        self.close(closing);
    }

    fn guard(&mut self, guard: &Guard) {
        self.push("case ");
        match guard {
            Guard::Send(channel, value) => {
                self.expr(channel);
                self.push(" <- ");
                self.expr(value);
            }
            Guard::Receive(name, channel) => {
                if let Some(name) = name {
                    self.push("let ");
                    self.push(&name.text);
                    self.push(" = ");
                }
                self.push("<-");
                self.within(channel, Level::Prefix);
            }
        }
        self.push(" ");
    }

    fn string(&mut self, text: &str) {
        self.push("\"");
        for c in text.chars() {
            match c {
                '\n' => self.push("\\n"),
                '\t' => self.push("\\t"),
                '\r' => self.push("\\r"),
                '"' => self.push("\\\""),
                '\\' => self.push("\\\\"),
                _ => self.out.push(c),
            }
        }
        self.push("\"");
    }
}
