//! What a cell points to when its granule has atomic accesses, or something attached.

use crate::access::{Access, Conflict, Mode, Stamps};
use crate::atomics::Atomics;
use crate::history::History;
use crate::roll::Entry;
use deadheat_online::{Pair, Sets, ThreadState, Word};

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

/// The history has no access to those bytes that the thread does not know: as far as one look tells, which is nearly always, since what is used by atomics is hardly used otherwise.
#[inline(always)]
fn is_known_at_a_glance(history: Word, thread: &ThreadState, extent: u8) -> bool {
    !history.is_special() && (history.extent() & extent == 0 || thread.covers_by_memo(history))
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
    #[inline(always)]
    pub fn atomic(
        &mut self,
        thread: &mut ThreadState,
        sets: &Sets,
        access: Access,
        stamps: &mut impl Stamps,
    ) -> Option<Conflict> {
        let Pair { w, r } = self.state;
        let known = |history| is_known_at_a_glance(history, thread, access.extent);
        let is_ordered = known(w) && (!access.mode.writes() || known(r));
        let conflict = if is_ordered { None } else { self.check_atomic(thread, sets, access) };
        self.atomics.record(thread, access, stamps);
        conflict
    }

    /// A plain access that this atomic one conflicts with and does not know.
    #[inline(never)]
    fn check_atomic(&self, thread: &ThreadState, sets: &Sets, access: Access) -> Option<Conflict> {
        let Access { mode, extent } = access;
        let unordered = |history| History(history).unordered(thread, sets, extent);
        let conflict = |mode| move |prior| Conflict::new(prior, mode, extent);
        let read = || unordered(self.state.r).filter(|_| mode.writes()).map(conflict(Mode::Read));
        unordered(self.state.w).map(conflict(Mode::Write)).or_else(read)
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
