//! Pieces of syntax that come from no source.

use deadheat_lang::ast::{
    Atomicity, Binary, Block, Expr, ExprKind, Global, Name, Span, Statement, StatementKind, Type, Unary,
};

pub fn at(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

fn made(kind: ExprKind) -> Expr {
    at(kind, Span::default())
}

pub fn statement(kind: StatementKind) -> Statement {
    Statement { kind, span: Span::default() }
}

pub fn word(text: &str) -> Name {
    Name { text: text.to_owned(), span: Span::default() }
}

pub fn name(text: &str) -> Expr {
    made(ExprKind::Name(text.to_owned()))
}

pub fn int(n: u32) -> Expr {
    made(ExprKind::Int(i64::from(n)))
}

pub fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
    made(ExprKind::Binary(op, Box::new(a), Box::new(b)))
}

/// `n + e`, or just `e` for 0.
pub fn offset(n: u32, e: Expr) -> Expr {
    match (n, e.kind) {
        (0, kind) => made(kind),
        (n, kind) => binary(Binary::Add, int(n), made(kind)),
    }
}

pub fn not(e: Expr) -> Expr {
    made(ExprKind::Unary(Unary::Not, Box::new(e)))
}

pub fn element(array: &str, index: Expr) -> Expr {
    made(ExprKind::Index(Box::new(name(array)), Box::new(index)))
}

pub fn call(function: &str, arguments: Vec<Expr>) -> Expr {
    made(ExprKind::Call(word(function), arguments))
}

/// `function(arguments);`
pub fn perform(function: &str, arguments: Vec<Expr>) -> Statement {
    statement(StatementKind::Do(call(function, arguments)))
}

pub fn let_(local: &str, value: Expr) -> Statement {
    statement(StatementKind::Let(word(local), None, value))
}

pub fn block(statements: Vec<Statement>) -> Block {
    Block { statements, span: Span::default() }
}

pub fn global_array(name: &str, element: Type, length: u32) -> Global {
    let ty = Type::Inline(Box::new(element), length);
    Global { name: word(name), ty, access: Atomicity::Plain, value: 0 }
}
