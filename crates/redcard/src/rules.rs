//! The rules of Fig. 4 and Fig. 5, one function each: what an instruction does to a context.
//!
//! | rule | function |
//! | --- | --- |
//! | `[SKIP]` `[SEQ]` | `Rules::step` in order |
//! | `[ACQ]` `[REL]` | `Rules::synchronise` |
//! | `[ASSIGN]` | `env.rs`: locals are assigned once |
//! | `[NEW]` | `Rules::allocate` |
//! | `[READ]` `[ARRAY READ]` | `Rules::read` |
//! | `[WRITE]` `[ARRAY WRITE]` | `Rules::write` |
//! | `[IF]` | `Rules::assume`, `meet.rs` |
//! | `[WHILE]` | `flow.rs`, `invariant.rs` |
//! | `[CALL]` | `Rules::call` |
//! | `[METHOD]` `[CLASS]` `[DECLARATIONS]` `[PROGRAM]` | `method.rs` |

use crate::context::Context;
use crate::env::Env;
use crate::ir::{AccessId, Callee, Effect, Function, Inst, Kind, Operand, Place, Shape, Sync, Var};
use crate::literal::Literal;
use crate::prove::Prover;
use crate::spec::{Path, Sources, Spec};
use crate::term::Term;
use crate::weaken::Weaken;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What calls are known by: a specification for each function, and which of its accesses stand behind what it ensures.
#[derive(Clone, Debug)]
pub struct Known {
    /// By function.
    pub specs: Vec<Spec>,
    /// By function: the accesses inside, for reasons.
    pub inside: Vec<Sources>,
}

/// The rules for one function.
pub struct Rules<'a, 'p> {
    /// The function.
    pub function: &'a Function,
    /// Its locals' values.
    pub env: &'a Env,
    /// Its callees.
    pub known: &'a Known,
    /// Context implication.
    pub prover: &'a mut Prover<'p>,
}

impl Rules<'_, '_> {
    /// One instruction.
    pub fn step(&mut self, context: &mut Context, inst: &Inst) {
        match inst {
            Inst::Let(to, _) => self.forget(context, *to),
            Inst::Read(id, to, from) => self.read(context, *id, *to, from),
            Inst::Write(id, to, value) => self.write(context, *id, to, *value),
            Inst::New(to, _, shape) => self.allocate(context, *to, shape),
            Inst::Call(to, callee, arguments) => self.call(context, *to, callee, arguments),
            Inst::Sync(sync) => self.synchronise(context, sync),
        }
    }

    fn forget(&mut self, context: &mut Context, to: Var) {
        context.forget(to, &mut self.prover.fresh);
    }

    /// `[READ]`, `[ARRAY READ]`: Π' = Π[x := w] ∪ {x = p, p}
    fn read(&mut self, context: &mut Context, id: AccessId, to: Var, from: &Place) {
        self.forget(context, to);
        let loc = self.env.loc(from);
        context.add_path(Path::plain(Kind::Read, loc.clone()), [id].into());
        context.add_fact(Literal::Eq(Term::Var(to), Term::load(loc)));
    }

    /// `[WRITE]`, `[ARRAY WRITE]`: Π' = (Π \ f) ∪ {x = y.f, y.f}
    fn write(&mut self, context: &mut Context, id: AccessId, to: &Place, value: Operand) {
        let loc = self.env.loc(to);
        if self.prover.weaken != Weaken::AliasingStores {
            *context = match loc.class(self.prover.program) {
                Some(class) => context.without_class(class, self.prover.program),
                None => context.without_all(),
            };
        }
        // The location itself is over roots, none of which is a load, so it is still the one that was written.
        context.add_path(Path::plain(Kind::Write, loc.clone()), [id].into());
        context.add_fact(Literal::Eq(self.env.operand(value), Term::load(loc)));
    }

    /// `[NEW]`: Π[x := w]
    fn allocate(&mut self, context: &mut Context, to: Var, shape: &Shape) {
        self.forget(context, to);
        if let Shape::Array(_, length) = shape {
            let of = Term::Length(Arc::new(Term::Var(to)));
            context.add_fact(Literal::Eq(of, self.env.operand(*length)));
        }
    }

    /// `[ACQ]`: Π. `[REL]`: Π \ ALL; so for all that has an outgoing edge (§6).
    fn synchronise(&mut self, context: &mut Context, sync: &Sync) {
        let ignored = match sync {
            Sync::Unlock(_) => self.prover.weaken == Weaken::Release,
            Sync::Fork(..) => self.prover.weaken == Weaken::Fork,
            Sync::VolatileWrite(..) => self.prover.weaken == Weaken::VolatileWrite,
            _ => false,
        };
        match sync.effect() {
            Effect::Release | Effect::Both if !ignored => *context = context.without_all(),
            Effect::Release | Effect::Both | Effect::Acquire => {}
        }
        if let Some(to) = Inst::Sync(sync.clone()).defines() {
            self.forget(context, to);
        }
    }

    /// `[CALL]`: (Π \ K)[x := w] ∪ θ(Q)
    fn call(&mut self, context: &mut Context, to: Option<Var>, callee: &Callee, arguments: &[Operand]) {
        let (mut spec, by) = self.spec(callee);
        if self.prover.weaken == Weaken::CallReleases {
            spec.modifies.all = false;
        }
        if spec.modifies.all {
            *context = context.without_all();
        }
        for class in &spec.modifies.classes {
            *context = context.without_class(*class, self.prover.program);
        }
        if let Some(to) = to {
            self.forget(context, to);
        }
        for path in &spec.ensures {
            let path = self.actual(callee, path, arguments, to);
            // Without a variable for it, nothing can be said about the result.
            if !path.any(&mut |t| *t == Term::Result) {
                context.add_path(path, by.clone());
            }
        }
    }

    /// The callee's specification, and the accesses inside of it.
    pub fn spec(&self, callee: &Callee) -> (Spec, Sources) {
        match callee {
            Callee::Known(id) => {
                let spec = self.known.specs.get(id.index()).cloned();
                let inside = self.known.inside.get(id.index()).cloned();
                (spec.unwrap_or_else(Spec::conservative), inside.unwrap_or_default())
            }
            Callee::Summary(_, spec) => (spec.clone(), Sources::new()),
            Callee::Unknown(_) => (Spec::conservative(), Sources::new()),
        }
    }

    /// θ: formal parameters to arguments, r to x.
    pub fn actual(&self, callee: &Callee, path: &Path, arguments: &[Operand], to: Option<Var>) -> Path {
        let params: Vec<Var> = match callee {
            Callee::Known(id) => {
                self.prover.program.functions.get(id.index()).map_or_else(Vec::new, |f| f.params.clone())
            }
            _ => (0..arguments.len()).map(|n| Var(n as u32)).collect(),
        };
        let theta: BTreeMap<Var, Term> =
            params.into_iter().zip(arguments.iter().map(|a| self.env.operand(*a))).collect();
        path.rewrite(&mut |t| match t {
            Term::Var(var) => theta.get(var).cloned(),
            Term::Result => to.map(Term::Var),
            _ => None,
        })
    }

    /// `[IF]`: what a branch tells. If the opposite bound was known, the two are equal.
    pub fn assume(&mut self, context: &mut Context, fact: Literal) {
        let equal = match &fact {
            Literal::Le(a, b) => Some((a.clone(), b.clone())),
            Literal::Lt(a, b) => a.offset(1).map(|a| (a, b.clone())),
            _ => None,
        };
        if let Some((a, b)) = equal
            && !matches!((&a, &b), (Term::Int(_), Term::Int(_)))
            && self.prover.implies_lasting(context, &Literal::Le(b.clone(), a.clone()))
        {
            context.add_fact(Literal::Eq(a, b));
        }
        context.add_fact(fact);
    }
}
