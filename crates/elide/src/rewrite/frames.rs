//! `__tsan_func_entry` and `__tsan_func_exit`: a function that reports nothing and calls nobody needs no frame on the shadow stack.

use crate::ir::{Function, Inst, Kind};

/// The function of the runtime that the instruction calls, without `__tsan_`.
pub fn runtime_call<'a>(inst: &Inst<'a>) -> Option<&'a str> {
    match inst.kind {
        Kind::Call { callee: Some(callee), .. } => callee.strip_prefix("@__tsan_"),
        _ => None,
    }
}

/// The lines of the calls that push and pop the function's frame, if nobody can see it: no check is left, and nobody is called who could report something.
pub fn unseen(function: &Function<'_>, is_gone: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut lines = Vec::new();
    for inst in function.blocks.iter().flat_map(|b| &b.insts) {
        match (&inst.kind, runtime_call(inst)) {
            (_, Some("func_entry" | "func_exit")) => lines.push(inst.line),
            (_, Some(_)) if is_gone(inst.line) => {}
            (Kind::Call { callee: Some(callee), .. }, _) if callee.starts_with("@llvm.") => {}
            (Kind::Call { .. } | Kind::Unknown, _) => return Vec::new(),
            _ => {}
        }
    }
    lines
}
