//! A limit on memory: hostile or huge traces end with a clear line, not with the machine swapping.
//!
//! The analysis needs memory for every thread, variable and lock that a trace names, and for some detectors for every event. How much
//! that is cannot be known beforehand, so the allocator counts and the run loop looks.

use crate::failure::Failure;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator, counted.
pub struct Counted;

/// Bytes allocated now. `Relaxed`: a plain count that orders nothing.
static USED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to `System` with the caller's own arguments; the counter touches no memory of theirs.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        USED.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller's contract is `System`'s.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        // SAFETY: `ptr` came from `System` with this layout, through `alloc`.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        USED.fetch_add(new_size.wrapping_sub(layout.size()), Relaxed);
        // SAFETY: the caller's contract is `System`'s.
        unsafe { System.realloc(ptr, layout, new_size) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        USED.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller's contract is `System`'s.
        unsafe { System.alloc_zeroed(layout) }
    }
}

/// How much memory the analysis may take.
#[derive(Clone, Copy, Debug)]
pub struct MemoryLimit(usize);

impl MemoryLimit {
    /// That many mebibytes, or three quarters of what there is to be had.
    pub fn new(mib: Option<u64>) -> MemoryLimit {
        let bytes = mib.map(|m| usize::try_from(m.saturating_mul(1 << 20)).unwrap_or(usize::MAX));
        MemoryLimit(bytes.unwrap_or_else(|| available() / 4 * 3))
    }

    /// How much that is.
    pub fn bytes(self) -> usize {
        self.0
    }

    /// Fails when more than that is in use.
    #[inline]
    pub fn check(self) -> Result<(), Failure> {
        if USED.load(Relaxed) <= self.0 {
            return Ok(());
        }
        let mib = self.0 >> 20;
        Err(Failure::new(format!(
            "the analysis needs more than {mib} MiB of memory; --memory-limit allows more"
        )))
    }
}

/// What the machine has free, or less if a container or `ulimit -v` allows less.
fn available() -> usize {
    [free(), container(), address_space()].into_iter().flatten().min().unwrap_or(4 << 30)
}

fn free() -> Option<usize> {
    let kib = field("/proc/meminfo", "MemAvailable:")?;
    kib.strip_suffix("kB")?.trim().parse::<usize>().ok().map(|n| n << 10)
}

/// Inside of a container its own limit is at the root of the tree of control groups, whose second version says `max` for none.
fn container() -> Option<usize> {
    const LIMITS: [&str; 2] = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    LIMITS.iter().find_map(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok())
}

fn address_space() -> Option<usize> {
    field("/proc/self/limits", "Max address space")?.split_whitespace().next()?.parse().ok()
}

/// What follows that name in a file of `/proc`.
fn field(file: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| line.strip_prefix(name)).map(|rest| rest.trim().to_owned())
}
