//! Memory from the kernel: what is mapped or unmapped has no past.

use crate::{interceptors, real};
use alloc::collections::BTreeMap;
use core::ffi::{c_int, c_void};
use deadheat_rt::os::Mutex;
use deadheat_rt::thread::Stay;
use deadheat_rt::{access, os, output, start};

type At = *mut c_void;

const FAILED: At = libc::MAP_FAILED;

fn forget(at: At, bytes: usize) {
    if bytes > 0 && access::layout().mask != 0 {
        access::forget(at as u64, os::page_ceil(bytes) as u64);
    }
}

fn set_errno(value: c_int) {
    // SAFETY: the thread's own.
    unsafe { *libc::__errno_location() = value };
}

fn unmap(at: At, bytes: usize) -> c_int {
    // SAFETY: as the program asked, or what was mapped for it just now.
    unsafe { real!(munmap(At, usize) -> c_int)(at, bytes) }
}

/// New memory at that address: watched from its beginning, or refused if that is not possible.
fn mapped(at: At, bytes: usize) -> At {
    if at == FAILED || access::layout().mask == 0 {
        return at;
    }
    if start::cover(at as u64, at as u64 + bytes as u64) {
        // Held, so that no handler of a signal comes in between and uses the memory.
        let _stay = Stay::begin();
        forget(at, bytes);
        return at;
    }
    output::say(format_args!(
        "mmap of {bytes} bytes at {at:p}: no shadow memory there, so it fails with ENOMEM; other addresses work"
    ));
    unmap(at, bytes);
    set_errno(libc::ENOMEM);
    FAILED
}

/// The program may not map over shadow memory, or anything else of ours, by telling the kernel where.
fn takes_place(flags: c_int) -> bool {
    flags & libc::MAP_FIXED != 0
}

interceptors! {
    fn mmap(pc; at: At, bytes: usize, access: c_int, flags: c_int, fd: c_int, offset: i64) -> At {
        if takes_place(flags) {
            let _stay = Stay::begin();
            forget(at, bytes);
        }
        mapped(real(at, bytes, access, flags, fd, offset), bytes)
    }

    fn mmap64(pc; at: At, bytes: usize, access: c_int, flags: c_int, fd: c_int, offset: i64) -> At {
        if takes_place(flags) {
            let _stay = Stay::begin();
            forget(at, bytes);
        }
        mapped(real(at, bytes, access, flags, fd, offset), bytes)
    }

    fn munmap(pc; at: At, bytes: usize) -> c_int {
        // Before: afterwards the memory may be another thread's.
        if (at as usize).is_multiple_of(os::PAGE) && bytes > 0 {
            let _stay = Stay::begin();
            forget(at, bytes);
        }
        real(at, bytes)
    }

    fn mremap(pc; at: At, old: usize, new: usize, flags: c_int, to: At) -> At {
        let moved = real(at, old, new, flags, to);
        if moved == FAILED {
            return moved;
        }
        let _stay = Stay::begin();
        if moved != at {
            forget(at, old);
            drop(_stay);
            return mapped(moved, new);
        }
        let (small, large) = (os::page_ceil(old.min(new)), os::page_ceil(old.max(new)));
        forget(at.wrapping_byte_add(small), large - small);
        moved
    }

    fn madvise(pc; at: At, bytes: usize, advice: c_int) -> c_int {
        if matches!(advice, libc::MADV_DONTNEED | libc::MADV_FREE | libc::MADV_REMOVE) && (at as usize).is_multiple_of(os::PAGE) {
            let _stay = Stay::begin();
            forget(at, bytes);
        }
        real(at, bytes, advice)
    }

    /// System calls that the program makes by number: the few that change memory.
    fn syscall(pc; number: i64, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> isize {
        let at = a as At;
        match number {
            libc::SYS_mmap => mapped(real(number, a, b, c, d, e, f) as At, b) as isize,
            libc::SYS_munmap => {
                {
                    let _stay = Stay::begin();
                    forget(at, b);
                }
                real(number, a, b, c, d, e, f)
            }
            libc::SYS_mremap => {
                let moved = real(number, a, b, c, d, e, f);
                if moved == -1 {
                    return moved;
                }
                {
                    let _stay = Stay::begin();
                    forget(at, b);
                }
                mapped(moved as At, c) as isize
            }
            _ => real(number, a, b, c, d, e, f),
        }
    }

    fn sbrk(pc; by: isize) -> At {
        let old = real(by);
        if old != FAILED && by != 0 {
            let _stay = Stay::begin();
            let from = if by > 0 { old } else { old.wrapping_byte_offset(by) };
            if access::layout().mask != 0 {
                access::forget(from as u64, by.unsigned_abs() as u64);
            }
        }
        old
    }

    fn brk(pc; end: At) -> c_int {
        // SAFETY: asks where the end is now.
        let old = unsafe { real!(sbrk(isize) -> At)(0) };
        let result = real(end);
        if result == 0 && access::layout().mask != 0 {
            let _stay = Stay::begin();
            let (from, to) = ((old as u64).min(end as u64), (old as u64).max(end as u64));
            access::forget(from, to - from);
        }
        result
    }

    fn shmat(pc; id: c_int, at: At, flags: c_int) -> At {
        let at = real(id, at, flags);
        if at == FAILED {
            return at;
        }
        let bytes = segment(id);
        let at = mapped(at, bytes);
        if let (true, Some(_stay)) = (at != FAILED, Stay::begin()) {
            SEGMENTS.lock().insert(at as usize, bytes);
        }
        at
    }

    fn shmdt(pc; at: *const c_void) -> c_int {
        // Before: afterwards the memory may be another thread's.
        if let Some(_stay) = Stay::begin()
            && let Some(bytes) = SEGMENTS.lock().remove(&(at as usize))
        {
            forget(at as At, bytes);
        }
        real(at)
    }
}

/// Segments of shared memory: where they are, and how many bytes they have.
static SEGMENTS: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

/// Bytes of a segment of shared memory.
fn segment(id: c_int) -> usize {
    let mut about = core::mem::MaybeUninit::<libc::shmid_ds>::uninit();
    // SAFETY: asks the kernel, into a variable of ours, which is set if the call succeeds.
    unsafe {
        match libc::shmctl(id, libc::IPC_STAT, about.as_mut_ptr()) {
            0 => about.assume_init().shm_segsz,
            _ => 0,
        }
    }
}
