//! Loop peeling (§6, "Code Transformations"): the first iteration of an innermost loop stands before it, so that what it checks is
//! available in all the others.
//!
//! The copy gets new ids for its accesses; [`Peeled::origin`] says which access each stands for.

use crate::graph::{Component, Graph};
use crate::ir::*;
use std::collections::BTreeMap;

/// A program with peeled loops.
#[derive(Clone, Debug)]
pub struct Peeled {
    /// The program.
    pub program: Program,
    /// For every access of a copy, the one it is a copy of.
    pub origin: BTreeMap<AccessId, AccessId>,
    /// How many loops were peeled.
    pub loops: usize,
}

/// Peels every innermost loop with an access in it, once.
pub fn peel(program: &Program) -> Result<Peeled, Invalid> {
    program.check()?;
    let mut peeled = Peeled { program: program.clone(), origin: BTreeMap::new(), loops: 0 };
    let mut next = program.accesses().map(|(_, _, id, _, _)| id.0.saturating_add(1)).max().unwrap_or(0);
    for function in &mut peeled.program.functions {
        let graph = Graph::new(function);
        let mut loops = Vec::new();
        innermost(&graph.order, &mut loops);
        for (head, members) in loops {
            if let Some(mut peel) = Peel::new(function, head, members) {
                peel.clone_blocks(&mut next, &mut peeled.origin);
                peel.connect();
                peel.repair();
                peeled.loops += 1;
            }
        }
    }
    Ok(peeled)
}

fn innermost(order: &[Component], found: &mut Vec<(BlockId, Vec<BlockId>)>) {
    for component in order {
        let Component::Loop(head, inside) = component else { continue };
        let blocks: Option<Vec<BlockId>> =
            inside.iter().map(|c| if let Component::Block(b) = c { Some(*b) } else { None }).collect();
        match blocks {
            Some(mut blocks) => {
                blocks.push(*head);
                found.push((*head, blocks));
            }
            None => innermost(inside, found),
        }
    }
}

struct Peel<'a> {
    function: &'a mut Function,
    head: BlockId,
    members: Vec<BlockId>,
    /// Predecessors before peeling.
    preds: Vec<Vec<BlockId>>,
    blocks: BTreeMap<BlockId, BlockId>,
    vars: BTreeMap<Var, Var>,
}

impl<'a> Peel<'a> {
    /// A loop that is entered at its head only, and accesses something.
    fn new(function: &'a mut Function, head: BlockId, members: Vec<BlockId>) -> Option<Peel<'a>> {
        let preds = Graph::new(function).preds;
        let inside = |b: &BlockId| members.contains(b);
        let one_entry = members.iter().all(|m| *m == head || preds[m.index()].iter().all(inside));
        let accesses =
            members.iter().any(|m| function.blocks[m.index()].insts.iter().any(|i| i.access().is_some()));
        // Unreachable predecessors would need φ operands of their own.
        let known = members.iter().all(|m| {
            function.blocks[m.index()]
                .phis
                .iter()
                .all(|phi| phi.from.iter().all(|(b, _)| preds[m.index()].contains(b)))
        });
        (one_entry && accesses && known && head.0 != 0).then(|| Peel {
            function,
            head,
            members,
            preds,
            blocks: BTreeMap::new(),
            vars: BTreeMap::new(),
        })
    }

    fn clone_blocks(&mut self, next: &mut u32, origin: &mut BTreeMap<AccessId, AccessId>) {
        for member in self.members.clone() {
            let block = &self.function.blocks[member.index()];
            let defined: Vec<Var> =
                block.phis.iter().map(|p| p.to).chain(block.insts.iter().filter_map(Inst::defines)).collect();
            for var in defined {
                let name = format!("{}'{}", self.function.vars[var.index()], self.function.vars.len());
                let copy = self.fresh(name);
                self.vars.insert(var, copy);
            }
            self.blocks.insert(member, BlockId(self.function.blocks.len() as u32));
            let mut copy = self.function.blocks[member.index()].clone();
            copy.name = format!("{}'{}", copy.name, self.function.blocks.len());
            self.function.blocks.push(copy);
        }
        for (member, copy) in self.blocks.clone() {
            let mut block = self.function.blocks[copy.index()].clone();
            for phi in &mut block.phis {
                phi.to = self.var(phi.to);
                if member == self.head {
                    phi.from.retain(|(from, _)| !self.members.contains(from));
                } else {
                    phi.from.iter_mut().for_each(|(from, value)| {
                        *value = self.operand(*value);
                        *from = self.blocks[from];
                    });
                }
            }
            block.insts.iter_mut().for_each(|inst| self.rename(inst, next, origin));
            block.end = match block.end {
                End::Jump(to) => End::Jump(self.target(to)),
                End::Branch(on, yes, no) => End::Branch(self.operand(on), self.target(yes), self.target(no)),
                End::Return(value) => End::Return(value.map(|v| self.operand(v))),
                End::Stop => End::Stop,
            };
            self.function.blocks[copy.index()] = block;
        }
    }

    fn fresh(&mut self, name: String) -> Var {
        self.function.vars.push(name);
        Var(self.function.vars.len() as u32 - 1)
    }

    fn var(&self, var: Var) -> Var {
        self.vars.get(&var).copied().unwrap_or(var)
    }

    fn operand(&self, operand: Operand) -> Operand {
        if let Operand::Var(var) = operand { Operand::Var(self.var(var)) } else { operand }
    }

    /// Inside of the copy an edge to the head leads on to the loop.
    fn target(&self, to: BlockId) -> BlockId {
        if to == self.head { to } else { self.blocks.get(&to).copied().unwrap_or(to) }
    }

    fn rename(&self, inst: &mut Inst, next: &mut u32, origin: &mut BTreeMap<AccessId, AccessId>) {
        rewrite(inst, &|v| self.var(v), &|o| self.operand(o));
        if let Inst::Read(id, ..) | Inst::Write(id, ..) = inst {
            origin.insert(AccessId(*next), *id);
            *id = AccessId(*next);
            *next += 1;
        }
    }

    /// Entries lead to the copy; the copy's latches and exits are new predecessors.
    fn connect(&mut self) {
        let (head, first) = (self.head, self.blocks[&self.head]);
        let outside: Vec<BlockId> =
            self.preds[head.index()].iter().copied().filter(|p| !self.members.contains(p)).collect();
        for pred in outside {
            let end = &mut self.function.blocks[pred.index()].end;
            *end = match *end {
                End::Jump(to) if to == head => End::Jump(first),
                End::Branch(on, yes, no) => {
                    let to = |b: BlockId| if b == head { first } else { b };
                    End::Branch(on, to(yes), to(no))
                }
                ref other => other.clone(),
            };
        }
        for at in 0..self.preds.len() {
            let block = BlockId(at as u32);
            if self.members.contains(&block) && block != head {
                continue;
            }
            let mut phis = std::mem::take(&mut self.function.blocks[at].phis);
            for phi in &mut phis {
                let copies: Vec<(BlockId, Operand)> = phi
                    .from
                    .iter()
                    .filter(|(from, _)| self.members.contains(from))
                    .map(|(from, value)| (self.blocks[from], self.operand(*value)))
                    .collect();
                if block == head {
                    phi.from.retain(|(from, _)| self.members.contains(from));
                }
                phi.from.extend(copies);
            }
            self.function.blocks[at].phis = phis;
        }
    }

    /// A variable of the loop that is used outside now has two definitions.
    fn repair(&mut self) {
        let preds = Graph::new(self.function).preds;
        for var in self.vars.keys().copied().collect::<Vec<_>>() {
            let mut known: BTreeMap<BlockId, Operand> = BTreeMap::new();
            for at in 0..self.preds.len() {
                let block = BlockId(at as u32);
                if self.members.contains(&block) {
                    continue;
                }
                self.repair_phis(block, var, &preds, &mut known);
                let mut body = self.function.blocks[at].clone();
                let used = |o: Operand| o == Operand::Var(var);
                let in_insts = body.insts.iter().any(|i| super::ir::operands(i).into_iter().any(used));
                let in_end = matches!(body.end, End::Branch(o, ..) | End::Return(Some(o)) if used(o));
                if !in_insts && !in_end {
                    continue;
                }
                let value = self.at_entry(block, var, &preds, &mut known);
                let new = |o: Operand| if used(o) { value } else { o };
                body.insts.iter_mut().for_each(|inst| rewrite(inst, &|v| v, &new));
                let end = match body.end {
                    End::Branch(on, yes, no) => End::Branch(new(on), yes, no),
                    End::Return(Some(of)) => End::Return(Some(new(of))),
                    other => other,
                };
                let block = &mut self.function.blocks[at];
                (block.insts, block.end) = (body.insts, end);
            }
        }
    }

    fn repair_phis(
        &mut self,
        block: BlockId,
        var: Var,
        preds: &[Vec<BlockId>],
        known: &mut BTreeMap<BlockId, Operand>,
    ) {
        for n in 0..self.function.blocks[block.index()].phis.len() {
            for m in 0..self.function.blocks[block.index()].phis[n].from.len() {
                let (from, value) = self.function.blocks[block.index()].phis[n].from[m];
                let copied = self.blocks.values().any(|b| *b == from);
                if value == Operand::Var(var) && !self.members.contains(&from) && !copied {
                    let new = self.at_end(from, var, preds, known);
                    self.function.blocks[block.index()].phis[n].from[m].1 = new;
                }
            }
        }
    }

    fn at_end(
        &mut self,
        block: BlockId,
        var: Var,
        preds: &[Vec<BlockId>],
        known: &mut BTreeMap<BlockId, Operand>,
    ) -> Operand {
        if self.members.contains(&block) {
            return Operand::Var(var);
        }
        if self.blocks.values().any(|b| *b == block) {
            return Operand::Var(self.var(var));
        }
        self.at_entry(block, var, preds, known)
    }

    /// The definition that reaches a block, through new φ-functions where two meet (Braun and others, *Simple and Efficient
    /// Construction of SSA Form*).
    fn at_entry(
        &mut self,
        block: BlockId,
        var: Var,
        preds: &[Vec<BlockId>],
        known: &mut BTreeMap<BlockId, Operand>,
    ) -> Operand {
        if let Some(value) = known.get(&block) {
            return *value;
        }
        match &preds[block.index()][..] {
            // Unreachable: any value will do.
            [] => Operand::Int(0),
            [only] => {
                let value = self.at_end(*only, var, preds, known);
                known.insert(block, value);
                value
            }
            several => {
                let to =
                    self.fresh(format!("{}'{}", self.function.vars[var.index()], self.function.vars.len()));
                known.insert(block, Operand::Var(to));
                let from = several.iter().map(|p| (*p, self.at_end(*p, var, preds, known))).collect();
                self.function.blocks[block.index()].phis.push(Phi { to, from });
                Operand::Var(to)
            }
        }
    }
}

/// Renames definitions and operands of an instruction.
fn rewrite(inst: &mut Inst, var: &dyn Fn(Var) -> Var, operand: &dyn Fn(Operand) -> Operand) {
    let place = |place: &mut Place| {
        place.base = operand(place.base);
        for step in &mut place.steps {
            if let Step::Index(_, index) = step {
                *index = operand(*index);
            }
        }
    };
    match inst {
        Inst::Let(to, pure) => {
            *to = var(*to);
            match pure {
                Pure::Copy(a) | Pure::Not(a) | Pure::Length(a) => *a = operand(*a),
                Pure::Binary(_, a, b) => (*a, *b) = (operand(*a), operand(*b)),
                Pure::Unknown => {}
            }
        }
        Inst::Read(_, to, from) | Inst::Sync(Sync::VolatileRead(to, from)) => {
            *to = var(*to);
            place(from);
        }
        Inst::Write(_, to, value) | Inst::Sync(Sync::VolatileWrite(to, value)) => {
            place(to);
            *value = operand(*value);
        }
        Inst::New(to, _, shape) => {
            *to = var(*to);
            if let Shape::Array(_, length) = shape {
                *length = operand(*length);
            }
        }
        Inst::Call(to, _, arguments) | Inst::Sync(Sync::Fork(to, _, arguments)) => {
            *to = to.map(var);
            arguments.iter_mut().for_each(|a| *a = operand(*a));
        }
        Inst::Sync(Sync::Lock(of) | Sync::Unlock(of) | Sync::Join(of)) => *of = operand(*of),
        Inst::Sync(Sync::Other(..)) => {}
    }
}
