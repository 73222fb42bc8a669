//! Array proxies F(i) ≻ₗ i (§5, §6): for each allocation site, the index relations that every access of its arrays confirms.

use super::Search;
use super::points_to::{PointsTo, Sites};
use crate::analysis::{Reason, Verdict};
use crate::ir::{AccessId, Inst, SiteId, Step, Sync};
use crate::literal::Literal;
use crate::spec::Path;
use crate::term::{LocStep, Term};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The index that stands for i. All of the paper's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Index {
    /// F(i) = 0 or F(i) = 1: one element for the whole array.
    Constant(i64),
    /// F(i) = (i div n) · n: the first of its chunk.
    Chunk(i64),
    /// F(i) = i mod n: the first of its stride.
    Stride(i64),
}

impl Index {
    /// §6's six conjectures.
    pub const ALL: [Index; 6] = [
        Index::Constant(0),
        Index::Constant(1),
        Index::Chunk(4),
        Index::Chunk(8),
        Index::Stride(4),
        Index::Stride(8),
    ];

    /// F(i)
    fn of(self, i: &Term) -> Option<Term> {
        match self {
            Index::Constant(n) => Some(Term::Int(n)),
            Index::Chunk(n) => Term::linear(0, &[(&i.floor_div(n), n)]),
            Index::Stride(n) => Some(i.floor_mod(n)),
        }
    }
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Index::Constant(n) => write!(f, "{n}"),
            Index::Chunk(n) => write!(f, "(i div {n}) * {n}"),
            Index::Stride(n) => write!(f, "i mod {n}"),
        }
    }
}

/// An access of an element, and where its array may come from.
struct Access {
    at: (usize, usize, usize),
    id: AccessId,
    sites: Sites,
}

/// Finds a relation for each site, and drops the checks of elements that are not proxies.
pub(super) fn find(
    search: &mut Search<'_, '_>,
    verdicts: &mut BTreeMap<AccessId, Verdict>,
) -> BTreeMap<SiteId, Index> {
    if search.incomplete() || search.volatile_elements() {
        return BTreeMap::new();
    }
    let points_to = PointsTo::new(search.program);
    let accesses = search.elements(&points_to);
    let mut left: BTreeMap<SiteId, BTreeSet<Index>> = BTreeMap::new();
    for access in &accesses {
        access.sites.sites.iter().for_each(|site| _ = left.entry(*site).or_insert_with(|| Index::ALL.into()));
    }
    for access in &accesses {
        let concerned: Vec<SiteId> = match access.sites.unknown {
            true => left.keys().copied().collect(),
            false => access.sites.sites.iter().copied().collect(),
        };
        for index in Index::ALL {
            let open = concerned.iter().any(|site| left.get(site).is_some_and(|set| set.contains(&index)));
            if open && !search.confirms(access, index) {
                for site in &concerned {
                    left.entry(*site).and_modify(|set| _ = set.remove(&index));
                }
            }
        }
    }
    let chosen = search.choose(&accesses, &left);
    for access in accesses.iter().filter(|a| !a.sites.unknown && !a.sites.sites.is_empty()) {
        let relations: Option<Vec<Index>> =
            access.sites.sites.iter().map(|site| chosen.get(site).copied()).collect();
        let Some(relations) = relations else { continue };
        if verdicts.get(&access.id) == Some(&Verdict::Check)
            && relations.iter().all(|r| search.is_no_proxy(access, *r))
        {
            let relations: Vec<String> = relations.iter().map(|r| format!("{r} ≻ i")).collect();
            verdicts.insert(access.id, Verdict::NoCheck(Reason::Proxy(relations.join(", "))));
        }
    }
    chosen
}

impl Search<'_, '_> {
    /// Volatile accesses of elements have no context here that could confirm anything.
    fn volatile_elements(&self) -> bool {
        let mut insts = self.program.functions.iter().flat_map(|f| f.blocks.iter().flat_map(|b| &b.insts));
        insts.any(|inst| match inst {
            Inst::Sync(Sync::VolatileRead(_, place) | Sync::VolatileWrite(place, _)) => {
                place.steps.iter().any(|step| matches!(step, Step::Index(..)))
            }
            _ => false,
        })
    }

    fn elements(&self, points_to: &PointsTo) -> Vec<Access> {
        let all = self.accesses().into_iter().filter_map(|(f, b, i)| {
            let (id, _, place) = self.program.functions[f].blocks[b].insts[i].access()?;
            let last = place.steps.last()?;
            let mut sites = points_to.operand(f, place.base);
            match (&place.steps[..], last) {
                ([Step::Index(..)], _) => {}
                // An element inside of something else is of no array that we know.
                (_, Step::Index(..)) => sites = Sites { sites: BTreeSet::new(), unknown: true },
                _ => return None,
            }
            Some(Access { at: (f, b, i), id, sites })
        });
        all.collect()
    }

    fn index(&self, access: &Access) -> Option<Term> {
        let (f, b, i) = access.at;
        let (_, _, place) = self.program.functions[f].blocks[b].insts[i].access()?;
        match self.bodies[f].env.loc(place).steps.pop()? {
            LocStep::Index(_, index) => Some(index),
            LocStep::Field(_) => None,
        }
    }

    /// `Π ∪ {y[z]} ⊢ y[F(z)]`
    fn confirms(&mut self, access: &Access, relation: Index) -> bool {
        let (f, b, i) = access.at;
        let Some((id, kind, place)) = self.program.functions[f].blocks[b].insts[i].access() else {
            return false;
        };
        let Some(proxy) = self.index(access).and_then(|z| relation.of(&z)) else { return false };
        let loc = self.bodies[f].env.loc(place);
        let mut context = self.points[f].blocks[b][i].clone();
        context.add_path(Path::plain(kind, loc.clone()), [id].into());
        let mut goal = loc;
        if let Some(LocStep::Index(_, index)) = goal.steps.last_mut() {
            *index = proxy;
        }
        self.prover.covers(&context, &Path::plain(kind, goal)).is_some()
    }

    /// `Π ⊢ z ≠ F(z)`
    fn is_no_proxy(&mut self, access: &Access, relation: Index) -> bool {
        let (f, b, i) = access.at;
        let Some(z) = self.index(access) else { return false };
        let Some(proxy) = relation.of(&z) else { return false };
        self.prover.implies(&self.points[f].blocks[b][i], &Literal::Ne(z, proxy))
    }

    /// For each site the relation that makes most accesses redundant.
    fn choose(
        &mut self,
        accesses: &[Access],
        left: &BTreeMap<SiteId, BTreeSet<Index>>,
    ) -> BTreeMap<SiteId, Index> {
        let mut chosen = BTreeMap::new();
        for (site, relations) in left {
            let mut best = None;
            for relation in relations {
                let of_site = accesses.iter().filter(|a| !a.sites.unknown && a.sites.sites.contains(site));
                let saved = of_site.filter(|a| self.is_no_proxy(a, *relation)).count();
                if best.is_none_or(|(most, _)| saved > most) {
                    best = Some((saved, *relation));
                }
            }
            chosen.extend(best.map(|(_, relation)| (*site, relation)));
        }
        chosen
    }
}
