//! A block before each loop that has none, for what is to be done before the loop: LLVM folds them away where a branch leads straight into a loop.

use super::edits::Edits;
use crate::analysis::cfg::{Cfg, Loop};
use crate::analysis::effects::Effects;
use crate::ir::{BlockId, Function, Kind, Module};

/// The text with such blocks, if there is a loop that wants one.
pub fn add(module: &Module<'_>, effects: &Effects<'_>) -> Option<String> {
    let (mut edits, mut count) = (Edits::default(), 0);
    for function in &module.functions {
        let has_checks = |function: &Function<'_>| {
            function.blocks.iter().flat_map(|b| &b.insts).any(|i| super::frames::runtime_call(i).is_some())
        };
        if !has_checks(function) {
            continue;
        }
        let cfg = Cfg::of(function);
        for one in &cfg.loops {
            let quiet = |block: &BlockId| {
                function.block(*block).insts.iter().all(|i| !effects.of(module, i).publishes)
            };
            let Some(before) = entry(function, &cfg, one) else { continue };
            if one.blocks.iter().all(quiet) {
                count += 1;
                put(function, one.header, before, count, &mut edits);
            }
        }
    }
    (count > 0).then(|| edits.apply(&module.lines))
}

/// The one block from which the loop is entered, if it ends with a branch that may also go elsewhere.
fn entry(function: &Function<'_>, cfg: &Cfg, one: &Loop) -> Option<BlockId> {
    let outside = |b: &&BlockId| !one.contains(**b) && cfg.is_reached(**b);
    let mut from = cfg.before[one.header.0 as usize].iter().filter(outside);
    let (before, second) = (*from.next()?, from.next());
    let branches =
        matches!(function.block(before).insts.last()?.kind, Kind::Branch { yes, no, .. } if yes != no);
    (second.is_none() && branches).then_some(before)
}

fn put(function: &Function<'_>, header: BlockId, before: BlockId, number: usize, edits: &mut Edits) {
    let (name, header) = (format!("dhp{number}"), function.block(header));
    edits.insert(header.line, &format!("{name}:\n  br label %{}\n\n", header.label));
    let Some(last) = function.block(before).insts.last() else { return };
    // Another loop may be entered from the same block.
    let text = edits.replaced(last.line).unwrap_or(last.text).to_owned();
    edits.replace(last.line, redirected(&text, &header.label, &name));
    for phi in header.insts.iter().filter(|i| i.is_phi) {
        let text = edits.replaced(phi.line).unwrap_or(phi.text);
        let from = &function.block(before).label;
        let text = text.replace(&format!(", %{from} ]"), &format!(", %{name} ]"));
        edits.replace(phi.line, text);
    }
}

/// The branch, to another block where it went to this one.
fn redirected(text: &str, from: &str, to: &str) -> String {
    let label = format!("label %{from}");
    let mut parts = text.split(&label);
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        // `label %12` is the beginning of `label %123` too.
        let is_whole = part.starts_with([',', ' ', '\n', '\r']) || part.is_empty();
        out.push_str(if is_whole { "label %" } else { &label });
        out.push_str(if is_whole { to } else { "" });
        out.push_str(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_label_that_is_meant() {
        let text = "  br i1 %c, label %12, label %123, !dbg !1\n";
        assert_eq!(redirected(text, "12", "x"), "  br i1 %c, label %x, label %123, !dbg !1\n");
        assert_eq!(redirected(text, "123", "x"), "  br i1 %c, label %12, label %x, !dbg !1\n");
    }
}
