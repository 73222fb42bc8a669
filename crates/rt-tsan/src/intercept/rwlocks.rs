//! Read-write locks. The C library refuses its owner a second lock, so that is no misuse; unlocking what one does not hold is.

use crate::{interceptors, real};
use core::ffi::c_int;
use deadheat_finding::Hold;
use deadheat_rt::mutex::{self, Again, Lifetime, Remains};
use deadheat_rt::thread::Stay;
use libc::{clockid_t, pthread_rwlock_t, pthread_rwlockattr_t, timespec};

fn before(lock: *const pthread_rwlock_t, hold: Hold, pc: u64) {
    if let Some(mut thread) = Stay::begin() {
        mutex::before_lock(&mut thread, lock as u64, hold, Again::Refuses, pc);
    }
}

/// The thread takes the lock by the C library's function that does not wait, if it can: then all that is to be looked at is looked at once.
fn at_once(
    lock: *mut pthread_rwlock_t,
    hold: Hold,
    try_lock: unsafe extern "C" fn(*mut pthread_rwlock_t) -> c_int,
    pc: u64,
) -> Option<c_int> {
    let mut thread = Stay::begin()?;
    // SAFETY: the program's lock, which it is about to lock.
    let result = unsafe { try_lock(lock) };
    (result == 0).then(|| {
        mutex::locked_at_once(&mut thread, lock as u64, hold, || Again::Refuses, pc);
        result
    })
}

fn after(lock: *const pthread_rwlock_t, hold: Hold, result: c_int, pc: u64) -> c_int {
    if result == 0
        && let Some(mut thread) = Stay::begin()
    {
        mutex::locked(&mut thread, lock as u64, hold, pc);
    }
    result
}

interceptors! {
    fn pthread_rwlock_init(pc; lock: *mut pthread_rwlock_t, attributes: *const pthread_rwlockattr_t) -> c_int {
        let result = real(lock, attributes);
        if result == 0 && let Some(mut thread) = Stay::begin() {
            mutex::create(&mut thread, lock as u64, Lifetime::Usual, pc);
        }
        result
    }

    fn pthread_rwlock_destroy(pc; lock: *mut pthread_rwlock_t) -> c_int {
        if let Some(mut thread) = Stay::begin() {
            mutex::destroy(&mut thread, lock as u64, Remains::Mark, pc);
        }
        real(lock)
    }

    fn pthread_rwlock_rdlock(pc; lock: *mut pthread_rwlock_t) -> c_int {
        let try_lock = real!(pthread_rwlock_tryrdlock(*mut pthread_rwlock_t) -> c_int);
        at_once(lock, Hold::Read, try_lock, pc).unwrap_or_else(|| {
            before(lock, Hold::Read, pc);
            after(lock, Hold::Read, real(lock), pc)
        })
    }

    fn pthread_rwlock_wrlock(pc; lock: *mut pthread_rwlock_t) -> c_int {
        let try_lock = real!(pthread_rwlock_trywrlock(*mut pthread_rwlock_t) -> c_int);
        at_once(lock, Hold::Write, try_lock, pc).unwrap_or_else(|| {
            before(lock, Hold::Write, pc);
            after(lock, Hold::Write, real(lock), pc)
        })
    }

    fn pthread_rwlock_tryrdlock(pc; lock: *mut pthread_rwlock_t) -> c_int {
        after(lock, Hold::Read, real(lock), pc)
    }

    fn pthread_rwlock_trywrlock(pc; lock: *mut pthread_rwlock_t) -> c_int {
        after(lock, Hold::Write, real(lock), pc)
    }

    fn pthread_rwlock_timedrdlock(pc; lock: *mut pthread_rwlock_t, until: *const timespec) -> c_int {
        after(lock, Hold::Read, real(lock, until), pc)
    }

    fn pthread_rwlock_timedwrlock(pc; lock: *mut pthread_rwlock_t, until: *const timespec) -> c_int {
        after(lock, Hold::Write, real(lock, until), pc)
    }

    fn pthread_rwlock_clockrdlock(pc; lock: *mut pthread_rwlock_t, clock: clockid_t, until: *const timespec) -> c_int {
        after(lock, Hold::Read, real(lock, clock, until), pc)
    }

    fn pthread_rwlock_clockwrlock(pc; lock: *mut pthread_rwlock_t, clock: clockid_t, until: *const timespec) -> c_int {
        after(lock, Hold::Write, real(lock, clock, until), pc)
    }

    fn pthread_rwlock_unlock(pc; lock: *mut pthread_rwlock_t) -> c_int {
        if let Some(mut thread) = Stay::begin() {
            mutex::unlocking(&mut thread, lock as u64, None, || Again::Deadlocks, pc);
        }
        real(lock)
    }
}
