//! The heap's address space: one reservation, a region of equal length for each size class, the records behind them.
//!
//! ```text
//! base                                                       base + CLASSES · region
//!  │ region of class 0 │ region of class 1 │ … │ region of class 51 │ records 0 │ records 1 │ … │
//! ```
//!
//! A region's length is a power of two: an address tells its class by a subtraction and a shift. Nothing but address
//! space is taken until blocks are carved, page by page.

use super::class::{CLASSES, Class, LARGEST};
use super::pool::Pool;
use crate::os::{self, Access, Errno, Mutex, PAGE, Place, RLimit, Resource};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// Regions of 32 GiB, 1.8 TiB in all, if the kernel lets us.
pub const USUAL_SHIFT: u32 = 35;
/// Regions of 64 MiB, 3.6 GiB in all, if `ulimit -v` is low.
const LEAST_SHIFT: u32 = 26;

/// Where the reservation begins: blocks of every class must be aligned, and huge pages should be possible.
const ALIGN: usize = 2 * 1024 * 1024;

/// Room for the pools: a power of two, so that a class's number needs no check.
const POOLS: usize = CLASSES.next_power_of_two();

/// The reservation and its pools.
pub struct Arena {
    base: AtomicUsize,
    /// Bytes of all regions, 0 as long as nothing is reserved. Written last, with release, by `reserve`.
    span: AtomicUsize,
    shift: AtomicU32,
    /// The last ones are spare.
    pools: [Pool; POOLS],
    reserving: Mutex<()>,
}

impl Arena {
    /// An arena of regions of at most `1 << largest_shift` bytes, not yet reserved.
    pub const fn new(largest_shift: u32) -> Arena {
        assert!(1 << largest_shift >= LARGEST, "a region holds at least a block");
        let mut pools = [const { Pool::new(Class::from_index(0)) }; POOLS];
        let mut index = 0;
        while index < CLASSES {
            pools[index] = Pool::new(Class::from_index(index));
            index += 1;
        }
        Arena {
            base: AtomicUsize::new(0),
            span: AtomicUsize::new(0),
            shift: AtomicU32::new(largest_shift),
            pools,
            reserving: Mutex::new(()),
        }
    }

    /// The pool of a class.
    #[inline]
    pub fn pool(&self, class: Class) -> &Pool {
        &self.pools[class.index() % POOLS]
    }

    /// The class in whose region the address lies, if it lies in any.
    #[inline]
    pub fn class_at(&self, address: usize) -> Option<Class> {
        // Acquire pairs with the release in `reserve`.
        let span = self.span.load(Ordering::Acquire);
        let offset = address.wrapping_sub(self.base.load(Ordering::Relaxed));
        (offset < span).then(|| Class::from_index(offset >> self.shift.load(Ordering::Relaxed)))
    }

    /// Makes sure that the address space is reserved, or ends the process with a message.
    pub fn ensure(&self) {
        if self.span.load(Ordering::Acquire) == 0 {
            self.reserve(Place::Anywhere);
        }
    }

    /// Reserves the address space at a place of the caller's choice, if that has not been done.
    #[cold]
    pub fn reserve(&self, place: Place) {
        let _one_at_a_time = self.reserving.lock();
        if self.span.load(Ordering::Relaxed) != 0 {
            return;
        }
        let largest = self.shift.load(Ordering::Relaxed);
        let least = LEAST_SHIFT.min(largest);
        let limit = os::getrlimit(Resource::AddressSpace).map_or(RLimit::INFINITY, |limit| limit.current);
        // Under a limit at most half of it, so that the program has room for the rest of its needs.
        let fits = |shift: &u32| {
            *shift == least || limit == RLimit::INFINITY || self.total(*shift) as u64 <= limit / 2
        };
        let mut refusal = Errno::ENOMEM;
        for shift in (least..=largest).rev().filter(fits) {
            match os::map(place, self.total(shift), Access::None) {
                Ok(start) => return self.divide(start.next_multiple_of(ALIGN), shift),
                Err(errno) => refusal = errno,
            }
        }
        refuse(self.total(least), limit, refusal)
    }

    fn divide(&self, base: usize, shift: u32) {
        let region = 1 << shift;
        let mut records = base + CLASSES * region;
        for class in Class::all() {
            self.pool(class).place(base + class.index() * region, region, records);
            records += self.pool(class).record_space(region);
        }
        self.shift.store(shift, Ordering::Relaxed);
        self.base.store(base, Ordering::Relaxed);
        // Release pairs with the acquires in `class_at` and `ensure`.
        self.span.store(CLASSES * region, Ordering::Release);
    }

    /// Bytes of address space with regions of `1 << shift` bytes.
    fn total(&self, shift: u32) -> usize {
        let records: usize = Class::all().map(|class| self.pool(class).record_space(1 << shift)).sum();
        (CLASSES << shift) + records + ALIGN - PAGE
    }

    /// Where the regions lie and how long they are together, if they are reserved.
    pub fn range(&self) -> Option<(usize, usize)> {
        let span = self.span.load(Ordering::Acquire);
        (span != 0).then(|| (self.base.load(Ordering::Relaxed), span))
    }

    /// Takes all locks, for `fork`.
    pub fn lock_all(&self) {
        self.reserving.lock_raw();
        self.pools.iter().for_each(Pool::lock_raw);
    }

    /// Gives back all locks.
    ///
    /// # Safety
    /// They must be held by `lock_all`.
    pub unsafe fn unlock_all(&self) {
        // SAFETY: the caller's promise.
        unsafe {
            self.pools.iter().for_each(|pool| pool.unlock_raw());
            self.reserving.unlock_raw();
        }
    }
}

#[cold]
fn refuse(needed: usize, limit: u64, errno: Errno) -> ! {
    let needed = needed >> 20;
    if limit == RLimit::INFINITY {
        os::die(
            os::CANNOT_WORK,
            format_args!("cannot reserve {needed} MiB of address space for the heap: {errno}"),
        )
    }
    os::die(
        os::CANNOT_WORK,
        format_args!(
            "cannot reserve {needed} MiB of address space for the heap: {errno}; the limit (ulimit -v) is {} MiB",
            limit >> 20
        ),
    )
}
