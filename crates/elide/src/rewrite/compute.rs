//! Code that computes a linear form, at a place where its roots are known.

use crate::analysis::cfg::Cfg;
use crate::analysis::linear::{Atom, Definitions, Forms, Linear, Make};
use crate::ir::{BlockId, Function, Value};
use std::fmt::Write;

/// What forms are computed of.
pub struct Source<'a, 'b> {
    /// The function.
    pub function: &'b Function<'a>,
    /// Its control flow.
    pub cfg: &'b Cfg,
    /// Where its values are defined.
    pub definitions: &'b Definitions,
    /// What its values are.
    pub forms: &'b Forms<'a>,
    /// Pointers have no element type.
    pub opaque: bool,
}

/// Code at the end of a block, as it grows.
pub struct Code<'a, 'b, 'c> {
    source: &'c Source<'a, 'b>,
    block: BlockId,
    /// What new values' names begin with.
    prefix: String,
    debug: String,
    count: usize,
    text: String,
}

/// How deep a form may be made of forms.
const DEPTH: u32 = 16;

impl<'a> Source<'a, '_> {
    /// Can the form be computed at the end of that block?
    pub fn can(&self, form: &Linear, block: BlockId) -> bool {
        Code::new(self, block, String::new(), String::new()).form(form).is_some()
    }
}

impl<'a, 'b, 'c> Code<'a, 'b, 'c> {
    /// No code yet, for the end of that block.
    pub fn new(
        source: &'c Source<'a, 'b>,
        block: BlockId,
        prefix: String,
        debug: String,
    ) -> Code<'a, 'b, 'c> {
        Code { source, block, prefix, debug, count: 0, text: String::new() }
    }

    /// The lines.
    pub fn text(self) -> String {
        self.text
    }

    /// A new value, made so.
    pub fn push(&mut self, make: &str) -> String {
        self.count += 1;
        let name = format!("%{}.v{}", self.prefix, self.count);
        let _ = writeln!(self.text, "  {name} = {make}{}", self.debug);
        name
    }

    /// A word that is the form.
    pub fn form(&mut self, form: &Linear) -> Option<String> {
        self.at_depth(form, DEPTH)
    }

    fn at_depth(&mut self, form: &Linear, depth: u32) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let mut sum: Option<String> = None;
        for (atom, factor) in &form.terms {
            let mut term = self.atom(*atom, depth)?;
            if *factor != 1 {
                term = self.push(&format!("mul i64 {term}, {factor}"));
            }
            sum = Some(match sum {
                Some(sum) => self.push(&format!("add i64 {sum}, {term}")),
                None => term,
            });
        }
        Some(match sum {
            None => form.offset.to_string(),
            Some(sum) if form.offset == 0 => sum,
            Some(sum) => self.push(&format!("add i64 {sum}, {}", form.offset)),
        })
    }

    fn atom(&mut self, atom: Atom, depth: u32) -> Option<String> {
        let Source { forms, opaque, .. } = *self.source;
        if let Some(value) = forms.held_by[atom.0 as usize].iter().find(|v| self.is_known(**v)) {
            return self.word(*value);
        }
        match forms.make(atom) {
            Make::Root(_) => None,
            Make::Global(name) if opaque => Some(self.push(&format!("ptrtoint ptr {name} to i64"))),
            Make::Global(_) => None,
            Make::Extension(op, from, to, of) => {
                let of = self.at_depth(of, depth)?;
                let of = self.push(&format!("trunc i64 {of} to i{from}"));
                let of = self.push(&format!("{op} i{from} {of} to i{to}"));
                Some(self.widened(of, *to))
            }
            Make::Rounds { signed, value, bound, step } => {
                let (value, bound) = (self.at_depth(value, depth)?, self.at_depth(bound, depth)?);
                let (high, low) = if *step > 0 { (bound, value) } else { (value, bound) };
                let sign = if *signed { 's' } else { 'u' };
                let again = self.push(&format!("icmp {sign}gt i64 {high}, {low}"));
                let left = self.push(&format!("sub i64 {high}, {low}"));
                let left = self.push(&format!("select i1 {again}, i64 {left}, i64 0"));
                let by = step.unsigned_abs();
                // Rounded up; without an overflow, of whatever length it is.
                let rest = self.push(&format!("urem i64 {left}, {by}"));
                let whole = self.push(&format!("udiv i64 {left}, {by}"));
                let some = self.push(&format!("icmp ne i64 {rest}, 0"));
                let one = self.push(&format!("zext i1 {some} to i64"));
                Some(self.push(&format!("add i64 {whole}, {one}")))
            }
            // It may trap where the program would not have come to it.
            Make::Arithmetic("udiv" | "sdiv" | "urem" | "srem", ..) => None,
            Make::Arithmetic(op, bits, left, right) if *bits <= 64 => {
                let (left, right) = (self.narrow(left, *bits, depth)?, self.narrow(right, *bits, depth)?);
                let result = self.push(&format!("{op} i{bits} {left}, {right}"));
                Some(self.widened(result, *bits))
            }
            Make::Arithmetic(..) => None,
        }
    }

    fn narrow(&mut self, form: &Linear, bits: u32, depth: u32) -> Option<String> {
        let word = self.at_depth(form, depth)?;
        Some(if bits < 64 { self.push(&format!("trunc i64 {word} to i{bits}")) } else { word })
    }

    fn widened(&mut self, value: String, bits: u32) -> String {
        if bits < 64 { self.push(&format!("zext i{bits} {value} to i64")) } else { value }
    }

    /// The value is defined on every way to the end of the block.
    fn is_known(&self, value: Value) -> bool {
        self.source.definitions[value.0 as usize]
            .is_none_or(|(block, _)| self.source.cfg.dominates(BlockId(block), self.block))
    }

    /// The value as a word. None if its type was never seen.
    fn word(&mut self, value: Value) -> Option<String> {
        let Function { names, types, .. } = self.source.function;
        let (name, of) = (names[value.0 as usize], types[value.0 as usize]?);
        if of == "i64" {
            return Some(name.to_owned());
        }
        if of == "ptr" || of.ends_with('*') {
            return Some(self.push(&format!("ptrtoint {of} {name} to i64")));
        }
        let bits: u32 = of.strip_prefix('i')?.parse().ok().filter(|bits| *bits < 64)?;
        Some(self.push(&format!("zext i{bits} {name} to i64")))
    }
}
