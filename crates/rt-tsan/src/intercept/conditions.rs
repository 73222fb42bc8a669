//! Condition variables. They order nothing by themselves: the mutex does, which a wait gives up and takes again, even if the thread is cancelled meanwhile.

use super::mutexes;
use crate::interceptors;
use core::ffi::{c_int, c_void};
use deadheat_finding::Hold;
use deadheat_rt::sites::Note;
use deadheat_rt::thread::Stay;
use deadheat_rt::{access, mutex};
use deadheat_shadow::Mode;
use libc::{clockid_t, pthread_cond_t, pthread_condattr_t, pthread_mutex_t, timespec};

/// The C library's record of a function to call if the thread is cancelled.
#[repr(C)]
struct Cleanup {
    routine: Option<extern "C" fn(*mut c_void)>,
    argument: *mut c_void,
    kind: c_int,
    previous: *mut Cleanup,
}

unsafe extern "C" {
    fn _pthread_cleanup_push(
        record: *mut Cleanup,
        routine: extern "C" fn(*mut c_void),
        argument: *mut c_void,
    );
    fn _pthread_cleanup_pop(record: *mut Cleanup, execute: c_int);
}

/// A wait under way.
struct Waiting {
    mutex: *const pthread_mutex_t,
    pc: u64,
}

impl Waiting {
    fn has_mutex_again(&self) {
        if let Some(mut thread) = Stay::begin() {
            mutex::locked(&mut thread, self.mutex as u64, Hold::Write, self.pc);
        }
    }
}

/// The thread was cancelled while it waited; the C library has locked the mutex again, for the program's own clean-up that comes next.
extern "C" fn cancelled(waiting: *mut c_void) {
    // SAFETY: lies on the stack of the call of `wait` that is being left.
    unsafe { &*(waiting as *const Waiting) }.has_mutex_again();
}

/// A wait on a condition.
pub fn wait(condition: u64, mutex: *const pthread_mutex_t, pc: u64, real: impl FnOnce() -> c_int) -> c_int {
    let owned = match Stay::begin() {
        Some(mut thread) => {
            mutex::used(&mut thread, condition, pc);
            mutex::is_owner(&thread, mutex as u64)
        }
        None => return real(),
    };
    mutexes::before_unlock(mutex, pc);
    let mut waiting = Waiting { mutex, pc };
    let mut record =
        Cleanup { routine: None, argument: core::ptr::null_mut(), kind: 0, previous: core::ptr::null_mut() };
    // SAFETY: both live until they are taken back below, or the C library has called `cancelled`.
    unsafe { _pthread_cleanup_push(&mut record, cancelled, (&raw mut waiting).cast()) };
    let result = real();
    // SAFETY: as above.
    unsafe { _pthread_cleanup_pop(&mut record, 0) };
    match result {
        libc::EOWNERDEAD => drop(mutexes::after_lock(mutex, result, pc)),
        libc::ENOTRECOVERABLE => {}
        // Whatever else went wrong, who had the mutex has it again.
        _ if owned || result == 0 || result == libc::ETIMEDOUT => waiting.has_mutex_again(),
        _ => {}
    }
    result
}

/// A condition is made or destroyed.
pub fn changed(condition: u64, result: c_int, pc: u64) -> c_int {
    if result == 0
        && let Some(mut thread) = Stay::begin()
    {
        access::plain(&mut thread, condition, 1, Mode::Write, pc, Note::CALL);
    }
    result
}

/// A condition is signalled.
pub fn used(condition: u64, pc: u64) {
    if let Some(mut thread) = Stay::begin() {
        mutex::used(&mut thread, condition, pc);
    }
}

interceptors! {
    fn pthread_cond_init(pc; c: *mut pthread_cond_t, attributes: *const pthread_condattr_t) -> c_int {
        changed(c as u64, real(c, attributes), pc)
    }

    fn pthread_cond_destroy(pc; c: *mut pthread_cond_t) -> c_int {
        // Before, since it waits for those who are about to leave.
        changed(c as u64, 0, pc);
        real(c)
    }

    fn pthread_cond_signal(pc; c: *mut pthread_cond_t) -> c_int {
        used(c as u64, pc);
        real(c)
    }

    fn pthread_cond_broadcast(pc; c: *mut pthread_cond_t) -> c_int {
        used(c as u64, pc);
        real(c)
    }

    fn pthread_cond_wait(pc; c: *mut pthread_cond_t, m: *mut pthread_mutex_t) -> c_int {
        wait(c as u64, m, pc, || real(c, m))
    }

    fn pthread_cond_timedwait(pc; c: *mut pthread_cond_t, m: *mut pthread_mutex_t, until: *const timespec) -> c_int {
        wait(c as u64, m, pc, || real(c, m, until))
    }

    fn pthread_cond_clockwait(pc; c: *mut pthread_cond_t, m: *mut pthread_mutex_t, clock: clockid_t, until: *const timespec) -> c_int {
        wait(c as u64, m, pc, || real(c, m, clock, until))
    }
}
