//! What the parser makes of the concrete syntax; mistakes are in `tests/errors`.

use super::parse;
use crate::ast::{Atomicity, Binary, ExprKind, Program, StatementKind, Type, Unary};

fn program(source: &str) -> Program {
    parse(source).unwrap_or_else(|errors| panic!("{}", errors[0].render("test", source, false)))
}

/// The expression of `main { x = E; }`.
fn expr(source: &str) -> ExprKind {
    let program = program(&format!("main {{ x = {source}; }}"));
    match program.main.unwrap().statements.remove(0).kind {
        StatementKind::Assign(_, e) => e.kind,
        other => panic!("{other:?}"),
    }
}

fn statement(source: &str) -> StatementKind {
    program(&format!("main {{ {source} }}")).main.unwrap().statements.remove(0).kind
}

/// With parentheses around everything.
fn shape(e: &ExprKind) -> String {
    match e {
        ExprKind::Int(n) => n.to_string(),
        ExprKind::Name(n) => n.clone(),
        ExprKind::Unary(Unary::Negate, e) => format!("(-{})", shape(&e.kind)),
        ExprKind::Unary(Unary::Not, e) => format!("(!{})", shape(&e.kind)),
        ExprKind::Receive(e) => format!("(<-{})", shape(&e.kind)),
        ExprKind::Field(e, name) => format!("({}.{})", shape(&e.kind), name.text),
        ExprKind::Index(e, i) => format!("({}[{}])", shape(&e.kind), shape(&i.kind)),
        ExprKind::Binary(op, a, b) => {
            let sign = match op {
                Binary::Add => "+",
                Binary::Subtract => "-",
                Binary::Multiply => "*",
                Binary::Less => "<",
                Binary::Equal => "==",
                Binary::And => "&&",
                Binary::Or => "||",
                other => panic!("{other:?}"),
            };
            format!("({} {sign} {})", shape(&a.kind), shape(&b.kind))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn precedence() {
    for (source, wanted) in [
        ("a || b && c == d + e * f", "(a || (b && (c == (d + (e * f)))))"),
        ("a * b + c == d && e || f", "(((((a * b) + c) == d) && e) || f)"),
        ("a - b - c", "((a - b) - c)"),
        ("a - (b - c)", "(a - (b - c))"),
        ("-a * !b", "((-a) * (!b))"),
        ("-a.b[c + 1].d", "(-(((a.b)[(c + 1)]).d))"),
        ("<-c + <-d", "((<-c) + (<-d))"),
        ("(a < b) == (c < d)", "((a < b) == (c < d))"),
        ("-5", "-5"),
        ("a - 5", "(a - 5)"),
        ("a - -5", "(a - -5)"),
        ("-(5)", "(-5)"),
        ("-5[0]", "(-(5[0]))"),
        ("(-5)[0]", "(-5[0])"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("0xff + 1_000", "(255 + 1000)"),
    ] {
        assert_eq!(shape(&expr(source)), wanted, "{source}");
    }
}

#[test]
fn else_if_is_a_block_with_one_statement() {
    assert!(matches!(
        statement("if a { } else if b { } else { x = 1; }"),
        StatementKind::If(_, _, Some(block)) if matches!(&block.statements[..], [one] if matches!(one.kind, StatementKind::If(_, _, Some(_))))
    ));
}

#[test]
fn sending_and_receiving() {
    assert!(matches!(statement("c <- 1;"), StatementKind::Send(..)));
    assert!(matches!(statement("<-c;"), StatementKind::Do(e) if matches!(e.kind, ExprKind::Receive(_))));
    assert!(
        matches!(statement("c <- <-d;"), StatementKind::Send(_, e) if matches!(e.kind, ExprKind::Receive(_)))
    );
    assert!(
        matches!(statement("<-c <- 1;"), StatementKind::Send(e, _) if matches!(e.kind, ExprKind::Receive(_)))
    );
    let select = statement("select { case c <- 1 { } case let x = <-c { } case <-c { } default { } }");
    assert!(matches!(select, StatementKind::Select(cases, Some(_)) if cases.len() == 3));
}

#[test]
fn lists_of_globals() {
    let program =
        program("global x = -1, y, a: [int; 4], m: mutex; atomic done = false; global n: Node = null;");
    let told: Vec<_> =
        program.globals.iter().map(|g| (g.name.text.as_str(), g.ty.to_string(), g.value)).collect();
    let int = || "int".to_owned();
    assert_eq!(told[..2], [("x", int(), -1), ("y", int(), 0)]);
    assert_eq!(program.globals[2].ty, Type::Inline(Box::new(Type::Int), 4));
    assert_eq!((&program.globals[4].ty, program.globals[4].access), (&Type::Bool, Atomicity::Atomic));
    assert_eq!(told[5], ("n", "Node".to_owned(), 0));
}

#[test]
fn a_spawned_block_ends_its_statement() {
    assert_eq!(program("main { spawn { x = 1; } <-c; spawn { }; }").main.unwrap().statements.len(), 3);
}

#[test]
fn channels_of_channels() {
    let ExprKind::NewChan(ty, _) = expr("chan chan [Node](2)") else { panic!() };
    assert_eq!(ty.to_string(), "chan [Node]");
}

#[test]
fn strings_have_escapes() {
    assert_eq!(statement(r#"panic "a\n\"\\";"#), StatementKind::Panic(Some("a\n\"\\".to_owned())));
}
