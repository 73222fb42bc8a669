//! New processes: the runtime is whole in the child, which goes on as the thread that made it.
//!
//! The C library calls what was registered first last before it forks, and first afterwards: so the runtime is registered before the program runs, and no function that
//! the program has registered comes while the runtime is held still.

use super::{signals, threads};
use crate::annotate::hooks;
use crate::{interceptors, real};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, Ordering};
use deadheat_rt::thread::{Stay, Thread};
use deadheat_rt::{deadlock, descriptors, gate, heap, internal, os, output, registry, report, slots, tls};

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

/// This process is the child of one that had several threads.
static CHILD_OF_MANY: AtomicBool = AtomicBool::new(false);

/// A thread is about to be created: not in the child of a process that had several, if the user wants that to end there.
pub fn may_create() {
    if CHILD_OF_MANY.load(Ordering::Relaxed) && output::options().die_after_fork {
        os::die(
            output::options().exitcode,
            format_args!(
                "the child of a multithreaded process creates a thread; it ends here, since the option die_after_fork is set"
            ),
        )
    }
}

/// The thread that forks, and stays in the runtime meanwhile.
fn forker() -> Option<&'static mut Thread> {
    // SAFETY: the current thread's object, if it has one.
    unsafe { tls::thread().as_mut() }
}

/// Waits until the runtime is empty. Holds all locks that threads may hold which it does not know, in the order in which it nests them.
extern "C" fn before() {
    gate::shut(forker().as_deref());
    report::lock_all();
    output::lock_all();
    registry::lock_all();
    threads::lock_all();
    deadlock::lock_all();
    signals::lock_all();
    descriptors::lock_all();
    heap::lock_all();
    internal::lock_all();
    hooks::on_fork();
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
    thread.busy.store(0, Ordering::Release);
    drop(Stay::begin());
}

extern "C" fn in_parent() {
    unlock_all();
    gate::open();
    if let Some(thread) = forker() {
        leave(thread);
    }
}

/// All other threads are gone, and what else they held is nobody's.
extern "C" fn in_child() {
    os::set_alone(true);
    unlock_all();
    CHILD_OF_MANY.fetch_or(registry::alive() > 1, Ordering::Relaxed);
    output::after_fork();
    gate::forget_others(forker().as_deref());
    gate::open();
    if let Some(thread) = forker() {
        registry::after_fork(thread.id);
        slots::after_fork(&mut thread.state);
        thread.refresh();
        leave(thread);
    }
}

/// Where a process that `clone` makes begins.
struct Beginning {
    run: extern "C" fn(*mut c_void) -> c_int,
    argument: *mut c_void,
}

extern "C" fn begin(beginning: *mut c_void) -> c_int {
    in_child();
    // SAFETY: on the stack of the thread that made this process, of which this one has a copy.
    let Beginning { run, argument } = unsafe { (beginning as *const Beginning).read() };
    run(argument)
}

interceptors! {
    /// As `fork`, but nothing that was registered is called, so we do it ourselves.
    fn _Fork(pc;) -> c_int {
        before();
        let child = real();
        if child == 0 { in_child() } else { in_parent() }
        child
    }

    fn clone(pc; run: extern "C" fn(*mut c_void) -> c_int, stack: *mut c_void, flags: c_int, argument: *mut c_void, a: usize, b: usize, c: usize) -> c_int {
        if flags & libc::CLONE_VM != 0 {
            // It shares all memory, and with it all of the runtime's, on a stack that nobody knows: not watched.
            return real(run, stack, flags, argument, a, b, c);
        }
        let beginning = Beginning { run, argument };
        before();
        let child = real(begin, stack, flags, &raw const beginning as *mut c_void, a, b, c);
        in_parent();
        child
    }

    fn vfork(pc;) -> c_int {
        // The child of a real one shares this thread's memory and stack, and with it all of the runtime's.
        // SAFETY: what the program wants, at a higher price.
        unsafe { real!(fork() -> c_int)() }
    }
}
