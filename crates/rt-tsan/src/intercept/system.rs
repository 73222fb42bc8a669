//! Questions to the kernel about processes, limits and the machine.

use super::touch;
use crate::{answers, interceptors};
use core::ffi::{c_char, c_int, c_uint, c_void};
use libc::{cpu_set_t, rlimit, rusage, sched_param, siginfo_t, sigset_t, stack_t, sysinfo, utsname};

type To = *mut c_char;

answers! {
    fn wait(status: *mut c_int) -> child: c_int { if child > 0 => status }
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> child: c_int { if child > 0 => status }
    fn wait3(status: *mut c_int, options: c_int, used: *mut rusage) -> child: c_int { if child > 0 => status, used }
    fn wait4(process: c_int, status: *mut c_int, options: c_int, used: *mut rusage) -> child: c_int { if child > 0 => status, used }
    fn waitid(kind: c_int, id: c_uint, info: *mut siginfo_t, options: c_int) -> r: c_int { if r == 0 => info }
    fn posix_spawn(child: *mut c_int, path: *const c_char, actions: *const c_void, attributes: *const c_void, arguments: *const c_void, environment: *const c_void) -> r: c_int {
        texts path; if r == 0 => child
    }
    fn posix_spawnp(child: *mut c_int, path: *const c_char, actions: *const c_void, attributes: *const c_void, arguments: *const c_void, environment: *const c_void) -> r: c_int {
        texts path; if r == 0 => child
    }
    fn getrusage(whose: c_int, used: *mut rusage) -> r: c_int { if r == 0 => used }
    fn getrlimit(what: c_int, limit: *mut rlimit) -> r: c_int { if r == 0 => limit }
    fn getrlimit64(what: c_int, limit: *mut rlimit) -> r: c_int { if r == 0 => limit }
    fn prlimit(process: c_int, what: c_int, new: *const rlimit, old: *mut rlimit) -> r: c_int { if r == 0 => old }
    fn tcgetattr(fd: c_int, to: *mut libc::termios) -> r: c_int { uses fd; if r == 0 => to }
    fn sysinfo(about: *mut sysinfo) -> r: c_int { if r == 0 => about }
    fn uname(about: *mut utsname) -> r: c_int { if r == 0 => about }
    fn getloadavg(loads: *mut f64, count: c_int) -> n: c_int { if n > 0 => loads[n as usize * 8] }
    fn sched_getaffinity(process: c_int, size: usize, set: *mut cpu_set_t) -> r: c_int { if r == 0 => set[size] }
    fn sched_getparam(process: c_int, to: *mut sched_param) -> r: c_int { if r == 0 => to }
    fn getresuid(real_one: *mut c_uint, effective: *mut c_uint, saved: *mut c_uint) -> r: c_int { if r == 0 => real_one, effective, saved }
    fn getresgid(real_one: *mut c_uint, effective: *mut c_uint, saved: *mut c_uint) -> r: c_int { if r == 0 => real_one, effective, saved }
    fn getgroups(count: c_int, list: *mut c_uint) -> n: c_int { if n > 0 && count > 0 => list[n as usize * 4] }
    fn getrandom(to: *mut u8, bytes: usize, flags: c_uint) -> n: isize { if n > 0 => to[n as usize] }
    fn getentropy(to: *mut u8, bytes: usize) -> r: c_int { if r == 0 => to[bytes] }
    fn gethostname(to: To, room: usize) -> r: c_int { if r == 0 => to[ended(to, room)] }
    fn getdomainname(to: To, room: usize) -> r: c_int { if r == 0 => to[ended(to, room)] }
    fn getlogin_r(to: To, room: usize) -> r: c_int { if r == 0 => to[ended(to, room)] }
    fn confstr(name: c_int, to: To, room: usize) -> n: usize { if room > 0 && n > 0 => to[n.min(room)] }
    fn mincore(at: *mut c_void, bytes: usize, to: *mut u8) -> r: c_int { if r == 0 => to[bytes.div_ceil(4096)] }
    fn pthread_getname_np(thread: libc::pthread_t, to: To, room: usize) -> r: c_int { if r == 0 => to[ended(to, room)] }
    fn pthread_getschedparam(thread: libc::pthread_t, policy: *mut c_int, to: *mut sched_param) -> r: c_int { if r == 0 => policy, to }
    fn pthread_getaffinity_np(thread: libc::pthread_t, size: usize, set: *mut cpu_set_t) -> r: c_int { if r == 0 => set[size] }
    fn pthread_getcpuclockid(thread: libc::pthread_t, clock: *mut c_int) -> r: c_int { if r == 0 => clock }
    fn pthread_setcancelstate(new: c_int, old: *mut c_int) -> r: c_int { if r == 0 => old }
    fn pthread_setcanceltype(new: c_int, old: *mut c_int) -> r: c_int { if r == 0 => old }
    fn sigpending(set: *mut sigset_t) -> r: c_int { if r == 0 => set[SET] }
    fn sigemptyset(set: *mut sigset_t) -> r: c_int { if r == 0 => set }
    fn sigfillset(set: *mut sigset_t) -> r: c_int { if r == 0 => set }
    fn sigaltstack(new: *const stack_t, old: *mut stack_t) -> r: c_int { if r == 0 => old }
}

/// Bytes of a set of signals that the kernel knows.
const SET: usize = 8;

/// The bytes of a string that was written, if its end fitted.
fn ended(text: *const c_char, room: usize) -> usize {
    // SAFETY: the program's buffer.
    (0..room).find(|i| unsafe { *text.add(*i) } == 0).map_or(room, |n| n + 1)
}

/// The mask of blocked signals is asked for, and changed.
fn masked(new: *const sigset_t, old: *mut sigset_t, result: c_int, pc: u64) -> c_int {
    if result == 0 {
        touch::read(new, SET, pc);
        touch::write(old, SET, pc);
    }
    result
}

interceptors! {
    fn sigprocmask(pc; how: c_int, new: *const sigset_t, old: *mut sigset_t) -> c_int {
        masked(new, old, real(how, new, old), pc)
    }

    fn pthread_sigmask(pc; how: c_int, new: *const sigset_t, old: *mut sigset_t) -> c_int {
        masked(new, old, real(how, new, old), pc)
    }

    // Locking all memory would lock all of the shadow, which is address space for the most part.

    fn mlockall(pc; _flags: c_int) -> c_int {
        0
    }

    fn munlockall(pc;) -> c_int {
        0
    }
}
