//! Expressions, by precedence climbing.

use super::{MAX_NESTING, Parsed, Parser, Tall, after, habits};
use crate::ast::{Binary, Builtin, Expr, ExprKind, Name, Span, Unary};
use crate::error::Error;
use crate::lexer::Token;

/// How tightly comparisons bind; they do not chain.
const COMPARISON: u8 = 3;

/// A binary operator and how tightly it binds.
fn operator(token: Token) -> Option<(Binary, u8)> {
    Some(match token {
        Token::Or => (Binary::Or, 1),
        Token::And => (Binary::And, 2),
        Token::Equal => (Binary::Equal, COMPARISON),
        Token::NotEqual => (Binary::NotEqual, COMPARISON),
        Token::Less => (Binary::Less, COMPARISON),
        Token::LessEqual => (Binary::LessEqual, COMPARISON),
        Token::Greater => (Binary::Greater, COMPARISON),
        Token::GreaterEqual => (Binary::GreaterEqual, COMPARISON),
        Token::Plus => (Binary::Add, 4),
        Token::Minus => (Binary::Subtract, 4),
        Token::Star => (Binary::Multiply, 5),
        Token::Slash => (Binary::Divide, 5),
        Token::Percent => (Binary::Remainder, 5),
        _ => return None,
    })
}

impl Parser<'_> {
    /// A whole expression.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        let tall = self.binary(1)?;
        self.tallest = self.tallest.max(tall.height);
        Ok(tall.expr)
    }

    /// A tree one higher than the highest of its parts.
    fn grow(&mut self, kind: ExprKind, span: Span, parts: u32) -> Parsed<Tall> {
        if parts >= MAX_NESTING {
            return self.too_deep(span);
        }
        Ok(Tall { expr: Expr { kind, span }, height: parts + 1 })
    }

    fn leaf(&self, kind: ExprKind, span: Span) -> Tall {
        Tall { expr: Expr { kind, span }, height: 1 }
    }

    /// Operators that bind at least so tightly.
    fn binary(&mut self, least: u8) -> Parsed<Tall> {
        let start = self.here().start;
        let mut left = self.unary()?;
        while let Some((op, level)) = operator(self.peek()).filter(|(_, level)| *level >= least) {
            let sign = self.bump().span;
            let right = self.binary(level + 1)?;
            let parts = left.height.max(right.height);
            let kind = ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr));
            left = self.grow(kind, self.since(start), parts)?;
            if level == COMPARISON && operator(self.peek()).is_some_and(|(_, next)| next == COMPARISON) {
                return self.chained_comparison(sign);
            }
        }
        Ok(left)
    }

    fn chained_comparison<T>(&mut self, first: Span) -> Parsed<T> {
        let error = Error::new(self.here(), "comparisons cannot be chained", "the second comparison");
        let error = error.related(first, "the first comparison");
        self.report(error.help("write `a < b && b < c`, or parentheses where a truth value is compared"))
    }

    fn unary(&mut self) -> Parsed<Tall> {
        let start = self.here().start;
        let negative_literal = self.peek() == Token::Minus
            && self.peek_at(1) == Token::Int
            && !matches!(self.peek_at(2), Token::OpenBracket | Token::Dot);
        if negative_literal {
            self.bump();
            let value = self.negative_integer()?;
            return Ok(self.leaf(ExprKind::Int(value), self.since(start)));
        }
        let build: fn(Box<Expr>) -> ExprKind = match self.peek() {
            Token::Minus => |e| ExprKind::Unary(Unary::Negate, e),
            Token::Not => |e| ExprKind::Unary(Unary::Not, e),
            Token::Channel => ExprKind::Receive,
            _ => return self.postfix(),
        };
        self.bump();
        let operand = self.nested(Self::unary)?;
        self.grow(build(Box::new(operand.expr)), self.since(start), operand.height)
    }

    /// Fields, elements and method calls behind a primary expression.
    fn postfix(&mut self) -> Parsed<Tall> {
        let start = self.here().start;
        let mut base = self.primary()?;
        loop {
            base = match self.peek() {
                Token::Dot => self.member(base, start)?,
                Token::OpenBracket => {
                    let opener = self.bump().span;
                    let index = self.nested(|p| p.binary(1))?;
                    self.expect_closing(Token::CloseBracket, opener)?;
                    let parts = base.height.max(index.height);
                    let kind = ExprKind::Index(Box::new(base.expr), Box::new(index.expr));
                    self.grow(kind, self.since(start), parts)?
                }
                _ => return Ok(base),
            };
        }
    }

    fn member(&mut self, base: Tall, start: u32) -> Parsed<Tall> {
        self.bump();
        let name = self.name("the name of a field or method")?;
        if self.peek() != Token::OpenParen {
            let kind = ExprKind::Field(Box::new(base.expr), name);
            return self.grow(kind, self.since(start), base.height);
        }
        let (arguments, height) = self.arguments()?;
        let kind = ExprKind::Method(Box::new(base.expr), name, arguments);
        self.grow(kind, self.since(start), base.height.max(height))
    }

    /// `(a, b)` and the height of the tallest.
    fn arguments(&mut self) -> Parsed<(Vec<Expr>, u32)> {
        let opener = self.expect(Token::OpenParen, "and the arguments")?;
        let (mut arguments, mut height) = (Vec::new(), 0);
        while self.peek() != Token::CloseParen {
            let argument = self.nested(|p| p.binary(1))?;
            arguments.push(argument.expr);
            height = height.max(argument.height);
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect_closing(Token::CloseParen, opener)?;
        Ok((arguments, height))
    }

    fn primary(&mut self) -> Parsed<Tall> {
        let Span { start, .. } = self.here();
        let kind = match self.peek() {
            Token::Int => ExprKind::Int(self.integer()?),
            Token::True | Token::False => ExprKind::Bool(self.bump().token == Token::True),
            Token::Null => self.word(ExprKind::Null),
            Token::This => self.word(ExprKind::This),
            Token::Name => return self.name_or_call(),
            Token::New => return self.new_object(),
            Token::Chan => return self.new_channel(),
            Token::Spawn => return self.spawn(),
            Token::OpenParen => {
                let opener = self.bump().span;
                let inside = self.nested(|p| p.binary(1))?;
                self.expect_closing(Token::CloseParen, opener)?;
                return Ok(inside);
            }
            Token::Text => {
                let error = Error::new(self.here(), "a string is not a value", "only `panic` takes a string");
                return self.report(error);
            }
            _ => return self.unexpected("an expression"),
        };
        Ok(self.leaf(kind, self.since(start)))
    }

    fn word(&mut self, kind: ExprKind) -> ExprKind {
        self.bump();
        kind
    }

    /// `x`, `f(a)`, `max(a, b)`
    fn name_or_call(&mut self) -> Parsed<Tall> {
        let name = self.name("a name")?;
        let start = name.span.start;
        if self.peek() != Token::OpenParen {
            let span = name.span;
            return Ok(self.leaf(ExprKind::Name(name.text), span));
        }
        let (arguments, height) = self.arguments()?;
        let kind = match Builtin::named(&name.text) {
            Some(builtin) => ExprKind::Builtin(builtin, arguments),
            None => ExprKind::Call(name, arguments),
        };
        self.grow(kind, self.since(start), height)
    }

    /// `new C` or `new [T; n]`
    fn new_object(&mut self) -> Parsed<Tall> {
        let start = self.bump().span.start;
        if self.peek() != Token::OpenBracket {
            let name = self.name("the name of a class, or `[`")?;
            if self.peek() == Token::OpenParen {
                let error = Error::new(self.here(), "`new` takes no arguments", "no parentheses here");
                return self.report(error.help(format!(
                    "write `new {}`: fields are zero or null at first",
                    crate::error::shorten(&name.text)
                )));
            }
            return Ok(self.leaf(ExprKind::New(name), self.since(start)));
        }
        let opener = self.bump().span;
        let element = self.nested(Self::ty)?;
        self.expect(Token::Semicolon, "and the number of elements: `new [T; n]`")?;
        let count = self.nested(|p| p.binary(1))?;
        self.expect_closing(Token::CloseBracket, opener)?;
        self.grow(ExprKind::NewArray(element, Box::new(count.expr)), self.since(start), count.height)
    }

    /// `chan T(k)`
    fn new_channel(&mut self) -> Parsed<Tall> {
        let start = self.bump().span.start;
        let element = self.nested(Self::ty)?;
        let opener = self.expect(Token::OpenParen, "and the channel's capacity: `chan int(0)`")?;
        let capacity = self.nested(|p| p.binary(1))?;
        self.expect_closing(Token::CloseParen, opener)?;
        self.grow(ExprKind::NewChan(element, Box::new(capacity.expr)), self.since(start), capacity.height)
    }

    /// `spawn f(a)` or `spawn { .. }`
    fn spawn(&mut self) -> Parsed<Tall> {
        let start = self.bump().span.start;
        if self.peek() == Token::OpenBrace {
            let (block, height) = self.nested(Self::measured_block)?;
            return self.grow(ExprKind::SpawnBlock(block), self.since(start), height);
        }
        let name = self.name("a call or a block to run in the new thread")?;
        if self.peek() != Token::OpenParen {
            return self.no_spawn(name);
        }
        if let Some(help) = habits::builtin_as_thread(&name.text) {
            let error = Error::new(
                name.span,
                "a function of the language itself is no thread",
                "not a function of the program",
            );
            return self.report(error.help(help));
        }
        let (arguments, height) = self.arguments()?;
        self.grow(ExprKind::Spawn(name, arguments), self.since(start), height)
    }

    fn no_spawn<T>(&mut self, name: Name) -> Parsed<T> {
        let method = self.peek() == Token::Dot;
        let error = if method {
            Error::new(
                self.here(),
                "a method is not spawned directly",
                "expected the arguments of a function",
            )
            .help("write a block: `spawn { o.m(); }`")
        } else {
            Error::new(after(name.span), "expected `(` and the arguments", "expected `(`")
                .help(format!("write `spawn {}()`, or a block", crate::error::shorten(&name.text)))
        };
        self.report(error)
    }
}
