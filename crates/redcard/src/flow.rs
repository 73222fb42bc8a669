//! Contexts for every point of a function: a fixed point over the nested cycles, each cycle with its invariant (`[WHILE]`).
//!
//! The cycles are stabilised from the inside out, in the order of `graph.rs`. An invariant starts as what holds on entry and what
//! `invariant.rs` conjectures, and loses what a back edge does not imply until nothing is lost: Cartesian predicate
//! abstraction (§6). Irreducible graphs are no special case: every cycle has a head. Out of fuel, an invariant is ∅.

use crate::context::Context;
use crate::graph::{Component, Graph};
use crate::invariant::Conjectures;
use crate::ir::{BlockId, End, Function};
use crate::literal::Literal;
use crate::rules::Rules;
use crate::scope::Scope;
use crate::term::Term;
use crate::weaken::Weaken;

/// The contexts of a function: before each instruction of each block, and at its end. Empty for unreachable blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Points {
    /// By block, then by instruction; one more at the end.
    pub blocks: Vec<Vec<Context>>,
}

/// The fixed point of one function.
pub struct Flow<'a, 'p> {
    graph: &'a Graph,
    rules: Rules<'a, 'p>,
    entry: Context,
    ins: Vec<Option<Context>>,
    outs: Vec<Option<Context>>,
    fuel: u32,
}

impl<'a, 'p> Flow<'a, 'p> {
    /// Computes all contexts from the one at the entry.
    pub fn run(graph: &'a Graph, rules: Rules<'a, 'p>, entry: Context) -> Points {
        let n = rules.function.blocks.len();
        let fuel = 200 + 30 * n as u32;
        let mut flow = Flow { graph, rules, entry, ins: vec![None; n], outs: vec![None; n], fuel };
        flow.components(&graph.order);
        flow.points()
    }

    fn function(&self) -> &'a Function {
        self.rules.function
    }

    fn components(&mut self, order: &[Component]) {
        for component in order {
            match component {
                Component::Block(block) => match self.arriving(*block) {
                    Some(context) => self.process(*block, context),
                    None => (self.ins[block.index()], self.outs[block.index()]) = (None, None),
                },
                Component::Loop(head, inside) => self.stabilise(*head, inside),
            }
        }
    }

    fn process(&mut self, block: BlockId, mut context: Context) {
        self.fuel = self.fuel.saturating_sub(1);
        self.ins[block.index()] = Some(context.clone());
        for inst in &self.function().blocks[block.index()].insts {
            self.rules.step(&mut context, inst);
        }
        self.outs[block.index()] = Some(context);
    }

    /// The context on entry to a block: the meet over the edges that are known; `None` if nobody comes along any of them.
    fn arriving(&mut self, block: BlockId) -> Option<Context> {
        let preds = &self.graph.preds[block.index()];
        let contexts: Vec<Context> = preds.iter().filter_map(|pred| self.edge(*pred, block)).collect();
        (block.0 == 0 || !contexts.is_empty()).then(|| self.join(block, contexts, &[]))
    }

    fn join(&mut self, block: BlockId, mut contexts: Vec<Context>, conjectured: &[Literal]) -> Context {
        if block.0 == 0 {
            contexts.push(self.entry.clone());
        }
        let mut conjectured = conjectured.to_vec();
        conjectured.extend(self.constants_of_phis(block));
        self.rules.prover.meet(&contexts, &conjectured)
    }

    /// x = φ(.. constants ..): between the least and the greatest.
    fn constants_of_phis(&self, block: BlockId) -> Vec<Literal> {
        let phis = &self.function().blocks[block.index()].phis;
        let bounds = phis.iter().flat_map(|phi| {
            let constants =
                phi.from.iter().filter_map(|(_, operand)| match self.rules.env.operand(*operand) {
                    Term::Int(n) => Some(n),
                    _ => None,
                });
            let (least, greatest) = (constants.clone().min(), constants.max());
            let var = Term::Var(phi.to);
            let low = least.map(|n| Literal::Le(Term::Int(n), var.clone()));
            low.into_iter().chain(greatest.map(|n| Literal::Le(var, Term::Int(n))))
        });
        bounds.collect()
    }

    /// What flows along an edge, with the branch's condition and the block's φ-functions.
    fn edge(&mut self, pred: BlockId, block: BlockId) -> Option<Context> {
        let context = self.leaving(pred, block)?;
        let context = self.phis(pred, block, context);
        Some(self.scoped(block, context))
    }

    /// What flows along an edge, in the terms of its source; `None` if the numbers of its condition forbid it.
    fn leaving(&mut self, pred: BlockId, block: BlockId) -> Option<Context> {
        let mut context = self.outs[pred.index()].clone()?;
        if let End::Branch(on, yes, no) = self.function().blocks[pred.index()].end
            && yes != no
        {
            for fact in self.rules.env.condition(on, yes == block) {
                if fact.constant() == Some(false) {
                    return None;
                }
                self.rules.assume(&mut context, fact);
            }
        }
        Some(context)
    }

    /// φ-functions (§6): what was known of x is known of a Skolem variable, and x equals the operand for this edge.
    fn phis(&mut self, pred: BlockId, block: BlockId, mut context: Context) -> Context {
        let phis = &self.function().blocks[block.index()].phis;
        let mut old: Vec<(Term, Term)> = Vec::new();
        for phi in phis {
            self.rules.prover.fresh += 1;
            old.push((Term::Var(phi.to), Term::Skolem(self.rules.prover.fresh)));
        }
        let mut renamed = |t: &Term| old.iter().find(|(var, _)| var == t).map(|(_, skolem)| skolem.clone());
        context = context.rewrite(&mut renamed);
        for phi in phis {
            if let Some((_, operand)) = phi.from.iter().find(|(from, _)| *from == pred) {
                let value = self.rules.env.operand(*operand).rewrite(&mut renamed);
                context.name_paths(&value, &Term::Var(phi.to));
                context.add_fact(Literal::Eq(Term::Var(phi.to), value));
            }
        }
        context
    }

    /// Over variables that are defined on every way to the block.
    fn scoped(&self, block: BlockId, context: Context) -> Context {
        if self.graph.preds[block.index()].len() == 1 {
            return context;
        }
        let allows = |t: &Term| match t {
            Term::Var(var) => self.graph.in_scope(*var, block, self.function()),
            _ => false,
        };
        Scope { allows: &allows }.restrict(&context)
    }

    /// `[WHILE]`: finds Πinv with Π ⊑ Πinv and Π' ⊑ Πinv.
    fn stabilise(&mut self, head: BlockId, inside: &[Component]) {
        let members = members(head, inside);
        members.iter().for_each(|b| self.outs[b.index()] = None);
        let preds = self.graph.preds[head.index()].clone();
        let (back, forward): (Vec<_>, Vec<_>) = preds.into_iter().partition(|p| members.contains(p));
        let conjectures = Conjectures::new(self.function(), self.rules.env, head, &forward, &back, &members);
        let entering: Vec<Context> = forward.iter().filter_map(|pred| self.edge(*pred, head)).collect();
        if entering.is_empty() && head.0 != 0 {
            members.iter().for_each(|b| self.ins[b.index()] = None);
            return;
        }
        let start = self.join(
            head,
            entering.clone(),
            &conjectures.facts(|v| self.graph.in_scope(v, head, self.function())),
        );
        let mut invariant = start.clone();
        let mut generalised = false;
        loop {
            if self.fuel == 0 {
                invariant = Context::default();
            }
            self.iterate(head, inside, &members, &invariant);
            if self.fuel == 0 || self.rules.prover.weaken == Weaken::LoopInvariant {
                return;
            }
            if !generalised {
                generalised = true;
                let larger = self.generalise(&conjectures, head, &back, &entering, &invariant);
                if larger != invariant {
                    invariant = larger;
                    continue;
                }
            }
            let kept = self.kept(head, &back, &invariant);
            if kept.paths.len() == invariant.paths.len() && kept.facts.len() == invariant.facts.len() {
                return;
            }
            invariant = kept;
        }
    }

    /// Analyses the loop once under an assumed invariant.
    fn iterate(&mut self, head: BlockId, inside: &[Component], members: &[BlockId], invariant: &Context) {
        members.iter().for_each(|b| self.outs[b.index()] = None);
        self.process(head, invariant.clone());
        self.components(inside);
    }

    /// The invariant with what the body suggests, as far as it holds on entry.
    fn generalise(
        &mut self,
        conjectures: &Conjectures,
        head: BlockId,
        back: &[BlockId],
        entering: &[Context],
        invariant: &Context,
    ) -> Context {
        let mut larger = invariant.clone();
        for latch in back {
            let Some(context) = self.leaving(*latch, head) else { continue };
            let context = self.scoped(head, context);
            for (path, by) in conjectures.paths(&context) {
                if entering.iter().all(|c| self.rules.prover.covers_lasting(c, &path).is_some()) {
                    larger.add_path(path, by);
                }
            }
        }
        larger
    }

    /// The items that every back edge implies.
    fn kept(&mut self, head: BlockId, back: &[BlockId], invariant: &Context) -> Context {
        let contexts: Vec<Context> = back.iter().filter_map(|latch| self.edge(*latch, head)).collect();
        let mut kept = Context::default();
        for available in &invariant.paths {
            let mut by = available.by.clone();
            let all = contexts.iter().all(|c| {
                let found = self.rules.prover.covers_lasting(c, &available.path);
                by.extend(found.iter().flatten());
                found.is_some()
            });
            if all {
                kept.add_path(available.path.clone(), by);
            }
        }
        for fact in &invariant.facts {
            if contexts.iter().all(|c| self.rules.prover.implies_lasting(c, fact)) {
                kept.add_fact(fact.clone());
            }
        }
        kept
    }

    fn points(&mut self) -> Points {
        let blocks = self.function().blocks.iter().enumerate().map(|(n, block)| {
            let Some(mut context) = self.ins[n].clone() else { return Vec::new() };
            let mut points = vec![context.clone()];
            for inst in &block.insts {
                self.rules.step(&mut context, inst);
                points.push(context.clone());
            }
            points
        });
        Points { blocks: blocks.collect() }
    }
}

/// All blocks of a cycle.
fn members(head: BlockId, inside: &[Component]) -> Vec<BlockId> {
    let mut all = vec![head];
    for component in inside {
        match component {
            Component::Block(block) => all.push(*block),
            Component::Loop(head, inside) => all.extend(members(*head, inside)),
        }
    }
    all
}
