//! Memory on which the program says that races are meant to be: they are not reported. Of some it says that there will be one: if there is none, that is told.

use crate::os::Mutex;
use crate::output;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Memory on which races are meant to be.
struct Expected {
    start: u64,
    end: u64,
    /// Where the program said that there will be one, if it did.
    promise: Option<Promise>,
}

/// A race that there will be.
struct Promise {
    /// File and line, and why.
    place: String,
    why: String,
    kept: bool,
}

static ANY: AtomicBool = AtomicBool::new(false);
static RANGES: Mutex<Vec<Expected>> = Mutex::new(Vec::new());
static MISSED: AtomicU64 = AtomicU64::new(0);

/// Races on that memory are not to be reported.
pub fn allow(start: u64, size: u64) {
    let end = start.saturating_add(size);
    let mut ranges = RANGES.lock();
    if !ranges.iter().any(|r| r.start == start && r.end == end && r.promise.is_none()) {
        ranges.push(Expected { start, end, promise: None });
    }
    ANY.store(true, Ordering::Release);
}

/// There will be a race on the byte at that address.
pub fn promise(start: u64, place: String, why: String) {
    let promise = Some(Promise { place, why, kept: false });
    RANGES.lock().push(Expected { start, end: start.saturating_add(1), promise });
    ANY.store(true, Ordering::Release);
}

/// A race on that memory is expected; if one was promised, there it is.
pub fn covers(start: u64, size: u64) -> bool {
    if !ANY.load(Ordering::Acquire) {
        return false;
    }
    let end = start.saturating_add(size);
    let mut found = false;
    for range in RANGES.lock().iter_mut().filter(|r| start < r.end && r.start < end) {
        found = true;
        if let Some(promise) = &mut range.promise {
            promise.kept = true;
        }
    }
    found
}

/// Tells of the races that were promised and did not come, and expects none of those any more.
pub fn settle() {
    let mut missed = Vec::new();
    RANGES.lock().retain(|range| {
        if let Some(Promise { place, why, kept: false }) = &range.promise {
            missed.push(format!("  {why}: no race at {:#x}, where {place} expects one\n", range.start));
        }
        range.promise.is_none()
    });
    MISSED.fetch_add(missed.len() as u64, Ordering::Relaxed);
    for text in missed {
        const BANNER: &str = "==================";
        output::print(&format!(
            "{BANNER}\nWARNING: ThreadSanitizer: missed expected data race\n{text}{BANNER}\n"
        ));
    }
}

/// How many races were promised and did not come.
pub fn missed() -> u64 {
    MISSED.load(Ordering::Relaxed)
}
