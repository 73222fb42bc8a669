//! Blocks and statements.

use super::{MAX_NESTING, Parsed, Parser, Reported, after, habits};
use crate::ast::{Block, Case, Expr, ExprKind, Guard, Span, Statement, StatementKind};
use crate::error::Error;
use crate::lexer::Token;
use std::mem;

impl Parser<'_> {
    /// `{ .. }`, one level further down.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        Ok(self.nested(Self::measured_block)?.0)
    }

    /// A block and the height of its tree.
    pub(super) fn measured_block(&mut self) -> Parsed<(Block, u32)> {
        self.layer(|p| {
            let opener = p.expect(Token::OpenBrace, "and a block")?;
            let statements = p.statements(opener)?;
            Ok(Block { statements, span: p.since(opener.start) })
        })
    }

    /// One layer of the tree and its height, which also counts for what is around it.
    fn layer<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<(T, u32)> {
        let start = self.here();
        let around = mem::take(&mut self.tallest);
        let result = inside(self);
        let height = self.tallest + 1;
        self.tallest = around.max(height);
        let result = result?;
        if height > MAX_NESTING { self.too_deep(start) } else { Ok((result, height)) }
    }

    /// Up to the closing brace, which is eaten.
    fn statements(&mut self, opener: Span) -> Parsed<Vec<Statement>> {
        let mut statements = Vec::new();
        loop {
            let start = self.at;
            if self.peek() == Token::CloseBrace {
                self.note_indentation(opener);
                self.bump();
                return Ok(statements);
            }
            if self.peek() == Token::End || (habits::is_item(self.peek()) && !self.declares_by_type()) {
                return self.unclosed(opener);
            }
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(Reported) => self.recover(start),
            }
        }
    }

    /// To where the next statement seems to start: behind a semicolon or block, or at a word on a new line.
    pub(super) fn recover(&mut self, start: usize) {
        let mut open = 0;
        loop {
            let token = self.peek();
            let fresh = self.at > start && self.on_new_line();
            match token {
                Token::End => return,
                Token::CloseBrace | Token::Semicolon if open == 0 => {
                    self.eat(Token::Semicolon);
                    return;
                }
                Token::Case | Token::Default if open == 0 && fresh => return,
                _ if open == 0 && fresh && (habits::is_item(token) || habits::starts_statement(token)) => {
                    return;
                }
                Token::OpenBrace => open += 1,
                Token::CloseBrace => open -= 1,
                _ => {}
            }
            self.bump();
            if token == Token::CloseBrace && open == 0 {
                return;
            }
        }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.here().start;
        let kind = self.statement_kind()?;
        Ok(Statement { kind, span: self.since(start) })
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind> {
        match self.peek() {
            Token::Let => self.let_statement(),
            Token::If => self.if_statement(),
            Token::While => {
                self.bump();
                Ok(StatementKind::While(self.condition("while")?, self.block()?))
            }
            Token::OpenBrace => Ok(StatementKind::Block(self.block()?)),
            Token::Sync => {
                self.bump();
                let lock = self.expr()?;
                self.expect_body("sync")?;
                Ok(StatementKind::Sync(lock, self.block()?))
            }
            Token::Select => self.select(),
            Token::Spawn if self.peek_at(1) == Token::OpenBrace => {
                let start = self.here().start;
                self.bump();
                let (block, height) = self.nested(Self::measured_block)?;
                self.tallest = self.tallest.max(height + 1);
                let span = self.since(start);
                self.eat(Token::Semicolon);
                Ok(StatementKind::Do(Expr { kind: ExprKind::SpawnBlock(block), span }))
            }
            _ => {
                let kind = self.simple_statement()?;
                self.end_of_statement()?;
                Ok(kind)
            }
        }
    }

    /// One that ends with a semicolon, without it.
    fn simple_statement(&mut self) -> Parsed<StatementKind> {
        let of_expr: fn(Expr) -> StatementKind = match self.peek() {
            Token::Lock => StatementKind::Lock,
            Token::Unlock => StatementKind::Unlock,
            Token::Wait => StatementKind::Wait,
            Token::MakeRunnable => StatementKind::MakeRunnable,
            Token::Close => StatementKind::Close,
            Token::Free => StatementKind::Free,
            Token::Assert => StatementKind::Assert,
            Token::Deschedule => return Ok(self.just(StatementKind::Deschedule)),
            Token::Yield => return Ok(self.just(StatementKind::Yield)),
            Token::Panic => return self.panic_statement(),
            Token::Print => return self.print_statement(),
            Token::Return => {
                self.bump();
                // Without a value, though the semicolon may be missing.
                let next = self.peek();
                let statement = habits::starts_statement(next) && next != Token::Spawn;
                let bare = statement || matches!(next, Token::Semicolon | Token::CloseBrace);
                return Ok(StatementKind::Return(if bare { None } else { Some(self.expr()?) }));
            }
            _ => return self.expression_statement(),
        };
        self.bump();
        Ok(of_expr(self.expr()?))
    }

    fn just(&mut self, kind: StatementKind) -> StatementKind {
        self.bump();
        kind
    }

    /// `x = e`, `c <- e`, `f(x)`
    fn expression_statement(&mut self) -> Parsed<StatementKind> {
        if let Some(error) = self.foreign_statement() {
            return self.report(error);
        }
        let first = self.expr()?;
        if self.eat(Token::Assign) {
            return Ok(StatementKind::Assign(first, self.expr()?));
        }
        if self.eat(Token::Channel) {
            return Ok(StatementKind::Send(first, self.expr()?));
        }
        match self.foreign_assignment(&first) {
            Some(error) => self.report(error),
            None => Ok(StatementKind::Do(first)),
        }
    }

    /// The semicolon. If it is missing at the end of a line, the statement counts all the same.
    fn end_of_statement(&mut self) -> Parsed<()> {
        if self.eat(Token::Semicolon) {
            return Ok(());
        }
        let goes_on = self.on_new_line() || self.peek() == Token::CloseBrace;
        if !goes_on && let Some(error) = self.foreign_operator() {
            return self.report(error);
        }
        let (before, found) = (self.before(), self.found());
        let error = if goes_on || self.peek() == Token::End {
            Error::new(after(before), "a `;` is missing", "expected `;` here")
        } else {
            let message = format!("expected `;` after the statement, found {found}");
            Error::new(self.here(), message, "expected `;` before this")
        };
        let _: Parsed<()> = self.report(error);
        if goes_on { Ok(()) } else { Err(Reported) }
    }

    fn let_statement(&mut self) -> Parsed<StatementKind> {
        self.bump();
        if let Some(error) = self.let_mut() {
            return self.report(error);
        }
        let name = self.name("the name of a local variable")?;
        let ty = if self.eat(Token::Colon) { Some(self.ty()?) } else { None };
        if self.peek() != Token::Assign {
            let error = self.unexpected_error("`=` and a value");
            return self.report(if error.help.is_some() {
                error
            } else {
                error.help("a local variable always starts with a value: `let x = 0;`")
            });
        }
        self.bump();
        let value = self.expr()?;
        self.end_of_statement()?;
        Ok(StatementKind::Let(name, ty, value))
    }

    fn if_statement(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let condition = self.condition("if")?;
        let then = self.block()?;
        if !self.eat(Token::Else) {
            return Ok(StatementKind::If(condition, then, None));
        }
        let otherwise = match self.peek() {
            Token::If => {
                let (statement, _) = self.nested(|p| p.layer(Self::statement))?;
                let span = statement.span;
                Block { statements: vec![statement], span }
            }
            Token::OpenBrace => self.block()?,
            _ => return self.unexpected("`{` or `if` after `else`"),
        };
        Ok(StatementKind::If(condition, then, Some(otherwise)))
    }

    /// What stands between `if` or `while` and its block.
    fn condition(&mut self, word: &str) -> Parsed<Expr> {
        let condition = self.expr()?;
        if self.peek() == Token::Assign {
            let error =
                Error::new(self.here(), "`=` assigns, and a condition only asks", "this is no comparison");
            let _: Parsed<()> = self.report(error.help("compare with `==`"));
            self.eat(Token::Assign);
            self.expr()?;
        }
        self.expect_body(word)?;
        Ok(condition)
    }

    pub(super) fn expect_body(&mut self, word: &str) -> Parsed<()> {
        if self.peek() == Token::OpenBrace {
            return Ok(());
        }
        if let Some(error) = self.foreign_operator() {
            return self.report(error);
        }
        let error = self.unexpected_error(&format!("`{{` and the body of `{word}`"));
        let plain = error.help.is_none();
        self.report(if plain {
            error.help(format!("the body of `{word}` always stands in braces"))
        } else {
            error
        })
    }

    fn panic_statement(&mut self) -> Parsed<StatementKind> {
        self.bump();
        match self.peek() {
            Token::Text => Ok(StatementKind::Panic(Some(self.string()?))),
            Token::OpenParen => {
                let error = Error::new(self.here(), "`panic` takes no parentheses", "not needed");
                self.report(error.help("write `panic;` or `panic \"what happened\";`"))
            }
            _ => Ok(StatementKind::Panic(None)),
        }
    }

    fn print_statement(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let mut values = vec![self.expr()?];
        while self.eat(Token::Comma) {
            values.push(self.expr()?);
        }
        Ok(StatementKind::Print(values))
    }

    fn select(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let opener = self.expect(Token::OpenBrace, "and the cases of `select`")?;
        let (mut cases, mut default): (Vec<Case>, Option<Block>) = (Vec::new(), None);
        loop {
            let start = self.at;
            let result = match self.peek() {
                Token::Case if default.is_none() => self.case().map(|case| cases.push(case)),
                Token::Default if default.is_none() => self.default_case().map(|block| default = Some(block)),
                Token::Case | Token::Default => {
                    let error = Error::new(self.here(), "`default` comes once, and last", "behind `default`");
                    self.report(error)
                }
                Token::CloseBrace => {
                    self.note_indentation(opener);
                    self.bump();
                    return Ok(StatementKind::Select(cases, default));
                }
                token if token == Token::End || habits::is_item(token) => return self.unclosed(opener),
                _ => self.unexpected("`case`, `default` or `}`"),
            };
            if let Err(Reported) = result {
                self.recover(start);
            }
        }
    }

    fn default_case(&mut self) -> Parsed<Block> {
        self.bump();
        self.expect_body("default")?;
        self.block()
    }

    fn case(&mut self) -> Parsed<Case> {
        self.bump();
        let start = self.here().start;
        if let Some(error) = self.foreign_case() {
            return self.report(error);
        }
        let guard = if self.eat(Token::Let) {
            let name = self.name("the name of a local variable")?;
            self.expect(Token::Assign, "and a receive: `case let x = <-c`")?;
            let value = self.expr()?;
            self.receive_guard(Some(name), value)?
        } else {
            let first = self.expr()?;
            if self.eat(Token::Channel) {
                Guard::Send(first, self.expr()?)
            } else {
                self.receive_guard(None, first)?
            }
        };
        let span = self.since(start);
        self.expect_body("case")?;
        Ok(Case { guard, body: self.block()?, span })
    }

    fn receive_guard(&mut self, name: Option<crate::ast::Name>, value: Expr) -> Parsed<Guard> {
        match value.kind {
            ExprKind::Receive(channel) => Ok(Guard::Receive(name, *channel)),
            _ => {
                let error = Error::new(value.span, "a case sends or receives", "this does neither");
                self.report(
                    error.help("write `case c <- e { .. }`, `case <-c { .. }` or `case let x = <-c { .. }`"),
                )
            }
        }
    }
}
