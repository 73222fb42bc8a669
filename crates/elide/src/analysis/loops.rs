//! Checks that a loop makes at every turn, made once before it: of the same address, or of all the elements that it goes through.
//!
//! A check may be made before the loop if
//! - nothing in the loop publishes or learns, so that the whole loop is one moment to all other threads, and nothing in it may fail to come back: no call, and no loop within it that is not counted;
//! - it is certain to be made: its block dominates every block that leaves the loop or jumps back. (An access before it that traps ends the program; that is taken to not happen, as clang does where it drops a read before a write.)
//!
//! If its address moves with the loop's counters, the loop has to go round a number of times that is known when it begins: it leaves only behind the comparison of a counter, at its one jump back.
//! Then the check stands for all of the accesses and for nothing else: a range, or one with gaps.
//!
//! A loop that may be left early makes no check before it. But if all that it could come to was checked before, it needs none at all: that is a *question* to `redundant`.

use super::checks::{Check, Mode, Named, Range};
use super::effects::Effect;
use super::linear::{Forms, Linear};
use super::turns::{Context, Place, Turns};
use crate::rewrite::compute::Source;

/// Moves checks out of loops, inner ones first; the checks that stand for others are added at the end. Which of all of them have others in their place.
pub fn hoist<'a>(context: &Context<'a, '_>, forms: &mut Forms<'a>, checks: &mut Vec<Check<'a>>) -> Vec<bool> {
    let mut moved = vec![false; checks.len()];
    let mut endless = Vec::new();
    for one in &context.cfg.loops {
        let place = Place::of(context, forms, one);
        if !place.as_ref().is_some_and(Place::ends) {
            endless.push(one.header);
        }
        // A loop within it may stay for ever, and so never come to the check.
        let stays = endless.iter().any(|header| *header != one.header && one.contains(*header));
        let Some(place) = place.filter(|p| !stays && p.only(context, |effect| effect == Effect::NONE)) else {
            continue;
        };
        let able: Vec<usize> =
            (0..checks.len()).filter(|i| !moved[*i] && place.is_certain(context, checks[*i].block)).collect();
        for group in groups(checks, &able, |form| place.stride(context, forms, form)) {
            for (new, instead_of) in combined(&place, context, forms, checks, &group) {
                let source = Source {
                    function: context.function,
                    cfg: context.cfg,
                    definitions: context.definitions,
                    forms,
                    opaque: context.module.opaque,
                };
                let mut parts = new.address.iter().chain(new.range.as_ref().map(|r| &r.more));
                if parts.all(|form| source.can(form, place.before)) {
                    instead_of.iter().for_each(|i| moved[*i] = true);
                    checks.push(new);
                    moved.push(false);
                }
            }
        }
    }
    moved
}

/// Questions about checks in loops: has all that they could come to been checked before the loop? With each, the check that is redundant if so.
pub fn questions<'a>(
    context: &Context<'a, '_>,
    forms: &mut Forms<'a>,
    checks: &[Check<'a>],
) -> Vec<(Check<'a>, usize)> {
    let mut questions = Vec::new();
    let mut asked = vec![false; checks.len()];
    for one in &context.cfg.loops {
        let inside = |i: &usize| one.contains(checks[*i].block) && checks[*i].range.is_none();
        let able: Vec<usize> = (0..checks.len()).filter(inside).filter(|i| !asked[*i]).collect();
        if able.is_empty() {
            continue;
        }
        able.iter().for_each(|i| asked[*i] = true);
        let Some(place) = Place::of(context, forms, one) else { continue };
        let Some(turns) = place.at_most().filter(|_| place.only(context, |effect| !effect.publishes)) else {
            continue;
        };
        for i in able {
            let Some(address) = &checks[i].address else { continue };
            let Some(stride) = place.stride(context, forms, address).filter(|stride| *stride != 0) else {
                continue;
            };
            let piece = Piece {
                low: address.offset,
                high: address.offset + checks[i].what.size as i64,
                again: 0,
                step: stride.saturating_abs(),
                checks: vec![i],
            };
            questions.extend(
                ranging(&place, context, forms, checks, &piece, stride, turns).map(|question| (question, i)),
            );
        }
    }
    questions
}

/// Checks of the same mode whose addresses differ by constants, and by how much they move at each turn.
struct Group {
    checks: Vec<usize>,
    stride: i64,
}

fn groups(
    checks: &[Check<'_>],
    able: &[usize],
    mut stride: impl FnMut(&Linear) -> Option<i64>,
) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for i in able {
        let (check, Some(address)) = (&checks[*i], &checks[*i].address) else { continue };
        let fits = |group: &&mut Group| {
            let first = &checks[group.checks[0]];
            first.what.mode == check.what.mode
                && first.range == check.range
                && first.address.as_ref().is_some_and(|a| a.terms == address.terms)
        };
        match groups.iter_mut().find(fits) {
            Some(group) if group.stride != 0 => group.checks.push(*i),
            _ => groups.extend(stride(address).map(|stride| Group { checks: vec![*i], stride })),
        }
    }
    groups
}

/// The checks that stand for a group, each with those that it stands for.
fn combined<'a>(
    place: &Place<'_>,
    context: &Context<'a, '_>,
    forms: &Forms<'a>,
    checks: &[Check<'a>],
    group: &Group,
) -> Vec<(Check<'a>, Vec<usize>)> {
    let first = &checks[group.checks[0]];
    if group.stride == 0 {
        let same = same_bytes(place, context, forms, first);
        return same.map(|check| (check, group.checks.clone())).into_iter().collect();
    }
    let Some(turns) = place.more_turns() else { return Vec::new() };
    if first.range.is_some() || first.what.mode == Mode::VirtualRead {
        return Vec::new();
    }
    let stand_in = |piece: Piece| {
        let check = ranging(place, context, forms, checks, &piece, group.stride, turns)?;
        Some((check, piece.checks))
    };
    pieces(checks, group).into_iter().filter_map(stand_in).collect()
}

/// The same bytes at every turn.
fn same_bytes<'a>(
    place: &Place<'_>,
    context: &Context<'a, '_>,
    forms: &Forms<'a>,
    check: &Check<'a>,
) -> Option<Check<'a>> {
    let range = match &check.range {
        Some(range) if place.stride(context, forms, &range.more)? != 0 => return None,
        Some(range) => Some(Range { more: place.at_first(forms, &range.more), stride: range.stride }),
        None => None,
    };
    let address = Some(place.at_first(forms, check.address.as_ref()?));
    Some(Check { address, range, ..moved(place, context, check) })
}

/// The check where the loop begins.
fn moved<'a>(place: &Place<'_>, context: &Context<'a, '_>, check: &Check<'a>) -> Check<'a> {
    let at = context.function.block(place.before).insts.len() - 1;
    Check { block: place.before, at, line: None, argument: "", ..check.clone() }
}

/// Bytes without a gap, from and to which distance, that checks of a group are about together.
struct Piece {
    low: i64,
    high: i64,
    /// So many steps behind these bytes, the last of the checks is about its own at the same turn.
    again: i64,
    /// How far it is to the next such bytes.
    step: i64,
    checks: Vec<usize>,
}

/// The group's bytes, as few pieces as possible.
fn pieces(checks: &[Check<'_>], group: &Group) -> Vec<Piece> {
    let stride = group.stride.saturating_abs();
    let piece = |i: &usize| {
        let (low, size) = (checks[*i].address.as_ref()?.offset, checks[*i].what.size as i64);
        Some(Piece { low, high: low.checked_add(size)?, again: 0, step: stride, checks: vec![*i] })
    };
    let mut parts: Vec<Piece> = group.checks.iter().filter_map(piece).collect();
    parts.sort_by_key(|p| (p.low, p.high));
    let mut joined: Vec<Piece> = Vec::new();
    for part in parts {
        match joined.last_mut().filter(|last| part.low <= last.high) {
            Some(last) => {
                last.high = last.high.max(part.high);
                last.checks.extend(part.checks);
            }
            None => joined.push(part),
        }
    }
    // What one comes to at the next turn, the other does at this one.
    let mut pieces: Vec<Piece> = Vec::new();
    for part in joined {
        let is_next = |p: &&mut Piece| {
            let distance =
                part.low.checked_sub(p.low).and_then(|d| d.checked_sub(p.again.checked_mul(stride)?));
            distance == Some(stride) && part.high - part.low == p.high - p.low
        };
        match pieces.iter_mut().find(is_next) {
            Some(before) => {
                before.again += 1;
                before.checks.extend(part.checks);
            }
            None => pieces.push(part),
        }
    }
    interleaved(pieces, stride)
}

/// An unrolled loop with gaps: if the pieces share the way of a turn evenly, they are one with shorter steps.
fn interleaved(pieces: Vec<Piece>, stride: i64) -> Vec<Piece> {
    let count = pieces.len() as i64;
    let fits = |two: &[Piece]| {
        let [a, b] = two else { return false };
        let is_same = a.high.checked_sub(a.low) == b.high.checked_sub(b.low);
        is_same && b.low.checked_sub(a.low) == Some(stride / count)
    };
    let is_even = count > 1 && stride % count == 0 && pieces.iter().all(|p| p.again == 0);
    if !is_even || !pieces.windows(2).all(fits) {
        return pieces;
    }
    let (low, high) = (pieces[0].low, pieces[0].high);
    let checks = pieces.into_iter().flat_map(|p| p.checks).collect();
    vec![Piece { low, high, again: count - 1, step: stride / count, checks }]
}

/// A check of a piece at all turns. If a turn begins where the last one ends, and there is a fixed number of them, it is one of so many bytes.
fn ranging<'a>(
    place: &Place<'_>,
    context: &Context<'a, '_>,
    forms: &Forms<'a>,
    checks: &[Check<'a>],
    piece: &Piece,
    by: i64,
    turns: &Turns,
) -> Option<Check<'a>> {
    const MOST: i64 = 1 << 20;
    let first = &checks[piece.checks[0]];
    let (address, stride) = (first.address.as_ref()?, by.checked_abs()?);
    if stride % turns.by != 0 {
        return None;
    }
    let more = turns.left.times(stride / turns.by);
    let mut start = place.at_first(forms, address);
    start.offset = start.offset.wrapping_sub(address.offset).wrapping_add(piece.low);
    if by < 0 {
        start = start.plus(&more, -1);
    }
    let more = more.plus(&Linear::constant(piece.again * piece.step), 1);
    let size = piece.high - piece.low;
    let (size, range) = match more.as_constant() {
        Some(more) if piece.step <= size && (0..MOST).contains(&more) => (size + more, None),
        _ => (size, Some(Range { more, stride: piece.step })),
    };
    let what = Named { aligned: false, size: size as u64, ..first.what };
    Some(Check { address: Some(start), range, what, ..moved(place, context, first) })
}
