//! Method specifications (`[METHOD]`, `[CLASS]`, `[DECLARATIONS]`, `[PROGRAM]` of Fig. 4): checked when written, inferred otherwise.
//!
//! *modifies* is what the body and its callees write, and ALL if a span may end: a least fixed point. *ensures* is what is available
//! at every return, from callees to callers. *requires* (§6's inter-procedural mode) starts as everything a callee could use
//! and loses what some call site does not prove: a greatest fixed point, which holds by induction over the depth of calls.

use crate::context::Context;
use crate::flow::Points;
use crate::ir::{Callee, Effect, End, FuncId, Function, Inst, Kind, Linkage, Program, Sync, World};
use crate::literal::Literal;
use crate::rules::{Known, Rules};
use crate::scope::Scope;
use crate::spec::{Modifies, Path, Sources, Spec};
use crate::term::Term;

/// A written specification that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecError {
    /// Of which function.
    pub function: FuncId,
    /// What is wrong.
    pub what: String,
}

/// What each body may modify, itself or through calls.
pub fn modifies(program: &Program) -> Vec<Modifies> {
    let mut all = vec![Modifies::default(); program.functions.len()];
    loop {
        let next: Vec<Modifies> = program.functions.iter().map(|f| modified_by(program, f, &all)).collect();
        if next == all {
            return all;
        }
        all = next;
    }
}

fn modified_by(program: &Program, function: &Function, known: &[Modifies]) -> Modifies {
    let mut sum = Modifies::default();
    for inst in function.blocks.iter().flat_map(|b| &b.insts) {
        match inst {
            Inst::Write(_, place, _) => match program.class(&place.steps) {
                Some(class) => _ = sum.classes.insert(class),
                None => sum.all = true,
            },
            Inst::Sync(sync) => sum.all |= sync.effect() != Effect::Acquire,
            Inst::Call(_, callee, _) => {
                let of = match callee {
                    Callee::Known(id) => known.get(id.index()).cloned().unwrap_or_else(Modifies::everything),
                    Callee::Summary(_, spec) => spec.modifies.clone(),
                    Callee::Unknown(_) => Modifies::everything(),
                };
                sum.all |= of.all;
                sum.classes.extend(of.classes);
            }
            Inst::Let(..) | Inst::Read(..) | Inst::New(..) => {}
        }
    }
    sum
}

/// Callees before callers, as far as that goes.
pub fn callees_first(program: &Program) -> Vec<FuncId> {
    let mut order = Vec::new();
    let mut seen = vec![false; program.functions.len()];
    for root in 0..program.functions.len() {
        let mut stack = vec![(FuncId(root as u32), false)];
        while let Some((id, done)) = stack.pop() {
            if done {
                order.push(id);
                continue;
            }
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            stack.push((id, true));
            for inst in program.functions[id.index()].blocks.iter().flat_map(|b| &b.insts) {
                if let Inst::Call(_, Callee::Known(callee), _) = inst
                    && callee.index() < seen.len()
                    && !seen[callee.index()]
                {
                    stack.push((*callee, false));
                }
            }
        }
    }
    order
}

/// Can every caller be seen, so that something may be required of them?
pub fn may_require(program: &Program, id: FuncId) -> bool {
    let function = &program.functions[id.index()];
    let insts = || program.functions.iter().flat_map(|f| f.blocks.iter().flat_map(|b| &b.insts));
    let started = insts().any(|inst| matches!(inst, Inst::Sync(Sync::Fork(_, of, _)) if *of == id));
    let called = insts().any(|inst| matches!(inst, Inst::Call(_, Callee::Known(of), _) if *of == id));
    called && !started && function.linkage == Linkage::Internal && function.name != "main"
}

/// What is available at every return, over parameters and result.
pub fn ensures(rules: &mut Rules<'_, '_>, points: &Points) -> Vec<Path> {
    let function = rules.function;
    let mut returns = Vec::new();
    for (block, contexts) in function.blocks.iter().zip(&points.blocks) {
        let (End::Return(value), Some(last)) = (&block.end, contexts.last()) else { continue };
        let mut context = last.clone();
        if let Some(value) = value {
            let value = rules.env.operand(*value);
            context.name_paths(&value, &Term::Result);
            context.add_fact(Literal::Eq(Term::Result, value));
        }
        returns.push(over_parameters(function, &context));
    }
    if returns.is_empty() {
        return Vec::new();
    }
    rules.prover.meet(&returns, &[]).paths.into_iter().map(|p| p.path).collect()
}

fn over_parameters(function: &Function, context: &Context) -> Context {
    let allows = |t: &Term| matches!(t, Term::Var(var) if function.params.contains(var));
    Scope { allows: &allows }.restrict(context)
}

/// What a callee could use if its callers had it: each access it makes, as far as it can be named by the parameters.
pub fn wanted(rules: &Rules<'_, '_>, points: &Points, ensured: &[Path]) -> Vec<Path> {
    let function = rules.function;
    let mut found: Vec<Path> = Vec::new();
    let mut want = |path: Path| {
        for kind in [Kind::Write, Kind::Read] {
            let path = Path { kind, ..path.clone() };
            if path.kind.covers(kind) && !found.contains(&path) {
                found.push(path);
            }
        }
    };
    for (block, contexts) in function.blocks.iter().zip(&points.blocks) {
        for (inst, context) in block.insts.iter().zip(contexts) {
            if let Some((_, kind, place)) = inst.access() {
                let mut only = Context { paths: Vec::new(), facts: context.facts.clone() };
                only.add_path(Path::plain(kind, rules.env.loc(place)), Sources::new());
                over_parameters(function, &only).paths.into_iter().for_each(|p| want(p.path));
            }
        }
    }
    ensured.iter().for_each(|path| want(path.clone()));
    // A result is not known when the call begins.
    found.retain(|p| !p.any(&mut |t| *t == Term::Result));
    found.truncate(MOST_WANTED);
    found
}

const MOST_WANTED: usize = 24;

/// Checks a written specification against its body (`[METHOD]`); calls are checked where they stand.
pub fn check(rules: &mut Rules<'_, '_>, id: FuncId, points: &Points, inferred: &Modifies) -> Vec<SpecError> {
    let program = rules.prover.program;
    let Some(spec) = &program.functions[id.index()].spec else { return Vec::new() };
    let mut errors = Vec::new();
    let mut fail = |what: String| errors.push(SpecError { function: id, what });
    if !spec.modifies.contains(inferred) {
        fail("it modifies more than it says".into());
    }
    if !spec.requires.is_empty() && !may_require(program, id) {
        fail("it may be called or started by someone who has nothing to show for `requires`".into());
    }
    let names = crate::show::Names { program, vars: &rules.function.vars };
    for (block, contexts) in rules.function.blocks.iter().zip(&points.blocks) {
        let (End::Return(value), Some(last)) = (&block.end, contexts.last()) else { continue };
        let mut context = last.clone();
        if let Some(value) = value {
            context.add_fact(Literal::Eq(Term::Result, rules.env.operand(*value)));
        }
        for path in &spec.ensures {
            if rules.prover.covers_lasting(&context, path).is_none() {
                fail(format!("it does not ensure {} at the end of `{}`", names.path(path), block.name));
            }
        }
    }
    errors
}

/// Checks what every call in a function's body requires; says which paths of which callee were not there.
pub fn calls(rules: &mut Rules<'_, '_>, points: &Points) -> Vec<(Callee, Path)> {
    let mut missing = Vec::new();
    for (block, contexts) in rules.function.blocks.iter().zip(&points.blocks) {
        for (inst, context) in block.insts.iter().zip(contexts) {
            let Inst::Call(to, callee, arguments) = inst else { continue };
            let (spec, _) = rules.spec(callee);
            for path in &spec.requires {
                let actual = rules.actual(callee, path, arguments, *to);
                if rules.prover.covers_lasting(context, &actual).is_none() {
                    missing.push((callee.clone(), path.clone()));
                }
            }
        }
    }
    missing
}

/// Specifications before anything is inferred from contexts: written ones, and *modifies*.
pub fn initial(program: &Program, modifies: &[Modifies], mode: crate::Mode) -> Known {
    let specs =
        program.functions.iter().zip(modifies).map(|(function, modifies)| match (&function.spec, mode) {
            (Some(spec), _) => spec.clone(),
            (None, crate::Mode::Intra) => Spec::conservative(),
            (None, crate::Mode::Inter) => Spec { modifies: modifies.clone(), ..Spec::default() },
        });
    let inside = program.functions.iter().map(|f| {
        f.blocks.iter().flat_map(|b| &b.insts).filter_map(|i| i.access()).map(|(id, ..)| id).collect()
    });
    Known { specs: specs.collect(), inside: inside.collect() }
}

/// Is all of the program there?
pub fn closed(program: &Program) -> bool {
    let insts = program.functions.iter().flat_map(|f| f.blocks.iter().flat_map(|b| &b.insts));
    let unknown = insts.into_iter().any(|i| matches!(i, Inst::Call(_, Callee::Unknown(_), _)));
    program.world == World::Closed && !unknown
}
