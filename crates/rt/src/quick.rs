//! Accesses that are decided with as little as it takes: those that the thread made in its current epoch before, and the first ones of an epoch, to memory of which the thread knows all earlier
//! accesses. What is decided here is decided as [`handlers`](deadheat_online::handlers) and `shadow` do it; whatever takes more falls back to [`access`](crate::access).

use crate::access::{MEMORY, cell, extent};
use crate::gate;
use crate::sites::Note;
use crate::thread::Thread;
use crate::tls;
use core::sync::atomic::Ordering;
use deadheat_online::{Pair, VarState, Word, pair};
use deadheat_shadow::{Access, Layout, Mode, is_told_by_line};

/// A plain access, not the first from its place, to a granule of which the thread knows all earlier accesses: most that are the first of an epoch to their granule are such, and done here
/// with as little as it takes. `[Read Exclusive]` or `[Write Exclusive]`, by v2. False if it is not such an access, or if the thread is in the runtime already.
/// Signals may wait afterwards: who calls it has to see to them.
#[inline(always)]
pub fn exclusive(thread: &mut Thread, address: u64, size: u64, mode: Mode, pc: u64, note: Note) -> bool {
    let offset = address & 7;
    if !thread.quick || offset + size > 8 || thread.busy.load(Ordering::Relaxed) != 0 {
        return false;
    }
    let cell = cell(address & !7);
    let seen = cell.seen();
    if !is_at_hand(thread, seen) || !gate::try_enter(&thread.busy) {
        return false;
    }
    let access = Access { mode, extent: extent(offset, size) };
    let new = replacement(thread, seen, access, pc, note.at(address, size));
    let done = new.is_some_and(|new| pair::replace(cell, seen, new));
    gate::leave(&thread.busy);
    done
}

/// As [`exclusive`], to two whole granules. One of them may be done when it says that it has not done both.
#[inline(always)]
pub fn exclusive_two(thread: &mut Thread, address: u64, mode: Mode, pc: u64) -> bool {
    if !thread.quick || !address.is_multiple_of(8) || thread.busy.load(Ordering::Relaxed) != 0 {
        return false;
    }
    let cells = [cell(address), cell(address + 8)];
    let seen = cells.map(VarState::seen);
    let are_known = is_at_hand(thread, seen[0]) && (seen[1] == seen[0] || is_at_hand(thread, seen[1]));
    if !are_known || !gate::try_enter(&thread.busy) {
        return false;
    }
    let Thread { state, placer, .. } = &mut *thread;
    let stamp = placer.at_hand(state, pc, Note::size(16));
    let replace =
        |stamp, i: usize| pair::replace(cells[i], seen[i], replaced(seen[i], mode, stamp, Word::WHOLE));
    let done = stamp.is_some_and(|stamp| replace(stamp, 0) && replace(stamp, 1));
    gate::leave(&thread.busy);
    done
}

/// A cell holds nothing but accesses that the thread knows, as far as it has that at hand.
#[inline(always)]
fn is_at_hand(thread: &Thread, seen: Pair) -> bool {
    let known = |word: Word| word.is_none() || thread.state.covers_by_memo(word);
    (seen.w.0 | seen.r.0) & Word::OTHER == 0 && known(seen.w) && known(seen.r)
}

/// What a cell becomes by an access of a thread that knows all of what it holds; nothing if what it takes is not at hand.
#[inline(always)]
fn replacement(thread: &mut Thread, seen: Pair, access: Access, pc: u64, note: Note) -> Option<Pair> {
    let Thread { state, placer, .. } = thread;
    let Access { mode, extent } = access;
    let stamp = placer.at_hand(state, pc, note)?;
    let own = if mode.writes() { seen.w } else { seen.r };
    let mut new = stamp.with_extent(extent);
    let stays = own.extent() & !extent;
    if stays != 0 {
        if own.epoch() != stamp.epoch() {
            // What it did to the other bytes may be told by the same word, if it was in the same epoch.
            new = placer.merged_at_hand(own, new).filter(|_| state.is_current(own))?;
        }
        new = new.with_extent(extent | stays);
    }
    Some(replaced(seen, mode, new, extent))
}

/// W and R after an access to those bytes that is ordered after all that they tell, and that is remembered by that word. A write stands for earlier reads of its bytes: whatever races with
/// one of them races with the write too, which comes after it. They are forgotten, so that the next reads, of whatever bytes, do not have to be put beside them.
#[inline(always)]
pub(crate) fn replaced(seen: Pair, mode: Mode, new: Word, extent: u8) -> Pair {
    if !mode.writes() {
        return Pair { r: new, ..seen };
    }
    let left = seen.r.extent() & !extent;
    Pair { w: new, r: if left == 0 { Word::NONE } else { seen.r.with_extent(left) } }
}

/// As [`exclusive`], to bytes of a granule whose histories differ, or that has a set of reads, by a thread that is in the runtime.
#[inline(always)]
pub fn exclusive_apart(
    thread: &mut Thread,
    address: u64,
    size: u64,
    mode: Mode,
    pc: u64,
    note: Note,
) -> bool {
    let offset = address & 7;
    if !thread.quick || offset + size > 8 {
        return false;
    }
    let Thread { state, placer, .. } = &mut *thread;
    let Some(stamp) = placer.at_hand(state, pc, note.at(address, size)) else { return false };
    let (cell, access) = (cell(address & !7), Access { mode, extent: extent(offset, size) });
    if mode.writes() || !cell.load_r().is_set() {
        return MEMORY.exclusive(state, cell, access, stamp, placer);
    }
    let set = if access.extent == Word::WHOLE { MEMORY.shared(state, cell, stamp) } else { None };
    set.inspect(|set| thread.has_seen(*set, Word::WHOLE)).is_some()
}

/// The thread itself has accessed all of the bytes, in one granule or in two side by side, in its current epoch: nothing is left to check.
#[inline(always)]
pub fn is_done(thread: &Thread, address: u64, size: u64, mode: Mode) -> bool {
    let is_done = |cell: &VarState, extent: u8| {
        let seen = cell.seen();
        let by = |word: Word| word.extent() & extent == extent && thread.state.is_current(word);
        by(seen.w)
            || !mode.writes() && (by(seen.r) || seen.r.is_set() && thread.has_read(seen.r, extent))
            || is_told_by_line(&thread.state, cell, Access { mode, extent })
    };
    let bytes = ((1u64 << size) - 1) << (address & 7);
    let (first, second) = (bytes as u8, (bytes >> 8) as u8);
    thread.quick
        && bytes >> 16 == 0
        && is_done(cell(address & !7), first)
        && (second == 0 || is_done(cell((address & !7) + 8), second))
}

/// The current thread has accessed all of these granules in its current epoch, each as a whole, or written what is read: nothing is left to check, as in the fast paths.
#[inline]
pub fn is_in_epoch(address: u64, size: u64, mode: Mode) -> bool {
    let (first, last) = (address & !7, address + size - 1);
    if first / Layout::GRAIN != last / Layout::GRAIN {
        return false;
    }
    let epoch = Word(tls::get::<{ tls::offset::EPOCH }>());
    let cells = own_layout().cell(first) as *const VarState;
    let count = (last - first) / 8 + 1;
    // A thread without a layout has one cell for everything, which is of no epoch.
    (0..count as usize).all(|i| {
        // SAFETY: as for `cell`; side by side within a piece.
        let cell = unsafe { &*cells.add(i) };
        !mode.writes() && cell.load_r().is_since(epoch) || cell.load_w().is_since(epoch)
    })
}

/// The layout, as the current thread has it at hand.
#[inline(always)]
fn own_layout() -> Layout {
    Layout { mask: tls::get::<{ tls::offset::MASK }>(), base: tls::get::<{ tls::offset::BASE }>() }
}

/// The current thread has accessed all of the bytes, in two granules side by side, in its current epoch, as far as the cells themselves tell: nothing is left to check, as in the fast paths.
#[inline(always)]
pub fn is_in_epoch_across(address: u64, size: u64, mode: Mode) -> bool {
    let epoch = Word(tls::get::<{ tls::offset::EPOCH }>());
    let bytes = ((1u64 << size) - 1) << (address & 7);
    let is_in_epoch = |address: u64, extent: u8| {
        // SAFETY: as for `cell`; or the one of a thread without a layout.
        let cell = unsafe { &*(own_layout().cell(address) as *const VarState) };
        let by =
            |word: Word| word.with_extent(Word::WHOLE).is_since(epoch) && word.extent() & extent == extent;
        !mode.writes() && by(cell.load_r()) || by(cell.load_w())
    };
    is_in_epoch(address, bytes as u8) && is_in_epoch(address + 8, (bytes >> 8) as u8)
}
