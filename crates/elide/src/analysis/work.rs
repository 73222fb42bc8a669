//! A function with what is found out about it once, for all that is done to it.

use super::cfg::Cfg;
use super::checks::{self, Check};
use super::effects::Effects;
use super::linear::{Definitions, Forms, definitions};
use super::local;
use super::turns::Context;
use crate::ir::{Function, Module};
use crate::rewrite::frames;

/// A function that concerns the runtime.
pub struct Work<'a, 'b> {
    /// The function.
    pub function: &'b Function<'a>,
    /// Its control flow.
    pub cfg: Cfg,
    /// Where its values are defined.
    pub definitions: Definitions,
    /// What its values are.
    pub forms: Forms<'a>,
    /// Its checks, block by block, without those of variables that nobody else knows of.
    pub checks: Vec<Check<'a>>,
    /// How many of those there were.
    pub local: usize,
}

impl<'a, 'b> Work<'a, 'b> {
    /// None if nothing of the function concerns the runtime.
    pub fn of(function: &'b Function<'a>) -> Option<Work<'a, 'b>> {
        if !function.blocks.iter().flat_map(|b| &b.insts).any(|i| frames::runtime_call(i).is_some()) {
            return None;
        }
        let cfg = Cfg::of(function);
        let definitions = definitions(function);
        let mut forms = Forms::of(function, &cfg, &definitions);
        let mut checks = checks::find(function, &mut forms);
        let all = checks.len();
        local::drop_local(function, &definitions, &mut checks);
        let local = all - checks.len();
        Some(Work { function, cfg, definitions, forms, checks, local })
    }

    /// What its checks are looked at with.
    pub fn context<'c>(&'c self, module: &'c Module<'a>, effects: &'c Effects<'a>) -> Context<'a, 'c> {
        let Work { function, cfg, definitions, .. } = self;
        Context { module, function, cfg, definitions, effects }
    }
}
