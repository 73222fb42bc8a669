//! The shortest way of an access that is the first of an epoch: aligned, to memory that is the thread's own at present (`bias`), from a place that it has been at in this epoch. Nothing is called here and
//! little is kept, so that there is hardly a stack frame to make; whoever does not come through goes the next longer way (`first`), which decides the same.

use crate::access::{cell, extent};
use crate::bias::Owner;
use crate::first::{self, Way, current, is_plain, leave, told};
use crate::gate;
use crate::prefault::may_be_new;
use crate::sites::Note;
use crate::thread::Thread;
use deadheat_online::{Pair, VarState, Word};
use deadheat_shadow::{Access, Mode};

/// `[Read Exclusive]` or `[Write Exclusive]` of one, two, four or eight bytes, by v2.
#[inline(always)]
pub fn one(address: u64, size: u64, mode: Mode, pc: u64, sort: Note) -> Way {
    let Some(thread) = current() else { return Way::Through };
    let (cell, bytes) = (cell(address & !7), extent(address & 7, size));
    if address & (size - 1) != 0 || !fits(cell.seen(), mode, bytes) {
        return Way::Longer;
    }
    let Some(stamp) = enter(thread, pc, sort.and(Note::size(size as usize))) else { return Way::Longer };
    let is_done = 'done: {
        if !thread.owner.enter(cell) {
            break 'done false;
        }
        let seen = cell.seen();
        if !is_at_hand(thread, seen) || may_be_new(cell, seen) {
            break 'done false;
        }
        let Some(new) = told(seen, Access { mode, extent: bytes }, stamp) else { break 'done false };
        cell.change(seen, new);
        true
    };
    thread.owner.leave();
    leave(thread, is_done)
}

/// As [`one`], of two whole granules.
#[inline(always)]
pub fn two(address: u64, mode: Mode, pc: u64) -> Way {
    let Some(thread) = current() else { return Way::Through };
    let first = cell(address);
    // Both in one block, and so side by side.
    if address & 7 != 0 || !Owner::is_one_block(first, 2) || !fits(first.seen(), mode, Word::WHOLE) {
        return Way::Longer;
    }
    let Some(stamp) = enter(thread, pc, Note::size(16)) else { return Way::Longer };
    let is_done = 'done: {
        if !thread.owner.enter(first) {
            break 'done false;
        }
        // SAFETY: they are in one block.
        let second: &VarState = unsafe { &*(&raw const *first).add(1) };
        let seen = [first.seen(), second.seen()];
        // As a rule they look the same.
        let are_known = is_at_hand(thread, seen[0]) && (seen[1] == seen[0] || is_at_hand(thread, seen[1]));
        if !are_known || may_be_new(first, seen[0]) {
            break 'done false;
        }
        first.change(seen[0], deadheat_shadow::replaced(seen[0], mode, stamp));
        second.change(seen[1], deadheat_shadow::replaced(seen[1], mode, stamp));
        true
    };
    thread.owner.leave();
    leave(thread, is_done)
}

/// One word can tell the access afterwards: the cell is not locked, holds no more than an access each in W and R, and the one that is replaced is of no other bytes. Worth a look before anything else is done.
#[inline(always)]
fn fits(seen: Pair, mode: Mode, bytes: u8) -> bool {
    let own = if mode.writes() { seen.w } else { seen.r };
    is_plain(seen) && own.extent() & !bytes == 0
}

/// A cell holds nothing but accesses that the thread knows, as far as it has that at hand.
#[inline(always)]
fn is_at_hand(thread: &Thread, seen: Pair) -> bool {
    let known = |word: Word| word.is_none() || thread.state.covers_by_memo(word);
    is_plain(seen) && known(seen.w) && known(seen.r)
}

/// The thread is in the runtime from now on: the stamp of that place. None if it is there already, or has not been at that place in its epoch: where epochs are short that is nearly always so.
#[inline(always)]
fn enter(thread: &Thread, pc: u64, note: Note) -> Option<Word> {
    if !first::enter(thread) {
        return None;
    }
    // Not before: the handler of a signal may begin an epoch.
    let stamp = thread.placer.known_stamp(pc, note);
    if stamp.is_none() {
        gate::leave(&thread.busy);
    }
    stamp
}

#[cfg(test)]
mod tests {
    use super::*;
    use deadheat_online::{Clock, Slot};

    #[test]
    fn what_another_byte_or_another_word_is_told_by_does_not_fit() {
        let word = |clock, extent| Word::new(Slot(1), Clock(clock), extent);
        let fits = |mode, w, r, bytes| fits(Pair { w, r }, mode, bytes);
        let none = Word::NONE;
        assert!(fits(Mode::Read, word(1, 0x0f), none, 0xf0) && fits(Mode::Read, none, word(3, 0x30), 0xf0));
        assert!(
            !fits(Mode::Read, none, word(3, 0x31), 0xf0) && !fits(Mode::Write, word(3, 0x80), none, 0x0f)
        );
        assert!(fits(Mode::Write, word(3, 0x0f), word(4, 0x3c), 0x0f));
        assert!(!fits(Mode::Write, Word(Word::LOCK), none, 0xff));
        assert!(!fits(Mode::Write, none, Word(Word::SPECIAL), 0xff));
    }
}
