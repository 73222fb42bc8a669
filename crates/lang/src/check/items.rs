//! Declarations: names that are given twice, types that cannot stand where they do, and what a program consists of.

use super::{Body, Checker, MAX_ELEMENTS, MAX_MEMBERS, Members, shorten, unknown};
use crate::ast::{Atomicity, Block, Builtin, Class, Function, Global, Name, Program, Span, Type};
use crate::error::Error;
use foldhash::{HashMap, HashMapExt};

/// Where a type stands, which decides what it may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    Global,
    Field,
    /// A local, a parameter, a result.
    Value,
    /// An element of an array.
    Element,
    /// What a channel carries.
    Message,
}

impl<'p> Checker<'p> {
    /// What has a name, so that bodies may use it before it is declared.
    pub(super) fn declare(&mut self, program: &'p Program) {
        for class in &program.classes {
            let members = self.members(class);
            let earlier = self.classes.insert(&class.name.text, members).map(|c| c.class.name.span);
            self.once("class", &class.name, earlier);
            self.types.lay_out(class);
        }
        for function in &program.functions {
            let earlier = self.functions.insert(&function.name.text, function).map(|f| f.name.span);
            self.once("function", &function.name, earlier);
            self.not_builtin(&function.name);
        }
        for global in &program.globals {
            let earlier = self.globals.insert(&global.name.text, global).map(|g| g.name.span);
            self.once("variable", &global.name, earlier);
        }
        self.globals_types(&program.globals);
        for class in &program.classes {
            self.not_too_many(class.fields.len(), &class.name, "fields");
        }
        for field in program.classes.iter().flat_map(|c| &c.fields) {
            self.usable(&field.ty, field.name.span, Position::Field);
            self.atomic_of_value(field.access, &field.ty, &field.name);
        }
        let methods = program.classes.iter().flat_map(|c| &c.methods);
        for function in methods.chain(&program.functions) {
            self.not_too_many(function.params.len(), &function.name, "parameters");
            for (name, ty) in &function.params {
                self.usable(ty, name.span, Position::Value);
            }
            if function.result != Type::Unit {
                self.usable(&function.result, function.name.span, Position::Value);
            }
        }
        self.parts(program);
    }

    fn members(&mut self, class: &'p Class) -> Members<'p> {
        let mut members = Members { fields: HashMap::new(), methods: HashMap::new(), class };
        let mut spans: HashMap<&str, Span> = HashMap::new();
        for field in &class.fields {
            members.fields.insert(&field.name.text, &field.ty);
            let earlier = spans.insert(&field.name.text, field.name.span);
            self.once("field", &field.name, earlier);
        }
        for method in &class.methods {
            let earlier = members.methods.insert(&method.name.text, method).map(|m| m.name.span);
            self.once("method", &method.name, earlier);
        }
        members
    }

    /// Code numbers members with few bits.
    fn not_too_many(&mut self, count: usize, name: &Name, what: &str) {
        if count > MAX_MEMBERS {
            let message = format!("`{}` has {count} {what}", shorten(&name.text));
            self.errors.push(Error::new(name.span, message, format!("at most {MAX_MEMBERS} are possible")));
        }
    }

    /// Complains if the name was given before.
    pub(super) fn once(&mut self, kind: &str, name: &Name, earlier: Option<Span>) {
        if let Some(earlier) = earlier {
            let message = format!("there is a {kind} `{}` already", shorten(&name.text));
            self.errors
                .push(Error::new(name.span, message, "the second one").related(earlier, "the first one"));
        }
    }

    fn not_builtin(&mut self, name: &Name) {
        if Builtin::named(&name.text).is_some() {
            let message = format!("`{}` is a function of the language itself", name.text);
            self.errors.push(Error::new(name.span, message, "choose another name"));
        }
    }

    fn globals_types(&mut self, globals: &'p [Global]) {
        let mut elements = 0;
        for global in globals {
            self.usable(&global.ty, global.name.span, Position::Global);
            self.atomic_of_value(global.access, &global.ty, &global.name);
            self.start_value(global);
            let Type::Inline(_, count) = &global.ty else { continue };
            let before = elements;
            elements += u64::from(*count);
            if elements > MAX_ELEMENTS && before <= MAX_ELEMENTS {
                let message =
                    format!("the arrays that lie in place have more than {MAX_ELEMENTS} elements together");
                let error = Error::new(global.name.span, message, format!("{elements} elements up to here"));
                self.errors.push(error);
            }
        }
    }

    /// A parsed program's values fit their types; a made one's may not.
    fn start_value(&mut self, global: &Global) {
        let fits = match global.ty {
            Type::Int => true,
            Type::Bool => matches!(global.value, 0 | 1),
            _ => global.value == 0,
        };
        if !fits {
            let message = format!("a variable of type `{}` cannot start as {}", global.ty, global.value);
            self.errors.push(Error::new(global.name.span, message, "this variable"));
        }
    }

    fn atomic_of_value(&mut self, access: Atomicity, ty: &Type, name: &Name) {
        let inner = if let Type::Inline(element, _) = ty { element } else { ty };
        if access == Atomicity::Atomic && *inner == Type::Mutex {
            let error = Error::new(name.span, "a mutex is not atomic", "it is never read or written");
            self.errors.push(error.help("write `global m: mutex;`"));
        }
    }

    /// Complains about a type that is not known or may not stand there.
    pub(super) fn usable(&mut self, ty: &Type, span: Span, position: Position) -> Option<()> {
        match ty {
            Type::Mutex if matches!(position, Position::Value | Position::Message) => {
                let error = Error::new(span, "a mutex has no value", "it can be neither copied nor passed");
                return self.report(error.help("make it a global, a field or an element, and lock it there"));
            }
            Type::Inline(..) if position != Position::Global => {
                let error = Error::new(span, "only a global can be an array that lies in place", "not here");
                let Type::Inline(element, count) = ty else { return None };
                let help = format!(
                    "write `[{element}]` for a reference, and make the array by `new [{element}; {count}]`"
                );
                return self.report(error.help(help));
            }
            Type::Unit => {
                return self.report(Error::new(span, "`nothing` is not a type of values", "not here"));
            }
            Type::Class(name) if !self.classes.contains_key(name.as_str()) => {
                let mut error = unknown(span, "class", name, self.classes.keys().copied());
                error.label = "this type is not known".to_owned();
                return self.report(error);
            }
            Type::Chan(message) => self.usable(message, span, Position::Message)?,
            Type::Array(element) | Type::Inline(element, _) => {
                self.usable(element, span, Position::Element)?
            }
            _ => {}
        }
        Some(())
    }

    /// `main` alone, or threads and what comes after them.
    fn parts(&mut self, program: &'p Program) {
        let mut names: HashMap<&str, Span> = HashMap::new();
        for name in program.threads.iter().filter_map(|t| t.name.as_ref()) {
            let earlier = names.insert(&name.text, name.span);
            self.once("thread", name, earlier);
        }
        let thread = program.threads.first().map(|t| ("thread", &t.body));
        let finally = program.finally.as_ref().map(|f| ("finally", f));
        let start = |b: &Block| Span { start: b.span.start, end: b.span.start + 1 };
        match (&program.main, thread.or(finally)) {
            (Some(main), Some((word, body))) => {
                let message = format!("a program has either `main` or `{word}`");
                let error = Error::new(start(body), message, format!("this `{word}`"))
                    .related(start(main), "this `main`");
                self.errors
                    .push(error.help("`main` starts threads by `spawn`, and may wait for them by `wait`"));
            }
            (None, None) => {
                let error = Error::new(
                    Span::default(),
                    "the program does nothing",
                    "there is neither `main` nor `thread`",
                );
                self.errors.push(error.help("write `main { .. }`, or `thread { .. }` for each thread"));
            }
            (None, Some(("finally", body))) => {
                let error = Error::new(
                    start(body),
                    "`finally` comes after threads, and there are none",
                    "nothing before it",
                );
                self.errors.push(error.help("write `main { .. }`"));
            }
            _ => {}
        }
    }

    /// Everything that runs.
    pub(super) fn bodies(&mut self, program: &'p Program) {
        for class in &program.classes {
            for method in &class.methods {
                self.function(method, Some(&class.name.text));
            }
        }
        for function in &program.functions {
            self.function(function, None);
        }
        let threads = program.threads.iter().map(|t| &t.body);
        for body in program.main.iter().chain(threads).chain(&program.finally) {
            self.body = Body::default();
            self.block(body);
        }
    }

    fn function(&mut self, function: &'p Function, this: Option<&'p str>) {
        self.body = Body { result: Some(&function.result), this, sync: None, function: true };
        self.scopes.enter();
        for (name, ty) in &function.params {
            self.local("parameter", name, Some(ty.clone()));
        }
        self.statements(&function.body);
        self.scopes.leave();
        self.all_paths_return(function);
    }

    /// Declares a local.
    pub(super) fn local(&mut self, kind: &str, name: &'p Name, ty: Option<Type>) {
        let earlier = self.scopes.declare(name, ty).err();
        self.once(kind, name, earlier);
    }
}
