//! FT-Mutex and FT-CAS, the two implementations of FastTrack that VerifiedFT was measured against (section 4 of the paper, last part).
//!
//! Both are optimistic: W and R are read without a lock, the rule is chosen, and the result is stored only if nothing has changed since; otherwise the
//! handler starts again. They differ in how the result is stored:
//! - `mutex` locks the variable, looks again and stores: the lock write-protects W and R;
//! - `cas` replaces W and R by one 128-bit compare-and-swap.
//!
//! A set of reads is read and changed under the variable's lock in both.
//!
//! The rules are FastTrack's (end of section 3): there is no `[Read Shared Same Epoch]`, and `[Write Shared]` forgets the reads, which `rules` does too for a reason of its own.
//! (The third difference, that `[Join]` increments, belongs to the thread that is joined and changes no race.)
//!
//! *Deviations*: analysis goes on after a race, as in `rules`; a write forgets a set of reads after a race too, for the write then stands for the reads.

use crate::handlers::{fits, is_same_epoch, needs_set};
use crate::rules::{Outcome, Rule};
use crate::sets::Sets;
use crate::thread::{Stamp, ThreadState};
use crate::var::{Pair, VarState};
use crate::word::Word;

macro_rules! handlers {
    ($control:ty) => {
        use crate::rules::Outcome;
        use crate::sets::Sets;
        use crate::thread::{Stamp, ThreadState};
        use crate::var::VarState;

        /// The handler of a read; parameters and result are those of [`crate::handlers::read`], but a stamp may have been taken when it is `None`.
        #[inline]
        pub fn read(
            thread: &mut ThreadState,
            var: &VarState,
            sets: &Sets,
            extent: u8,
            stamp: impl Stamp,
        ) -> Option<Outcome> {
            super::read::<$control>(thread, var, sets, extent, stamp)
        }

        /// The handler of a write, as [`read`].
        #[inline]
        pub fn write(
            thread: &mut ThreadState,
            var: &VarState,
            sets: &Sets,
            extent: u8,
            stamp: impl Stamp,
        ) -> Option<Outcome> {
            super::write::<$control>(thread, var, sets, extent, stamp)
        }
    };
}

/// FT-Mutex.
pub mod mutex {
    handlers!(super::Locked);
}

/// FT-CAS.
pub mod cas {
    handlers!(super::Swapped);
}

/// How what was chosen by a look at `seen` is stored, if the variable still is what was seen.
trait Control {
    fn replace(var: &VarState, seen: Pair, new: Pair) -> bool;
}

struct Locked;

impl Control for Locked {
    fn replace(var: &VarState, seen: Pair, new: Pair) -> bool {
        let Some(held) = Held::of(var, seen) else { return false };
        held.end(seen.r, new);
        true
    }
}

struct Swapped;

impl Control for Swapped {
    fn replace(var: &VarState, seen: Pair, new: Pair) -> bool {
        crate::pair::replace(var, seen, new)
    }
}

/// The lock of a variable that holds what was seen before it was locked.
struct Held<'a>(&'a VarState);

impl<'a> Held<'a> {
    fn of(var: &'a VarState, seen: Pair) -> Option<Held<'a>> {
        let state = var.lock();
        if state != seen {
            var.unlock(state.w);
            return None;
        }
        Some(Held(var))
    }

    fn end(self, r: Word, new: Pair) {
        if new.r != r {
            self.0.set_r(new.r);
        }
        self.0.unlock(new.w);
    }
}

#[inline]
fn read<C: Control>(
    thread: &mut ThreadState,
    var: &VarState,
    sets: &Sets,
    extent: u8,
    mut stamp: impl Stamp,
) -> Option<Outcome> {
    if is_same_epoch(thread, var.load_r(), extent) {
        return Some(Rule::ReadSameEpoch.into()); // [Read Same Epoch]
    }
    loop {
        let seen = var.look();
        let Pair { w, r } = seen;
        // Each condition is about one word, so that W and R may be of different moments here.
        if !fits(seen, extent) || (extent != Word::WHOLE && needs_set(thread, r)) {
            return None;
        }
        // [Write-Read Race]
        let races = !w.is_none() && !thread.covers(w);
        let outcome = |rule: Rule| if races { Outcome::racing(Rule::WriteReadRace, w) } else { rule.into() };
        if !r.is_special() && !needs_set(thread, r) {
            let e = stamp.stamp(thread);
            if C::replace(var, seen, Pair { w, r: e }) {
                return Some(outcome(Rule::ReadExclusive)); // [Read Exclusive]
            }
        } else if let Some(held) = Held::of(var, seen) {
            let e = stamp.stamp(thread);
            let (new, rule) = if r.is_special() {
                (sets.with(r, e, &mut thread.shares), Rule::ReadShared) // [Read Shared]
            } else {
                (sets.pair(r, e, &mut thread.shares), Rule::ReadShare) // [Read Share]
            };
            held.end(r, Pair { w, r: new });
            return Some(outcome(rule));
        }
    }
}

#[inline]
fn write<C: Control>(
    thread: &mut ThreadState,
    var: &VarState,
    sets: &Sets,
    extent: u8,
    mut stamp: impl Stamp,
) -> Option<Outcome> {
    if is_same_epoch(thread, var.load_w(), extent) {
        return Some(Rule::WriteSameEpoch.into()); // [Write Same Epoch]
    }
    loop {
        let seen = var.look();
        let Pair { w, r } = seen;
        if !fits(seen, extent) {
            return None;
        }
        let races = !w.is_none() && !thread.covers(w);
        if !r.is_special() {
            let outcome = if races {
                Outcome::racing(Rule::WriteWriteRace, w) // [Write-Write Race]
            } else if r.is_none() || thread.covers(r) {
                Rule::WriteExclusive.into() // [Write Exclusive]
            } else {
                Outcome::racing(Rule::ReadWriteRace, r) // [Read-Write Race]
            };
            let e = stamp.stamp(thread);
            if C::replace(var, seen, Pair { w: e, r }) {
                return Some(outcome);
            }
        } else if let Some(held) = Held::of(var, seen) {
            let outcome = if races {
                Outcome::racing(Rule::WriteWriteRace, w)
            } else {
                match sets.unknown(r, thread, Word::WHOLE) {
                    None => Rule::WriteShared.into(), // [Write Shared]: W stands for the reads from now on
                    Some(read) => Outcome::racing(Rule::SharedWriteRace, read), // [Shared-Write Race]
                }
            };
            held.end(r, Pair { w: stamp.stamp(thread), r: Word::NONE });
            sets.release(r);
            return Some(outcome);
        }
    }
}
