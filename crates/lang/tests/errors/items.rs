//! Declarations that cannot be read.

use crate::refused;
use expect_test::expect;

#[test]
fn statement_outside_of_a_block() {
    refused(
        "x = 1; main { }",
        expect![[r#"
            Error: expected `global`, `atomic`, `class`, `fn`, `main`, `thread` or `finally`, found `x`
               ╭─[ bad.heat:1:1 ]
               │
             1 │ x = 1; main { }
               │ ┬
               │ ╰── expected `global`, `atomic`, `class`, `fn`, `main`, `thread` or `finally`
               │
               │ Help: statements stand in a block: `main { .. }`, `thread { .. }` or a function
            ───╯
        "#]],
    );
}

#[test]
fn item_in_a_block() {
    refused(
        "main { global x; }",
        expect![[r#"
            Error: `global` cannot stand in a block
               ╭─[ bad.heat:1:8 ]
               │
             1 │ main { global x; }
               │      ┬ ───┬──
               │      ╰───────── in this block; is its `}` missing?
               │           │
               │           ╰──── not in a block
               │
               │ Help: a local variable is made by `let`; shared ones stand outside
            ───╯
        "#]],
    );
}

#[test]
fn thread_in_a_block() {
    refused(
        "main {\n    thread { x = 1; }\n}",
        expect![[r#"
            Error: `thread` cannot stand in a block
               ╭─[ bad.heat:2:5 ]
               │
             1 │ main {
               │      ┬
               │      ╰── in this block; is its `}` missing?
             2 │     thread { x = 1; }
               │     ───┬──
               │        ╰──── not in a block
               │
               │ Help: inside of a block a thread is started by `spawn { .. }`
            ───╯
        "#]],
    );
}

#[test]
fn two_mains() {
    refused(
        "main { } main { }",
        expect![[r#"
            Error: there can be only one `main`
               ╭─[ bad.heat:1:10 ]
               │
             1 │ main { } main { }
               │      ┬   ──┬─
               │      ╰───────── the first one
               │            │
               │            ╰─── the second one
            ───╯
        "#]],
    );
}

#[test]
fn global_that_is_computed() {
    refused(
        "global x = 1 + 2; global y = f(); main { }",
        expect![[r#"
            Error: expected `;` or `,`, found `+`
               ╭─[ bad.heat:1:14 ]
               │
             1 │ global x = 1 + 2; global y = f(); main { }
               │              ┬
               │              ╰── expected `;` or `,`
               │
               │ Help: globals start with constants; compute other values in `main`
            ───╯
            Error: expected a number, `true`, `false` or `null`, found `f`
               ╭─[ bad.heat:1:30 ]
               │
             1 │ global x = 1 + 2; global y = f(); main { }
               │                              ┬
               │                              ╰── expected a number, `true`, `false` or `null`
               │
               │ Help: globals start with constants; compute other values in `main`
            ───╯
        "#]],
    );
}

#[test]
fn global_of_the_wrong_type() {
    refused(
        "global x: int = true; global b: bool = 1; global n: Node = 0; global m: mutex = 1; main { }",
        expect![[r#"
            Error: a variable of type `int` cannot start like this
               ╭─[ bad.heat:1:17 ]
               │
             1 │ global x: int = true; global b: bool = 1; global n: Node = 0; global m: mutex = 1; main { }
               │                 ──┬─
               │                   ╰─── this is of type `bool`
            ───╯
            Error: a variable of type `bool` cannot start like this
               ╭─[ bad.heat:1:40 ]
               │
             1 │ global x: int = true; global b: bool = 1; global n: Node = 0; global m: mutex = 1; main { }
               │                                        ┬
               │                                        ╰── this is of type `int`
            ───╯
            Error: a variable of type `Node` cannot start like this
               ╭─[ bad.heat:1:60 ]
               │
             1 │ global x: int = true; global b: bool = 1; global n: Node = 0; global m: mutex = 1; main { }
               │                                                            ┬
               │                                                            ╰── this is of type `int`
            ───╯
            Error: a variable of type `mutex` cannot start like this
               ╭─[ bad.heat:1:81 ]
               │
             1 │ global x: int = true; global b: bool = 1; global n: Node = 0; global m: mutex = 1; main { }
               │                                                                                 ┬
               │                                                                                 ╰── this is of type `int`
            ───╯
        "#]],
    );
}

#[test]
fn global_null_of_no_type() {
    refused(
        "global x = null; main { }",
        expect![[r#"
            Error: of which type is this `null`?
               ╭─[ bad.heat:1:12 ]
               │
             1 │ global x = null; main { }
               │            ──┬─
               │              ╰─── could be of any class
               │
               │ Help: say it: `global x: Node = null;`
            ───╯
        "#]],
    );
}

#[test]
fn field_with_a_value() {
    refused(
        "class C { x = 1; } main { }",
        expect![[r#"
            Error: a field has no value of its own at first
               ╭─[ bad.heat:1:13 ]
               │
             1 │ class C { x = 1; } main { }
               │             ┬
               │             ╰── not here
               │
               │ Help: fields are zero or null; set them after `new`
            ───╯
        "#]],
    );
}

#[test]
fn array_type_without_a_number() {
    refused(
        "global a: [int; n]; main { }",
        expect![[r#"
            Error: expected a number: how many elements there are, found `n`
               ╭─[ bad.heat:1:17 ]
               │
             1 │ global a: [int; n]; main { }
               │                 ┬
               │                 ╰── expected a number: how many elements there are
            ───╯
        "#]],
    );
}

#[test]
fn missing_body_of_a_function() {
    refused(
        "fn f()\nmain { }",
        expect![[r#"
            Error: expected `{` and the body of `fn`, found `main`
               ╭─[ bad.heat:1:7 ]
               │
             1 │ fn f()
               │       │
               │       ╰─ expected `{` and the body of `fn`
               │
               │ Help: the body of `fn` always stands in braces
            ───╯
        "#]],
    );
}

#[test]
fn unclosed_block() {
    refused(
        "fn f() {\n    x = 1;\n\nfn g() {\n}\nmain { }",
        expect![[r#"
            Error: `fn` cannot stand in a block
               ╭─[ bad.heat:4:1 ]
               │
             1 │ fn f() {
               │        ┬
               │        ╰── in this block; is its `}` missing?
               │
             4 │ fn g() {
               │ ─┬
               │  ╰── not in a block
            ───╯
        "#]],
    );
}

#[test]
fn extra_brace() {
    refused(
        "main { } }",
        expect![[r#"
            Error: this `}` closes nothing
               ╭─[ bad.heat:1:10 ]
               │
             1 │ main { } }
               │          ┬
               │          ╰── there is no `{` for it
            ───╯
        "#]],
    );
}

#[test]
fn nothing_at_all() {
    refused(
        "",
        expect![[r#"
            Error: the program does nothing
               ╭─[ bad.heat:1:1 ]
               │
             1 │
               │ │
               │ ╰─ there is neither `main` nor `thread`
               │
               │ Help: write `main { .. }`, or `thread { .. }` for each thread
            ───╯
        "#]],
    );
}

#[test]
fn only_white_space() {
    refused(
        "  \n\n",
        expect![[r#"
            Error: the program does nothing
               ╭─[ bad.heat:1:1 ]
               │
             1 │
               │ │
               │ ╰─ there is neither `main` nor `thread`
               │
               │ Help: write `main { .. }`, or `thread { .. }` for each thread
            ───╯
        "#]],
    );
}

#[test]
fn several_mistakes_at_once() {
    refused(
        "main {\n    x = ;\n    if { }\n    lock;\n    y = 1;\n}\nfn f( { }\nglobal = 1;",
        expect![[r#"
            Error: expected an expression, found `;`
               ╭─[ bad.heat:2:9 ]
               │
             2 │     x = ;
               │         ┬
               │         ╰── expected an expression
            ───╯
            Error: expected an expression, found `{`
               ╭─[ bad.heat:3:8 ]
               │
             3 │     if { }
               │        ┬
               │        ╰── expected an expression
            ───╯
            Error: expected an expression, found `;`
               ╭─[ bad.heat:4:9 ]
               │
             4 │     lock;
               │         ┬
               │         ╰── expected an expression
            ───╯
            Error: expected the name of a parameter, found `{`
               ╭─[ bad.heat:7:7 ]
               │
             7 │ fn f( { }
               │       ┬
               │       ╰── expected the name of a parameter
            ───╯
            Error: expected the name of a variable, found `=`
               ╭─[ bad.heat:8:8 ]
               │
             8 │ global = 1;
               │        ┬
               │        ╰── expected the name of a variable
            ───╯
        "#]],
    );
}
