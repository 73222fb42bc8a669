//! Expressions and their types.

use super::{Checker, shorten, unknown};
use crate::ast::{Binary, Expr, ExprKind, Function, Name, Span, Type, Unary};
use crate::error::Error;

impl<'p> Checker<'p> {
    /// The type of a value or place; `wanted` is what a `null` takes its type from.
    pub(super) fn ty(&mut self, e: &'p Expr, wanted: Option<&Type>) -> Option<Type> {
        let ty = self.find(e, wanted)?;
        self.types.record(e, &ty);
        Some(ty)
    }

    /// The type of something that can be computed with, stored and passed.
    pub(super) fn value(&mut self, e: &'p Expr, wanted: Option<&Type>) -> Option<Type> {
        let (message, label, help) = match self.ty(e, wanted)? {
            Type::Mutex => ("a mutex has no value", "it can only be locked and unlocked", None),
            Type::Unit => ("this returns nothing", "there is no value to use", None),
            Type::Inline(element, count) => (
                "an array that lies in place is no value",
                "only its elements and its length are",
                Some(format!(
                    "for an array that can be passed, declare `[{element}]` and `new [{element}; {count}]`"
                )),
            ),
            ty => return Some(ty),
        };
        let error = Error::new(e.span, message, label);
        self.report(match help {
            Some(help) => error.help(help),
            None => error,
        })
    }

    /// A value of that type; `what` says what it is for.
    pub(super) fn expect(&mut self, e: &'p Expr, wanted: &Type, what: &str) -> Option<()> {
        let ty = self.value(e, Some(wanted))?;
        if ty == *wanted {
            return Some(());
        }
        let error =
            Error::new(e.span, format!("{what} must be `{wanted}`, and this is `{ty}`"), format!("`{ty}`"));
        self.report(match (wanted, &ty) {
            (Type::Bool, Type::Int) => error.help("compare it: `x != 0`"),
            _ => error,
        })
    }

    pub(super) fn argument(&mut self, e: &'p Expr, wanted: &Type, of: &str, position: usize) {
        self.expect(e, wanted, &format!("argument {} of `{}`", position + 1, shorten(of)));
    }

    fn find(&mut self, e: &'p Expr, wanted: Option<&Type>) -> Option<Type> {
        match &e.kind {
            ExprKind::Int(_) => Some(Type::Int),
            ExprKind::Bool(_) => Some(Type::Bool),
            ExprKind::Null => self.null(e.span, wanted),
            ExprKind::Name(name) => self.name(name, e.span),
            ExprKind::This => match self.body.this {
                Some(class) => Some(Type::Class(class.to_owned())),
                None => self.report(Error::new(
                    e.span,
                    "there is no `this` outside of a class",
                    "not in a method",
                )),
            },
            ExprKind::Field(base, name) => self.field(base, name),
            ExprKind::Index(base, index) => self.index(base, index),
            ExprKind::Unary(Unary::Negate, operand) => {
                self.expect(operand, &Type::Int, "an operand of `-`")?;
                Some(Type::Int)
            }
            ExprKind::Unary(Unary::Not, operand) => {
                self.expect(operand, &Type::Bool, "the operand of `!`")?;
                Some(Type::Bool)
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Call(name, arguments) => {
                let function = self.function_named(name, arguments)?;
                self.call(&name.text, function, arguments, e.span)
            }
            ExprKind::Method(base, name, arguments) => self.method(base, name, arguments, e.span),
            ExprKind::Builtin(builtin, arguments) => self.builtin(*builtin, arguments, e.span),
            ExprKind::New(name) if self.classes.contains_key(name.text.as_str()) => {
                Some(Type::Class(name.text.clone()))
            }
            ExprKind::New(name) => {
                let error = unknown(name.span, "class", &name.text, self.classes.keys().copied());
                self.report(error)
            }
            ExprKind::NewArray(element, count) => self.new_array(element, count, e.span),
            ExprKind::NewChan(message, capacity) => self.new_channel(message, capacity, e.span),
            ExprKind::Receive(channel) => self.channel(channel),
            ExprKind::Spawn(name, arguments) => {
                let function = self.function_named(name, arguments)?;
                self.call(&name.text, function, arguments, e.span)?;
                Some(Type::Thread)
            }
            ExprKind::SpawnBlock(block) => {
                self.spawned(block);
                Some(Type::Thread)
            }
        }
    }

    fn null(&mut self, span: Span, wanted: Option<&Type>) -> Option<Type> {
        match wanted {
            Some(ty @ (Type::Class(_) | Type::Array(_))) => Some(ty.clone()),
            Some(ty) => {
                let error = Error::new(span, format!("expected `{ty}`, which is never `null`"), "`null`");
                self.report(error.help("only objects and arrays can be `null`"))
            }
            None => {
                let error = Error::new(span, "of which type is this `null`?", "could be of any class");
                self.report(error.help("say it: `let x: Node = null;`"))
            }
        }
    }

    fn name(&mut self, name: &str, span: Span) -> Option<Type> {
        if let Some(local) = self.scopes.find(name) {
            return local.clone();
        }
        if let Some(global) = self.globals.get(name) {
            return Some(global.ty.clone());
        }
        let shown = shorten(name);
        let this = self.body.this.and_then(|class| self.classes.get(class));
        let error = if self.functions.contains_key(name) {
            Error::new(span, format!("`{shown}` is a function"), "not called")
                .help(format!("write `{shown}(..)`"))
        } else if this.is_some_and(|c| c.fields.contains_key(name)) {
            Error::new(span, format!("there is no variable `{shown}`"), "a field of this class")
                .help(format!("write `this.{shown}`"))
        } else {
            let known = self.scopes.names().chain(self.globals.keys().copied());
            unknown(span, "variable", name, known)
        };
        self.report(error)
    }

    fn field(&mut self, base: &'p Expr, name: &'p Name) -> Option<Type> {
        let ty = self.ty(base, None)?;
        match &ty {
            Type::Array(_) | Type::Inline(..) if name.text == "length" => Some(Type::Int),
            Type::Array(_) | Type::Inline(..) => {
                let error = Error::new(
                    name.span,
                    format!("an array has no field `{}`", shorten(&name.text)),
                    "not known",
                );
                self.report(error.help("it has a `length`, and elements `a[i]`"))
            }
            Type::Class(class) => self.field_of(class, name),
            Type::Int => {
                let error = Error::new(name.span, "a number has no fields", "not known");
                self.report(error.help("if it is an address, its cells are `p[0]`, `p[1]`, ..."))
            }
            ty => self.report(Error::new(name.span, format!("`{ty}` has no fields"), "not known")),
        }
    }

    fn field_of(&mut self, class: &str, name: &Name) -> Option<Type> {
        let members = self.classes.get(class)?;
        if let Some(ty) = members.fields.get(name.text.as_str()) {
            return Some((*ty).clone());
        }
        let shown = shorten(&name.text);
        let error = if members.methods.contains_key(name.text.as_str()) {
            Error::new(name.span, format!("`{shown}` is a method"), "not called")
                .help(format!("write `.{shown}(..)`"))
        } else {
            let mut error = unknown(name.span, "field", &name.text, members.fields.keys().copied());
            error.message = format!("there is no field `{shown}` in class `{}`", shorten(class));
            error.related(members.class.name.span, "this class")
        };
        self.report(error)
    }

    fn index(&mut self, base: &'p Expr, index: &'p Expr) -> Option<Type> {
        let ty = self.ty(base, None);
        self.expect(index, &Type::Int, "an index");
        match ty? {
            Type::Array(element) | Type::Inline(element, _) => Some(*element),
            // A heap cell.
            Type::Int => Some(Type::Int),
            ty => {
                let error = Error::new(base.span, format!("`{ty}` has no elements"), format!("`{ty}`"));
                self.report(error.help("only arrays and addresses have"))
            }
        }
    }

    fn binary(&mut self, op: Binary, left: &'p Expr, right: &'p Expr) -> Option<Type> {
        use Binary::{Add, And, Divide, Equal, Multiply, NotEqual, Or, Remainder, Subtract};
        use Binary::{Greater, GreaterEqual, Less, LessEqual};
        let (operands, result) = match op {
            Add | Subtract | Multiply | Divide | Remainder => (Type::Int, Type::Int),
            Less | LessEqual | Greater | GreaterEqual => (Type::Int, Type::Bool),
            And | Or => (Type::Bool, Type::Bool),
            Equal | NotEqual => return self.equality(op, left, right),
        };
        let what = format!("an operand of `{}`", op.sign());
        let left = self.expect(left, &operands, &what);
        let right = self.expect(right, &operands, &what);
        left.and(right).map(|()| result)
    }

    /// `==` and `!=` compare values of one type; a `null` takes the other side's.
    fn equality(&mut self, op: Binary, left: &'p Expr, right: &'p Expr) -> Option<Type> {
        if left.kind == ExprKind::Null && right.kind == ExprKind::Null {
            return self.report(Error::new(left.span, "`null` is always `null`", "nothing to compare"));
        }
        let (first, second) = if left.kind == ExprKind::Null { (right, left) } else { (left, right) };
        let first = self.value(first, None);
        if first.is_none() && second.kind == ExprKind::Null {
            return None;
        }
        let second_ty = self.value(second, first.as_ref());
        let (first, second_ty) = (first?, second_ty?);
        if first == second_ty {
            return Some(Type::Bool);
        }
        let message =
            format!("`{}` compares values of one type, and these are `{first}` and `{second_ty}`", op.sign());
        self.report(Error::new(second.span, message, format!("`{second_ty}`")))
    }

    fn function_named(&mut self, name: &'p Name, arguments: &'p [Expr]) -> Option<&'p Function> {
        if let Some(function) = self.functions.get(name.text.as_str()) {
            return Some(function);
        }
        arguments.iter().for_each(|a| self.glance(a));
        let this = self.body.this.and_then(|class| self.classes.get(class));
        let shown = shorten(&name.text);
        let error = if this.is_some_and(|c| c.methods.contains_key(name.text.as_str())) {
            Error::new(name.span, format!("there is no function `{shown}`"), "a method of this class")
                .help(format!("write `this.{shown}(..)`"))
        } else {
            let builtins = crate::ast::Builtin::ALL.iter().map(|(text, _)| *text);
            unknown(name.span, "function", &name.text, self.functions.keys().copied().chain(builtins))
        };
        self.report(error)
    }

    fn method(&mut self, base: &'p Expr, name: &'p Name, arguments: &'p [Expr], span: Span) -> Option<Type> {
        let ty = self.value(base, None);
        let method = ty.as_ref().and_then(|ty| self.method_of(ty, name));
        let Some(method) = method else {
            arguments.iter().for_each(|a| self.glance(a));
            return None;
        };
        self.call(&name.text, method, arguments, span)
    }

    fn method_of(&mut self, ty: &Type, name: &Name) -> Option<&'p Function> {
        let Type::Class(class) = ty else {
            return self.report(Error::new(name.span, format!("`{ty}` has no methods"), "not known"));
        };
        let members = self.classes.get(class.as_str())?;
        if let Some(method) = members.methods.get(name.text.as_str()) {
            return Some(method);
        }
        let mut error = unknown(name.span, "method", &name.text, members.methods.keys().copied());
        error.message = format!("there is no method `{}` in class `{}`", shorten(&name.text), shorten(class));
        let error = error.related(members.class.name.span, "this class");
        self.report(error)
    }

    /// Arguments against parameters.
    fn call(
        &mut self,
        name: &str,
        function: &'p Function,
        arguments: &'p [Expr],
        span: Span,
    ) -> Option<Type> {
        if function.params.len() != arguments.len() {
            return self.wrong_arity(name, function.params.len(), arguments, span);
        }
        for (position, ((_, ty), argument)) in function.params.iter().zip(arguments).enumerate() {
            self.argument(argument, ty, name, position);
        }
        Some(function.result.clone())
    }

    pub(super) fn wrong_arity<T>(
        &mut self,
        name: &str,
        wanted: usize,
        arguments: &'p [Expr],
        span: Span,
    ) -> Option<T> {
        for argument in arguments {
            self.glance(argument);
        }
        let plural = if wanted == 1 { "argument" } else { "arguments" };
        let message = format!("`{}` takes {wanted} {plural}, not {}", shorten(name), arguments.len());
        self.report(Error::new(span, message, format!("{} given", arguments.len())))
    }
}
