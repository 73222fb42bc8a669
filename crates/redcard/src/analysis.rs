//! The whole analysis: contexts and specifications for every function, then a verdict with its reason for every access.

use crate::context::Context;
use crate::env::Env;
use crate::flow::{Flow, Points};
use crate::graph::Graph;
use crate::ir::{AccessId, Callee, FuncId, Function, Invalid, Kind, Program};
use crate::method::{self, SpecError};
use crate::prove::Prover;
use crate::proxy::{self, Proxies};
use crate::rules::{Known, Rules};
use crate::solver::Solver;
use crate::spec::{Path, Sources, Spec};
use crate::weaken::Weaken;
use std::collections::BTreeMap;

/// How much of the program is looked at at a time (§6).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Each method alone: every other has `requires {} ensures {} modifies {ALL}`, unless it says more.
    Intra,
    /// Specifications are inferred.
    #[default]
    Inter,
}

/// Which shadow proxies (§5) are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ProxyMode {
    /// None.
    #[default]
    Off,
    /// Fields and arrays.
    On,
}

/// What to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Config {
    /// Methods.
    pub mode: Mode,
    /// Proxies.
    pub proxies: ProxyMode,
    /// For tests.
    #[doc(hidden)]
    pub weaken: Weaken,
}

/// Why a check is redundant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The location is available: these accesses made it so, one of them on every way.
    Available(Sources),
    /// A proxy of the location is accessed in the same span; the text names the relation.
    Proxy(String),
}

/// Check or NoCheck.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The detector must look.
    Check,
    /// It need not.
    NoCheck(Reason),
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// For every access.
    pub verdicts: BTreeMap<AccessId, Verdict>,
    /// The contexts of every function.
    pub points: Vec<Points>,
    /// The specifications that calls were judged by.
    pub specs: Vec<Spec>,
    /// The proxies that were found.
    pub proxies: Proxies,
    /// Written specifications that do not hold; if there are any, all written ones were ignored.
    pub errors: Vec<SpecError>,
}

/// Functions with more blocks are left alone: everything in them is checked.
const LARGEST: usize = 2000;

/// Analyses a program.
pub fn analyse(program: &Program, config: Config, solver: &mut dyn Solver) -> Result<Analysis, Invalid> {
    program.check()?;
    let bodies: Vec<Body> = program.functions.iter().map(Body::new).collect();
    let prover = Prover { program, solver, fresh: 0, weaken: config.weaken };
    let mut whole = Whole { program, config, bodies: &bodies, prover };
    let analysis = whole.run();
    if analysis.errors.is_empty() {
        return Ok(analysis);
    }
    let mut silent = program.clone();
    silent.functions.iter_mut().for_each(|f| f.spec = None);
    let solver = whole.prover.solver;
    let prover = Prover { program: &silent, solver, fresh: 0, weaken: config.weaken };
    let again = Whole { program: &silent, config, bodies: &bodies, prover }.run();
    Ok(Analysis { errors: analysis.errors, ..again })
}

/// What does not change about a function while it is analysed.
pub(crate) struct Body {
    pub(crate) graph: Graph,
    pub(crate) env: Env,
    small: bool,
}

impl Body {
    fn new(function: &Function) -> Body {
        let graph = Graph::new(function);
        let env = Env::new(function, &graph);
        Body { graph, env, small: function.blocks.len() <= LARGEST }
    }
}

struct Whole<'a, 'p> {
    program: &'a Program,
    config: Config,
    bodies: &'a [Body],
    prover: Prover<'p>,
}

/// Rounds in which requirements may shrink before they are given up.
const ROUNDS: usize = 8;

impl<'p> Whole<'_, 'p> {
    fn rules<'b>(&'b mut self, id: FuncId, known: &'b Known) -> Rules<'b, 'p> {
        let function = &self.program.functions[id.index()];
        Rules { function, env: &self.bodies[id.index()].env, known, prover: &mut self.prover }
    }

    /// The contexts of one function from what it requires.
    fn points(&mut self, id: FuncId, known: &Known) -> Points {
        let mut entry = Context::default();
        for path in &known.specs[id.index()].requires {
            entry.add_path(path.clone(), Sources::new());
        }
        // The conservative specification of the intra-procedural mode requires nothing, and a written one is for the body too.
        let bodies = self.bodies;
        if !bodies[id.index()].small {
            return Points { blocks: vec![Vec::new(); self.program.functions[id.index()].blocks.len()] };
        }
        Flow::run(&bodies[id.index()].graph, self.rules(id, known), entry)
    }

    fn run(&mut self) -> Analysis {
        let modifies = method::modifies(self.program);
        let mut known = method::initial(self.program, &modifies, self.config.mode);
        let functions: Vec<FuncId> = (0..self.program.functions.len()).map(|f| FuncId(f as u32)).collect();
        if self.config.mode == Mode::Inter {
            self.infer_ensures(&mut known);
            self.infer_requires(&mut known);
        }
        let mut points: Vec<Points> = functions.iter().map(|id| self.points(*id, &known)).collect();
        // A solver with a clock may take back what it said; then nothing is required that was not written.
        if self.takes_back(&points, &known) {
            self.written_requires_only(&mut known);
            points = functions.iter().map(|id| self.points(*id, &known)).collect();
        }
        let mut errors = Vec::new();
        for id in &functions {
            let mut rules = self.rules(*id, &known);
            errors.extend(method::check(&mut rules, *id, &points[id.index()], &modifies[id.index()]));
            for (callee, path) in method::calls(&mut rules, &points[id.index()]) {
                let function = if let Callee::Known(callee) = callee { callee } else { *id };
                let names = crate::show::Names {
                    program: self.program,
                    vars: &self.program.functions[function.index()].vars,
                };
                let by = &self.program.functions[id.index()].name;
                errors.push(SpecError {
                    function,
                    what: format!("a call in `{by}` lacks {}", names.path(&path)),
                });
            }
        }
        let mut verdicts = self.verdicts(&points, &known);
        let proxies = match self.config.proxies {
            ProxyMode::On => proxy::find(self.program, self.bodies, &points, &mut self.prover, &mut verdicts),
            ProxyMode::Off => Proxies::default(),
        };
        Analysis { verdicts, points, specs: known.specs, proxies, errors }
    }

    fn infer_ensures(&mut self, known: &mut Known) {
        for id in method::callees_first(self.program) {
            if self.program.functions[id.index()].spec.is_some() {
                continue;
            }
            let points = self.points(id, known);
            let ensured = method::ensures(&mut self.rules(id, known), &points);
            known.specs[id.index()].ensures = ensured;
        }
    }

    fn infer_requires(&mut self, known: &mut Known) {
        let mut open: Vec<FuncId> = Vec::new();
        for n in 0..self.program.functions.len() {
            let id = FuncId(n as u32);
            if self.program.functions[n].spec.is_none() && method::may_require(self.program, id) {
                let points = self.points(id, known);
                let ensured = known.specs[n].ensures.clone();
                let wanted = method::wanted(&self.rules(id, known), &points, &ensured);
                known.specs[n].requires = wanted;
                open.push(id);
            }
        }
        for _ in 0..ROUNDS {
            let mut missing = Vec::new();
            for n in 0..self.program.functions.len() {
                let id = FuncId(n as u32);
                let points = self.points(id, known);
                missing.extend(method::calls(&mut self.rules(id, known), &points));
            }
            let inferred = |callee: &Callee| matches!(callee, Callee::Known(id) if open.contains(id));
            missing.retain(|(callee, _)| inferred(callee));
            if missing.is_empty() {
                return;
            }
            for (callee, path) in missing {
                if let Callee::Known(id) = callee {
                    known.specs[id.index()].requires.retain(|p| *p != path);
                }
            }
        }
        open.iter().for_each(|id| known.specs[id.index()].requires.clear());
    }

    /// Does a call lack what was inferred to be required?
    fn takes_back(&mut self, points: &[Points], known: &Known) -> bool {
        let inferred = |callee: &Callee, program: &Program| matches!(callee, Callee::Known(id) if program.functions[id.index()].spec.is_none());
        (0..points.len()).any(|n| {
            let missing = method::calls(&mut self.rules(FuncId(n as u32), known), &points[n]);
            missing.iter().any(|(callee, _)| inferred(callee, self.program))
        })
    }

    fn written_requires_only(&self, known: &mut Known) {
        for (spec, function) in known.specs.iter_mut().zip(&self.program.functions) {
            if function.spec.is_none() {
                spec.requires.clear();
            }
        }
    }

    fn verdicts(&mut self, points: &[Points], known: &Known) -> BTreeMap<AccessId, Verdict> {
        let mut verdicts = BTreeMap::new();
        for (n, function) in self.program.functions.iter().enumerate() {
            let id = FuncId(n as u32);
            for (b, block) in function.blocks.iter().enumerate() {
                for (i, inst) in block.insts.iter().enumerate() {
                    let Some((access, kind, place)) = inst.access() else { continue };
                    let context = points[n].blocks[b].get(i);
                    let rules = self.rules(id, known);
                    let goal = Path::plain(kind, rules.env.loc(place));
                    let by = context.and_then(|context| rules.prover.covers(context, &goal));
                    let verdict = by.map_or(Verdict::Check, |by| Verdict::NoCheck(Reason::Available(by)));
                    verdicts.insert(access, verdict);
                }
            }
        }
        let checked: Sources =
            verdicts.iter().filter(|(_, v)| **v == Verdict::Check).map(|(id, _)| *id).collect();
        // A reason names checks, not accesses that are redundant themselves.
        for verdict in verdicts.values_mut() {
            if let Verdict::NoCheck(Reason::Available(by)) = verdict
                && by.iter().any(|id| checked.contains(id))
            {
                by.retain(|id| checked.contains(id));
            }
        }
        verdicts
    }
}

impl Analysis {
    /// Is the access checked?
    pub fn checks(&self, id: AccessId) -> bool {
        self.verdicts.get(&id).is_none_or(|v| *v == Verdict::Check)
    }

    /// The verdict in the paper's words.
    pub fn mark(&self, id: AccessId) -> &'static str {
        if self.checks(id) { "Check" } else { "NoCheck" }
    }

    /// How many accesses of each kind are checked, and how many there are.
    pub fn count(&self, program: &Program, kind: Kind) -> (usize, usize) {
        let of_kind = program.accesses().filter(|(_, _, _, k, _)| *k == kind);
        of_kind.fold((0, 0), |(checked, all), (_, _, id, _, _)| {
            (checked + usize::from(self.checks(id)), all + 1)
        })
    }
}
