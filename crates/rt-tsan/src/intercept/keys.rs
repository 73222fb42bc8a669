//! The key whose destructor is the last thing that a thread does: the program's own destructors run while the thread is still known.

use super::jumps;
use crate::real;
use alloc::boxed::Box;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};
use deadheat_rt::thread::Thread;
use deadheat_rt::{gate, heap, mutex, os, registry, tls};
use libc::pthread_key_t;

static KEY: AtomicU32 = AtomicU32::new(0);

/// The C library goes through the destructors at most so many times; ours gives way to the program's until the last time.
const ROUNDS: usize = 4;

/// Makes the key.
pub fn start() {
    let mut key: pthread_key_t = 0;
    // SAFETY: the C library's function, with a place for its result.
    unsafe {
        real!(pthread_key_create(*mut pthread_key_t, extern "C" fn(*mut c_void)) -> c_int)(&mut key, last)
    };
    KEY.store(key, Ordering::Relaxed);
}

/// The calling thread's end is to be noticed.
pub fn watch_end() {
    set(ROUNDS);
}

fn set(rounds: usize) {
    // SAFETY: any value but null makes the destructor run.
    unsafe { libc::pthread_setspecific(KEY.load(Ordering::Relaxed), rounds as *const c_void) };
}

extern "C" fn last(rounds: *mut c_void) {
    match rounds as usize {
        0 | 1 => end(),
        left => set(left - 1),
    }
}

/// The thread is over; whatever the C library still does on it is not watched.
fn end() {
    let thread = tls::thread();
    if thread.is_null() {
        return;
    }
    // SAFETY: leaked when the thread began, and nobody has it after this.
    let mut thread: Box<Thread> = unsafe { Box::from_raw(thread) };
    gate::enter(&thread.busy);
    // No handler comes any more: it would be one of a thread that is not known, in the middle of the runtime.
    os::block_all_signals();
    mutex::thread_ends(&mut thread);
    heap::flush(&mut thread.heap);
    jumps::forget(&mut thread);
    thread.uninstall();
    registry::finished(&mut thread);
}
