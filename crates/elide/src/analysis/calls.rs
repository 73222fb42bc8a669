//! Who calls whom in a module.

use super::work::Work;
use crate::ir::lex::Cursor;
use crate::ir::{BlockId, Kind, Module, Operand};
use hashbrown::{HashMap, HashSet};

/// A call of a function of the module, by name.
pub struct Site<'a, 'b> {
    /// The block that it is in.
    pub block: BlockId,
    /// Which instruction of the block it is.
    pub at: usize,
    /// It comes back to where it stands: one that may throw goes on elsewhere.
    pub comes_back_here: bool,
    /// The function, by number.
    pub callee: usize,
    /// What it is called with.
    pub arguments: &'b [Operand<'a>],
}

/// The calls between functions, which have numbers here.
pub struct Calls<'a, 'b> {
    /// The calls in each.
    pub sites: Vec<Vec<Site<'a, 'b>>>,
    /// All functions, those that are called before those that call them, but for recursion.
    pub callees_first: Vec<usize>,
    /// How many calls of each there are.
    pub calls_of: Vec<usize>,
    /// Whether all callers of each are known: nothing but those calls mentions it.
    pub is_closed: Vec<bool>,
}

impl<'a, 'b> Calls<'a, 'b> {
    /// The calls between those functions of the module.
    pub fn of(module: &Module<'a>, works: &[Work<'a, 'b>]) -> Calls<'a, 'b> {
        let numbers: HashMap<&str, usize, foldhash::fast::FixedState> =
            works.iter().enumerate().map(|(number, work)| (work.function.name, number)).collect();
        let sites: Vec<Vec<Site<'a, 'b>>> = works.iter().map(|work| sites(work, &numbers)).collect();
        let mut calls_of = vec![0; works.len()];
        sites.iter().flatten().for_each(|site| calls_of[site.callee] += 1);
        let mut mentions = mentions(module, &numbers);
        in_assembly(module, &numbers, |number| mentions[number] += 1);
        let is_closed = |(number, work): (usize, &Work<'a, 'b>)| {
            let is_local = work.function.is("internal") || work.function.is("private");
            // Where it is defined is a mention too.
            is_local && mentions[number] == calls_of[number] + 1
        };
        let is_closed = works.iter().enumerate().map(is_closed).collect();
        Calls { callees_first: postorder(&sites), sites, calls_of, is_closed }
    }
}

fn sites<'a, 'b>(
    work: &Work<'a, 'b>,
    numbers: &HashMap<&str, usize, foldhash::fast::FixedState>,
) -> Vec<Site<'a, 'b>> {
    let mut found = Vec::new();
    for block in work.function.ids() {
        for (at, inst) in work.function.blocks[block.0 as usize].insts.iter().enumerate() {
            if let Kind::Call { callee: Some(callee), arguments, .. } = &inst.kind
                && let Some(callee) = numbers.get(callee)
            {
                let comes_back_here = inst.targets.is_empty();
                found.push(Site { block, at, comes_back_here, callee: *callee, arguments });
            }
        }
    }
    found
}

/// How often the module's text mentions each function, in whatever way.
fn mentions(module: &Module<'_>, numbers: &HashMap<&str, usize, foldhash::fast::FixedState>) -> Vec<usize> {
    let text = module.lines.span(0, module.lines.count()).unwrap_or("");
    let mut found = vec![0; numbers.len()];
    for (at, _) in text.match_indices('@') {
        if let Some(number) = numbers.get(Cursor::new(&text[at..]).next()) {
            found[*number] += 1;
        }
    }
    found
}

/// Calls `f` with each function that assembly may mention, inline or beside functions. It does so without the `@`: to LLVM it is a text. A function that is local to its file has to be declared as
/// used for that, but the linker makes functions local of whose use in another file's assembly it does not know.
fn in_assembly(
    module: &Module<'_>,
    numbers: &HashMap<&str, usize, foldhash::fast::FixedState>,
    mut f: impl FnMut(usize),
) {
    let lines = (0..module.lines.count()).filter_map(|at| module.lines.get(at));
    let (mut named, mut any) = (HashSet::<&str, foldhash::fast::FixedState>::default(), false);
    for line in lines.filter(|line| line.contains("asm ")) {
        // The text is in quotes; what is behind a backslash is the number of a byte.
        for text in line.split('"').skip(1).step_by(2) {
            any = true;
            for part in text.split('\\').enumerate().map(|(i, part)| part.get(if i == 0 { 0 } else { 2 }..)) {
                let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
                // `$$` is a dollar, which in front is none of the name.
                let names = part.unwrap_or("").split(|c| !is_name(c));
                named.extend(names.flat_map(|name| [name, name.trim_start_matches('$')]));
            }
        }
    }
    for (name, number) in numbers {
        // Names that are quoted are rare: they are not looked for.
        let is_quoted = name.starts_with("@\"");
        if named.contains(&name[1..]) || (any && is_quoted) {
            f(*number);
        }
    }
}

/// Without recursion: chains of calls may be long.
fn postorder(sites: &[Vec<Site<'_, '_>>]) -> Vec<usize> {
    let mut seen = vec![false; sites.len()];
    let mut order = Vec::with_capacity(sites.len());
    for root in 0..sites.len() {
        let mut open = Vec::new();
        if !std::mem::replace(&mut seen[root], true) {
            open.push((root, 0));
        }
        while let Some((function, next)) = open.last_mut() {
            match sites[*function].get(*next) {
                Some(site) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[site.callee], true) {
                        open.push((site.callee, 0));
                    }
                }
                None => {
                    order.push(*function);
                    open.pop();
                }
            }
        }
    }
    order
}
