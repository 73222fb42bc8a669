//! All details there are, so that somebody can look through what is attached anywhere: cells lead to details, but nobody can look through all cells.
//!
//! Lists through the details themselves, each with a lock. Who holds the lock of a cell may take that of a list, so whoever goes along a list only tries the cells'.

use crate::detail::{Attachment, Detail};
use crate::open::Open;
use core::cell::{Cell, UnsafeCell};
use core::ptr::null_mut;
use deadheat_online::VarState;

/// Where a detail is in its list, and whose it is. Touched under the list's lock.
pub(crate) struct Entry {
    cell: Cell<*const VarState>,
    before: Cell<*mut Entry>,
    after: Cell<*mut Entry>,
}

impl Entry {
    /// In no list.
    pub const fn new() -> Entry {
        Entry { cell: Cell::new(null_mut()), before: Cell::new(null_mut()), after: Cell::new(null_mut()) }
    }
}

struct List {
    /// A variable only for its lock, which knows how to wait, and what a fork leaves behind.
    lock: VarState,
    first: UnsafeCell<*mut Entry>,
}

// SAFETY: what is in the list is touched under its lock.
unsafe impl Sync for List {}

/// So many that threads seldom meet.
const LISTS: usize = 64;
static ROLL: [List; LISTS] =
    [const { List { lock: VarState::new(), first: UnsafeCell::new(null_mut()) } }; LISTS];

impl List {
    fn of(entry: *const Entry) -> &'static List {
        let at = entry as usize / 16;
        &ROLL[(at ^ (at / LISTS)) % LISTS]
    }

    fn with<R>(&self, f: impl FnOnce(&mut *mut Entry) -> R) -> R {
        let lock = self.lock.lock();
        // SAFETY: the lock is held.
        let result = f(unsafe { &mut *self.first.get() });
        self.lock.unlock(lock.w);
        result
    }
}

/// The detail of that cell is there from now on, at this place.
///
/// # Safety
/// It stays there until [`remove`].
pub(crate) unsafe fn add(entry: *mut Entry, cell: &VarState) {
    List::of(entry).with(|first| {
        // SAFETY: the entry is the caller's, and the first of the list is in it: both live, and the lock is held.
        let (own, next) = unsafe { (&*entry, first.as_ref()) };
        own.cell.set(cell);
        own.before.set(null_mut());
        own.after.set(*first);
        if let Some(next) = next {
            next.before.set(entry);
        }
        *first = entry;
    });
}

/// The detail goes.
///
/// # Safety
/// It was added, and not removed yet.
pub(crate) unsafe fn remove(entry: *mut Entry) {
    List::of(entry).with(|first| {
        // SAFETY: all of them are in the list, whose lock is held.
        let (own, before, after) = unsafe {
            let own = &*entry;
            (own, own.before.get().as_ref(), own.after.get().as_ref())
        };
        match before {
            Some(before) => before.after.set(own.after.get()),
            None => *first = own.after.get(),
        }
        if let Some(after) = after {
            after.before.set(own.before.get());
        }
    });
}

/// Calls `f` with every detail there is. Stops, and says so, if one is in use.
///
/// # Safety
/// All details of the process are `Detail<T>` of that `T`; nobody who may add or remove some is stopped in the middle of it.
#[must_use]
pub unsafe fn each<T: Attachment>(mut f: impl FnMut(&Detail<T>)) -> bool {
    ROLL.iter().all(|list| {
        list.with(|first| {
            let mut at = *first;
            // SAFETY: what is in the list lives, as does its cell, and the lock is held.
            while let Some(entry) = unsafe { at.as_ref() } {
                // SAFETY: as the caller promises.
                let Some(mut open) = (unsafe { Open::<T>::try_lock(&*entry.cell.get()) }) else {
                    return false;
                };
                if let Some(detail) = open.detail_if_any() {
                    f(detail);
                }
                at = entry.after.get();
            }
            true
        })
    })
}
