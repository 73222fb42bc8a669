//! What the functions of a module have checked for each other (RedCard's method specifications), in terms of their parameters and of globals.
//!
//! - A function *ensures* what has certainly been checked when it returns, since it last published something.
//! - It *requires* what has been checked at every call of it, in the span in which the call is made. That is known of functions that nobody else can call: local to the module, and mentioned only where they are called.
//!
//! Neither is a circle. They say what the program has accessed, with its checks or without. A check goes if an access earlier in the same span was to its bytes; the first of these in the span has none before it,
//! in whichever function it is, so its check stays.

use super::calls::{Calls, Site};
use super::checks::{Check, Named};
use super::effects::{self, Effects};
use super::linear::{Linear, Make};
use super::redundant::{self, Around};
use super::work::Work;
use crate::ir::{BlockId, Kind, Module, Operand};
use hashbrown::HashSet;

/// What distances of facts are from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Base<'a> {
    /// The parameter with that number.
    Param(usize),
    /// A global.
    Global(&'a str),
}

/// Bytes at a constant distance from something have been checked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Fact<'a> {
    base: Base<'a>,
    start: i64,
    what: Named,
}

/// More facts about a function than this are not followed.
const MOST: usize = 64;

impl<'a> Fact<'a> {
    /// The fact that the address was checked, if it is one that can be told outside of the function.
    fn of(work: &Work<'a, '_>, address: &Linear, what: Named) -> Option<Fact<'a>> {
        let [(atom, 1)] = address.terms[..] else { return None };
        let base = match work.forms.make(atom) {
            Make::Root(value) => Base::Param(work.function.params.iter().position(|p| p == value)?),
            Make::Global(name) => Base::Global(name),
            _ => return None,
        };
        Some(Fact { base, start: address.offset, what: Named { aligned: false, ..what } })
    }

    /// The address that it is about, to who has called the function with these.
    fn address(&self, work: &mut Work<'a, '_>, arguments: &[Operand<'a>]) -> Option<Linear> {
        let base = match self.base {
            Base::Param(number) => arguments.get(number)?.clone(),
            Base::Global(name) => Operand::Global(name, 0),
        };
        let base = work.forms.operand(&base)?;
        Some(base.plus(&Linear::constant(self.start), 1))
    }
}

/// A check that is not in the function, at that place.
fn placed<'a>(block: BlockId, at: usize, address: Linear, what: Named) -> Check<'a> {
    Check { block, at, line: None, what, range: None, address: Some(address), argument: "", trailer: "" }
}

/// What is known of the functions, by number.
pub struct Specs<'a> {
    ensures: Vec<Vec<Fact<'a>>>,
    requires: Vec<Vec<Fact<'a>>>,
}

impl<'a> Specs<'a> {
    /// Infers it: what functions ensure from callees to callers, what they require from callers to callees. Of recursion nothing is known.
    pub fn infer<'b>(
        module: &Module<'a>,
        effects: &Effects<'a>,
        works: &mut [Work<'a, 'b>],
        calls: &Calls<'a, 'b>,
    ) -> Specs<'a> {
        let mut specs =
            Specs { ensures: vec![Vec::new(); works.len()], requires: vec![Vec::new(); works.len()] };
        let mut wants = vec![Vec::new(); works.len()];
        for number in &calls.callees_first {
            let (sites, work) = (&calls.sites[*number], &mut works[*number]);
            if calls.calls_of[*number] > 0 && effects::is_exact(module, work.function) {
                specs.ensures[*number] = specs.ensured(module, effects, work, sites);
            }
            if calls.is_closed[*number] {
                wants[*number] = wanted(work, sites, &wants);
            }
        }
        let mut common: Vec<(usize, Vec<Fact<'a>>)> = wants.iter().map(|w| (0, w.clone())).collect();
        for number in calls.callees_first.iter().rev() {
            let (seen, facts) = std::mem::take(&mut common[*number]);
            if calls.is_closed[*number] && seen == calls.calls_of[*number] {
                specs.requires[*number] = facts;
            }
            let work = &mut works[*number];
            let held = specs.held(module, effects, work, *number, &calls.sites[*number], &wants);
            for (site, held) in calls.sites[*number].iter().zip(held) {
                let (seen, facts) = &mut common[site.callee];
                *seen += 1;
                facts.retain(|fact| held.contains(fact));
            }
        }
        specs
    }

    /// The checks that all callers of the function have made.
    pub fn at_entry(&self, work: &mut Work<'a, '_>, number: usize) -> Vec<Check<'a>> {
        let own: Vec<Operand<'a>> = work.function.params.iter().map(|p| Operand::Local(*p)).collect();
        let check = |fact: &Fact<'a>| Some(placed(BlockId(0), 0, fact.address(work, &own)?, fact.what));
        self.requires[number].iter().filter_map(check).collect()
    }

    /// The checks that calls in the function have made when they come back.
    pub fn behind(&self, work: &mut Work<'a, '_>, sites: &[Site<'a, '_>]) -> Vec<Check<'a>> {
        let mut found = Vec::new();
        for site in sites.iter().filter(|site| site.comes_back_here) {
            for fact in &self.ensures[site.callee] {
                let address = fact.address(work, site.arguments);
                found.extend(address.map(|address| placed(site.block, site.at, address, fact.what)));
            }
        }
        found
    }

    fn ensured(
        &self,
        module: &Module<'a>,
        effects: &Effects<'a>,
        work: &mut Work<'a, '_>,
        sites: &[Site<'a, '_>],
    ) -> Vec<Fact<'a>> {
        let behind = self.behind(work, sites);
        let candidates = facts(work, work.checks.iter().chain(&behind));
        let last = |block: &BlockId| work.function.block(*block).insts.len() - 1;
        let returns = |block: &BlockId| {
            let insts = &work.function.block(*block).insts;
            work.cfg.is_reached(*block) && insts.last().is_some_and(|i| matches!(i.kind, Kind::Return))
        };
        let ends: Vec<BlockId> = work.function.ids().filter(returns).collect();
        if ends.is_empty() || candidates.is_empty() {
            return Vec::new();
        }
        let ask = |(fact, address): &(Fact<'a>, Linear)| {
            let at_end = |end: &BlockId| placed(*end, last(end), address.clone(), fact.what);
            ends.iter().map(at_end).collect::<Vec<_>>()
        };
        let around =
            Around { behind, questions: candidates.iter().flat_map(ask).collect(), ..Around::default() };
        let found = redundant::find(&work.context(module, effects), &work.forms, &work.checks, &around);
        let holds = found.answers.chunks(ends.len()).map(|answers| answers.iter().all(|holds| *holds));
        candidates.into_iter().zip(holds).filter(|(_, holds)| *holds).map(|((fact, _), _)| fact).collect()
    }

    /// Which of the facts that callees want hold at each call in the function.
    fn held(
        &self,
        module: &Module<'a>,
        effects: &Effects<'a>,
        work: &mut Work<'a, '_>,
        number: usize,
        sites: &[Site<'a, '_>],
        wants: &[Vec<Fact<'a>>],
    ) -> Vec<Vec<Fact<'a>>> {
        let mut held = vec![Vec::new(); sites.len()];
        if sites.iter().all(|site| wants[site.callee].is_empty()) {
            return held;
        }
        let (at_entry, behind) = (self.at_entry(work, number), self.behind(work, sites));
        let (mut asked, mut questions) = (Vec::new(), Vec::new());
        for (i, site) in sites.iter().enumerate() {
            for fact in &wants[site.callee] {
                if let Some(address) = fact.address(work, site.arguments) {
                    asked.push((i, *fact));
                    questions.push(placed(site.block, site.at, address, fact.what));
                }
            }
        }
        let around = Around { at_entry, behind, questions };
        let found = redundant::find(&work.context(module, effects), &work.forms, &work.checks, &around);
        for ((site, fact), _) in asked.into_iter().zip(found.answers).filter(|(_, holds)| *holds) {
            held[site].push(fact);
        }
        held
    }
}

/// What the checks say that can be told outside of the function, with their addresses.
fn facts<'a: 'c, 'c>(
    work: &Work<'a, '_>,
    checks: impl Iterator<Item = &'c Check<'a>>,
) -> Vec<(Fact<'a>, Linear)> {
    let mut seen: HashSet<Fact<'a>, foldhash::fast::FixedState> = HashSet::default();
    let fact = |check: &Check<'a>| {
        let address = check.address.as_ref()?;
        Some((Fact::of(work, address, check.what)?, address.clone()))
    };
    checks.filter_map(fact).filter(|(fact, _)| seen.insert(*fact)).take(MOST).collect()
}

/// The facts that would save the function a check, or one of those that it calls.
fn wanted<'a>(work: &mut Work<'a, '_>, sites: &[Site<'a, '_>], wants: &[Vec<Fact<'a>>]) -> Vec<Fact<'a>> {
    let mut found: Vec<Fact<'a>> =
        facts(work, work.checks.iter()).into_iter().map(|(fact, _)| fact).collect();
    for site in sites {
        for fact in &wants[site.callee] {
            let address = fact.address(work, site.arguments);
            let own = address.and_then(|address| Fact::of(work, &address, fact.what));
            found.extend(own.filter(|own| found.len() < MOST && !found.contains(own)));
        }
    }
    found
}
