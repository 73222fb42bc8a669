//! The comparison that decides most checks, in the code itself.
//!
//! The same as the runtime's fast paths (`rt-tsan`, `access`): the cell of the address, its word, the difference to the beginning of the thread's epoch; nothing is left to do if that is small. Otherwise the
//! runtime is called, in a convention that leaves the caller's registers alone. What is known here of the runtime is in this file's constants, and `docs/architecture.md` says so.

use crate::analysis::checks::{Mode, Named};
use crate::ir::{Function, Kind, Module};
use crate::rewrite::edits::Edits;
use crate::rewrite::emit::Cut;
use crate::rewrite::frames;
use std::fmt::Write;

/// The thread-local words of the runtime by number: the beginning of the epoch, the mask and the base of the layout, the next frame of the shadow stack, the sets at hand.
const EPOCH: u32 = 0;
const MASK: u32 = 1;
const BASE: u32 = 2;
const FRAMES: u32 = 3;
const SEEN: u32 = 7;
/// Entries of the table of sets at hand, of 16 bytes each: a set, and the epoch in which the thread has read in it.
const SETS: u32 = 256;
/// Where the words of writes and of reads are in a cell, and how far apart cells are.
const W: u32 = 0;
const R: u32 = 8;
const CELL: u32 = 16;
/// A difference with no bit from here on is one within the epoch.
const CLOCK: u32 = 35;
/// In a difference without the bits of clocks: the bytes that a word is about, and what has to be zero besides.
const EXTENT: u32 = 19;
const WHOLE: u32 = 0xff << EXTENT;
const OTHERS: u32 = ((1 << EXTENT) - 1) | (0b11 << (EXTENT + 8));
/// Bytes of a frame of the shadow stack.
const FRAME: u32 = 16;

/// How much of the runtime's fast paths a check has in itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paths {
    /// All that is decided in an epoch.
    All,
    /// Only the first comparison. The code of large functions grows too much otherwise, and with it the time to compile them.
    First,
}

/// The code of one check as it grows. All values begin with the same name. Only the call says where it is in the source: half of the text would be that otherwise.
struct Writer {
    text: String,
    name: String,
    values: usize,
    blocks: usize,
    weights: usize,
}

impl Writer {
    /// A new value, made so.
    fn push(&mut self, make: &str) -> String {
        self.values += 1;
        let value = format!("%{}.{}", self.name, self.values);
        let _ = writeln!(self.text, "  {value} = {make}");
        value
    }

    /// The word at that address; of what may change at any time, if it is `atomic`.
    fn load(&mut self, address: &str, pointer: &str, atomic: bool) -> String {
        let at = self.push(&format!("inttoptr i64 {address} to {pointer}"));
        match atomic {
            true => self.push(&format!("load atomic i64, {pointer} {at} monotonic, align 8")),
            false => self.push(&format!("load i64, {pointer} {at}, align 8")),
        }
    }

    /// All of these words together: zero if all of them are.
    fn any(&mut self, words: &[&str]) -> String {
        let (first, rest) = words.split_first().unwrap_or((&"0", &[]));
        rest.iter().fold((*first).to_owned(), |all, word| self.push(&format!("or i64 {all}, {word}")))
    }

    /// Nothing is left to check if the word is zero; what is written next is for when it is not.
    fn done_if_zero(&mut self, of: &str, word: &str) {
        let zero = self.push(&format!("icmp eq {of} {word}, 0"));
        self.blocks += 1;
        let Writer { name, blocks, weights, .. } = self;
        let branch = format!(
            "  br i1 {zero}, label %{name}.rest, label %{name}.not{blocks}, !prof !{weights}\n\n{name}.not{blocks}:\n"
        );
        self.text.push_str(&branch);
    }
}

/// Writes checks into functions, and remembers what the module has to declare for that.
pub struct Inliner {
    opaque: bool,
    for_program: bool,
    /// The metadata that says that a branch is seldom taken.
    weights: usize,
    count: usize,
    cold: Vec<String>,
}

impl Inliner {
    /// For that module. None if it is for another machine than the runtime.
    pub fn of(module: &Module<'_>) -> Option<Inliner> {
        let Module { opaque, for_program, free_metadata, .. } = *module;
        module.is_x86_64_linux.then(|| Inliner {
            opaque,
            for_program,
            weights: free_metadata,
            count: 0,
            cold: Vec::new(),
        })
    }

    fn word(&self, number: u32) -> String {
        match self.opaque {
            true => {
                format!("ptr getelementptr inbounds ([8 x i64], ptr @__deadheat_tls, i64 0, i64 {number})")
            }
            false => format!(
                "i64* getelementptr inbounds ([8 x i64], [8 x i64]* @__deadheat_tls, i64 0, i64 {number})"
            ),
        }
    }

    fn pointer(&self) -> &'static str {
        if self.opaque { "ptr" } else { "i64*" }
    }

    /// The check can be made in the code: of a part of a granule, or of some whole ones.
    pub fn can(what: Named) -> bool {
        matches!(what.size, 1 | 2 | 4 | 8 | 16 | 24 | 32 | 40 | 48 | 56 | 64)
    }

    /// The code of a check.
    pub fn check(&mut self, what: Named, paths: Paths, argument: &str, trailer: &str) -> Cut {
        self.count += 1;
        let name = format!("dh{}", self.count);
        let mut code = Writer { text: String::new(), name, values: 0, blocks: 0, weights: self.weights };
        let address = code.push(&format!("ptrtoint {argument} to i64"));
        let cell = self.cell(&mut code, &address);
        let epoch = code.push(&format!("load i64, {}, align 8", self.word(EPOCH)));
        let reads = what.mode != Mode::Write;
        let own = if reads { R } else { W };
        let cells = (what.size as u32).div_ceil(8);
        let words: Vec<String> = (0..cells).map(|i| self.part(&mut code, &cell, own + i * CELL)).collect();
        let beyond = self.beyond(&mut code, &address, what);
        let high = self.same_epoch(&mut code, &words, &epoch, beyond.as_deref());
        let in_part = what.size < 8;
        if in_part {
            self.same_bytes(&mut code, &high, &address, what.size, beyond.as_deref());
        }
        if reads && paths == Paths::All {
            // A read behind a write of the same epoch is not recorded, so it is the write that tells.
            let written: Vec<String> =
                (0..cells).map(|i| self.part(&mut code, &cell, W + i * CELL)).collect();
            let high = self.same_epoch(&mut code, &written, &epoch, beyond.as_deref());
            if in_part {
                self.same_bytes(&mut code, &high, &address, what.size, beyond.as_deref());
            }
            self.shared(&mut code, &words, &epoch, beyond.as_deref());
        }
        let cold = self.cold(what);
        let tail = format!("{}.rest", code.name);
        let size = if cells > 2 { format!(", i64 {}", what.size) } else { String::new() };
        let _ = writeln!(
            code.text,
            "  call preserve_mostcc void @{cold}({argument}{size}){trailer}\n  br label %{tail}\n\n{tail}:"
        );
        Cut { text: code.text, tail: Some(tail) }
    }

    /// The address of the cell.
    fn cell(&self, code: &mut Writer, address: &str) -> String {
        let twice = code.push(&format!("shl i64 {address}, 1"));
        let mask = code.push(&format!("load i64, {}, align 8", self.word(MASK)));
        let masked = code.push(&format!("and i64 {twice}, {mask}"));
        let base = code.push(&format!("load i64, {}, align 8", self.word(BASE)));
        code.push(&format!("xor i64 {masked}, {base}"))
    }

    /// A word of the cell, or of the next one.
    fn part(&self, code: &mut Writer, cell: &str, distance: u32) -> String {
        let at = code.push(&format!("add i64 {cell}, {distance}"));
        code.load(&at, self.pointer(), true)
    }

    /// A word that is not zero if the access goes beyond its granule, or granules: for the runtime to see to.
    fn beyond(&self, code: &mut Writer, address: &str, what: Named) -> Option<String> {
        match what.size {
            1 => None,
            16.. => Some(code.push(&format!("and i64 {address}, 7"))),
            _ if what.aligned => None,
            8 => Some(code.push(&format!("and i64 {address}, 7"))),
            size => {
                let last = code.push(&format!("add i64 {address}, {}", size - 1));
                let changed = code.push(&format!("xor i64 {last}, {address}"));
                Some(code.push(&format!("and i64 {changed}, -8")))
            }
        }
    }

    /// [Read Same Epoch], [Write Same Epoch]: done if all of the words are of the thread's epoch.
    fn same_epoch(&self, code: &mut Writer, words: &[String], epoch: &str, beyond: Option<&str>) -> String {
        let differences: Vec<String> =
            words.iter().map(|w| code.push(&format!("sub i64 {w}, {epoch}"))).collect();
        let differences: Vec<&str> = differences.iter().map(String::as_str).collect();
        let all = code.any(&differences);
        let high = code.push(&format!("lshr i64 {all}, {CLOCK}"));
        let left: Vec<&str> = [high.as_str()].into_iter().chain(beyond).collect();
        let left = code.any(&left);
        code.done_if_zero("i64", &left);
        high
    }

    /// The same of a word that is about some bytes of the granule: done if those of the access are among them. `high` is what [`same_epoch`](Inliner::same_epoch) has left.
    fn same_bytes(&self, code: &mut Writer, high: &str, address: &str, size: u64, beyond: Option<&str>) {
        // The epoch is about all bytes, so a word that lacks some has borrowed: with all of them added, those that it has are set.
        let short = code.push(&format!("trunc i64 {high} to i32"));
        let there = code.push(&format!("add i32 {short}, {WHOLE}"));
        let lacking = code.push(&format!("xor i32 {there}, {WHOLE}"));
        let low = code.push(&format!("trunc i64 {address} to i32"));
        let offset = code.push(&format!("and i32 {low}, 7"));
        let bytes = code.push(&format!("shl i32 {}, {offset}", ((1u32 << size) - 1) << EXTENT));
        let needed = code.push(&format!("or i32 {bytes}, {OTHERS}"));
        let mut left = code.push(&format!("and i32 {lacking}, {needed}"));
        if let Some(beyond) = beyond {
            let beyond = code.push(&format!("trunc i64 {beyond} to i32"));
            left = code.push(&format!("or i32 {left}, {beyond}"));
        }
        code.done_if_zero("i32", &left);
    }

    /// [Read Shared Same Epoch]: done if the words are a set at hand in which the thread has read in its epoch.
    fn shared(&self, code: &mut Writer, words: &[String], epoch: &str, beyond: Option<&str>) {
        let table = code.push(&format!("load i64, {}, align 8", self.word(SEEN)));
        let low = code.push(&format!("and i64 {}, {}", words[0], SETS - 1));
        let distance = code.push(&format!("shl i64 {low}, 4"));
        let entry = code.push(&format!("add i64 {table}, {distance}"));
        let set = code.load(&entry, self.pointer(), false);
        let second = code.push(&format!("add i64 {entry}, 8"));
        let read = code.load(&second, self.pointer(), false);
        let mut left: Vec<String> =
            words.iter().map(|word| code.push(&format!("xor i64 {set}, {word}"))).collect();
        left.push(code.push(&format!("xor i64 {read}, {epoch}")));
        let left: Vec<&str> = left.iter().map(String::as_str).chain(beyond).collect();
        let left = code.any(&left);
        code.done_if_zero("i64", &left);
    }

    /// The function of the runtime that decides what the code cannot.
    fn cold(&mut self, what: Named) -> String {
        let unaligned = if what.aligned || matches!(what.size, 1 | 16) { "" } else { "unaligned_" };
        let name = match what.mode {
            Mode::VirtualRead => "__deadheat_cold_vptr_read".to_owned(),
            Mode::Read if what.size > 16 => "__deadheat_cold_read_range".to_owned(),
            Mode::Write if what.size > 16 => "__deadheat_cold_write_range".to_owned(),
            Mode::Read => format!("__deadheat_cold_{unaligned}read{}", what.size),
            Mode::Write => format!("__deadheat_cold_{unaligned}write{}", what.size),
        };
        if !self.cold.contains(&name) {
            self.cold.push(name.clone());
        }
        name
    }

    /// Pushes and pops the frame of the shadow stack without a call.
    pub fn frames(&mut self, function: &Function<'_>, edits: &mut Edits) {
        let word = self.word(FRAMES);
        for inst in function.blocks.iter().flat_map(|b| &b.insts) {
            let (Some(call), Kind::Call { args, attributes, .. }) = (frames::runtime_call(inst), &inst.kind)
            else {
                continue;
            };
            self.count += 1;
            let (n, dbg) = (format!("dh{}", self.count), debug(attributes));
            let ptr = self.pointer();
            let code = match call {
                "func_entry" => format!(
                    "  %{n}.f = load i64, {word}, align 8{dbg}\n  %{n}.p = inttoptr i64 %{n}.f to {ptr}{dbg}\n  %{n}.c = ptrtoint {args} to i64{dbg}\n  \
                     store i64 %{n}.c, {ptr} %{n}.p, align 8{dbg}\n  %{n}.g = getelementptr inbounds i64, {ptr} %{n}.p, i64 1{dbg}\n  \
                     store i64 0, {ptr} %{n}.g, align 8{dbg}\n  %{n}.n = add i64 %{n}.f, {FRAME}{dbg}\n  store i64 %{n}.n, {word}, align 8{dbg}\n"
                ),
                "func_exit" => format!(
                    "  %{n}.f = load i64, {word}, align 8{dbg}\n  %{n}.n = sub i64 %{n}.f, {FRAME}{dbg}\n  store i64 %{n}.n, {word}, align 8{dbg}\n"
                ),
                _ => continue,
            };
            edits.replace(inst.line, code);
        }
    }

    /// What the module has to say at its end.
    pub fn declarations(&self) -> String {
        if self.count == 0 {
            return String::new();
        }
        // Code of a program finds the word at a constant distance; code of a shared library, through a table that the loader fills.
        let model =
            if self.for_program { "dso_local thread_local(localexec)" } else { "thread_local(initialexec)" };
        let pointer = if self.opaque { "ptr" } else { "i8*" };
        let mut text = format!("\n@__deadheat_tls = external {model} global [8 x i64], align 64\n");
        for name in &self.cold {
            let size = if name.ends_with("_range") { ", i64" } else { "" };
            let _ = writeln!(text, "declare preserve_mostcc void @{name}({pointer}{size}) nounwind");
        }
        let _ = writeln!(text, "!{} = !{{!\"branch_weights\", i32 2000, i32 1}}", self.weights);
        text
    }
}

/// Where the call is in the source, as it is said behind instructions.
pub fn debug(trailer: &str) -> String {
    let found = trailer.find("!dbg !").map(|at| &trailer[at..]);
    found.map_or(String::new(), |text| {
        let end = text["!dbg !".len()..]
            .find(|c: char| !c.is_ascii_digit())
            .map_or(text.len(), |n| n + "!dbg !".len());
        format!(", {}", &text[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Computes what such code does, up to its first branch: whether nothing is left to check.
    fn done(code: &str, values: &[(&str, u64)]) -> bool {
        let mut values: HashMap<String, u64> = values.iter().map(|(n, v)| (n.to_string(), *v)).collect();
        for line in code.lines().take_while(|line| !line.contains(" br ")) {
            let (name, make) = line.trim().split_once(" = ").expect("a definition");
            let words: Vec<&str> = make.split([' ', ',']).filter(|w| !w.is_empty()).collect();
            let of = |word: &str| {
                values.get(word).copied().unwrap_or_else(|| word.parse().expect("a value or a number"))
            };
            let value = match words[..] {
                ["trunc", "i64", a, "to", "i32"] => of(a),
                ["icmp", "eq", _, a, b] => u64::from(of(a) == of(b)),
                ["add", _, a, b] => of(a).wrapping_add(of(b)),
                ["sub", _, a, b] => of(a).wrapping_sub(of(b)),
                ["xor", _, a, b] => of(a) ^ of(b),
                ["and", _, a, b] => of(a) & of(b),
                ["or", _, a, b] => of(a) | of(b),
                ["shl", _, a, b] => of(a) << of(b),
                ["lshr", _, a, b] => of(a) >> of(b),
                _ => panic!("{make}"),
            };
            let narrow = make.contains("i32") && !make.starts_with("icmp");
            values.insert(name.to_owned(), if narrow { value & u64::from(u32::MAX) } else { value });
        }
        let last = code.lines().take_while(|line| !line.contains(" br ")).last().expect("some code");
        values[last.trim().split_once(" = ").expect("a definition").0] == 1
    }

    fn writer() -> Writer {
        Writer { text: String::new(), name: "t".to_owned(), values: 0, blocks: 0, weights: 0 }
    }

    /// An access as a word of the shadow tells it.
    fn word(flags: u64, extent: u64, slot: u64, clock: u64) -> u64 {
        flags << 62 | extent << 54 | slot << 36 | clock
    }

    #[test]
    fn a_word_about_some_bytes_tells_of_these() {
        let inliner = Inliner { opaque: true, for_program: true, weights: 0, count: 0, cold: Vec::new() };
        let (epoch, clock) = (word(0, 0xff, 7, 1000), 1005);
        for (size, extent) in [1u64, 2, 4].into_iter().flat_map(|s| (0..=0xff).map(move |e| (s, e))) {
            let mut code = writer();
            let high = format!("%{}.1", code.name);
            code.values = 1;
            inliner.same_bytes(&mut code, &high, "%a", size, None);
            let tells = |word: u64, offset: u64| {
                done(&code.text, &[("%a", 0x7000 + offset), (&high, word.wrapping_sub(epoch) >> CLOCK)])
            };
            for offset in (0..8).step_by(size as usize) {
                let bytes = ((1 << size) - 1) << offset;
                assert_eq!(tells(word(0, extent, 7, clock), offset), extent & bytes == bytes, "{extent:x}");
                // Of another thread, another epoch, locked, or no access at all.
                for other in [
                    word(0, extent, 8, clock),
                    word(0, extent, 6, clock),
                    word(0, extent, 7, 999),
                    word(1, extent, 7, clock),
                    word(2, extent, 7, clock),
                    word(1, extent, 0, 5),
                    word(0, extent, 0, 0),
                ] {
                    assert!(!tells(other, offset), "{other:x} at {offset}");
                }
            }
        }
    }
}
