//! C11's threads, mutexes and conditions: the C library's own calls of its POSIX functions pass us by.

use super::{conditions, mutexes, once, threads, touch};
use crate::interceptors;
use core::ffi::{c_int, c_void};
use deadheat_rt::mutex::{self, Remains};
use deadheat_rt::thread::Stay;
use libc::{pthread_mutex_t, pthread_t, timespec};

/// What a C11 thread runs.
type Routine = extern "C" fn(*mut c_void) -> c_int;

/// `mtx_t` begins like the POSIX mutex that it is.
type Mtx = pthread_mutex_t;

/// The answer `thrd_success`.
const SUCCESS: c_int = 0;
/// The answer `thrd_timedout`.
const TIMED_OUT: c_int = 4;

extern "C" fn begin(beginning: *mut c_void) -> c_int {
    // SAFETY: passed on by the C library as `create` gave it.
    let (routine, argument) = unsafe { threads::enter::<Routine>(beginning) };
    routine(argument)
}

/// The C library has answered a wish for the mutex.
fn after_lock(m: *const Mtx, result: c_int, pc: u64) -> c_int {
    if result == SUCCESS {
        mutexes::after_lock(m, 0, pc);
    }
    result
}

/// Waits by `real`, whose answers are C11's.
fn wait(condition: *mut c_void, m: *const Mtx, pc: u64, real: impl FnOnce() -> c_int) -> c_int {
    let mut answer = SUCCESS;
    let posix = || {
        answer = real();
        match answer {
            SUCCESS => 0,
            TIMED_OUT => libc::ETIMEDOUT,
            _ => libc::EINVAL,
        }
    };
    conditions::wait(condition as u64, m, pc, posix);
    answer
}

interceptors! {
    fn thrd_create(pc; into: *mut pthread_t, routine: Routine, argument: *mut c_void) -> c_int {
        let spawn = |handle, beginning| {
            let result = real(handle, begin, beginning);
            if result == SUCCESS {
                // SAFETY: the program's variable for the handle, and ours.
                unsafe { *into = *handle };
            }
            result
        };
        touch::object(into, pc);
        match threads::create(routine, argument, threads::attributes(core::ptr::null()), pc, spawn) {
            Some(result) => result,
            None => real(into, routine, argument),
        }
    }

    fn thrd_join(pc; handle: pthread_t, value: *mut c_int) -> c_int {
        threads::join(handle, value, pc, || real(handle, value))
    }

    fn thrd_detach(pc; handle: pthread_t) -> c_int {
        threads::detach(handle, || real(handle))
    }

    fn mtx_init(pc; m: *mut Mtx, kind: c_int) -> c_int {
        mutexes::after_init(m, real(m, kind), pc)
    }

    fn mtx_destroy(pc; m: *mut Mtx) {
        real(m);
        if let Some(mut thread) = Stay::begin() {
            mutex::destroy(&mut thread, m as u64, Remains::Nothing, pc);
        }
    }

    fn mtx_lock(pc; m: *mut Mtx) -> c_int {
        mutexes::before_lock(m, pc);
        after_lock(m, real(m), pc)
    }

    fn mtx_trylock(pc; m: *mut Mtx) -> c_int {
        after_lock(m, real(m), pc)
    }

    fn mtx_timedlock(pc; m: *mut Mtx, until: *const timespec) -> c_int {
        after_lock(m, real(m, until), pc)
    }

    fn mtx_unlock(pc; m: *mut Mtx) -> c_int {
        mutexes::before_unlock(m, pc);
        real(m)
    }

    fn cnd_init(pc; c: *mut c_void) -> c_int {
        conditions::changed(c as u64, real(c), pc)
    }

    fn cnd_destroy(pc; c: *mut c_void) {
        conditions::changed(c as u64, 0, pc);
        real(c)
    }

    fn cnd_signal(pc; c: *mut c_void) -> c_int {
        conditions::used(c as u64, pc);
        real(c)
    }

    fn cnd_broadcast(pc; c: *mut c_void) -> c_int {
        conditions::used(c as u64, pc);
        real(c)
    }

    fn cnd_wait(pc; c: *mut c_void, m: *mut Mtx) -> c_int {
        wait(c, m, pc, || real(c, m))
    }

    fn cnd_timedwait(pc; c: *mut c_void, m: *mut Mtx, until: *const timespec) -> c_int {
        wait(c, m, pc, || real(c, m, until))
    }

    fn call_once(pc; flag: *mut c_int, routine: once::Routine) {
        once::once(flag as u64, routine, |run| real(flag, run))
    }
}
