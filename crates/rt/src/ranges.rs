//! Accesses to many granules at once: ranges, and what a loop with gaps goes through.

use crate::access::{cell, checked_part, noted, plain};
use crate::report;
use crate::sites::Note;
use crate::thread::Thread;
use deadheat_online::{Pair, VarState, Word, handlers, pair};
use deadheat_shadow::{Access, Conflict, Layout, Mode, Stamps, replaced};

/// How far accesses at even distances go, how far they are apart, and to how many bytes each is. Nothing is zero.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// From the first byte of the first to the last byte of the last.
    pub length: u64,
    /// From the first byte of one to the first byte of the next.
    pub stride: u64,
    /// Bytes of one.
    pub size: u64,
}

/// Accesses of some bytes each, from one place and at once.
#[inline(never)]
pub fn strided(thread: &mut Thread, address: u64, run: Run, mode: Mode, pc: u64) {
    let Run { length, stride, size } = run;
    let starts =
        || (0..length.saturating_sub(size - 1)).step_by(stride as usize).map(move |far| address + far);
    if !thread.quick {
        thread.checks += 1;
        return starts().for_each(|at| noted(thread, at, size, mode, pc, Note::CALL));
    }
    if !(address | stride | size).is_multiple_of(8) {
        return starts().for_each(|at| plain(thread, at, size, mode, pc, Note::CALL));
    }
    thread.placer.at(pc, Note::CALL.at(address, size));
    // The first granules of all, then the second: each time a loop with one step. One race is enough to tell, but all accesses are remembered.
    let found = (0..size).step_by(8).fold(None, |found, from| {
        let next = each_of(thread, address + from, address + length - size + from + 8, stride, mode);
        found.or(next)
    });
    if let Some((granule, conflict)) = found {
        report::race(thread, granule, granule, size.min(8), mode, conflict);
    }
}

/// An access to whole granules: the first conflict, and its granule.
#[inline]
pub(crate) fn whole(thread: &mut Thread, first: u64, last: u64, mode: Mode) -> Option<(u64, Conflict)> {
    each_of(thread, first, last, 8, mode)
}

/// Accesses to whole granules, at every so many bytes: a copy for each mode.
fn each_of(thread: &mut Thread, first: u64, last: u64, by: u64, mode: Mode) -> Option<(u64, Conflict)> {
    match (mode.writes(), by) {
        (true, 8) => each(thread, first, last, 8, Mode::Write),
        (false, 8) => each(thread, first, last, 8, Mode::Read),
        (true, _) => each(thread, first, last, by, Mode::Write),
        (false, _) => each(thread, first, last, by, Mode::Read),
    }
}

/// What most granules need is decided here, by the rules for one word; the others go the long way.
#[inline(always)]
fn each(thread: &mut Thread, first: u64, last: u64, by: u64, mode: Mode) -> Option<(u64, Conflict)> {
    let quick = thread.quick;
    let mut found = None;
    let mut past = Past::of(thread);
    each_cell(first, last, by, |granule, cell| {
        if !(quick && past.decides(thread, cell, mode)) {
            let conflict = checked_part(thread, granule, Access { mode, extent: Word::WHOLE });
            found = found.or(conflict.map(|c| (granule, c)));
            past = Past::of(thread);
        }
    });
    found
}

/// Calls `f` with granules at every so many bytes, and their cells. Cells lie side by side within a piece of the layout.
#[inline(always)]
pub(crate) fn each_cell(first: u64, last: u64, by: u64, mut f: impl FnMut(u64, &'static VarState)) {
    let mut at = first;
    while at < last {
        let piece = ((at / Layout::GRAIN + 1) * Layout::GRAIN).min(last);
        let mut cells = cell(at) as *const VarState;
        while at < piece {
            // SAFETY: as for `cell`.
            f(at, unsafe { &*cells });
            (at, cells) = (at + by, cells.wrapping_add(by as usize / 8));
        }
    }
}

/// What the granules of one access had in common so far: neighbours often look the same.
struct Past {
    /// The beginning of the thread's epoch.
    epoch: Word,
    /// What the last one held that the thread knows all of, and what that became.
    known: Pair,
    new: Pair,
    /// A set in which the thread has read in its epoch.
    set: Word,
    stamp: Word,
}

impl Past {
    /// Something that no cell holds.
    const NOTHING: Word = Word(u64::MAX);

    #[inline(always)]
    fn of(thread: &Thread) -> Past {
        let none = Pair { w: Past::NOTHING, r: Past::NOTHING };
        Past { epoch: thread.state.epoch(), known: none, new: none, set: Past::NOTHING, stamp: Word::NONE }
    }

    /// The access to a whole granule is decided without its lock, as v2's handlers do it, and with what the granules before it have shown.
    #[inline(always)]
    fn decides(&mut self, thread: &mut Thread, cell: &VarState, mode: Mode) -> bool {
        let seen = cell.seen();
        if seen == self.known && pair::replace(cell, seen, self.new) {
            return true;
        }
        let is_read = || !mode.writes() && (seen.r.is_since(self.epoch) || seen.r == self.set);
        // What races with a read races with a write of the same epoch.
        seen.w.is_since(self.epoch) || is_read() || self.decides_anew(thread, cell, mode)
    }

    #[inline(never)]
    fn decides_anew(&mut self, thread: &mut Thread, cell: &VarState, mode: Mode) -> bool {
        let seen = cell.seen();
        if !mode.writes() && thread.has_at_hand(seen.r) {
            self.set = seen.r;
            return true;
        }
        if !handlers::is_known(&thread.state, seen.w, seen.r) {
            return false;
        }
        if self.stamp.is_none() {
            let Thread { state, placer, .. } = thread;
            self.stamp = placer.here(state);
        }
        self.known = seen;
        self.new = replaced(seen, mode, self.stamp, Word::WHOLE);
        pair::replace(cell, seen, self.new)
    }
}
