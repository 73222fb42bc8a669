//! A locked cell: its state or its detail, changed at will and put back when it closes.

use crate::detail::{Attachment, Detail};
use crate::history::VERSION;
use crate::roll;
use alloc::boxed::Box;
use deadheat_online::{Pair, VarState, Word};

/// A cell whose lock is held until this is dropped.
pub struct Open<'a, T: Attachment> {
    cell: &'a VarState,
    state: Pair,
    kind: core::marker::PhantomData<T>,
}

impl<'a, T: Attachment> Open<'a, T> {
    /// Locks the cell.
    ///
    /// # Safety
    /// If the cell's W is special it must point to a `Detail<T>`.
    #[inline]
    pub unsafe fn lock(cell: &'a VarState) -> Open<'a, T> {
        Open { cell, state: cell.lock(), kind: core::marker::PhantomData }
    }

    /// Locks the cell, if it has a detail and is not locked. Such a cell changes only under its lock, whatever else the embedder may do with cells.
    ///
    /// # Safety
    /// As [`Open::lock`].
    #[inline(always)]
    pub unsafe fn lock_detailed(cell: &'a VarState) -> Option<Open<'a, T>> {
        let w = cell.load_w();
        if !is_detail(w) || w.is_locked() || !cell.replace_w(w, Word(w.0 | Word::LOCK)) {
            return None;
        }
        Some(Open { cell, state: Pair { w, r: cell.load_r() }, kind: core::marker::PhantomData })
    }

    /// Locks the cell, if it is not locked.
    ///
    /// # Safety
    /// As [`Open::lock`].
    pub(crate) unsafe fn try_lock(cell: &'a VarState) -> Option<Open<'a, T>> {
        Some(Open { cell, state: cell.lock_at_once()?, kind: core::marker::PhantomData })
    }

    /// The cell's W and R; meaningless if there is a detail.
    #[inline]
    pub fn state(&self) -> Pair {
        self.state
    }

    /// Changes W and R; there is no detail.
    #[inline]
    pub fn set(&mut self, state: Pair) {
        if state.r != self.state.r {
            self.cell.set_r(state.r);
        }
        self.state = state;
    }

    /// The granule's detail, if it has one.
    #[inline]
    pub fn detail_if_any(&mut self) -> Option<&mut Detail<T>> {
        let w = self.state.w;
        // SAFETY: such a W points to a detail that this cell owns, and the lock is held.
        is_detail(w).then(|| unsafe { &mut *pointer(w) })
    }

    /// The granule's detail, made if it has none.
    #[inline]
    pub fn detail(&mut self) -> &mut Detail<T> {
        if self.detail_if_any().is_none() {
            self.make_detail();
        }
        // SAFETY: as above.
        unsafe { &mut *pointer(self.state.w) }
    }

    #[cold]
    #[inline(never)]
    fn make_detail(&mut self) {
        let detail = Box::into_raw(Box::new(Detail::<T>::of(self.state)));
        // SAFETY: it stays where it is until `collapse`.
        unsafe { roll::add(&raw mut (*detail).entry, self.cell) };
        self.set(Pair { w: Word(Word::SPECIAL | detail as u64), r: Version::NONE.0 });
    }

    /// Which version of the detail the cell has.
    pub fn version(&self) -> Version {
        Version(self.state.r)
    }

    /// The detail is of another version from now on.
    pub fn set_version(&mut self, version: Version) {
        self.set(Pair { r: version.0, ..self.state });
    }

    /// Goes back to W and R in the cell, if the detail has no more to tell.
    #[inline]
    pub fn collapse(&mut self) {
        let Some(detail) = self.detail_if_any().filter(|detail| detail.is_plain()) else { return };
        let (state, detail) = (detail.state, &raw mut *detail);
        // SAFETY: the cell owns the detail, which was added when it was made, and points to something else from here on.
        unsafe {
            roll::remove(&raw mut (*detail).entry);
            drop(Box::from_raw(detail));
        }
        self.set(state);
    }
}

impl<T: Attachment> Drop for Open<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.cell.unlock(self.state.w);
    }
}

/// In the R of a cell with a detail: a number that no other detail has, and that changes with what an atomic load has to look at: what is published, and the plain writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Version(pub Word);

impl Version {
    /// Changed, and not numbered yet.
    pub const NONE: Version = Version(Word(Word::SPECIAL | Word::FOREIGN | VERSION));

    /// The version of that number, which is not zero and below 2^59.
    pub fn numbered(number: u64) -> Version {
        Version(Word(Version::NONE.0.0 | number << 2))
    }
}

/// The W of a cell points to a detail: special, and no history.
#[inline(always)]
fn is_detail(w: Word) -> bool {
    w.0 & (Word::SPECIAL | Word::FOREIGN) == Word::SPECIAL
}

#[inline(always)]
fn pointer<T>(w: Word) -> *mut Detail<T> {
    (w.0 & !Word::OTHER) as *mut Detail<T>
}
