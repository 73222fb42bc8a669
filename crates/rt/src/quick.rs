//! Accesses that are decided with as little as it takes: those that the thread made in its current epoch before, whatever tells that, and what the first ones of an epoch come to that W and R as they are cannot tell
//! (`from_place`). What is decided here is decided as [`handlers`](deadheat_online::handlers) and `shadow` do it; whatever takes more falls back to [`access`](crate::access).

use crate::access::{MEMORY, cell, extent, keep_at_hand};
use crate::lately;
use crate::thread::{Thread, bytes_at_hand};
use crate::tls;
use deadheat_online::{Pair, VarState, Word};
use deadheat_shadow::{Access, Block, Layout, Mode, flatly_replaced, is_flat, latest, told};

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
    lately::has(granule, access) || is_made_apart(thread, granule, access)
}

/// As [`is_made`], where the cell does not tell that by itself. Sets of reads are kept at hand for the fast paths, whatever else is remembered.
#[inline(never)]
fn is_made_apart(thread: &mut Thread, granule: u64, access: Access) -> bool {
    let (cell, epoch) = (cell(granule), thread.state.epoch());
    // `Memory::shared` looks for that itself.
    if is_all_shared(cell, access) {
        return false;
    }
    let is_told = is_told(cell, epoch, access)
        || is_shared(cell, access) && keep_at_hand(thread, cell) & access.extent == access.extent;
    if is_told {
        thread.lately.add(granule, access);
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
        thread.lately.add(granule, access);
    }
}

/// The access from the place of that stamp, by a thread that is in the runtime and has not made it in its epoch. False, and nothing is done, if it takes more.
#[inline]
pub(crate) fn from_place(thread: &mut Thread, granule: u64, access: Access, stamp: Word) -> bool {
    let cell = cell(granule);
    let seen = cell.seen();
    let Thread { state, placer, owner, .. } = &mut *thread;
    placer.to(granule, access.mode.writes());
    let flat = flatly_replaced(state, seen, access, stamp, placer);
    flat.is_some_and(|new| owner.takes(cell, seen, new)) || apart(thread, granule, access, stamp)
}

/// `[Read Shared]` of bytes that all reads of a set are of, in a block that was claimed. False, and nothing is done, if it is not such a case.
#[inline]
pub(crate) fn share(thread: &mut Thread, granule: u64, extent: u8, stamp: Word) -> bool {
    let read = stamp.with_extent(extent);
    let Some((set, told)) = MEMORY.shared(&mut thread.state, cell(granule), read) else { return false };
    thread.has_seen(set, told);
    true
}

/// As [`from_place`], under the cell's lock; the placer knows which granule it is.
#[inline(never)]
pub(crate) fn apart(thread: &mut Thread, granule: u64, access: Access, stamp: Word) -> bool {
    let cell = cell(granule);
    thread.owner.claim(cell);
    if is_all_shared(cell, access) && share(thread, granule, access.extent, stamp) {
        return true;
    }
    let Thread { state, placer, .. } = &mut *thread;
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

/// The cell of the granule at that address, to the current thread: the one of all memory, to a thread that has no layout.
#[inline(always)]
pub(crate) fn own_cell(granule: u64) -> &'static VarState {
    // SAFETY: as for `cell`; or the one of a thread without a layout.
    unsafe { &*(own_layout().cell(granule) as *const VarState) }
}

/// The layout, as the current thread has it at hand.
#[inline(always)]
fn own_layout() -> Layout {
    Layout { mask: tls::get::<{ tls::offset::MASK }>(), base: tls::get::<{ tls::offset::BASE }>() }
}
