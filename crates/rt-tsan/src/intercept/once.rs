//! What is to run once: all who return from the call come after it.

use crate::interceptors;
use core::ffi::c_int;
use deadheat_rt::sync;
use deadheat_rt::thread::Stay;
use deadheat_rt::tls::{self, offset};
use libc::pthread_once_t;

/// What is run once.
pub type Routine = extern "C" fn();

/// A call under way. The C library gives the routine no argument, so the thread keeps this for it in thread-local storage.
struct Call {
    routine: Routine,
    control: u64,
}

/// Runs what the call under way is about. If that throws or is cancelled, the C library sees it pass and lets the next caller try.
extern "C" fn run() {
    let call = tls::get::<{ offset::ONCE }>() as *const Call;
    // SAFETY: set by `once` on this thread, which waits for this function. Taken before the routine runs, which may itself use this module.
    let Call { routine, control } = unsafe { call.read() };
    routine();
    if let Some(mut thread) = Stay::begin() {
        sync::release(&mut thread, control);
    }
}

/// Runs the routine by `real` unless it was run before.
pub fn once<R>(control: u64, routine: Routine, real: impl FnOnce(Routine) -> R) -> R {
    if Stay::begin().is_none() {
        return real(routine);
    }
    let call = Call { routine, control };
    let outer = tls::get::<{ offset::ONCE }>();
    tls::set::<{ offset::ONCE }>(&raw const call as u64);
    let result = real(run);
    tls::set::<{ offset::ONCE }>(outer);
    if let Some(mut thread) = Stay::begin() {
        sync::acquire(&mut thread, control);
    }
    result
}

interceptors! {
    fn pthread_once(pc; control: *mut pthread_once_t, routine: Routine) -> c_int {
        once(control as u64, routine, |run| real(control, run))
    }
}
