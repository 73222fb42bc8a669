//! The heap: `malloc` and its family.

use super::{signals, touch};
use crate::interceptors;
use core::ffi::{c_int, c_void};
use deadheat_rt::heap::{self, BadFree, Origin};
use deadheat_rt::thread::Stay;
use deadheat_rt::{memory, modules, os};

/// What every block is a multiple of.
pub const ALIGN: usize = 16;

/// A block for the program; null if there is no memory.
pub fn allocate(size: usize, align: usize, pc: u64) -> *mut u8 {
    match Stay::begin() {
        Some(mut thread) => {
            signals::unsafe_call(&mut thread, pc);
            memory::allocate(&mut thread, size, align, pc)
        }
        None => memory::allocate_unseen(size, align),
    }
}

/// A block of zeroes for the program.
fn allocate_zeroed(size: usize, pc: u64) -> *mut u8 {
    match Stay::begin() {
        Some(mut thread) => {
            signals::unsafe_call(&mut thread, pc);
            memory::allocate_zeroed(&mut thread, size, ALIGN, pc)
        }
        None => memory::allocate_zeroed_unseen(size, ALIGN),
    }
}

/// The program gives a block back.
pub fn release(block: *mut u8, pc: u64) {
    if block.is_null() {
        return;
    }
    let done = match Stay::begin() {
        // Thread-local storage of libraries, after the thread's end: the loader's locks order that, and nobody sees them.
        Some(mut thread) if modules::is_loader(pc) => memory::free_unchecked(&mut thread, block, pc),
        Some(mut thread) => {
            signals::unsafe_call(&mut thread, pc);
            memory::free(&mut thread, block, pc)
        }
        None => heap::release(None, block, Origin::default()).map(drop),
    };
    match done {
        Ok(()) => {}
        Err(BadFree::DoubleFree) => os::die(os::CANNOT_WORK, format_args!("{block:p} is freed twice")),
        Err(BadFree::NotOurs) => {
            os::die(os::CANNOT_WORK, format_args!("{block:p} is freed, but was not allocated"))
        }
    }
}

fn set_errno(value: c_int) {
    // SAFETY: the thread's own.
    unsafe { *libc::__errno_location() = value };
}

fn or_enomem(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        set_errno(libc::ENOMEM);
    }
    block
}

/// How large a block is. From within the runtime, since it may take the heap's lock: a handler of a signal that came in that moment would wait for a fork to end that waits for whoever wants the lock.
fn size_of_block(block: *mut u8) -> usize {
    let _stay = Stay::begin();
    heap::usable_size(block)
}

fn resize(block: *mut u8, size: usize, pc: u64) -> *mut u8 {
    if block.is_null() {
        return or_enomem(allocate(size, ALIGN, pc));
    }
    if size == 0 {
        release(block, pc);
        return core::ptr::null_mut();
    }
    let old = size_of_block(block);
    let new = or_enomem(allocate(size, ALIGN, pc));
    if !new.is_null() {
        touch::write(new, old.min(size), pc);
        // SAFETY: both blocks have that many bytes; the program must not use them meanwhile.
        unsafe { crate::lang::__deadheat_memcpy(new, block, old.min(size)) };
        release(block, pc);
    }
    new
}

interceptors! {
    fn malloc(pc; size: usize) -> *mut u8 {
        or_enomem(allocate(size, ALIGN, pc))
    }

    fn calloc(pc; count: usize, size: usize) -> *mut u8 {
        match count.checked_mul(size) {
            Some(bytes) => or_enomem(allocate_zeroed(bytes, pc)),
            None => or_enomem(core::ptr::null_mut()),
        }
    }

    fn realloc(pc; block: *mut u8, size: usize) -> *mut u8 {
        resize(block, size, pc)
    }

    fn reallocarray(pc; block: *mut u8, count: usize, size: usize) -> *mut u8 {
        match count.checked_mul(size) {
            Some(bytes) => resize(block, bytes, pc),
            None => or_enomem(core::ptr::null_mut()),
        }
    }

    fn free(pc; block: *mut u8) {
        release(block, pc)
    }

    fn cfree(pc; block: *mut u8) {
        release(block, pc)
    }

    fn posix_memalign(pc; into: *mut *mut u8, align: usize, size: usize) -> c_int {
        if !align.is_power_of_two() || !align.is_multiple_of(size_of::<*mut c_void>()) {
            return libc::EINVAL;
        }
        let block = allocate(size, align.max(ALIGN), pc);
        if block.is_null() {
            return libc::ENOMEM;
        }
        // SAFETY: the program's variable.
        unsafe { *into = block };
        0
    }

    fn aligned_alloc(pc; align: usize, size: usize) -> *mut u8 {
        if !align.is_power_of_two() {
            set_errno(libc::EINVAL);
            return core::ptr::null_mut();
        }
        or_enomem(allocate(size, align.max(ALIGN), pc))
    }

    fn memalign(pc; align: usize, size: usize) -> *mut u8 {
        or_enomem(allocate(size, align.max(ALIGN).next_power_of_two(), pc))
    }

    fn valloc(pc; size: usize) -> *mut u8 {
        or_enomem(allocate(size, os::PAGE, pc))
    }

    fn pvalloc(pc; size: usize) -> *mut u8 {
        or_enomem(allocate(os::page_ceil(size.max(1)), os::PAGE, pc))
    }

    fn malloc_usable_size(pc; block: *mut u8) -> usize {
        if block.is_null() { 0 } else { size_of_block(block) }
    }
}
