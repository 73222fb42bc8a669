//! The words on the stack by which a function remembers what it has checked in the current span (`analysis::once`, `analysis::again`).

use super::edits::Edits;
use super::emit::Cut;
use crate::analysis::again::{Says, Words};
use crate::analysis::once::{Once, Plan};
use crate::ir::Function;
use std::fmt::Write;

/// What the word is called in every function that has it.
const WORD: &str = "%dh.once";

/// Writes what concerns the word.
pub struct Memory {
    pointer: &'static str,
    count: usize,
}

impl Memory {
    /// For a module in which pointers have no element type, or for another.
    pub fn new(opaque: bool) -> Memory {
        Memory { pointer: if opaque { "ptr" } else { "i64*" }, count: 0 }
    }

    /// The word itself, and all that clears it. It has to come before all else that is put into the function.
    pub fn begin(&mut self, function: &Function<'_>, plan: &Plan, edits: &mut Edits) {
        let pointer = self.pointer;
        let first = function.blocks[0].insts[0].line;
        edits.insert(
            first,
            &format!("  {WORD} = alloca i64, align 8\n  store i64 0, {pointer} {WORD}, align 8\n"),
        );
        for clear in &plan.clears {
            let line = function.block(clear.block).insts[clear.at].line;
            if clear.bits == u64::MAX {
                edits.insert(line, &format!("  store i64 0, {pointer} {WORD}, align 8\n"));
                continue;
            }
            let (word, name) = self.load();
            let kept = !clear.bits as i64;
            edits.insert(
                line,
                &format!("{word}  {name}.k = and i64 {name}, {kept}\n  store i64 {name}.k, {pointer} {WORD}, align 8\n"),
            );
        }
    }

    /// The words that remember addresses, and all that sets them back.
    pub fn begin_again(&mut self, function: &Function<'_>, words: &Words, edits: &mut Edits) {
        let pointer = self.pointer;
        let clear = |number: usize| format!("  store i64 0, {pointer} %dh.again{number}, align 8\n");
        for (number, word) in words.all.iter().enumerate() {
            let first = function.blocks[0].insts[0].line;
            edits.insert(first, &format!("  %dh.again{number} = alloca i64, align 8\n{}", clear(number)));
            for (block, at) in words.ends.iter().chain(&word.clears) {
                edits.insert(function.block(*block).insts[*at].line, &clear(number));
            }
        }
    }

    /// The code of a check of an address, as it is made only if the word with that number does not say that it was made.
    pub fn unless_said(&mut self, number: usize, says: Says, argument: &str, code: Cut) -> Cut {
        self.count += 1;
        let (name, pointer) = (format!("dho{}", self.count), self.pointer);
        let tail = code.tail.clone().unwrap_or(format!("{name}.rest"));
        let (is_said, next) = match says {
            Says::Below => ("ult", format!("  %{name}.n = add i64 %{name}.a, 1\n")),
            Says::Last => ("eq", String::new()),
        };
        let new = if next.is_empty() { "a" } else { "n" };
        let mut text = format!(
            "  %{name} = load i64, {pointer} %dh.again{number}, align 8\n  %{name}.a = ptrtoint {argument} to i64\n  \
             %{name}.z = icmp {is_said} i64 %{name}.a, %{name}\n  br i1 %{name}.z, label %{tail}, label %{name}.not\n\n{name}.not:\n{next}  \
             store i64 %{name}.{new}, {pointer} %dh.again{number}, align 8\n{}",
            code.text
        );
        if code.tail.is_none() {
            let _ = write!(text, "  br label %{tail}\n\n{tail}:\n");
        }
        Cut { text, tail: Some(tail) }
    }

    /// The code that loads the word, and what it is called then.
    fn load(&mut self) -> (String, String) {
        self.count += 1;
        let name = format!("%dho{}", self.count);
        (format!("  {name} = load i64, {} {WORD}, align 8\n", self.pointer), name)
    }

    /// The code of a check as it is made only if its bit is not set.
    pub fn guarded(&mut self, once: Once, code: Cut) -> Cut {
        if once == Once::default() {
            return code;
        }
        let (mut text, name) = self.load();
        let tail = code.tail.clone().unwrap_or(format!("dho{}.rest", self.count));
        if once.unless != 0 {
            let _ = write!(
                text,
                "  {name}.b = and i64 {name}, {}\n  {name}.z = icmp ne i64 {name}.b, 0\n  \
                 br i1 {name}.z, label %{tail}, label {name}.not\n\ndho{}.not:\n",
                once.unless as i64, self.count
            );
        }
        let _ = write!(
            text,
            "  {name}.s = or i64 {name}, {}\n  store i64 {name}.s, {} {WORD}, align 8\n{}",
            once.sets as i64, self.pointer, code.text
        );
        if once.unless != 0 && code.tail.is_none() {
            let _ = write!(text, "  br label %{tail}\n\n{tail}:\n");
            return Cut { text, tail: Some(tail) };
        }
        Cut { text, tail: code.tail }
    }
}
