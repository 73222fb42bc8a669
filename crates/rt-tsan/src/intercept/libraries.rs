//! Libraries that are loaded and unloaded while the program runs.

use crate::interceptors;
use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::AtomicU64;
use deadheat_rt::thread::Stay;
use deadheat_rt::{access, modules, record, sync};

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
        let _stay = Stay::begin();
        let after = places();
        // What was in an unloaded library is nothing to whoever gets its addresses next.
        for (start, end) in before.into_iter().filter(|place| !after.contains(place)) {
            access::forget(start, end - start);
        }
        drop(_stay);
        leave();
        result
    }
}
