//! Terms, paths and contexts as text: as the text format reads them, or as the paper prints them.

use crate::ir::{Kind, Program, Var};
use crate::literal::Literal;
use crate::spec::{Path, Spec};
use crate::term::{Loc, LocStep, Op, Term};

/// The names that terms are printed with.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// Fields and kinds of arrays.
    pub program: &'a Program,
    /// Locals.
    pub vars: &'a [String],
}

const BOUND: [&str; 5] = ["k", "h", "m", "n", "o"];

impl Names<'_> {
    fn var(&self, var: Var) -> String {
        self.vars.get(var.index()).cloned().unwrap_or_else(|| var.to_string())
    }

    /// A term.
    pub fn term(&self, term: &Term) -> String {
        match term {
            Term::Int(n) => n.to_string(),
            Term::Null => "null".into(),
            Term::Var(var) => self.var(*var),
            Term::Skolem(n) => format!("'{n}"),
            Term::Bound(n) => {
                BOUND.get(usize::from(*n)).map_or_else(|| format!("k{n}"), |name| (*name).into())
            }
            Term::Result => "result".into(),
            Term::Length(of) => format!("len({})", self.term(of)),
            Term::Load(loc) => self.loc(loc),
            Term::Sum(sum) => {
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
            Term::Apply(Op::Binary(op), arguments) if arguments.len() == 2 => {
                format!("({} {op} {})", self.term(&arguments[0]), self.term(&arguments[1]))
            }
            Term::Apply(op, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|t| self.term(t)).collect();
                let name = match op {
                    Op::Not => "not".into(),
                    Op::FloorDiv(n) => format!("div{n}"),
                    Op::FloorMod(n) => format!("mod{n}"),
                    Op::Huge | Op::Binary(_) => "sum".into(),
                };
                format!("{name}({})", arguments.join(", "))
            }
        }
    }

    /// A location.
    pub fn loc(&self, loc: &Loc) -> String {
        let steps = loc.steps.iter().map(|step| match step {
            LocStep::Field(id) => {
                let field = self.program.fields.get(id.index());
                format!(".{}", field.map_or_else(|| id.to_string(), |f| f.name.clone()))
            }
            LocStep::Index(array, index) => {
                let kind = match self.program.arrays.get(array.index()) {
                    Some(named) if array.0 != 0 => format!(" : {}", named.name),
                    _ => String::new(),
                };
                format!("[{}{kind}]", self.term(index))
            }
        });
        format!("{}{}", self.term(&loc.base), steps.collect::<Vec<_>>().join("/"))
    }

    /// A path as the text format reads it.
    pub fn path(&self, path: &Path) -> String {
        let mut text = String::new();
        for (n, range) in path.ranges.iter().enumerate() {
            let by = if range.step == 1 { String::new() } else { format!(" by {}", range.step) };
            let (name, start, end) =
                (self.term(&Term::Bound(n as u8)), self.term(&range.start), self.term(&range.end));
            text += &format!("forall {name} in {start} to {end}{by}. ");
        }
        let kind = if path.kind == Kind::Read { "r" } else { "w" };
        format!("{text}{kind} {}", self.loc(&path.loc))
    }

    /// A path as the paper prints it; a write is marked, because a read is the rule.
    pub fn paper(&self, path: &Path) -> String {
        let mut text = String::new();
        for (n, range) in path.ranges.iter().enumerate() {
            let by = if range.step == 1 { String::new() } else { format!(" by {}", range.step) };
            let (name, start, end) =
                (self.term(&Term::Bound(n as u8)), self.term(&range.start), self.term(&range.end));
            text += &format!("∀({name} ∈ {start} to {end}{by}). ");
        }
        let mark = if path.kind == Kind::Read { "" } else { "ʷ" };
        format!("{text}{}{mark}", self.loc(&path.loc))
    }

    /// A fact.
    pub fn literal(&self, literal: &Literal) -> String {
        let sign = match literal {
            Literal::Eq(..) => "=",
            Literal::Ne(..) => "≠",
            Literal::Le(..) => "≤",
            Literal::Lt(..) => "<",
        };
        let [a, b] = literal.sides();
        format!("{} {sign} {}", self.term(a), self.term(b))
    }

    /// A specification as the text format reads it.
    pub fn spec(&self, spec: &Spec) -> String {
        let list = |word: &str, paths: &[Path]| match paths {
            [] => String::new(),
            _ => format!("{word} {} ", paths.iter().map(|p| self.path(p)).collect::<Vec<_>>().join(", ")),
        };
        let classes = spec.modifies.classes.iter().map(|c| self.program.class_name(*c));
        let all = spec.modifies.all.then(|| "all".to_string());
        let mut modifies: Vec<String> = all.into_iter().chain(classes).collect();
        if modifies.is_empty() {
            modifies.push("nothing".into());
        }
        format!(
            "{}{}modifies {}",
            list("requires", &spec.requires),
            list("ensures", &spec.ensures),
            modifies.join(", ")
        )
    }
}
