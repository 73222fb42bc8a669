//! The checks that clang has put into a function.

use super::linear::{Forms, Linear};
use crate::ir::{BlockId, Function, Inst, Kind};

/// What a check is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mode {
    /// A read.
    Read,
    /// A read of an object's pointer to its virtual functions: a race is told in other words.
    VirtualRead,
    /// A write.
    Write,
}

impl Mode {
    /// Whatever races with an access of the other kind races with one of this kind to the same bytes in the same span too: reads race with writes only, writes with both.
    pub fn covers(self, other: Mode) -> bool {
        self == other || other == Mode::Read
    }
}

/// A call of the runtime, by its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Named {
    /// What it checks.
    pub mode: Mode,
    /// How many bytes.
    pub size: u64,
    /// Its address is a multiple of its size.
    pub aligned: bool,
}

impl Named {
    /// What the function of that name checks, if it is a check.
    pub fn of(callee: &str) -> Option<Named> {
        let name = callee.strip_prefix("@__tsan_")?;
        if name == "vptr_read" {
            return Some(Named { mode: Mode::VirtualRead, size: 8, aligned: true });
        }
        let (aligned, name) = name.strip_prefix("unaligned_").map_or((true, name), |n| (false, n));
        let name = name.strip_prefix("volatile_").unwrap_or(name);
        let (mode, size) = match (name.strip_prefix("read"), name.strip_prefix("write")) {
            (Some(size), _) => (Mode::Read, size),
            (_, Some(size)) => (Mode::Write, size),
            _ => return None,
        };
        let size = matches!(size, "1" | "2" | "4" | "8" | "16").then(|| size.parse().ok())??;
        Some(Named { mode, size, aligned })
    }
}

/// A check of many accesses: the bytes that [`Named`] says, and as many again at every `stride` bytes behind them, the last of them `more` bytes from the first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    /// A multiple of `stride`, not negative.
    pub more: Linear,
    /// Above zero.
    pub stride: i64,
}

/// A check of a function.
#[derive(Clone, Debug)]
pub struct Check<'a> {
    /// Its block.
    pub block: BlockId,
    /// Which instruction of the block it is.
    pub at: usize,
    /// Its line in the module; none if it is not there yet.
    pub line: Option<usize>,
    /// What it checks.
    pub what: Named,
    /// It is about many accesses, the first of which is `what`.
    pub range: Option<Range>,
    /// The address, as a form; none if that is not known.
    pub address: Option<Linear>,
    /// The argument as it is written: type and value.
    pub argument: &'a str,
    /// What follows the call: attributes, and where it is in the source.
    pub trailer: &'a str,
}

/// All checks of the function, block by block.
pub fn find<'a>(function: &Function<'a>, forms: &mut Forms<'a>) -> Vec<Check<'a>> {
    let mut found = Vec::new();
    for block in function.ids() {
        for (at, inst) in function.block(block).insts.iter().enumerate() {
            let Some((what, argument, trailer)) = named(inst) else { continue };
            let Kind::Call { arguments, .. } = &inst.kind else { continue };
            let address = arguments.first().and_then(|operand| forms.operand(operand));
            found.push(Check {
                block,
                at,
                line: Some(inst.line),
                what,
                range: None,
                address,
                argument,
                trailer,
            });
        }
    }
    found
}

/// Is the instruction a check? What it checks, its argument, and what follows the call.
pub fn named<'a>(inst: &Inst<'a>) -> Option<(Named, &'a str, &'a str)> {
    match &inst.kind {
        Kind::Call { callee: Some(callee), args, attributes, .. } if inst.targets.is_empty() => {
            Some((Named::of(callee)?, args.trim(), attributes.trim_end()))
        }
        _ => None,
    }
}
