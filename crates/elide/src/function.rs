//! One function: its checks are found, thinned out, and written anew.

use crate::analysis::cfg::Cfg;
use crate::analysis::checks;
use crate::analysis::effects::Effects;
use crate::analysis::linear::{Forms, definitions};
use crate::analysis::redundant;
use crate::ir::{Function, Module};
use crate::level::Level;
use crate::rewrite::edits::Edits;
use crate::rewrite::frames;
use crate::stats::Stats;
use hashbrown::HashSet;

/// Does to the function what the level says. None if it has no checks.
pub fn elide<'a>(module: &Module<'a>, function: &Function<'a>, effects: &Effects<'a>, level: Level, edits: &mut Edits) -> Option<Stats> {
    let _ = level;
    if !function.blocks.iter().flat_map(|b| &b.insts).any(|i| frames::runtime_call(i).is_some()) {
        return None;
    }
    let cfg = Cfg::of(function);
    let definitions = definitions(function);
    let mut forms = Forms::of(function, &cfg, &definitions);
    let checks = checks::find(function, &mut forms);
    let redundant = redundant::find(module, function, &cfg, &forms, effects, &checks);
    let mut stats = Stats { function: function.name.to_owned(), checks: checks.len(), ..Stats::default() };
    let mut gone: HashSet<usize, foldhash::fast::FixedState> = HashSet::default();
    for (check, is_redundant) in checks.iter().zip(&redundant) {
        if *is_redundant {
            stats.redundant += 1;
            gone.insert(check.line);
        }
    }
    let unseen = frames::unseen(function, |line| gone.contains(&line));
    stats.frameless = !unseen.is_empty();
    for line in unseen.into_iter().chain(gone) {
        edits.remove(line);
    }
    Some(stats)
}
