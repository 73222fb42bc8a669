//! Statements and expressions as other languages write them.

use crate::refused;
use expect_test::expect;

#[test]
fn compound_assignment() {
    refused(
        "main { x += 1; a[i] *= 2; }",
        expect![[r#"
            Error: `+=` hides a read and a write, so it is not in this language
               ╭─[ bad.heat:1:10 ]
               │
             1 │ main { x += 1; a[i] *= 2; }
               │          ─┬
               │           ╰── not known
               │
               │ Help: write `x = x + ..;`
            ───╯
            Error: `*=` hides a read and a write, so it is not in this language
               ╭─[ bad.heat:1:21 ]
               │
             1 │ main { x += 1; a[i] *= 2; }
               │                     ─┬
               │                      ╰── not known
               │
               │ Help: write `a[i] = a[i] * ..;`
            ───╯
        "#]],
    );
}

#[test]
fn increment() {
    refused(
        "main { x++; o.f--; ++x; }",
        expect![[r#"
            Error: `++` hides a read and a write, so it is not in this language
               ╭─[ bad.heat:1:9 ]
               │
             1 │ main { x++; o.f--; ++x; }
               │         ─┬
               │          ╰── not known
               │
               │ Help: write `x = x + 1;`
            ───╯
            Error: `--` hides a read and a write, so it is not in this language
               ╭─[ bad.heat:1:16 ]
               │
             1 │ main { x++; o.f--; ++x; }
               │                ─┬
               │                 ╰── not known
               │
               │ Help: write `o.f = o.f - 1;`
            ───╯
            Error: expected an expression, found `++`
               ╭─[ bad.heat:1:20 ]
               │
             1 │ main { x++; o.f--; ++x; }
               │                    ─┬
               │                     ╰── expected an expression
               │
               │ Help: write `x = x + 1;`
            ───╯
        "#]],
    );
}

#[test]
fn short_declaration() {
    refused(
        "main { x := 1; }",
        expect![[r#"
            Error: `:=` is not in this language
               ╭─[ bad.heat:1:10 ]
               │
             1 │ main { x := 1; }
               │          ─┬
               │           ╰── not known
               │
               │ Help: write `let x = ..;` for a new local, `x = ..;` otherwise
            ───╯
        "#]],
    );
}

#[test]
fn for_loop_of_c() {
    refused(
        "main { for (i = 0; i < n; i++) { } }",
        expect![[r#"
            Error: there is no `for` in this language
               ╭─[ bad.heat:1:8 ]
               │
             1 │ main { for (i = 0; i < n; i++) { } }
               │        ─┬─
               │         ╰─── not known
               │
               │ Help: write `let i = 0; while i < n { ..; i = i + 1; }`
            ───╯
            Error: `++` hides a read and a write, so it is not in this language
               ╭─[ bad.heat:1:28 ]
               │
             1 │ main { for (i = 0; i < n; i++) { } }
               │                            ─┬
               │                             ╰── not known
               │
               │ Help: write `i = i + 1;`
            ───╯
        "#]],
    );
}

#[test]
fn for_loop_of_rust() {
    refused(
        "main { for i in a { } }",
        expect![[r#"
            Error: there is no `for` in this language
               ╭─[ bad.heat:1:8 ]
               │
             1 │ main { for i in a { } }
               │        ─┬─
               │         ╰─── not known
               │
               │ Help: write `let i = 0; while i < n { ..; i = i + 1; }`
            ───╯
        "#]],
    );
}

#[test]
fn loops_and_jumps() {
    refused(
        "main { loop { } do { } while true { break; continue; } }",
        expect![[r#"
            Error: there is no `loop` in this language
               ╭─[ bad.heat:1:8 ]
               │
             1 │ main { loop { } do { } while true { break; continue; } }
               │        ──┬─
               │          ╰─── not known
               │
               │ Help: write `while true { .. }`
            ───╯
            Error: there is no `do` in this language
               ╭─[ bad.heat:1:17 ]
               │
             1 │ main { loop { } do { } while true { break; continue; } }
               │                 ─┬
               │                  ╰── not known
               │
               │ Help: write `while true { .. }`
            ───╯
            Error: there is no `break` in this language
               ╭─[ bad.heat:1:37 ]
               │
             1 │ main { loop { } do { } while true { break; continue; } }
               │                                     ──┬──
               │                                       ╰──── not known
               │
               │ Help: let the condition of `while` end the loop, or `return` from a function
            ───╯
            Error: there is no `continue` in this language
               ╭─[ bad.heat:1:44 ]
               │
             1 │ main { loop { } do { } while true { break; continue; } }
               │                                            ────┬───
               │                                                ╰───── not known
               │
               │ Help: let the condition of `while` end the loop, or `return` from a function
            ───╯
        "#]],
    );
}

#[test]
fn switch() {
    refused(
        "main { switch (x) { } match x { } }",
        expect![[r#"
            Error: there is no `switch` in this language
               ╭─[ bad.heat:1:8 ]
               │
             1 │ main { switch (x) { } match x { } }
               │        ───┬──
               │           ╰──── not known
               │
               │ Help: write `if`, `else if` and `else`
            ───╯
            Error: there is no `match` in this language
               ╭─[ bad.heat:1:23 ]
               │
             1 │ main { switch (x) { } match x { } }
               │                       ──┬──
               │                         ╰──── not known
               │
               │ Help: write `if`, `else if` and `else`
            ───╯
        "#]],
    );
}

#[test]
fn go_statement() {
    refused(
        "main { go f(); go { } }",
        expect![[r#"
            Error: there is no `go` in this language
               ╭─[ bad.heat:1:8 ]
               │
             1 │ main { go f(); go { } }
               │        ─┬
               │         ╰── not known
               │
               │ Help: write `spawn f();` or `spawn { .. }`
            ───╯
            Error: there is no `go` in this language
               ╭─[ bad.heat:1:16 ]
               │
             1 │ main { go f(); go { } }
               │                ─┬
               │                 ╰── not known
               │
               │ Help: write `spawn f();` or `spawn { .. }`
            ───╯
        "#]],
    );
}

#[test]
fn arrow_for_a_field() {
    refused(
        "main { x->foo = 1; }",
        expect![[r#"
            Error: `->` cannot stand here
               ╭─[ bad.heat:1:9 ]
               │
             1 │ main { x->foo = 1; }
               │         ─┬
               │          ╰── not known
               │
               │ Help: fields and methods stand behind `.`, a heap cell is `p[i]`
            ───╯
        "#]],
    );
}

#[test]
fn addresses_and_pointers() {
    refused(
        "main { x = &y; z = *p; }",
        expect![[r#"
            Error: expected an expression, found `&`
               ╭─[ bad.heat:1:12 ]
               │
             1 │ main { x = &y; z = *p; }
               │            ┬
               │            ╰── expected an expression
               │
               │ Help: there are no addresses and no bit operations; `and` is `&&`
            ───╯
            Error: expected an expression, found `*`
               ╭─[ bad.heat:1:20 ]
               │
             1 │ main { x = &y; z = *p; }
               │                    ┬
               │                    ╰── expected an expression
               │
               │ Help: there are no pointers to follow; a heap cell is `p[0]`
            ───╯
        "#]],
    );
}

#[test]
fn bit_operations() {
    refused(
        "main { x = a & b; y = 1 << 2; z = a | b; }",
        expect![[r#"
            Error: `&` cannot stand here
               ╭─[ bad.heat:1:14 ]
               │
             1 │ main { x = a & b; y = 1 << 2; z = a | b; }
               │              ┬
               │              ╰── not known
               │
               │ Help: there are no addresses and no bit operations; `and` is `&&`
            ───╯
            Error: `<<` cannot stand here
               ╭─[ bad.heat:1:25 ]
               │
             1 │ main { x = a & b; y = 1 << 2; z = a | b; }
               │                         ─┬
               │                          ╰── not known
               │
               │ Help: there are no bit operations
            ───╯
            Error: `|` cannot stand here
               ╭─[ bad.heat:1:37 ]
               │
             1 │ main { x = a & b; y = 1 << 2; z = a | b; }
               │                                     ┬
               │                                     ╰── not known
               │
               │ Help: there are no bit operations; `or` is `||`
            ───╯
        "#]],
    );
}

#[test]
fn conditional_expression() {
    refused(
        "main { x = a ? b : c; }",
        expect![[r#"
            Error: `?` cannot stand here
               ╭─[ bad.heat:1:14 ]
               │
             1 │ main { x = a ? b : c; }
               │              ┬
               │              ╰── not known
               │
               │ Help: there is no `?:`; use `if`
            ───╯
        "#]],
    );
}

#[test]
fn spawned_method() {
    refused(
        "main { spawn o.m(); spawn f; spawn max(1, 2); }",
        expect![[r#"
            Error: a method is not spawned directly
               ╭─[ bad.heat:1:15 ]
               │
             1 │ main { spawn o.m(); spawn f; spawn max(1, 2); }
               │               ┬
               │               ╰── expected the arguments of a function
               │
               │ Help: write a block: `spawn { o.m(); }`
            ───╯
            Error: expected `(` and the arguments
               ╭─[ bad.heat:1:28 ]
               │
             1 │ main { spawn o.m(); spawn f; spawn max(1, 2); }
               │                            │
               │                            ╰─ expected `(`
               │
               │ Help: write `spawn f()`, or a block
            ───╯
            Error: a function of the language itself is no thread
               ╭─[ bad.heat:1:36 ]
               │
             1 │ main { spawn o.m(); spawn f; spawn max(1, 2); }
               │                                    ─┬─
               │                                     ╰─── not a function of the program
               │
               │ Help: write a block: `spawn { max(..); }`
            ───╯
        "#]],
    );
}

#[test]
fn panic_with_parentheses() {
    refused(
        "main { panic(\"oh\"); }",
        expect![[r#"
            Error: `panic` takes no parentheses
               ╭─[ bad.heat:1:13 ]
               │
             1 │ main { panic("oh"); }
               │             ┬
               │             ╰── not needed
               │
               │ Help: write `panic;` or `panic "what happened";`
            ───╯
        "#]],
    );
}

#[test]
fn case_of_go() {
    refused(
        "main { select { case x := <-c: y = x; } }",
        expect![[r#"
            Error: a received value needs `let`
               ╭─[ bad.heat:1:22 ]
               │
             1 │ main { select { case x := <-c: y = x; } }
               │                      ┬
               │                      ╰── a new local variable
               │
               │ Help: write `case let x = <-c { .. }`
            ───╯
        "#]],
    );
}

#[test]
fn synchronized_block() {
    refused(
        "main { synchronized (m) { } }",
        expect![[r#"
            Error: there is no `synchronized` in this language
               ╭─[ bad.heat:1:8 ]
               │
             1 │ main { synchronized (m) { } }
               │        ──────┬─────
               │              ╰─────── not known
               │
               │ Help: write `sync m { .. }`
            ───╯
        "#]],
    );
}

#[test]
fn strict_equality() {
    refused(
        "main { assert a === b; }",
        expect![[r#"
            Error: `===` cannot stand here
               ╭─[ bad.heat:1:17 ]
               │
             1 │ main { assert a === b; }
               │                 ─┬─
               │                  ╰─── not known
               │
               │ Help: write `==`
            ───╯
        "#]],
    );
}

#[test]
fn else_if_in_one_word() {
    refused(
        "main { if a { } elif b { } }",
        expect![[r#"
            Error: there is no `elif` in this language
               ╭─[ bad.heat:1:17 ]
               │
             1 │ main { if a { } elif b { } }
               │                 ──┬─
               │                   ╰─── not known
               │
               │ Help: write `else if`
            ───╯
        "#]],
    );
}
