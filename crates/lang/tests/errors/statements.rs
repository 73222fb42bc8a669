//! Statements that cannot be read.

use crate::refused;
use expect_test::expect;

#[test]
fn missing_semicolon() {
    refused(
        "global x;\nmain {\n    x = 1\n    x = 2;\n}",
        expect![[r#"
            Error: a `;` is missing
               ╭─[ bad.heat:3:10 ]
               │
             3 │     x = 1
               │          │
               │          ╰─ expected `;` here
            ───╯
        "#]],
    );
}

#[test]
fn missing_semicolon_before_a_brace() {
    refused(
        "main { let x = 1 }",
        expect![[r#"
            Error: a `;` is missing
               ╭─[ bad.heat:1:17 ]
               │
             1 │ main { let x = 1 }
               │                 │
               │                 ╰─ expected `;` here
            ───╯
        "#]],
    );
}

#[test]
fn two_statements_on_a_line() {
    refused(
        "main { x = 1 y = 2; }",
        expect![[r#"
            Error: expected `;` after the statement, found `y`
               ╭─[ bad.heat:1:14 ]
               │
             1 │ main { x = 1 y = 2; }
               │              ┬
               │              ╰── expected `;` before this
            ───╯
        "#]],
    );
}

#[test]
fn unclosed_at_the_end() {
    refused(
        "main {\n    while true {\n        x = 1;\n    }\n",
        expect![[r#"
            Error: a `}` is missing
               ╭─[ bad.heat:4:6 ]
               │
             1 │ main {
               │      ┬
               │      ╰── this block is not closed
               │
             4 │     }
               │      │
               │      ╰─ the file ends here
            ───╯
        "#]],
    );
}

#[test]
fn unclosed_inner_block_is_found_by_its_indentation() {
    refused(
        "main {\n    if a {\n        while b {\n            x = 1;\n    }\n    y = 1;\n}\n",
        expect![[r#"
            Error: a `}` is missing
               ╭─[ bad.heat:7:2 ]
               │
             3 │         while b {
               │                 ┬
               │                 ╰── this block is not closed
               │
             7 │ }
               │  │
               │  ╰─ the file ends here
            ───╯
        "#]],
    );
}

#[test]
fn missing_body() {
    refused(
        "main { if a x = 1; }",
        expect![[r#"
            Error: expected `{` and the body of `if`, found `x`
               ╭─[ bad.heat:1:13 ]
               │
             1 │ main { if a x = 1; }
               │             ┬
               │             ╰── expected `{` and the body of `if`
               │
               │ Help: the body of `if` always stands in braces
            ───╯
        "#]],
    );
}

#[test]
fn else_without_if() {
    refused(
        "main { else { } }",
        expect![[r#"
            Error: this `else` has no `if`
               ╭─[ bad.heat:1:8 ]
               │
             1 │ main { else { } }
               │        ──┬─
               │          ╰─── nothing before it
               │
               │ Help: `else` follows the `}` of an `if`, without `;`
            ───╯
        "#]],
    );
}

#[test]
fn else_needs_a_block() {
    refused(
        "main { if a { } else x = 1; }",
        expect![[r#"
            Error: expected `{` or `if` after `else`, found `x`
               ╭─[ bad.heat:1:22 ]
               │
             1 │ main { if a { } else x = 1; }
               │                      ┬
               │                      ╰── expected `{` or `if` after `else`
            ───╯
        "#]],
    );
}

#[test]
fn semicolon_before_else() {
    refused(
        "main { if a { }; else { } }",
        expect![[r#"
            Error: there is no statement before this `;`
               ╭─[ bad.heat:1:16 ]
               │
             1 │ main { if a { }; else { } }
               │                ┬
               │                ╰── nothing to end
               │
               │ Help: a block ends without `;`
            ───╯
            Error: this `else` has no `if`
               ╭─[ bad.heat:1:18 ]
               │
             1 │ main { if a { }; else { } }
               │                  ──┬─
               │                    ╰─── nothing before it
               │
               │ Help: `else` follows the `}` of an `if`, without `;`
            ───╯
        "#]],
    );
}

#[test]
fn assignment_in_a_condition() {
    refused(
        "main { if x = 1 { } while y = 2 { } }",
        expect![[r#"
            Error: `=` assigns, and a condition only asks
               ╭─[ bad.heat:1:13 ]
               │
             1 │ main { if x = 1 { } while y = 2 { } }
               │             ┬
               │             ╰── this is no comparison
               │
               │ Help: compare with `==`
            ───╯
            Error: `=` assigns, and a condition only asks
               ╭─[ bad.heat:1:29 ]
               │
             1 │ main { if x = 1 { } while y = 2 { } }
               │                             ┬
               │                             ╰── this is no comparison
               │
               │ Help: compare with `==`
            ───╯
        "#]],
    );
}

#[test]
fn let_without_a_value() {
    refused(
        "main { let x; }",
        expect![[r#"
            Error: expected `=` and a value, found `;`
               ╭─[ bad.heat:1:13 ]
               │
             1 │ main { let x; }
               │             ┬
               │             ╰── expected `=` and a value
               │
               │ Help: a local variable always starts with a value: `let x = 0;`
            ───╯
        "#]],
    );
}

#[test]
fn select_needs_cases() {
    refused(
        "main { select { x = 1; } }",
        expect![[r#"
            Error: expected `case`, `default` or `}`, found `x`
               ╭─[ bad.heat:1:17 ]
               │
             1 │ main { select { x = 1; } }
               │                 ┬
               │                 ╰── expected `case`, `default` or `}`
            ───╯
        "#]],
    );
}

#[test]
fn case_that_does_not_wait() {
    refused(
        "main { select { case x + 1 { } } }",
        expect![[r#"
            Error: a case sends or receives
               ╭─[ bad.heat:1:22 ]
               │
             1 │ main { select { case x + 1 { } } }
               │                      ──┬──
               │                        ╰──── this does neither
               │
               │ Help: write `case c <- e { .. }`, `case <-c { .. }` or `case let x = <-c { .. }`
            ───╯
        "#]],
    );
}

#[test]
fn default_comes_last() {
    refused(
        "main { select { default { } case <-c { } } }",
        expect![[r#"
            Error: `default` comes once, and last
               ╭─[ bad.heat:1:29 ]
               │
             1 │ main { select { default { } case <-c { } } }
               │                             ──┬─
               │                               ╰─── behind `default`
            ───╯
        "#]],
    );
}

#[test]
fn misspelt_words() {
    refused(
        "globl x;\nmain { lok m; whlie x { } retrun x; pritn 1; foo 2; }\nthred { }",
        expect![[r#"
            Error: there is no `globl` in this language
               ╭─[ bad.heat:1:1 ]
               │
             1 │ globl x;
               │ ──┬──
               │   ╰──── not known
               │
               │ Help: did you mean `global`?
            ───╯
            Error: there is no `lok` in this language
               ╭─[ bad.heat:2:8 ]
               │
             2 │ main { lok m; whlie x { } retrun x; pritn 1; foo 2; }
               │        ─┬─
               │         ╰─── not known
               │
               │ Help: did you mean `lock`?
            ───╯
            Error: there is no `whlie` in this language
               ╭─[ bad.heat:2:15 ]
               │
             2 │ main { lok m; whlie x { } retrun x; pritn 1; foo 2; }
               │               ──┬──
               │                 ╰──── not known
               │
               │ Help: did you mean `while`?
            ───╯
            Error: there is no `retrun` in this language
               ╭─[ bad.heat:2:27 ]
               │
             2 │ main { lok m; whlie x { } retrun x; pritn 1; foo 2; }
               │                           ───┬──
               │                              ╰──── not known
               │
               │ Help: did you mean `return`?
            ───╯
            Error: there is no `pritn` in this language
               ╭─[ bad.heat:2:37 ]
               │
             2 │ main { lok m; whlie x { } retrun x; pritn 1; foo 2; }
               │                                     ──┬──
               │                                       ╰──── not known
               │
               │ Help: did you mean `print`?
            ───╯
            Error: expected `;` after the statement, found `2`
               ╭─[ bad.heat:2:50 ]
               │
             2 │ main { lok m; whlie x { } retrun x; pritn 1; foo 2; }
               │                                                  ┬
               │                                                  ╰── expected `;` before this
            ───╯
            Error: there is no `thred` in this language
               ╭─[ bad.heat:3:1 ]
               │
             3 │ thred { }
               │ ──┬──
               │   ╰──── not known
               │
               │ Help: did you mean `thread`?
            ───╯
        "#]],
    );
}
