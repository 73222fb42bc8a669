//! Clocks, timers and the calendar.

use super::touch;
use crate::answers;
use crate::interceptors;
use core::ffi::{c_char, c_int, c_void};
use libc::{itimerspec, itimerval, time_t, timespec, timeval, tm, tms};

type Text = *const c_char;
type To = *mut c_char;

/// What `ctime_r` and `asctime_r` write.
fn length(text: *const c_char) -> usize {
    // SAFETY: a string that was written just now.
    unsafe { crate::lang::__deadheat_strlen(text as *const u8) + 1 }
}

answers! {
    fn time(now: *mut time_t) -> t: time_t { if t != -1 => now }
    fn clock_gettime(clock: c_int, now: *mut timespec) -> r: c_int { if r == 0 => now }
    fn clock_getres(clock: c_int, step: *mut timespec) -> r: c_int { if r == 0 => step }
    fn timespec_get(now: *mut timespec, base: c_int) -> r: c_int { if r != 0 => now }
    fn gettimeofday(now: *mut timeval, zone: *mut u64) -> r: c_int { if r == 0 => now, zone }
    fn times(used: *mut tms) -> t: i64 { if t != -1 => used }
    fn nanosleep(time: *const timespec, left: *mut timespec) -> r: c_int { if r != 0 => left }
    fn clock_nanosleep(clock: c_int, flags: c_int, time: *const timespec, left: *mut timespec) -> r: c_int {
        if r == libc::EINTR && flags == 0 => left
    }
    fn getitimer(which: c_int, now: *mut itimerval) -> r: c_int { if r == 0 => now }
    fn setitimer(which: c_int, new: *const itimerval, old: *mut itimerval) -> r: c_int { if r == 0 => old }
    fn timer_create(clock: c_int, event: *mut c_void, timer: *mut *mut c_void) -> r: c_int { if r == 0 => timer }
    fn timer_gettime(timer: *mut c_void, now: *mut itimerspec) -> r: c_int { if r == 0 => now }
    fn timer_settime(timer: *mut c_void, flags: c_int, new: *const itimerspec, old: *mut itimerspec) -> r: c_int { if r == 0 => old }
    fn timerfd_gettime(fd: c_int, now: *mut itimerspec) -> r: c_int { uses fd; if r == 0 => now }
    fn timerfd_settime(fd: c_int, flags: c_int, new: *const itimerspec, old: *mut itimerspec) -> r: c_int { uses fd; if r == 0 => old }
    fn strftime(to: To, room: usize, format: Text, time: *const tm) -> n: usize { texts format; if n > 0 => to[n + 1] }
}

/// Functions from a time to what stands for it: where the program says, or in memory of the C library, of which there is one for all threads.
macro_rules! calendar {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty, $bytes:expr;)*) => {
        interceptors! {$(
            fn $name(pc; from: *const Time, $($argument: $type),*) -> $result {
                touch::read(from, touch::bytes_of(from), pc);
                let result = real(from $(, $argument)*);
                if !result.is_null() {
                    touch::write(result, $bytes(result), pc);
                }
                result
            }
        )*}
    };
}

mod of_number {
    use super::*;
    type Time = time_t;
    calendar! {
        localtime() -> *mut tm, touch::bytes_of;
        gmtime() -> *mut tm, touch::bytes_of;
        ctime() -> To, length;
        localtime_r(to: *mut tm) -> *mut tm, touch::bytes_of;
        gmtime_r(to: *mut tm) -> *mut tm, touch::bytes_of;
        ctime_r(to: To) -> To, length;
    }
}

mod of_parts {
    use super::*;
    type Time = tm;
    calendar! {
        asctime() -> To, length;
        asctime_r(to: To) -> To, length;
    }
}

interceptors! {
    fn strptime(pc; text: Text, format: Text, to: *mut tm) -> To {
        touch::text(format, pc);
        let end = real(text, format, to);
        if !end.is_null() {
            touch::read(text, end as usize - text as usize, pc);
            touch::object(to, pc);
        }
        end
    }

    fn mktime(pc; time: *mut tm) -> time_t {
        touch::object(time, pc);
        real(time)
    }

    fn timegm(pc; time: *mut tm) -> time_t {
        touch::object(time, pc);
        real(time)
    }
}
