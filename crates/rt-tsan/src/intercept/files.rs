//! Open files: what is read and written, what passes through them, and their coming and going.
//!
//! Buffers are read before what they hold is released, and written after what they get was acquired. The runtime is never inside while a call may block.

use super::touch;
use crate::{interceptors, real};
use core::ffi::{c_char, c_int, c_uint, c_void};
use deadheat_rt::descriptors::{self, Change, Channel};
use deadheat_rt::thread::Stay;
use deadheat_shadow::Mode;
use libc::iovec;

type Path = *const c_char;

/// The descriptor is used.
pub fn used(fd: c_int, pc: u64) {
    if let Some(mut thread) = Stay::begin() {
        descriptors::used(&mut thread, fd, pc);
    }
}

/// So many bytes are about to be written to the descriptor.
pub fn sending(fd: c_int, from: *const c_void, bytes: usize, pc: u64) {
    if let Some(mut thread) = Stay::begin() {
        touch::by(&mut thread, from, bytes, Mode::Read, pc);
        descriptors::release(&mut thread, fd, pc);
    }
}

/// So many bytes were read from the descriptor, or an error came.
pub fn received(fd: c_int, to: *mut c_void, bytes: isize, pc: u64) {
    if bytes >= 0
        && let Some(mut thread) = Stay::begin()
    {
        descriptors::acquire(&mut thread, fd, pc);
        touch::by(&mut thread, to, bytes as usize, Mode::Write, pc);
    }
}

fn vectors(list: *const iovec, count: usize) -> &'static [iovec] {
    if list.is_null() || count > libc::UIO_MAXIOV as usize {
        return &[];
    }
    // SAFETY: the program's list, which the kernel reads too.
    unsafe { core::slice::from_raw_parts(list, count) }
}

/// As [`sending`], from several places.
pub fn sending_all(fd: c_int, list: *const iovec, count: usize, pc: u64) {
    if let Some(mut thread) = Stay::begin() {
        let list = vectors(list, count);
        touch::by(&mut thread, list.as_ptr(), size_of_val(list), Mode::Read, pc);
        for v in list {
            touch::by(&mut thread, v.iov_base, v.iov_len, Mode::Read, pc);
        }
        descriptors::release(&mut thread, fd, pc);
    }
}

/// As [`received`], to several places.
pub fn received_all(fd: c_int, list: *const iovec, count: usize, bytes: isize, pc: u64) {
    let (true, Some(mut thread)) = (bytes >= 0, Stay::begin()) else { return };
    descriptors::acquire(&mut thread, fd, pc);
    let list = vectors(list, count);
    touch::by(&mut thread, list.as_ptr(), size_of_val(list), Mode::Read, pc);
    let mut left = bytes as usize;
    for v in list {
        let here = v.iov_len.min(left);
        touch::by(&mut thread, v.iov_base, here, Mode::Write, pc);
        left -= here;
    }
}

/// A descriptor was made, unless the call failed.
pub fn made(fd: c_int, channel: Channel, pc: u64) -> c_int {
    if fd >= 0
        && let Some(mut thread) = Stay::begin()
    {
        descriptors::made(&mut thread, fd, channel, Change::Alone, pc);
    }
    fd
}

/// A descriptor with a channel of its own was made, unless the call failed.
pub fn made_apart(fd: c_int, pc: u64) -> c_int {
    if fd < 0 {
        return fd;
    }
    let channel = {
        let _stay = Stay::begin();
        Channel::make()
    };
    made(fd, channel, pc);
    let _stay = Stay::begin();
    channel.let_go();
    fd
}

/// Two ends of one channel were made, unless the call failed.
pub fn made_both(ends: *const c_int, result: c_int, pc: u64) -> c_int {
    if result == 0
        && let Some(mut thread) = Stay::begin()
    {
        // SAFETY: the program's array of two, which the kernel has filled.
        let (one, other) = unsafe { (*ends, *ends.add(1)) };
        touch::by(&mut thread, ends, 2 * size_of::<c_int>(), Mode::Write, pc);
        let channel = Channel::make();
        descriptors::made(&mut thread, one, channel, Change::Alone, pc);
        descriptors::made(&mut thread, other, channel, Change::Alone, pc);
        channel.let_go();
    }
    result
}

/// The descriptor is about to be closed.
pub fn closing(fd: c_int, pc: u64) {
    if let Some(mut thread) = Stay::begin() {
        descriptors::closing(&mut thread, fd, Change::Alone, pc);
    }
}

fn duplicated(old: c_int, new: c_int, change: Change, pc: u64) -> c_int {
    if new >= 0
        && let Some(mut thread) = Stay::begin()
    {
        descriptors::duplicated(&mut thread, old, new, change, pc);
    }
    new
}

/// Functions that read into a buffer: descriptor, buffer, size, and what comes behind.
macro_rules! reads {
    ($($name:ident($($more:ident: $type:ty),*);)*) => {
        interceptors! {$(
            fn $name(pc; fd: c_int, to: *mut c_void, bytes: usize $(, $more: $type)*) -> isize {
                used(fd, pc);
                let result = real(fd, to, bytes $(, $more)*);
                received(fd, to, result, pc);
                result
            }
        )*}
    };
}

reads! {
    read();
    pread(offset: i64);
    pread64(offset: i64);
    recv(flags: c_int);
}

/// Functions that write from a buffer.
macro_rules! writes {
    ($($name:ident($($more:ident: $type:ty),*);)*) => {
        interceptors! {$(
            fn $name(pc; fd: c_int, from: *const c_void, bytes: usize $(, $more: $type)*) -> isize {
                sending(fd, from, bytes, pc);
                real(fd, from, bytes $(, $more)*)
            }
        )*}
    };
}

writes! {
    write();
    pwrite(offset: i64);
    pwrite64(offset: i64);
    send(flags: c_int);
}

/// Functions that read into several buffers.
macro_rules! vector_reads {
    ($($name:ident($($more:ident: $type:ty),*);)*) => {
        interceptors! {$(
            fn $name(pc; fd: c_int, list: *const iovec, count: c_int $(, $more: $type)*) -> isize {
                used(fd, pc);
                let result = real(fd, list, count $(, $more)*);
                received_all(fd, list, count as usize, result, pc);
                result
            }
        )*}
    };
}

vector_reads! { readv(); preadv(offset: i64); preadv64(offset: i64); preadv2(offset: i64, flags: c_int); }

/// Functions that write from several buffers.
macro_rules! vector_writes {
    ($($name:ident($($more:ident: $type:ty),*);)*) => {
        interceptors! {$(
            fn $name(pc; fd: c_int, list: *const iovec, count: c_int $(, $more: $type)*) -> isize {
                sending_all(fd, list, count as usize, pc);
                real(fd, list, count $(, $more)*)
            }
        )*}
    };
}

vector_writes! { writev(); pwritev(offset: i64); pwritev64(offset: i64); pwritev2(offset: i64, flags: c_int); }

/// Functions that make a descriptor for a file.
macro_rules! opens {
    ($($name:ident($($argument:ident: $type:ty),*) $text:ident;)*) => {
        interceptors! {$(
            fn $name(pc; $($argument: $type),*) -> c_int {
                touch::text($text, pc);
                made(real($($argument),*), Channel::FILES, pc)
            }
        )*}
    };
}

opens! {
    open(path: Path, flags: c_int, mode: c_uint) path;
    open64(path: Path, flags: c_int, mode: c_uint) path;
    openat(folder: c_int, path: Path, flags: c_int, mode: c_uint) path;
    openat64(folder: c_int, path: Path, flags: c_int, mode: c_uint) path;
    __open_2(path: Path, flags: c_int) path;
    __open64_2(path: Path, flags: c_int) path;
    __openat_2(folder: c_int, path: Path, flags: c_int) path;
    __openat64_2(folder: c_int, path: Path, flags: c_int) path;
    creat(path: Path, mode: c_uint) path;
    creat64(path: Path, mode: c_uint) path;
    memfd_create(name: Path, flags: c_uint) name;
    shm_open(name: Path, flags: c_int, mode: c_uint) name;
}

/// Functions that make a file with a name that is not taken, and write that name.
macro_rules! temporary {
    ($($name:ident($($more:ident: $type:ty),*);)*) => {
        interceptors! {$(
            fn $name(pc; path: *mut c_char $(, $more: $type)*) -> c_int {
                let fd = made(real(path $(, $more)*), Channel::FILES, pc);
                if fd >= 0 {
                    // SAFETY: the program's name, which was completed just now.
                    touch::write(path, unsafe { crate::lang::__deadheat_strlen(path as *const u8) }, pc);
                }
                fd
            }
        )*}
    };
}

temporary! {
    mkstemp();
    mkstemp64();
    mkostemp(flags: c_int);
    mkostemp64(flags: c_int);
    mkstemps(ending: c_int);
    mkostemps(ending: c_int, flags: c_int);
}

/// Functions that make a descriptor with a channel of its own.
macro_rules! makes {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        interceptors! {$(
            fn $name(pc; $($argument: $type),*) -> c_int {
                made_apart(real($($argument),*), pc)
            }
        )*}
    };
}

makes! {
    eventfd(first: c_uint, flags: c_int);
    timerfd_create(clock: c_int, flags: c_int);
    inotify_init();
    inotify_init1(flags: c_int);
    epoll_create(size: c_int);
    epoll_create1(flags: c_int);
}

interceptors! {
    fn signalfd(pc; fd: c_int, set: *const c_void, flags: c_int) -> c_int {
        let result = real(fd, set, flags);
        if fd == -1 { made_apart(result, pc) } else { result }
    }

    fn eventfd_read(pc; fd: c_int, value: *mut u64) -> c_int {
        used(fd, pc);
        let result = real(fd, value);
        received(fd, value as *mut c_void, if result == 0 { 8 } else { -1 }, pc);
        result
    }

    fn eventfd_write(pc; fd: c_int, value: u64) -> c_int {
        sending(fd, core::ptr::null(), 0, pc);
        real(fd, value)
    }

    fn pipe(pc; ends: *mut c_int) -> c_int {
        made_both(ends, real(ends), pc)
    }

    fn pipe2(pc; ends: *mut c_int, flags: c_int) -> c_int {
        made_both(ends, real(ends, flags), pc)
    }

    fn close(pc; fd: c_int) -> c_int {
        closing(fd, pc);
        real(fd)
    }

    fn close_range(pc; first: c_uint, last: c_uint, flags: c_int) -> c_int {
        const CLOEXEC: c_int = 4;
        if flags & CLOEXEC == 0 {
            (first..=last.min(1 << 16)).for_each(|fd| closing(fd as c_int, pc));
        }
        real(first, last, flags)
    }

    fn dup(pc; old: c_int) -> c_int {
        duplicated(old, real(old), Change::Alone, pc)
    }

    fn dup2(pc; old: c_int, new: c_int) -> c_int {
        duplicated(old, real(old, new), Change::Replaced, pc)
    }

    fn dup3(pc; old: c_int, new: c_int, flags: c_int) -> c_int {
        duplicated(old, real(old, new, flags), Change::Replaced, pc)
    }

    fn fcntl(pc; fd: c_int, command: c_int, argument: usize) -> c_int {
        controlled(fd, command, real(fd, command, argument), pc)
    }

    fn fcntl64(pc; fd: c_int, command: c_int, argument: usize) -> c_int {
        controlled(fd, command, real(fd, command, argument), pc)
    }

    fn ioctl(pc; fd: c_int, request: usize, argument: *mut c_void) -> c_int {
        used(fd, pc);
        let result = real(fd, request, argument);
        if result >= 0 {
            touch::write(argument, answered(request), pc);
        }
        result
    }

    fn sendfile(pc; to: c_int, from: c_int, offset: *mut i64, bytes: usize) -> isize {
        sending(to, core::ptr::null(), 0, pc);
        let result = real(to, from, offset, bytes);
        received(from, core::ptr::null_mut(), result.min(0), pc);
        result
    }

    fn fsync(pc; fd: c_int) -> c_int {
        used(fd, pc);
        real(fd)
    }

}

/// How many bytes a request of `ioctl` writes: the newer ones say so themselves, of the older ones the common are known. What requests read is not looked at: where they only read, the
/// argument may be a number.
fn answered(request: usize) -> usize {
    const TCGETS: usize = 0x5401;
    const TIOCGWINSZ: usize = 0x5413;
    const FIONREAD: usize = 0x541b;
    const WRITES: usize = 1 << 31;
    match request {
        TCGETS => 36,
        TIOCGWINSZ => 8,
        FIONREAD => size_of::<c_int>(),
        _ if request & WRITES != 0 => request >> 16 & 0x3fff,
        _ => 0,
    }
}

fn controlled(fd: c_int, command: c_int, result: c_int, pc: u64) -> c_int {
    match command {
        libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => duplicated(fd, result, Change::Alone, pc),
        _ => {
            used(fd, pc);
            result
        }
    }
}

/// The descriptor behind a stream of the C library.
pub fn of_stream(stream: *mut c_void) -> c_int {
    // SAFETY: the program's stream.
    unsafe { real!(fileno(*mut c_void) -> c_int)(stream) }
}
