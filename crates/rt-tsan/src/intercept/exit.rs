//! The end of the process, and what the program wants to happen then.

use crate::{entry, interceptors, real};
use alloc::boxed::Box;
use core::ffi::{c_int, c_void};
use deadheat_rt::sync;
use deadheat_rt::thread::Stay;

/// A function to call at exit; what was done before it was registered happens before it runs.
struct Last {
    call: Call,
    argument: *mut c_void,
}

#[derive(Clone, Copy)]
enum Call {
    /// Of `__cxa_atexit` and its like.
    Argument(extern "C" fn(*mut c_void)),
    /// Of `on_exit`.
    Status(extern "C" fn(c_int, *mut c_void)),
}

impl Last {
    fn boxed(call: Call, argument: *mut c_void) -> *mut c_void {
        let Some(mut thread) = Stay::begin() else {
            return Box::into_raw(Box::new(Last { call, argument })) as *mut c_void;
        };
        let last = Box::into_raw(Box::new(Last { call, argument }));
        sync::release_store(&mut thread, last as u64);
        last as *mut c_void
    }

    /// # Safety
    /// Made by `boxed`, and run once.
    unsafe fn run(last: *mut c_void, status: c_int) {
        // SAFETY: the caller's promise.
        let Last { call, argument } = unsafe { (last as *const Last).read() };
        if let Some(mut thread) = Stay::begin() {
            sync::acquire(&mut thread, last as u64);
            sync::remove(last as u64);
        }
        match call {
            Call::Argument(f) => f(argument),
            Call::Status(f) => f(status, argument),
        }
    }
}

extern "C" fn at_exit(last: *mut c_void) {
    // SAFETY: registered with what `boxed` made.
    unsafe { Last::run(last, 0) }
}

extern "C" fn on_exit(status: c_int, last: *mut c_void) {
    // SAFETY: registered with what `boxed` made.
    unsafe { Last::run(last, status) }
}

/// The exit status: the program's own, or that of what was found if it says that all is well.
fn status(own: c_int) -> c_int {
    let found = entry::conclude();
    if own == 0 { found } else { own }
}

type Handler = extern "C" fn(*mut c_void);

interceptors! {
    fn __cxa_atexit(pc; f: Handler, argument: *mut c_void, module: *mut c_void) -> c_int {
        let last = Last::boxed(Call::Argument(f), argument);
        real(at_exit, last, module)
    }

    fn on_exit(pc; f: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int {
        let last = Last::boxed(Call::Status(f), argument);
        real(on_exit, last)
    }

    fn _exit(pc; own: c_int) {
        real(status(own))
    }

    fn _Exit(pc; own: c_int) {
        real(status(own))
    }

    fn quick_exit(pc; own: c_int) {
        real(own)
    }
}

/// Registers a function of ours, that runs after all of the program's.
pub fn at_the_very_end(f: Handler) {
    // SAFETY: a function and no argument.
    unsafe {
        real!(__cxa_atexit(Handler, *mut c_void, *mut c_void) -> c_int)(
            f,
            core::ptr::null_mut(),
            core::ptr::null_mut(),
        )
    };
}
