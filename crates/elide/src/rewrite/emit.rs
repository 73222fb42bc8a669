//! Writes the checks that are left into a function: as calls, or with the comparison in the code.

use super::compute::{Code, Source};
use super::edits::Edits;
use super::inline::{Inliner, debug};
use crate::analysis::checks::{Check, Mode, Named, Range};
use crate::analysis::linear::Linear;
use crate::ir::{Function, Module};
use hashbrown::HashMap;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Labels of the blocks that go on where others were cut.
pub type Tails = HashMap<u32, String, foldhash::fast::FixedState>;

/// Writes checks, and remembers what the module has to declare for that.
pub struct Emitter {
    opaque: bool,
    inliner: Option<Inliner>,
    /// Functions that the module declares already.
    known: BTreeSet<String>,
    declared: BTreeSet<String>,
    count: usize,
}

impl Emitter {
    /// For that module; with an inliner, comparisons stand in the code.
    pub fn new(module: &Module<'_>, inliner: Option<Inliner>) -> Emitter {
        let known = module
            .declared
            .keys()
            .filter(|name| name.starts_with("@__tsan_"))
            .map(|name| name.to_string())
            .collect();
        Emitter { opaque: module.opaque, inliner, known, declared: BTreeSet::new(), count: 0 }
    }

    /// Writes the function's checks. Those that stand in the text already stay as they are, unless comparisons are to be in the code.
    pub fn write<'a>(
        &mut self,
        source: &Source<'a, '_>,
        checks: &[Check<'a>],
        edits: &mut Edits,
        frames: bool,
    ) {
        let mut tails = Tails::default();
        for check in checks {
            let written = match check.line {
                Some(line) => {
                    let inlined = self
                        .inliner
                        .as_mut()
                        .map(|inliner| inliner.check(check.what, check.argument, check.trailer));
                    inlined.map(|(code, tail)| {
                        edits.replace(line, code);
                        tail
                    })
                }
                None => self.add(source, check, edits),
            };
            if let Some(tail) = written {
                tails.insert(check.block.0, tail);
            }
        }
        mend_phis(source.function, &tails, edits);
        if let Some(inliner) = self.inliner.as_mut().filter(|_| frames) {
            inliner.frames(source.function, edits);
        }
    }

    /// A check that was not there, at the end of its block; the label behind it if it cuts the block in two.
    fn add<'a>(&mut self, source: &Source<'a, '_>, check: &Check<'a>, edits: &mut Edits) -> Option<String> {
        self.count += 1;
        let line = source.function.block(check.block).insts[check.at].line;
        let mut code = Code::new(source, check.block, format!("dhc{}", self.count), debug(check.trailer));
        let address = code.form(check.address.as_ref()?)?;
        let pointer = if self.opaque { "ptr" } else { "i8*" };
        let address = code.push(&format!("inttoptr i64 {address} to {pointer}"));
        let argument = format!("{pointer} {address}");
        let Named { mode, size, .. } = check.what;
        let verb = if mode == Mode::Write { "write" } else { "read" };
        let many = match &check.range {
            Some(Range { more, stride }) => {
                let length = code.form(&more.plus(&Linear::constant(size as i64), 1))?;
                match *stride > size as i64 {
                    true => Some((
                        format!("@__deadheat_{verb}_stride"),
                        vec![length, stride.to_string(), size.to_string()],
                    )),
                    false => Some((format!("@__deadheat_{verb}_range"), vec![length])),
                }
            }
            None if !is_called(size) => Some((format!("@__deadheat_{verb}_range"), vec![size.to_string()])),
            None => None,
        };
        if let Some((name, numbers)) = many {
            let types = ", i64".repeat(numbers.len());
            self.declared.insert(format!("declare void {name}({pointer}{types}) nounwind"));
            let numbers: String = numbers.iter().map(|n| format!(", i64 {n}")).collect();
            edits.insert(
                line,
                &format!("{}  call void {name}({argument}{numbers}){}\n", code.text(), check.trailer),
            );
            return None;
        }
        edits.insert(line, &code.text());
        if let Some(inliner) = &mut self.inliner {
            let (code, tail) = inliner.check(check.what, &argument, check.trailer);
            edits.insert(line, &code);
            return Some(tail);
        }
        let name = called(check.what);
        if !self.known.contains(&name) {
            self.declared.insert(format!("declare void {name}({pointer}) nounwind"));
        }
        edits.insert(line, &format!("  call void {name}({argument}){}\n", check.trailer));
        None
    }

    /// What the module has to say at its end.
    pub fn declarations(&self) -> String {
        let mut text = String::new();
        for declaration in &self.declared {
            let _ = writeln!(text, "{declaration}");
        }
        text + &self.inliner.as_ref().map_or(String::new(), Inliner::declarations)
    }
}

/// There is a function of the runtime for that many bytes.
fn is_called(size: u64) -> bool {
    matches!(size, 1 | 2 | 4 | 8 | 16)
}

/// The function of the runtime that makes the check.
fn called(what: Named) -> String {
    let Named { mode, size, aligned } = what;
    let unaligned = if aligned || size == 1 { "" } else { "unaligned_" };
    match mode {
        Mode::VirtualRead => "@__tsan_vptr_read".to_owned(),
        Mode::Read => format!("@__tsan_{unaligned}read{size}"),
        Mode::Write => format!("@__tsan_{unaligned}write{size}"),
    }
}

/// Who comes from a block that was cut comes from its last part.
fn mend_phis(function: &Function<'_>, tails: &Tails, edits: &mut Edits) {
    for phi in function.blocks.iter().flat_map(|b| &b.insts).filter(|i| i.is_phi) {
        let cut = |block: u32| tails.get(&block).map(|tail| (&function.blocks[block as usize].label, tail));
        let cuts: Vec<_> = phi.targets.iter().filter_map(|b| cut(b.0)).collect();
        if !cuts.is_empty() {
            let mend = |text: String, (label, tail): (&String, &String)| {
                text.replace(&format!(", %{label} ]"), &format!(", %{tail} ]"))
            };
            edits.replace(phi.line, cuts.into_iter().fold(phi.text.to_owned(), mend));
        }
    }
}
