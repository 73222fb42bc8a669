//! Names that are unknown, or given twice.

use crate::refused;
use expect_test::expect;

#[test]
fn unknown_variable() {
    refused(
        "global counter; main { conter = 1; let x = nothing_like_it; }",
        expect![[r#"
            Error: there is no variable `conter`
               ╭─[ bad.heat:1:24 ]
               │
             1 │ global counter; main { conter = 1; let x = nothing_like_it; }
               │                        ───┬──
               │                           ╰──── not known
               │
               │ Help: did you mean `counter`?
            ───╯
            Error: there is no variable `nothing_like_it`
               ╭─[ bad.heat:1:44 ]
               │
             1 │ global counter; main { conter = 1; let x = nothing_like_it; }
               │                                            ───────┬───────
               │                                                   ╰───────── not known
            ───╯
        "#]],
    );
}

#[test]
fn unknown_function() {
    refused(
        "fn produce() { } main { prodce(); spawn prodcue(); quux(); }",
        expect![[r#"
            Error: there is no function `prodce`
               ╭─[ bad.heat:1:25 ]
               │
             1 │ fn produce() { } main { prodce(); spawn prodcue(); quux(); }
               │                         ───┬──
               │                            ╰──── not known
               │
               │ Help: did you mean `produce`?
            ───╯
            Error: there is no function `prodcue`
               ╭─[ bad.heat:1:41 ]
               │
             1 │ fn produce() { } main { prodce(); spawn prodcue(); quux(); }
               │                                         ───┬───
               │                                            ╰───── not known
               │
               │ Help: did you mean `produce`?
            ───╯
            Error: there is no function `quux`
               ╭─[ bad.heat:1:52 ]
               │
             1 │ fn produce() { } main { prodce(); spawn prodcue(); quux(); }
               │                                                    ──┬─
               │                                                      ╰─── not known
            ───╯
        "#]],
    );
}

#[test]
fn unknown_builtin() {
    refused(
        "global x; main { fetch_ad(x, 1); }",
        expect![[r#"
            Error: there is no function `fetch_ad`
               ╭─[ bad.heat:1:18 ]
               │
             1 │ global x; main { fetch_ad(x, 1); }
               │                  ────┬───
               │                      ╰───── not known
               │
               │ Help: did you mean `fetch_add`?
            ───╯
        "#]],
    );
}

#[test]
fn unknown_class() {
    refused(
        "class Node { } global n: Nod; fn f(a: Noode) { } main { let x = new node; let y: Tree = null; }",
        expect![[r#"
            Error: there is no class `Nod`
               ╭─[ bad.heat:1:23 ]
               │
             1 │ class Node { } global n: Nod; fn f(a: Noode) { } main { let x = new node; let y: Tree = null; }
               │                       ┬
               │                       ╰── this type is not known
               │
               │ Help: did you mean `Node`?
            ───╯
            Error: there is no class `Noode`
               ╭─[ bad.heat:1:36 ]
               │
             1 │ class Node { } global n: Nod; fn f(a: Noode) { } main { let x = new node; let y: Tree = null; }
               │                                    ┬
               │                                    ╰── this type is not known
               │
               │ Help: did you mean `Node`?
            ───╯
            Error: there is no class `node`
               ╭─[ bad.heat:1:69 ]
               │
             1 │ class Node { } global n: Nod; fn f(a: Noode) { } main { let x = new node; let y: Tree = null; }
               │                                                                     ──┬─
               │                                                                       ╰─── not known
               │
               │ Help: did you mean `Node`?
            ───╯
            Error: there is no class `Tree`
               ╭─[ bad.heat:1:79 ]
               │
             1 │ class Node { } global n: Nod; fn f(a: Noode) { } main { let x = new node; let y: Tree = null; }
               │                                                                               ┬
               │                                                                               ╰── this type is not known
            ───╯
        "#]],
    );
}

#[test]
fn unknown_field_and_method() {
    refused(
        "class Node { value; fn get() -> int { return this.value; } } main { let n = new Node; n.vaule = 1; n.gte(); }",
        expect![[r#"
            Error: there is no field `vaule` in class `Node`
               ╭─[ bad.heat:1:89 ]
               │
             1 │ class Node { value; fn get() -> int { return this.value; } } main { let n = new Node; n.vaule = 1; n.gte(); }
               │       ──┬─                                                                              ──┬──
               │         ╰────────────────────────────────────────────────────────────────────────────────────── this class
               │                                                                                           │
               │                                                                                           ╰──── not known
               │
               │ Help: did you mean `value`?
            ───╯
            Error: there is no method `gte` in class `Node`
               ╭─[ bad.heat:1:102 ]
               │
             1 │ class Node { value; fn get() -> int { return this.value; } } main { let n = new Node; n.vaule = 1; n.gte(); }
               │       ──┬─                                                                                           ─┬─
               │         ╰───────────────────────────────────────────────────────────────────────────────────────────────── this class
               │                                                                                                       │
               │                                                                                                       ╰─── not known
               │
               │ Help: did you mean `get`?
            ───╯
        "#]],
    );
}

#[test]
fn field_without_this() {
    refused(
        "class C { x; fn f() { } fn g() { x = 1; f(); } } main { }",
        expect![[r#"
            Error: there is no variable `x`
               ╭─[ bad.heat:1:34 ]
               │
             1 │ class C { x; fn f() { } fn g() { x = 1; f(); } } main { }
               │                                  ┬
               │                                  ╰── a field of this class
               │
               │ Help: write `this.x`
            ───╯
            Error: there is no function `f`
               ╭─[ bad.heat:1:41 ]
               │
             1 │ class C { x; fn f() { } fn g() { x = 1; f(); } } main { }
               │                                         ┬
               │                                         ╰── a method of this class
               │
               │ Help: write `this.f(..)`
            ───╯
        "#]],
    );
}

#[test]
fn function_that_is_not_called() {
    refused(
        "fn f() { } class C { fn m() { } } main { let x = f; let c = new C; let y = c.m; }",
        expect![[r#"
            Error: `f` is a function
               ╭─[ bad.heat:1:50 ]
               │
             1 │ fn f() { } class C { fn m() { } } main { let x = f; let c = new C; let y = c.m; }
               │                                                  ┬
               │                                                  ╰── not called
               │
               │ Help: write `f(..)`
            ───╯
            Error: `m` is a method
               ╭─[ bad.heat:1:78 ]
               │
             1 │ fn f() { } class C { fn m() { } } main { let x = f; let c = new C; let y = c.m; }
               │                                                                              ┬
               │                                                                              ╰── not called
               │
               │ Help: write `.m(..)`
            ───╯
        "#]],
    );
}

#[test]
fn local_out_of_scope() {
    refused(
        "main { { let inner = 1; } inner = 2; }",
        expect![[r#"
            Error: there is no variable `inner`
               ╭─[ bad.heat:1:27 ]
               │
             1 │ main { { let inner = 1; } inner = 2; }
               │                           ──┬──
               │                             ╰──── not known
            ───╯
        "#]],
    );
}

#[test]
fn local_used_in_its_own_value() {
    refused(
        "main { let x = x; }",
        expect![[r#"
            Error: there is no variable `x`
               ╭─[ bad.heat:1:16 ]
               │
             1 │ main { let x = x; }
               │                ┬
               │                ╰── not known
            ───╯
        "#]],
    );
}

#[test]
fn globals_twice() {
    refused(
        "global x, y, x; main { }",
        expect![[r#"
            Error: there is a variable `x` already
               ╭─[ bad.heat:1:14 ]
               │
             1 │ global x, y, x; main { }
               │        ┬     ┬
               │        ╰──────── the first one
               │              │
               │              ╰── the second one
            ───╯
        "#]],
    );
}

#[test]
fn functions_twice() {
    refused(
        "fn f() { }\nfn f(a) { }\nmain { }",
        expect![[r#"
            Error: there is a function `f` already
               ╭─[ bad.heat:2:4 ]
               │
             1 │ fn f() { }
               │    ┬
               │    ╰── the first one
             2 │ fn f(a) { }
               │    ┬
               │    ╰── the second one
            ───╯
        "#]],
    );
}

#[test]
fn classes_twice() {
    refused(
        "class C { } class C { } main { }",
        expect![[r#"
            Error: there is a class `C` already
               ╭─[ bad.heat:1:19 ]
               │
             1 │ class C { } class C { } main { }
               │       ┬           ┬
               │       ╰────────────── the first one
               │                   │
               │                   ╰── the second one
            ───╯
        "#]],
    );
}

#[test]
fn fields_and_methods_twice() {
    refused(
        "class C { x; x: bool; fn m() { } fn m() { } } main { }",
        expect![[r#"
            Error: there is a field `x` already
               ╭─[ bad.heat:1:14 ]
               │
             1 │ class C { x; x: bool; fn m() { } fn m() { } } main { }
               │           ┬  ┬
               │           ╰───── the first one
               │              │
               │              ╰── the second one
            ───╯
            Error: there is a method `m` already
               ╭─[ bad.heat:1:37 ]
               │
             1 │ class C { x; x: bool; fn m() { } fn m() { } } main { }
               │                          ┬          ┬
               │                          ╰───────────── the first one
               │                                     │
               │                                     ╰── the second one
            ───╯
        "#]],
    );
}

#[test]
fn parameters_and_locals_twice() {
    refused(
        "fn f(a, a) { let b = 1; let b = 2; } main { }",
        expect![[r#"
            Error: there is a parameter `a` already
               ╭─[ bad.heat:1:9 ]
               │
             1 │ fn f(a, a) { let b = 1; let b = 2; } main { }
               │      ┬  ┬
               │      ╰───── the first one
               │         │
               │         ╰── the second one
            ───╯
            Error: there is a variable `b` already
               ╭─[ bad.heat:1:29 ]
               │
             1 │ fn f(a, a) { let b = 1; let b = 2; } main { }
               │                  ┬          ┬
               │                  ╰───────────── the first one
               │                             │
               │                             ╰── the second one
            ───╯
        "#]],
    );
}

#[test]
fn local_with_a_parameters_name() {
    refused(
        "fn f(a) { let a = 1; } main { }",
        expect![[r#"
            Error: there is a variable `a` already
               ╭─[ bad.heat:1:15 ]
               │
             1 │ fn f(a) { let a = 1; } main { }
               │      ┬        ┬
               │      ╰─────────── the first one
               │               │
               │               ╰── the second one
            ───╯
        "#]],
    );
}

#[test]
fn threads_twice() {
    refused(
        "thread a { } thread a { }",
        expect![[r#"
            Error: there is a thread `a` already
               ╭─[ bad.heat:1:21 ]
               │
             1 │ thread a { } thread a { }
               │        ┬            ┬
               │        ╰─────────────── the first one
               │                     │
               │                     ╰── the second one
            ───╯
        "#]],
    );
}

#[test]
fn function_of_the_language() {
    refused(
        "fn max(a, b) { } main { }",
        expect![[r#"
            Error: `max` is a function of the language itself
               ╭─[ bad.heat:1:4 ]
               │
             1 │ fn max(a, b) { } main { }
               │    ─┬─
               │     ╰─── choose another name
            ───╯
        "#]],
    );
}

#[test]
fn this_outside_of_a_class() {
    refused(
        "main { this.x = 1; }",
        expect![[r#"
            Error: there is no `this` outside of a class
               ╭─[ bad.heat:1:8 ]
               │
             1 │ main { this.x = 1; }
               │        ──┬─
               │          ╰─── not in a method
            ───╯
        "#]],
    );
}
