//! The first accesses of an epoch, by v2: to memory of which the thread knows all earlier accesses, or beside those that it need not know. What is decided here is decided as
//! [`handlers`](deadheat_online::handlers) and `shadow` do it; whatever takes more falls back to [`access`](crate::access).
//!
//! Most of these accesses find no more than an access each in W and R. They are told by one word as well afterwards, and done here with as little as it takes; the others go `beside`.

use crate::access::{cell, extent};
use crate::gate;
use crate::lately;
use crate::place::Placer;
use crate::prefault::may_be_new;
use crate::quick::{apart, from_place, is_made, own_cell, share};
use crate::sites::Note;
use crate::thread::{Thread, bytes_at_hand};
use crate::tls;
use core::sync::atomic::Ordering;
use deadheat_online::{Pair, ThreadState, VarState, Word};
use deadheat_shadow::{
    Access, Layout, Mode, has_line, is_flat, is_known, is_told_in_line, renewed, replaced,
};

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

/// An access to some bytes of one granule.
#[inline(always)]
pub fn one(address: u64, size: u64, mode: Mode, pc: u64, sort: Note) -> Way {
    let Some(thread) = current() else { return Way::Through };
    let (cell, granule) = (cell(address), address & !7);
    let access = Access { mode, extent: extent(address & 7, size) };
    if is_told_apart(cell, access, Word(tls::get::<{ tls::offset::EPOCH }>())) {
        // The shortest way, which was tried before, may have kept signals waiting.
        return if thread.pending { Way::Signalled } else { Way::Through };
    }
    if !enter(thread) {
        return Way::Longer;
    }
    let is_done = within(thread, cell, granule, access, &mut Place::new(pc, sort.at(address, size)));
    leave(thread, is_done)
}

/// Where an access is made: all granules that it goes to have one stamp.
struct Place {
    pc: u64,
    note: Note,
    stamp: Word,
}

impl Place {
    #[inline(always)]
    fn new(pc: u64, note: Note) -> Place {
        Place { pc, note, stamp: Word::NONE }
    }

    #[inline(always)]
    fn stamp(&mut self, state: &mut ThreadState, placer: &mut Placer) -> Word {
        if self.stamp.is_none() {
            self.stamp = placer.stamp(state, self.pc, self.note);
        }
        self.stamp
    }
}

/// An access to bytes of two granules side by side.
#[inline(always)]
pub fn across(address: u64, size: u64, mode: Mode, pc: u64) -> Way {
    let (bytes, granule) = (((1u32 << size) - 1) << (address & 7), address & !7);
    let epoch = Word(tls::get::<{ tls::offset::EPOCH }>());
    let is_left = |granule, extent| is_left(own_cell(granule), granule, Access { mode, extent }, epoch);
    if is_left(granule, bytes as u8) || is_left(granule + 8, (bytes >> 8) as u8) {
        return several(address, address + size, mode, pc, Note::CALL.at(address, size));
    }
    Way::Through
}

/// So many bytes are few.
pub const FEW: u64 = 64;

/// An access to a few bytes, in whatever granules, by a function that was called from there.
#[inline]
pub fn few(address: u64, size: u64, mode: Mode, pc: u64) -> Way {
    several(address, address + size, mode, pc, Note::CALL.at(address, size))
}

/// Few bytes. Most of them were accessed before in the epoch, if any were.
#[inline(never)]
fn several(from: u64, end: u64, mode: Mode, pc: u64, note: Note) -> Way {
    let epoch = Word(tls::get::<{ tls::offset::EPOCH }>());
    let Some(thread) = current().filter(|_| from < end) else { return Way::Through };
    let mut granule = from & !7;
    if granule / Layout::GRAIN != end / Layout::GRAIN {
        return Way::Longer;
    }
    let mut cell = &raw const *own_cell(granule);
    let mut access = Access { mode, extent: Word::WHOLE << (from & 7) };
    let (mut place, mut is_inside) = (Place::new(pc, note), false);
    loop {
        let beyond = (granule + 8).saturating_sub(end);
        access.extent &= Word::WHOLE >> beyond;
        // SAFETY: cells lie side by side within a piece of the layout, which the thread knows.
        let at = unsafe { &*cell };
        if is_left(at, granule, access, epoch) {
            if !is_inside && !enter(thread) {
                return Way::Longer;
            }
            is_inside = true;
            if !within(thread, at, granule, access, &mut place) {
                return leave(thread, false);
            }
        }
        (granule, cell) = (granule + 8, cell.wrapping_add(1));
        if granule >= end {
            break;
        }
        access.extent = Word::WHOLE;
    }
    if is_inside { leave(thread, true) } else { Way::Through }
}

/// A glance does not tell that the current thread has made the access in its epoch.
#[inline(always)]
fn is_left(cell: &VarState, granule: u64, access: Access, epoch: Word) -> bool {
    let seen = cell.seen();
    let is_it = |word: Word| is_made_by(word, epoch, access.extent);
    let is_told = is_it(seen.w) || !access.mode.writes() && is_it(seen.r);
    !is_told && (is_plain(seen) || !lately::has(granule, access) && !is_told_apart(cell, access, epoch))
}

/// The cell's line, or the set that it has and that is at hand, tells that the current thread has made the access in its epoch.
#[inline(always)]
fn is_told_apart(cell: &VarState, access: Access, epoch: Word) -> bool {
    let seen = cell.seen();
    if has_line(seen) {
        return is_told_in_line(cell, seen, epoch, access);
    }
    !access.mode.writes() && bytes_at_hand(seen.r, epoch) & access.extent == access.extent
}

/// The word tells an access to these bytes, at least, in the epoch that began with that one.
#[inline(always)]
fn is_made_by(word: Word, epoch: Word, extent: u8) -> bool {
    word.with_extent(Word::WHOLE).is_since(epoch) && word.extent() & extent == extent
}

/// Some bytes of a granule, by a thread that is in the runtime. False if it takes a longer way.
#[inline(always)]
fn within(thread: &mut Thread, cell: &VarState, granule: u64, access: Access, place: &mut Place) -> bool {
    let seen = cell.seen();
    if !is_flat(seen.w) || !is_flat(seen.r) {
        return beside(thread, granule, access, place);
    }
    if !is_plain(seen) && is_made(thread, granule, seen, access) {
        return true;
    }
    let Thread { state, placer, owner, prefault, .. } = &mut *thread;
    if may_be_new(cell, seen) {
        prefault.touch(cell);
    }
    let stamp = place.stamp(state, placer);
    // Of W, a read asks only whether it is known.
    let is_plain = is_plain(if access.mode.writes() { seen } else { Pair { w: Word::NONE, ..seen } });
    let is_done = is_plain
        && is_known(state, seen.w)
        && is_known(state, seen.r)
        && told(seen, access, stamp).is_some_and(|new| owner.takes(cell, seen, new));
    is_done || from_place(thread, granule, access, stamp)
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

/// As [`within`], of a granule that takes more than two words to tell, which do not tell that the access was made.
#[inline(never)]
fn beside(thread: &mut Thread, granule: u64, access: Access, place: &mut Place) -> bool {
    let seen = cell(granule).seen();
    if has_line(seen) {
        return in_line(thread, granule, access, place);
    }
    // Who goes through a folded block one by one would look at it every time: better to unfold it.
    if seen.w.is_folded() {
        return false;
    }
    let is_shared = !access.mode.writes() && seen.r.is_set();
    if !is_shared && is_made(thread, granule, seen, access) {
        return true;
    }
    let stamp = place.stamp(&mut thread.state, &mut thread.placer);
    if is_shared {
        thread.owner.claim(cell(granule));
        if share(thread, granule, access.extent, stamp) || is_made(thread, granule, seen, access) {
            return true;
        }
    }
    from_place(thread, granule, access, stamp)
}

/// As [`within`], of a granule of several fields.
#[inline(always)]
fn in_line(thread: &mut Thread, granule: u64, access: Access, place: &mut Place) -> bool {
    let cell = cell(granule);
    let stamp = place.stamp(&mut thread.state, &mut thread.placer);
    thread.owner.claim(cell);
    if !renewed(&thread.state, cell, access, stamp) {
        thread.placer.to(granule, access.mode.writes());
        return apart(thread, granule, access, stamp);
    }
    thread.lately.add(granule, access);
    true
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
    // As a rule they look the same.
    let are_known = is_known(state, seen[0].w)
        && is_known(state, seen[0].r)
        && (seen[1] == seen[0] || is_known(state, seen[1].w) && is_known(state, seen[1].r));
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
