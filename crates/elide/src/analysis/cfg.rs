//! The control flow of a function: orders, dominators, loops.

use crate::ir::{BlockId, Function};

/// Who follows whom.
pub struct Cfg {
    /// The blocks from which one may come.
    pub before: Vec<Vec<BlockId>>,
    /// Blocks that can be reached, each behind all that dominate it.
    pub order: Vec<BlockId>,
    /// The place of each block in `order`.
    rank: Vec<Option<u32>>,
    /// The nearest block that dominates each.
    idom: Vec<Option<BlockId>>,
    /// The natural loops, inner ones before those around them.
    pub loops: Vec<Loop>,
}

/// A natural loop: all that lies between a header and the blocks that jump back to it.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Where it is entered.
    pub header: BlockId,
    /// The blocks that jump back.
    pub latches: Vec<BlockId>,
    /// All of its blocks, sorted.
    pub blocks: Vec<BlockId>,
}

impl Loop {
    /// Is the block in it?
    pub fn contains(&self, block: BlockId) -> bool {
        self.blocks.binary_search(&block).is_ok()
    }
}

impl Cfg {
    /// The control flow of that function.
    pub fn of(function: &Function<'_>) -> Cfg {
        let mut before = vec![Vec::new(); function.blocks.len()];
        for block in function.ids() {
            for target in function.block(block).targets() {
                before[target.0 as usize].push(block);
            }
        }
        let order = reverse_postorder(function);
        let mut rank = vec![None; function.blocks.len()];
        for (at, block) in order.iter().enumerate() {
            rank[block.0 as usize] = Some(at as u32);
        }
        let mut cfg = Cfg { before, order, rank, idom: Vec::new(), loops: Vec::new() };
        cfg.idom = cfg.dominators();
        cfg.loops = cfg.find_loops(function);
        cfg
    }

    /// Which blocks are in a loop.
    pub fn looped(&self) -> Vec<bool> {
        let mut looped = vec![false; self.before.len()];
        self.loops.iter().flat_map(|l| &l.blocks).for_each(|block| looped[block.0 as usize] = true);
        looped
    }

    /// Can the block be reached?
    pub fn is_reached(&self, block: BlockId) -> bool {
        self.rank[block.0 as usize].is_some()
    }

    /// Cooper, Harvey, Kennedy: *A Simple, Fast Dominance Algorithm*.
    fn dominators(&self) -> Vec<Option<BlockId>> {
        let mut idom: Vec<Option<BlockId>> = vec![None; self.rank.len()];
        let Some(entry) = self.order.first() else { return idom };
        idom[entry.0 as usize] = Some(*entry);
        let mut changed = true;
        while changed {
            changed = false;
            for block in &self.order[1..] {
                let known = self.before[block.0 as usize].iter().filter(|b| idom[b.0 as usize].is_some());
                let new = known.copied().reduce(|a, b| self.meet(&idom, a, b));
                if idom[block.0 as usize] != new {
                    idom[block.0 as usize] = new;
                    changed = true;
                }
            }
        }
        idom
    }

    fn meet(&self, idom: &[Option<BlockId>], mut a: BlockId, mut b: BlockId) -> BlockId {
        let rank = |block: BlockId| self.rank[block.0 as usize];
        while a != b {
            let later = if rank(a) > rank(b) { &mut a } else { &mut b };
            *later = idom[later.0 as usize].unwrap_or(self.order[0]);
        }
        a
    }

    /// Does every way to `below` go through `above`?
    pub fn dominates(&self, above: BlockId, mut below: BlockId) -> bool {
        if !self.is_reached(above) || !self.is_reached(below) {
            return false;
        }
        while self.rank[below.0 as usize] > self.rank[above.0 as usize] {
            match self.idom[below.0 as usize] {
                Some(next) if next != below => below = next,
                _ => return false,
            }
        }
        above == below
    }

    fn find_loops(&self, function: &Function<'_>) -> Vec<Loop> {
        let mut loops: Vec<Loop> = Vec::new();
        for latch in &self.order {
            for header in function.block(*latch).targets() {
                if self.dominates(*header, *latch) {
                    match loops.iter_mut().find(|l| l.header == *header) {
                        Some(found) => found.latches.push(*latch),
                        None => {
                            loops.push(Loop { header: *header, latches: vec![*latch], blocks: Vec::new() })
                        }
                    }
                }
            }
        }
        for one in &mut loops {
            let mut inside = vec![false; self.rank.len()];
            inside[one.header.0 as usize] = true;
            let mut open: Vec<BlockId> = one.latches.clone();
            while let Some(block) = open.pop() {
                if !std::mem::replace(&mut inside[block.0 as usize], true) {
                    open.extend(self.before[block.0 as usize].iter().filter(|b| self.is_reached(**b)));
                }
            }
            one.blocks = function.ids().filter(|b| inside[b.0 as usize]).collect();
        }
        loops.sort_by_key(|l| l.blocks.len());
        loops
    }

    /// The one block outside from which a loop is entered, if it can only go there.
    pub fn preheader(&self, function: &Function<'_>, of: &Loop) -> Option<BlockId> {
        let mut outside =
            self.before[of.header.0 as usize].iter().filter(|b| !of.contains(**b) && self.is_reached(**b));
        let (first, second) = (outside.next()?, outside.next());
        (second.is_none() && function.block(*first).targets().len() == 1).then_some(*first)
    }
}

/// Without recursion: functions of real programs have ten thousand blocks.
fn reverse_postorder(function: &Function<'_>) -> Vec<BlockId> {
    let mut seen = vec![false; function.blocks.len()];
    let mut order = Vec::with_capacity(seen.len());
    let mut open = vec![(BlockId(0), 0)];
    seen[0] = true;
    while let Some((block, next)) = open.last_mut() {
        match function.block(*block).targets().get(*next) {
            Some(target) => {
                *next += 1;
                if !std::mem::replace(&mut seen[target.0 as usize], true) {
                    open.push((*target, 0));
                }
            }
            None => {
                order.push(*block);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}
