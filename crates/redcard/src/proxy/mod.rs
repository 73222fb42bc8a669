//! Shadow proxies (§5): memory whose accesses need no check at all, because a proxy is accessed in every span that accesses it.
//!
//! If f ≻ g, every thread that accesses ρ.g accesses ρ.f in the same span, so two accesses of ρ.g that race come with two
//! accesses of ρ.f that race. Reads and writes are told apart: a write of g needs a write of f.
//!
//! *Deviations*, each pinned by a test:
//! - The paper lets the proxy be accessed anywhere later in the span. An acquire in between can order the proxies' accesses but not
//!   the accesses themselves (`t1: f; g; rel m` and `t2: g; acq m; f`), and a trap or a lock that never comes can keep the
//!   proxy from being accessed at all. Here "later" means: in straight-line code, before anything that acquires, calls or can fail.
//! - A field is a proxy or has one, never both, so that mutual proxies do not vouch for each other.

mod array;
mod field;
mod points_to;

pub use array::Index;

use crate::analysis::{Body, Verdict};
use crate::flow::Points;
use crate::ir::{AccessId, FieldId, Program, SiteId};
use crate::prove::Prover;
use std::collections::BTreeMap;

/// The proxies that were found and used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proxies {
    /// `f ≻ g`: the field that has a proxy, and its proxy.
    pub fields: BTreeMap<FieldId, FieldId>,
    /// `F(i) ≻ₗ i` for all arrays allocated at l.
    pub arrays: BTreeMap<SiteId, Index>,
}

/// What is known when proxies are looked for.
pub(crate) struct Search<'a, 'p> {
    pub(crate) program: &'a Program,
    pub(crate) bodies: &'a [Body],
    pub(crate) points: &'a [Points],
    pub(crate) prover: &'a mut Prover<'p>,
}

/// Finds proxies and drops the checks that they make redundant. Needs the whole program.
pub(crate) fn find(
    program: &Program,
    bodies: &[Body],
    points: &[Points],
    prover: &mut Prover<'_>,
    verdicts: &mut BTreeMap<AccessId, Verdict>,
) -> Proxies {
    if !crate::method::closed(program) {
        return Proxies::default();
    }
    let mut search = Search { program, bodies, points, prover };
    let fields = field::find(&mut search, verdicts);
    let arrays = array::find(&mut search, verdicts);
    Proxies { fields, arrays }
}

impl Search<'_, '_> {
    /// Every access that can be reached: function, block, position.
    fn accesses(&self) -> Vec<(usize, usize, usize)> {
        let mut all = Vec::new();
        for (f, function) in self.program.functions.iter().enumerate() {
            for (b, block) in function.blocks.iter().enumerate() {
                let reached = !self.points[f].blocks[b].is_empty();
                let accesses = block.insts.iter().enumerate().filter(|(_, inst)| inst.access().is_some());
                all.extend(accesses.filter(|_| reached).map(|(i, _)| (f, b, i)));
            }
        }
        all
    }

    /// Is there a function whose contexts were not computed? Its accesses could refute anything.
    fn incomplete(&self) -> bool {
        self.program.functions.iter().zip(self.points).any(|(f, p)| {
            p.blocks.first().is_none_or(Vec::is_empty) && f.blocks.iter().any(|b| !b.insts.is_empty())
        })
    }
}
