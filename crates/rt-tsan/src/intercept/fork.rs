//! New processes: the runtime is whole in the child, which goes on as the thread that made it.
//!
//! The C library calls what was registered first last before it forks, and first afterwards: so the runtime is registered before the program runs, and no function that
//! the program has registered comes while the runtime is held still.

use super::{signals, threads};
use crate::{interceptors, real};
use core::ffi::{c_int, c_void};
use deadheat_rt::thread::{Stay, Thread};
use deadheat_rt::{deadlock, descriptors, heap, internal, os, output, registry, report, slots, tls};

type Step = extern "C" fn();

/// Readies the runtime for forks.
pub fn start() {
    // SAFETY: functions of ours, for as long as the process lives.
    unsafe {
        real!(__register_atfork(Step, Step, Step, *mut c_void) -> c_int)(
            before,
            in_parent,
            in_child,
            core::ptr::null_mut(),
        );
    }
}

/// The thread that forks, and stays in the runtime meanwhile.
fn forker() -> Option<&'static mut Thread> {
    // SAFETY: the current thread's object, if it has one.
    unsafe { tls::thread().as_mut() }
}

/// Holds all locks that others may hold, in the order in which the runtime nests them.
extern "C" fn before() {
    if let Some(thread) = forker() {
        thread.busy += 1;
    }
    report::lock_all();
    output::lock_all();
    registry::lock_all();
    threads::lock_all();
    deadlock::lock_all();
    signals::lock_all();
    descriptors::lock_all();
    heap::lock_all();
    internal::lock_all();
}

fn unlock_all() {
    // SAFETY: locked in `before`, by this thread or the one whose copy it is.
    unsafe {
        internal::unlock_all();
        heap::unlock_all();
        descriptors::unlock_all();
        signals::unlock_all();
        deadlock::unlock_all();
        threads::unlock_all();
        registry::unlock_all();
        output::unlock_all();
        report::unlock_all();
    }
}

/// The thread leaves the runtime, and signals that waited may come.
fn leave(thread: &mut Thread) {
    thread.busy -= 1;
    drop(Stay::begin());
}

extern "C" fn in_parent() {
    unlock_all();
    if let Some(thread) = forker() {
        leave(thread);
    }
}

/// All other threads are gone, and what else they held is nobody's.
extern "C" fn in_child() {
    os::set_alone(true);
    unlock_all();
    output::after_fork();
    if let Some(thread) = forker() {
        registry::after_fork(thread.id);
        slots::after_fork(&mut thread.state);
        thread.refresh();
        leave(thread);
    }
}

interceptors! {
    fn vfork(pc;) -> c_int {
        // The child of a real one shares this thread's memory and stack, and with it all of the runtime's.
        // SAFETY: what the program wants, at a higher price.
        unsafe { real!(fork() -> c_int)() }
    }
}
