//! Contexts in the words of the program: `∀(k ∈ 0 to i). a[i][k]`, as in the paper's Figure 1.

use deadheat_redcard::context::Context;
use deadheat_redcard::ir::{self, Function, Kind, Operand};
use deadheat_redcard::literal::Literal;
use deadheat_redcard::spec::Path;
use deadheat_redcard::term::{Loc, LocStep, Op, Term};

/// What things are called at one point of the program.
pub(crate) struct Words<'a> {
    pub(crate) graph: &'a ir::Program,
    pub(crate) function: &'a Function,
    pub(crate) locals: &'a [(String, Operand)],
}

/// Which items of a context are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Items {
    /// Paths.
    Paths,
    /// Paths, alias constraints and boolean constraints.
    All,
}

/// Names for the variables of ranges, those of the program's locals left out.
const BOUND: [&str; 8] = ["k", "h", "l", "m", "n", "o", "p", "q"];

/// References that are expanded within one another at most (§6 allows four).
const LONGEST: usize = 4;

impl Words<'_> {
    /// The items of a context that can be said in the program's words; `∅` if there are none.
    pub(crate) fn context(&self, context: &Context, items: Items) -> String {
        let mut words: Vec<String> = Vec::new();
        let mut say = |word: String| {
            if !words.contains(&word) {
                words.push(word);
            }
        };
        for available in &context.paths {
            let path = self.expanded(context, |map| available.path.rewrite(map));
            if !path.any(&mut |t| self.is_hidden(t)) {
                say(self.path(&path));
            }
        }
        if items == Items::All {
            self.proof(context).1.into_iter().for_each(say);
        }
        if words.is_empty() { "∅".into() } else { words.join(", ") }
    }

    /// The paths and the facts of a proof, as far as they can be said in the program's words.
    pub(crate) fn proof(&self, context: &Context) -> (Vec<String>, Vec<String>) {
        let path = |path: &Path| self.expanded(context, |map| path.rewrite(map));
        let paths = context.paths.iter().map(|available| self.path(&path(&available.path))).collect();
        let facts = context.facts.iter().map(|fact| self.expanded(context, |map| fact.rewrite(map)));
        // An intermediate value is what it was loaded from: nothing new.
        let told = facts.filter(|f| f.constant().is_none() && f.sides()[0] != f.sides()[1]);
        let told = told.filter(|fact| !fact.any(&mut |t| self.is_hidden(t)));
        (paths, told.map(|fact| self.literal(&fact)).collect())
    }

    /// Something with its intermediate values replaced by what they were loaded from.
    fn expanded<T>(
        &self,
        context: &Context,
        rewrite: impl Fn(&mut dyn FnMut(&Term) -> Option<Term>) -> T,
    ) -> T {
        rewrite(&mut |t| self.is_hidden(t).then(|| self.source(context, t, LONGEST)).flatten())
    }

    fn source(&self, context: &Context, hidden: &Term, deep: usize) -> Option<Term> {
        let load = context.facts.iter().find_map(|fact| match fact {
            Literal::Eq(a, b) if a == hidden && matches!(b, Term::Load(_)) => Some(b),
            Literal::Eq(a, b) if b == hidden && matches!(a, Term::Load(_)) => Some(a),
            _ => None,
        })?;
        let deep = deep.checked_sub(1)?;
        Some(load.rewrite(&mut |t| self.is_hidden(t).then(|| self.source(context, t, deep)).flatten()))
    }

    /// Has it no name here?
    fn is_hidden(&self, t: &Term) -> bool {
        match t {
            Term::Var(var) => self.name(*var).is_none(),
            Term::Skolem(_) | Term::Result => true,
            _ => false,
        }
    }

    /// The local that holds the variable now; with a prime, the one that held it.
    fn name(&self, var: ir::Var) -> Option<String> {
        let visible = |n: usize| !self.locals[n + 1..].iter().any(|(name, _)| *name == self.locals[n].0);
        let holds = |n: &usize| self.locals[*n].1 == Operand::Var(var);
        if let Some(n) = (0..self.locals.len()).rev().filter(|n| visible(*n)).find(holds) {
            return Some(self.locals[n].0.clone());
        }
        let name = self.function.vars.get(var.index()).filter(|name| !name.starts_with('%'))?;
        Some(format!("{name}′"))
    }

    fn bound(&self, n: u8) -> String {
        let free = BOUND.iter().filter(|name| !self.locals.iter().any(|(local, _)| local == *name));
        let mut free = free.map(|name| (*name).to_owned());
        free.nth(usize::from(n)).unwrap_or_else(|| format!("k{n}"))
    }

    pub(crate) fn path(&self, path: &Path) -> String {
        let mut text = String::new();
        for (n, range) in path.ranges.iter().enumerate() {
            let by = if range.step == 1 { String::new() } else { format!(" by {}", range.step) };
            let (start, end) = (self.term(&range.start), self.term(&range.end));
            text += &format!("∀({} ∈ {start} to {end}{by}). ", self.bound(n as u8));
        }
        let mark = if path.kind == Kind::Read { "" } else { "ʷ" };
        format!("{text}{}{mark}", self.loc(&path.loc))
    }

    pub(crate) fn literal(&self, literal: &Literal) -> String {
        let sign = match literal {
            Literal::Eq(..) => "=",
            Literal::Ne(..) => "≠",
            Literal::Le(..) => "≤",
            Literal::Lt(..) => "<",
        };
        let [a, b] = literal.sides();
        format!("{} {sign} {}", self.term(a), self.term(b))
    }

    fn loc(&self, loc: &Loc) -> String {
        let Some(LocStep::Index(kind, index)) = loc.steps.first() else {
            let mut text = if loc.base == Term::Null { String::new() } else { self.term(&loc.base) };
            for step in &loc.steps {
                let LocStep::Field(field) = step else { continue };
                let name = self.graph.fields.get(field.index()).map_or("?", |f| &f.name);
                let short = name.rsplit('.').next().unwrap_or(name);
                text += &if text.is_empty() { short.to_owned() } else { format!(".{short}") };
            }
            return text;
        };
        let index = self.term(index);
        match (&loc.base, self.graph.arrays.get(kind.index())) {
            (Term::Null, Some(heap)) if heap.name == "heap" => format!("heap[{index}]"),
            (Term::Null, Some(array)) => format!("{}[{index}]", array.name),
            (base, _) => format!("{}[{index}]", self.term(base)),
        }
    }

    fn term(&self, term: &Term) -> String {
        match term {
            Term::Int(n) => n.to_string(),
            Term::Null => "null".into(),
            Term::Var(var) => self.name(*var).unwrap_or_else(|| self.function.vars[var.index()].clone()),
            Term::Skolem(n) => format!("w{n}"),
            Term::Bound(n) => self.bound(*n),
            Term::Result => "result".into(),
            Term::Length(of) => format!("{}.length", self.term(of)),
            Term::Load(loc) => self.loc(loc),
            Term::Sum(sum) => self.sum(sum),
            Term::Apply(Op::Binary(op), arguments) if arguments.len() == 2 => {
                let [a, b] = [&arguments[0], &arguments[1]].map(|t| match t {
                    Term::Sum(_) => format!("({})", self.term(t)),
                    _ => self.term(t),
                });
                format!("({a} {op} {b})")
            }
            Term::Apply(op, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|t| self.term(t)).collect();
                let arguments = arguments.join(", ");
                match op {
                    Op::Not => format!("!{arguments}"),
                    Op::FloorDiv(n) => format!("({arguments} div {n})"),
                    Op::FloorMod(n) => format!("({arguments} mod {n})"),
                    Op::Huge | Op::Binary(_) => format!("sum({arguments})"),
                }
            }
        }
    }

    fn sum(&self, sum: &deadheat_redcard::term::Sum) -> String {
        let mut text = String::new();
        for (atom, factor) in &sum.parts {
            let sign = match (text.is_empty(), *factor < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            let factor = match factor.unsigned_abs() {
                1 => String::new(),
                n => format!("{n} * "),
            };
            text += &format!("{sign}{factor}{}", self.term(atom));
        }
        match sum.constant {
            0 => text,
            n if n < 0 => format!("{text} - {}", n.unsigned_abs()),
            n => format!("{text} + {n}"),
        }
    }
}
