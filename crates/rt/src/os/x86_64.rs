//! How a system call is made on x86-64, the numbers of the calls, and the structures that differ between machines.

use core::arch::asm;

/// A system call of up to six arguments; the kernel ignores the registers that a call does not use.
///
/// # Safety
/// The arguments must be right for the call: the kernel reads and writes through those that are addresses, and a call
/// may unmap memory, change signal masks or end the process.
#[inline]
pub unsafe fn syscall(number: usize, arguments: [usize; 6]) -> usize {
    let returned;
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: the `syscall` instruction clobbers rcx and r11 and returns in rax; what the call itself does is the
    // caller's promise. Memory is left clobbered, as the kernel may write through any argument.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number => returned,
            in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") f,
            lateout("rcx") _, lateout("r11") _,
            options(nostack)
        );
    }
    returned
}

/// The numbers of the system calls.
pub mod number {
    pub const READ: usize = 0;
    pub const WRITE: usize = 1;
    pub const CLOSE: usize = 3;
    pub const FSTAT: usize = 5;
    pub const LSEEK: usize = 8;
    pub const MMAP: usize = 9;
    pub const MPROTECT: usize = 10;
    pub const MUNMAP: usize = 11;
    pub const RT_SIGPROCMASK: usize = 14;
    pub const IOCTL: usize = 16;
    pub const SCHED_YIELD: usize = 24;
    pub const MREMAP: usize = 25;
    pub const MINCORE: usize = 27;
    pub const MADVISE: usize = 28;
    pub const NANOSLEEP: usize = 35;
    pub const GETPID: usize = 39;
    pub const EXECVE: usize = 59;
    pub const KILL: usize = 62;
    pub const FTRUNCATE: usize = 77;
    pub const PERSONALITY: usize = 135;
    pub const GETTID: usize = 186;
    pub const FUTEX: usize = 202;
    pub const CLOCK_GETTIME: usize = 228;
    pub const EXIT_GROUP: usize = 231;
    pub const TGKILL: usize = 234;
    pub const OPENAT: usize = 257;
    pub const UNLINKAT: usize = 263;
    pub const RENAMEAT: usize = 264;
    pub const READLINKAT: usize = 267;
    pub const FALLOCATE: usize = 285;
    pub const RT_TGSIGQUEUEINFO: usize = 297;
    pub const PRLIMIT64: usize = 302;
    pub const MEMBARRIER: usize = 324;
}

/// The kernel's `struct stat`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct KernelStat {
    pub dev: u64,
    pub ino: u64,
    nlink: u64,
    pub mode: u32,
    uid: u32,
    gid: u32,
    pad: u32,
    rdev: u64,
    pub size: i64,
    blksize: i64,
    blocks: i64,
    times: [u64; 6],
    unused: [i64; 3],
}

const _: () = assert!(size_of::<KernelStat>() == 144);
