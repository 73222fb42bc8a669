//! Semaphores: whoever gets through one comes after all who have posted to it before.

use super::touch;
use crate::interceptors;
use core::ffi::{c_int, c_uint};
use deadheat_rt::sync;
use deadheat_rt::thread::Stay;
use libc::{clockid_t, sem_t, timespec};

/// The semaphore let the thread through, or not.
fn through(semaphore: *const sem_t, result: c_int) -> c_int {
    if result == 0
        && let Some(mut thread) = Stay::begin()
    {
        sync::acquire(&mut thread, semaphore as u64);
    }
    result
}

/// What was posted to an earlier semaphore at the address is nobody's business any more.
fn forget(semaphore: *const sem_t) {
    if let Some(_thread) = Stay::begin() {
        sync::remove(semaphore as u64);
    }
}

interceptors! {
    fn sem_init(pc; semaphore: *mut sem_t, shared: c_int, value: c_uint) -> c_int {
        forget(semaphore);
        real(semaphore, shared, value)
    }

    fn sem_destroy(pc; semaphore: *mut sem_t) -> c_int {
        let result = real(semaphore);
        if result == 0 {
            forget(semaphore);
        }
        result
    }

    fn sem_wait(pc; semaphore: *mut sem_t) -> c_int {
        through(semaphore, real(semaphore))
    }

    fn sem_trywait(pc; semaphore: *mut sem_t) -> c_int {
        through(semaphore, real(semaphore))
    }

    fn sem_timedwait(pc; semaphore: *mut sem_t, until: *const timespec) -> c_int {
        through(semaphore, real(semaphore, until))
    }

    fn sem_clockwait(pc; semaphore: *mut sem_t, clock: clockid_t, until: *const timespec) -> c_int {
        through(semaphore, real(semaphore, clock, until))
    }

    fn sem_post(pc; semaphore: *mut sem_t) -> c_int {
        if let Some(mut thread) = Stay::begin() {
            sync::release(&mut thread, semaphore as u64);
        }
        real(semaphore)
    }

    fn sem_getvalue(pc; semaphore: *mut sem_t, value: *mut c_int) -> c_int {
        let result = through(semaphore, real(semaphore, value));
        if result == 0 {
            touch::object(value, pc);
        }
        result
    }
}
