//! Spinlocks.

use crate::{interceptors, real};
use core::ffi::c_int;
use deadheat_finding::Hold;
use deadheat_rt::mutex::{self, Again, Lifetime, Remains};
use deadheat_rt::thread::Stay;
use libc::pthread_spinlock_t;

fn after(lock: *const pthread_spinlock_t, result: c_int, pc: u64) -> c_int {
    if result == 0
        && let Some(mut thread) = Stay::begin()
    {
        mutex::locked(&mut thread, lock as u64, Hold::Write, pc);
    }
    result
}

interceptors! {
    fn pthread_spin_init(pc; lock: *mut pthread_spinlock_t, shared: c_int) -> c_int {
        let result = real(lock, shared);
        if result == 0 && let Some(mut thread) = Stay::begin() {
            mutex::create(&mut thread, lock as u64, Lifetime::Usual, pc);
        }
        result
    }

    fn pthread_spin_destroy(pc; lock: *mut pthread_spinlock_t) -> c_int {
        if let Some(mut thread) = Stay::begin() {
            mutex::destroy(&mut thread, lock as u64, Remains::Mark, pc);
        }
        real(lock)
    }

    fn pthread_spin_lock(pc; lock: *mut pthread_spinlock_t) -> c_int {
        let try_lock = real!(pthread_spin_trylock(*mut pthread_spinlock_t) -> c_int);
        if let Some(mut thread) = Stay::begin() {
            // SAFETY: the program's lock, which it is about to lock.
            if unsafe { try_lock(lock) } == 0 {
                mutex::locked_at_once(&mut thread, lock as u64, Hold::Write, || Again::Deadlocks, pc);
                return 0;
            }
            mutex::before_lock(&mut thread, lock as u64, Hold::Write, Again::Deadlocks, pc);
        }
        after(lock, real(lock), pc)
    }

    fn pthread_spin_trylock(pc; lock: *mut pthread_spinlock_t) -> c_int {
        after(lock, real(lock), pc)
    }

    fn pthread_spin_unlock(pc; lock: *mut pthread_spinlock_t) -> c_int {
        if let Some(mut thread) = Stay::begin() {
            mutex::unlocking(&mut thread, lock as u64, Some(Hold::Write), || Again::Deadlocks, pc);
        }
        real(lock)
    }
}
