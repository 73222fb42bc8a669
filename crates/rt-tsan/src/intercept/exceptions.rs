//! Exceptions: when one is caught, the shadow stack must be that of the function that caught it.
//!
//! Compilers pop frames in the clean-up code of functions that an exception passes through. clang forgets those that have handlers none of which fits. So when a
//! handler begins, frames above that of its function go: the function's frame holds the address that it returns to, and the unwinder knows that address.

use crate::interceptors;
use crate::real::Real;
use core::ffi::{c_int, c_void};
use deadheat_rt::modules::is_own_code;
use deadheat_rt::sync;
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
    let frames = (0..REACH as u64).map(|i| top - i * FRAME).take_while(|at| *at != bottom);
    // SAFETY: frames between the bottom and the top were pushed; the first word of each is where its function returns to, or zero at the bottom of a context's stack.
    let mut returns =
        frames.map(|at| (at, unsafe { *((at - FRAME) as *const u64) })).take_while(|(_, pc)| *pc != 0);
    returns.find(|(_, pc)| *pc == ip).map(|(at, _)| at)
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

static GET_GLOBALS: Real = Real::new(c"__cxa_get_globals");

/// The object of the exception whose handler ends, by the C++ ABI's layout: the innermost caught one is the first word of the thread's exception globals, its class at
/// offset 80 says whether it stands for another (which is then its first word), and the object lies behind its header of 112 bytes.
fn current_object() -> Option<u64> {
    if GET_GLOBALS.address().is_null() {
        return None;
    }
    // SAFETY: the C++ library's function of that type, and headers that it made.
    unsafe {
        let globals = core::mem::transmute::<*mut c_void, extern "C" fn() -> *const *const u64>(
            GET_GLOBALS.address(),
        )();
        let header = *globals;
        if header.is_null() {
            return None;
        }
        const DEPENDENT: u64 = 0x474e_5543_432b_2b01;
        Some(if *header.add(10) == DEPENDENT { *header } else { header as u64 + 112 })
    }
}

/// A reference to an exception's object is given up. The C++ library counts references by atomics that are not instrumented: whoever destroys the object does so after all others are
/// done with it.
fn lets_go(object: u64) {
    if object != 0
        && let Some(mut thread) = Stay::begin()
    {
        sync::acquire_release(&mut thread, object);
    }
}

interceptors! {
    fn __cxa_end_catch(pc; ) {
        if let Some(object) = current_object() {
            lets_go(object);
        }
        real()
    }

    /// `std::__exception_ptr::exception_ptr::_M_release()`.
    fn _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(pc; pointer: *mut u64) {
        // SAFETY: the program's `exception_ptr`, whose only member is the address of the object.
        lets_go(unsafe { *pointer });
        real(pointer)
    }

    fn __cxa_begin_catch(pc; exception: *mut c_void) -> *mut c_void {
        caught();
        real(exception)
    }
}
