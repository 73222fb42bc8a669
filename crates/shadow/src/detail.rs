//! A granule told byte by byte: what a cell points to when its bytes have different histories, atomics, or something attached.

use crate::access::{Access, Conflict, Mode, Stamps};
use crate::atomics::Atomics;
use crate::parts::{Part, Parts};
use deadheat_online::{Pair, Rule, Sets, ThreadState, Word, rules};

/// What is attached to the addresses of a granule beside their history.
pub trait Attachment: Default {
    /// A plain access wrote these bytes.
    fn overwritten(&mut self, extent: u8);
    /// These bytes are no longer what they were: given back, or fresh.
    fn forget(&mut self, extent: u8);
    /// Nothing is attached.
    fn is_empty(&self) -> bool;
}

impl Attachment for () {
    fn overwritten(&mut self, _: u8) {}
    fn forget(&mut self, _: u8) {}
    fn is_empty(&self) -> bool {
        true
    }
}

/// The history of each byte, the atomic accesses, and what is attached. Touched under the cell's lock only.
pub struct Detail<T> {
    parts: Parts,
    atomics: Atomics,
    /// What is attached.
    pub attached: T,
}

impl<T: Attachment> Detail<T> {
    /// The detail of a cell in that state, whose hold on a set of reads it takes over.
    pub fn of(state: Pair, sets: &Sets) -> Detail<T> {
        let mut parts = Parts::default();
        let Pair { w, r } = state;
        let read = if r.is_special() { Word::WHOLE } else { r.extent() };
        let written = if w.is_none() { 0 } else { w.extent() };
        for extent in [written & read, written & !read, read & !written] {
            let of = |word, all: u8| if extent & all != 0 { word } else { Word::NONE };
            let state = Pair { w: of(plain(w), written), r: of(plain(r), read) };
            if extent != 0 {
                parts.push(Part { extent, state });
            }
        }
        if r.is_special() {
            (1..parts.as_slice().len()).for_each(|_| sets.retain(r));
        }
        Detail { parts, atomics: Atomics::default(), attached: T::default() }
    }

    /// A plain access to the bytes of its extent, each part by the rules.
    pub fn plain(
        &mut self,
        thread: &mut ThreadState,
        sets: &Sets,
        access: Access,
        stamps: &mut impl Stamps,
    ) -> (Rule, Option<Conflict>) {
        let Access { mode, extent } = access;
        let mut conflict = self.atomics.check(thread, access);
        self.parts.cut(extent, sets);
        let fresh = extent & !self.parts.extent();
        if fresh != 0 {
            self.parts.push(Part { extent: fresh, state: Pair::default() });
        }
        let mut stamp = None;
        let mut stamp = |thread: &mut ThreadState| *stamp.get_or_insert_with(|| stamps.here(thread));
        let mut last = Rule::ReadSameEpoch;
        for Part { extent, state } in
            self.parts.as_mut_slice().iter_mut().filter(|part| part.extent & extent != 0)
        {
            let outcome;
            if mode.writes() {
                (*state, outcome) = rules::write(thread, sets, *state, &mut stamp);
            } else {
                (state.r, outcome) = rules::read(thread, sets, *state, &mut stamp);
            }
            last = outcome.rule;
            if let (Some(prior), None) = (outcome.race(), conflict) {
                let byte = extent.trailing_zeros() as u8;
                conflict = Some(Conflict { prior, mode: Conflict::mode_of(outcome.rule), byte });
            }
        }
        self.parts.unite(sets);
        if mode.writes() {
            self.atomics.forget(extent);
            self.attached.overwritten(extent);
        }
        (last, conflict)
    }

    /// An atomic access: checked against the plain ones, and remembered.
    pub fn atomic(
        &mut self,
        thread: &mut ThreadState,
        sets: &Sets,
        access: Access,
        stamps: &mut impl Stamps,
    ) -> Option<Conflict> {
        let touched = self.parts.as_slice().iter().filter(|part| part.extent & access.extent != 0);
        let conflict = touched.filter_map(|part| unordered(thread, sets, access, part)).next();
        self.atomics.record(thread, access, stamps);
        conflict
    }

    /// What the cell can hold instead of this detail after a plain access by the thread, if the bytes agree: their accesses are the same, or differ
    /// only in what the thread did in its current epoch. The first part's hold on a set of reads becomes the cell's.
    pub fn collapsed(
        &mut self,
        thread: &mut ThreadState,
        sets: &Sets,
        stamps: &mut impl Stamps,
    ) -> Option<Pair> {
        if !self.atomics.is_empty() || !self.attached.is_empty() {
            return None;
        }
        // All is told apart first: what is stamped for W must not be lost if R does not agree.
        let parts = self.parts.as_slice();
        let shared = parts.iter().any(|part| part.state.r.is_special());
        let reads_agree = if shared {
            self.parts.extent() == Word::WHOLE && sets_agree(parts, thread, sets)
        } else {
            agree(parts, |p| p.state.r, thread)
        };
        if !reads_agree || !agree(parts, |p| p.state.w, thread) {
            return None;
        }
        let w = united(parts, |p| p.state.w, thread, stamps);
        if !shared {
            return Some(Pair { w, r: united(parts, |p| p.state.r, thread, stamps) });
        }
        let slot = thread.slot();
        if parts.iter().any(|part| part.state.r != parts[0].state.r) {
            let own = |part: &Part| sets.entry(part.state.r, slot).unwrap_or_default();
            let own = united(parts, own, thread, stamps).with_extent(Word::WHOLE);
            let first = &mut self.parts.as_mut_slice()[0].state.r;
            *first = sets.with(*first, own, &mut thread.shares);
        }
        self.parts.as_slice().first().map(|part| Pair { w, r: part.state.r })
    }

    /// The sets that this detail holds are let go of, but for the first part's if the cell takes that over.
    pub fn let_go(&self, sets: &Sets, but_first: bool) {
        let held = self.parts.as_slice().iter().skip(but_first as usize);
        held.filter(|part| part.state.r.is_special()).for_each(|part| sets.release(part.state.r));
    }

    /// Forgets the accesses to those bytes, and what is attached to them.
    pub fn forget(&mut self, extent: u8, sets: &Sets) {
        self.parts.forget(extent, sets);
        self.atomics.forget(extent);
        self.attached.forget(extent);
    }

    /// Nothing is remembered and nothing attached.
    pub fn is_empty(&self) -> bool {
        self.atomics.is_empty() && self.attached.is_empty() && self.parts.as_slice().is_empty()
    }
}

/// The word in a part: of all its bytes.
fn plain(word: Word) -> Word {
    if word.is_special() { word } else { word.with_extent(Word::WHOLE) }
}

/// A plain access in the part that an atomic one conflicts with and does not know.
fn unordered(thread: &ThreadState, sets: &Sets, access: Access, part: &Part) -> Option<Conflict> {
    let Pair { w, r } = part.state;
    let byte = (part.extent & access.extent).trailing_zeros() as u8;
    let found = |prior, mode| Some(Conflict { prior, mode, byte });
    if !w.is_none() && !thread.covers(w) {
        return found(w, Mode::Write);
    }
    if !access.mode.writes() || r.is_none() {
        return None;
    }
    if r.is_special() {
        return sets.unknown(r, thread).and_then(|read| found(read, Mode::Read));
    }
    if thread.covers(r) { None } else { found(r, Mode::Read) }
}

/// The words of the parts that have one are the same, or all of the thread's current epoch.
fn agree(parts: &[Part], of: impl Fn(&Part) -> Word, thread: &ThreadState) -> bool {
    let mut words = parts.iter().map(of).filter(|w| !w.is_none());
    let Some(first) = words.next() else { return true };
    let current = thread.is_current(first);
    words.all(|w| w == first || (current && thread.is_current(w)))
}

/// All parts hold sets, which are the same but for the thread's own reads in its current epoch.
fn sets_agree(parts: &[Part], thread: &ThreadState, sets: &Sets) -> bool {
    let [first, others @ ..] = parts else { return true };
    let (first, slot) = (first.state.r, thread.slot());
    let own = |set| sets.entry(set, slot).is_some_and(|read| thread.is_current(read));
    let same = |r: Word| r == first || (own(first) && own(r) && sets.differ_only_in(first, r, slot));
    first.is_special() && others.iter().all(|part| part.state.r.is_special() && same(part.state.r))
}

/// The one word for all parts that have one, with their extent.
fn united(
    parts: &[Part],
    of: impl Fn(&Part) -> Word,
    thread: &mut ThreadState,
    stamps: &mut impl Stamps,
) -> Word {
    let mut all = Word::NONE;
    for part in parts {
        let word = of(part);
        if word.is_none() {
            continue;
        }
        let extent = all.extent() | part.extent;
        let merged = if all.is_none() || all.epoch() == word.epoch() {
            word
        } else {
            stamps.merged(thread, all, word, part.extent)
        };
        all = merged.with_extent(extent);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A detail in two parts is an allocation of the size that the rest needs and two pairs.
    #[test]
    fn details_are_small() {
        assert!(size_of::<Detail<()>>() <= 88, "{} bytes", size_of::<Detail<()>>());
    }
}
