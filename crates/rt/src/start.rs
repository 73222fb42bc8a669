//! The beginning: shadow memory for wherever the kernel has put the program, options, the main thread.

use crate::access;
use crate::atomics;
use crate::bias;
use crate::deadlock;
use crate::heap;
use crate::os::{self, Access, Advice, Errno, Maps, Place, Resource};
use crate::output;
use crate::record;
use crate::registry;
use crate::sites::{SITES, Site};
use crate::slots;
use crate::thread::Thread;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU64, Ordering};
use deadheat_shadow::Layout;
use deadheat_shadow::layout::{Program, USER_END, Window};

/// Makes shadow memory and the main thread. `frames`: how deep calls may go on its stack.
pub fn start(frames: usize) -> &'static mut Thread {
    deadheat_online::set_give_way(os::sched_yield);
    deadheat_online::set_unfold(deadheat_shadow::unfold);
    heap::reserve(Place::Anywhere);
    let Some((layout, windows)) = Layout::choose_for(&program()) else {
        os::die(
            os::CANNOT_WORK,
            format_args!("the program's addresses leave no room for shadow memory; try `setarch -R`"),
        )
    };
    access::set_layout(layout);
    windows.iter().for_each(|w| reserve(&layout, *w));
    SITES.reserve();
    bias::start();
    heap::on_give_back(|start, length| access::erase(start as u64, length as u64));
    let id = registry::announce(None, Site::NOWHERE, true, false);
    let thread = Box::leak(Thread::new(id, None, frames));
    thread.install();
    thread
}

/// Obeys the options, once they are read.
pub fn configure() {
    let options = output::options();
    access::set_algorithm(options.algorithm, options.stats || !options.record.is_empty());
    if !options.record.is_empty() {
        record::start(&options.record);
    }
    slots::widen(options.history_size);
    if options.force_seq_cst_atomics {
        atomics::force_sequential();
    }
    if !options.detect_deadlocks {
        deadlock::disable();
    }
}

/// Where the program is, and where the kernel puts what it maps.
fn program() -> Program {
    let fresh = match os::map_zeroed(os::PAGE) {
        Ok(at) => at,
        Err(e) => no_space(e),
    };
    let Ok(mut maps) = Maps::open() else {
        os::die(os::CANNOT_WORK, format_args!("cannot read /proc/self/maps, which says where the program is"))
    };
    let mut mappings = Vec::new();
    while let Ok(Some(m)) = maps.next() {
        mappings.push((m.start as u64, m.end as u64));
    }
    // SAFETY: mapped above, and used for nothing.
    let _: Result<(), _> = unsafe { os::munmap(fresh, os::PAGE) };
    Program { mappings, fresh: fresh as u64 }
}

/// Which pieces of the address space have cells, a bit each.
static COVERED: [AtomicU64; PIECES / 64] = [const { AtomicU64::new(0) }; PIECES / 64];
const PIECES: usize = (USER_END / Layout::GRAIN) as usize;

fn pieces(start: u64, end: u64) -> core::ops::Range<u64> {
    start / Layout::GRAIN..end.min(USER_END).div_ceil(Layout::GRAIN)
}

/// Every address from `start` to `end` has a cell, or has one now: the kernel may put memory outside of all windows if the program asks for that.
pub fn cover(start: u64, end: u64) -> bool {
    pieces(start, end).all(|i| {
        let (word, bit) = (&COVERED[i as usize / 64], 1 << (i % 64));
        word.load(Ordering::Acquire) & bit != 0 || {
            let image = access::layout().cell(i * Layout::GRAIN) as usize;
            let made = os::map(Place::At(image), 2 * Layout::GRAIN as usize, Access::ReadWrite).is_ok();
            if made {
                word.fetch_or(bit, Ordering::Release);
            }
            made
        }
    })
}

/// Address space for the cells of a window.
fn reserve(layout: &Layout, window: Window) {
    for i in pieces(window.start, window.end) {
        COVERED[i as usize / 64].fetch_or(1 << (i % 64), Ordering::Relaxed);
    }
    for image in layout.images(window) {
        let (start, length) = (image.start as usize, (image.end - image.start) as usize);
        match os::map(Place::At(start), length, Access::ReadWrite) {
            // SAFETY: the mapping was made just now.
            Ok(_) => unsafe {
                let _: Result<(), _> = os::madvise(start, length, Advice::NoHugePage);
                let _: Result<(), _> = os::madvise(start, length, Advice::DontDump);
            },
            Err(e) => no_space(e),
        }
    }
}

fn no_space(e: Errno) -> ! {
    let limit =
        os::getrlimit(Resource::AddressSpace).ok().map(|l| l.current).filter(|l| *l != os::RLimit::INFINITY);
    match limit {
        Some(bytes) => os::die(
            os::CANNOT_WORK,
            format_args!(
                "shadow memory needs address space (not memory), and `ulimit -v` allows only {} MiB: run `ulimit -v unlimited` first",
                bytes >> 20
            ),
        ),
        None => os::die(
            os::CANNOT_WORK,
            format_args!(
                "cannot reserve address space for shadow memory ({e:?}); if vm.overcommit_memory is 2, set it to 0 or 1"
            ),
        ),
    }
}
