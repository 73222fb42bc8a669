//! Accesses that are decided with as little as it takes: those that the thread made in its current epoch before, and the first ones of an epoch, to memory of which the thread knows all earlier
//! accesses. What is decided here is decided as [`handlers`](deadheat_online::handlers) and `shadow` do it; whatever takes more falls back to [`access`](crate::access).

use crate::access::{MEMORY, cell, extent, keep_at_hand};
use crate::gate;
use crate::prefault;
use crate::sites::Note;
use crate::thread::{Thread, bytes_at_hand};
use crate::tls;
use core::sync::atomic::Ordering;
use deadheat_online::{Pair, VarState, Word};
use deadheat_shadow::{Access, Block, Layout, Mode, flatly_replaced, is_flat, latest, replaced, told};

/// A plain access, not the first from its place, to a granule of which the thread knows all earlier accesses: most that are the first of an epoch to their granule are such, and done here
/// with as little as it takes. `[Read Exclusive]` or `[Write Exclusive]`, by v2; or one that is told already. False if it is not such an access, or if the thread is in the runtime already.
/// Signals may wait afterwards: who calls it has to see to them.
#[inline(always)]
pub fn exclusive(thread: &mut Thread, address: u64, size: u64, mode: Mode, pc: u64, note: Note) -> bool {
    let offset = address & 7;
    if !thread.quick || thread.busy.load(Ordering::Relaxed) != 0 {
        return false;
    }
    if offset + size > 8 {
        return across(thread, address, size, mode, pc, note);
    }
    let (cell, access) = (cell(address & !7), Access { mode, extent: extent(offset, size) });
    let seen = cell.seen();
    let own = if mode.writes() { seen.w } else { seen.r };
    let is_plain = (seen.w.0 | seen.r.0) & Word::OTHER == 0 && own.extent() & !access.extent == 0;
    if !is_plain {
        return partly(thread, address & !7, access, pc, note.at(address, size));
    }
    if !is_at_hand(thread, seen) || prefault::may_be_new(cell, seen) || !gate::try_enter(&thread.busy) {
        return false;
    }
    let Thread { state, placer, owner, .. } = &mut *thread;
    let mut is_done = false;
    if let Some(stamp) = placer.at_hand(state, pc, note.at(address, size)) {
        if address & (size - 1) == 0 {
            placer.knows(pc, stamp);
        }
        let new = stamp.with_extent(access.extent);
        let left = seen.r.extent() & !access.extent;
        let r = if left == 0 { Word::NONE } else { seen.r.with_extent(left) };
        let new = if mode.writes() { Pair { w: new, r } } else { Pair { r: new, ..seen } };
        is_done = owner.replace(cell, seen, new);
    }
    gate::leave(&thread.busy);
    is_done
}

/// As [`exclusive`], where some of the granule's bytes have other histories, or will have.
#[inline(never)]
fn partly(thread: &mut Thread, granule: u64, access: Access, pc: u64, note: Note) -> bool {
    let cell = cell(granule);
    let seen = cell.seen();
    // Who goes through a folded block one by one would look at it every time: better to unfold it.
    if seen.w.is_folded() {
        return false;
    }
    if prefault::may_be_new(cell, seen) || !gate::try_enter(&thread.busy) {
        return false;
    }
    let is_done = is_made(thread, granule, seen, access) || {
        let stamp = thread.placer.at_hand(&mut thread.state, pc, note);
        stamp.is_some_and(|stamp| from_place(thread, granule, access, stamp))
    };
    gate::leave(&thread.busy);
    is_done
}

/// The thread, which is in the runtime, has made the access in its epoch, or written what it reads, and its cell holds that.
#[inline(always)]
pub(crate) fn is_made(thread: &mut Thread, granule: u64, seen: Pair, access: Access) -> bool {
    let is_it = |word: Word| {
        let latest = latest(word);
        latest.extent() & access.extent == access.extent && thread.state.is_current(latest)
    };
    if is_flat(seen.w) && is_flat(seen.r) {
        return is_it(seen.w) || !access.mode.writes() && is_it(seen.r);
    }
    thread.has_lately(granule, access) || is_made_apart(thread, granule, access)
}

/// As [`is_made`], where the cell does not tell that by itself. Sets of reads are kept at hand for the fast paths, whatever else is remembered.
#[inline(never)]
fn is_made_apart(thread: &mut Thread, granule: u64, access: Access) -> bool {
    let (cell, present) = (cell(granule), thread.present());
    // `Memory::shared` looks for that itself.
    if is_all_shared(cell, access) {
        return false;
    }
    let is_told = is_told(cell, present.epoch, access)
        || is_shared(cell, access) && keep_at_hand(thread, cell) & access.extent == access.extent;
    if is_told {
        thread.lately.add(granule, access, present);
    }
    is_told
}

/// It is a read beside those of a set.
#[inline(always)]
fn is_shared(cell: &VarState, access: Access) -> bool {
    !access.mode.writes() && cell.load_r().is_set()
}

/// It is a read of all of a granule beside those of a set: whoever makes it again is better off with the set at hand.
#[inline(always)]
fn is_all_shared(cell: &VarState, access: Access) -> bool {
    access.extent == Word::WHOLE && is_shared(cell, access)
}

/// The access was made: if the cell does not tell that by itself, the thread remembers it.
#[inline(always)]
pub(crate) fn remember(thread: &mut Thread, granule: u64, access: Access) {
    let (cell, seen) = (cell(granule), cell(granule).seen());
    if (!is_flat(seen.w) || !is_flat(seen.r)) && !is_all_shared(cell, access) {
        let present = thread.present();
        thread.lately.add(granule, access, present);
    }
}

/// As [`exclusive`], of bytes in two granules side by side. One of them may be done when it says that it has not done both.
#[inline(never)]
fn across(thread: &mut Thread, address: u64, size: u64, mode: Mode, pc: u64, note: Note) -> bool {
    let (bytes, granule) = (((1u32 << size) - 1) << (address & 7), address & !7);
    let mut part =
        |granule, extent| partly(thread, granule, Access { mode, extent }, pc, note.at(address, size));
    part(granule, bytes as u8) && part(granule + 8, (bytes >> 8) as u8)
}

/// As [`exclusive`], to two whole granules. One of them may be done when it says that it has not done both.
#[inline(always)]
pub fn exclusive_two(thread: &mut Thread, address: u64, mode: Mode, pc: u64) -> bool {
    if !thread.quick || !address.is_multiple_of(8) || thread.busy.load(Ordering::Relaxed) != 0 {
        return false;
    }
    let cells = two_cells(address);
    let seen = cells.map(VarState::seen);
    if seen.iter().any(|seen| (seen.w.0 | seen.r.0) & Word::SPECIAL != 0) {
        return is_two_in_epoch(address, mode);
    }
    let are_known = is_at_hand(thread, seen[0]) && (seen[1] == seen[0] || is_at_hand(thread, seen[1]));
    if !are_known || !gate::try_enter(&thread.busy) {
        return false;
    }
    let Thread { state, placer, owner, .. } = &mut *thread;
    let stamp = placer.at_hand(state, pc, Note::size(16));
    stamp.inspect(|stamp| placer.knows(pc, *stamp));
    let done = stamp
        .is_some_and(|stamp| owner.replace_all(cells, seen, seen.map(|seen| replaced(seen, mode, stamp))));
    gate::leave(&thread.busy);
    done
}

/// The cells of two granules side by side.
#[inline(always)]
fn two_cells(granule: u64) -> [&'static VarState; 2] {
    let first = cell(granule);
    let is_in_piece = !(granule + 8).is_multiple_of(Layout::GRAIN);
    // SAFETY: cells lie side by side within a piece of the layout.
    [first, if is_in_piece { unsafe { &*(&raw const *first).add(1) } } else { cell(granule + 8) }]
}

#[cold]
#[inline(never)]
fn is_two_in_epoch(address: u64, mode: Mode) -> bool {
    is_in_epoch(address, 16, mode)
}

/// A cell holds nothing but accesses that the thread knows, as far as it has that at hand.
#[inline(always)]
pub(crate) fn is_at_hand(thread: &Thread, seen: Pair) -> bool {
    let known = |word: Word| word.is_none() || thread.state.covers_by_memo(word);
    (seen.w.0 | seen.r.0) & Word::OTHER == 0 && known(seen.w) && known(seen.r)
}

/// The access from the place of that stamp, by a thread that is in the runtime and has not made it in its epoch. False, and nothing is done, if it takes more.
#[inline]
pub(crate) fn from_place(thread: &mut Thread, granule: u64, access: Access, stamp: Word) -> bool {
    let cell = cell(granule);
    let seen = cell.seen();
    let Thread { state, placer, owner, .. } = &mut *thread;
    placer.to(granule, access.mode.writes());
    let flat = flatly_replaced(state, seen, access, stamp, placer);
    flat.is_some_and(|new| owner.replace(cell, seen, new)) || apart(thread, granule, access, stamp)
}

/// As [`from_place`], under the cell's lock.
#[inline(never)]
fn apart(thread: &mut Thread, granule: u64, access: Access, stamp: Word) -> bool {
    let cell = cell(granule);
    let Thread { state, placer, owner, .. } = &mut *thread;
    owner.claim(cell);
    if is_all_shared(cell, access)
        && let Some(set) = MEMORY.shared(state, cell, stamp)
    {
        thread.has_seen(set, Word::WHOLE);
        return true;
    }
    if !MEMORY.ordered(state, cell, access, stamp, placer) {
        return false;
    }
    if is_shared(cell, access) {
        keep_at_hand(thread, cell);
    }
    remember(thread, granule, access);
    true
}

/// The current thread has accessed all of these bytes in its current epoch, or written what is read, as far as the cells, their lines and the sets at hand tell: nothing is left to check.
#[inline]
pub fn is_in_epoch(address: u64, size: u64, mode: Mode) -> bool {
    let (first, last) = (address & !7, address + size - 1);
    if first / Layout::GRAIN != last / Layout::GRAIN {
        return false;
    }
    let epoch = Word(tls::get::<{ tls::offset::EPOCH }>());
    let cells = own_layout().cell(first) as *const VarState;
    let count = ((last - first) / 8 + 1) as usize;
    // SAFETY: as for `cell`; side by side within a piece. A thread without a layout has two cells for everything, which are of no epoch.
    let cell = |i: usize| unsafe { &*cells.add(i) };
    let extent = |i: usize| {
        let from = if i == 0 { address & 7 } else { 0 };
        let to = if i + 1 == count { last & 7 } else { 7 };
        extent(from, to + 1 - from)
    };
    // Neighbours often have the same set, or what nobody has.
    let mut set = Word(u64::MAX);
    let is_read = |i: usize, set: Word| {
        let r = cell(i).load_r();
        r == set || r.is_since(epoch)
    };
    let is_done = |i: usize, set| !mode.writes() && is_read(i, set) || cell(i).load_w().is_since(epoch);
    let mut from = 0;
    while let Some(i) = (from..count).find(|i| !is_done(*i, set)) {
        let r = cell(i).load_r();
        if !mode.writes() && r.is_set() && bytes_at_hand(r, epoch) == Word::WHOLE {
            (set, from) = (r, i + 1);
            continue;
        }
        from = i + match Block::rest_since(cell(i), epoch, mode) {
            0 if is_told(cell(i), epoch, Access { mode, extent: extent(i) }) => 1,
            0 => return false,
            rest => rest,
        };
    }
    true
}

/// As [`is_in_epoch`], of one granule.
#[inline(never)]
pub(crate) fn is_told(cell: &VarState, epoch: Word, access: Access) -> bool {
    if access.mode.writes() {
        return told(cell, epoch, Access { mode: Mode::Write, ..access }) == access.extent;
    }
    let told = told(cell, epoch, Access { mode: Mode::Read, ..access });
    told == access.extent || (told | bytes_at_hand(cell.load_r(), epoch)) & access.extent == access.extent
}

/// The layout, as the current thread has it at hand.
#[inline(always)]
fn own_layout() -> Layout {
    Layout { mask: tls::get::<{ tls::offset::MASK }>(), base: tls::get::<{ tls::offset::BASE }>() }
}

/// As [`is_in_epoch`], of bytes in two granules side by side, and as far as the cells themselves tell, or the thread remembers.
#[inline(always)]
pub fn is_in_epoch_across(address: u64, size: u64, mode: Mode) -> bool {
    let epoch = Word(tls::get::<{ tls::offset::EPOCH }>());
    let bytes = ((1u64 << size) - 1) << (address & 7);
    let told = |granule: u64, extent: u8| {
        // SAFETY: as for `cell`; or the one of a thread without a layout.
        let cell = unsafe { &*(own_layout().cell(granule) as *const VarState) };
        let by =
            |word: Word| word.with_extent(Word::WHOLE).is_since(epoch) && word.extent() & extent == extent;
        !mode.writes() && by(cell.load_r()) || by(cell.load_w())
    };
    let [first, second] = [(address & !7, bytes as u8), ((address & !7) + 8, (bytes >> 8) as u8)];
    match [told(first.0, first.1), told(second.0, second.1)] {
        [true, true] => true,
        [false, true] => is_remembered(first.0, Access { mode, extent: first.1 }),
        [true, false] => is_remembered(second.0, Access { mode, extent: second.1 }),
        [false, false] => {
            [first, second].iter().all(|(at, extent)| is_remembered(*at, Access { mode, extent: *extent }))
        }
    }
}

/// The current thread remembers the access, and no signal waits.
#[inline(always)]
fn is_remembered(granule: u64, access: Access) -> bool {
    // SAFETY: the current thread's object, if it has one, which only it touches.
    let Some(thread) = (unsafe { tls::thread().as_mut() }) else { return false };
    if !thread.quick || thread.busy.load(Ordering::Relaxed) != 0 || !gate::try_enter(&thread.busy) {
        return false;
    }
    let has = thread.has_lately(granule, access);
    gate::leave(&thread.busy);
    has && !thread.pending
}
