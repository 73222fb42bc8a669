//! Check elimination on LLVM's assembly language, behind clang's own `-fsanitize=thread`.
//!
//! clang writes the module as text, with all of its optimisations and its calls of `__tsan_*` in it; [`elide`] takes out the calls that cannot
//! matter, after *RedCard: Redundant Check Elimination for Dynamic Race Detectors* (Flanagan, Freund, ECOOP 2013) and, for what is checked together, *BigFoot* (Rhodes, Flanagan, Freund, PLDI 2017); clang makes machine code of the rest.
//! Text keeps what this crate does not understand: a line that is not changed stays as it was, and a function that cannot be read stays as a whole.
//!
//! # Deviations
//! - What functions have checked for each other (RedCard's method specifications) is inferred within a module (a file, or all that a linker has joined), in terms of parameters and globals. Of recursion nothing is known, nor of functions that somebody else may call.
//! - Loops are not peeled. Instead a word on the stack remembers what was checked in the current span, where the paths differ in that (`analysis::once`); other words remember addresses that come again in loops (`analysis::again`).
//! - Variables of a function whose addresses go nowhere are not checked (`analysis::local`), which RedCard leaves to the escape analysis of others.
//! - Addresses are compared as linear forms of SSA values, which takes the place of the alias constraints: two pointers that were loaded twice are two pointers.
//! - A signal handler that publishes something, and that runs in the middle of a span, is not seen to end it.

mod analysis;
mod function;
mod ir;
mod level;
mod rewrite;
mod scope;
mod stats;

pub use level::Level;
pub use scope::Scope;
pub use stats::Stats;

use analysis::calls::Calls;
use analysis::effects::Effects;
use analysis::redundant::Around;
use analysis::specs::Specs;
use analysis::work::Work;
use ir::Module;
use rewrite::edits::Edits;
use rewrite::emit::Emitter;
use rewrite::inline::Inliner;
use rewrite::preheaders;

/// The module with fewer checks.
pub struct Elided {
    /// Its text.
    pub text: String,
    /// What was done to each function that has checks.
    pub stats: Vec<Stats>,
    /// How many functions could not be read, and stay as they were.
    pub unread: usize,
}

/// The module of a file without the checks that the level takes out. None if the text is no module.
pub fn elide(text: &str, level: Level) -> Option<Elided> {
    elide_in(text, level, Scope::File)
}

/// The same of a module that is that much of a program.
pub fn elide_in(text: &str, level: Level, scope: Scope) -> Option<Elided> {
    let module = Module::read(text, scope)?;
    if level == Level::Off {
        return Some(Elided { text: text.to_owned(), stats: Vec::new(), unread: module.unread });
    }
    let effects = Effects::infer(&module);
    if level >= Level::Coalesce
        && let Some(text) = preheaders::add(&module, &effects)
    {
        let module = Module::read(&text, scope)?;
        return Some(thin_out(&module, &Effects::infer(&module), level));
    }
    Some(thin_out(&module, &effects, level))
}

fn thin_out<'a>(module: &Module<'a>, effects: &Effects<'a>, level: Level) -> Elided {
    let mut edits = Edits::default();
    let inliner = (level == Level::Inline).then(|| Inliner::of(module)).flatten();
    let mut emitter = Emitter::new(module, inliner);
    let mut works: Vec<Work<'a, '_>> = module.functions.iter().filter_map(Work::of).collect();
    let calls = Calls::of(module, &works);
    let specs = Specs::infer(module, effects, &mut works, &calls);
    let mut stats = Vec::new();
    for (number, mut work) in works.into_iter().enumerate() {
        let at_entry = specs.at_entry(&mut work, number);
        let behind = specs.behind(&mut work, &calls.sites[number]);
        let around = Around { at_entry, behind, ..Around::default() };
        stats.push(function::elide(module, effects, work, around, level, &mut emitter, &mut edits));
    }
    edits.end = emitter.declarations();
    Elided { text: edits.apply(&module.lines), stats, unread: module.unread }
}
