//! The shape of a function's graph: order, dominators, and Bourdoncle's nested components (which name a head for every cycle).

use crate::ir::{BlockId, Function, Var};

/// An element of the weak topological order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Component {
    /// A block outside of every cycle at this level.
    Block(BlockId),
    /// A cycle: its head, and the rest in order.
    Loop(BlockId, Vec<Component>),
}

/// Facts about the graph. Blocks that cannot be reached are in none of them.
pub struct Graph {
    /// Predecessors, each once, reachable ones only.
    pub preds: Vec<Vec<BlockId>>,
    /// The order in which contexts are computed.
    pub order: Vec<Component>,
    /// Immediate dominators; the entry's is itself.
    idom: Vec<Option<BlockId>>,
    /// Where each variable is defined; parameters in the entry.
    defined: Vec<Option<BlockId>>,
    /// Position in reverse post-order.
    rpo: Vec<Option<u32>>,
}

impl Graph {
    /// Looks at a function.
    pub fn new(function: &Function) -> Graph {
        let n = function.blocks.len();
        let post = post_order(function);
        let mut rpo = vec![None; n];
        for (at, block) in post.iter().rev().enumerate() {
            rpo[block.index()] = Some(at as u32);
        }
        let mut preds = vec![Vec::new(); n];
        for block in &post {
            for to in function.blocks[block.index()].end.targets() {
                if !preds[to.index()].contains(block) {
                    preds[to.index()].push(*block);
                }
            }
        }
        let idom = dominators(n, &post, &rpo, &preds);
        let order = Wto::new(function).order();
        let mut defined = vec![None; function.vars.len()];
        let mut define = |var: Var, block: usize| {
            if let Some(slot) = defined.get_mut(var.index()) {
                *slot = Some(BlockId(block as u32));
            }
        };
        function.params.iter().for_each(|var| define(*var, 0));
        for (at, block) in function.blocks.iter().enumerate() {
            block.phis.iter().for_each(|phi| define(phi.to, at));
            block.insts.iter().filter_map(|i| i.defines()).for_each(|var| define(var, at));
        }
        Graph { preds, order, idom, defined, rpo }
    }

    /// Can it be reached?
    pub fn reachable(&self, block: BlockId) -> bool {
        self.rpo.get(block.index()).is_some_and(Option::is_some)
    }

    /// Position in reverse post-order.
    pub fn position(&self, block: BlockId) -> u32 {
        self.rpo.get(block.index()).copied().flatten().unwrap_or(u32::MAX)
    }

    /// Does every path from the entry to `b` pass `a`?
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let mut at = b;
        loop {
            if at == a {
                return true;
            }
            match self.idom.get(at.index()).copied().flatten() {
                Some(up) if up != at => at = up,
                _ => return false,
            }
        }
    }

    /// The immediate dominator; `None` for the entry and for unreachable blocks.
    pub fn parent(&self, block: BlockId) -> Option<BlockId> {
        self.idom.get(block.index()).copied().flatten().filter(|up| *up != block)
    }

    /// Is the variable defined whenever control enters that block (φ-functions of the block included)?
    pub fn in_scope(&self, var: Var, block: BlockId, function: &Function) -> bool {
        match self.defined.get(var.index()).copied().flatten() {
            Some(at) if at == block => {
                (block.0 == 0 && function.params.contains(&var))
                    || function.blocks[block.index()].phis.iter().any(|phi| phi.to == var)
            }
            Some(at) => self.dominates(at, block),
            None => false,
        }
    }

    /// The block that defines a variable.
    pub fn definition(&self, var: Var) -> Option<BlockId> {
        self.defined.get(var.index()).copied().flatten()
    }
}

fn post_order(function: &Function) -> Vec<BlockId> {
    let mut seen = vec![false; function.blocks.len()];
    let mut order = Vec::new();
    let Some(first) = seen.first_mut() else { return order };
    *first = true;
    let mut stack = vec![(BlockId(0), function.blocks[0].end.targets().collect::<Vec<_>>())];
    while let Some((block, targets)) = stack.last_mut() {
        match targets.pop() {
            Some(to) if !seen[to.index()] => {
                seen[to.index()] = true;
                stack.push((to, function.blocks[to.index()].end.targets().collect()));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order
}

/// Cooper, Harvey, Kennedy: *A simple, fast dominance algorithm*.
fn dominators(
    n: usize,
    post: &[BlockId],
    rpo: &[Option<u32>],
    preds: &[Vec<BlockId>],
) -> Vec<Option<BlockId>> {
    let mut idom: Vec<Option<BlockId>> = vec![None; n];
    let Some(entry) = post.last() else { return idom };
    idom[entry.index()] = Some(*entry);
    let mut changed = true;
    while changed {
        changed = false;
        for block in post.iter().rev().skip(1) {
            let mut new: Option<BlockId> = None;
            for pred in preds[block.index()].iter().filter(|p| idom[p.index()].is_some()) {
                new = Some(new.map_or(*pred, |other| common(*pred, other, rpo, &idom)));
            }
            if new.is_some() && idom[block.index()] != new {
                idom[block.index()] = new;
                changed = true;
            }
        }
    }
    idom
}

fn common(mut a: BlockId, mut b: BlockId, rpo: &[Option<u32>], idom: &[Option<BlockId>]) -> BlockId {
    while a != b {
        let deeper = if rpo[a.index()] > rpo[b.index()] { &mut a } else { &mut b };
        match idom[deeper.index()] {
            Some(up) if up != *deeper => *deeper = up,
            _ => return if rpo[a.index()] < rpo[b.index()] { a } else { b },
        }
    }
    a
}

/// F. Bourdoncle: *Efficient chaotic iteration strategies with widenings*, Fig. 4; the recursion is over nested cycles and
/// depth-first trees, so an explicit budget is not needed: each call removes a block.
struct Wto<'a> {
    function: &'a Function,
    number: Vec<u32>,
    clock: u32,
    stack: Vec<BlockId>,
}

impl<'a> Wto<'a> {
    fn new(function: &'a Function) -> Wto<'a> {
        Wto { function, number: vec![0; function.blocks.len()], clock: 0, stack: Vec::new() }
    }

    fn order(mut self) -> Vec<Component> {
        let mut order = Vec::new();
        if !self.function.blocks.is_empty() {
            self.visit(BlockId(0), &mut order);
        }
        order.reverse();
        order
    }

    fn visit(&mut self, block: BlockId, order: &mut Vec<Component>) -> u32 {
        self.stack.push(block);
        self.clock += 1;
        self.number[block.index()] = self.clock;
        let mut head = self.clock;
        let mut is_loop = false;
        for to in self.function.blocks[block.index()].end.targets() {
            let least = match self.number[to.index()] {
                0 => self.visit(to, order),
                n => n,
            };
            if least <= head {
                head = least;
                is_loop = true;
            }
        }
        if head == self.number[block.index()] {
            self.number[block.index()] = u32::MAX;
            let mut top = self.stack.pop();
            if is_loop {
                while let Some(other) = top.filter(|b| *b != block) {
                    self.number[other.index()] = 0;
                    top = self.stack.pop();
                }
                order.push(self.component(block));
            } else {
                order.push(Component::Block(block));
            }
        }
        head
    }

    fn component(&mut self, head: BlockId) -> Component {
        let mut inside = Vec::new();
        for to in self.function.blocks[head.index()].end.targets() {
            if self.number[to.index()] == 0 {
                self.visit(to, &mut inside);
            }
        }
        inside.reverse();
        Component::Loop(head, inside)
    }
}
