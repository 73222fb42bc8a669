//! Field proxies: conjecture f ≻ g for all fields, and keep what every access of g confirms.

use super::Search;
use crate::analysis::{Reason, Verdict};
use crate::ir::{
    AccessId, Binary, BlockId, End, FieldId, Function, Inst, Kind, Operand, Place, Program, Pure, Shape,
    Step, Sync,
};
use crate::spec::Path;
use crate::term::LocStep;
use crate::weaken::Weaken;
use std::collections::{BTreeMap, BTreeSet};

/// Finds f ≻ g, and drops all checks of g.
pub(super) fn find(
    search: &mut Search<'_, '_>,
    verdicts: &mut BTreeMap<AccessId, Verdict>,
) -> BTreeMap<FieldId, FieldId> {
    if search.incomplete() {
        return BTreeMap::new();
    }
    let mut proxies: BTreeMap<FieldId, BTreeSet<FieldId>> = BTreeMap::new();
    for (f, b, i) in search.accesses() {
        let inst = &search.program.functions[f].blocks[b].insts[i];
        let Some((_, _, Place { steps, .. })) = inst.access() else { continue };
        let Some(Step::Field(field)) = steps.last() else { continue };
        let left = proxies.remove(field).unwrap_or_else(|| conjectured(search.program, *field));
        let left = left.into_iter().filter(|proxy| search.holds(f, b, i, *proxy)).collect();
        proxies.insert(*field, left);
    }
    let chosen = choose(&proxies);
    for (_, _, id, _, place) in search.program.accesses() {
        if let Some(Step::Field(field)) = place.steps.last()
            && let Some(proxy) = chosen.get(field)
            && verdicts.get(&id) == Some(&Verdict::Check)
        {
            let name = |f: &FieldId| &search.program.fields[f.index()].name;
            let relation = format!("{} ≻ {}", name(proxy), name(field));
            verdicts.insert(id, Verdict::NoCheck(Reason::Proxy(relation)));
        }
    }
    chosen
}

/// All other fields whose bytes, like the field's own, are accessed by one name only and never by volatile accesses.
fn conjectured(program: &Program, field: FieldId) -> BTreeSet<FieldId> {
    let volatile: BTreeSet<FieldId> = program
        .functions
        .iter()
        .flat_map(|f| f.blocks.iter().flat_map(|b| &b.insts))
        .filter_map(|inst| match inst {
            Inst::Sync(Sync::VolatileRead(_, place) | Sync::VolatileWrite(place, _)) => place.steps.last(),
            _ => None,
        })
        .filter_map(|step| if let Step::Field(field) = step { Some(*field) } else { None })
        .collect();
    let all = (0..program.fields.len() as u32).map(FieldId).filter(|f| *f != field);
    if volatile.contains(&field) || !alone(program, field) {
        return BTreeSet::new();
    }
    all.filter(|f| !volatile.contains(f) && alone(program, *f)).collect()
}

/// Are the field's bytes those of no other field, of whatever class? Otherwise an access by the other name would be one of this field,
/// and the other name's proxy would vouch for it.
fn alone(program: &Program, field: FieldId) -> bool {
    let end = |f: &crate::ir::Field| f.offset.saturating_add(i64::from(f.width));
    let own = &program.fields[field.index()];
    let mut others = program.fields.iter().enumerate().filter(|(n, _)| *n != field.index());
    !others.any(|(_, other)| other.offset < end(own) && own.offset < end(other))
}

/// A field that serves as a proxy is checked itself.
fn choose(proxies: &BTreeMap<FieldId, BTreeSet<FieldId>>) -> BTreeMap<FieldId, FieldId> {
    let mut chosen: BTreeMap<FieldId, FieldId> = BTreeMap::new();
    for (field, candidates) in proxies {
        let serves = chosen.values().any(|proxy| proxy == field);
        let free = candidates.iter().find(|proxy| !chosen.contains_key(proxy));
        if let (false, Some(proxy)) = (serves, free) {
            chosen.insert(*field, *proxy);
        }
    }
    chosen
}

impl Search<'_, '_> {
    /// Is the proxy accessed in the span of this access: before it (Π ⊢ y.f), or right after it?
    fn holds(&mut self, f: usize, b: usize, i: usize, proxy: FieldId) -> bool {
        let function = &self.program.functions[f];
        let Some((_, kind, place)) = function.blocks[b].insts[i].access() else { return false };
        let mut loc = self.bodies[f].env.loc(place);
        if let Some(last) = loc.steps.last_mut() {
            *last = LocStep::Field(proxy);
        }
        let context = &self.points[f].blocks[b][i];
        if self.prover.covers(context, &Path::plain(kind, loc)).is_some() {
            return true;
        }
        let mut wanted = place.clone();
        if let Some(last) = wanted.steps.last_mut() {
            *last = Step::Field(proxy);
        }
        follows(function, BlockId(b as u32), i, kind, &wanted, self.prover.weaken)
    }
}

/// Is `wanted` accessed after instruction `i`, with nothing in between that acquires, releases, calls, loops or can fail?
fn follows(
    function: &Function,
    block: BlockId,
    i: usize,
    kind: Kind,
    wanted: &Place,
    weaken: Weaken,
) -> bool {
    let mut touched: Vec<&Place> = Vec::new();
    let mut seen = BTreeSet::from([block]);
    let mut at = block;
    let mut skip = 0;
    loop {
        let body = &function.blocks[at.index()];
        for (n, inst) in body.insts.iter().enumerate().skip(skip) {
            if at == block && n < i {
                touched.extend(inst.access().map(|(_, _, place)| place));
                continue;
            }
            if let Some((_, by, place)) = inst.access() {
                if at == block && n == i {
                    touched.push(place);
                    continue;
                }
                if !cannot_fail(place, &touched) {
                    return false;
                }
                if place == wanted && by.covers(kind) {
                    return true;
                }
                touched.push(place);
                continue;
            }
            let harmless = match inst {
                Inst::Let(_, Pure::Binary(Binary::Div | Binary::Rem, _, divisor)) => {
                    matches!(divisor, Operand::Int(n) if *n > 0)
                }
                Inst::Let(_, Pure::Length(_)) => false,
                Inst::Let(..) | Inst::New(_, _, Shape::Object) => true,
                Inst::Sync(Sync::Lock(_) | Sync::VolatileRead(..)) => weaken == Weaken::ProxyAcquire,
                _ => false,
            };
            if !harmless {
                return false;
            }
        }
        match body.end {
            End::Jump(to) if seen.insert(to) => at = to,
            _ => return false,
        }
        skip = 0;
    }
}

/// The base was dereferenced before; an element was this very element.
fn cannot_fail(place: &Place, touched: &[&Place]) -> bool {
    let fields_only = |p: &Place| p.steps.iter().all(|s| matches!(s, Step::Field(_)));
    touched.iter().any(|t| {
        t.base == place.base
            && (**t == *place || (fields_only(place) && matches!(t.steps.first(), Some(Step::Field(_)))))
    })
}
