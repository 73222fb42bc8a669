//! Neighbouring bytes that a block accesses, or that one certainly leads to, checked together.
//!
//! Checks of the same mode, between which nothing but computing and plain accesses happens, are one moment to all other threads: one check of all of their bytes can stand for them, at the place of the one with the lowest
//! address, which is known there. It must not be about anything else, so there may be no gap, and it should be one that the runtime decides as fast as each of them: of a part of a granule (8 bytes), or of whole granules.

use super::checks::{Check, Mode, Named};
use super::effects::Effect;
use super::joins;
use super::linear::Atom;
use super::turns::Context;
use crate::ir::BlockId;
use hashbrown::HashMap;

/// Bytes of a granule.
const GRANULE: i64 = 8;
/// As many whole granules are compared in the code.
const MOST: i64 = 8 * GRANULE;

/// What is known of where granules begin, for addresses with those terms.
type Alignments<'b> = HashMap<&'b [(Atom, i64)], i64, foldhash::fast::FixedState>;

/// Merges checks; which of them others stand for.
pub fn merge<'a>(context: &Context<'a, '_>, checks: &mut [Check<'a>]) -> Vec<bool> {
    let mut gone = vec![false; checks.len()];
    for (merged, instead_of) in plan(context, checks) {
        for i in instead_of {
            gone[i] = i != merged.0;
        }
        checks[merged.0].what = merged.1;
    }
    gone
}

/// The checks that are to be about more, what about, and all that they stand for.
fn plan<'a>(context: &Context<'a, '_>, checks: &[Check<'a>]) -> Vec<((usize, Named), Vec<usize>)> {
    let alignments = alignments(checks);
    let mut plan = Vec::new();
    for group in groups(context, checks) {
        let address = |i: &usize| checks[*i].address.as_ref();
        let Some(terms) = address(&group[0]).map(|a| a.terms.as_slice()) else { continue };
        let mut parts: Vec<Part> = group
            .iter()
            .filter_map(|i| {
                let low = address(i)?.offset;
                Some(Part { low, high: low.checked_add(checks[*i].what.size as i64)?, check: *i })
            })
            .collect();
        parts.sort_by_key(|p| (p.low, p.high));
        for chunk in chunks(&parts, alignments.get(terms).copied()) {
            let first = chunk.checks[0];
            let what = Named { size: chunk.size as u64, aligned: chunk.aligned, ..checks[first].what };
            plan.push(((first, what), chunk.checks));
        }
    }
    plan
}

/// An address that is a multiple of eight tells all of its neighbours from the same base apart.
fn alignments<'b>(checks: &'b [Check<'_>]) -> Alignments<'b> {
    let tells = |c: &&Check<'_>| c.what.aligned && c.range.is_none() && c.line.is_some() && c.what.size == 8;
    let known =
        |c: &'b Check<'_>| c.address.as_ref().map(|a| (a.terms.as_slice(), a.offset.rem_euclid(GRANULE)));
    checks.iter().filter(tells).filter_map(known).collect()
}

/// Checks with nothing but plain computing between them, of the same mode, whose addresses differ by constants: of a block, and of those to which all ways from it lead.
fn groups<'a>(context: &Context<'a, '_>, checks: &[Check<'a>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    // The groups that may go on where a block begins.
    let mut begun: HashMap<BlockId, Vec<usize>, foldhash::fast::FixedState> = HashMap::default();
    for block in &context.cfg.order {
        let insts = &context.function.block(*block).insts;
        let plain = |at: usize| context.effects.of(context.module, &insts[at]) == Effect::NONE;
        let first = checks.partition_point(|check| check.block < *block);
        let (mut open, mut last) = (begun.remove(block).unwrap_or_default(), 0);
        for (i, check) in checks.iter().enumerate().skip(first).take_while(|(_, c)| c.block == *block) {
            if !(last..check.at).all(plain) {
                open.clear();
            }
            last = check.at;
            // The one with the lowest address has to be in the text, with its argument.
            let Some(address) = check.address.as_ref().filter(|_| is_simple(check)) else {
                continue;
            };
            let fits = |g: &&usize| {
                let other = &checks[groups[**g][0]];
                other.what.mode == check.what.mode
                    && other.address.as_ref().is_some_and(|a| a.terms == address.terms)
            };
            match open.iter().find(fits).copied() {
                Some(group) => groups[group].push(i),
                None => {
                    open.push(groups.len());
                    groups.push(vec![i]);
                }
            }
        }
        if !open.is_empty()
            && (last..insts.len()).all(plain)
            && let Some(next) = joins::next(context, *block)
        {
            begun.insert(next, open);
        }
    }
    groups.retain(|g| g.len() > 1);
    groups
}

/// It stands in the text, with its argument, and is told in no words of its own.
fn is_simple(check: &Check<'_>) -> bool {
    check.range.is_none() && check.line.is_some() && check.what.mode != Mode::VirtualRead
}

/// The bytes of a check.
struct Part {
    low: i64,
    high: i64,
    check: usize,
}

/// Bytes to be checked together: the first of the checks has the lowest address.
struct Chunk {
    size: i64,
    aligned: bool,
    checks: Vec<usize>,
}

/// Cuts the bytes into chunks that are checked as fast as each part of them.
fn chunks(parts: &[Part], alignment: Option<i64>) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut next = 0;
    while let Some(first) = parts.get(next) {
        let found = sizes(first.low, alignment).find_map(|size| covering(&parts[next..], size));
        next += match found {
            Some(chunk) => {
                let taken = parts[next..].iter().take_while(|p| p.low < first.low + chunk.size).count();
                chunks.push(chunk);
                taken
            }
            None => 1,
        };
    }
    for chunk in &mut chunks {
        chunk.aligned = alignment.is_some() && chunk.size % GRANULE == 0;
    }
    chunks
}

/// The sizes of a chunk that begins there, the largest first.
fn sizes(low: i64, alignment: Option<i64>) -> impl Iterator<Item = i64> {
    let offset = alignment.map(|a| (low - a).rem_euclid(GRANULE));
    let fits = move |size: &i64| match offset {
        Some(0) => true,
        Some(offset) => offset + size <= GRANULE,
        // It may lie across two granules, of which the runtime knows what to make.
        None => *size <= GRANULE,
    };
    (2..=MOST / GRANULE).rev().map(|n| n * GRANULE).chain([8, 4, 2]).filter(fits)
}

/// The parts that make up so many bytes from the first on, if there are several.
fn covering(parts: &[Part], size: i64) -> Option<Chunk> {
    let (low, high) = (parts.first()?.low, parts.first()?.low.checked_add(size)?);
    let mut reached = low;
    let mut checks = Vec::new();
    for part in parts.iter().take_while(|p| p.low < high) {
        if part.low > reached || part.high > high {
            return None;
        }
        reached = reached.max(part.high);
        checks.push(part.check);
    }
    (reached == high && checks.len() > 1).then_some(Chunk { size, aligned: false, checks })
}
