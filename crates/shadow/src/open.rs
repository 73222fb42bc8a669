//! A locked cell: its state or its detail, changed at will and put back when it closes.

use crate::access::{Memory, Stamps};
use crate::detail::{Attachment, Detail};
use alloc::boxed::Box;
use deadheat_online::{Pair, ThreadState, VarState, Word};

/// A cell whose lock is held until this is dropped.
pub struct Open<'a, T: Attachment> {
    cell: &'a VarState,
    memory: &'a Memory,
    state: Pair,
    kind: core::marker::PhantomData<T>,
}

impl<'a, T: Attachment> Open<'a, T> {
    /// Locks the cell.
    ///
    /// # Safety
    /// If the cell's W is special it must point to a `Detail<T>`.
    #[inline]
    pub unsafe fn lock(cell: &'a VarState, memory: &'a Memory) -> Open<'a, T> {
        Open { cell, memory, state: cell.lock(), kind: core::marker::PhantomData }
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
        // SAFETY: a special W points to a detail that this cell owns, and the lock is held.
        self.state.w.is_special().then(|| unsafe { &mut *pointer(self.state.w) })
    }

    /// The granule's detail, made if it has none.
    pub fn detail(&mut self) -> &mut Detail<T> {
        if !self.state.w.is_special() {
            let detail = Box::into_raw(Box::new(Detail::<T>::of(self.state, &self.memory.sets)));
            self.set(Pair { w: Word(Word::SPECIAL | detail as u64), r: Word::NONE });
        }
        // SAFETY: as above.
        unsafe { &mut *pointer(self.state.w) }
    }

    /// Goes back to W and R in the cell, if the detail's bytes agree after an access by that thread.
    #[inline]
    pub fn collapse(&mut self, thread: &mut ThreadState, stamps: &mut impl Stamps) {
        let sets = &self.memory.sets;
        let Some(detail) = self.detail_if_any() else { return };
        if let Some(state) = detail.collapsed(thread, sets, stamps) {
            self.replace_detail(state);
        }
    }

    /// Goes back to an empty cell, if the detail has nothing to tell.
    pub fn collapse_if_empty(&mut self) {
        if self.detail_if_any().is_some_and(|d| d.is_empty()) {
            self.replace_detail(Pair::default());
        }
    }

    fn replace_detail(&mut self, state: Pair) {
        // SAFETY: the cell owns the detail and points to something else from here on.
        let detail = unsafe { Box::from_raw(pointer::<T>(self.state.w)) };
        detail.let_go(&self.memory.sets, state.r.is_special());
        self.set(state);
    }
}

impl<T: Attachment> Drop for Open<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.cell.unlock(self.state.w);
    }
}

fn pointer<T>(w: Word) -> *mut Detail<T> {
    (w.0 & !(Word::LOCK | Word::SPECIAL)) as *mut Detail<T>
}
