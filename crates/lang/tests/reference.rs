//! The programs of `docs/language.md`: read, checked, in the right form, and they print what the page says.

use deadheat_explore::{Action, Log, Points, Status};
use deadheat_lang::{Machine, Options, check, compile, format, parse};
use deadheat_trace::Tid;
use std::sync::Arc;

const PAGE: &str = include_str!("../../../docs/language.md");

/// The blocks of code: their language and text.
fn blocks() -> Vec<(&'static str, &'static str)> {
    let mut parts = PAGE.split("\n```");
    parts.next();
    let mut blocks = Vec::new();
    while let (Some(block), Some(_)) = (parts.next(), parts.next()) {
        let (language, text) = block.split_once('\n').expect("a language and a text");
        blocks.push((language, text));
    }
    blocks
}

/// What it prints if the thread with the smallest number always goes first.
fn output(source: &str) -> String {
    let program = parse(source).unwrap_or_else(|e| panic!("{}", e[0].render("language.md", source, false)));
    let types = check(&program).unwrap_or_else(|e| panic!("{}", e[0].render("language.md", source, false)));
    let code = compile(&program, &types).expect("small enough");
    let mut machine = Machine::new(Arc::new(code), Options { keep_output: true, ..Options::default() });
    let mut log = Log::default();
    while let Some(tid) =
        (0..machine.created()).map(Tid).find(|t| matches!(machine.status(*t), Status::Ready(_)))
    {
        machine.step(Action { tid, choice: 0 }, &Points::Everywhere, &mut log).expect("no fault");
    }
    let ended = (0..machine.created()).all(|t| machine.status(Tid(t)) == Status::Finished);
    assert!(ended, "everybody should have ended:\n{source}");
    machine.output().join("\n")
}

#[test]
fn the_programs_are_good_and_do_what_the_page_says() {
    let blocks = blocks();
    let mut programs = 0;
    for (n, (language, text)) in blocks.iter().enumerate() {
        if *language != "heat" {
            continue;
        }
        programs += 1;
        let source = format!("{text}\n");
        let formatted = format(&parse(&source).expect("a program"), &source);
        assert_eq!(formatted, source, "not in the right form");
        let printed = output(&source);
        if let Some(("text", told)) = blocks.get(n + 1) {
            assert_eq!(printed, *told, "{source}");
        }
    }
    assert!(programs >= 4);
}

/// Every reserved word and builtin is on the page.
#[test]
fn no_word_is_missing() {
    let words = "global atomic class fn main thread finally let if else while lock unlock sync wait deschedule make_runnable yield \
                 close select case default free assert panic print return new chan spawn true false null this int bool mutex";
    let reserved = |word: &str| parse(&format!("main {{ let {word} = 1; }}")).is_err();
    for word in words.split_ascii_whitespace() {
        assert!(reserved(word), "{word} is not reserved");
        assert!(PAGE.contains(&format!("\"{word}\"")), "{word} is not in the grammar");
    }
    for (name, _) in deadheat_lang::ast::Builtin::ALL {
        assert!(PAGE.contains(&format!("`{name}(")), "{name} is not explained");
    }
}
