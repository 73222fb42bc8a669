//! Accesses to variables of the function that nobody else can know of: they race with nothing.
//!
//! clang leaves out the checks of a variable whose address goes nowhere, but it gives up on pointers that walk through one (φs). Here, a variable is *kept* if every pointer that may be made of its address is only
//! loaded and stored through, compared, subtracted from another one, or turned into such pointers; an access is local if its pointer can be made of kept variables only.

use super::checks::{Check, Named};
use super::linear::Definitions;
use crate::ir::lex::Cursor;
use crate::ir::{Function, Inst, Kind, Operand, Value};
use hashbrown::{HashMap, HashSet};

type Set<T> = HashSet<T, foldhash::fast::FixedState>;
type Map<K, V> = HashMap<K, V, foldhash::fast::FixedState>;

/// Takes out the checks of variables that nobody else knows of.
pub fn drop_local(function: &Function<'_>, definitions: &Definitions, checks: &mut Vec<Check<'_>>) {
    let pointer = |check: &Check<'_>| match &function.block(check.block).insts[check.at].kind {
        Kind::Call { arguments, .. } => match arguments.first() {
            Some(Operand::Local(pointer)) => Some(*pointer),
            _ => None,
        },
        _ => None,
    };
    let may_be = |check: &Check<'_>| pointer(check).is_some_and(|p| walks(function, definitions, p));
    let mut insts = function.blocks.iter().flat_map(|b| &b.insts);
    if !insts.any(|inst| inst.kind == Kind::Alloca) || !checks.iter().any(may_be) {
        return;
    }
    let uses = Uses::of(function);
    let own = uses.own(&uses.kept());
    checks.retain(|check| !pointer(check).is_some_and(|pointer| own.contains(&pointer)));
}

/// The pointer is made of a φ or a `select`, as far as can be seen quickly: the others clang has seen to.
fn walks(function: &Function<'_>, definitions: &Definitions, mut pointer: Value) -> bool {
    const FAR: usize = 16;
    for _ in 0..FAR {
        let Some((block, at)) = definitions[pointer.0 as usize] else { return false };
        match &function.blocks[block as usize].insts[at as usize].kind {
            Kind::Gep { base: Operand::Local(of), .. } | Kind::Same(Operand::Local(of)) => pointer = *of,
            Kind::Phi { .. } | Kind::Other => return true,
            _ => return false,
        }
    }
    true
}

/// What the instructions of a function use.
struct Uses<'a, 'b> {
    /// Each with the local values that it mentions, in their order.
    all: Vec<(&'b Inst<'a>, Vec<Value>)>,
}

/// What an instruction makes of the pointers that it uses.
#[derive(PartialEq, Eq)]
enum Makes {
    /// A pointer into the same variable.
    Pointer,
    /// A number that is one.
    Number,
    /// Nothing that leads to the variable.
    Nothing,
    /// Whatever.
    Anything,
}

impl<'a, 'b> Uses<'a, 'b> {
    fn of(function: &'b Function<'a>) -> Uses<'a, 'b> {
        let numbers: Map<&str, Value> =
            function.names.iter().enumerate().map(|(number, name)| (*name, Value(number as u32))).collect();
        let mentioned = |inst: &'b Inst<'a>| {
            let values = names(inst.text).filter_map(|name| numbers.get(name).copied());
            (inst, values.skip(usize::from(inst.result.is_some())).collect())
        };
        let insts = function.blocks.iter().flat_map(|b| &b.insts);
        Uses { all: insts.filter(|inst| !inst.text.trim_start().starts_with('#')).map(mentioned).collect() }
    }

    /// The variables that no pointer leads out of the function to.
    fn kept(&self) -> Set<Value> {
        // For each value, the variables that it may lead to.
        let mut leads: Map<Value, Set<Value>> = Map::default();
        for (inst, _) in &self.all {
            if let (Kind::Alloca, Some(variable)) = (&inst.kind, inst.result) {
                leads.entry(variable).or_default().insert(variable);
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (inst, used) in &self.all {
                let Some(result) =
                    inst.result.filter(|_| matches!(makes(inst), Makes::Pointer | Makes::Number))
                else {
                    continue;
                };
                let new: Set<Value> = used.iter().filter_map(|v| leads.get(v)).flatten().copied().collect();
                let known = leads.entry(result).or_default();
                changed |= new.into_iter().fold(false, |changed, variable| known.insert(variable) | changed);
            }
        }
        let numbers: Set<Value> = self
            .all
            .iter()
            .filter(|(i, _)| makes(i) == Makes::Number)
            .filter_map(|(i, _)| i.result)
            .collect();
        let mut kept: Set<Value> = leads.values().flatten().copied().collect();
        for (inst, used) in &self.all {
            let of = |value: &Value| leads.get(value).filter(|set| !set.is_empty());
            let is_number = |value: &Value| numbers.contains(value);
            let goes_out: Vec<Value> = match makes(inst) {
                // The distance of two pointers into a variable does not tell where that is.
                _ if used.iter().any(is_number) => match &inst.kind {
                    Kind::Compare { .. } => Vec::new(),
                    Kind::Binary { op: "sub", .. } if used.len() == 2 && of(&used[0]) == of(&used[1]) => {
                        Vec::new()
                    }
                    _ => used.clone(),
                },
                Makes::Anything => used.clone(),
                Makes::Pointer | Makes::Number => Vec::new(),
                Makes::Nothing => used.iter().take(stored(inst)).copied().collect(),
            };
            for variable in goes_out.iter().filter_map(of).flatten() {
                kept.remove(variable);
            }
        }
        kept
    }

    /// The pointers that can be made of kept variables only.
    fn own(&self, kept: &Set<Value>) -> Set<Value> {
        let is_pointer = |inst: &Inst<'_>| makes(inst) == Makes::Pointer;
        let mut own: Set<Value> = self
            .all
            .iter()
            .filter(|(inst, _)| is_pointer(inst))
            .filter_map(|(inst, _)| inst.result)
            .collect();
        own.extend(kept.iter().copied());
        let mut changed = true;
        while changed {
            changed = false;
            for (inst, used) in self.all.iter().filter(|(inst, _)| is_pointer(inst)) {
                let from = match &inst.kind {
                    Kind::Gep { base: Operand::Local(base), .. } => vec![*base],
                    Kind::Same(Operand::Local(of)) => vec![*of],
                    Kind::Phi { from, .. } if from.iter().all(|(o, _)| matches!(o, Operand::Local(_))) => {
                        from.iter()
                            .filter_map(|(o, _)| if let Operand::Local(v) = o { Some(*v) } else { None })
                            .collect()
                    }
                    // A `select` of two pointers: the condition comes first.
                    Kind::Other if used.len() == 3 => used[1..].to_vec(),
                    _ => Vec::new(),
                };
                if let Some(result) = inst.result
                    && (from.is_empty() || from.iter().any(|v| !own.contains(v)))
                {
                    changed |= own.remove(&result);
                }
            }
        }
        own
    }
}

fn makes(inst: &Inst<'_>) -> Makes {
    match &inst.kind {
        Kind::Gep { .. } => Makes::Pointer,
        Kind::Phi { .. } => Makes::Pointer,
        Kind::Other if inst.text.contains(" = select i1 %") && inst.text.contains(", ptr ") => Makes::Pointer,
        Kind::Same(_) if inst.text.contains(" = ptrtoint ") => Makes::Number,
        Kind::Same(_) if inst.text.contains(" = bitcast ") => Makes::Pointer,
        Kind::Load { atomic: None } | Kind::Store { atomic: None } | Kind::Compare { .. } | Kind::Alloca => {
            Makes::Nothing
        }
        Kind::Call { callee: Some(callee), .. } if inst.targets.is_empty() && is_told_nothing(callee) => {
            Makes::Nothing
        }
        _ => Makes::Anything,
    }
}

/// Functions that forget the addresses that they are called with.
fn is_told_nothing(callee: &str) -> bool {
    let starts = ["@llvm.lifetime.", "@llvm.memcpy.", "@llvm.memmove.", "@llvm.memset.", "@llvm.dbg."];
    let names = ["@__tsan_memcpy", "@__tsan_memmove", "@__tsan_memset"];
    Named::of(callee).is_some() || starts.iter().any(|s| callee.starts_with(s)) || names.contains(&callee)
}

/// How many of the values that an instruction mentions it puts into memory, at most (names of types look like values): they come first.
fn stored(inst: &Inst<'_>) -> usize {
    if !matches!(inst.kind, Kind::Store { .. }) {
        return 0;
    }
    let mut cursor = Cursor::new(inst.text);
    let (mut depth, mut count) = (0usize, 0);
    loop {
        match cursor.next() {
            "" => return count,
            "," if depth == 0 => return count,
            "(" | "[" | "{" | "<" => depth += 1,
            ")" | "]" | "}" | ">" => depth = depth.saturating_sub(1),
            token => count += usize::from(token.starts_with('%')),
        }
    }
}

/// The names of local values, and of types, that the text mentions.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let mut cursor = Cursor::new(text);
    std::iter::from_fn(move || Some(cursor.next()).filter(|token| !token.is_empty()))
        .filter(|token| token.starts_with('%'))
}
