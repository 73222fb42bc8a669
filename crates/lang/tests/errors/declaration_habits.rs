//! Declarations as other languages write them.

use crate::refused;
use expect_test::expect;

#[test]
fn type_before_the_name() {
    refused(
        "int x = 1;\nmain { int y = 2; bool b; Node n = null; thread t = spawn f(); }",
        expect![[r#"
            Error: a shared variable starts with `global`
               ╭─[ bad.heat:1:1 ]
               │
             1 │ int x = 1;
               │ ─┬─
               │  ╰─── not with a type
               │
               │ Help: write `global x = ..;`
            ───╯
            Error: a declaration starts with `let`
               ╭─[ bad.heat:2:8 ]
               │
             2 │ main { int y = 2; bool b; Node n = null; thread t = spawn f(); }
               │        ─┬─
               │         ╰─── not with a type
               │
               │ Help: write `let y = ..;`
            ───╯
            Error: a declaration starts with `let`
               ╭─[ bad.heat:2:19 ]
               │
             2 │ main { int y = 2; bool b; Node n = null; thread t = spawn f(); }
               │                   ──┬─
               │                     ╰─── not with a type
               │
               │ Help: write `let b = false;`
            ───╯
            Error: a declaration starts with `let`
               ╭─[ bad.heat:2:27 ]
               │
             2 │ main { int y = 2; bool b; Node n = null; thread t = spawn f(); }
               │                           ──┬─
               │                             ╰─── not with a type
               │
               │ Help: write `let n: Node = ..;`
            ───╯
            Error: a declaration starts with `let`
               ╭─[ bad.heat:2:42 ]
               │
             2 │ main { int y = 2; bool b; Node n = null; thread t = spawn f(); }
               │                                          ───┬──
               │                                             ╰──── not with a type
               │
               │ Help: write `let t = ..;`
            ───╯
        "#]],
    );
}

#[test]
fn mutex_as_a_declaration() {
    refused(
        "mutex m;\nmain { mutex l; }",
        expect![[r#"
            Error: a shared variable starts with `global`
               ╭─[ bad.heat:1:1 ]
               │
             1 │ mutex m;
               │ ──┬──
               │   ╰──── not with a type
               │
               │ Help: write `global m: mutex;`
            ───╯
            Error: a declaration starts with `let`
               ╭─[ bad.heat:2:8 ]
               │
             2 │ main { mutex l; }
               │        ──┬──
               │          ╰──── not with a type
               │
               │ Help: a mutex is shared: write `global l: mutex;` outside of all blocks
            ───╯
        "#]],
    );
}

#[test]
fn other_types_names() {
    refused(
        "global x: i64; fn f(a: usize) -> boolean { } main { }",
        expect![[r#"
            Error: there is no type `i64`
               ╭─[ bad.heat:1:11 ]
               │
             1 │ global x: i64; fn f(a: usize) -> boolean { } main { }
               │           ─┬─
               │            ╰─── not a type here
               │
               │ Help: write `int`
            ───╯
            Error: there is no type `usize`
               ╭─[ bad.heat:1:24 ]
               │
             1 │ global x: i64; fn f(a: usize) -> boolean { } main { }
               │                        ──┬──
               │                          ╰──── not a type here
               │
               │ Help: write `int`
            ───╯
        "#]],
    );
}

#[test]
fn declarations_of_other_languages() {
    refused(
        "main { var x = 1; let mut y = 2; const z = 3; }",
        expect![[r#"
            Error: there is no `var` in this language
               ╭─[ bad.heat:1:8 ]
               │
             1 │ main { var x = 1; let mut y = 2; const z = 3; }
               │        ─┬─
               │         ╰─── not known
               │
               │ Help: write `let x = e;`
            ───╯
            Error: there is no `mut`
               ╭─[ bad.heat:1:23 ]
               │
             1 │ main { var x = 1; let mut y = 2; const z = 3; }
               │                       ─┬─
               │                        ╰─── leave it out
               │
               │ Help: every local variable can be assigned
            ───╯
            Error: there is no `const` in this language
               ╭─[ bad.heat:1:34 ]
               │
             1 │ main { var x = 1; let mut y = 2; const z = 3; }
               │                                  ──┬──
               │                                    ╰──── not known
               │
               │ Help: write `let n = 3;` in a block, or `global n = 3;` outside
            ───╯
        "#]],
    );
}

#[test]
fn functions_of_other_languages() {
    refused(
        "func f() { }\nvoid g() { }\ndef h() { }\nmain { }",
        expect![[r#"
            Error: there is no `func` in this language
               ╭─[ bad.heat:1:1 ]
               │
             1 │ func f() { }
               │ ──┬─
               │   ╰─── not known
               │
               │ Help: write `fn f(a, b) -> int { .. }`
            ───╯
            Error: there is no `void` in this language
               ╭─[ bad.heat:2:1 ]
               │
             2 │ void g() { }
               │ ──┬─
               │   ╰─── not known
               │
               │ Help: write `fn f(a, b) -> int { .. }`
            ───╯
            Error: there is no `def` in this language
               ╭─[ bad.heat:3:1 ]
               │
             3 │ def h() { }
               │ ─┬─
               │  ╰─── not known
               │
               │ Help: write `fn f(a, b) -> int { .. }`
            ───╯
        "#]],
    );
}

#[test]
fn main_as_a_function() {
    refused(
        "fn main() { }",
        expect![[r#"
            Error: `main` is not a function
               ╭─[ bad.heat:1:1 ]
               │
             1 │ fn main() { }
               │ ───┬───
               │    ╰───── without `fn`
               │
               │ Help: write `main { .. }`
            ───╯
        "#]],
    );
}

#[test]
fn structs() {
    refused(
        "struct Node { int x; }\nmain { }",
        expect![[r#"
            Error: there is no `struct` in this language
               ╭─[ bad.heat:1:1 ]
               │
             1 │ struct Node { int x; }
               │ ───┬──
               │    ╰──── not known
               │
               │ Help: write `class C { x; next: C; fn m() { .. } }`
            ───╯
        "#]],
    );
}

#[test]
fn fields_with_commas() {
    refused(
        "class C { x, y; } class D { a: int, b: int } main { }",
        expect![[r#"
            Error: each field ends with `;`
               ╭─[ bad.heat:1:12 ]
               │
             1 │ class C { x, y; } class D { a: int, b: int } main { }
               │            ┬
               │            ╰── not with a comma
               │
               │ Help: write `x; y;`
            ───╯
            Error: expected `;` after the field, found `,`
               ╭─[ bad.heat:1:35 ]
               │
             1 │ class C { x, y; } class D { a: int, b: int } main { }
               │                                   ┬
               │                                   ╰── expected `;` after the field
            ───╯
        "#]],
    );
}

#[test]
fn field_with_the_type_first() {
    refused(
        "class C { int x; Node next; } main { }",
        expect![[r#"
            Error: a field's name comes first
               ╭─[ bad.heat:1:11 ]
               │
             1 │ class C { int x; Node next; } main { }
               │           ─┬─
               │            ╰─── the type stands behind it
               │
               │ Help: write `x: int;`
            ───╯
            Error: a field's name comes first
               ╭─[ bad.heat:1:18 ]
               │
             1 │ class C { int x; Node next; } main { }
               │                  ──┬─
               │                    ╰─── the type stands behind it
               │
               │ Help: write `next: Node;`
            ───╯
        "#]],
    );
}

#[test]
fn parameter_with_the_type_first() {
    refused(
        "fn f(int x, Node n) { } main { }",
        expect![[r#"
            Error: a parameter's name comes first
               ╭─[ bad.heat:1:6 ]
               │
             1 │ fn f(int x, Node n) { } main { }
               │      ─┬─
               │       ╰─── the type stands behind it
               │
               │ Help: write `x`
            ───╯
        "#]],
    );
}

#[test]
fn result_behind_a_colon() {
    refused(
        "fn f(): int { } main { }",
        expect![[r#"
            Error: expected `->` or the body, found `:`
               ╭─[ bad.heat:1:7 ]
               │
             1 │ fn f(): int { } main { }
               │       ┬
               │       ╰── expected `->` or the body
               │
               │ Help: the result's type stands behind `->`
            ───╯
        "#]],
    );
}

#[test]
fn let_outside_of_a_block() {
    refused(
        "let x = 1; main { }",
        expect![[r#"
            Error: `let` makes a local variable, and there is no block here
               ╭─[ bad.heat:1:1 ]
               │
             1 │ let x = 1; main { }
               │ ─┬─
               │  ╰─── not here
               │
               │ Help: write `global x = 1;` for a shared variable
            ───╯
        "#]],
    );
}

#[test]
fn constant() {
    refused(
        "const N = 3; main { }",
        expect![[r#"
            Error: there is no `const` in this language
               ╭─[ bad.heat:1:1 ]
               │
             1 │ const N = 3; main { }
               │ ──┬──
               │   ╰──── not known
               │
               │ Help: write `global x = 1;` or `atomic x = 1;`
            ───╯
        "#]],
    );
}

#[test]
fn constructor_with_arguments() {
    refused(
        "main { let n = new Node(1); }",
        expect![[r#"
            Error: `new` takes no arguments
               ╭─[ bad.heat:1:24 ]
               │
             1 │ main { let n = new Node(1); }
               │                        ┬
               │                        ╰── no parentheses here
               │
               │ Help: write `new Node`: fields are zero or null at first
            ───╯
        "#]],
    );
}
