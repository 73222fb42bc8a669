//! The atomics of this crate, swapped for loom's under `--cfg loom`.
//!
//! loom forgets interleavings in which a load is followed by a store of the same location by the same thread. The cure is to make
//! every load and store *visible* to its scheduler by a relaxed read-modify-write on a cell beside it (read-modify-writes are visible as they are); `tests/loom.rs`
//! keeps a mutant that is only found that way. Mutants are made here too: each place that asks for an ordering can be given a weaker one.

#[cfg(not(loom))]
pub use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};

#[cfg(loom)]
pub use visible::*;

/// Waits a moment for the atomic, a word that was seen with its lock bit, to change, and says what it is then.
#[cfg(not(loom))]
#[cold]
pub fn await_change(lock: &AtomicU64, seen: u64, attempt: &mut u32, order: Ordering) -> u64 {
    if !pause(attempt) {
        lock.store(seen & !crate::Word::LOCK, Ordering::Relaxed);
    }
    lock.load(order)
}

/// Waits a moment; false if it is in vain, since there is nobody left to wait for.
#[cfg(not(loom))]
pub fn pause(attempt: &mut u32) -> bool {
    const PATIENCE: u32 = 1024;
    *attempt += 1;
    if *attempt > PATIENCE && crate::is_alone() {
        return false;
    }
    if attempt.is_multiple_of(64) {
        crate::give_way()
    } else {
        core::hint::spin_loop()
    }
    true
}

/// A cell in loom's form.
#[cfg(not(loom))]
pub struct UnsafeCell<T>(core::cell::UnsafeCell<T>);

#[cfg(not(loom))]
impl<T> UnsafeCell<T> {
    pub const fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell(core::cell::UnsafeCell::new(value))
    }
    pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.0.get())
    }
}

#[cfg(loom)]
mod visible {
    use super::mutants::instead_of;
    pub use loom::cell::UnsafeCell;
    use loom::sync::atomic;
    pub use loom::sync::atomic::Ordering;
    use std::sync::Mutex;
    use std::vec::Vec;

    macro_rules! visible {
        ($name:ident $(<$t:ident>)?, $of:ty, $value:ty) => {
            /// loom's atomic with every access visible to its scheduler.
            #[derive(Debug)]
            pub struct $name$(<$t>)? {
                value: $of,
                seen: atomic::AtomicUsize,
                /// What was stored last, and who waits for the next store: a spinning thread would multiply the interleavings for nothing.
                latest: Mutex<$value>,
                waiting: Mutex<Vec<loom::thread::Thread>>,
            }

            impl$(<$t>)? $name$(<$t>)? {
                pub fn new(value: $value) -> Self {
                    let seen = atomic::AtomicUsize::new(0);
                    Self { value: <$of>::new(value), seen, latest: Mutex::new(value), waiting: Mutex::default() }
                }
                fn see(&self) {
                    if !super::mutants::blind() {
                        self.seen.fetch_add(1, Ordering::Relaxed);
                    }
                }
                #[track_caller]
                pub fn load(&self, order: Ordering) -> $value {
                    self.see();
                    self.value.load(instead_of(order))
                }
                #[track_caller]
                pub fn store(&self, value: $value, order: Ordering) {
                    self.see();
                    self.value.store(value, instead_of(order));
                    *self.latest.lock().unwrap() = value;
                    self.waiting.lock().unwrap().drain(..).for_each(|thread| thread.unpark());
                }
            }
        };
    }

    macro_rules! counting {
        ($name:ident, $value:ty) => {
            impl $name {
                #[track_caller]
                pub fn compare_exchange_weak(
                    &self,
                    old: $value,
                    new: $value,
                    success: Ordering,
                    failure: Ordering,
                ) -> Result<$value, $value> {
                    self.compare_exchange(old, new, success, failure)
                }
                #[track_caller]
                pub fn compare_exchange(
                    &self,
                    old: $value,
                    new: $value,
                    success: Ordering,
                    failure: Ordering,
                ) -> Result<$value, $value> {
                    let result = self.value.compare_exchange(old, new, instead_of(success), failure);
                    if result.is_ok() {
                        *self.latest.lock().unwrap() = new;
                    }
                    result
                }
            }
        };
    }

    visible!(AtomicU32, atomic::AtomicU32, u32);
    visible!(AtomicU64, atomic::AtomicU64, u64);
    visible!(AtomicPtr<T>, atomic::AtomicPtr<T>, *mut T);
    counting!(AtomicU32, u32);
    counting!(AtomicU64, u64);

    impl AtomicU32 {
        #[track_caller]
        pub fn fetch_sub(&self, n: u32, order: Ordering) -> u32 {
            self.value.fetch_sub(n, instead_of(order))
        }
    }

    #[track_caller]
    pub fn await_change(lock: &AtomicU64, seen: u64, _attempt: &mut u32, order: Ordering) -> u64 {
        loop {
            // loom switches threads at its own operations only, so no store comes between the look and the waiting.
            while *lock.latest.lock().unwrap() == seen {
                lock.waiting.lock().unwrap().push(loom::thread::current());
                loom::thread::park();
            }
            let now = lock.value.load(instead_of(order));
            if now != seen {
                return now;
            }
            loom::thread::yield_now();
        }
    }

    #[track_caller]
    pub fn fence(order: Ordering) {
        match instead_of(order) {
            Ordering::Relaxed => {}
            order => atomic::fence(order),
        }
    }
}

/// Mutants of this crate's memory orderings, for the tests of the tests.
#[cfg(loom)]
pub mod mutants {
    use core::panic::Location;
    use loom::sync::atomic::Ordering;
    use std::cell::{Cell, RefCell};
    use std::collections::BTreeMap;
    use std::thread_local;
    use std::vec::Vec;

    /// A place in the source that asks for an ordering.
    pub type Site = &'static Location<'static>;

    /// A place, and the weaker ordering that it gets.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Mutant {
        /// The place.
        pub site: Site,
        /// What it gets.
        pub order: Ordering,
    }

    // loom runs a model's threads on the system's thread that started it, so tests do not disturb each other.
    thread_local! {
        static SEEN: RefCell<BTreeMap<Site, Ordering>> = const { RefCell::new(BTreeMap::new()) };
        static CHOSEN: Cell<Option<Mutant>> = const { Cell::new(None) };
        static BLIND: Cell<bool> = const { Cell::new(false) };
    }

    /// All mutants of the places that this system thread has come through.
    pub fn all() -> Vec<Mutant> {
        let weaker = |(&site, &order): (&Site, &Ordering)| {
            let orders: &[Ordering] = match order {
                Ordering::Relaxed => &[],
                Ordering::AcqRel => &[Ordering::Acquire, Ordering::Release],
                _ => &[Ordering::Relaxed],
            };
            orders.iter().map(|&order| Mutant { site, order }).collect::<Vec<_>>()
        };
        SEEN.with_borrow(|seen| seen.iter().flat_map(weaker).collect())
    }

    /// Models on this system thread run that mutant from now on.
    pub fn choose(mutant: Option<Mutant>) {
        CHOSEN.set(mutant);
    }

    /// Loads and stores are as (in)visible to the scheduler as loom makes them.
    pub fn set_blind(blind: bool) {
        BLIND.set(blind);
    }

    pub(super) fn blind() -> bool {
        BLIND.get()
    }

    #[track_caller]
    pub(super) fn instead_of(order: Ordering) -> Ordering {
        let site = Location::caller();
        SEEN.with_borrow_mut(|seen| seen.insert(site, order));
        CHOSEN.get().filter(|m| m.site == site).map_or(order, |m| m.order)
    }
}
