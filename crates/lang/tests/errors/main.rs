//! Bad programs, one for each idea, and what is said about them.

mod declaration_habits;
mod expressions;
mod items;
mod names;
mod rules;
mod statement_habits;
mod statements;
mod tokens;
mod types;

use deadheat_lang::{check, parse};
use expect_test::Expect;

/// Refuses the program with these words.
fn refused(source: &str, words: Expect) {
    let errors = match parse(source) {
        Ok(program) => check(&program).expect_err("a bad program"),
        Err(errors) => errors,
    };
    words.assert_eq(&errors.iter().map(|e| e.render("bad.heat", source, false)).collect::<String>());
}
