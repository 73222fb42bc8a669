//! Plain accesses to granules: the cell if it can tell them, its detail if not.

use crate::detail::{Attachment, Detail};
use crate::open::Open;
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

    /// A stamp of the thread's current epoch that stands for `new` at the bytes of `extent` and for `old` at the others.
    fn merged(&mut self, thread: &mut ThreadState, old: Word, new: Word, extent: u8) -> Word;
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
        let mut open = unsafe { Open::<T>::lock(cell, self) };
        if let Some(detail) = open.detail_if_any() {
            let result = detail.plain(thread, &self.sets, access, stamps);
            open.collapse(thread, stamps);
            return result;
        }
        match self.inline(thread, open.state(), access, stamps) {
            Some((state, rule, conflict)) => {
                open.set(state);
                (rule, conflict)
            }
            None => {
                let result = open.detail().plain(thread, &self.sets, access, stamps);
                open.collapse(thread, stamps);
                result
            }
        }
    }

    /// The access by the rules of Figure 2, if the new state still fits the cell.
    #[inline]
    fn inline(
        &self,
        thread: &mut ThreadState,
        state: Pair,
        access: Access,
        stamps: &mut impl Stamps,
    ) -> Option<(Pair, Rule, Option<Conflict>)> {
        let Access { mode, extent } = access;
        let Pair { w, r } = state;
        let conflict = |word: Word, mode| {
            let byte = (word.extent() & extent).trailing_zeros() as u8;
            Some(Conflict { prior: word, mode, byte })
        };
        let meets = |word: Word| word.extent() & extent != 0;
        let unordered = |thread: &ThreadState, word: Word| meets(word) && !thread.covers(word);
        if mode.writes() {
            if covered(thread, w, extent) {
                return Some((state, Rule::WriteSameEpoch, None)); // [Write Same Epoch]
            }
            if !Memory::fits(thread, w, extent) {
                return None;
            }
            let (rule, race) = if unordered(thread, w) {
                (Rule::WriteWriteRace, conflict(w, Mode::Write)) // [Write-Write Race]
            } else if r.is_special() {
                match self.sets.unknown(r, thread) {
                    None => (Rule::WriteShared, None), // [Write Shared]
                    Some(read) => {
                        let byte = extent.trailing_zeros() as u8;
                        let race = Conflict { prior: read, mode: Mode::Read, byte };
                        (Rule::SharedWriteRace, Some(race)) // [Shared-Write Race]
                    }
                }
            } else if unordered(thread, r) {
                (Rule::ReadWriteRace, conflict(r, Mode::Read)) // [Read-Write Race]
            } else {
                (Rule::WriteExclusive, None) // [Write Exclusive]
            };
            // All reads, of the whole granule, are ordered before this write of all of it.
            let forget = rule == Rule::WriteShared && extent == Word::WHOLE;
            if forget {
                self.sets.release(r);
            }
            let r = if forget { Word::NONE } else { r };
            let w = Memory::over(thread, w, extent, stamps);
            return Some((Pair { w, r }, rule, race));
        }
        if r.is_special() {
            if self.sets.read_in_epoch(r, thread) {
                return Some((state, Rule::ReadSharedSameEpoch, None)); // [Read Shared Same Epoch]
            }
            if extent != Word::WHOLE {
                return None;
            }
        } else if covered(thread, r, extent) {
            return Some((state, Rule::ReadSameEpoch, None)); // [Read Same Epoch]
        }
        let exclusive = !r.is_special() && (r.is_none() || thread.covers(r));
        if exclusive && !Memory::fits(thread, r, extent) {
            return None;
        }
        if !exclusive && !r.is_special() && (r.extent() != Word::WHOLE || extent != Word::WHOLE) {
            return None;
        }
        let race = if unordered(thread, w) { conflict(w, Mode::Write) } else { None };
        let (r, rule) = if r.is_special() {
            let e = stamps.here(thread);
            (self.sets.with(r, e, &mut thread.shares), Rule::ReadShared) // [Read Shared]
        } else if exclusive {
            (Memory::over(thread, r, extent, stamps), Rule::ReadExclusive) // [Read Exclusive]
        } else {
            let e = stamps.here(thread);
            (self.sets.pair(r, e, &mut thread.shares), Rule::ReadShare) // [Read Share]
        };
        // [Write-Read Race]
        let rule = if race.is_some() { Rule::WriteReadRace } else { rule };
        Some((Pair { w, r }, rule, race))
    }

    /// A word in the cell can be replaced by one for this extent: nothing of it stays, or what stays is of the thread's current epoch.
    fn fits(thread: &ThreadState, word: Word, extent: u8) -> bool {
        word.extent() & !extent == 0 || thread.is_current(word)
    }

    /// The word for an access from the current place over what was there.
    fn over(thread: &mut ThreadState, old: Word, extent: u8, stamps: &mut impl Stamps) -> Word {
        let new = stamps.here(thread);
        let stays = old.extent() & !extent;
        if stays == 0 {
            return new.with_extent(extent);
        }
        let merged = if old.epoch() == new.epoch() { new } else { stamps.merged(thread, old, new, extent) };
        merged.with_extent(stays | extent)
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
        let mut open = unsafe { Open::<T>::lock(cell, self) };
        if let Some(detail) = open.detail_if_any() {
            detail.forget(extent, &self.sets);
            return open.collapse_if_empty();
        }
        let Pair { w, r } = open.state();
        if r.is_special() && extent != Word::WHOLE {
            open.detail().forget(extent, &self.sets);
            return;
        }
        if r.is_special() {
            self.sets.release(r);
            return open.set(Pair { w: rest(w, extent), r: Word::NONE });
        }
        open.set(Pair { w: rest(w, extent), r: rest(r, extent) });
    }
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new()
    }
}

/// The word is of the thread's current epoch and about all of the extent.
fn covered(thread: &ThreadState, word: Word, extent: u8) -> bool {
    word.extent() & extent == extent && thread.is_current(word)
}

/// What is left of a word when the extent is forgotten.
fn rest(word: Word, extent: u8) -> Word {
    let stays = word.extent() & !extent;
    if stays == 0 { Word::NONE } else { word.with_extent(stays) }
}

impl<T> core::fmt::Debug for Detail<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Detail").finish_non_exhaustive()
    }
}
