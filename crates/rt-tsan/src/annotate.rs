//! What programs tell the runtime by themselves: the functions of `sanitizer/tsan_interface.h` and their relatives.

mod barriers;
mod dynamic;
mod external;
mod fibers;
pub mod hooks;
mod java;
mod reports;
mod symbols;

use crate::entries;
use core::ffi::{c_int, c_uint};
use deadheat_finding::Hold;
use deadheat_rt::mutex::{self, Again, Lifetime, Remains};
use deadheat_rt::thread::{Stay, Thread};
use deadheat_rt::{output, sync};

/// The flags of mutex annotations.
mod flag {
    use core::ffi::c_uint;
    pub const LINKER_INIT: c_uint = 1 << 0;
    pub const WRITE_REENTRANT: c_uint = 1 << 1;
    pub const READ_LOCK: c_uint = 1 << 3;
    pub const TRY_LOCK: c_uint = 1 << 4;
    pub const TRY_LOCK_FAILED: c_uint = 1 << 5;
    pub const RECURSIVE_LOCK: c_uint = 1 << 6;
    pub const RECURSIVE_UNLOCK: c_uint = 1 << 7;
    pub const NOT_STATIC: c_uint = 1 << 8;
}

fn lifetime(flags: c_uint) -> Lifetime {
    match flags {
        _ if flags & flag::LINKER_INIT != 0 => Lifetime::Static,
        _ if flags & flag::NOT_STATIC != 0 => Lifetime::NotStatic,
        _ => Lifetime::Usual,
    }
}

fn hold(flags: c_uint) -> Hold {
    if flags & flag::READ_LOCK != 0 { Hold::Read } else { Hold::Write }
}

fn again(flags: c_uint) -> Again {
    if flags & flag::WRITE_REENTRANT != 0 { Again::Counts } else { Again::Deadlocks }
}

/// What the thread does is not looked at from now on: neither accesses nor synchronisation.
fn look_away(thread: &mut Thread) {
    thread.ignore_reads += 1;
    thread.ignore_writes += 1;
    thread.ignore_sync += 1;
    thread.refresh();
}

/// What the thread does is looked at again.
fn look_again(thread: &mut Thread) {
    thread.ignore_reads = thread.ignore_reads.saturating_sub(1);
    thread.ignore_writes = thread.ignore_writes.saturating_sub(1);
    thread.ignore_sync = thread.ignore_sync.saturating_sub(1);
    thread.refresh();
}

/// Calls `f` with the thread, if the runtime knows it.
fn known(f: impl FnOnce(&mut Thread)) {
    if let Some(mut thread) = Stay::begin() {
        f(&mut thread);
    }
}

/// The mutex's destruction means something: neither it nor the program says otherwise.
fn is_mortal(address: u64, flags: c_uint) -> bool {
    let said = sync::with_existing(address, |o| o.mutex.lifetime).unwrap_or_default();
    match lifetime(flags) {
        Lifetime::Static => false,
        Lifetime::NotStatic => said == Lifetime::NotStatic,
        Lifetime::Usual => said != Lifetime::Static,
    }
}

entries! {
    fn __tsan_acquire(pc; address: u64) {
        known(|t| sync::acquire(t, address));
    }

    fn __tsan_release(pc; address: u64) {
        known(|t| sync::release(t, address));
    }

    fn __tsan_mutex_create(pc; address: u64, flags: c_uint) {
        known(|t| mutex::create(t, address, lifetime(flags), pc));
    }

    fn __tsan_mutex_destroy(pc; address: u64, flags: c_uint) {
        known(|t| if is_mortal(address, flags) {
            mutex::destroy(t, address, Remains::Mark, pc);
        });
    }

    fn __tsan_mutex_pre_lock(pc; address: u64, flags: c_uint) {
        known(|t| {
            if flags & flag::TRY_LOCK == 0 {
                mutex::before_lock(t, address, hold(flags), again(flags), pc);
            }
            look_away(t);
        });
    }

    fn __tsan_mutex_post_lock(pc; address: u64, flags: c_uint, recursion: c_int) {
        known(|t| {
            look_again(t);
            if flags & flag::TRY_LOCK_FAILED == 0 {
                let times = if flags & flag::RECURSIVE_LOCK != 0 { recursion.max(1) as u32 } else { 1 };
                mutex::claimed(t, address, hold(flags), pc);
                mutex::locked_times(t, address, hold(flags), times, pc);
                let lifetime = lifetime(flags);
                if lifetime != Lifetime::Usual {
                    sync::with_existing(address, |o| o.mutex.lifetime = lifetime);
                }
            }
        });
    }

    fn __tsan_mutex_pre_unlock(pc; address: u64, flags: c_uint) -> c_int {
        let Some(mut thread) = Stay::begin() else { return 0 };
        let mut times = 0;
        if flags & flag::RECURSIVE_UNLOCK != 0 && hold(flags) == Hold::Write {
            times = mutex::unlocking_all(&mut thread, address, pc);
        } else {
            mutex::unlocking(&mut thread, address, Some(hold(flags)), || Again::Deadlocks, pc);
        }
        look_away(&mut thread);
        times as c_int
    }

    fn __tsan_mutex_post_unlock(pc; address: u64, flags: c_uint) {
        known(look_again);
    }

    fn __tsan_mutex_pre_signal(pc; address: u64, flags: c_uint) {
        known(look_away);
    }

    fn __tsan_mutex_post_signal(pc; address: u64, flags: c_uint) {
        known(look_again);
    }

    fn __tsan_mutex_pre_divert(pc; address: u64, flags: c_uint) {
        known(look_again);
    }

    fn __tsan_mutex_post_divert(pc; address: u64, flags: c_uint) {
        known(look_away);
    }

    fn __tsan_check_no_mutexes_held(pc;) {
        known(|t| if let Some(first) = t.placer.held().first().copied() {
            let address = first.mutex;
            output::say(format_args!("the mutex at {address:#x} is held where the program says that none is (called from {pc:#x})"));
        });
    }

    fn __tsan_ignore_thread_begin(pc;) {
        known(|t| {
            t.ignore_reads += 1;
            t.ignore_writes += 1;
            t.refresh();
        });
    }

    fn __tsan_ignore_thread_end(pc;) {
        known(|t| {
            t.ignore_reads = t.ignore_reads.saturating_sub(1);
            t.ignore_writes = t.ignore_writes.saturating_sub(1);
            t.refresh();
        });
    }

    fn __tsan_flush_memory(pc;) {
        // Nothing waits to be given back: what is freed is, at once.
    }
}
