//! Why a check is redundant, in full: the available paths and the fewest facts that are needed to see it.

use crate::analysis::{Analysis, Verdict};
use crate::context::{Available, Context};
use crate::env::Env;
use crate::graph::Graph;
use crate::ir::{AccessId, Program};
use crate::literal::Literal;
use crate::prove::Prover;
use crate::solver::Solver;
use crate::spec::Path;
use crate::weaken::Weaken;

/// The proof that an access is available, as a part of its context.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// The paths, with the accesses that made them available.
    pub paths: Vec<Available>,
    /// The facts without which it would not follow.
    pub facts: Vec<Literal>,
}

impl Analysis {
    /// What the verdict of a redundant access rests on; `None` if it is checked or has a proxy. No item can be left out.
    pub fn explain(&self, program: &Program, id: AccessId, solver: &mut dyn Solver) -> Option<Explanation> {
        let Some(Verdict::NoCheck(crate::Reason::Available(_))) = self.verdicts.get(&id) else { return None };
        let (function, block, _, kind, place) =
            program.accesses().find(|(_, _, other, _, _)| *other == id)?;
        let body = program.functions.get(function.index())?;
        let at = body.blocks[block.index()]
            .insts
            .iter()
            .position(|i| i.access().is_some_and(|(a, ..)| a == id))?;
        let context = self.points.get(function.index())?.blocks.get(block.index())?.get(at)?;
        let goal = Path::plain(kind, Env::new(body, &Graph::new(body)).loc(place));
        let mut prover = Prover { program, solver, fresh: u32::MAX / 2, weaken: Weaken::Nothing };
        let mut left = context.clone();
        drop_while(&mut left, |c| &mut c.paths, |c| prover.covers(c, &goal).is_some());
        drop_while(&mut left, |c| &mut c.facts, |c| prover.covers(c, &goal).is_some());
        Some(Explanation { paths: left.paths, facts: left.facts })
    }
}

/// Leaves out items one by one as long as the rest is enough.
fn drop_while<T: Clone>(
    context: &mut Context,
    items: impl Fn(&mut Context) -> &mut Vec<T>,
    mut enough: impl FnMut(&Context) -> bool,
) {
    let mut n = items(context).len();
    while n > 0 {
        n -= 1;
        let item = items(context).remove(n);
        if !enough(context) {
            items(context).insert(n, item);
        }
    }
}
