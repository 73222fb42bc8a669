//! Jumps out of functions, after which the shadow stack must be where it was: `setjmp`, `longjmp`, and contexts.
//!
//! `setjmp` notes how deep the shadow stack is, by the stack pointer at which it was called: buffers may be copied, but what they lead back to is one
//! place on the stack. Functions that return twice must not have a frame of ours below them, so they end in a jump to the C library's own.

use crate::interceptors;
use crate::real::Real;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::arch::{asm, naked_asm};
use core::ffi::{c_int, c_void};
use deadheat_rt::thread::{Stay, Thread};
use deadheat_rt::tls::{self, offset};

/// A place to jump back to.
#[derive(Clone, Copy)]
struct Mark {
    /// The stack pointer there, or the address of the context.
    key: u64,
    /// The top of the shadow stack.
    frames: u64,
    /// Handlers of signals that ran.
    in_handler: u32,
}

/// The places of a thread to jump back to.
#[derive(Default)]
struct Marks {
    jumps: Vec<Mark>,
    contexts: Vec<Mark>,
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

fn here(thread: &Thread, key: u64) -> Mark {
    Mark { key, frames: tls::get::<{ offset::FRAMES }>(), in_handler: thread.in_handler }
}

fn go(thread: &mut Thread, mark: Mark) {
    tls::set::<{ offset::FRAMES }>(mark.frames);
    thread.in_handler = mark.in_handler;
}

fn mark_jump(sp: u64) {
    let Some(mut thread) = Stay::begin() else { return };
    let mark = here(&thread, sp);
    let jumps = &mut marks(&mut thread).jumps;
    // Places deeper in the stack are gone by now.
    jumps.retain(|m| m.key > sp);
    jumps.push(mark);
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
    jumps.retain(|m| m.key >= sp);
    if let Some(mark) = jumps.iter().find(|m| m.key == sp).copied() {
        go(&mut thread, mark);
    }
}

fn mark_context(context: u64) {
    let Some(mut thread) = Stay::begin() else { return };
    let mark = here(&thread, context);
    let contexts = &mut marks(&mut thread).contexts;
    match contexts.iter_mut().find(|m| m.key == context) {
        Some(old) => *old = mark,
        None => contexts.push(mark),
    }
}

fn enter_context(context: u64) {
    let Some(mut thread) = Stay::begin() else { return };
    if let Some(mark) = marks(&mut thread).contexts.iter().find(|m| m.key == context).copied() {
        go(&mut thread, mark);
    }
}

/// `first` is called with the program's two arguments and its stack pointer, and says which function goes on in its place.
macro_rules! returns_twice {
    ($($name:literal $outer:ident $first:ident;)*) => {$(
        #[unsafe(naked)]
        #[unsafe(export_name = concat!("__interceptor_", $name))]
        extern "C" fn $outer() {
            naked_asm!(
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

macro_rules! firsts {
    ($($first:ident $real:literal |$a:pat_param, $b:pat_param, $sp:pat_param| $note:expr;)*) => {$(
        extern "C" fn $first($a: u64, $b: u64, $sp: u64) -> *mut c_void {
            static REAL: Real = Real::new($real);
            $note;
            REAL.address()
        }
    )*};
}

firsts! {
    first_setjmp c"setjmp" |_, _, sp| mark_jump(sp);
    first_bsd_setjmp c"_setjmp" |_, _, sp| mark_jump(sp);
    first_sigsetjmp c"__sigsetjmp" |_, _, sp| mark_jump(sp);
    first_getcontext c"getcontext" |context, _, _| mark_context(context);
    first_swapcontext c"swapcontext" |from, to, _| (mark_context(from), enter_context(to));
}

returns_twice! {
    "setjmp" setjmp first_setjmp;
    "_setjmp" bsd_setjmp first_bsd_setjmp;
    "__sigsetjmp" sigsetjmp first_sigsetjmp;
    "sigsetjmp" sigsetjmp_too first_sigsetjmp;
    "getcontext" getcontext first_getcontext;
    "swapcontext" swapcontext first_swapcontext;
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

    fn setcontext(pc; context: *const c_void) -> c_int {
        enter_context(context as u64);
        real(context)
    }
}
