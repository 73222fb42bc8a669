//! Expressions that cannot be read.

use crate::refused;
use expect_test::expect;

#[test]
fn unclosed_parenthesis() {
    refused(
        "main { x = (1 + 2; }",
        expect![[r#"
            Error: expected `)`, found `;`
               ╭─[ bad.heat:1:18 ]
               │
             1 │ main { x = (1 + 2; }
               │            ┬     ┬
               │            ╰──────── to close this
               │                  │
               │                  ╰── expected `)`
            ───╯
        "#]],
    );
}

#[test]
fn unclosed_bracket() {
    refused(
        "main { x = a[1; }",
        expect![[r#"
            Error: expected `]`, found `;`
               ╭─[ bad.heat:1:15 ]
               │
             1 │ main { x = a[1; }
               │             ┬ ┬
               │             ╰──── to close this
               │               │
               │               ╰── expected `]`
            ───╯
        "#]],
    );
}

#[test]
fn unclosed_arguments() {
    refused(
        "main { f(1, 2; y = 1; }",
        expect![[r#"
            Error: expected `)`, found `;`
               ╭─[ bad.heat:1:14 ]
               │
             1 │ main { f(1, 2; y = 1; }
               │         ┬    ┬
               │         ╰─────── to close this
               │              │
               │              ╰── expected `)`
            ───╯
        "#]],
    );
}

#[test]
fn chained_comparison() {
    refused(
        "main { assert a < b < c; }",
        expect![[r#"
            Error: comparisons cannot be chained
               ╭─[ bad.heat:1:21 ]
               │
             1 │ main { assert a < b < c; }
               │                 ┬   ┬
               │                 ╰────── the first comparison
               │                     │
               │                     ╰── the second comparison
               │
               │ Help: write `a < b && b < c`, or parentheses where a truth value is compared
            ───╯
        "#]],
    );
}

#[test]
fn chained_equality() {
    refused(
        "main { assert a == b != c; }",
        expect![[r#"
            Error: comparisons cannot be chained
               ╭─[ bad.heat:1:22 ]
               │
             1 │ main { assert a == b != c; }
               │                 ─┬   ─┬
               │                  ╰─────── the first comparison
               │                       │
               │                       ╰── the second comparison
               │
               │ Help: write `a < b && b < c`, or parentheses where a truth value is compared
            ───╯
        "#]],
    );
}

#[test]
fn less_than_minus() {
    refused(
        "main { if x <-1 { } }",
        expect![[r#"
            Error: nothing can be sent here
               ╭─[ bad.heat:1:13 ]
               │
             1 │ main { if x <-1 { } }
               │             ─┬
               │              ╰── `<-` is the channels' operator
               │
               │ Help: for "less than minus" write `< -`
            ───╯
        "#]],
    );
}

#[test]
fn missing_operand() {
    refused(
        "main { x = 1 + ; }",
        expect![[r#"
            Error: expected an expression, found `;`
               ╭─[ bad.heat:1:16 ]
               │
             1 │ main { x = 1 + ; }
               │                ┬
               │                ╰── expected an expression
            ───╯
        "#]],
    );
}

#[test]
fn missing_expression_at_the_end_of_a_line() {
    refused(
        "main {\n    x =\n}",
        expect![[r#"
            Error: expected an expression, found `}`
               ╭─[ bad.heat:2:8 ]
               │
             2 │     x =
               │        │
               │        ╰─ expected an expression
            ───╯
        "#]],
    );
}

#[test]
fn channel_without_capacity() {
    refused(
        "main { let c = chan int; }",
        expect![[r#"
            Error: expected `(` and the channel's capacity: `chan int(0)`, found `;`
               ╭─[ bad.heat:1:24 ]
               │
             1 │ main { let c = chan int; }
               │                        ┬
               │                        ╰── expected `(` and the channel's capacity: `chan int(0)`
            ───╯
        "#]],
    );
}

#[test]
fn new_array_without_a_size() {
    refused(
        "main { let a = new [int]; }",
        expect![[r#"
            Error: expected `;` and the number of elements: `new [T; n]`, found `]`
               ╭─[ bad.heat:1:24 ]
               │
             1 │ main { let a = new [int]; }
               │                        ┬
               │                        ╰── expected `;` and the number of elements: `new [T; n]`
            ───╯
        "#]],
    );
}
