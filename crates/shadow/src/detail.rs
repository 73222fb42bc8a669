//! A granule told byte by byte: what a cell points to when its bytes have different histories, atomics, or something attached.

use crate::access::{Access, Conflict, Mode, Stamps};
use alloc::vec::Vec;
use deadheat_online::{Outcome, Pair, Rule, Sets, ThreadState, Word, rules};

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
    /// W and R of each byte; a byte that holds a set of reads holds it for itself.
    bytes: [Pair; 8],
    /// The last atomic access of each thread to each extent, until a plain write that is ordered after it stands for it.
    atomics: Vec<Atomic>,
    /// What is attached.
    pub attached: T,
}

#[derive(Clone, Copy, Debug)]
struct Atomic {
    word: Word,
    writes: bool,
}

/// Calls `f` with the number of each byte in the extent.
fn each_byte(extent: u8, mut f: impl FnMut(usize)) {
    (0..8).filter(|i| extent >> i & 1 != 0).for_each(&mut f);
}

impl<T: Attachment> Detail<T> {
    /// The detail of a cell in that state. A set of reads is held once for every byte from now on.
    pub fn of(state: Pair, sets: &Sets) -> Detail<T> {
        let mut bytes = [Pair::default(); 8];
        let Pair { w, r } = state;
        each_byte(w.extent(), |i| bytes[i].w = w.with_extent(Word::WHOLE));
        if r.is_special() {
            (1..8).for_each(|_| sets.retain(r));
            bytes.iter_mut().for_each(|b| b.r = r);
        } else {
            each_byte(r.extent(), |i| bytes[i].r = r.with_extent(Word::WHOLE));
        }
        Detail { bytes, atomics: Vec::new(), attached: T::default() }
    }

    /// A plain access to the bytes of its extent, each by the rules.
    pub fn plain(
        &mut self,
        thread: &mut ThreadState,
        sets: &Sets,
        access: Access,
        stamps: &mut impl Stamps,
    ) -> (Rule, Option<Conflict>) {
        let mut conflict = self.check_atomics(thread, access);
        let mut stamp = None;
        let mut stamp = |thread: &mut ThreadState| *stamp.get_or_insert_with(|| stamps.here(thread));
        let mut last = Rule::ReadSameEpoch;
        each_byte(access.extent, |i| {
            let byte = &mut self.bytes[i];
            let outcome: Outcome;
            if access.mode.writes() {
                (byte.w, outcome) = rules::write(thread, sets, *byte, &mut stamp);
            } else {
                (byte.r, outcome) = rules::read(thread, sets, *byte, &mut stamp);
            }
            last = outcome.rule;
            if let (Some(prior), None) = (outcome.race, conflict) {
                conflict = Some(Conflict { prior, mode: Conflict::mode_of(outcome.rule), byte: i as u8 });
            }
        });
        if access.mode.writes() {
            self.atomics.retain_mut(|a| {
                a.word = a.word.with_extent(a.word.extent() & !access.extent);
                a.word.extent() != 0
            });
            self.attached.overwritten(access.extent);
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
        let mut conflict = None;
        each_byte(access.extent, |i| {
            let Pair { w, r } = self.bytes[i];
            let found = |prior, mode| Some(Conflict { prior, mode, byte: i as u8 });
            let race = if !w.is_none() && !thread.covers(w) {
                found(w, Mode::Write)
            } else if !access.mode.writes() || r.is_none() {
                None
            } else if r.is_special() {
                sets.unknown(r, thread).and_then(|read| found(read, Mode::Read))
            } else if !thread.covers(r) {
                found(r, Mode::Read)
            } else {
                None
            };
            conflict = conflict.or(race);
        });
        let writes = access.mode.writes();
        let same = |a: &Atomic| {
            a.writes == writes && a.word.extent() == access.extent && a.word.slot() == thread.slot()
        };
        let entry = self.atomics.iter_mut().find(|a| same(a));
        match entry {
            Some(entry) if thread.is_current(entry.word) => {}
            Some(entry) => entry.word = stamps.here(thread).with_extent(access.extent),
            None => {
                let word = stamps.here(thread).with_extent(access.extent);
                self.atomics.push(Atomic { word, writes });
            }
        }
        conflict
    }

    /// An atomic access that this plain one conflicts with and does not know.
    fn check_atomics(&self, thread: &ThreadState, access: Access) -> Option<Conflict> {
        let conflicts = |a: &&Atomic| {
            (a.writes || access.mode.writes())
                && a.word.extent() & access.extent != 0
                && !thread.covers(a.word)
        };
        let prior = self.atomics.iter().find(conflicts)?;
        let byte = (prior.word.extent() & access.extent).trailing_zeros() as u8;
        let mode = if prior.writes { Mode::AtomicWrite } else { Mode::AtomicRead };
        Some(Conflict { prior: prior.word, mode, byte })
    }

    /// What the cell can hold instead of this detail after a plain access by the thread, if the bytes agree: their accesses are the same, or all of the
    /// thread's current epoch.
    pub fn collapsed(&self, thread: &mut ThreadState, stamps: &mut impl Stamps) -> Option<Pair> {
        if !self.atomics.is_empty() || !self.attached.is_empty() {
            return None;
        }
        let r = self.bytes[0].r;
        if r.is_special() && self.bytes.iter().all(|b| b.r == r) {
            return Some(Pair { w: agreed(&self.bytes, |b| b.w, thread, stamps)?, r });
        }
        if self.bytes.iter().any(|b| b.r.is_special()) {
            return None;
        }
        // Told apart first: what `agreed` stamps for W must not be lost if R does not agree.
        if !agree(&self.bytes, |b| b.r, thread) {
            return None;
        }
        let w = agreed(&self.bytes, |b| b.w, thread, stamps)?;
        Some(Pair { w, r: agreed(&self.bytes, |b| b.r, thread, stamps)? })
    }

    /// The sets that this detail holds are let go of, but for the first byte's if the cell takes that over.
    pub fn let_go(&self, sets: &Sets, but_first: bool) {
        let held = self.bytes.iter().skip(but_first as usize).filter(|b| b.r.is_special());
        held.for_each(|b| sets.release(b.r));
    }

    /// Forgets the accesses to those bytes, and what is attached to them.
    pub fn forget(&mut self, extent: u8, sets: &Sets) {
        each_byte(extent, |i| {
            let byte = core::mem::take(&mut self.bytes[i]);
            if byte.r.is_special() {
                sets.release(byte.r);
            }
        });
        self.atomics.retain_mut(|a| {
            a.word = a.word.with_extent(a.word.extent() & !extent);
            a.word.extent() != 0
        });
        self.attached.forget(extent);
    }

    /// Nothing is remembered and nothing attached.
    pub fn is_empty(&self) -> bool {
        self.atomics.is_empty() && self.attached.is_empty() && self.bytes == [Pair::default(); 8]
    }
}

fn agree(bytes: &[Pair; 8], of: impl Fn(&Pair) -> Word, thread: &ThreadState) -> bool {
    let mut words = bytes.iter().map(of).filter(|w| !w.is_none());
    let Some(first) = words.next() else { return true };
    let current = thread.is_current(first);
    words.all(|w| w == first || (current && thread.is_current(w)))
}

/// The one word for all bytes that have one, with their extent.
fn agreed(
    bytes: &[Pair; 8],
    of: impl Fn(&Pair) -> Word,
    thread: &mut ThreadState,
    stamps: &mut impl Stamps,
) -> Option<Word> {
    if !agree(bytes, &of, thread) {
        return None;
    }
    let mut all = Word::NONE;
    for (i, word) in bytes.iter().map(&of).enumerate().filter(|(_, w)| !w.is_none()) {
        let extent = all.extent() | 1 << i;
        let merged = if all.is_none() || all.epoch() == word.epoch() {
            word
        } else {
            stamps.merged(thread, all, word, 1 << i)
        };
        all = merged.with_extent(extent);
    }
    Some(all)
}
