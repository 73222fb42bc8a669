//! Contexts, which programs switch by themselves (`swapcontext`): each has its own shadow stack, as it has its own stack.
//!
//! Nothing is ordered by a switch, and nothing need be: whatever runs on a thread, runs one after the other. A context that goes on in another thread takes its
//! shadow stack along. Where the program tells of fibers, these have shadow stacks already, and contexts are only how it gets to them.

use super::jumps::{self, There};
use crate::real::Real;
use crate::{firsts, interceptors, returns_twice};
use alloc::collections::BTreeMap;
use core::arch::{global_asm, naked_asm};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use deadheat_rt::os::{self, Mutex};
use deadheat_rt::place::FRAME;
use deadheat_rt::thread::Stay;
use libc::ucontext_t;

/// By address of the context: where it goes on.
static CONTEXTS: Mutex<BTreeMap<u64, There>> = Mutex::new(BTreeMap::new());
/// By address of a stack: its shadow stack, and how many bytes that has. One that is used again, by whatever context, has its old one.
static STACKS: Mutex<BTreeMap<u64, (u64, usize)>> = Mutex::new(BTreeMap::new());
static FIBERS: AtomicBool = AtomicBool::new(false);

/// The program tells of its fibers.
pub fn has_fibers() {
    FIBERS.store(true, Ordering::Relaxed);
}

/// The current thread, if contexts are to be followed.
fn follow() -> Option<Stay> {
    if FIBERS.load(Ordering::Relaxed) { None } else { Stay::begin() }
}

fn save(context: u64) {
    if let Some(mut thread) = follow() {
        let here = jumps::here(&mut thread);
        CONTEXTS.lock().insert(context, here);
    }
}

fn enter(context: u64) {
    if let Some(mut thread) = follow() {
        let there = CONTEXTS.lock().get(&context).copied();
        if let Some(there) = there {
            jumps::go(&mut thread, there);
        }
    }
}

/// A shadow stack for a stack of so many bytes, with one frame that says that nothing is below it.
fn shadow_stack(stack: u64, bytes: usize) -> There {
    /// The site of that frame is known, and is nowhere.
    const KNOWN: u64 = 1 << 32;
    // A frame takes at least 16 bytes of the stack; handlers of signals begin a little higher.
    let wanted = os::page_ceil(bytes / 16 * FRAME) + os::PAGE;
    let mut stacks = STACKS.lock();
    let room = stacks.get(&stack).copied().filter(|(_, room)| *room >= wanted);
    let (start, _) = room.unwrap_or_else(|| {
        let Ok(new) = os::map_zeroed(wanted) else {
            os::die(os::CANNOT_WORK, format_args!("no memory for the stack of a context"))
        };
        if let Some((old, room)) = stacks.insert(stack, (new as u64, wanted)) {
            // SAFETY: the shadow of a stack that another has taken the place of.
            let _ = unsafe { os::munmap(old as usize, room) };
        }
        (new as u64, wanted)
    });
    // SAFETY: the first frame of memory that is ours.
    unsafe {
        (start as *mut u64).write(0);
        (start as *mut u64).add(1).write(KNOWN);
    }
    There::fresh(start, start + FRAME as u64)
}

/// A context is made that will run a function: it begins in [`__deadheat_context_begins`], which finds the function in a register that survives the C library's preparations.
unsafe extern "C" fn make(context: *mut ucontext_t, function: u64) -> *mut c_void {
    static REAL: Real = Real::new(c"makecontext");
    // SAFETY: the program's context, which it has filled.
    let (stack, bytes) = unsafe {
        (*context).uc_mcontext.gregs[libc::REG_R12 as usize] = function as i64;
        ((*context).uc_stack.ss_sp as u64, (*context).uc_stack.ss_size)
    };
    if let Some(_thread) = follow() {
        let there = shadow_stack(stack, bytes);
        CONTEXTS.lock().insert(context as u64, there);
    }
    REAL.address()
}

/// Notes the context, and goes on to the C library's with another function, and all other arguments as they were.
#[unsafe(naked)]
#[unsafe(export_name = "__interceptor_makecontext")]
extern "C" fn makecontext() {
    naked_asm!(
        "push rdi", "push rdx", "push rcx", "push r8", "push r9",
        "call {make}",
        "pop r9", "pop r8", "pop rcx", "pop rdx", "pop rdi",
        "lea rsi, [rip + __deadheat_context_begins]",
        "jmp rax",
        make = sym make,
    )
}

/// Where the C library goes on when the function of a context has returned.
static AFTERWARDS: AtomicU64 = AtomicU64::new(0);

/// The function of a context has returned, and the one that it is linked to goes on.
extern "C" fn ended(next: u64) {
    if next != 0 {
        enter(next);
    }
}

// The function returns to us, and from us to where it would have: there, `rbx` is the address of the context that goes on. Nobody is below it on the stack.
global_asm!(
    ".hidden __deadheat_context_begins",
    "__deadheat_context_begins:",
    "mov rax, qword ptr [rsp]",
    "mov qword ptr [rip + {afterwards}], rax",
    "lea rax, [rip + __deadheat_context_ended]",
    "mov qword ptr [rsp], rax",
    "jmp r12",
    ".cfi_startproc",
    ".cfi_undefined rip",
    "nop",
    "__deadheat_context_ended:",
    "mov rdi, qword ptr [rbx]",
    "call {ended}",
    "jmp qword ptr [rip + {afterwards}]",
    ".cfi_endproc",
    afterwards = sym AFTERWARDS, ended = sym ended,
);

firsts! {
    first_getcontext c"getcontext" |context, _, _| save(context);
    first_swapcontext c"swapcontext" |from, to, _| (save(from), enter(to));
}

returns_twice! {
    "getcontext" getcontext first_getcontext;
    "swapcontext" swapcontext first_swapcontext;
}

interceptors! {
    fn setcontext(pc; context: *const c_void) -> c_int {
        enter(context as u64);
        real(context)
    }
}
