//! Any text as a program of the small language: nothing panics, and what can be read can be written and read again.

use deadheat_explore::{Action, Log, Points, Status};
use deadheat_lang::ast::Program;
use deadheat_lang::code::Code;
use deadheat_lang::{Error, Machine, Options, check, compile, format, parse, print};
use deadheat_trace::Tid;
use std::sync::Arc;

/// Reads, checks, compiles, runs, formats and prints it; every error is shown too.
pub fn check_program(bytes: &[u8]) {
    let source = String::from_utf8_lossy(bytes);
    let program = match parse(&source) {
        Ok(program) => program,
        Err(errors) => return show(&errors, &source),
    };
    match check(&program) {
        // What the check lets through, the compiler must be able to compile, or say why not; and the machine to run.
        Ok(types) => match compile(&program, &types) {
            Ok(code) => run(code, bytes),
            Err(error) => show(&[error], &source),
        },
        Err(errors) => show(&errors, &source),
    }
    let once = format(&program, &source);
    let again = reads_as(&program, &once);
    assert!(format(&again, &once) == once, "formatting twice is not formatting once:\n{source}\n---\n{once}");
    reads_as(&program, &print(&program));
}

/// Runs it for a while, under a schedule that the bytes choose, with preemption points everywhere or at synchronisation only.
fn run(code: Code, bytes: &[u8]) {
    let mut machine = Machine::new(Arc::new(code), Options::default());
    let points = if bytes.len().is_multiple_of(2) { Points::Everywhere } else { Points::sync_only() };
    let mut log = Log::default();
    for n in 0..MOST_STEPS {
        let ready: Vec<Action> = (0..machine.created())
            .map(Tid)
            .filter_map(|tid| match machine.status(tid) {
                Status::Ready(ways) => Some(Action { tid, choice: n as u32 % ways }),
                _ => None,
            })
            .collect();
        let choice = bytes.get(n % bytes.len().max(1)).map_or(0, |b| usize::from(*b));
        let Some(action) = ready.get(choice % ready.len().max(1)) else { break };
        if machine.step(*action, &points, &mut log).is_err() {
            break;
        }
    }
    machine.name_events(&log.events, "program.heat", &String::from_utf8_lossy(bytes));
    machine.digest();
}

/// Steps of a run.
const MOST_STEPS: usize = 60;

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
