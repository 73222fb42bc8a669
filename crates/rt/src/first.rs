//! The first accesses of an epoch, by v2: to memory of which the thread knows all earlier accesses, or beside those that it need not know. What is decided here is decided as
//! [`handlers`](deadheat_online::handlers) and `shadow` do it; whatever takes more falls back to [`access`](crate::access).
//!
//! Most of these accesses find no more than an access each in W and R. They are told by one word as well afterwards, and done here with as little as it takes; the others go `beside`.

use crate::access::{cell, extent};
use crate::gate;
use crate::lately;
use crate::prefault::may_be_new;
use crate::quick::{apart, from_place, is_made, own_cell, share};
use crate::sites::Note;
use crate::thread::{Thread, bytes_at_hand};
use crate::tls;
use core::sync::atomic::Ordering;
use deadheat_online::{Pair, VarState, Word};
use deadheat_shadow::{Access, Layout, Mode, has_line, is_told_in_line, renewed, replaced};

/// What came of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Nothing is left to do.
    Through,
    /// Nothing but to see to the signals that wait.
    Signalled,
    /// It takes a longer way. Of an access to several granules some may be done.
    Longer,
}

impl Way {
    /// What came of both.
    #[inline(always)]
    fn and(self, other: Way) -> Way {
        match (self, other) {
            (Way::Through, way) | (way, Way::Through) => way,
            (Way::Longer, _) | (_, Way::Longer) => Way::Longer,
            (Way::Signalled, Way::Signalled) => Way::Signalled,
        }
    }
}

/// An access to some bytes of one granule.
#[inline(always)]
pub fn one(address: u64, size: u64, mode: Mode, pc: u64, sort: Note) -> Way {
    let Some(thread) = current() else { return Way::Through };
    let access = Access { mode, extent: extent(address & 7, size) };
    part(thread, address & !7, access, pc, sort.at(address, size))
}

/// An access to bytes of two granules side by side.
#[inline(always)]
pub fn across(address: u64, size: u64, mode: Mode, pc: u64) -> Way {
    let (bytes, granule) = (((1u32 << size) - 1) << (address & 7), address & !7);
    let (epoch, note) = (Word(tls::get::<{ tls::offset::EPOCH }>()), Note::CALL.at(address, size));
    let one = |granule, extent| one_of_several(granule, Access { mode, extent }, epoch, pc, note);
    one(granule, bytes as u8).and(one(granule + 8, (bytes >> 8) as u8))
}

/// So many bytes are few.
pub const FEW: u64 = 64;

/// An access to a few bytes, in whatever granules, by a function that was called from there.
#[inline(never)]
pub fn few(address: u64, size: u64, mode: Mode, pc: u64) -> Way {
    let (epoch, note) = (Word(tls::get::<{ tls::offset::EPOCH }>()), Note::CALL.at(address, size));
    let (mut granule, end, mut way) = (address & !7, address + size, Way::Through);
    while granule < end {
        let (from, to) = (granule.max(address), end.min(granule + 8));
        let access = Access { mode, extent: extent(from & 7, to - from) };
        way = way.and(one_of_several(granule, access, epoch, pc, note));
        granule += 8;
    }
    way
}

/// Its bytes in one granule. Most were accessed before in the epoch, if any were.
#[inline(always)]
fn one_of_several(granule: u64, access: Access, epoch: Word, pc: u64, note: Note) -> Way {
    // The thread may not be known yet.
    let seen = own_cell(granule).seen();
    let is_it = |word: Word| is_made_by(word, epoch, access.extent);
    let is_told = is_it(seen.w) || !access.mode.writes() && is_it(seen.r);
    if is_told || !is_plain(seen) && lately::has(granule, access) {
        return Way::Through;
    }
    part_of_several(granule, access, pc, note)
}

/// The word tells an access to these bytes, at least, in the epoch that began with that one.
#[inline(always)]
fn is_made_by(word: Word, epoch: Word, extent: u8) -> bool {
    word.with_extent(Word::WHOLE).is_since(epoch) && word.extent() & extent == extent
}

/// Of which a glance at the cell does not say that they were accessed.
#[inline(never)]
fn part_of_several(granule: u64, access: Access, pc: u64, note: Note) -> Way {
    current().map_or(Way::Through, |thread| part(thread, granule, access, pc, note))
}

/// Some bytes of a granule.
#[inline(always)]
fn part(thread: &mut Thread, granule: u64, access: Access, pc: u64, note: Note) -> Way {
    let cell = cell(granule);
    let seen = cell.seen();
    if !is_plain(seen) {
        return beside(thread, granule, access, pc, note);
    }
    if !enter(thread) {
        return Way::Longer;
    }
    let Thread { state, placer, owner, prefault, .. } = &mut *thread;
    if may_be_new(cell, seen) {
        prefault.touch(cell);
    }
    let stamp = placer.stamp(state, pc, note);
    let is_known = |word: Word| word.is_none() || state.covers(word);
    let is_done = is_known(seen.w)
        && is_known(seen.r)
        && told(seen, access, stamp).is_some_and(|new| owner.takes(cell, seen, new));
    let is_done = is_done || from_place(thread, granule, access, stamp);
    leave(thread, is_done)
}

/// W and R after an access over what the thread knows, if one word can tell it and all that it leaves: the access that it replaces is of no other bytes, or was made from the same place in the same epoch.
#[inline(always)]
pub(crate) fn told(seen: Pair, access: Access, stamp: Word) -> Option<Pair> {
    let Access { mode, extent } = access;
    let own = if mode.writes() { seen.w } else { seen.r };
    let other = own.extent() & !extent;
    if other != 0 && own.epoch() != stamp.epoch() {
        return None;
    }
    let new = stamp.with_extent(extent | other);
    if !mode.writes() {
        return Some(Pair { r: new, ..seen });
    }
    let left = seen.r.extent() & !extent;
    Some(Pair { w: new, r: if left == 0 { Word::NONE } else { seen.r.with_extent(left) } })
}

/// As [`one`], of a granule that takes more than two words to tell.
#[inline(never)]
fn beside(thread: &mut Thread, granule: u64, access: Access, pc: u64, note: Note) -> Way {
    let seen = cell(granule).seen();
    if has_line(seen) {
        return in_line(thread, granule, access, pc, note);
    }
    // Who goes through a folded block one by one would look at it every time: better to unfold it.
    if seen.w.is_folded() || !enter(thread) {
        return Way::Longer;
    }
    if !access.mode.writes() && seen.r.is_set() {
        if bytes_at_hand(seen.r, thread.state.epoch()) & access.extent == access.extent {
            return leave(thread, true);
        }
        let stamp = thread.placer.stamp(&mut thread.state, pc, note);
        thread.owner.claim(cell(granule));
        let is_done = share(thread, granule, access.extent, stamp)
            || is_made(thread, granule, seen, access)
            || from_place(thread, granule, access, stamp);
        return leave(thread, is_done);
    }
    let is_done = is_made(thread, granule, seen, access) || {
        let stamp = thread.placer.stamp(&mut thread.state, pc, note);
        from_place(thread, granule, access, stamp)
    };
    leave(thread, is_done)
}

/// As [`one`], of a granule of several fields.
#[inline(always)]
fn in_line(thread: &mut Thread, granule: u64, access: Access, pc: u64, note: Note) -> Way {
    let cell = cell(granule);
    if !enter(thread) {
        return Way::Longer;
    }
    if !is_told_in_line(cell, cell.seen(), thread.state.epoch(), access) {
        let stamp = thread.placer.stamp(&mut thread.state, pc, note);
        thread.owner.claim(cell);
        if !renewed(&thread.state, cell, access, stamp) {
            thread.placer.to(granule, access.mode.writes());
            let is_done = apart(thread, granule, access, stamp);
            return leave(thread, is_done);
        }
    }
    thread.lately.add(granule, access);
    leave(thread, true)
}

/// An access to two whole granules, as vectorised loops make them.
#[inline(always)]
pub fn two(address: u64, mode: Mode, pc: u64) -> Way {
    let Some(thread) = current() else { return Way::Through };
    if address & 7 != 0 {
        return Way::Longer;
    }
    let cells = two_cells(address);
    let seen = cells.map(VarState::seen);
    if !is_plain(seen[0]) || !is_plain(seen[1]) || may_be_new(cells[0], seen[0]) || !enter(thread) {
        return Way::Longer;
    }
    let Thread { state, placer, owner, .. } = &mut *thread;
    let is_known = |word: Word| word.is_none() || state.covers(word);
    // As a rule they look the same.
    let are_known = is_known(seen[0].w)
        && is_known(seen[0].r)
        && (seen[1] == seen[0] || is_known(seen[1].w) && is_known(seen[1].r));
    let is_done = are_known && {
        let stamp = placer.stamp(state, pc, Note::size(16));
        owner.replace_all(cells, seen, seen.map(|seen| replaced(seen, mode, stamp)))
    };
    leave(thread, is_done)
}

/// The cells of two granules side by side.
#[inline(always)]
fn two_cells(granule: u64) -> [&'static VarState; 2] {
    let first = cell(granule);
    let is_in_piece = !(granule + 8).is_multiple_of(Layout::GRAIN);
    // SAFETY: cells lie side by side within a piece of the layout.
    [first, if is_in_piece { unsafe { &*(&raw const *first).add(1) } } else { cell(granule + 8) }]
}

/// No more than an access each in W and R, and nobody has the lock.
#[inline(always)]
pub(crate) fn is_plain(seen: Pair) -> bool {
    (seen.w.0 | seen.r.0) & Word::OTHER == 0
}

/// The current thread. Before there is one, there are no cells either.
#[inline(always)]
pub(crate) fn current<'a>() -> Option<&'a mut Thread> {
    // SAFETY: the current thread's object, if it has one, which only it touches.
    unsafe { tls::thread().as_mut() }
}

/// The thread is in the runtime from now on. False if it is there already, or if accesses are not decided here.
#[inline(always)]
pub(crate) fn enter(thread: &Thread) -> bool {
    thread.quick && thread.busy.load(Ordering::Relaxed) == 0 && gate::try_enter(&thread.busy)
}

/// It leaves.
#[inline(always)]
pub(crate) fn leave(thread: &mut Thread, is_done: bool) -> Way {
    gate::leave(&thread.busy);
    match (is_done, thread.pending) {
        (false, _) => Way::Longer,
        (true, false) => Way::Through,
        (true, true) => Way::Signalled,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deadheat_online::{Clock, Slot};

    #[test]
    fn what_one_word_can_tell_is_told_by_one() {
        let word = |clock, extent| Word::new(Slot(1), Clock(clock), extent);
        let (stamp, none) = (word(9, 0xff), Word::NONE);
        let of = |mode, w, r, extent| told(Pair { w, r }, Access { mode, extent }, stamp);
        let is = |w, r| Some(Pair { w, r });
        assert_eq!(of(Mode::Read, word(1, 0x0f), none, 0xf0), is(word(1, 0x0f), word(9, 0xf0)));
        assert_eq!(of(Mode::Read, none, word(3, 0x30), 0xf0), is(none, word(9, 0xf0)));
        assert_eq!(of(Mode::Read, none, word(3, 0x31), 0xf0), None, "another byte");
        assert_eq!(of(Mode::Read, none, word(9, 0x31), 0xf0), is(none, word(9, 0xf1)), "by the same access");
        assert_eq!(of(Mode::Write, word(3, 0x0f), word(4, 0x3c), 0x0f), is(word(9, 0x0f), word(4, 0x30)));
        assert_eq!(of(Mode::Write, word(3, 0x80), word(4, 0xff), 0xff), is(stamp, none));
        assert_eq!(of(Mode::Write, word(3, 0x80), none, 0x0f), None);
        assert_eq!(of(Mode::Write, word(9, 0x80), none, 0x0f), is(word(9, 0x8f), none));
    }
}
