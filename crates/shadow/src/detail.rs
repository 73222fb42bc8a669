//! What a cell points to when its granule has atomic accesses, or something attached.

use crate::access::{Access, Conflict, Mode, Stamps};
use crate::atomics::Atomics;
use crate::history::History;
use crate::roll::Entry;
use deadheat_online::{Pair, Sets, ThreadState};

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

/// What the cell would hold, the atomic accesses, and what is attached. Touched under the cell's lock only.
pub struct Detail<T> {
    pub(crate) entry: Entry,
    /// The histories of plain writes and reads.
    pub(crate) state: Pair,
    pub(crate) atomics: Atomics,
    /// What is attached.
    pub attached: T,
}

impl<T: Attachment> Detail<T> {
    /// The detail of a cell in that state.
    pub(crate) fn of(state: Pair) -> Detail<T> {
        Detail { entry: Entry::new(), state, atomics: Atomics::default(), attached: T::default() }
    }

    /// An atomic access: checked against the plain ones, and remembered.
    pub fn atomic(
        &mut self,
        thread: &mut ThreadState,
        sets: &Sets,
        access: Access,
        stamps: &mut impl Stamps,
    ) -> Option<Conflict> {
        let Access { mode, extent } = access;
        let unordered = |history| History(history).unordered(thread, sets, extent);
        let written = unordered(self.state.w).map(|prior| Conflict::new(prior, Mode::Write, extent));
        let read = || {
            unordered(self.state.r)
                .filter(|_| mode.writes())
                .map(|prior| Conflict::new(prior, Mode::Read, extent))
        };
        let conflict = written.or_else(read);
        self.atomics.record(thread, access, stamps);
        conflict
    }

    /// A plain access wrote those bytes.
    pub(crate) fn overwritten(&mut self, extent: u8) {
        self.atomics.forget(extent);
        self.attached.overwritten(extent);
    }

    /// Forgets the atomic accesses to those bytes, and what is attached to them.
    pub(crate) fn forget(&mut self, extent: u8) {
        self.atomics.forget(extent);
        self.attached.forget(extent);
    }

    /// There is nothing that the cell could not hold.
    pub(crate) fn is_plain(&self) -> bool {
        self.atomics.is_empty() && self.attached.is_empty()
    }
}
