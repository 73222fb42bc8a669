//! Jumps out of functions, after which the shadow stack must be where it was: `setjmp` and `longjmp`.
//!
//! `setjmp` notes how deep the shadow stack is, by the stack pointer at which it was called: buffers may be copied, but what they lead back to is one
//! place on the stack. Functions that return twice must not have a frame of ours below them, so they end in a jump to the C library's own.

use crate::interceptors;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::arch::asm;
use core::ffi::c_int;
use deadheat_rt::thread::{Stay, Thread};
use deadheat_rt::tls::{self, offset};

/// A place to jump back to.
#[derive(Clone, Copy)]
struct Mark {
    /// The stack pointer there.
    sp: u64,
    there: There,
}

/// Where a thread is on its shadow stacks.
#[derive(Clone, Copy)]
pub struct There {
    /// The top.
    frames: u64,
    /// The first byte of the shadow stack that it is on, if that is one of a context; else zero.
    stack: u64,
    /// Handlers of signals that ran.
    in_handler: u32,
}

impl There {
    /// At the bottom of a shadow stack of its own.
    pub fn fresh(stack: u64, bottom: u64) -> There {
        There { frames: bottom, stack, in_handler: 0 }
    }
}

/// The places of a thread to jump back to.
#[derive(Default)]
struct Marks {
    jumps: Vec<Mark>,
    /// The shadow stack that the thread is on now, as in [`There`].
    stack: u64,
}

fn marks(thread: &mut Thread) -> &mut Marks {
    if thread.extra.is_null() {
        thread.extra = Box::into_raw(Box::<Marks>::default()) as *mut u8;
    }
    // SAFETY: only this function sets it, and only `forget` frees it.
    unsafe { &mut *(thread.extra as *mut Marks) }
}

/// The thread has ended.
pub fn forget(thread: &mut Thread) {
    let extra = core::mem::replace(&mut thread.extra, core::ptr::null_mut());
    if !extra.is_null() {
        // SAFETY: made in `marks`.
        drop(unsafe { Box::from_raw(extra as *mut Marks) });
    }
}

/// Where the thread is.
pub fn here(thread: &mut Thread) -> There {
    let (frames, in_handler) = (tls::get::<{ offset::FRAMES }>(), thread.in_handler);
    There { frames, stack: marks(thread).stack, in_handler }
}

/// The thread is there now.
pub fn go(thread: &mut Thread, there: There) {
    tls::set::<{ offset::FRAMES }>(there.frames);
    thread.in_handler = there.in_handler;
    marks(thread).stack = there.stack;
}

fn mark_jump(sp: u64) {
    let Some(mut thread) = Stay::begin() else { return };
    let there = here(&mut thread);
    let jumps = &mut marks(&mut thread).jumps;
    // Places deeper in this stack are gone by now.
    jumps.retain(|m| m.sp > sp || m.there.stack != there.stack);
    jumps.push(Mark { sp, there });
}

/// The stack pointer that the buffer leads back to. The C library keeps it as its seventh word, combined with a secret of the process and rotated.
fn target(buffer: *const u64) -> u64 {
    let secret: u64;
    // SAFETY: the program's buffer; the secret lies in the thread's control block.
    unsafe {
        asm!("mov {}, qword ptr fs:[0x30]", out(reg) secret, options(nostack, readonly, preserves_flags));
        buffer.add(6).read().rotate_right(17) ^ secret
    }
}

fn jump(buffer: *const u64) {
    let Some(mut thread) = Stay::begin() else { return };
    let sp = target(buffer);
    let jumps = &mut marks(&mut thread).jumps;
    if let Some(mark) = jumps.iter().find(|m| m.sp == sp).copied() {
        jumps.retain(|m| m.sp >= sp || m.there.stack != mark.there.stack);
        go(&mut thread, mark.there);
    }
}

/// `first` is called with the program's two arguments and its stack pointer, and says which function goes on in its place.
#[macro_export]
macro_rules! returns_twice {
    ($($name:literal $outer:ident $first:ident;)*) => {$(
        #[unsafe(naked)]
        #[unsafe(export_name = concat!("__interceptor_", $name))]
        extern "C" fn $outer() {
            core::arch::naked_asm!(
                "lea rdx, [rsp + 8]",
                "push rdi",
                "push rsi",
                "sub rsp, 8",
                "call {first}",
                "add rsp, 8",
                "pop rsi",
                "pop rdi",
                "jmp rax",
                first = sym $first,
            )
        }
    )*};
}

/// Functions that go first, and the C library's that go on.
#[macro_export]
macro_rules! firsts {
    ($($first:ident $real:literal |$a:pat_param, $b:pat_param, $sp:pat_param| $note:expr;)*) => {$(
        extern "C" fn $first($a: u64, $b: u64, $sp: u64) -> *mut core::ffi::c_void {
            static REAL: $crate::real::Real = $crate::real::Real::new($real);
            $note;
            REAL.address()
        }
    )*};
}

firsts! {
    first_setjmp c"setjmp" |_, _, sp| mark_jump(sp);
    first_bsd_setjmp c"_setjmp" |_, _, sp| mark_jump(sp);
    first_sigsetjmp c"__sigsetjmp" |_, _, sp| mark_jump(sp);
}

returns_twice! {
    "setjmp" setjmp first_setjmp;
    "_setjmp" bsd_setjmp first_bsd_setjmp;
    "__sigsetjmp" sigsetjmp first_sigsetjmp;
    "sigsetjmp" sigsetjmp_too first_sigsetjmp;
}

interceptors! {
    fn longjmp(pc; buffer: *const u64, value: c_int) {
        jump(buffer);
        real(buffer, value)
    }

    fn _longjmp(pc; buffer: *const u64, value: c_int) {
        jump(buffer);
        real(buffer, value)
    }

    fn siglongjmp(pc; buffer: *const u64, value: c_int) {
        jump(buffer);
        real(buffer, value)
    }

    fn __longjmp_chk(pc; buffer: *const u64, value: c_int) {
        jump(buffer);
        real(buffer, value)
    }
}
