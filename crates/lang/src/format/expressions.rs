//! Expressions, with parentheses only where the tree would be another one without.

use super::Printer;
use crate::ast::{Binary, Expr, ExprKind, Type, Unary};
use std::fmt::Write;

/// How tightly an expression binds; see the parser.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Or,
    And,
    Comparison,
    Sum,
    Product,
    Prefix,
    Postfix,
}

impl Level {
    fn of(e: &Expr) -> Level {
        match &e.kind {
            ExprKind::Binary(op, ..) => Level::of_operator(*op),
            ExprKind::Unary(..) | ExprKind::Receive(_) => Level::Prefix,
            ExprKind::Int(n) if *n < 0 => Level::Prefix,
            _ => Level::Postfix,
        }
    }

    fn of_operator(op: Binary) -> Level {
        match op {
            Binary::Or => Level::Or,
            Binary::And => Level::And,
            Binary::Add | Binary::Subtract => Level::Sum,
            Binary::Multiply | Binary::Divide | Binary::Remainder => Level::Product,
            _ => Level::Comparison,
        }
    }

    fn next(self) -> Level {
        match self {
            Level::Or => Level::And,
            Level::And => Level::Comparison,
            Level::Comparison => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product => Level::Prefix,
            Level::Prefix | Level::Postfix => Level::Postfix,
        }
    }
}

/// Would the statement of this expression end behind the block that it starts with?
fn starts_with_block(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::SpawnBlock(_) => true,
        ExprKind::Binary(_, first, _) => Level::of(first) >= Level::of(e) && starts_with_block(first),
        ExprKind::Field(first, _) | ExprKind::Index(first, _) | ExprKind::Method(first, ..) => {
            starts_with_block(first)
        }
        _ => false,
    }
}

impl Printer<'_> {
    /// An expression on its own.
    pub(super) fn expr(&mut self, e: &Expr) {
        self.within(e, Level::Or);
    }

    /// An expression that starts a statement.
    pub(super) fn first_expr(&mut self, e: &Expr) {
        if starts_with_block(e) { self.in_parentheses(e) } else { self.expr(e) }
    }

    /// An expression where only what binds at least so tightly can stand without parentheses.
    pub(super) fn within(&mut self, e: &Expr, least: Level) {
        if Level::of(e) < least { self.in_parentheses(e) } else { self.bare(e) }
    }

    fn in_parentheses(&mut self, e: &Expr) {
        self.push("(");
        self.bare(e);
        self.push(")");
    }

    fn bare(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Int(n) => self.number(*n, e.span),
            ExprKind::Bool(true) => self.push("true"),
            ExprKind::Bool(false) => self.push("false"),
            ExprKind::Null => self.push("null"),
            ExprKind::Name(name) => self.push(name),
            ExprKind::This => self.push("this"),
            ExprKind::Field(base, name) => {
                self.within(base, Level::Postfix);
                self.push(".");
                self.push(&name.text);
            }
            ExprKind::Index(base, index) => {
                self.within(base, Level::Postfix);
                self.push("[");
                self.expr(index);
                self.push("]");
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Call(name, arguments) => {
                self.push(&name.text);
                self.arguments(arguments);
            }
            ExprKind::Method(base, name, arguments) => {
                self.within(base, Level::Postfix);
                self.push(".");
                self.push(&name.text);
                self.arguments(arguments);
            }
            ExprKind::Builtin(builtin, arguments) => {
                self.push(builtin.name());
                self.arguments(arguments);
            }
            ExprKind::New(name) => {
                self.push("new ");
                self.push(&name.text);
            }
            ExprKind::NewArray(element, count) => {
                self.push("new [");
                self.ty(element);
                self.push("; ");
                self.expr(count);
                self.push("]");
            }
            ExprKind::NewChan(message, capacity) => {
                self.push("chan ");
                self.ty(message);
                self.push("(");
                self.expr(capacity);
                self.push(")");
            }
            ExprKind::Receive(channel) => {
                self.push("<-");
                self.within(channel, Level::Prefix);
            }
            ExprKind::Spawn(name, arguments) => {
                self.push("spawn ");
                self.push(&name.text);
                self.arguments(arguments);
            }
            ExprKind::SpawnBlock(block) => {
                self.push("spawn ");
                self.block(block);
            }
        }
    }

    fn number(&mut self, n: i64, span: crate::ast::Span) {
        if n < 0 {
            self.push("-");
        }
        match self.layout.number(span, n.unsigned_abs()) {
            Some(text) => self.push(text),
            None => {
                let _ = write!(self.out, "{}", n.unsigned_abs());
            }
        }
    }

    fn unary(&mut self, op: Unary, operand: &Expr) {
        // `-5` is a number, not the negation of one, and `--` is no operator.
        let clash = matches!(operand.kind, ExprKind::Int(_) | ExprKind::Unary(Unary::Negate, _));
        match op {
            Unary::Not => {
                self.push("!");
                self.within(operand, Level::Prefix);
            }
            Unary::Negate => {
                self.push("-");
                if clash { self.in_parentheses(operand) } else { self.within(operand, Level::Prefix) }
            }
        }
    }

    fn binary(&mut self, op: Binary, left: &Expr, right: &Expr) {
        let level = Level::of_operator(op);
        let chains = level != Level::Comparison;
        self.within(left, if chains { level } else { level.next() });
        self.push(" ");
        self.push(op.sign());
        self.push(" ");
        self.within(right, level.next());
    }

    fn arguments(&mut self, arguments: &[Expr]) {
        self.push("(");
        self.list(arguments);
        self.push(")");
    }

    /// With commas between.
    pub(super) fn list(&mut self, values: &[Expr]) {
        for (n, value) in values.iter().enumerate() {
            if n > 0 {
                self.push(", ");
            }
            self.expr(value);
        }
    }

    pub(super) fn ty(&mut self, ty: &Type) {
        let _ = write!(self.out, "{ty}");
    }
}
