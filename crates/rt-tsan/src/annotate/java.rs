//! The interface for virtual machines of Java: a heap of their own, monitors, volatiles and a collector that moves objects while all threads stand still.

use super::known;
use crate::entries;
use alloc::collections::BTreeMap;
use core::ffi::c_int;
use deadheat_finding::Hold;
use deadheat_online::Word;
use deadheat_rt::mutex::{self, Again};
use deadheat_rt::os::Mutex;
use deadheat_rt::thread::{Stay, Thread};
use deadheat_rt::{access, reclaim, slots, sync};

/// The machine's objects: first byte and size.
static BLOCKS: Mutex<BTreeMap<u64, u64>> = Mutex::new(BTreeMap::new());

/// What is remembered of a granule is remembered of another from now on.
fn move_granule(from: u64, to: u64) {
    access::forget(to, 8);
    let (old, new) = (access::cell(from), access::cell(to));
    let state = old.lock();
    old.set_r(Word::NONE);
    old.unlock(Word::NONE);
    new.lock();
    new.set_r(state.r);
    new.unlock(state.w);
}

/// Locks a monitor, which its owner may lock again.
fn lock(thread: &mut Thread, address: u64, hold: Hold, times: u32, pc: u64) {
    mutex::before_lock(thread, address, hold, Again::Counts, pc);
    mutex::locked_times(thread, address, hold, times, pc);
}

entries! {
    fn __tsan_java_init(pc; heap: u64, size: u64) {
        // Objects move, and finalizers learn what nobody released.
        reclaim::forbid();
        known(|_| access::forget(heap, size));
    }

    fn __tsan_java_fini(pc;) -> c_int {
        crate::entry::conclude()
    }

    fn __tsan_java_alloc(pc; block: u64, size: u64) {
        known(|_| {
            access::forget(block, size);
            BLOCKS.lock().insert(block, size);
        });
    }

    fn __tsan_java_free(pc; block: u64, size: u64) {
        known(|_| {
            access::forget(block, size);
            let mut blocks = BLOCKS.lock();
            while let Some(start) = blocks.range(block..block.saturating_add(size)).next().map(|(start, _)| *start) {
                blocks.remove(&start);
            }
        });
    }

    fn __tsan_java_move(pc; from: u64, to: u64, size: u64) {
        known(|_| {
            let granules = 0..size / 8;
            // Where the two overlap, no granule is written before it has moved.
            if to < from {
                granules.for_each(|i| move_granule(from + i * 8, to + i * 8));
            } else if to > from {
                granules.rev().for_each(|i| move_granule(from + i * 8, to + i * 8));
            }
            let mut blocks = BLOCKS.lock();
            let moved: alloc::vec::Vec<_> = blocks.range(from..from.saturating_add(size)).map(|(s, n)| (*s, *n)).collect();
            moved.iter().for_each(|(start, _)| { blocks.remove(start); });
            blocks.extend(moved.into_iter().map(|(start, n)| (start - from + to, n)));
        });
    }

    fn __tsan_java_find(pc; place: *mut u64, from: u64, to: u64) -> u64 {
        let Some(_stay) = Stay::begin() else { return 0 };
        let found = BLOCKS.lock().range(from..to).next().map(|(start, size)| (*start, *size));
        if let (Some((start, _)), false) = (found, place.is_null()) {
            // SAFETY: the program's variable.
            unsafe { *place = start };
        }
        found.map_or(0, |(_, size)| size)
    }

    fn __tsan_java_finalize(pc;) {
        known(|t| {
            // Nobody else has the object any more, so all that was done to it is over.
            slots::latest(|slot, clock| t.state.learn(slot, clock));
            t.refresh();
        });
    }

    fn __tsan_java_mutex_lock(pc; address: u64) {
        known(|t| lock(t, address, Hold::Write, 1, pc));
    }

    fn __tsan_java_mutex_unlock(pc; address: u64) {
        known(|t| mutex::unlocking(t, address, Some(Hold::Write), || Again::Counts, pc));
    }

    fn __tsan_java_mutex_read_lock(pc; address: u64) {
        known(|t| lock(t, address, Hold::Read, 1, pc));
    }

    fn __tsan_java_mutex_read_unlock(pc; address: u64) {
        known(|t| mutex::unlocking(t, address, Some(Hold::Read), || Again::Counts, pc));
    }

    fn __tsan_java_mutex_lock_rec(pc; address: u64, times: c_int) {
        known(|t| lock(t, address, Hold::Write, times.max(1) as u32, pc));
    }

    fn __tsan_java_mutex_unlock_rec(pc; address: u64) -> c_int {
        Stay::begin().map_or(0, |mut t| mutex::unlocking_all(&mut t, address, pc)) as c_int
    }

    fn __tsan_java_acquire(pc; address: u64) {
        known(|t| sync::acquire(t, address));
    }

    fn __tsan_java_release(pc; address: u64) {
        known(|t| sync::release(t, address));
    }

    fn __tsan_java_release_store(pc; address: u64) {
        known(|t| sync::release_store(t, address));
    }
}
