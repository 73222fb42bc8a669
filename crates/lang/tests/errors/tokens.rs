//! Words, numbers, strings and marks that cannot be read.

use crate::refused;
use expect_test::expect;

#[test]
fn number_too_large() {
    refused(
        "global x = 9223372036854775808; main { x = 99999999999999999999999999999999999999999999999999; }",
        expect![[r#"
            Error: `9223372036854775808` does not fit an integer
               ╭─[ bad.heat:1:12 ]
               │
             1 │ global x = 9223372036854775808; main { x = 99999999999999999999999999999999999999999999999999; }
               │            ─────────┬─────────
               │                     ╰─────────── the largest is 9223372036854775807
            ───╯
            Error: `9999999999999999999999999999999999999999...` does not fit an integer
               ╭─[ bad.heat:1:44 ]
               │
             1 │ global x = 9223372036854775808; main { x = 99999999999999999999999999999999999999999999999999; }
               │                                            ─────────────────────────┬────────────────────────
               │                                                                     ╰────────────────────────── the largest is 9223372036854775807
            ───╯
        "#]],
    );
}

#[test]
fn number_with_letters() {
    refused(
        "main { x = 12ab; y = 0xfg; z = 0x; }",
        expect![[r#"
            Error: `12ab` is not a number
               ╭─[ bad.heat:1:12 ]
               │
             1 │ main { x = 12ab; y = 0xfg; z = 0x; }
               │            ──┬─
               │              ╰─── not a number
               │
               │ Help: numbers are decimal (`1_000`) or hexadecimal (`0xff`); names start with a letter
            ───╯
            Error: `0xfg` is not a number
               ╭─[ bad.heat:1:22 ]
               │
             1 │ main { x = 12ab; y = 0xfg; z = 0x; }
               │                      ──┬─
               │                        ╰─── not a number
               │
               │ Help: numbers are decimal (`1_000`) or hexadecimal (`0xff`); names start with a letter
            ───╯
            Error: `0x` is not a number
               ╭─[ bad.heat:1:32 ]
               │
             1 │ main { x = 12ab; y = 0xfg; z = 0x; }
               │                                ─┬
               │                                 ╰── not a number
               │
               │ Help: numbers are decimal (`1_000`) or hexadecimal (`0xff`); names start with a letter
            ───╯
        "#]],
    );
}

#[test]
fn string_as_a_value() {
    refused(
        "main { x = \"hello\"; }",
        expect![[r#"
            Error: a string is not a value
               ╭─[ bad.heat:1:12 ]
               │
             1 │ main { x = "hello"; }
               │            ───┬───
               │               ╰───── only `panic` takes a string
            ───╯
        "#]],
    );
}

#[test]
fn unclosed_string() {
    refused(
        "main {\n    panic \"oh;\n}",
        expect![[r#"
            Error: this string is not closed
               ╭─[ bad.heat:2:11 ]
               │
             2 │     panic "oh;
               │           ┬
               │           ╰── it starts here
               │
               │ Help: close it with `"` on the same line; `\n` is a line break
            ───╯
        "#]],
    );
}

#[test]
fn unknown_escape() {
    refused(
        "main { panic \"a\\q\"; }",
        expect![[r#"
            Error: this escape is not known
               ╭─[ bad.heat:1:16 ]
               │
             1 │ main { panic "a\q"; }
               │                ─┬
               │                 ╰── not known
               │
               │ Help: known are `\n`, `\t`, `\r`, `\"` and `\\`
            ───╯
        "#]],
    );
}

#[test]
fn unclosed_comment() {
    refused(
        "main { }\n/* for ever",
        expect![[r#"
            Error: this comment is not closed
               ╭─[ bad.heat:2:1 ]
               │
             2 │ /* for ever
               │ ─┬
               │  ╰── it starts here
               │
               │ Help: close it with `*/`
            ───╯
        "#]],
    );
}

#[test]
fn unknown_character() {
    refused(
        "main { x = 1 @ 2; }",
        expect![[r#"
            Error: `@` has no meaning here
               ╭─[ bad.heat:1:14 ]
               │
             1 │ main { x = 1 @ 2; }
               │              ┬
               │              ╰── not understood
            ───╯
        "#]],
    );
}

#[test]
fn letters_of_other_alphabets() {
    refused(
        "main { größe = 1; }",
        expect![[r#"
            Error: `ö` has no meaning here
               ╭─[ bad.heat:1:10 ]
               │
             1 │ main { größe = 1; }
               │          ┬
               │          ╰── not understood
               │
               │ Help: names are made of ASCII letters, digits and `_`
            ───╯
            Error: `ß` has no meaning here
               ╭─[ bad.heat:1:11 ]
               │
             1 │ main { größe = 1; }
               │           ┬
               │           ╰── not understood
               │
               │ Help: names are made of ASCII letters, digits and `_`
            ───╯
        "#]],
    );
}

#[test]
fn typographic_marks() {
    refused(
        "main { if a ≠ b { panic “oh”; } x = 3 − 1; }",
        expect![[r#"
            Error: `≠` has no meaning here
               ╭─[ bad.heat:1:13 ]
               │
             1 │ main { if a ≠ b { panic “oh”; } x = 3 − 1; }
               │             ┬
               │             ╰── not understood
               │
               │ Help: write `!=`
            ───╯
            Error: `“` has no meaning here
               ╭─[ bad.heat:1:25 ]
               │
             1 │ main { if a ≠ b { panic “oh”; } x = 3 − 1; }
               │                         ┬
               │                         ╰── not understood
               │
               │ Help: a string stands between straight quotes: `"`
            ───╯
            Error: `”` has no meaning here
               ╭─[ bad.heat:1:28 ]
               │
             1 │ main { if a ≠ b { panic “oh”; } x = 3 − 1; }
               │                            ┬
               │                            ╰── not understood
               │
               │ Help: a string stands between straight quotes: `"`
            ───╯
            Error: `−` has no meaning here
               ╭─[ bad.heat:1:39 ]
               │
             1 │ main { if a ≠ b { panic “oh”; } x = 3 − 1; }
               │                                       ┬
               │                                       ╰── not understood
               │
               │ Help: write the ASCII minus: `-`
            ───╯
        "#]],
    );
}

#[test]
fn control_characters_are_not_shown() {
    refused(
        "main { x = \u{1b}[31m1; }",
        expect![[r#"
            Error: `\u{1b}` has no meaning here
               ╭─[ bad.heat:1:12 ]
               │
             1 │ main { x = ?[31m1; }
               │            ┬
               │            ╰── not understood
            ───╯
        "#]],
    );
}

#[test]
fn keyword_as_a_name() {
    refused(
        "global lock = 1; main { let free = 2; }",
        expect![[r#"
            Error: expected the name of a variable, found `lock`
               ╭─[ bad.heat:1:8 ]
               │
             1 │ global lock = 1; main { let free = 2; }
               │        ──┬─
               │          ╰─── expected the name of a variable
               │
               │ Help: `lock` is a word of the language and cannot be a name
            ───╯
            Error: expected the name of a local variable, found `free`
               ╭─[ bad.heat:1:29 ]
               │
             1 │ global lock = 1; main { let free = 2; }
               │                             ──┬─
               │                               ╰─── expected the name of a local variable
               │
               │ Help: `free` is a word of the language and cannot be a name
            ───╯
        "#]],
    );
}

#[test]
fn word_of_no_use_as_a_name() {
    refused(
        "global switch; main { }",
        expect![[r#"
            Error: there is no `switch` in this language
               ╭─[ bad.heat:1:8 ]
               │
             1 │ global switch; main { }
               │        ───┬──
               │           ╰──── not known
               │
               │ Help: write `if`, `else if` and `else`
            ───╯
        "#]],
    );
}
