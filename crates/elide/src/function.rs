//! One function: its checks are thinned out, and written anew.

use crate::analysis::again::{self, Words};
use crate::analysis::checks::{self, Check};
use crate::analysis::effects::Effects;
use crate::analysis::fields;
use crate::analysis::later;
use crate::analysis::linear::Forms;
use crate::analysis::loops;
use crate::analysis::once::{self, Plan};
use crate::analysis::redundant::{self, Around};
use crate::analysis::turns::Context;
use crate::analysis::work::Work;
use crate::ir::Module;
use crate::level::Level;
use crate::rewrite::compute::Source;
use crate::rewrite::edits::Edits;
use crate::rewrite::emit::Emitter;
use crate::rewrite::frames;
use crate::stats::Stats;
use hashbrown::HashSet;
use std::cmp::Reverse;

/// Does to the function what the level says.
pub fn elide<'a>(
    module: &Module<'a>,
    effects: &Effects<'a>,
    work: Work<'a, '_>,
    mut around: Around<'a>,
    level: Level,
    emitter: &mut Emitter,
    edits: &mut Edits,
) -> Stats {
    let Work { function, cfg, definitions, mut forms, mut checks, local } = work;
    let all = checks.len() + local;
    let mut stats = Stats { function: function.name.to_owned(), checks: all, local, ..Stats::default() };
    let context = Context { module, function, cfg: &cfg, definitions: &definitions, effects };
    stats.redundant += drop_redundant(&context, &forms, &mut checks, &around, &[]);
    if level >= Level::Coalesce {
        let before = checks.len();
        let mut moved = loops::hoist(&context, &mut forms, &mut checks).into_iter();
        checks.retain(|_| moved.next() == Some(false));
        stats.hoisted = before - checks.iter().filter(|c| c.line.is_some()).count();
        // Of those that are new at the same place, writes first: they may stand for reads.
        checks.sort_by_key(|c| (c.block, c.at, c.line, Reverse(c.what.mode)));
        let (questions, about): (Vec<_>, Vec<_>) =
            loops::questions(&context, &mut forms, &checks).into_iter().unzip();
        around.questions = questions;
        stats.redundant += drop_redundant(&context, &forms, &mut checks, &around, &about);
        let mut gone = fields::merge(&context, &mut checks).into_iter();
        let before = checks.len();
        checks.retain(|_| gone.next() == Some(false));
        stats.merged = before - checks.len();
    }
    // Last, since a read that was checked together with its neighbours costs nothing.
    stats.redundant += drop_due(&context, &forms, &mut checks);
    stats.added = checks.iter().filter(|c| c.line.is_none()).count();
    let plan = if level >= Level::Coalesce { once::plan(&context, &forms, &checks) } else { Plan::default() };
    let words = match level >= Level::Coalesce {
        true => again::plan(&context, &mut forms, &checks, &plan),
        false => Words::default(),
    };
    stats.once = plan.checks.iter().filter(|once| once.unless != 0).count() + words.all.len();
    let kept: HashSet<usize, foldhash::fast::FixedState> = checks.iter().filter_map(|c| c.line).collect();
    let insts = function.blocks.iter().flat_map(|b| &b.insts);
    let gone: HashSet<usize, foldhash::fast::FixedState> =
        insts.filter(|i| checks::named(i).is_some() && !kept.contains(&i.line)).map(|i| i.line).collect();
    let unseen =
        if stats.added == 0 { frames::unseen(function, |line| gone.contains(&line)) } else { Vec::new() };
    stats.frameless = !unseen.is_empty();
    let source =
        Source { function, cfg: &cfg, definitions: &definitions, forms: &forms, opaque: module.opaque };
    emitter.write(&source, &checks, &plan, &words, edits, !stats.frameless);
    for line in unseen.into_iter().chain(gone) {
        edits.remove(line);
    }
    stats
}

/// Takes out the reads that later writes stand for; how many of those that clang had put in.
fn drop_due<'a>(context: &Context<'a, '_>, forms: &Forms<'a>, checks: &mut Vec<Check<'a>>) -> usize {
    let mut due = later::find(context, forms, checks).into_iter();
    let before = checks.iter().filter(|c| c.line.is_some()).count();
    checks.retain(|_| due.next() == Some(false));
    before - checks.iter().filter(|c| c.line.is_some()).count()
}

/// Takes out the checks that were made before, and those that questions are `about` which hold; how many of those that clang had put in.
fn drop_redundant<'a>(
    context: &Context<'a, '_>,
    forms: &Forms<'a>,
    checks: &mut Vec<Check<'a>>,
    around: &Around<'a>,
    about: &[usize],
) -> usize {
    let mut found = redundant::find(context, forms, checks, around);
    for (holds, check) in found.answers.iter().zip(about) {
        found.redundant[*check] |= holds;
    }
    let mut redundant = found.redundant.into_iter();
    let before = checks.iter().filter(|c| c.line.is_some()).count();
    checks.retain(|_| redundant.next() == Some(false));
    before - checks.iter().filter(|c| c.line.is_some()).count()
}
