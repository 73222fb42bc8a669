//! Reads specifications: `requires r p.f, forall k in 0 to len(p). w p[k] ensures .. modifies f, all`.

use super::parse::{ParseError, Parser};
use crate::ir::Kind;
use crate::spec::{Path, Range, Spec};
use crate::term::{Loc, LocStep, Term};

type Parse<T> = Result<T, ParseError>;

impl Parser {
    pub(super) fn spec(&mut self) -> Parse<Option<Spec>> {
        let mut spec = Spec::default();
        let mut any = false;
        loop {
            if self.take("requires") {
                spec.requires.extend(self.paths()?);
            } else if self.take("ensures") {
                spec.ensures.extend(self.paths()?);
            } else if self.take("modifies") {
                loop {
                    match self.name()? {
                        word if word == "nothing" => {}
                        word if word == "all" => spec.modifies.all = true,
                        word => match self.class_named(&word) {
                            Some(class) => _ = spec.modifies.classes.insert(class),
                            None => return self.error(format!("no class `{word}`")),
                        },
                    }
                    if !self.take(",") {
                        break;
                    }
                }
            } else {
                return Ok(any.then_some(spec));
            }
            any = true;
        }
    }

    fn paths(&mut self) -> Parse<Vec<Path>> {
        let mut paths = Vec::new();
        loop {
            paths.push(self.path()?);
            if !self.take(",") {
                return Ok(paths);
            }
        }
    }

    fn path(&mut self) -> Parse<Path> {
        let (mut ranges, outer) = (Vec::new(), self.bound.len());
        while self.take("forall") {
            let name = self.name()?;
            self.expect("in")?;
            let start = self.term()?;
            self.expect("to")?;
            let end = self.term()?;
            let step = if self.take("by") { self.number()? } else { 1 };
            if step < 1 {
                return self.error("a stride is at least 1");
            }
            self.expect(".")?;
            ranges.push(Range { start, end, step });
            self.bound.push(name);
        }
        let kind = match self.name()?.as_str() {
            "r" => Kind::Read,
            "w" => Kind::Write,
            _ => return self.error("expected r or w before a path"),
        };
        let Term::Load(loc) = self.postfix()? else { return self.error("a path has a field or an index") };
        self.bound.truncate(outer);
        Ok(Path { kind, ranges, loc: (*loc).clone() })
    }

    fn term(&mut self) -> Parse<Term> {
        let mut sum = self.product()?;
        loop {
            let next = if self.take("+") {
                sum.plus(&self.product()?)
            } else if self.take("-") {
                sum.minus(&self.product()?)
            } else {
                return Ok(sum);
            };
            sum = next.map_or_else(|| self.error("too large"), Ok)?;
        }
    }

    fn product(&mut self) -> Parse<Term> {
        let Some(n) = self.int()? else { return self.postfix() };
        if !self.take("*") {
            return Ok(Term::Int(n));
        }
        let factor = self.postfix()?;
        Term::linear(0, &[(&factor, n)]).map_or_else(|| self.error("too large"), Ok)
    }

    /// `p.f[k].g`: every step but the last is read.
    fn postfix(&mut self) -> Parse<Term> {
        let mut term = if self.take("len") {
            self.expect("(")?;
            let of = self.term()?;
            self.expect(")")?;
            Parser::length_of(of)
        } else if self.take("result") {
            Term::Result
        } else if self.take("null") {
            Term::Null
        } else {
            let name = self.name()?;
            match self.bound.iter().position(|b| *b == name) {
                Some(at) => Term::Bound(u8::try_from(at).unwrap_or(u8::MAX)),
                None => Term::Var(self.var(name)),
            }
        };
        loop {
            let mut steps = Vec::new();
            loop {
                if self.sees(".") && !self.range_ends() {
                    self.take(".");
                    steps.push(LocStep::Field(self.field()?));
                } else if self.take("[") {
                    let index = self.term()?;
                    steps.push(LocStep::Index(self.kind_of_array()?, index));
                    self.expect("]")?;
                }
                if steps.is_empty() || !self.take("/") {
                    break;
                }
            }
            if steps.is_empty() {
                return Ok(term);
            }
            term = Term::load(Loc { base: term, steps });
        }
    }

    /// Is this dot the one after a range, before `forall`, `r` or `w`?
    fn range_ends(&self) -> bool {
        use super::lex::Word;
        let after = |n: usize| self.peek(n);
        let word = |n: usize, w: &str| matches!(after(n), Some(Word::Name(name)) if name == w);
        word(1, "forall") || ((word(1, "r") || word(1, "w")) && matches!(after(2), Some(Word::Name(_))))
    }
}
