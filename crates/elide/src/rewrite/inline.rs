//! The comparison that decides most checks, in the code itself.
//!
//! The same as the runtime's fast paths (`rt-tsan`, `access`): the cell of the address, its word, the difference to the beginning of the thread's epoch; nothing is left to do if that is small. Otherwise the
//! runtime is called, in a convention that leaves the caller's registers alone. What is known here of the runtime is in this file's constants, and `docs/architecture.md` says so.

use crate::analysis::checks::{Mode, Named};
use crate::ir::{Function, Kind, Module};
use crate::rewrite::edits::Edits;
use crate::rewrite::frames;
use std::fmt::Write;

/// The thread-local words of the runtime by number: the beginning of the epoch, the mask and the base of the layout, the next frame of the shadow stack.
const EPOCH: u32 = 0;
const MASK: u32 = 1;
const BASE: u32 = 2;
const FRAMES: u32 = 3;
/// Where the words of writes and of reads are in a cell, and how far apart cells are.
const W: u32 = 0;
const R: u32 = 8;
const CELL: u32 = 16;
/// A difference with no bit from here on is one within the epoch.
const CLOCK: u32 = 35;
/// Bytes of a frame of the shadow stack.
const FRAME: u32 = 16;

/// Code as it grows.
struct Writer<'a> {
    text: String,
    dbg: &'a str,
}

impl Writer<'_> {
    fn push(&mut self, instruction: String) {
        let _ = writeln!(self.text, "  {instruction}{}", self.dbg);
    }

    fn label(&mut self, name: &str) {
        let _ = write!(self.text, "\n{name}:\n");
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

    /// The code of a check, and the label of the block that goes on behind it.
    pub fn check(&mut self, what: Named, argument: &str, trailer: &str) -> (String, String) {
        self.count += 1;
        let n = format!("dh{}", self.count);
        let dbg = debug(trailer);
        let own = if what.mode == Mode::Write { W } else { R };
        let (epoch, mask, base, ptr) = (self.word(EPOCH), self.word(MASK), self.word(BASE), self.pointer());
        let mut lines = Writer { text: String::new(), dbg: &dbg };
        lines.push(format!("%{n}.a = ptrtoint {} to i64", argument));
        lines.push(format!("%{n}.d = shl i64 %{n}.a, 1"));
        lines.push(format!("%{n}.m = load i64, {mask}, align 8"));
        lines.push(format!("%{n}.x = and i64 %{n}.d, %{n}.m"));
        lines.push(format!("%{n}.b = load i64, {base}, align 8"));
        lines.push(format!("%{n}.c = xor i64 %{n}.x, %{n}.b"));
        let cells = if what.size == 16 { 2 } else { 1 };
        lines.push(format!("%{n}.e = load i64, {epoch}, align 8"));
        for i in 0..cells {
            let distance = own + i * CELL;
            lines.push(format!("%{n}.o{i} = add i64 %{n}.c, {distance}"));
            lines.push(format!("%{n}.p{i} = inttoptr i64 %{n}.o{i} to {ptr}"));
            lines.push(format!("%{n}.w{i} = load atomic i64, {ptr} %{n}.p{i} monotonic, align 8"));
            lines.push(format!("%{n}.s{i} = sub i64 %{n}.w{i}, %{n}.e"));
        }
        let mut difference = format!("%{n}.s0");
        if cells == 2 {
            lines.push(format!("%{n}.s = or i64 %{n}.s0, %{n}.s1"));
            difference = format!("%{n}.s");
        }
        lines.push(format!("%{n}.h = lshr i64 {difference}, {CLOCK}"));
        let mut left = format!("%{n}.h");
        let beyond = !what.aligned || what.size == 16;
        if beyond {
            // Beyond its granule, or granules: for the runtime to see to.
            match what.size {
                8 | 16 => lines.push(format!("%{n}.u = and i64 %{n}.a, 7")),
                size => {
                    lines.push(format!("%{n}.l = add i64 %{n}.a, {}", size - 1));
                    lines.push(format!("%{n}.y = xor i64 %{n}.l, %{n}.a"));
                    lines.push(format!("%{n}.u = and i64 %{n}.y, -8"));
                }
            }
            lines.push(format!("%{n}.j = or i64 {left}, %{n}.u"));
            left = format!("%{n}.j");
        }
        lines.push(format!("%{n}.z = icmp eq i64 {left}, 0"));
        let (tail, weights, cold) = (format!("{n}.rest"), self.weights, self.cold(what));
        if own == W || cells == 2 {
            lines.push(format!("br i1 %{n}.z, label %{tail}, label %{n}.cold, !prof !{weights}"));
        } else {
            // A read behind a write of the same epoch is not recorded, so it is the write that tells.
            lines.push(format!("br i1 %{n}.z, label %{tail}, label %{n}.again, !prof !{weights}"));
            lines.label(&format!("{n}.again"));
            lines.push(format!("%{n}.o2 = add i64 %{n}.c, {W}"));
            lines.push(format!("%{n}.p2 = inttoptr i64 %{n}.o2 to {ptr}"));
            lines.push(format!("%{n}.w2 = load atomic i64, {ptr} %{n}.p2 monotonic, align 8"));
            lines.push(format!("%{n}.s2 = sub i64 %{n}.w2, %{n}.e"));
            lines.push(format!("%{n}.h2 = lshr i64 %{n}.s2, {CLOCK}"));
            let mut left = format!("%{n}.h2");
            if beyond {
                lines.push(format!("%{n}.j2 = or i64 {left}, %{n}.u"));
                left = format!("%{n}.j2");
            }
            lines.push(format!("%{n}.z2 = icmp eq i64 {left}, 0"));
            lines.push(format!("br i1 %{n}.z2, label %{tail}, label %{n}.cold, !prof !{weights}"));
        }
        let _ = write!(
            lines.text,
            "\n{n}.cold:\n  call preserve_mostcc void @{cold}({argument}){trailer}\n  br label %{tail}{dbg}\n\n{tail}:\n"
        );
        (lines.text, tail)
    }

    /// The function of the runtime that decides what the code cannot.
    fn cold(&mut self, what: Named) -> String {
        let unaligned = if what.aligned || matches!(what.size, 1 | 16) { "" } else { "unaligned_" };
        let name = match what.mode {
            Mode::VirtualRead => "__deadheat_cold_vptr_read".to_owned(),
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
            let _ = writeln!(text, "declare preserve_mostcc void @{name}({pointer}) nounwind");
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
