//! Libraries that are loaded and unloaded while the program runs.

use crate::interceptors;
use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::AtomicU64;
use deadheat_rt::thread::Stay;
use deadheat_rt::{access, modules, record, sync};
use libc::dl_phdr_info;

/// The loader's lock: one thread at a time loads and unloads, and sees what the ones before have done.
static LOADER: AtomicU64 = AtomicU64::new(0);

fn arrive() {
    if let Some(mut thread) = Stay::begin() {
        sync::acquire(&mut thread, &raw const LOADER as u64);
    }
}

fn leave() {
    if let Some(mut thread) = Stay::begin() {
        sync::release(&mut thread, &raw const LOADER as u64);
    }
}

/// Where loaded files are.
fn places() -> alloc::vec::Vec<(u64, u64)> {
    modules::loaded().iter().map(|m| (m.start, m.end)).collect()
}

/// Calls that while the loader's list of libraries is locked: code of a library runs only after it was added there.
fn while_none_is_added(mut f: &mut dyn FnMut()) {
    extern "C" fn once(_: *mut dl_phdr_info, _: usize, f: *mut c_void) -> c_int {
        // SAFETY: it is what was passed below.
        unsafe { (*f.cast::<&mut dyn FnMut()>())() };
        1
    }
    // SAFETY: it calls `once` for the program itself, and then no more.
    unsafe { libc::dl_iterate_phdr(Some(once), (&raw mut f).cast()) };
}

interceptors! {
    fn dlopen(pc; path: *const c_char, flags: c_int) -> *mut c_void {
        arrive();
        let handle = real(path, flags);
        if let Some(_stay) = Stay::begin() {
            record::modules();
        }
        arrive();
        leave();
        handle
    }

    fn dlclose(pc; handle: *mut c_void) -> c_int {
        let before = { let _stay = Stay::begin(); places() };
        arrive();
        let result = real(handle);
        let stay = Stay::begin();
        // What was in an unloaded library is nothing to whoever gets its addresses next, and who has them already has a past of its own there.
        while_none_is_added(&mut || {
            let after = places();
            for (start, end) in before.iter().filter(|place| !after.contains(place)) {
                access::forget(*start, end - start);
            }
        });
        drop(stay);
        leave();
        result
    }
}
