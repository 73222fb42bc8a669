//! What must hold at the edges: foreign addresses, exhaustion, reuse, memory that goes back, limits.

use super::*;
use crate::heap;
use crate::os::{self, Resource};
use std::{env, format, process};

#[test]
fn foreign_addresses_are_not_ours() {
    let heap = heap(20);
    let local = 0u8;
    let start = allocate(heap, None, 100, 1);
    let (base, length) = heap.arena.range().unwrap();
    for address in
        [0, 8, &raw const local as usize, base - 1, base + length, start + 16, start + 112, usize::MAX]
    {
        assert_eq!(heap.find(address).unwrap_err(), BadFree::NotOurs);
    }
    assert!(heap.block_of(start + 99).is_some());
    assert_eq!(heap.block_of(start + 112), None);
    assert_eq!(heap.block_of(base + length), None);
}

#[test]
fn freed_blocks_wait_their_turn() {
    let (heap, mut cache) = (heap(24), Cache::new());
    let starts: Vec<usize> = (0..8).map(|_| allocate(heap, Some(&mut cache), 40, 1)).collect();
    for &start in &starts {
        free(heap, Some(&mut cache), start, OTHER).unwrap();
    }
    let again: Vec<usize> = (0..20).map(|_| allocate(heap, Some(&mut cache), 40, 1)).collect();
    assert!(!again[..4].contains(&starts[7]));
    assert!(starts.iter().all(|start| again.contains(start)));
}

#[test]
fn memory_does_not_grow_when_blocks_come_and_go() {
    let heap = heap(24);
    let (mut producer, mut consumer) = (Cache::new(), Cache::new());
    // 16 MiB regions: without reuse, 100,000 blocks of 1 KiB would exhaust every class.
    for _ in 0..100_000 {
        let start = allocate(heap, Some(&mut producer), 1000, 1);
        free(heap, Some(&mut consumer), start, OTHER).unwrap();
    }
    let last = allocate(heap, Some(&mut producer), 1000, 1);
    assert!(heap.arena.pool(Class::of_size(1000)).index_of(last).unwrap().0 < 200);
}

#[test]
fn an_exhausted_class_borrows_from_larger_ones_and_then_from_the_kernel() {
    // Regions of 256 KiB: 16384 blocks of 16 bytes, 8192 of 32 and so on to one of 256 KiB, 54,808 in all.
    let (heap, mut cache) = (heap(18), Cache::new());
    let starts: Vec<usize> = (0..60_000).map(|_| allocate(heap, Some(&mut cache), 16, 16)).collect();
    let distinct: std::collections::BTreeSet<usize> = starts.iter().copied().collect();
    assert_eq!(distinct.len(), starts.len());
    let outside = starts.iter().filter(|&&start| heap.arena.class_at(start).is_none()).count();
    assert!(outside > 0, "all classes together hold fewer");
    for start in starts {
        assert_eq!(size_at(heap, start), Some(16));
        free(heap, Some(&mut cache), start, ME).unwrap();
    }
    assert_eq!(heap.live_bytes() as isize + cache.live, 0);
}

#[test]
fn impossible_sizes_give_nothing() {
    let heap = heap(20);
    for size in [usize::MAX, usize::MAX - 4096, isize::MAX as usize, 1 << 50] {
        assert!(heap.obtain(None, size, 16, ME).is_none());
        assert!(heap.obtain_zeroed(None, size, 1 << 30, ME).is_null());
    }
    assert!(heap.obtain(None, 16, 1 << 60, ME).is_none());
    assert_eq!(heap.live_bytes(), 0);
}

#[test]
fn pages_of_large_blocks_go_back_and_are_told() {
    static TOLD: AtomicUsize = AtomicUsize::new(0);
    fn tell(_: usize, length: usize) {
        TOLD.fetch_add(length, Ordering::Relaxed);
    }
    let heap = heap(26);
    heap.give_back.store(tell as GiveBack as *mut (), Ordering::Relaxed);
    let starts: Vec<usize> = (0..100).map(|_| allocate(heap, None, 64 * 1024, 1)).collect();
    for &start in &starts {
        mark(start, 64 * 1024, 1);
        free(heap, None, start, OTHER).unwrap();
    }
    assert_eq!(TOLD.load(Ordering::Relaxed), (100 - 16) * 64 * 1024);
    for _ in &starts {
        let block = heap.obtain(None, 64 * 1024, 16, ME).unwrap();
        // SAFETY: the block was handed out just now.
        let first = unsafe { *block.start() };
        assert_eq!(first, if block.is_zeroed() { 0 } else { 1 });
    }
    let large = allocate(heap, None, 10_000_000, 1);
    free(heap, None, large, OTHER).unwrap();
    assert_eq!(TOLD.load(Ordering::Relaxed), (100 - 16) * 64 * 1024 + os::page_ceil(10_000_000));
}

#[test]
fn some_large_blocks_are_used_again_and_the_rest_go_back() {
    static TOLD: AtomicUsize = AtomicUsize::new(0);
    let heap = heap(20);
    let tell: GiveBack = |_, _| {
        TOLD.fetch_add(1, Ordering::Relaxed);
    };
    heap.give_back.store(tell as *mut (), Ordering::Relaxed);
    let starts: Vec<usize> = (0..40).map(|_| allocate(heap, None, 500_000, 1)).collect();
    for &start in &starts {
        mark(start, 500_000, 1);
        free(heap, None, start, OTHER).unwrap();
    }
    assert_eq!(TOLD.load(Ordering::Relaxed), 40 - 16);
    assert_eq!(heap.block_of(starts[39] + 499_999).unwrap().freed_by, Some(OTHER));
    // Those that were freed last are still there; too small a request, or one too large, gets a mapping of its own.
    assert!(!starts[24..].contains(&allocate(heap, None, 300_000, 1)));
    assert!(!starts[24..].contains(&allocate(heap, None, 510_000, 1)));
    let again = heap.obtain_zeroed(None, 450_000, 16, ME) as usize;
    assert_eq!(again, starts[24]);
    check_mark(again, 450_000, 0);
    let block = heap.block_of(again + 449_999).unwrap();
    assert_eq!((block.size, block.is_live()), (450_000, true));
}

#[test]
fn the_programs_heap_works() {
    let mut cache = Cache::new();
    reserve(Place::Anywhere);
    let start = heap::allocate(Some(&mut cache), 24, 16, ME);
    assert_eq!((usable_size(start), usable_size(start.wrapping_add(1))), (24, 0));
    assert!(block_of(start as usize).unwrap().is_live());
    assert_eq!(release_found(Some(&mut cache), find(start).unwrap(), OTHER), Ok(()));
    assert_eq!(release(None, start, ME), Err(BadFree::DoubleFree));
    assert_eq!(block_of(start as usize + 20).unwrap().freed_by, Some(OTHER));
    let zeroed = heap::allocate_zeroed(Some(&mut cache), 24, 16, ME);
    assert!(range().is_some_and(|(base, length)| (base..base + length).contains(&(zeroed as usize))));
    release(None, zeroed, ME).unwrap();
    flush(&mut cache);
}

/// Runs a test of this file again in a process of its own, with a limit on its address space.
fn under_limit(test: &str, mebibytes: u64) -> process::Output {
    process::Command::new(env::current_exe().unwrap())
        .args([&format!("heap::tests::edges::{test}"), "--exact", "--nocapture", "--test-threads=1"])
        .env("DEADHEAT_TEST_LIMIT", format!("{mebibytes}"))
        .output()
        .unwrap()
}

fn limit_of_this_process() -> Option<u64> {
    let bytes = env::var("DEADHEAT_TEST_LIMIT").ok()?.parse::<u64>().unwrap() << 20;
    let limit = os::RLimit { current: bytes, maximum: os::RLimit::INFINITY };
    os::prlimit(Resource::AddressSpace, Some(limit)).unwrap();
    Some(bytes)
}

#[test]
fn a_low_limit_on_address_space_makes_smaller_regions() {
    let Some(limit) = limit_of_this_process() else {
        let output = under_limit("a_low_limit_on_address_space_makes_smaller_regions", 20 << 10);
        assert!(output.status.success(), "{output:?}");
        return;
    };
    let start = heap::allocate(None, 100, 16, ME);
    assert_eq!(usable_size(start), 100);
    assert!(range().unwrap().1 as u64 <= limit / 2);
}

#[test]
fn a_limit_too_low_is_named() {
    if limit_of_this_process().is_none() {
        let output = under_limit("a_limit_too_low_is_named", 1000);
        assert_eq!(output.status.code(), Some(os::CANNOT_WORK));
        let words = std::string::String::from_utf8_lossy(&output.stderr).into_owned();
        let expected = "deadheat: cannot reserve 3651 MiB of address space for the heap: cannot allocate memory; \
                        the limit (ulimit -v) is 1000 MiB\n";
        assert_eq!(words, expected);
        return;
    }
    heap::allocate(None, 100, 16, ME);
}
