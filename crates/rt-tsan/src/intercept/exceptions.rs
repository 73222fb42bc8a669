//! Exceptions: when one is caught, the shadow stack must be that of the function that caught it.
//!
//! Compilers pop frames in the clean-up code of functions that an exception passes through. clang forgets those that have handlers none of which fits. So when a
//! handler begins, frames above that of its function go: the function's frame holds the address that it returns to, and the unwinder knows that address.

use crate::interceptors;
use crate::real::Real;
use core::ffi::{c_int, c_void};
use deadheat_rt::modules::is_own_code;
use deadheat_rt::thread::Stay;
use deadheat_rt::tls::{self, offset};

static BACKTRACE: Real = Real::new(c"_Unwind_Backtrace");
static GET_IP: Real = Real::new(c"_Unwind_GetIP");

type Visit = extern "C" fn(*mut c_void, *mut c_void) -> c_int;

/// The search for the frame to go back to.
struct Search {
    /// Frames of the program that are left to look at.
    left: u32,
    /// The top of the shadow stack that fits, once found.
    found: Option<u64>,
}

/// Frames that are looked at on either stack.
const REACH: u32 = 64;

/// A frame of the stack, from the innermost: does the shadow stack have it?
extern "C" fn visit(context: *mut c_void, search: *mut c_void) -> c_int {
    const GO_ON: c_int = 0;
    const STOP: c_int = 5;
    // SAFETY: the unwinder passes what it was given, and a context of its own.
    let (search, ip) = unsafe {
        let ip =
            core::mem::transmute::<*mut c_void, extern "C" fn(*mut c_void) -> u64>(GET_IP.address())(context);
        (&mut *(search as *mut Search), ip)
    };
    if is_own_code(ip) {
        return GO_ON;
    }
    search.left -= 1;
    search.found = top_with(ip);
    if search.found.is_some() || search.left == 0 { STOP } else { GO_ON }
}

/// The top of the shadow stack at which the last function is one that returns there.
fn top_with(ip: u64) -> Option<u64> {
    // SAFETY: the current thread's object, if it has one.
    let bottom = unsafe { tls::thread().as_ref() }?.placer.bottom() as u64;
    let top = tls::get::<{ offset::FRAMES }>();
    let frames = (0..REACH as u64).map(|i| top - i * FRAME).take_while(|at| *at > bottom);
    // SAFETY: frames between the bottom and the top were pushed; the first word of each is where its function returns to.
    frames.into_iter().find(|at| unsafe { *((at - FRAME) as *const u64) } == ip)
}

const FRAME: u64 = deadheat_rt::place::FRAME as u64;

fn caught() {
    let Some(_stay) = Stay::begin() else { return };
    if BACKTRACE.address().is_null() || GET_IP.address().is_null() {
        return;
    }
    let mut search = Search { left: REACH, found: None };
    // SAFETY: the unwinder's function.
    unsafe {
        let walk = core::mem::transmute::<*mut c_void, extern "C" fn(Visit, *mut c_void) -> c_int>(
            BACKTRACE.address(),
        );
        walk(visit, &raw mut search as *mut c_void);
    }
    if let Some(top) = search.found {
        tls::set::<{ offset::FRAMES }>(top);
    }
}

interceptors! {
    fn __cxa_begin_catch(pc; exception: *mut c_void) -> *mut c_void {
        caught();
        real(exception)
    }
}
