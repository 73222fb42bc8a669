//! Any text as a program of the small language: nothing panics, and what can be read can be written and read again.

use deadheat_lang::ast::Program;
use deadheat_lang::{Error, check, compile, format, parse, print};

/// Reads, checks, compiles, formats and prints it; every error is shown too.
pub fn check_program(bytes: &[u8]) {
    let source = String::from_utf8_lossy(bytes);
    let program = match parse(&source) {
        Ok(program) => program,
        Err(errors) => return show(&errors, &source),
    };
    match check(&program) {
        // What the check lets through, the compiler must be able to compile, or say why not.
        Ok(types) => drop(compile(&program, &types).map_err(|e| show(&[e], &source))),
        Err(errors) => show(&errors, &source),
    }
    let once = format(&program, &source);
    let again = reads_as(&program, &once);
    assert!(format(&again, &once) == once, "formatting twice is not formatting once:\n{source}\n---\n{once}");
    reads_as(&program, &print(&program));
}

/// The same tree, read from what was written.
fn reads_as(program: &Program, text: &str) -> Program {
    let again = parse(text).unwrap_or_else(|e| panic!("{}\n{text}", e[0].render("written", text, false)));
    assert!(shape(&again) == shape(program), "another tree:\n{text}");
    again
}

fn show(errors: &[Error], source: &str) {
    assert!((1..=20).contains(&errors.len()));
    // Drawing takes longer than all the rest: some of them will do.
    for (error, colour) in errors.iter().take(2).zip([true, false]) {
        let shown = error.render("program.heat", source, colour);
        assert!(shown.contains("Error"), "{shown}");
    }
}

/// The tree without its places.
fn shape(program: &Program) -> String {
    let text = format!("{program:?}");
    let mut parts = text.split("Span { ");
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        out.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    out
}
