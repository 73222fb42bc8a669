//! Where all ways from a block meet again, with nothing in between but computing and plain accesses: to all other threads that block and what it leads to are one moment.

use super::effects::Effect;
use super::turns::Context;
use crate::ir::BlockId;

/// So many blocks may lie in between.
const MOST: usize = 16;

/// The block to which all ways from that one lead, and to which no other way leads. Each block in between is added when all ways to it are known to come from there, so none of them is in a loop of its own.
pub fn next<'a>(context: &Context<'a, '_>, from: BlockId) -> Option<BlockId> {
    let mut between = vec![from];
    let mut open: Vec<BlockId> = context.function.block(from).targets().to_vec();
    loop {
        open.sort_unstable();
        open.dedup();
        let is_entered = |block: &BlockId, between: &[BlockId]| {
            let before = &context.cfg.before[block.0 as usize];
            before.iter().all(|b| between.contains(b)) && !between.contains(block)
        };
        if let [only] = open[..] {
            return is_entered(&only, &between).then_some(only);
        }
        let next = open.iter().position(|block| is_entered(block, &between) && is_plain(context, *block))?;
        let next = open.swap_remove(next);
        let targets = context.function.block(next).targets();
        if targets.is_empty() || between.len() > MOST {
            return None;
        }
        between.push(next);
        open.extend(targets);
    }
}

fn is_plain<'a>(context: &Context<'a, '_>, block: BlockId) -> bool {
    let mut insts = context.function.block(block).insts.iter();
    insts.all(|inst| context.effects.of(context.module, inst) == Effect::NONE)
}
