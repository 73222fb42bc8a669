//! Race detection compiled into the program: the instrumentation pass of *Verifying Dynamic Race Detection* (CPP 2017), §4.
//!
//! [`instrument`] is source to source. Every load, store, lock, unlock, spawn and wait gets the VectorClock handler of Figure 9 around it, written in the
//! language (`handlers.heat`), with its clocks in memory of their own. A lock for each location guards its clocks (§4.3);
//! [`Guard::None`] leaves it out, to show Figure 10's missed race. [`Bigger`] is the bigger-step semantics of Figure 11.
//!
//! *Deviations.* The initial memory must encode the initial state, in which every thread's own component is 1: main sets it up before anything else. Loads inside expressions are taken out
//! first, so that each is an instruction as in Figure 7. Thread numbers are those of the `spawn`s in the order of the text; so a `spawn` may stand neither in a loop nor in a function.
//! What the calculus does not have (classes, channels, atomics, the heap) is refused.

mod bigger;
mod build;
mod expr;
mod layout;
mod refuse;
mod statement;

pub use bigger::Bigger;
pub use layout::Layout;

use build::{call, global_array, statement};
use deadheat_lang::ast::{Block, ExprKind, Program, Span, Statement, StatementKind, Type};
use deadheat_lang::{Error, parse};
use statement::Pass;

/// Are the clocks of a location guarded by a lock?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guard {
    /// §4.3: a lock for each location.
    PerLocation,
    /// None: the handlers of racing accesses race themselves, and may miss the race (Figure 10).
    None,
}

/// The instrumented program, and where its clocks are. The program's own globals come first and keep their places.
pub fn instrument(program: &Program, guard: Guard) -> Result<(Program, Layout), Vec<Error>> {
    let layout = Layout::new(program)?;
    let mut pass = Pass::new(&layout, guard);
    let main = pass.main(program);
    let mut functions: Vec<_> = program.functions.iter().map(|f| pass.function(f)).collect();
    if !pass.errors.is_empty() {
        return Err(pass.errors);
    }
    functions.extend(handlers(&layout));
    let mut globals = program.globals.clone();
    for (name, rows) in layout.clocks() {
        globals.push(global_array(name, Type::Int, rows * layout.threads()));
    }
    if guard == Guard::PerLocation {
        globals.push(global_array("__X", Type::Mutex, layout.locations()));
    }
    let start = statement(StatementKind::Do(call("__start", Vec::new())));
    let main = Block { statements: std::iter::once(start).chain(main).collect(), span: Span::default() };
    Ok((Program { globals, functions, main: Some(main), ..Program::default() }, layout))
}

fn handlers(layout: &Layout) -> Vec<deadheat_lang::ast::Function> {
    let text = include_str!("handlers.heat").replace('Z', &layout.threads().to_string());
    parse(&text).expect("the handlers are well formed").functions
}

/// The threads of a program without `main`, as main would start them.
fn desugared(program: &Program) -> Vec<Statement> {
    let mut statements = Vec::new();
    for (n, thread) in program.threads.iter().enumerate() {
        let block = thread.body.clone();
        let spawn = build::at(ExprKind::SpawnBlock(block), thread.body.span);
        statements.push(build::let_(&format!("__thread{}", n + 1), spawn));
    }
    for n in 1..=program.threads.len() {
        statements.push(statement(StatementKind::Wait(build::name(&format!("__thread{n}")))));
    }
    statements.extend(program.finally.iter().map(|block| statement(StatementKind::Block(block.clone()))));
    statements
}
