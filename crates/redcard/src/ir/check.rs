//! Which graphs are well-formed: the analysis and the machine take no other, so they need not look again.

use super::*;
use crate::graph::Graph;
use crate::spec::Path;
use crate::term::{LocStep, Term};
use std::collections::BTreeSet;

/// Why a graph is not well-formed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invalid {
    /// In which function, if in one.
    pub function: Option<String>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.function {
            Some(function) => write!(f, "in `{function}`: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for Invalid {}

type Check = Result<(), String>;

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(what()) }
}

impl Program {
    /// Is everything defined once, before it is used, and in range?
    pub fn check(&self) -> Result<(), Invalid> {
        let mut names = BTreeSet::new();
        let mut accesses = BTreeSet::new();
        for function in &self.functions {
            let fails = |what| Invalid { function: Some(function.name.clone()), what };
            if !names.insert(&function.name) {
                return Err(fails("there are two functions of this name".into()));
            }
            Checker { program: self, function }.function(&mut accesses).map_err(fails)?;
        }
        Ok(())
    }
}

struct Checker<'a> {
    program: &'a Program,
    function: &'a Function,
}

impl Checker<'_> {
    fn function(&self, accesses: &mut BTreeSet<AccessId>) -> Check {
        let f = self.function;
        ensure(!f.blocks.is_empty(), || "it has no block".into())?;
        for block in &f.blocks {
            for to in block.end.targets() {
                ensure(to.index() < f.blocks.len(), || format!("there is no block {to}"))?;
                ensure(to.0 != 0, || "a block jumps to the entry".into())?;
            }
        }
        self.defined_once()?;
        if let Some(spec) = &f.spec {
            let paths =
                spec.requires.iter().map(|p| (p, false)).chain(spec.ensures.iter().map(|p| (p, true)));
            for (path, result) in paths {
                self.path(path, result, |var| f.params.contains(&var))?;
            }
        }
        let graph = Graph::new(f);
        for (at, block) in f.blocks.iter().enumerate() {
            let at = BlockId(at as u32);
            self.phis(&graph, at, block)?;
            self.insts(&graph, at, block, accesses)?;
        }
        Ok(())
    }

    fn defined_once(&self) -> Check {
        let f = self.function;
        let mut seen = vec![false; f.vars.len()];
        let phis = f.blocks.iter().flat_map(|b| b.phis.iter().map(|phi| phi.to));
        let insts = f.blocks.iter().flat_map(|b| b.insts.iter().filter_map(Inst::defines));
        for var in f.params.iter().copied().chain(phis).chain(insts) {
            let slot = seen.get_mut(var.index()).ok_or_else(|| format!("there is no variable {var}"))?;
            ensure(!*slot, || format!("`{}` is defined twice", f.vars[var.index()]))?;
            *slot = true;
        }
        Ok(())
    }

    fn phis(&self, graph: &Graph, at: BlockId, block: &Block) -> Check {
        for phi in &block.phis {
            let given: BTreeSet<BlockId> = phi.from.iter().map(|(b, _)| *b).collect();
            ensure(given.len() == phi.from.len(), || {
                format!("a phi of `{}` names a block twice", block.name)
            })?;
            for pred in &graph.preds[at.index()] {
                ensure(given.contains(pred), || format!("a phi of `{}` lacks a predecessor", block.name))?;
            }
            for (from, operand) in &phi.from {
                ensure(from.index() < self.function.blocks.len(), || format!("there is no block {from}"))?;
                if graph.reachable(*from) {
                    self.used(graph, *from, usize::MAX, *operand)?;
                }
            }
        }
        Ok(())
    }

    fn insts(&self, graph: &Graph, at: BlockId, block: &Block, accesses: &mut BTreeSet<AccessId>) -> Check {
        let reachable = graph.reachable(at);
        for (n, inst) in block.insts.iter().enumerate() {
            if let Some((id, _, _)) = inst.access() {
                ensure(accesses.insert(id), || format!("there are two accesses {id}"))?;
            }
            if let Some(place) = places(inst) {
                self.place(place)?;
            }
            self.callee(inst)?;
            for operand in operands(inst).into_iter().filter(|_| reachable) {
                self.used(graph, at, n, operand)?;
            }
        }
        match &block.end {
            End::Branch(operand, ..) | End::Return(Some(operand)) if reachable => {
                self.used(graph, at, usize::MAX, *operand)
            }
            _ => Ok(()),
        }
    }

    fn callee(&self, inst: &Inst) -> Check {
        match inst {
            Inst::Call(_, Callee::Known(id), arguments) | Inst::Sync(Sync::Fork(_, id, arguments)) => {
                let function = self.program.functions.get(id.index());
                let function = function.ok_or_else(|| format!("there is no function {id}"))?;
                ensure(function.params.len() == arguments.len(), || {
                    format!("`{}` takes {} arguments", function.name, function.params.len())
                })
            }
            Inst::Call(_, Callee::Summary(_, spec), arguments) => {
                let paths =
                    spec.requires.iter().map(|p| (p, false)).chain(spec.ensures.iter().map(|p| (p, true)));
                for (path, result) in paths {
                    self.path(path, result, |var| var.index() < arguments.len())?;
                }
                Ok(())
            }
            Inst::New(_, _, Shape::Array(kind, _)) => {
                ensure(kind.index() < self.program.arrays.len(), || {
                    format!("there is no kind of array {kind}")
                })
            }
            _ => Ok(()),
        }
    }

    /// A use in block `at` before instruction `n` sees a definition that dominates it.
    fn used(&self, graph: &Graph, at: BlockId, n: usize, operand: Operand) -> Check {
        let Operand::Var(var) = operand else { return Ok(()) };
        let f = self.function;
        let name = || f.vars.get(var.index()).cloned().unwrap_or_else(|| var.to_string());
        let defined = graph.definition(var).ok_or_else(|| format!("`{}` is not defined", name()))?;
        let visible = if defined == at {
            graph.in_scope(var, at, f)
                || f.blocks[at.index()].insts.iter().take(n).any(|inst| inst.defines() == Some(var))
        } else {
            graph.dominates(defined, at)
        };
        ensure(visible, || format!("`{}` is not defined on every path to a use", name()))
    }

    fn place(&self, place: &Place) -> Check {
        ensure(!place.steps.is_empty(), || "a location has no step".into())?;
        place.steps.iter().try_for_each(|step| match step {
            Step::Field(id) => self.field(*id),
            Step::Index(id, _) => self.array(*id),
        })
    }

    fn field(&self, id: FieldId) -> Check {
        ensure(id.index() < self.program.fields.len(), || format!("there is no field {id}"))
    }

    fn array(&self, id: ArrayId) -> Check {
        ensure(id.index() < self.program.arrays.len(), || format!("there is no kind of array {id}"))
    }

    fn path(&self, path: &Path, result: bool, free: impl Fn(Var) -> bool) -> Check {
        ensure(path.ranges.iter().all(|r| r.step >= 1), || "a stride is at least 1".into())?;
        ensure(path.ranges.len() <= 4, || "a path has at most four ranges".into())?;
        ensure(!path.loc.steps.is_empty(), || "a path has no step".into())?;
        let ranges = path.ranges.iter().enumerate().flat_map(|(n, r)| [(&r.start, n), (&r.end, n)]);
        let inside = path.loc.terms().map(|t| (t, path.ranges.len()));
        for (term, depth) in ranges.chain(inside) {
            let mut wrong = None;
            term.visit(&mut |t| match t {
                Term::Var(var) if !free(*var) => wrong = Some("a specification names a local"),
                Term::Bound(n) if usize::from(*n) >= depth => wrong = Some("an index is not bound"),
                Term::Result if !result => wrong = Some("only `ensures` knows the result"),
                Term::Skolem(_) => wrong = Some("a specification names a Skolem variable"),
                Term::Load(loc) if loc.steps.is_empty() => wrong = Some("a location has no step"),
                Term::Load(loc) if loc.steps.iter().any(|s| self.step(s).is_err()) => {
                    wrong = Some("a specification names a field that is not there")
                }
                _ => {}
            });
            ensure(wrong.is_none(), || wrong.unwrap_or_default().to_string())?;
        }
        path.loc.steps.iter().try_for_each(|s| self.step(s))
    }

    fn step(&self, step: &LocStep) -> Check {
        match step {
            LocStep::Field(id) => self.field(*id),
            LocStep::Index(id, _) => self.array(*id),
        }
    }
}

/// The locations an instruction names.
fn places(inst: &Inst) -> Option<&Place> {
    match inst {
        Inst::Read(_, _, place)
        | Inst::Write(_, place, _)
        | Inst::Sync(Sync::VolatileRead(_, place) | Sync::VolatileWrite(place, _)) => Some(place),
        _ => None,
    }
}

/// The operands an instruction uses.
pub(crate) fn operands(inst: &Inst) -> Vec<Operand> {
    let indices = |place: &Place| {
        let steps = place.steps.iter().filter_map(|step| match step {
            Step::Index(_, index) => Some(*index),
            Step::Field(_) => None,
        });
        std::iter::once(place.base).chain(steps).collect::<Vec<_>>()
    };
    match inst {
        Inst::Let(_, Pure::Copy(a) | Pure::Not(a) | Pure::Length(a)) => vec![*a],
        Inst::Let(_, Pure::Binary(_, a, b)) => vec![*a, *b],
        Inst::Let(_, Pure::Unknown) | Inst::New(_, _, Shape::Object) | Inst::Sync(Sync::Other(..)) => vec![],
        Inst::Read(_, _, place) | Inst::Sync(Sync::VolatileRead(_, place)) => indices(place),
        Inst::Write(_, place, value) | Inst::Sync(Sync::VolatileWrite(place, value)) => {
            let mut all = indices(place);
            all.push(*value);
            all
        }
        Inst::New(_, _, Shape::Array(_, length)) => vec![*length],
        Inst::Call(_, _, arguments) | Inst::Sync(Sync::Fork(_, _, arguments)) => arguments.clone(),
        Inst::Sync(Sync::Lock(of) | Sync::Unlock(of) | Sync::Join(of)) => vec![*of],
    }
}
