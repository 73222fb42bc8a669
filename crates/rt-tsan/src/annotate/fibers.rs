//! Fibers: flows of control that the program switches by itself. Each is a thread of ours that is not bound to one of the kernel's.

use crate::entries;
use crate::intercept::{contexts, jumps, threads};
use alloc::boxed::Box;
use core::ffi::{c_char, c_uint};
use core::sync::atomic::Ordering;
use deadheat_online::LockState;
use deadheat_rt::sites::Note;
use deadheat_rt::thread::{Stay, Thread};
use deadheat_rt::{heap, reclaim, registry, tls};

/// Switching orders nothing between the two.
const NO_SYNC: c_uint = 1 << 0;

/// Room for calls on a fiber, of whose stack nothing is known: address space until it is used.
const FRAMES: usize = 1 << 18;

/// Makes another thread the current one of the kernel's thread.
fn switch(from: &mut Thread, to: &mut Thread) {
    from.suspend();
    // Signals wait for the kernel's thread, whoever runs on it.
    to.pending |= core::mem::take(&mut from.pending);
    to.install();
}

entries! {
    fn __tsan_get_current_fiber(pc;) -> *mut Thread {
        tls::thread()
    }

    fn __tsan_create_fiber(pc; flags: c_uint) -> *mut Thread {
        let Some(mut creator) = Stay::begin() else { return core::ptr::null_mut() };
        contexts::has_fibers();
        reclaim::if_due(&creator);
        let site = creator.placer.site(pc, Note::CALL);
        let id = registry::announce(Some(creator.id), site, true, true);
        Box::into_raw(Thread::new(id, Some((&mut creator, site)), FRAMES))
    }

    fn __tsan_destroy_fiber(pc; fiber: *mut Thread) {
        let Some(_stay) = Stay::begin() else { return };
        if fiber.is_null() || fiber == tls::thread() {
            return;
        }
        // SAFETY: made by `__tsan_create_fiber`, and the program gives it back.
        let mut fiber = unsafe { Box::from_raw(fiber) };
        heap::flush(&mut fiber.heap);
        jumps::forget(&mut fiber);
        registry::finished(&mut fiber);
    }

    fn __tsan_switch_to_fiber(pc; fiber: *mut Thread, flags: c_uint) {
        let Some(mut current) = Stay::begin() else { return };
        if fiber.is_null() || fiber == tls::thread() {
            return;
        }
        // SAFETY: made by `__tsan_create_fiber` or got from `__tsan_get_current_fiber`; it runs nowhere else now.
        let to = unsafe { &mut *fiber };
        if flags & NO_SYNC == 0 {
            let mut passed = LockState::new();
            current.state.release(&mut passed);
            to.state.acquire(&passed);
        }
        to.busy.store(1, Ordering::Relaxed);
        switch(&mut current, to);
        // The stay is one of the thread that is left.
        drop(current);
        to.busy.store(0, Ordering::Release);
    }

    fn __tsan_set_fiber_name(pc; fiber: *mut Thread, name: *const c_char) {
        // SAFETY: as above.
        if let (Some(_stay), Some(fiber)) = (Stay::begin(), unsafe { fiber.as_ref() }) {
            threads::name(fiber.id, name);
        }
    }
}
