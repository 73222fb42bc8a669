//! Values as linear forms, so that addresses can be compared: `Σ factor · atom + offset`, with atoms numbered by what they are.
//!
//! Value numbering: two values with the same form are equal wherever the definitions of their *roots* (the loads, calls, φs and parameters that they are made of) are the same executions.
//! All arithmetic is modulo 2⁶⁴. A form of a narrower value says what it is modulo 2ʷ; extensions to 64 bits go through an addition only where LLVM promises that it does not wrap.

use super::cfg::Cfg;
use crate::ir::{Function, Kind, Operand, Value};
use hashbrown::HashMap;

/// Something that is not taken apart further.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Atom(pub u32);

/// `Σ factor · atom + offset`, atoms in order, no factor zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Linear {
    /// The atoms with their factors.
    pub terms: Vec<(Atom, i64)>,
    /// What is added.
    pub offset: i64,
}

impl Linear {
    /// A number.
    pub fn constant(offset: i64) -> Linear {
        Linear { terms: Vec::new(), offset }
    }

    fn atom(atom: Atom) -> Linear {
        Linear { terms: vec![(atom, 1)], offset: 0 }
    }

    /// The number that it is, if it is one.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.offset)
    }

    /// `self + factor · other`.
    #[must_use]
    pub fn plus(&self, other: &Linear, factor: i64) -> Linear {
        let mut terms = self.terms.clone();
        for (atom, by) in &other.terms {
            let by = by.wrapping_mul(factor);
            match terms.binary_search_by_key(atom, |t| t.0) {
                Ok(at) => terms[at].1 = terms[at].1.wrapping_add(by),
                Err(at) => terms.insert(at, (*atom, by)),
            }
        }
        terms.retain(|t| t.1 != 0);
        Linear { terms, offset: self.offset.wrapping_add(other.offset.wrapping_mul(factor)) }
    }

    /// `self · factor`.
    #[must_use]
    pub fn times(&self, factor: i64) -> Linear {
        Linear::default().plus(self, factor)
    }

    /// The factor of that atom.
    pub fn factor(&self, atom: Atom) -> i64 {
        self.terms.iter().find(|t| t.0 == atom).map_or(0, |t| t.1)
    }

    /// Without that atom.
    #[must_use]
    pub fn without(&self, atom: Atom) -> Linear {
        Linear { terms: self.terms.iter().copied().filter(|t| t.0 != atom).collect(), offset: self.offset }
    }
}

/// What an atom is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Make<'a> {
    /// A value that is what it is: a parameter, a φ, a load, the result of a call.
    Root(Value),
    /// The address of a global.
    Global(&'a str),
    /// An extension of a form of so many bits to so many.
    Extension(&'a str, u32, u32, Linear),
    /// How often a loop goes round again that does so while `value < bound` (or `value > bound`, if `step` is negative), where the value changes by `step` at every turn.
    Rounds { signed: bool, value: Linear, bound: Linear, step: i64 },
    /// Other arithmetic on so many bits.
    Arithmetic(&'a str, u32, Linear, Linear),
}

/// The forms of a function's values.
pub struct Forms<'a> {
    makes: Vec<Make<'a>>,
    numbers: HashMap<Make<'a>, Atom, foldhash::fast::FixedState>,
    of: Vec<Option<Linear>>,
    /// The roots of each atom.
    roots: Vec<Vec<Value>>,
    /// The values that are exactly that atom.
    pub held_by: Vec<Vec<Value>>,
}

/// How far an extension is pushed inwards.
const DEPTH: u32 = 8;

/// Where values are defined: block and instruction.
pub type Definitions = Vec<Option<(u32, u32)>>;

/// Where each value is defined.
pub fn definitions(function: &Function<'_>) -> Definitions {
    let mut found = vec![None; function.names.len()];
    for (b, block) in function.blocks.iter().enumerate() {
        for (i, inst) in block.insts.iter().enumerate() {
            if let Some(value) = inst.result {
                found[value.0 as usize] = Some((b as u32, i as u32));
            }
        }
    }
    found
}

impl<'a> Forms<'a> {
    /// The forms of all values of that function.
    pub fn of(function: &Function<'a>, cfg: &Cfg, definitions: &Definitions) -> Forms<'a> {
        let mut forms = Forms {
            makes: Vec::new(),
            numbers: HashMap::default(),
            of: vec![None; function.names.len()],
            roots: Vec::new(),
            held_by: Vec::new(),
        };
        for param in &function.params {
            forms.root(*param);
        }
        for block in &cfg.order {
            for inst in &function.block(*block).insts {
                let Some(value) = inst.result else { continue };
                match forms.form(function, definitions, &inst.kind) {
                    Some(form) => forms.define(value, form),
                    None => drop(forms.root(value)),
                }
            }
        }
        forms
    }

    fn define(&mut self, value: Value, form: Linear) {
        if let [(atom, 1)] = form.terms[..]
            && form.offset == 0
        {
            self.held_by[atom.0 as usize].push(value);
        }
        self.of[value.0 as usize] = Some(form);
    }

    fn root(&mut self, value: Value) -> Linear {
        let form = Linear::atom(self.number(Make::Root(value)));
        self.define(value, form.clone());
        form
    }

    fn number(&mut self, make: Make<'a>) -> Atom {
        if let Some(atom) = self.numbers.get(&make) {
            return *atom;
        }
        let roots = match &make {
            Make::Root(value) => vec![*value],
            Make::Global(_) => Vec::new(),
            Make::Extension(.., of) => self.roots_of(of),
            Make::Arithmetic(.., a, b) | Make::Rounds { value: a, bound: b, .. } => {
                let mut roots = self.roots_of(a);
                roots.extend(self.roots_of(b));
                roots
            }
        };
        let atom = Atom(self.makes.len() as u32);
        self.numbers.insert(make.clone(), atom);
        self.makes.push(make);
        self.roots.push(roots);
        self.held_by.push(Vec::new());
        atom
    }

    /// The roots of a form.
    pub fn roots_of(&self, form: &Linear) -> Vec<Value> {
        form.terms.iter().flat_map(|(atom, _)| self.roots[atom.0 as usize].iter().copied()).collect()
    }

    /// The form of so many bits as one of 64.
    pub fn zero_extended(&mut self, bits: u32, form: Linear) -> Linear {
        Linear::atom(self.number(Make::Extension("zext", bits, 64, form)))
    }

    /// As [`Make::Rounds`].
    pub fn rounds(&mut self, signed: bool, value: Linear, bound: Linear, step: i64) -> Linear {
        if let (true, Some(value), Some(bound)) = (signed, value.as_constant(), bound.as_constant()) {
            let left = if step > 0 { bound.saturating_sub(value) } else { value.saturating_sub(bound) };
            let by = step.saturating_abs();
            return Linear::constant(left.max(0) / by + i64::from(left.max(0) % by != 0));
        }
        Linear::atom(self.number(Make::Rounds { signed, value, bound, step }))
    }

    /// What that atom is.
    pub fn make(&self, atom: Atom) -> &Make<'a> {
        &self.makes[atom.0 as usize]
    }

    /// The atom of a value that is a root.
    pub fn atom_of(&self, value: Value) -> Option<Atom> {
        self.numbers.get(&Make::Root(value)).copied()
    }

    /// The form of an operand, of so many bits.
    pub fn operand(&mut self, operand: &Operand<'a>) -> Option<Linear> {
        match operand {
            Operand::Int(number) => Some(Linear::constant(*number)),
            Operand::Global(name, offset) => {
                let atom = self.number(Make::Global(name));
                Some(Linear { offset: *offset, ..Linear::atom(atom) })
            }
            Operand::Local(value) => Some(match &self.of[value.0 as usize] {
                Some(form) => form.clone(),
                // Only code that nothing reaches uses what is not defined yet.
                None => self.root(*value),
            }),
            Operand::Other(_) => None,
        }
    }

    fn form(
        &mut self,
        function: &Function<'a>,
        definitions: &Definitions,
        kind: &Kind<'a>,
    ) -> Option<Linear> {
        match kind {
            Kind::Same(of) => self.operand(of),
            Kind::Gep { base, offset, indices } => {
                let mut form = self.operand(base)?;
                form.offset = form.offset.wrapping_add(*offset);
                for index in indices {
                    let by = match index.bits {
                        64 => self.operand(&index.by)?,
                        bits if bits < 64 => {
                            self.extended(function, definitions, "sext", bits, 64, &index.by, DEPTH)?
                        }
                        _ => return None,
                    };
                    form = form.plus(&by, index.scale);
                }
                Some(form)
            }
            Kind::Cast { op: "trunc", of, .. } => self.operand(of),
            Kind::Cast { op, from, to, of } => {
                self.extended(function, definitions, op, *from, *to, of, DEPTH)
            }
            Kind::Binary { op, bits, left, right, .. } => {
                let (a, b) = (self.operand(left)?, self.operand(right)?);
                Some(match (*op, a.as_constant(), b.as_constant()) {
                    ("add", ..) => a.plus(&b, 1),
                    ("sub", ..) => a.plus(&b, -1),
                    ("mul", _, Some(by)) => a.times(by),
                    ("mul", Some(by), _) => b.times(by),
                    ("shl", _, Some(by)) if (0..63).contains(&by) => a.times(1 << by),
                    _ => Linear::atom(self.number(Make::Arithmetic(op, *bits, a, b))),
                })
            }
            _ => None,
        }
    }

    /// The operand, extended: through arithmetic that does not wrap. (If it does all the same, its value is poison, and an access through it undefined.)
    #[allow(clippy::too_many_arguments)]
    fn extended(
        &mut self,
        function: &Function<'a>,
        definitions: &Definitions,
        op: &'a str,
        from: u32,
        to: u32,
        of: &Operand<'a>,
        depth: u32,
    ) -> Option<Linear> {
        let signed = op == "sext";
        match of {
            Operand::Int(number) if from < 64 => {
                let number = if signed { *number } else { *number & ((1 << from) - 1) };
                return Some(Linear::constant(number));
            }
            Operand::Local(value) if depth > 0 && to == 64 => {
                let inst = definitions[value.0 as usize]
                    .map(|(b, i)| &function.blocks[b as usize].insts[i as usize]);
                if let Some(Kind::Binary { op: by, bits, nuw, nsw, left, right }) = inst.map(|i| &i.kind)
                    && *bits == from
                    && if signed { *nsw } else { *nuw }
                {
                    let mut part = |o| self.extended(function, definitions, op, from, to, o, depth - 1);
                    match (*by, right) {
                        ("add", _) => return Some(part(left)?.plus(&part(right)?, 1)),
                        ("sub", _) => return Some(part(left)?.plus(&part(right)?, -1)),
                        ("mul", Operand::Int(_)) => {
                            let by = part(right)?.as_constant()?;
                            return Some(part(left)?.times(by));
                        }
                        ("shl", Operand::Int(by)) if (0..i64::from(from) - 1).contains(by) => {
                            return Some(part(left)?.times(1 << by));
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        let inner = self.operand(of)?;
        Some(Linear::atom(self.number(Make::Extension(op, from, to, inner))))
    }
}
