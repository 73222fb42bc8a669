//! Memory on which the program says that races are meant to be: they are not reported.

use crate::os::Mutex;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};

static ANY: AtomicBool = AtomicBool::new(false);
static RANGES: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());

/// Races on that memory are not to be reported.
pub fn expect(start: u64, size: u64) {
    let range = (start, start.saturating_add(size));
    let mut ranges = RANGES.lock();
    if !ranges.contains(&range) {
        ranges.push(range);
    }
    ANY.store(true, Ordering::Release);
}

/// Races on that memory are expected.
pub fn is_expected(start: u64, size: u64) -> bool {
    let end = start.saturating_add(size);
    ANY.load(Ordering::Acquire) && RANGES.lock().iter().any(|(from, to)| start < *to && *from < end)
}
