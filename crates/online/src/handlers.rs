//! VerifiedFT v1, v1.5 and v2 (Figures 3 and 4): the rules under the three disciplines of `var`.

use crate::rules::{self, Outcome, Rule};
use crate::sets::Sets;
use crate::thread::ThreadState;
use crate::var::{Pair, VarState};
use crate::word::Word;

/// How far a handler may go before it locks the variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// Not at all.
    V1,
    /// `[Read Same Epoch]` and `[Write Same Epoch]` without the lock.
    V1_5,
    /// `[Read Shared Same Epoch]` too.
    V2,
}

/// The handler of a read of the bytes in `extent`; `stamp` makes the word to remember it by, of that extent.
///
/// `None`: nothing was changed or stamped, and the caller has to look at the bytes one by one: see [`fits`].
#[inline(always)]
pub fn read(
    version: Version,
    thread: &mut ThreadState,
    var: &VarState,
    sets: &Sets,
    extent: u8,
    stamp: impl FnOnce(&mut ThreadState) -> Word,
) -> Option<Outcome> {
    // The pure block of Figure 4, lines 130–135.
    if version != Version::V1 {
        let r = var.load_r();
        if is_same_epoch(thread, r, extent) {
            return Some(Rule::ReadSameEpoch.into());
        }
        if version == Version::V2 && r.is_special() && sets.read_in_epoch(r, thread) {
            return Some(Rule::ReadSharedSameEpoch.into());
        }
    }
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
    stamp: impl FnOnce(&mut ThreadState) -> Word,
) -> Option<Outcome> {
    // The pure block of Figure 4, lines 157–160.
    if version != Version::V1 && is_same_epoch(thread, var.load_w(), extent) {
        return Some(Rule::WriteSameEpoch.into());
    }
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

/// All that is remembered is of exactly those bytes, so that they are one variable. Not so: W is no word of this crate (`shadow` split the granule), an access of other
/// bytes, or a set of reads (always of whole variables) that a part of the variable is compared with.
#[inline]
pub fn fits(state: Pair, extent: u8) -> bool {
    let same = |word: Word| word.is_none() || word.extent() == extent;
    let r = if state.r.is_special() { extent == Word::WHOLE } else { same(state.r) };
    !state.w.is_special() && same(state.w) && r
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
