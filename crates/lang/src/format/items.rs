//! Items, in the order of the source; without one, globals, classes and functions come before what runs.

use super::{Gap, Printer};
use crate::ast::{Atomicity, Block, Class, Field, Function, Global, Name, Program, Type};
use crate::lexer::Token;
use std::fmt::Write;

enum Item<'p> {
    Globals(&'p [Global]),
    Class(&'p Class),
    Function(&'p Function),
    /// `main`, `thread name`, `finally`
    Block(&'static str, Option<&'p Name>, &'p Block),
}

impl Item<'_> {
    /// A place in it, near its start.
    fn position(&self) -> u32 {
        match self {
            Item::Globals(globals) => globals.first().map_or(0, |g| g.name.span.start),
            Item::Class(class) => class.name.span.start,
            Item::Function(function) => function.name.span.start,
            Item::Block(_, name, block) => name.map_or(block.span.start, |n| n.span.start),
        }
    }
}

enum Member<'p> {
    Field(&'p Field),
    Method(&'p Function),
}

impl<'s> Printer<'s> {
    pub(super) fn program(mut self, program: &Program) -> String {
        let mut items = self.declarations(&program.globals);
        items.extend(program.classes.iter().map(Item::Class));
        items.extend(program.functions.iter().map(Item::Function));
        items.extend(program.main.iter().map(|b| Item::Block("main", None, b)));
        items.extend(program.threads.iter().map(|t| Item::Block("thread", t.name.as_ref(), &t.body)));
        items.extend(program.finally.iter().map(|b| Item::Block("finally", None, b)));
        if self.layout.is_some() {
            items.sort_by_key(Item::position);
        }
        let mut after_body = false;
        for item in &items {
            let body = !matches!(item, Item::Globals(_));
            self.item(item, if body || after_body { Gap::Forced } else { Gap::Kept });
            after_body = body;
        }
        self.comments(u32::MAX);
        self.out
    }

    /// Globals that are declared together.
    fn declarations<'p>(&self, globals: &'p [Global]) -> Vec<Item<'p>> {
        let together = |a: &Global, b: &Global| {
            a.access == b.access && a.name.span.end <= b.name.span.start && self.layout.goes_on(a.name.span)
        };
        globals.chunk_by(together).map(Item::Globals).collect()
    }

    fn item(&mut self, item: &Item<'_>, gap: Gap) {
        match item {
            Item::Globals(globals) => self.globals(globals, gap),
            Item::Class(class) => self.class(class, gap),
            Item::Function(function) => self.function(function, gap),
            Item::Block(word, name, block) => {
                self.begin(item.position(), block.span.start, gap);
                self.push(word);
                if let Some(name) = name {
                    self.push(" ");
                    self.push(&name.text);
                }
                self.push(" ");
                self.block(block);
                self.end_line(block.span.end);
            }
        }
    }

    fn globals(&mut self, globals: &[Global], gap: Gap) {
        let (Some(first), Some(last)) = (globals.first(), globals.last()) else { return };
        let end = self.layout.declaration_end(last.name.span);
        self.begin(first.name.span.start, end, gap);
        self.push(if first.access == Atomicity::Atomic { "atomic " } else { "global " });
        for (n, global) in globals.iter().enumerate() {
            if n > 0 {
                self.push(", ");
            }
            self.global(global);
        }
        self.push(";");
        self.end_line(end);
    }

    fn global(&mut self, global: &Global) {
        let span = global.name.span;
        self.push(&global.name.text);
        let value = global.value != 0 || self.layout.says_value(span);
        // A value of its own says that it is a truth value.
        let natural = if value && global.ty == Type::Bool { Type::Bool } else { Type::Int };
        self.type_of(&global.name, &global.ty, &natural);
        if !value {
            return;
        }
        self.push(" = ");
        match global.ty {
            Type::Int => {
                self.push(if global.value < 0 { "-" } else { "" });
                match self.layout.start_value(span, global.value) {
                    Some(text) => self.push(text),
                    None => {
                        let _ = write!(self.out, "{}", global.value.unsigned_abs());
                    }
                }
            }
            Type::Bool => self.push(if global.value == 0 { "false" } else { "true" }),
            _ => self.push("null"),
        }
    }

    /// `: T`, unless it is what saying nothing means, and nothing was said.
    fn type_of(&mut self, name: &Name, ty: &Type, natural: &Type) {
        if ty != natural || self.layout.says_type(name.span) {
            self.push(": ");
            self.ty(ty);
        }
    }

    fn class(&mut self, class: &Class, gap: Gap) {
        let name = class.name.span;
        let brace = self.layout.find(Token::OpenBrace, name.end).map_or(name.end, |b| b.start);
        let mut members: Vec<Member> = class.fields.iter().map(Member::Field).collect();
        members.extend(class.methods.iter().map(Member::Method));
        let position = |m: &Member| match m {
            Member::Field(field) => field.name.span,
            Member::Method(method) => method.name.span,
        };
        if self.layout.is_some() {
            members.sort_by_key(|m| position(m).start);
        }
        let last = members.last().map_or(brace, |m| match m {
            Member::Field(field) => field.name.span.end,
            Member::Method(method) => method.body.span.end,
        });
        let closing = self.layout.find(Token::CloseBrace, last).map_or(last, |b| b.start);
        self.begin(name.start, brace, gap);
        self.push("class ");
        self.push(&class.name.text);
        self.push(" ");
        if members.is_empty() && self.layout.comment_before(closing).is_none() {
            self.push("{}");
        } else {
            self.open(brace, members.is_empty());
            self.members(&members);
            self.close(closing);
        }
        self.end_line(closing.saturating_add(1));
    }

    fn members(&mut self, members: &[Member<'_>]) {
        let mut after_method = false;
        for member in members {
            match member {
                Member::Field(field) => self.field(field, if after_method { Gap::Forced } else { Gap::Kept }),
                Member::Method(method) => self.function(method, Gap::Forced),
            }
            after_method = matches!(member, Member::Method(_));
        }
    }

    fn field(&mut self, field: &Field, gap: Gap) {
        let end = self.layout.declaration_end(field.name.span);
        self.begin(field.name.span.start, end, gap);
        if field.access == Atomicity::Atomic {
            self.push("atomic ");
        }
        self.push(&field.name.text);
        self.type_of(&field.name, &field.ty, &Type::Int);
        self.push(";");
        self.end_line(end);
    }

    fn function(&mut self, function: &Function, gap: Gap) {
        self.begin(function.name.span.start, function.body.span.start, gap);
        self.push("fn ");
        self.push(&function.name.text);
        self.push("(");
        for (n, (name, ty)) in function.params.iter().enumerate() {
            if n > 0 {
                self.push(", ");
            }
            self.push(&name.text);
            self.type_of(name, ty, &Type::Int);
        }
        self.push(")");
        if function.result != Type::Unit {
            self.push(" -> ");
            self.ty(&function.result);
        }
        self.push(" ");
        self.block(&function.body);
        self.end_line(function.body.span.end);
    }
}
