//! Plain accesses to granules: the cell if it can tell them, its detail if not.

use crate::detail::{Attachment, Detail};
use crate::history::{History, is_flat};
use crate::open::{Open, Version};
use crate::two::grown;
use deadheat_online::{Pair, Rule, Sets, ThreadState, VarState, Word};

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Mode {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
}

impl Mode {
    /// It changes memory.
    pub fn writes(self) -> bool {
        matches!(self, Mode::Write | Mode::AtomicWrite)
    }
}

/// An access to some bytes of a granule.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// What it does.
    pub mode: Mode,
    /// To which bytes.
    pub extent: u8,
}

/// An earlier access that nothing orders before this one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// Whose and when.
    pub prior: Word,
    /// What it did.
    pub mode: Mode,
    /// A byte of the granule that both touched.
    pub byte: u8,
}

impl Conflict {
    /// With an earlier access that did that, of an access to those bytes.
    pub fn new(prior: Word, mode: Mode, extent: u8) -> Conflict {
        Conflict { prior, mode, byte: (prior.extent() & extent).trailing_zeros() as u8 }
    }

    /// What the earlier access of a race by that rule did.
    pub fn mode_of(rule: Rule) -> Mode {
        match rule {
            Rule::ReadWriteRace | Rule::SharedWriteRace => Mode::Read,
            _ => Mode::Write,
        }
    }
}

/// Where stamps come from: they say, beside when, from which place of the program.
pub trait Stamps {
    /// The stamp of an access from the current place, with the extent [`Word::WHOLE`].
    fn here(&mut self, thread: &mut ThreadState) -> Word;

    /// A stamp of the thread's current epoch that stands, in the granule that the thread accesses, for `old` at the bytes of its extent, and for `new` at those of its own.
    fn merged(&mut self, thread: &mut ThreadState, old: Word, new: Word) -> Word;
}

/// What accesses need beside a cell.
pub struct Memory {
    /// All sets of reads.
    pub sets: Sets,
}

impl Memory {
    /// Nothing remembered.
    pub const fn new() -> Memory {
        Memory { sets: Sets::new() }
    }

    /// A plain access to some bytes of the cell's granule.
    ///
    /// # Safety
    /// Cells whose W is special must hold a `Detail<T>` of that same `T`.
    #[inline]
    pub unsafe fn access<T: Attachment>(
        &self,
        thread: &mut ThreadState,
        cell: &VarState,
        access: Access,
        stamps: &mut impl Stamps,
    ) -> (Rule, Option<Conflict>) {
        // SAFETY: as the caller promises.
        let mut open = unsafe { Open::<T>::lock(cell) };
        let Some(detail) = open.detail_if_any() else {
            let (state, rule, conflict) = self.plain(thread, open.state(), access, stamps);
            open.set(state);
            return (rule, conflict);
        };
        let atomic = detail.atomics.check(thread, access);
        let (state, rule, conflict) = self.plain(thread, detail.state, access, stamps);
        detail.state = state;
        if access.mode.writes() {
            detail.overwritten(access.extent);
            open.set_version(Version::NONE);
            open.collapse();
        }
        (rule, atomic.or(conflict))
    }

    /// A plain access to some bytes of the cell's granule, from the place of that stamp, that is ordered after all that it conflicts with: `[Read Exclusive]`, `[Read Share]`, `[Read Shared]`, `[Write Exclusive]` or
    /// `[Write Shared]`, by a thread that has not made it in its current epoch. False, and nothing is done, if it is not such a case, or if the cell is locked.
    #[inline(never)]
    pub fn ordered(
        &self,
        thread: &mut ThreadState,
        cell: &VarState,
        access: Access,
        stamp: Word,
        stamps: &mut impl Stamps,
    ) -> bool {
        change(cell, |state| self.over(thread, state, access, stamp, stamps))
    }

    /// What W and R become by an access that is ordered after all that it conflicts with; None if it takes more to tell.
    #[inline(always)]
    fn over(
        &self,
        thread: &mut ThreadState,
        state: Pair,
        access: Access,
        stamp: Word,
        stamps: &mut impl Stamps,
    ) -> Option<Pair> {
        let Access { mode, extent } = access;
        let (w, r, sets) = (History(state.w), History(state.r), &self.sets);
        if !mode.writes() {
            if !w.is_known(thread, extent) {
                return None;
            }
            let told = r.after(thread, sets, access, stamp, stamps);
            let r = told.unwrap_or_else(|| r.read(thread, sets, stamp.with_extent(extent), stamps));
            return Some(Pair { r: r.0, ..state });
        }
        let is_known =
            if r.is_set() { sets.unknown(r.0, thread, extent).is_none() } else { r.is_known(thread, extent) };
        let w = if is_known { w.after(thread, sets, access, stamp, stamps)? } else { return None };
        // [Write Shared] [Write Exclusive] The write stands for the reads of its bytes, which are all ordered before it.
        let r = if r.is_set() { r.settled(thread, sets, extent) } else { r.without_some(extent) };
        Some(Pair { w: w.0, r: r.0 })
    }

    /// `[Read Shared]` of the bytes that all reads of the set are of, or of a whole granule, remembered by that word, or `[Read Shared Same Epoch]`: the set that R names afterwards, and the bytes of which it has
    /// a read of the thread's epoch. None, and nothing is done, if it is not such a case, or if the cell is locked.
    #[inline]
    pub fn shared(&self, thread: &mut ThreadState, cell: &VarState, read: Word) -> Option<(Word, u8)> {
        // A thread that is in the set stays there as it is: another place would make another set, and all others would have to look at it again.
        let (seen, extent) = (cell.load_r(), read.extent());
        let told = if seen.is_set() { self.sets.read_in_epoch(seen, thread) } else { 0 };
        if told & extent == extent {
            return Some((seen, told));
        }
        let Pair { w, r } = cell.lock_at_once()?;
        let is_alike = || extent == Word::WHOLE || self.sets.are_all_of(r, extent);
        let new = if r.is_set() && History(w).is_known(thread, extent) && is_alike() {
            self.sets.with(r, read, &mut thread.shares)
        } else {
            Word::NONE
        };
        if !new.is_none() {
            cell.set_r(new);
        }
        cell.unlock(w);
        new.is_set().then_some((new, extent))
    }

    /// The access by the rules of Figure 2, byte by byte.
    #[inline]
    fn plain(
        &self,
        thread: &mut ThreadState,
        state: Pair,
        access: Access,
        stamps: &mut impl Stamps,
    ) -> (Pair, Rule, Option<Conflict>) {
        let Access { mode, extent } = access;
        let sets = &self.sets;
        let (w, r) = (History(state.w), History(state.r));
        let conflict = |prior: Word, mode| Some(Conflict::new(prior, mode, extent));
        if mode.writes() {
            if w.current(thread, sets) & extent == extent {
                return (state, Rule::WriteSameEpoch, None); // [Write Same Epoch]
            }
            let (rule, race) = if let Some(prior) = w.unordered(thread, sets, extent) {
                (Rule::WriteWriteRace, conflict(prior, Mode::Write)) // [Write-Write Race]
            } else if let Some(prior) = r.unordered(thread, sets, extent) {
                let rule = if r.is_set() { Rule::SharedWriteRace } else { Rule::ReadWriteRace };
                (rule, conflict(prior, Mode::Read)) // [Read-Write Race] [Shared-Write Race]
            } else {
                (if r.is_set() { Rule::WriteShared } else { Rule::WriteExclusive }, None) // [Write Shared] [Write Exclusive]
            };
            let r = if rule == Rule::WriteShared { r.settled(thread, sets, extent) } else { r };
            let new = stamps.here(thread).with_extent(extent);
            return (Pair { w: w.written(thread, new, stamps).0, r: r.0 }, rule, race);
        }
        if r.current(thread, sets) & extent == extent {
            let rule = if r.is_set() { Rule::ReadSharedSameEpoch } else { Rule::ReadSameEpoch };
            return (state, rule, None); // [Read Same Epoch] [Read Shared Same Epoch]
        }
        let race = w.unordered(thread, sets, extent);
        let new = stamps.here(thread).with_extent(extent);
        let new = r.read(thread, sets, new, stamps);
        let rule = match (race, r.is_set(), new.is_set()) {
            (Some(_), ..) => Rule::WriteReadRace,        // [Write-Read Race]
            (None, true, _) => Rule::ReadShared,         // [Read Shared]
            (None, false, true) => Rule::ReadShare,      // [Read Share]
            (None, false, false) => Rule::ReadExclusive, // [Read Exclusive]
        };
        (Pair { w: w.0, r: new.0 }, rule, race.and_then(|prior| conflict(prior, Mode::Write)))
    }

    /// Forgets what is remembered of those bytes of a granule, and what is attached to them.
    ///
    /// # Safety
    /// As [`Memory::access`].
    pub unsafe fn forget<T: Attachment>(&self, cell: &VarState, extent: u8) {
        let (w, r) = (cell.load_w(), cell.load_r());
        if w.is_none() && r.is_none() {
            return;
        }
        // SAFETY: as the caller promises.
        let mut open = unsafe { Open::<T>::lock(cell) };
        let forgotten = |history| History(history).without(&self.sets, extent).0;
        let less = |state: Pair| Pair { w: forgotten(state.w), r: forgotten(state.r) };
        match open.detail_if_any() {
            Some(detail) => {
                detail.state = less(detail.state);
                detail.forget(extent);
                open.set_version(Version::NONE);
                open.collapse();
            }
            None => open.set(less(open.state())),
        }
    }
}

/// W and R after an access to a whole granule that is ordered after all that they tell, and that is remembered by that word. A write stands for earlier reads: whatever races with
/// one of them races with the write too, which comes after it. They are forgotten, so that the next reads, of whatever bytes, do not have to be put beside them.
#[inline(always)]
pub fn replaced(seen: Pair, mode: Mode, new: Word) -> Pair {
    if mode.writes() { Pair { w: new, r: Word::NONE } } else { Pair { r: new, ..seen } }
}

/// Changes what a cell holds, under its lock. False, and nothing is done, if it is to stay as it is, or if the cell is locked.
#[inline(always)]
pub(crate) fn change(cell: &VarState, new: impl FnOnce(Pair) -> Option<Pair>) -> bool {
    let Some(state) = cell.lock_at_once() else { return false };
    let new = new(state);
    let Pair { w, r } = new.unwrap_or(state);
    if r != state.r {
        cell.set_r(r);
    }
    cell.unlock(w);
    new.is_some()
}

/// As [`replaced`], of an access to some bytes of a granule whose W and R both are flat ([`is_flat`]). None if they are not, if they would not be so afterwards, or if the thread does not know all that they tell.
#[inline(always)]
pub fn flatly_replaced(
    thread: &mut ThreadState,
    seen: Pair,
    access: Access,
    stamp: Word,
    stamps: &mut impl Stamps,
) -> Option<Pair> {
    let Access { mode, extent } = access;
    let new = stamp.with_extent(extent);
    let is_known = |word: Word| is_flat(word) && History(word).is_flatly_known(thread);
    let (own, other) = if mode.writes() { (seen.w, seen.r) } else { (seen.r, seen.w) };
    // Whoever made the latest of two knew the other one.
    let grown = grown(own, new);
    if !is_known(other) {
        return None;
    }
    let own = match grown {
        Some(grown) => grown,
        None => History(own).flatly_over(thread, new, stamps)?,
    };
    Some(if mode.writes() {
        Pair { w: own, r: History(other).flatly_without(extent) }
    } else {
        Pair { w: other, r: own }
    })
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new()
    }
}

impl<T> core::fmt::Debug for Detail<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Detail").finish_non_exhaustive()
    }
}
