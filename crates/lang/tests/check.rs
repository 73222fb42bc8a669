//! What the checker accepts, and the types that it finds; what it refuses is in `errors.rs`.

use deadheat_lang::ast::{Expr, ExprKind, Program, StatementKind, Type};
use deadheat_lang::{Types, check, parse};

fn parsed(source: &str) -> Program {
    parse(source).unwrap_or_else(|e| panic!("{}", e[0].render("test", source, false)))
}

fn checked(program: &Program, source: &str) -> Types {
    check(program).unwrap_or_else(|e| panic!("{}", e[0].render("test", source, false)))
}

/// The type of `e` in a program that has some of everything.
fn type_of(e: &str) -> String {
    let source = format!(
        "global x, b = true, a: [int; 4], m: mutex, n: Node, c: chan Node;
         atomic hits = 0;
         class Node {{ value; next: Node; items: [Node]; guard: mutex; fn get(d) -> int {{ return this.value + d; }} }}
         fn f(a, n: Node) -> bool {{ return n == null || a > 0; }}
         fn g() {{ }}
         main {{ let t = spawn g(); let grid = new [[int]; 2]; let it = {e}; wait t; }}"
    );
    let program = parsed(&source);
    let types = checked(&program, &source);
    let statements = &program.main.as_ref().unwrap().statements;
    let StatementKind::Let(_, _, value) = &statements[2].kind else { panic!() };
    types.of(value).to_string()
}

#[test]
fn types_of_expressions() {
    for (e, ty) in [
        ("x + hits * -1", "int"),
        ("x < 1 && b || !b", "bool"),
        ("a[x]", "int"),
        ("a.length", "int"),
        ("n", "Node"),
        ("n.next.items[0].value", "int"),
        ("n.items", "[Node]"),
        ("n.get(1)", "int"),
        ("f(1, null)", "bool"),
        ("n == null", "bool"),
        ("null != n.items", "bool"),
        ("<-c", "Node"),
        ("<-chan bool(0)", "bool"),
        ("chan chan int(1)", "chan chan int"),
        ("new Node", "Node"),
        ("new [mutex; 3]", "[mutex]"),
        ("grid[1][0]", "int"),
        ("malloc(2)", "int"),
        ("malloc(2)[1]", "int"),
        ("x[0][1]", "int"),
        ("xchg(n.next, null)", "Node"),
        ("cas(n, null, new Node)", "bool"),
        ("fetch_add(hits, 1)", "int"),
        ("fetch_add(x[0], 1)", "int"),
        ("try_lock(m)", "bool"),
        ("try_lock(n)", "bool"),
        ("max(x, min(1, self()))", "int"),
        ("spawn { let y = t; return; }", "thread"),
    ] {
        assert_eq!(type_of(e), ty, "{e}");
    }
}

#[test]
fn null_takes_the_type_of_its_context() {
    let source = "class C { } global c: C; fn f(c: C) -> C { return null; }
        main { let x: C = null; c = null; x = f(null); let z: chan C = chan C(1); z <- null; let a: [C] = null; assert null == x; }";
    let program = parsed(source);
    let types = checked(&program, source);
    let mut nulls = Vec::new();
    for statement in &program.main.as_ref().unwrap().statements {
        match &statement.kind {
            StatementKind::Let(_, _, e) | StatementKind::Assign(_, e) | StatementKind::Send(_, e) => {
                visit(e, &mut nulls)
            }
            StatementKind::Assert(e) => visit(e, &mut nulls),
            _ => {}
        }
    }
    let told: Vec<String> = nulls.iter().map(|e| types.of(e).to_string()).collect();
    assert_eq!(told, ["C", "C", "C", "C", "[C]", "C"]);
}

fn visit<'e>(e: &'e Expr, nulls: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Null => nulls.push(e),
        ExprKind::Call(_, arguments) => arguments.iter().for_each(|a| visit(a, nulls)),
        ExprKind::Binary(_, a, b) => {
            visit(a, nulls);
            visit(b, nulls);
        }
        _ => {}
    }
}

#[test]
fn classes_are_laid_out_as_declared() {
    let source = "class A { z; atomic b: bool; next: A; } class B { } main { }";
    let program = parsed(source);
    let types = checked(&program, source);
    assert_eq!((types.class("A"), types.class("B"), types.class("C")), (Some(0), Some(1), None));
    let a = &types.classes()[0];
    assert_eq!(a.fields.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["z", "b", "next"]);
    assert_eq!((a.position("next"), a.position("y")), (Some(2), None));
    assert_eq!(a.fields[2].ty, Type::Class("A".into()));
}

#[test]
fn scopes() {
    for good in [
        "global x; main { let x = x; { let x = true; assert x; } x = 1; }",
        "main { let _ = 1; let _ = true; }",
        "main { let c = chan int(0); select { case let v = <-c { print v; } case c <- 1 { let v = true; } } }",
        "fn f() -> int { while true { } } fn g(b: bool) -> int { if b { return 1; } else { panic; } } main { }",
        "fn f(f) -> int { return f; } main { let f = f(1); spawn { let f = true; } print f; }",
        "class C { m: mutex; fn f() { sync this.m { sync this { } } lock this; unlock this; } } main { let c = new C; lock c.m; }",
        "thread { } thread a { return; } finally { }",
        "global done: [mutex; 2], t: thread; main { lock done[1]; t = spawn { deschedule; }; make_runnable t; }",
    ] {
        checked(&parsed(good), good);
    }
}
