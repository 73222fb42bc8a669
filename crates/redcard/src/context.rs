//! Contexts Π (Fig. 3): available paths, alias constraints and boolean constraints, and what removes them (`Π \ K` of Fig. 4).
//!
//! | paper | here |
//! | --- | --- |
//! | available path p | [`Context::paths`] |
//! | alias constraint x = p, boolean constraint be | [`Context::facts`]; the first kind has a load in it |
//! | Π \ f, Π \ ARRAY | [`Context::without_class`] |
//! | Π \ ALL | [`Context::without_all`] |
//! | Π[x := w] | [`Context::forget`] |
//!
//! Every load in an item is of a location that the thread accessed in this span (for a quantified item: wherever its ranges
//! are not empty). So no other thread changes what it yields without a race, which is what lets a fact about the heap last.

use crate::ir::{ClassId, Program, Var};
use crate::literal::Literal;
use crate::show::Names;
use crate::spec::{Path, Sources};
use crate::term::Term;

/// An available path, and the accesses that made it so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Available {
    /// The path.
    pub path: Path,
    /// By which accesses.
    pub by: Sources,
}

/// What is known at a point of the program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Context {
    /// Paths checked in the current span.
    pub paths: Vec<Available>,
    /// Alias and boolean constraints.
    pub facts: Vec<Literal>,
}

/// Most items of each kind; the oldest go first.
const MOST: usize = 160;

impl Context {
    /// Adds an available path.
    pub fn add_path(&mut self, path: Path, by: Sources) {
        let same = |old: &Path| old.loc == path.loc && old.ranges == path.ranges;
        if let Some(old) =
            self.paths.iter_mut().find(|old| same(&old.path) && old.path.kind.covers(path.kind))
        {
            old.by.extend(by);
            return;
        }
        self.paths.retain(|old| !(same(&old.path) && path.kind.covers(old.path.kind)));
        if self.paths.len() == MOST {
            self.paths.remove(0);
        }
        self.paths.push(Available { path, by });
    }

    /// Adds a constraint.
    pub fn add_fact(&mut self, fact: Literal) {
        let fact = match fact {
            Literal::Eq(a, b) if b < a => Literal::Eq(b, a),
            Literal::Ne(a, b) if b < a => Literal::Ne(b, a),
            other => other,
        };
        if fact.constant() == Some(true) || self.facts.contains(&fact) {
            return;
        }
        if self.facts.len() == MOST {
            self.facts.remove(0);
        }
        self.facts.push(fact);
    }

    /// Is there an item with a term like that?
    pub fn any(&self, mut test: impl FnMut(&Term) -> bool) -> bool {
        self.paths.iter().any(|p| p.path.any(&mut test)) || self.facts.iter().any(|f| f.any(&mut test))
    }

    /// Rewrites every item.
    pub fn rewrite(&self, change: &mut dyn FnMut(&Term) -> Option<Term>) -> Context {
        let mut new = Context::default();
        for Available { path, by } in &self.paths {
            new.add_path(path.rewrite(change), by.clone());
        }
        self.facts.iter().for_each(|fact| new.add_fact(fact.rewrite(change)));
        new
    }

    /// `name` is `value`: a path of a local is one of its new name too, so that a meet finds it under the name that both ways share.
    pub fn name_paths(&mut self, value: &Term, name: &Term) {
        if !matches!(value, Term::Var(_) | Term::Skolem(_)) {
            return;
        }
        for Available { path, by } in self.paths.clone() {
            if path.any(&mut |t| t == value) {
                self.add_path(path.rewrite(&mut |t| (t == value).then(|| name.clone())), by);
            }
        }
    }

    /// Π[x := w]: what was known of `var` is now known of a Skolem variable.
    pub fn forget(&mut self, var: Var, fresh: &mut u32) {
        if self.any(|t| *t == Term::Var(var)) {
            *fresh += 1;
            let skolem = Term::Skolem(*fresh);
            *self = self.rewrite(&mut |t| (*t == Term::Var(var)).then(|| skolem.clone()));
        }
    }

    /// Π \ f: a store changed what loads of that class yield. Items that name a load by a local that holds it are kept in that form.
    pub fn without_class(&self, class: ClassId, program: &Program) -> Context {
        let changed =
            |t: &Term| matches!(t, Term::Load(loc) if loc.class(program).is_none_or(|c| c == class));
        if !self.any(changed) {
            return self.clone();
        }
        let held: Vec<(&Term, &Term)> = self
            .facts
            .iter()
            .filter_map(|fact| match fact {
                Literal::Eq(a, b) if changed(b) && !a.any(&mut { changed }) => Some((b, a)),
                Literal::Eq(a, b) if changed(a) && !b.any(&mut { changed }) => Some((a, b)),
                _ => None,
            })
            .collect();
        let mut rescue = |t: &Term| held.iter().find(|(load, _)| *load == t).map(|(_, by)| (*by).clone());
        let mut new = self.rewrite(&mut rescue);
        new.paths.retain(|p| !p.path.any(&mut { changed }));
        new.facts.retain(|f| !f.any(&mut { changed }));
        new
    }

    /// Π \ ALL: the span ended.
    pub fn without_all(&self) -> Context {
        let local = self.facts.iter().filter(|f| !f.any(&mut |t| matches!(t, Term::Load(_))));
        Context { paths: Vec::new(), facts: local.cloned().collect() }
    }

    /// As the paper prints it.
    pub fn show(&self, names: Names<'_>) -> String {
        let paths = self.paths.iter().map(|p| names.paper(&p.path));
        let items: Vec<String> = paths.chain(self.facts.iter().map(|f| names.literal(f))).collect();
        if items.is_empty() { "∅".into() } else { items.join(", ") }
    }
}
