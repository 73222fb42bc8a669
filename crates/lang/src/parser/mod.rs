//! Tokens to the syntax tree, by recursive descent.
//!
//! Mistakes do not stop it: it goes on after the statement or item, and tells up to twenty at once. How deep a program is nested is
//! limited, on the way down for the parser's own stack, and on the way up ([`Tall`]) since `a + b + c` and `a.b.c` are
//! trees as deep as they are long; whoever walks the tree later may recurse without a thought.

mod expressions;
mod habits;
mod items;
mod literals;
mod statements;
#[cfg(test)]
mod tests;

use crate::ast::{Expr, Name, Program, Span, Type};
use crate::error::{Error, Errors, shorten};
use crate::lexer::{Lexeme, Token, lex};

pub(crate) use literals::magnitude;

/// How deep blocks, expressions, types and chains of `else if` may be nested.
pub const MAX_NESTING: u32 = 200;

/// Reads a program, or says what is wrong with it: several mistakes at once, at most about twenty.
pub fn parse(source: &str) -> Result<Program, Vec<Error>> {
    let mut errors = Errors::default();
    let tokens = lex(source, &mut errors).tokens;
    let mut parser = Parser { source, tokens, at: 0, depth: 0, tallest: 0, crooked: None, errors };
    let program = parser.program();
    parser.errors.or(program)
}

/// The error is on the list already.
struct Reported;

type Parsed<T> = Result<T, Reported>;

/// An expression and the height of its tree.
struct Tall {
    expr: Expr,
    height: u32,
}

struct Parser<'s> {
    source: &'s str,
    tokens: Vec<Lexeme>,
    /// The next token; never beyond the last, which is [`Token::End`].
    at: usize,
    /// How many constructs are open around here.
    depth: u32,
    /// The height of the tallest tree seen in the current block.
    tallest: u32,
    /// The first block whose braces stand as if one were missing in it.
    crooked: Option<Span>,
    errors: Errors,
}

impl Parser<'_> {
    fn peek(&self) -> Token {
        self.tokens[self.at].token
    }

    fn peek_at(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].token
    }

    /// Where the next token is.
    fn here(&self) -> Span {
        self.tokens[self.at].span
    }

    /// Where the last token was.
    fn before(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// From there to the last token.
    fn since(&self, start: u32) -> Span {
        Span { start, end: self.before().end.max(start) }
    }

    fn text(&self, span: Span) -> &str {
        &self.source[span.start as usize..span.end as usize]
    }

    fn bump(&mut self) -> Lexeme {
        let lexeme = self.tokens[self.at];
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        lexeme
    }

    fn eat(&mut self, token: Token) -> bool {
        let there = self.peek() == token;
        if there {
            self.bump();
        }
        there
    }

    /// The token itself, for what it belongs to.
    fn expect(&mut self, token: Token, purpose: &str) -> Parsed<Span> {
        if self.peek() == token {
            return Ok(self.bump().span);
        }
        self.unexpected(&format!("`{}` {purpose}", token.text()))
    }

    /// The closing one of a pair.
    fn expect_closing(&mut self, token: Token, opener: Span) -> Parsed<()> {
        if self.eat(token) {
            return Ok(());
        }
        let error = self.unexpected_error(&format!("`{}`", token.text()));
        self.report(error.related(opener, "to close this"))
    }

    /// Is the next token on a later line than the last one?
    fn on_new_line(&self) -> bool {
        let (last, next) = (self.before().end as usize, self.here().start as usize);
        self.source.get(last..next).is_none_or(|between| between.contains('\n'))
    }

    fn report<T>(&mut self, error: Error) -> Parsed<T> {
        self.errors.push(error);
        if self.errors.is_full() {
            self.at = self.tokens.len() - 1;
        }
        Err(Reported)
    }

    /// Says that something else should stand here.
    fn unexpected<T>(&mut self, wanted: &str) -> Parsed<T> {
        let error = self.unexpected_error(wanted);
        self.report(error)
    }

    fn unexpected_error(&self, wanted: &str) -> Error {
        let token = self.peek();
        // What is missing at the end of a line is missing there, not where the next one begins.
        let missing = token == Token::End || (self.on_new_line() && self.at > 0);
        let span = if missing { after(self.before()) } else { self.here() };
        let found = self.found();
        let error =
            Error::new(span, format!("expected {wanted}, found {found}"), format!("expected {wanted}"));
        match habits::mark(token) {
            Some(help) => error.help(help),
            None => error,
        }
    }

    /// The next token for a message.
    fn found(&self) -> String {
        match self.peek() {
            Token::Name | Token::Int => format!("`{}`", shorten(self.text(self.here()))),
            token @ (Token::Text | Token::Bad | Token::End) => token.text().to_owned(),
            token => format!("`{}`", token.text()),
        }
    }

    /// One level further down, if there are not too many already.
    fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            return self.too_deep(self.here());
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    /// Nothing is read after this.
    fn too_deep<T>(&mut self, span: Span) -> Parsed<T> {
        let error = Error::new(span, "this is nested too deeply", format!("more than {MAX_NESTING} levels"))
            .help("give parts of it names with `let`, or make functions of them");
        let result = self.report(error);
        self.errors.close();
        self.at = self.tokens.len() - 1;
        result
    }

    fn name(&mut self, of_what: &str) -> Parsed<Name> {
        let token = self.peek();
        if token == Token::Name {
            let span = self.here();
            if let Some(error) = habits::never_a_name(self.text(span), span) {
                return self.report(error);
            }
            self.bump();
            return Ok(Name { text: self.text(span).to_owned(), span });
        }
        let mut error = self.unexpected_error(of_what);
        if token.is_word() {
            error.help = Some(format!("`{}` is a word of the language and cannot be a name", token.text()));
        }
        self.report(error)
    }

    /// `int`, `[chan C]`, ...
    fn ty(&mut self) -> Parsed<Type> {
        let ty = match self.peek() {
            Token::IntType => Type::Int,
            Token::BoolType => Type::Bool,
            Token::Mutex => Type::Mutex,
            Token::Thread => Type::Thread,
            Token::Chan => {
                self.bump();
                return Ok(Type::Chan(Box::new(self.nested(Self::ty)?)));
            }
            Token::OpenBracket => return self.array_type(),
            Token::Name => {
                let name = self.text(self.here()).to_owned();
                if let Some(ty) = habits::foreign_type(&name) {
                    let error =
                        Error::new(self.here(), format!("there is no type `{name}`"), "not a type here");
                    return self.report(error.help(format!("write `{ty}`")));
                }
                Type::Class(name)
            }
            _ => return self.unexpected("a type"),
        };
        self.bump();
        Ok(ty)
    }

    /// `[T]` or `[T; n]`
    fn array_type(&mut self) -> Parsed<Type> {
        let opener = self.bump().span;
        let element = Box::new(self.nested(Self::ty)?);
        let ty = if self.eat(Token::Semicolon) {
            if self.peek() != Token::Int {
                return self.unexpected("a number: how many elements there are");
            }
            let span = self.here();
            let count = self.integer()?;
            match u32::try_from(count) {
                Ok(count) => Type::Inline(element, count),
                Err(_) => {
                    return self.report(Error::new(span, "this array is too large", "too many elements"));
                }
            }
        } else {
            Type::Array(element)
        };
        self.expect_closing(Token::CloseBracket, opener)?;
        Ok(ty)
    }
}

/// The place right behind: one byte, so that there is something to point at.
fn after(span: Span) -> Span {
    Span { start: span.end, end: span.end }
}
