//! The comparisons that decide most checks, in the code itself.
//!
//! The same as the runtime's fast paths (`rt-tsan`, `access`): the cell of the address, its word, the difference to the beginning of the thread's epoch; nothing is left to do if that is small. If no comparison
//! decides, the runtime is called, in a convention that leaves the caller's registers alone. What is known here of the runtime is in this file's constants, and `docs/architecture.md` says so.

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
/// Entries of the table of sets at hand, in which the thread has read in its epoch.
const SETS: u32 = 256;
/// Where the words of writes and of reads are in a cell, and how far apart cells are.
const W: u32 = 0;
const R: u32 = 8;
const CELL: u64 = 16;
/// Bytes of a line of the processor's cache.
const LINE: u64 = 64;
/// A difference with no bit from here on is one within the epoch.
const CLOCK: u32 = 35;
/// In a word: the bytes that it is about.
const EXTENT: u32 = 54;
const WHOLE: u64 = 0xff << EXTENT;
/// Bytes of a frame of the shadow stack.
const FRAME: u32 = 16;

/// How much of the runtime's fast paths a check has in itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paths {
    /// All that is decided in an epoch.
    All,
    /// All but the sets. The code of large functions grows too much otherwise, and with it the time to compile them.
    Words,
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

    /// The address of the cell, in that layout.
    fn cell(&mut self, address: &str, mask: &str, base: &str) -> String {
        let twice = self.push(&format!("shl i64 {address}, 1"));
        let masked = self.push(&format!("and i64 {twice}, {mask}"));
        self.push(&format!("xor i64 {masked}, {base}"))
    }

    /// All of these words together: zero if all of them are.
    fn any(&mut self, words: &[&str]) -> String {
        let (first, rest) = words.split_first().unwrap_or((&"0", &[]));
        rest.iter().fold((*first).to_owned(), |all, word| self.push(&format!("or i64 {all}, {word}")))
    }

    /// Nothing is left to check if the word is zero; what is written next is for when it is not.
    fn done_if_zero(&mut self, word: &str) {
        let zero = self.push(&format!("icmp eq i64 {word}, 0"));
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
        let cells = self.cells(&mut code, &address, what);
        let epoch = code.push(&format!("load i64, {}, align 8", self.word(EPOCH)));
        // Several granules are whole ones; the runtime sees to what is not.
        let beyond = (what.size > 8).then(|| code.push(&format!("and i64 {address}, 7")));
        let done_by = |code: &mut Writer, distance: u32| {
            let words = self.words(code, &cells, distance);
            self.same_epoch(code, &words, &epoch, beyond.as_deref());
            words
        };
        // A read behind a write of the same epoch is not recorded, and most reads are such.
        let written = done_by(&mut code, W);
        let (is_part, is_read) = (what.size < 8 && cells.len() == 1, what.mode != Mode::Write);
        // Of a part of a granule, R is looked at below only: what tells of all bytes tells of some.
        let read = is_read.then(|| match is_part {
            true => self.words(&mut code, &cells, R),
            false => done_by(&mut code, R),
        });
        if is_part {
            let words: Vec<&String> = written.iter().chain(read.iter().flatten()).collect();
            self.same_bytes(&mut code, &words, &epoch, &address, what.size);
        }
        if let Some(read) = read.filter(|_| paths == Paths::All) {
            self.shared(&mut code, &read, beyond.as_deref());
        }
        let cold = self.cold(what);
        let tail = format!("{}.rest", code.name);
        let size = if what.size > 16 { format!(", i64 {}", what.size) } else { String::new() };
        let _ = writeln!(
            code.text,
            "  call preserve_mostcc void @{cold}({argument}{size}){trailer}\n  br label %{tail}\n\n{tail}:"
        );
        Cut { text: code.text, tail: Some(tail) }
    }

    /// The address of the cell.
    fn cell(&self, code: &mut Writer, address: &str) -> String {
        let [mask, base] = self.layout(code);
        code.cell(address, &mask, &base)
    }

    /// The mask and the base of the layout.
    fn layout(&self, code: &mut Writer) -> [String; 2] {
        [MASK, BASE].map(|word| code.push(&format!("load i64, {}, align 8", self.word(word))))
    }

    /// The addresses of all cells of the access.
    fn cells(&self, code: &mut Writer, address: &str, what: Named) -> Vec<String> {
        let [mask, base] = self.layout(code);
        let first = code.cell(address, &mask, &base);
        let next = |code: &mut Writer, i: u64| code.push(&format!("add i64 {first}, {}", i * CELL));
        match what.size {
            // In one granule or in two: those of its first byte and of its last.
            2..=8 if !what.aligned => {
                let last = code.push(&format!("add i64 {address}, {}", what.size - 1));
                let last = code.cell(&last, &mask, &base);
                vec![first, last]
            }
            size => {
                let others: Vec<String> = (1..size.div_ceil(8)).map(|i| next(code, i)).collect();
                [first].into_iter().chain(others).collect()
            }
        }
    }

    /// That word of each of the cells.
    fn words(&self, code: &mut Writer, cells: &[String], distance: u32) -> Vec<String> {
        let mut word = |cell: &String| {
            let at = match distance {
                0 => cell.clone(),
                _ => code.push(&format!("add i64 {cell}, {distance}")),
            };
            code.load(&at, self.pointer(), true)
        };
        cells.iter().map(&mut word).collect()
    }

    /// [Read Same Epoch], [Write Same Epoch]: done if all of the words are of the thread's epoch.
    fn same_epoch(&self, code: &mut Writer, words: &[String], epoch: &str, beyond: Option<&str>) {
        let differences: Vec<String> =
            words.iter().map(|w| code.push(&format!("sub i64 {w}, {epoch}"))).collect();
        let differences: Vec<&str> = differences.iter().map(String::as_str).collect();
        let all = code.any(&differences);
        let high = code.push(&format!("lshr i64 {all}, {CLOCK}"));
        let left: Vec<&str> = [high.as_str()].into_iter().chain(beyond).collect();
        let left = code.any(&left);
        code.done_if_zero(&left);
    }

    /// The same of a granule of which W or R may be about some bytes only: done if those of the access are among them.
    fn same_bytes(&self, code: &mut Writer, words: &[&String], epoch: &str, address: &str, size: u64) {
        let offset = code.push(&format!("and i64 {address}, 7"));
        let bytes = code.push(&format!("shl i64 {}, {offset}", ((1u64 << size) - 1) << EXTENT));
        let others = code.push(&format!("xor i64 {bytes}, {WHOLE}"));
        // The epoch is about all bytes. With the bytes that do not matter added, a word that lacks some of the others is below it, and the difference as large as if it were of another thread.
        let difference = |word: &&String| {
            let filled = code.push(&format!("or i64 {word}, {others}"));
            code.push(&format!("sub i64 {filled}, {epoch}"))
        };
        let differences: Vec<String> = words.iter().map(difference).collect();
        let least = |code: &mut Writer, a: &str, b: &str| {
            let is_less = code.push(&format!("icmp ult i64 {a}, {b}"));
            code.push(&format!("select i1 {is_less}, i64 {a}, i64 {b}"))
        };
        let least = differences.into_iter().reduce(|a, b| least(code, &a, &b)).unwrap_or_default();
        let high = code.push(&format!("lshr i64 {least}, {CLOCK}"));
        code.done_if_zero(&high);
    }

    /// [Read Shared Same Epoch]: done if the words are a set at hand in which the thread has read in its epoch.
    fn shared(&self, code: &mut Writer, words: &[String], beyond: Option<&str>) {
        let table = code.push(&format!("load i64, {}, align 8", self.word(SEEN)));
        let low = code.push(&format!("and i64 {}, {}", words[0], SETS - 1));
        let distance = code.push(&format!("shl i64 {low}, 3"));
        let entry = code.push(&format!("add i64 {table}, {distance}"));
        let set = code.load(&entry, self.pointer(), false);
        let left: Vec<String> =
            words.iter().map(|word| code.push(&format!("xor i64 {set}, {word}"))).collect();
        let left: Vec<&str> = left.iter().map(String::as_str).chain(beyond).collect();
        let left = code.any(&left);
        code.done_if_zero(&left);
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

    /// Whoever knows so early where it is about to access memory that it asks for it asks for the cells too: two lines of the processor's cache for one.
    pub fn prefetches(&mut self, function: &Function<'_>, edits: &mut Edits) {
        for inst in function.blocks.iter().flat_map(|b| &b.insts) {
            let Kind::Call { callee: Some(callee), args, .. } = &inst.kind else { continue };
            let Some((address, how)) = prefetched(callee, args) else { continue };
            self.count += 1;
            let name = format!("dh{}", self.count);
            let mut code = Writer { text: String::new(), name, values: 0, blocks: 0, weights: self.weights };
            let pointer = if self.opaque { "ptr" } else { "i8*" };
            let address = code.push(&format!("ptrtoint {pointer} {address} to i64"));
            let cell = self.cell(&mut code, &address);
            let other = code.push(&format!("xor i64 {cell}, {LINE}"));
            for line in [cell, other] {
                let at = code.push(&format!("inttoptr i64 {line} to {pointer}"));
                let _ = writeln!(code.text, "  call void {callee}({pointer} {at}, {how})");
            }
            edits.insert(inst.line, &code.text);
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

/// The address that the call asks the processor to fetch, and what it says besides.
fn prefetched<'a>(callee: &str, args: &'a str) -> Option<(&'a str, &'a str)> {
    let (pointer, how) = callee.strip_prefix("@llvm.prefetch.").and(args.split_once(", "))?;
    let address = pointer.rsplit(' ').next().filter(|value| value.starts_with('%'))?;
    Some((address, how))
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
                ["icmp", "eq", _, a, b] => u64::from(of(a) == of(b)),
                ["icmp", "ult", _, a, b] => u64::from(of(a) < of(b)),
                ["select", _, is, _, a, _, b] => of(if of(is) == 1 { a } else { b }),
                ["add", _, a, b] => of(a).wrapping_add(of(b)),
                ["sub", _, a, b] => of(a).wrapping_sub(of(b)),
                ["xor", _, a, b] => of(a) ^ of(b),
                ["and", _, a, b] => of(a) & of(b),
                ["or", _, a, b] => of(a) | of(b),
                ["shl", _, a, b] => of(a) << of(b),
                ["lshr", _, a, b] => of(a) >> of(b),
                _ => panic!("{make}"),
            };
            values.insert(name.to_owned(), value);
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
    fn an_access_at_any_address_may_lie_in_two_granules() {
        let inliner = Inliner { opaque: true, for_program: true, weights: 0, count: 0, cold: Vec::new() };
        let cells = |size, aligned| {
            let mut code = writer();
            let what = Named { mode: Mode::Read, size, aligned };
            let count = inliner.cells(&mut code, "%a", what).len();
            (count, code.text.contains(&format!("add i64 %a, {}", size - 1)))
        };
        assert_eq!([1, 2, 4, 8].map(|size| cells(size, true)), [(1, false); 4]);
        assert_eq!([2, 4, 8].map(|size| cells(size, false)), [(2, true); 3]);
        assert_eq!([16, 24, 64].map(|size| cells(size, true).0), [2, 3, 8]);
    }

    #[test]
    fn what_is_fetched_is_a_local_value() {
        let callee = "@llvm.prefetch.p0";
        assert_eq!(
            prefetched(callee, "ptr nonnull %a, i32 0, i32 3, i32 1"),
            Some(("%a", "i32 0, i32 3, i32 1"))
        );
        assert_eq!(prefetched(callee, "ptr getelementptr (i8, ptr @a, i64 1), i32 0, i32 3, i32 1"), None);
        assert_eq!(prefetched("@llvm.assume", "i1 true, i1 %a"), None);
    }

    #[test]
    fn a_word_about_some_bytes_tells_of_these() {
        let inliner = Inliner { opaque: true, for_program: true, weights: 0, count: 0, cold: Vec::new() };
        let (epoch, clock) = (word(0, 0xff, 7, 1000), 1005);
        for (size, extent) in [1u64, 2, 4].into_iter().flat_map(|s| (0..=0xff).map(move |e| (s, e))) {
            let (mut code, words) = (writer(), ["%w".to_owned(), "%r".to_owned()]);
            inliner.same_bytes(&mut code, &[&words[0], &words[1]], &epoch.to_string(), "%a", size);
            let by = |w: u64, r: u64, offset: u64| {
                done(&code.text, &[("%a", 0x7000 + offset), ("%w", w), ("%r", r)])
            };
            // Either of the two words will do.
            let tells = |word: u64, offset: u64| {
                assert_eq!(by(word, 0, offset), by(0, word, offset), "{word:x}");
                by(word, 0, offset)
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
