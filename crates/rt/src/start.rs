//! The beginning: shadow memory for wherever the kernel has put the program, options, the main thread.

use crate::access;
use crate::deadlock;
use crate::heap;
use crate::os::{self, Access, Advice, Errno, Maps, Place, Resource};
use crate::output;
use crate::registry;
use crate::sites::{SITES, Site};
use crate::slots;
use crate::thread::Thread;
use alloc::boxed::Box;
use alloc::vec::Vec;
use deadheat_shadow::Layout;
use deadheat_shadow::layout::{USER_END, Window};

const TIB: u64 = 1 << 40;
/// How far below the lowest library the program's mappings may grow.
const DOWN: u64 = 6 * TIB;
/// How far behind a position-independent program its heap may grow.
const UP: u64 = TIB / 2;

/// Makes shadow memory and the main thread. `frames`: how deep calls may go on its stack.
pub fn start(frames: usize) -> &'static mut Thread {
    deadheat_online::set_give_way(os::sched_yield);
    heap::reserve(Place::Anywhere);
    let windows = windows();
    let Some(layout) = Layout::choose(&windows) else {
        os::die(os::CANNOT_WORK, format_args!("the program's addresses leave no room for shadow memory; try `setarch -R`"))
    };
    access::set_layout(layout);
    windows.iter().for_each(|w| reserve(&layout, *w));
    SITES.reserve();
    heap::on_give_back(|start, length| access::forget(start as u64, length as u64));
    let id = registry::announce(None, Site::NOWHERE, true, false);
    let thread = Box::leak(Thread::new(id, None, frames));
    thread.install();
    thread
}

/// Obeys the options, once they are read.
pub fn configure() {
    let options = output::options();
    access::set_algorithm(options.algorithm, options.stats || !options.record.is_empty());
    slots::widen(options.history_size);
    if !options.detect_deadlocks {
        deadlock::disable();
    }
}

/// Where the program is and may grow.
fn windows() -> Vec<Window> {
    // A program that is not position-independent, and null pointers, whose use must fail where the program does it.
    let mut windows = alloc::vec![Window::around(0, 8 << 30)];
    let Ok(mut maps) = Maps::open() else {
        os::die(os::CANNOT_WORK, format_args!("cannot read /proc/self/maps, which says where the program is"))
    };
    let top = USER_END / 8 * 7 - TIB;
    let (mut lowest, mut middle) = (USER_END, (USER_END, 0));
    while let Ok(Some(m)) = maps.next() {
        let (start, end) = (m.start as u64, m.end as u64);
        if start >= USER_END || end <= 8 << 30 {
            continue;
        }
        if start >= top {
            lowest = lowest.min(start);
        } else {
            middle = (middle.0.min(start), middle.1.max(end));
        }
    }
    windows.push(Window::around(lowest.saturating_sub(DOWN).max(TIB), USER_END));
    if middle.0 < middle.1 {
        windows.push(Window::around(middle.0, (middle.1 + UP).min(top)));
    }
    merge(windows)
}

/// Windows that touch are one.
fn merge(mut windows: Vec<Window>) -> Vec<Window> {
    windows.sort_unstable_by_key(|w| w.start);
    let mut merged: Vec<Window> = Vec::new();
    for window in windows {
        match merged.last_mut().filter(|last| window.start <= last.end) {
            Some(last) => last.end = last.end.max(window.end),
            None => merged.push(window),
        }
    }
    merged
}

/// Address space for the cells of a window.
fn reserve(layout: &Layout, window: Window) {
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
    let limit = os::getrlimit(Resource::AddressSpace).ok().map(|l| l.current).filter(|l| *l != os::RLimit::INFINITY);
    match limit {
        Some(bytes) => os::die(
            os::CANNOT_WORK,
            format_args!(
                "shadow memory needs address space (not memory), and `ulimit -v` allows only {} MiB: run `ulimit -v unlimited` first",
                bytes >> 20
            ),
        ),
        None => os::die(os::CANNOT_WORK, format_args!("cannot reserve address space for shadow memory ({e:?}); if vm.overcommit_memory is 2, set it to 0 or 1")),
    }
}
