//! What the runtime asks of the operating system: raw system calls, a lock, a writer, and the list of mappings.
//!
//! The runtime lives inside a program whose C library it watches, so nothing here goes through that library: no
//! `errno`, no `malloc`, no thread-local storage, no function that the program might have replaced.
//!
//! *Invariant*: only `arch` knows a system call's number or how a system call is made.

#[cfg(not(target_os = "linux"))]
compile_error!("the runtime makes Linux system calls");
#[cfg(not(target_arch = "x86_64"))]
compile_error!("the runtime knows how to make system calls on x86-64 only");

#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
mod arch;
mod console;
mod errno;
mod file;
mod maps;
mod memory;
mod mutex;
mod process;
mod time;

pub use console::{CANNOT_WORK, FdWriter, Line, STDERR, STDOUT, die};
pub use errno::Errno;
pub use file::{
    Fd, OpenFlags, Seek, Stat, close, fstat, is_terminal, lseek, make_room, open, open_at, read, readlink,
    rename, unlink, write, write_all,
};
pub use maps::{Mapping, Maps};
pub use memory::{
    Access, Advice, PAGE, Place, madvise, map, map_aligned, map_file, map_shared, map_zeroed, mincore,
    mprotect, munmap, page_ceil, page_floor, remap,
};
pub use mutex::{Guard, Mutex, futex_wait, futex_wake, set_alone};
pub use process::{
    ADDR_NO_RANDOMIZE, MaskChange, RLimit, Resource, SignalSet, barrier_in_all_threads, block_all_signals,
    change_signal_mask, execve, exit_group, getpid, getrlimit, gettid, kill, personality, prlimit,
    requeue_signal, tgkill,
};
pub use time::{Clock, Timespec, clock_gettime, nanosleep, sched_yield};

/// `Ok` with the value, or `Err` with the error that the kernel packs into the top 4095 values of the register.
#[inline]
fn check(returned: usize) -> Result<usize, Errno> {
    if returned > usize::MAX - 4095 { Err(Errno(returned.wrapping_neg() as i32)) } else { Ok(returned) }
}
