//! Guards of C++'s static variables: whoever passes one comes after the initialisation.
//!
//! The Itanium ABI gives the guard 64 bits, of which compilers look at the first byte: not zero when the variable is initialised. The next two bytes are ours:
//!
//! ```text
//! byte 0  done      byte 1  a thread initialises      byte 2  others wait for it
//! ```

use crate::entries;
use core::ffi::c_int;
use core::sync::atomic::Ordering::{AcqRel, Acquire};
use core::sync::atomic::{AtomicU8, AtomicU32};
use deadheat_rt::atomics::{Effect, Order, perform};
use deadheat_rt::os;
use deadheat_rt::thread::Stay;

const DONE: u32 = 1;
const PENDING: u32 = 1 << 8;
const AWAITED: u32 = 1 << 16;

/// Waits until nobody initialises the variable any more: whether the caller is to do it now.
fn enter(guard: &AtomicU32) -> bool {
    loop {
        let state = guard.load(Acquire);
        if state & DONE != 0 {
            return false;
        }
        if state & PENDING == 0 {
            if guard.compare_exchange(state, PENDING, AcqRel, Acquire).is_ok() {
                return true;
            }
        } else if state & AWAITED != 0
            || guard.compare_exchange(state, state | AWAITED, AcqRel, Acquire).is_ok()
        {
            let _: Result<(), _> = os::futex_wait(guard, state | AWAITED, None);
        }
    }
}

/// The thread no longer initialises the variable; wakes who waits.
fn leave(guard: &AtomicU32, state: u32, pc: u64) {
    let operation = || (guard.swap(state, AcqRel), Effect::Store, Order::Release);
    let old = match Stay::begin() {
        // Compilers' own looks at the byte are atomic loads, and learn from this store.
        Some(mut thread) => perform(&mut thread, guard.as_ptr() as u64, 1, pc, operation),
        None => operation().0,
    };
    if old & AWAITED != 0 {
        os::futex_wake(guard, u32::MAX >> 1);
    }
}

entries! {
    fn __cxa_guard_acquire(pc; guard: *mut AtomicU32) -> c_int {
        // SAFETY: the program's guard.
        let first = enter(unsafe { &*guard });
        if let Some(mut thread) = Stay::begin() {
            // SAFETY: as above.
            let done = unsafe { &*guard.cast::<AtomicU8>() };
            perform(&mut thread, guard as u64, 1, pc, || (done.load(Acquire), Effect::Load, Order::Acquire));
        }
        first as c_int
    }

    fn __cxa_guard_release(pc; guard: *mut AtomicU32) {
        // SAFETY: the program's guard.
        leave(unsafe { &*guard }, DONE, pc);
    }

    fn __cxa_guard_abort(pc; guard: *mut AtomicU32) {
        // SAFETY: the program's guard.
        leave(unsafe { &*guard }, 0, pc);
    }
}
