//! Writes the checks that are left into a function: as calls, or with the comparison in the code.

use super::compute::{Code, Source};
use super::edits::Edits;
use super::inline::{Inliner, Paths, debug};
use super::memory::Memory;
use crate::analysis::again::Words;
use crate::analysis::checks::{self, Check, Mode, Named, Range};
use crate::analysis::linear::Linear;
use crate::analysis::once::Plan;
use crate::ir::{Function, Inst, Module};
use hashbrown::HashMap;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Code that may cut its block in two: the label of what goes on behind it.
pub struct Cut {
    /// The lines, with that label as the last one.
    pub text: String,
    /// The label.
    pub tail: Option<String>,
}

/// Labels of the blocks that go on where others were cut.
pub type Tails = HashMap<u32, String, foldhash::fast::FixedState>;

/// Functions with more checks than this are long: it is in their loops that they spend time, if they do. Shorter ones may be what the loops of others call.
const LONG: usize = 8;

/// Functions with more checks than this are large.
const LARGE: usize = 48;

/// Writes checks, and remembers what the module has to declare for that.
pub struct Emitter {
    opaque: bool,
    inliner: Option<Inliner>,
    memory: Memory,
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
        let (opaque, memory) = (module.opaque, Memory::new(module.opaque));
        Emitter { opaque, inliner, memory, known, declared: BTreeSet::new(), count: 0 }
    }

    /// Writes the function's checks. Those that stand in the text already stay as they are, unless they are about more now, made on some paths only, or to have comparisons in the code.
    pub fn write<'a>(
        &mut self,
        source: &Source<'a, '_>,
        all: &[Check<'a>],
        plan: &Plan,
        words: &Words,
        edits: &mut Edits,
        frames: bool,
    ) {
        let mut tails = Tails::default();
        let (paths, looped) =
            (if all.len() > LARGE { Paths::Words } else { Paths::All }, source.cfg.looped());
        if plan.checks.iter().any(|once| once.unless != 0) {
            self.memory.begin(source.function, plan, edits);
        }
        self.memory.begin_again(source.function, words, edits);
        for (i, check) in all.iter().enumerate() {
            let once = plan.checks.get(i).copied().unwrap_or_default();
            let is_hot = all.len() <= LONG || looped[check.block.0 as usize];
            let Some(code) = self.code(source, check, is_hot.then_some(paths)) else { continue };
            let mut code = self.memory.guarded(once, code);
            if let Some(number) = words.all.iter().position(|word| word.check == i) {
                code = self.memory.unless_said(number, words.all[number].says, check.argument, code);
            }
            let line = inst(source, check).line;
            match check.line {
                Some(_) if code.text == inst(source, check).text => {}
                Some(_) => edits.replace(line, code.text),
                None => edits.insert(line, &code.text),
            }
            if let Some(tail) = code.tail {
                tails.insert(check.block.0, tail);
            }
        }
        mend_phis(source.function, &tails, edits);
        if let Some(inliner) = &mut self.inliner {
            inliner.prefetches(source.function, edits);
            if frames {
                inliner.frames(source.function, edits);
            }
        }
    }

    /// The code of a check: with comparisons in it if there are to be paths.
    fn code<'a>(&mut self, source: &Source<'a, '_>, check: &Check<'a>, paths: Option<Paths>) -> Option<Cut> {
        if check.line.is_none() {
            return self.added(source, check, paths);
        }
        if let (Some(inliner), Some(paths)) = (&mut self.inliner, paths) {
            return Some(inliner.check(check.what, paths, check.argument, check.trailer));
        }
        let inst = inst(source, check);
        let is_same = checks::named(inst).is_some_and(|(what, ..)| what == check.what);
        let text = match is_same {
            true => inst.text.to_owned(),
            false => self.call(check.what, check.argument, check.trailer),
        };
        Some(Cut { text, tail: None })
    }

    /// The code of a check that was not there, at the end of its block.
    fn added<'a>(&mut self, source: &Source<'a, '_>, check: &Check<'a>, paths: Option<Paths>) -> Option<Cut> {
        self.count += 1;
        let mut code = Code::new(source, check.block, format!("dhc{}", self.count), debug(check.trailer));
        let address = code.form(check.address.as_ref()?)?;
        let pointer = if self.opaque { "ptr" } else { "i8*" };
        let address = code.push(&format!("inttoptr i64 {address} to {pointer}"));
        let argument = format!("{pointer} {address}");
        let Named { mode, size, .. } = check.what;
        let verb = if mode == Mode::Write { "write" } else { "read" };
        let call = if let Some(Range { more, stride }) = &check.range {
            let length = code.form(&more.plus(&Linear::constant(size as i64), 1))?;
            if *stride > size as i64 {
                let numbers = [length, stride.to_string(), size.to_string()];
                self.many(&format!("{verb}_stride"), &argument, &numbers, check.trailer)
            } else {
                self.many(&format!("{verb}_range"), &argument, &[length], check.trailer)
            }
        } else if let (Some(inliner), Some(paths), true) =
            (&mut self.inliner, paths, Inliner::can(check.what))
        {
            let Cut { text, tail } = inliner.check(check.what, paths, &argument, check.trailer);
            return Some(Cut { text: code.text() + &text, tail });
        } else {
            self.call(check.what, &argument, check.trailer)
        };
        Some(Cut { text: code.text() + &call, tail: None })
    }

    /// The call that makes a check of a known number of bytes.
    fn call(&mut self, what: Named, argument: &str, trailer: &str) -> String {
        let verb = if what.mode == Mode::Write { "write" } else { "read" };
        if !matches!(what.size, 1 | 2 | 4 | 8 | 16) {
            return self.many(&format!("{verb}_range"), argument, &[what.size.to_string()], trailer);
        }
        let (name, pointer) = (called(what), if self.opaque { "ptr" } else { "i8*" });
        if !self.known.contains(&name) {
            self.declared.insert(format!("declare void {name}({pointer}) nounwind"));
        }
        format!("  call void {name}({argument}){trailer}\n")
    }

    /// The call of a function of our own, which takes an address and numbers.
    fn many(&mut self, name: &str, argument: &str, numbers: &[String], trailer: &str) -> String {
        let pointer = if self.opaque { "ptr" } else { "i8*" };
        let types = ", i64".repeat(numbers.len());
        self.declared.insert(format!("declare void @__deadheat_{name}({pointer}{types}) nounwind"));
        let numbers: String = numbers.iter().map(|n| format!(", i64 {n}")).collect();
        format!("  call void @__deadheat_{name}({argument}{numbers}){trailer}\n")
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

/// The instruction at, or before, which the check is made.
fn inst<'a, 'b>(source: &Source<'a, 'b>, check: &Check<'a>) -> &'b Inst<'a> {
    &source.function.block(check.block).insts[check.at]
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
