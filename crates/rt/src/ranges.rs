//! Accesses to many granules at once: ranges, and what a loop with gaps goes through.

use crate::access::{cell, checked_part, noted, plain};
use crate::bias;
use crate::lately::Present;
use crate::prefault::may_be_new;
use crate::quick::{apart, is_in_epoch};
use crate::report;
use crate::sites::Note;
use crate::thread::Thread;
use core::ops::Range;
use deadheat_online::{Pair, VarState, Word, pair};
use deadheat_shadow::{Access, BLOCK, Block, Conflict, Layout, Mode, Stamps, is_flat, is_known, replaced};

/// How far accesses at even distances go, how far they are apart, and to how many bytes each is. Nothing is zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// From the first byte of the first to the last byte of the last.
    pub length: u64,
    /// From the first byte of one to the first byte of the next.
    pub stride: u64,
    /// Bytes of one.
    pub size: u64,
}

/// What a thread has lately accessed in its epoch. To access it again tells nothing new while the memory is what it was: whatever races with the second access races with the first one. Memory that this thread
/// has given back may come again as something else; one that others have given back was not in use, or its `free` was a race.
pub struct Made([Once; Made::ROOM]);

#[derive(Clone, Copy)]
struct Once {
    address: u64,
    run: Run,
    writes: bool,
    present: Present,
}

impl Once {
    fn end(&self) -> u64 {
        self.address.wrapping_add(self.run.length)
    }

    /// To make these accesses is to make all of the others.
    #[inline(always)]
    fn has(&self, other: &Once) -> bool {
        let (run, distance) = (self.run, other.address.wrapping_sub(self.address));
        let is_within = distance <= run.length && other.run.length <= run.length - distance;
        // One without gaps, or the same gaps.
        let meets = || {
            run.size == run.length
                || run.stride == other.run.stride
                    && run.size == other.run.size
                    && (distance == 0 || distance.is_multiple_of(run.stride))
        };
        self.present == other.present && self.writes == other.writes && is_within && meets()
    }
}

impl Made {
    const ROOM: usize = 32;

    pub(crate) const fn new() -> Made {
        let run = Run { length: 0, stride: 0, size: 0 };
        let present = Present { epoch: Word::NONE, changes: 0 };
        Made([Once { address: 0, run, writes: false, present }; Made::ROOM])
    }

    /// By where it ends: loops in loops often begin later each time, and end where they did.
    #[inline]
    fn place(&mut self, it: &Once) -> &mut Once {
        let hash = (it.end() ^ it.writes as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        &mut self.0[hash as usize % Made::ROOM]
    }
}

/// Accesses as a loop makes them; nothing is done if the thread has made them in its epoch.
#[inline]
pub fn once(thread: &mut Thread, address: u64, run: Run, mode: Mode, pc: u64) {
    let it = Once { address, run, writes: mode.writes(), present: thread.present() };
    let quick = thread.quick;
    if quick && thread.made.place(&it).has(&it) {
        return;
    }
    if run.size < run.length {
        strided(thread, address, run, mode, pc);
    } else if !(quick && is_in_epoch(address, run.length, mode)) {
        plain(thread, address, run.length, mode, pc, Note::CALL);
    }
    if quick {
        *thread.made.place(&it) = it;
    }
}

/// Accesses of some bytes each, from one place and at once.
#[inline(never)]
fn strided(thread: &mut Thread, address: u64, run: Run, mode: Mode, pc: u64) {
    let Run { length, stride, size } = run;
    let starts =
        || (0..length.saturating_sub(size - 1)).step_by(stride as usize).map(move |far| address + far);
    if !thread.quick {
        thread.counts.checks += 1;
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
    let mut past = Past::of(thread);
    if !thread.quick || by > 16 || last < first + BLOCK {
        return past.one_by_one(thread, first, last, by, mode);
    }
    let (mut at, mut found) = (first, None);
    while at < last {
        // By 8 or by 16 bytes: in the latter case one lane of each block.
        let gap = at & (by - 1);
        let next = (at / BLOCK + 1) * BLOCK + gap;
        let lane = (gap / 8) as usize;
        // SAFETY: cells of whole blocks are where the layout puts them.
        let block = unsafe { Block::of(cell(at)) };
        let is_all = at % BLOCK == gap && next < last + by;
        let is_decided = is_all
            && block.is_folded()
            && match by {
                8 => past.decides_block(thread, block, [0, 1], mode),
                _ => past.decides_block(thread, block, [lane], mode),
            };
        if !is_decided {
            let next = past.goes_through(thread, at..last.min(next), by, mode);
            found = found.or(next);
            if is_all && past.same as u64 == BLOCK / by {
                past.fold(thread, block, if by == 8 { 0..2 } else { lane..lane + 1 });
            }
        }
        at = next;
    }
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
#[derive(Clone, Copy)]
struct Past {
    /// The beginning of the thread's epoch.
    epoch: Word,
    /// What the last one held that the thread knows all of, and what that became.
    known: Pair,
    new: Pair,
    /// So many were that, one after the other.
    same: u32,
    /// A set in which the thread has read in its epoch.
    set: Word,
    stamp: Word,
}

/// Blocks that a thread may fold at first. Whenever an access finds one folded it may fold one more: then folding pays off.
pub(crate) const FOLDS: u32 = 128;

impl Past {
    /// Something that no cell holds.
    const NOTHING: Word = Word(u64::MAX);

    #[inline(always)]
    fn of(thread: &Thread) -> Past {
        let none = Pair { w: Past::NOTHING, r: Past::NOTHING };
        let epoch = thread.state.epoch();
        Past { epoch, known: none, new: none, same: 0, set: Past::NOTHING, stamp: Word::NONE }
    }

    /// As [`Past::one_by_one`], within a block that is not folded, or not any more afterwards.
    #[inline(never)]
    fn goes_through(
        &mut self,
        thread: &mut Thread,
        part: Range<u64>,
        by: u64,
        mode: Mode,
    ) -> Option<(u64, Conflict)> {
        let cell = cell(part.start);
        thread.owner.claim(cell);
        self.same = 0;
        if may_be_new(cell, cell.seen()) {
            thread.prefault.touch(cell);
        }
        self.one_by_one(thread, part.start, part.end, by, mode)
    }

    /// Decides granule by granule: the first conflict.
    #[inline(always)]
    fn one_by_one(
        &mut self,
        thread: &mut Thread,
        first: u64,
        last: u64,
        by: u64,
        mode: Mode,
    ) -> Option<(u64, Conflict)> {
        let (mut at, mut found) = (first, None);
        while at < last {
            let behind = if thread.quick { self.alike(thread, at, last, by, mode) } else { at };
            if behind > at {
                at = behind;
                continue;
            }
            if !(thread.quick && self.decides(thread, at, mode)) {
                let conflict = checked_part(thread, at, Access { mode, extent: Word::WHOLE });
                found = found.or(conflict.map(|c| (at, c)));
                *self = Past::of(thread);
            }
            at += by;
        }
        found
    }

    /// Granules that hold what the last one held, or are done, up to the first that is neither: the first one behind them. All in one moment of their block's owner, so no further than the block.
    #[inline(always)]
    fn alike(&mut self, thread: &Thread, first: u64, last: u64, by: u64, mode: Mode) -> u64 {
        // A copy, which no store into a cell can change.
        let past = *self;
        let (cells, behind) = (&raw const *cell(first), last.min((first / BLOCK + 1) * BLOCK));
        // SAFETY: as for `cell`; side by side within a block.
        let cell = |at: u64| unsafe { &*cells.byte_add(2 * (at - first) as usize) };
        if !past.is_alike(cell(first).seen(), mode) {
            return first;
        }
        let (is_own, mut at) = (thread.owner.enter(cell(first)), first);
        let is_shared = !is_own && bias::is_shared(cell(first));
        loop {
            let from = at;
            if is_own {
                while at < behind && cell(at).seen() == past.known {
                    cell(at).change(past.known, past.new);
                    at += by;
                }
            } else if is_shared {
                while at < behind
                    && cell(at).seen() == past.known
                    && pair::replace(cell(at), past.known, past.new)
                {
                    at += by;
                }
            }
            self.same += ((at - from) / by) as u32;
            while at < behind && past.is_done_or_read(cell(at).seen(), mode) {
                at += by;
            }
            if at == from || at >= behind {
                break;
            }
        }
        thread.owner.leave();
        at
    }

    #[inline(always)]
    fn is_alike(&self, seen: Pair, mode: Mode) -> bool {
        seen == self.known || self.is_done_or_read(seen, mode)
    }

    /// Nothing is left to do: the thread has done it, or read all that has that set.
    #[inline(always)]
    fn is_done_or_read(&self, seen: Pair, mode: Mode) -> bool {
        self.is_done(seen, mode) || !mode.writes() && seen.r == self.set
    }

    /// The access to a whole granule is decided without its lock, as v2's handlers do it, and with what the granules before it have shown.
    #[inline(always)]
    fn decides(&mut self, thread: &mut Thread, granule: u64, mode: Mode) -> bool {
        let cell = cell(granule);
        let seen = cell.seen();
        if seen == self.known && thread.owner.replace(cell, seen, self.new) {
            self.same += 1;
            return true;
        }
        self.is_done_or_read(seen, mode) || self.decides_anew(thread, granule, mode)
    }

    /// The thread has made the access in its epoch before, or written what it reads: what races with a read races with a write of the same epoch.
    #[inline(always)]
    fn is_done(&self, seen: Pair, mode: Mode) -> bool {
        seen.w.is_since(self.epoch) || !mode.writes() && seen.r.is_since(self.epoch)
    }

    #[inline(never)]
    fn decides_anew(&mut self, thread: &mut Thread, granule: u64, mode: Mode) -> bool {
        let cell = cell(granule);
        let seen = cell.seen();
        if !mode.writes() && thread.has_at_hand(seen.r) {
            self.set = seen.r;
            return true;
        }
        self.same = 1;
        if self.knows(thread, seen, mode) && thread.owner.replace(cell, seen, self.new) {
            return true;
        }
        // Reads of several threads: what the long way comes to, unless W has something against it.
        let is_shared = !mode.writes() && is_flat(seen.w) && (seen.r.is_set() || !seen.r.is_special());
        if is_shared {
            self.same = 0;
            let stamp = self.stamp(thread);
            thread.placer.to(granule, false);
            return apart(thread, granule, Access { mode, extent: Word::WHOLE }, stamp);
        }
        false
    }

    /// What the accesses are remembered by.
    #[inline(always)]
    fn stamp(&mut self, thread: &mut Thread) -> Word {
        if self.stamp.is_none() {
            let Thread { state, placer, .. } = thread;
            self.stamp = placer.here(state);
        }
        self.stamp
    }

    /// The thread knows all of that: from now on it is what is known, and what it becomes.
    #[inline(always)]
    fn knows(&mut self, thread: &mut Thread, seen: Pair, mode: Mode) -> bool {
        seen == self.known || self.learns(thread, seen, mode)
    }

    #[inline(never)]
    fn learns(&mut self, thread: &mut Thread, seen: Pair, mode: Mode) -> bool {
        let is_known = |word: Word| is_flat(word) && is_known(&thread.state, word);
        if !is_known(seen.w) || !is_known(seen.r) {
            return false;
        }
        self.known = seen;
        self.new = replaced(seen, mode, self.stamp(thread));
        true
    }

    /// The access to some lanes of a folded block is decided at once.
    #[inline(always)]
    fn decides_block<const N: usize>(
        &mut self,
        thread: &mut Thread,
        block: Block,
        lanes: [usize; N],
        mode: Mode,
    ) -> bool {
        let is_decided = lanes.iter().all(|lane| block.is_since(*lane, self.epoch, mode))
            || block.change(lanes, |seen| {
                let is_done = self.is_done(seen, mode);
                (is_done || self.knows(thread, seen, mode)).then_some(if is_done { seen } else { self.new })
            });
        thread.folds = thread.folds.saturating_add(is_decided as u32);
        is_decided
    }

    /// Folds a block of which the granules of these lanes have all become what is new. Not the first time that they are accessed: many are never accessed as a whole again.
    #[inline(never)]
    fn fold(&self, thread: &mut Thread, block: Block, lanes: Range<usize>) {
        if thread.folds == 0 || self.known == Pair::default() {
            return;
        }
        let lane = |lane| if lanes.contains(&lane) { self.new } else { block.seen(lane) };
        thread.folds -= 1;
        thread.owner.fold(block, [lane(0), lane(1)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn once(address: u64, length: u64, stride: u64, size: u64) -> Once {
        let present = Present { epoch: Word::NONE, changes: 3 };
        Once { address, run: Run { length, stride, size }, writes: false, present }
    }

    #[test]
    fn parts_of_what_was_made_need_not_be_made() {
        let whole = once(1000, 100, 100, 100);
        assert!(whole.has(&whole) && whole.has(&once(1010, 90, 90, 90)) && whole.has(&once(1004, 88, 16, 8)));
        assert!(!whole.has(&once(999, 101, 101, 101)) && !whole.has(&once(1010, 91, 91, 91)));
        assert!(!whole.has(&once(1100, 8, 8, 8)) && !whole.has(&once(0, 8, 8, 8)));
        assert!(!whole.has(&Once { writes: true, ..whole }), "reads stand for no writes");
        let later = Present { changes: 4, ..whole.present };
        assert!(!whole.has(&Once { present: later, ..whole }), "memory became something else");
    }

    #[test]
    fn gaps_are_not_made() {
        let gaps = once(1000, 88, 16, 8);
        assert!(gaps.has(&gaps) && gaps.has(&once(1032, 56, 16, 8)) && gaps.has(&once(1000, 24, 16, 8)));
        assert!(!gaps.has(&once(1008, 72, 16, 8)), "the others");
        assert!(!gaps.has(&once(1000, 72, 8, 8)) && !gaps.has(&once(1000, 24, 24, 24)));
        assert!(!gaps.has(&once(1000, 84, 16, 4)), "not told apart");
    }
}
