//! The meet Π₁ ⊓ Π₂ = {π ∈ Π₁ ∪ Π₂ | Π₁ ⊢ π and Π₂ ⊢ π}, of `[IF]` and of every other meet-point.

use crate::context::{Available, Context};
use crate::literal::Literal;
use crate::prove::Prover;
use crate::weaken::Weaken;

impl Prover<'_> {
    /// The items that hold on every way, and those of the conjectured facts that do.
    pub fn meet(&mut self, contexts: &[Context], conjectured: &[Literal]) -> Context {
        let mut new = match contexts {
            [only] => only.clone(),
            [first, ..] if self.weaken == Weaken::Meet => first.clone(),
            _ => self.meet_all(contexts),
        };
        for fact in conjectured {
            if contexts.iter().all(|c| self.implies_lasting(c, fact)) {
                new.add_fact(fact.clone());
            }
        }
        new
    }

    fn meet_all(&mut self, contexts: &[Context]) -> Context {
        let mut new = Context::default();
        for (n, context) in contexts.iter().enumerate() {
            for Available { path, by } in &context.paths {
                // An item that an earlier context has was tried then.
                if contexts[..n].iter().any(|c| c.paths.iter().any(|p| p.path == *path)) {
                    continue;
                }
                let others = contexts.iter().enumerate().filter(|(m, _)| *m != n);
                let mut sources = by.clone();
                let everywhere = others.into_iter().all(|(_, other)| {
                    let found = self.covers_lasting(other, path);
                    sources.extend(found.iter().flatten());
                    found.is_some()
                });
                if everywhere {
                    new.add_path(path.clone(), sources);
                }
            }
            for fact in &context.facts {
                if contexts[..n].iter().any(|c| c.facts.contains(fact)) {
                    continue;
                }
                let mut others = contexts.iter().enumerate().filter(|(m, _)| *m != n);
                if others.all(|(_, other)| self.implies_lasting(other, fact)) {
                    new.add_fact(fact.clone());
                }
            }
        }
        new
    }
}
