//! VerifiedFT v1, v1.5 and v2 (Figures 3 and 4): the rules under the three disciplines of `var`.
//!
//! *Deviation*: v2 takes one more step without the lock. What `[Read Exclusive]` and `[Write Exclusive]` do is replace one word, if neither has changed since they were looked at: one
//! compare-and-swap of both instead of locking, storing and unlocking. It fails where the lock is held, so that to all others it is as if the lock had been held.

use crate::pair;
use crate::rules::{self, Outcome, Rule};
use crate::sets::Sets;
use crate::thread::{Stamp, ThreadState};
use crate::var::{Pair, VarState};
use crate::word::Word;

/// How far a handler may go before it locks the variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// Not at all.
    V1,
    /// `[Read Same Epoch]` and `[Write Same Epoch]` without the lock.
    V1_5,
    /// `[Read Shared Same Epoch]` too, and `[Read Exclusive]` and `[Write Exclusive]` in one step.
    V2,
}

/// The handler of a read of the bytes in `extent`; `stamp` makes the word to remember it by, of that extent, the same one if it is asked again.
///
/// `None`: nothing was changed, and the caller has to look at the bytes one by one: see [`fits`].
#[inline(always)]
pub fn read(
    version: Version,
    thread: &mut ThreadState,
    var: &VarState,
    sets: &Sets,
    extent: u8,
    mut stamp: impl Stamp,
) -> Option<Outcome> {
    // The pure block of Figure 4, lines 130–135.
    if version != Version::V1 {
        let seen = var.seen();
        if is_same_epoch(thread, seen.r, extent) {
            return Some(Rule::ReadSameEpoch.into());
        }
        let in_set = || sets.read_in_epoch(seen.r, thread) & extent == extent;
        if version == Version::V2 && seen.r.is_set() && in_set() {
            return Some(Rule::ReadSharedSameEpoch.into());
        }
        if version == Version::V2
            && let Some(r) = exclusive(thread, seen.r, seen.w, extent, &mut stamp)
            && pair::replace(var, seen, Pair { r, ..seen })
        {
            return Some(Rule::ReadExclusive.into());
        }
        if is_seen_not_to_fit(version, seen, extent) {
            return None;
        }
    }
    read_locked(thread, var, sets, extent, &mut stamp)
}

#[inline(never)]
fn read_locked(
    thread: &mut ThreadState,
    var: &VarState,
    sets: &Sets,
    extent: u8,
    stamp: &mut impl Stamp,
) -> Option<Outcome> {
    let state = var.lock();
    if !fits(state, extent) || (extent != Word::WHOLE && needs_set(thread, state.r)) {
        var.unlock(state.w);
        return None;
    }
    let (r, outcome) = rules::read(thread, sets, state, stamp);
    if r != state.r {
        var.set_r(r);
    }
    var.unlock(state.w);
    Some(outcome)
}

/// The handler of a write of the bytes in `extent`, as [`read`].
#[inline(always)]
pub fn write(
    version: Version,
    thread: &mut ThreadState,
    var: &VarState,
    sets: &Sets,
    extent: u8,
    mut stamp: impl Stamp,
) -> Option<Outcome> {
    // The pure block of Figure 4, lines 157–160.
    if version != Version::V1 {
        let seen = var.seen();
        if is_same_epoch(thread, seen.w, extent) {
            return Some(Rule::WriteSameEpoch.into());
        }
        if version == Version::V2
            && let Some(w) = exclusive(thread, seen.w, seen.r, extent, &mut stamp)
            && pair::replace(var, seen, Pair { w, ..seen })
        {
            return Some(Rule::WriteExclusive.into());
        }
        if is_seen_not_to_fit(version, seen, extent) {
            return None;
        }
    }
    write_locked(thread, var, sets, extent, &mut stamp)
}

#[inline(never)]
fn write_locked(
    thread: &mut ThreadState,
    var: &VarState,
    sets: &Sets,
    extent: u8,
    stamp: &mut impl Stamp,
) -> Option<Outcome> {
    let state = var.lock();
    if !fits(state, extent) {
        var.unlock(state.w);
        return None;
    }
    let (new, outcome) = rules::write(thread, sets, state, stamp);
    if new.r != state.r {
        var.set_r(new.r);
    }
    var.unlock(new.w);
    Some(outcome)
}

/// `[Read Exclusive]` and `[Write Exclusive]`: what R, or W, becomes, if what was seen of the variable is not locked and the thread knows both words. `own` is
/// the one that changes. It must be about no other bytes, or have the same stamp.
#[inline(always)]
fn exclusive(
    thread: &mut ThreadState,
    own: Word,
    other: Word,
    extent: u8,
    stamp: &mut impl Stamp,
) -> Option<Word> {
    if !is_known(thread, own, other) {
        return None;
    }
    let new = stamp.stamp(thread);
    let stays = own.extent() & !extent;
    (stays == 0 || new.epoch() == own.epoch()).then(|| new.with_extent(extent | stays))
}

/// Both words are accesses, or none, and the thread knows them.
#[inline(always)]
fn is_known(thread: &ThreadState, a: Word, b: Word) -> bool {
    let known = |word: Word| word.is_none() || thread.covers(word);
    (a.0 | b.0) & Word::OTHER == 0 && known(a) && known(b)
}

/// All that is remembered is of exactly those bytes, so that they are one variable. Not so: W or R is no word of this crate (the bytes have different histories, see `shadow`), an access of
/// other bytes, or a set of reads that a part of the variable is compared with. The lock makes no difference.
#[inline]
pub fn fits(state: Pair, extent: u8) -> bool {
    let same = |word: Word| word.0 & !Word::LOCK == 0 || word.extent() == extent;
    let r = if state.r.is_set() { extent == Word::WHOLE } else { !state.r.is_special() && same(state.r) };
    !state.w.is_special() && same(state.w) && r
}

/// v2 looks before it locks. What it misses is seen by whoever has the lock.
#[inline(always)]
fn is_seen_not_to_fit(version: Version, seen: Pair, extent: u8) -> bool {
    version == Version::V2 && !fits(seen, extent)
}

/// `[Read Same Epoch]` and `[Write Same Epoch]`: the thread itself did that to at least those bytes in its current epoch.
#[inline]
pub(crate) fn is_same_epoch(thread: &ThreadState, word: Word, extent: u8) -> bool {
    word.extent() & extent == extent && thread.is_current(word)
}

/// A read beside that one makes a set.
#[inline]
pub(crate) fn needs_set(thread: &ThreadState, r: Word) -> bool {
    !r.is_none() && !r.is_special() && !thread.covers(r)
}
