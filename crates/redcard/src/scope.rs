//! Path expansion (§6): items are written over variables that are defined on every way to a meet-point, through the aliases known on each way.

use crate::context::{Available, Context};
use crate::literal::Literal;
use crate::spec::{Path, Range, Sources};
use crate::term::Term;
use std::collections::BTreeMap;

/// "Our implementation limits paths to contain at most four field or array references."
const LONGEST: usize = 4;

/// Ways to restrict one path that are kept.
const ALTERNATIVES: usize = 3;

type Map = BTreeMap<Term, Term>;

/// What is left of a context where only some variables are in scope.
pub struct Scope<'a> {
    /// Which variables may stay.
    pub allows: &'a dyn Fn(&Term) -> bool,
}

impl Scope<'_> {
    fn outside(&self, t: &Term) -> bool {
        matches!(t, Term::Var(_) | Term::Skolem(_)) && !(self.allows)(t)
    }

    fn open(&self, t: &Term) -> bool {
        t.any(&mut |t| self.outside(t))
    }

    /// The context over variables in scope: expanded where possible, dropped elsewhere.
    pub fn restrict(&self, context: &Context) -> Context {
        if !context.any(|t| self.outside(t)) {
            return context.clone();
        }
        let short = self.definitions(context, |t| (t.load_depth(), t.size()));
        let long = self.definitions(context, |t| (usize::from(t.load_depth() == 0), t.size()));
        let mut new = Context::default();
        for Available { path, by } in &context.paths {
            self.path(path, by, [&short, &long], context, &mut new);
        }
        for fact in &context.facts {
            for map in [&short, &long] {
                let fact = fact.rewrite(&mut |t| map.get(t).cloned());
                let fits = fact.sides().iter().all(|t| t.load_depth() <= LONGEST);
                if fits && !fact.any(&mut |t| self.outside(t)) {
                    new.add_fact(fact);
                }
            }
        }
        new
    }

    fn path(&self, path: &Path, by: &Sources, maps: [&Map; 2], context: &Context, new: &mut Context) {
        for map in maps {
            let mut path = path.rewrite(&mut |t| map.get(t).cloned());
            if self.open_locs(&path) || path.loc.depth() > LONGEST {
                continue;
            }
            let mut choices: Vec<Vec<Range>> = vec![Vec::new()];
            for range in std::mem::take(&mut path.ranges) {
                let options = self.ranges(&range, context, map);
                let longer = choices
                    .iter()
                    .flat_map(|c| options.iter().map(|o| [&c[..], std::slice::from_ref(o)].concat()));
                choices = longer.take(ALTERNATIVES).collect();
            }
            for ranges in choices {
                new.add_path(Path { ranges, ..path.clone() }, by.clone());
            }
        }
    }

    fn open_locs(&self, path: &Path) -> bool {
        path.loc.terms().any(|t| self.open(t))
    }

    /// Ranges inside of the given one over variables in scope: `i to j` contains `i to n` if n ≤ j.
    fn ranges(&self, range: &Range, context: &Context, map: &Map) -> Vec<Range> {
        let either = |t: &Term, side: Side| match self.open(t) {
            true => self.bounds(t, context, map, side),
            false => vec![t.clone()],
        };
        if range.step != 1 && self.open(&range.start) {
            return Vec::new();
        }
        let (starts, ends) = (either(&range.start, Side::Above), either(&range.end, Side::Below));
        let pairs = starts.iter().flat_map(|start| ends.iter().map(move |end| (start.clone(), end.clone())));
        let ranges = pairs.map(|(start, end)| Range { start, end, step: range.step });
        ranges.filter(|r| r.start != r.end).take(ALTERNATIVES).collect()
    }

    /// Terms in scope that facts put on that side of `of`.
    fn bounds(&self, of: &Term, context: &Context, map: &Map, side: Side) -> Vec<Term> {
        let found = context.facts.iter().filter_map(|fact| {
            let (low, high, gap) = match fact {
                Literal::Le(low, high) => (low, high, 0),
                Literal::Lt(low, high) => (low, high, 1),
                _ => return None,
            };
            // low + gap ≤ high; the distance between `of` and its neighbour is a constant that moves along.
            let (near, far, sign) = match side {
                Side::Below => (high, low, 1),
                Side::Above => (low, high, -1),
            };
            let near = near.rewrite(&mut |t| map.get(t).cloned());
            let Term::Int(distance) = of.minus(&near)? else { return None };
            let far = far.offset(sign * gap)?.offset(distance)?.rewrite(&mut |t| map.get(t).cloned());
            (!self.open(&far) && far.load_depth() <= LONGEST).then_some(far)
        });
        found.take(ALTERNATIVES).collect()
    }

    /// For each variable out of scope the best term in scope that it is known to equal.
    fn definitions(&self, context: &Context, cost: impl Fn(&Term) -> (usize, usize)) -> Map {
        let mut map = Map::new();
        for _ in 0..LONGEST {
            let mut better = Map::new();
            for fact in &context.facts {
                let Literal::Eq(a, b) = fact else { continue };
                for (v, value) in self.solutions(a, b) {
                    let value = value.rewrite(&mut |t| map.get(t).cloned());
                    if map.contains_key(&v) || self.open(&value) || value.load_depth() > LONGEST {
                        continue;
                    }
                    if better.get(&v).is_none_or(|old| cost(&value) < cost(old)) {
                        better.insert(v, value);
                    }
                }
            }
            if better.is_empty() {
                break;
            }
            map.extend(better);
        }
        map
    }

    /// a = b solved for each variable out of scope.
    fn solutions(&self, a: &Term, b: &Term) -> Vec<(Term, Term)> {
        let Some(difference) = a.minus(b) else { return Vec::new() };
        let sum = difference.as_sum();
        let solved = sum.parts.iter().filter(|(atom, factor)| self.outside(atom) && factor.abs() == 1);
        let solved = solved.filter_map(|(atom, factor)| {
            // difference = factor·atom + rest = 0
            let rest = Term::linear(0, &[(&difference, 1), (atom, factor.checked_neg()?)])?;
            let value = Term::linear(0, &[(&rest, factor.checked_neg()?)])?;
            (!value.any(&mut |t| t == atom)).then(|| (atom.clone(), value))
        });
        solved.collect()
    }
}

#[derive(Clone, Copy)]
enum Side {
    Below,
    Above,
}
