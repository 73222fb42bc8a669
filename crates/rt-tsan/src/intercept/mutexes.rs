//! Mutexes.

use crate::interceptors;
use core::ffi::c_int;
use deadheat_finding::Hold;
use deadheat_rt::mutex::{self, Asked};
use deadheat_rt::thread::Stay;
use libc::{pthread_mutex_t, pthread_mutexattr_t};

/// What the C library keeps in the lower bits of a mutex's kind.
fn is_recursive(mutex: *const pthread_mutex_t) -> bool {
    const KIND: usize = 16;
    // SAFETY: the program's mutex; the C library keeps its kind at that offset, on all 64-bit machines.
    let kind = unsafe { (mutex as *const u8).add(KIND).cast::<c_int>().read_volatile() };
    kind & 3 == libc::PTHREAD_MUTEX_RECURSIVE
}

interceptors! {
    fn pthread_mutex_init(pc; m: *mut pthread_mutex_t, attributes: *const pthread_mutexattr_t) -> c_int {
        let result = real(m, attributes);
        if result == 0 && let Some(mut thread) = Stay::begin() {
            mutex::create(&mut thread, m as u64, is_recursive(m), pc);
        }
        result
    }

    fn pthread_mutex_lock(pc; m: *mut pthread_mutex_t) -> c_int {
        if let Some(mut thread) = Stay::begin() {
            mutex::before_lock(&mut thread, m as u64, Hold::Write, pc);
        }
        let result = real(m);
        if result == 0 && let Some(mut thread) = Stay::begin() {
            mutex::locked(&mut thread, m as u64, Hold::Write, Asked::Wait, pc);
        }
        result
    }

    fn pthread_mutex_unlock(pc; m: *mut pthread_mutex_t) -> c_int {
        if let Some(mut thread) = Stay::begin() {
            mutex::unlocking(&mut thread, m as u64, pc);
        }
        real(m)
    }
}
