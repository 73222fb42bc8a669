//! VerifiedFT's event handlers for programs that run: each thread handles its own events, all at once.
//!
//! *VerifiedFT: A Verified, High-Performance Precise Dynamic Race Detector* (Wilcox, Flanagan, Freund, PPoPP 2018), sections 3 to 5. `rules` has the rules of Figure 2,
//! `handlers` the disciplines of versions 1, 1.5 and 2, `baselines` the two older implementations of section 4, `thread` the handlers of synchronisation.
//! Each file lists how it differs from the paper.
//!
//! Not claimed: weak memory is checked by loom within its bounds (`tests/loom.rs`), not proved.
#![no_std]

extern crate alloc;
#[cfg(loom)]
extern crate std;

pub mod baselines;
pub mod clocks;
pub mod handlers;
pub mod pair;
pub mod rules;
pub mod sets;
mod shares;
mod sync;
pub mod thread;
pub mod var;
pub mod word;

pub use clocks::{Clocks, Most};
pub use handlers::Version;
pub use rules::{Outcome, Rule};
pub use sets::{Sets, Shares};
#[cfg(loom)]
pub use sync::mutants;
pub use thread::{LockState, Stamp, ThreadState};
pub use var::{Pair, VarState};
pub use word::{Clock, Slot, Word};

/// Lets other threads run, when a lock stays taken: the embedder's system call, or nothing.
#[cfg(not(loom))]
static GIVE_WAY: core::sync::atomic::AtomicPtr<()> =
    core::sync::atomic::AtomicPtr::new(core::ptr::null_mut());

/// Says how to let other threads run while a variable's lock is taken; without it, waiting threads spin.
#[cfg(not(loom))]
pub fn set_give_way(f: fn()) {
    GIVE_WAY.store(f as *mut (), core::sync::atomic::Ordering::Release);
}

/// The process has one thread left, after a fork.
#[cfg(not(loom))]
static ALONE: core::sync::atomic::AtomicBool = core::sync::atomic::AtomicBool::new(false);

/// Says whether the calling thread is the only one that is left after a fork: locks that stay taken are then nobody's, and are taken from those who vanished.
#[cfg(not(loom))]
pub fn set_alone(alone: bool) {
    ALONE.store(alone, core::sync::atomic::Ordering::Relaxed);
}

#[cfg(not(loom))]
fn is_alone() -> bool {
    ALONE.load(core::sync::atomic::Ordering::Relaxed)
}

#[cfg(not(loom))]
fn give_way() {
    let f = GIVE_WAY.load(core::sync::atomic::Ordering::Acquire);
    if f.is_null() {
        return core::hint::spin_loop();
    }
    // SAFETY: only `set_give_way` stores there, and what it stores is a `fn()`.
    unsafe { core::mem::transmute::<*mut (), fn()>(f)() }
}

/// How a variable that is told together with others comes to be told by itself.
#[cfg(not(loom))]
static UNFOLD: core::sync::atomic::AtomicPtr<()> = core::sync::atomic::AtomicPtr::new(core::ptr::null_mut());

/// Says how to make variables that are told together ([`Word::FOLDED`]) told by themselves again: false if somebody else is busy with them, which does not count if the argument says so.
#[cfg(not(loom))]
pub fn set_unfold(f: fn(&VarState, bool) -> bool) {
    UNFOLD.store(f as *mut (), core::sync::atomic::Ordering::Release);
}

#[cfg(not(loom))]
#[cold]
fn unfold(var: &VarState, attempt: &mut u32) {
    let f = UNFOLD.load(core::sync::atomic::Ordering::Acquire);
    assert!(!f.is_null(), "who folds variables has said how to unfold them");
    // SAFETY: only `set_unfold` stores there, and what it stores is such a function.
    let unfold = unsafe { core::mem::transmute::<*mut (), fn(&VarState, bool) -> bool>(f) };
    if !unfold(var, false) && !sync::pause(attempt) {
        unfold(var, true);
    }
}
