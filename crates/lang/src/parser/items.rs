//! Globals, classes, functions, threads.

use super::{Parsed, Parser, Reported, habits};
use crate::ast::{Atomicity, Block, Class, Field, Function, Global, Name, Program, Span, ThreadItem, Type};
use crate::error::Error;
use crate::lexer::Token;

impl Parser<'_> {
    pub(super) fn program(&mut self) -> Program {
        let mut program = Program::default();
        while self.peek() != Token::End {
            let start = self.at;
            if let Err(Reported) = self.item(&mut program) {
                self.recover_item(start);
            }
        }
        program
    }

    /// To where the next item seems to start; at least one token further.
    fn recover_item(&mut self, start: usize) {
        loop {
            let foreign = || self.on_new_line() && self.foreign_item().is_some();
            if self.at > start && (self.peek() == Token::End || habits::is_item(self.peek()) || foreign()) {
                return;
            }
            let next = self.at;
            if self.peek() == Token::CloseBrace {
                self.bump();
            } else {
                self.recover(next);
            }
            if self.at == next {
                self.bump();
            }
        }
    }

    fn item(&mut self, program: &mut Program) -> Parsed<()> {
        if let Some(error) = self.foreign_item() {
            return self.report(error);
        }
        match self.peek() {
            Token::Global => self.globals(Atomicity::Plain, &mut program.globals),
            Token::Atomic => self.globals(Atomicity::Atomic, &mut program.globals),
            Token::Class => {
                let class = self.class()?;
                program.classes.push(class);
                Ok(())
            }
            Token::Fn if self.peek_at(1) == Token::Main => self.function_main(),
            Token::Fn => {
                let function = self.function()?;
                program.functions.push(function);
                Ok(())
            }
            Token::Main => self.only_block("main", &mut program.main),
            Token::Finally => self.only_block("finally", &mut program.finally),
            Token::Thread => {
                self.bump();
                let name = if self.peek() == Token::Name { Some(self.name("a name")?) } else { None };
                self.expect_body("thread")?;
                program.threads.push(ThreadItem { name, body: self.block()? });
                Ok(())
            }
            _ => self.no_item(),
        }
    }

    /// Something that stands in no block.
    fn no_item(&mut self) -> Parsed<()> {
        if self.peek() == Token::CloseBrace {
            // After a mistake it is as likely ours that a block seems closed already.
            if !self.errors.is_empty() {
                return Err(Reported);
            }
            return self.report(Error::new(self.here(), "this `}` closes nothing", "there is no `{` for it"));
        }
        let wanted = "`global`, `atomic`, `class`, `fn`, `main`, `thread` or `finally`";
        let error = self.unexpected_error(wanted);
        let statement = habits::starts_statement(self.peek()) || self.peek() == Token::Name;
        self.report(if statement && error.help.is_none() {
            error.help("statements stand in a block: `main { .. }`, `thread { .. }` or a function")
        } else {
            error
        })
    }

    /// `main { .. }` or `finally { .. }`, once.
    fn only_block(&mut self, word: &str, place: &mut Option<Block>) -> Parsed<()> {
        let span = self.bump().span;
        self.expect_body(word)?;
        let block = self.block()?;
        if let Some(first) = place {
            let start = Span { start: first.span.start, end: first.span.start + 1 };
            let error = Error::new(span, format!("there can be only one `{word}`"), "the second one");
            return self.report(error.related(start, "the first one"));
        }
        *place = Some(block);
        Ok(())
    }

    /// `fn main()`, which other languages have.
    fn function_main(&mut self) -> Parsed<()> {
        let start = self.bump().span.start;
        self.bump();
        let error = Error::new(self.since(start), "`main` is not a function", "without `fn`");
        self.report(error.help("write `main { .. }`"))
    }

    /// `global x = 1, y, a: [int; 4];`
    fn globals(&mut self, access: Atomicity, globals: &mut Vec<Global>) -> Parsed<()> {
        self.bump();
        loop {
            globals.push(self.global(access)?);
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.end_of_declaration("the declaration")
    }

    fn global(&mut self, access: Atomicity) -> Parsed<Global> {
        if self.peek() == Token::Atomic {
            let error = Error::new(self.here(), "`atomic` replaces `global`", "not here");
            return self.report(error.help("write `atomic x = 0;`"));
        }
        let name = self.name("the name of a variable")?;
        let said = if self.eat(Token::Colon) { Some(self.ty()?) } else { None };
        if !self.eat(Token::Assign) {
            return Ok(Global { name, ty: said.unwrap_or(Type::Int), access, value: 0 });
        }
        let start = self.here();
        let (value, natural) = self.constant()?;
        let ty = said.or(natural.clone());
        let Some(ty) = ty else {
            let error = Error::new(start, "of which type is this `null`?", "could be of any class");
            return self.report(
                error.help(format!("say it: `global {}: Node = null;`", crate::error::shorten(&name.text))),
            );
        };
        let fits = match (&ty, &natural) {
            (Type::Class(_) | Type::Array(_), None) => true,
            (ty, Some(natural)) => ty == natural,
            _ => false,
        };
        if !fits {
            let of = natural.map_or_else(|| "`null`".to_owned(), |t| format!("of type `{t}`"));
            let error = Error::new(
                start,
                format!("a variable of type `{ty}` cannot start like this"),
                format!("this is {of}"),
            );
            return self.report(error);
        }
        Ok(Global { name, ty, access, value })
    }

    /// What a global starts with, and its type; `null` has none of its own.
    fn constant(&mut self) -> Parsed<(i64, Option<Type>)> {
        let constant = match self.peek() {
            Token::Int => (self.integer()?, Some(Type::Int)),
            Token::Minus if self.peek_at(1) == Token::Int => {
                self.bump();
                (self.negative_integer()?, Some(Type::Int))
            }
            Token::True | Token::False => (i64::from(self.bump().token == Token::True), Some(Type::Bool)),
            Token::Null => {
                self.bump();
                (0, None)
            }
            _ => {
                let error = self.unexpected_error("a number, `true`, `false` or `null`");
                return self
                    .report(error.help("globals start with constants; compute other values in `main`"));
            }
        };
        if !matches!(self.peek(), Token::Semicolon | Token::Comma) && !self.on_new_line() {
            let error = self.unexpected_error("`;` or `,`");
            return self.report(error.help("globals start with constants; compute other values in `main`"));
        }
        Ok(constant)
    }

    /// The semicolon behind a declaration.
    fn end_of_declaration(&mut self, of: &str) -> Parsed<()> {
        if self.eat(Token::Semicolon) {
            return Ok(());
        }
        self.unexpected(&format!("`;` after {of}"))
    }

    /// `class C { x; fn m() { .. } }`
    fn class(&mut self) -> Parsed<Class> {
        self.bump();
        let name = self.name("the name of a class")?;
        let opener = self.expect(Token::OpenBrace, "and the fields and methods")?;
        let mut class = Class { name, fields: Vec::new(), methods: Vec::new() };
        loop {
            let start = self.at;
            let result = match self.peek() {
                Token::CloseBrace => {
                    self.note_indentation(opener);
                    self.bump();
                    return Ok(class);
                }
                Token::Fn => self.function().map(|f| class.methods.push(f)),
                Token::Name | Token::Atomic => self.field().map(|f| class.fields.push(f)),
                token if token == Token::End || habits::is_item(token) => return self.unclosed(opener),
                _ => match self.foreign_field() {
                    Some(error) => self.report(error),
                    None => self.unexpected("a field, a method or `}`"),
                },
            };
            if let Err(Reported) = result {
                self.recover_member(start);
            }
        }
    }

    fn recover_member(&mut self, start: usize) {
        self.recover(start);
        if self.at == start && self.peek() != Token::CloseBrace {
            self.bump();
        }
    }

    fn field(&mut self) -> Parsed<Field> {
        if let Some(error) = self.foreign_field() {
            return self.report(error);
        }
        let access = if self.eat(Token::Atomic) { Atomicity::Atomic } else { Atomicity::Plain };
        let name = self.name("the name of a field")?;
        let ty = if self.eat(Token::Colon) { self.ty()? } else { Type::Int };
        if self.peek() == Token::Assign {
            let error = Error::new(self.here(), "a field has no value of its own at first", "not here");
            return self.report(error.help("fields are zero or null; set them after `new`"));
        }
        self.end_of_declaration("the field")?;
        Ok(Field { name, ty, access })
    }

    /// `fn f(a, b: C) -> int { .. }`
    fn function(&mut self) -> Parsed<Function> {
        self.bump();
        let name = self.name("the name of a function")?;
        let params = self.params()?;
        let result = if self.eat(Token::Arrow) {
            self.ty()?
        } else if self.peek() == Token::Colon {
            let error = self.unexpected_error("`->` or the body");
            return self.report(error.help("the result's type stands behind `->`"));
        } else {
            Type::Unit
        };
        self.expect_body("fn")?;
        Ok(Function { name, params, result, body: self.block()? })
    }

    fn params(&mut self) -> Parsed<Vec<(Name, Type)>> {
        let opener = self.expect(Token::OpenParen, "and the parameters")?;
        let mut params = Vec::new();
        while self.peek() != Token::CloseParen {
            if let Some(error) = self.foreign_param() {
                return self.report(error);
            }
            let name = self.name("the name of a parameter")?;
            let ty = if self.eat(Token::Colon) { self.ty()? } else { Type::Int };
            params.push((name, ty));
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect_closing(Token::CloseParen, opener)?;
        Ok(params)
    }
}
