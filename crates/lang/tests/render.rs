//! How errors are drawn.

use deadheat_lang::ast::Span;
use deadheat_lang::{Error, parse};
use expect_test::expect;

fn first(source: &str) -> Error {
    parse(source).expect_err("a bad program").swap_remove(0)
}

#[test]
fn colours_only_if_wanted() {
    let source = "main { x = ; }";
    assert!(!first(source).render("a.heat", source, false).contains('\u{1b}'));
    assert!(first(source).render("a.heat", source, true).contains('\u{1b}'));
}

#[test]
fn lines_that_end_like_on_windows_and_tabs() {
    let source = "main {\r\n\tx = ;\r\n}\r\n";
    expect![[r#"
        Error: expected an expression, found `;`
           ╭─[ a.heat:2:6 ]
           │
         2 │     x = ;
           │         ┬
           │         ╰── expected an expression
        ───╯
    "#]]
    .assert_eq(&first(source).render("a.heat", source, false));
}

#[test]
fn letters_of_more_than_a_byte() {
    let source = "/* größer \u{1f525} */ main { x = ; }";
    expect![[r#"
        Error: expected an expression, found `;`
           ╭─[ a.heat:1:27 ]
           │
         1 │ /* größer 🔥 */ main { x = ; }
           │                            ┬
           │                            ╰── expected an expression
        ───╯
    "#]]
    .assert_eq(&first(source).render("a.heat", source, false));
}

/// Neither a program nor its file's name can write to the terminal.
#[test]
fn nothing_escapes() {
    let source = "main {\u{8} /* \u{1b}[2J \u{202e} \u{2028} \u{85} \r */ x = ; }";
    let shown = first(source).render("a\u{1b}]0;b\u{7}.heat", source, false);
    let bad = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202e}' | '\u{2028}');
    assert!(!shown.contains(bad), "{shown:?}");
    assert!(shown.contains("a?]0;b?.heat"), "{shown}");
    let source = "main { \u{202e} }";
    assert!(!first(source).render("a.heat", source, false).contains(bad));
}

/// Errors about another text, or made by hand, are drawn somehow.
#[test]
fn places_that_are_not_there() {
    let places = [(0, 0), (5, 3), (3, 1000), (1000, 1001), (u32::MAX, u32::MAX), (2, 3)];
    for source in ["", "\n", "x", "é\u{1f525}é\n\n", "main { }\n"] {
        for (start, end) in places {
            let mut error = Error::new(Span { start, end }, "something", "here").help("do that");
            assert!(error.render("a.heat", source, false).contains("something"));
            error.related = Some((Span { start: end, end: start }, "there".into()));
            assert!(error.render("a.heat", source, true).contains("something"));
        }
    }
}
