//! The thread-local words of the runtime: what the fast paths need, and the current thread.
//!
//! Declared in assembly, in the initial-exec model: in an executable the linker turns the access into a constant offset from `fs`, in a shared object that is loaded
//! at start it is one load more. 128 bytes in all, since threads with the smallest stacks pay for it too.
//! It has two names. Linkers do not do that for what others may see: so the runtime has one of its own. Programs see the other: code compiled with `--elide` makes the same comparison as the fast paths by itself, and knows these offsets (`deadheat-elide`, `rewrite::inline`).

use crate::thread::Thread;
use core::arch::{asm, global_asm};
use deadheat_online::VarState;

/// Byte offsets of the words, for the assembly of the fast paths.
pub mod offset {
    /// The beginning of the thread's epoch, as a word of the shadow; or [`super::NEVER`].
    pub const EPOCH: usize = 0;
    /// The mask of the shadow's layout.
    pub const MASK: usize = 8;
    /// The base of the shadow's layout.
    pub const BASE: usize = 16;
    /// Where the next frame of the shadow stack goes.
    pub const FRAMES: usize = 24;
    /// The thread.
    pub const THREAD: usize = 32;
    /// Where the program called the interceptor that runs.
    pub const CALLER: usize = 40;
    /// What the thread is about to run once.
    pub const ONCE: usize = 48;
    /// Sets of reads at hand (`Thread::seen`), for code that has the fast paths in itself.
    pub const SEEN: usize = 56;
    /// The beginning of the thread's epoch, as a word that tells two accesses ([`deadheat_shadow::since`]); or zero.
    pub const TWO: usize = 64;
    /// What the thread has lately accessed ([`lately`](crate::lately)).
    pub const LATELY: usize = 72;
    /// What its entries of the present begin with.
    pub const TURN: usize = 80;
    /// How often memory had become something else when the turn began.
    pub const FORGOTTEN: usize = 88;
    /// The thread, if `Thread::quick`.
    pub const QUICK: usize = 96;
}

/// An epoch that no word of the shadow is of: every access takes the slow path. Its slot is never given to a thread.
pub const NEVER: u64 = 0x3fff_fff0_0000_0000;

/// What no cell has for its reads: not if there were none, and not in a folded block, which keeps other words there.
pub const NO_SET: u64 = u64::MAX;

// What threads begin with that the runtime does not know (yet): accesses find nothing and are not checked, frames go where nobody looks.
global_asm!(
    ".pushsection .tdata,\"awT\",@progbits",
    ".globl __deadheat_tls",
    ".type __deadheat_tls,@object",
    ".size __deadheat_tls,128",
    ".globl __deadheat_own_tls",
    ".hidden __deadheat_own_tls",
    ".type __deadheat_own_tls,@object",
    ".p2align 6",
    "__deadheat_tls:",
    "__deadheat_own_tls:",
    ".quad {never}",
    ".quad 0",
    ".quad {nothing}",
    ".quad {scratch} + {half}",
    ".zero 24",
    ".quad {seen}",
    ".quad 0",
    ".quad {lately}",
    ".quad {turn}",
    ".zero 40",
    ".popsection",
    never = const NEVER, nothing = sym NOTHING, scratch = sym crate::thread::SCRATCH, seen = sym crate::thread::NOTHING_SEEN,
    lately = sym crate::lately::NOTHING, turn = const crate::lately::FIRST_TURN, half = const crate::thread::SCRATCH_BYTES / 2,
);

/// The cells of all memory, to a thread that has no layout.
static NOTHING: [VarState; 2] = [const { VarState::new() }; 2];

/// A thread-local word.
#[inline(always)]
pub fn get<const OFFSET: usize>() -> u64 {
    let value: u64;
    // SAFETY: the word lies in every thread's static block of thread-local storage.
    unsafe {
        asm!(
            "mov {v}, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]",
            "mov {v}, qword ptr fs:[{v} + {o}]",
            v = out(reg) value, o = const OFFSET, options(nostack, preserves_flags, readonly)
        );
    }
    value
}

/// Sets a thread-local word.
#[inline(always)]
pub fn set<const OFFSET: usize>(value: u64) {
    // SAFETY: as above.
    unsafe {
        asm!(
            "mov {t}, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]",
            "mov qword ptr fs:[{t} + {o}], {v}",
            t = out(reg) _, v = in(reg) value, o = const OFFSET, options(nostack, preserves_flags)
        );
    }
}

/// The current thread, if it is known to the runtime.
#[inline(always)]
pub fn thread() -> *mut Thread {
    get::<{ offset::THREAD }>() as *mut Thread
}
