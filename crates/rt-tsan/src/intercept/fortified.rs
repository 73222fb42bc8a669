//! What compilers call in place of functions that fill a buffer when they are to check its size (`_FORTIFY_SOURCE`), where no other file has them.

use super::files::{of_stream, received, used};
use crate::{answers, interceptors};
use core::ffi::{c_char, c_int, c_uint, c_void};

type Text = *const c_char;
type To = *mut c_char;
type Stream = *mut c_void;

/// Bytes of a string that was written just now.
fn length(text: *const c_char) -> usize {
    // SAFETY: the C library has just ended it with a zero.
    unsafe { crate::lang::__deadheat_strlen(text as *const u8) + 1 }
}

/// Functions that read from a descriptor.
macro_rules! reads {
    ($($name:ident($($more:ident: $type:ty),*);)*) => {
        interceptors! {$(
            fn $name(pc; fd: c_int, to: *mut c_void, bytes: usize, $($more: $type),*) -> isize {
                used(fd, pc);
                let result = real(fd, to, bytes, $($more),*);
                received(fd, to, result, pc);
                result
            }
        )*}
    };
}

reads! {
    __read_chk(room: usize);
    __pread_chk(offset: i64, room: usize);
    __pread64_chk(offset: i64, room: usize);
    __recv_chk(room: usize, flags: c_int);
    __recvfrom_chk(room: usize, flags: c_int, from: *mut c_void, length: *mut c_uint);
}

/// Functions that read from a stream.
macro_rules! streams {
    ($($fread:ident $fgets:ident;)*) => {$(
        interceptors! {
            fn $fread(pc; to: *mut c_void, room: usize, size: usize, count: usize, stream: Stream) -> usize {
                let got = real(to, room, size, count, stream);
                received(of_stream(stream), to, (got * size) as isize, pc);
                got
            }

            fn $fgets(pc; to: To, room: usize, count: c_int, stream: Stream) -> To {
                let line = real(to, room, count, stream);
                if !line.is_null() {
                    received(of_stream(stream), to as *mut c_void, length(line) as isize, pc);
                }
                line
            }
        }
    )*};
}

streams! {
    __fread_chk __fgets_chk;
    __fread_unlocked_chk __fgets_unlocked_chk;
}

answers! {
    fn __getcwd_chk(to: To, bytes: usize, room: usize) -> r: To { if !r.is_null() => r[length(r)] }
    fn __realpath_chk(path: Text, to: To, room: usize) -> r: To { texts path; if !r.is_null() => r[length(r)] }
    fn __readlink_chk(path: Text, to: To, bytes: usize, room: usize) -> n: isize { texts path; if n >= 0 => to[n as usize] }
    fn __readlinkat_chk(fd: c_int, path: Text, to: To, bytes: usize, room: usize) -> n: isize { texts path; if n >= 0 => to[n as usize] }
    fn __gethostname_chk(to: To, bytes: usize, room: usize) -> r: c_int { if r == 0 => to[length(to)] }
    fn __getgroups_chk(count: c_int, list: *mut c_uint, room: usize) -> n: c_int { if n > 0 && count > 0 => list[n as usize * 4] }
    fn __mbstowcs_chk(to: *mut i32, from: Text, count: usize, room: usize) -> n: usize { texts from; if n != usize::MAX => to[(n + 1).min(count) * 4] }
    fn __stpncpy_chk(to: To, from: Text, n: usize, room: usize) -> end: To { if !end.is_null() => to[n] }
    fn __explicit_bzero_chk(to: *mut u8, bytes: usize, room: usize) -> _done: () { if true => to[bytes] }
}
