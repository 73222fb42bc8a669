//! Streams of the C library (`FILE`).

use super::files::{closing, made, of_stream, received, sending, used};
use super::touch;
use crate::interceptors;
use alloc::collections::BTreeMap;
use core::ffi::{c_char, c_int, c_void};
use deadheat_rt::descriptors::Channel;
use deadheat_rt::os::Mutex;
use deadheat_rt::sync;
use deadheat_rt::thread::Stay;

type Stream = *mut c_void;
type Path = *const c_char;

fn opened(stream: Stream, pc: u64) -> Stream {
    if !stream.is_null() {
        made(of_stream(stream), Channel::FILES, pc);
    }
    stream
}

/// Streams that write to memory, and the variables of the program that say where it is and how much.
static IN_MEMORY: Mutex<BTreeMap<usize, (usize, usize)>> = Mutex::new(BTreeMap::new());

/// What is gathered is written out: if that is to memory, the program's variables are set.
fn in_memory(stream: Stream, pc: u64) {
    let variables = Stay::begin().and_then(|_stay| IN_MEMORY.lock().get(&(stream as usize)).copied());
    if let Some((text, bytes)) = variables {
        touch::object(text as *const usize, pc);
        touch::object(bytes as *const usize, pc);
    }
}

interceptors! {
    fn fopen(pc; path: Path, mode: Path) -> Stream {
        touch::text(path, pc);
        opened(real(path, mode), pc)
    }

    fn fopen64(pc; path: Path, mode: Path) -> Stream {
        touch::text(path, pc);
        opened(real(path, mode), pc)
    }

    fn freopen(pc; path: Path, mode: Path, stream: Stream) -> Stream {
        closing(of_stream(stream), pc);
        opened(real(path, mode, stream), pc)
    }

    fn freopen64(pc; path: Path, mode: Path, stream: Stream) -> Stream {
        closing(of_stream(stream), pc);
        opened(real(path, mode, stream), pc)
    }

    fn tmpfile(pc;) -> Stream {
        opened(real(), pc)
    }

    fn tmpfile64(pc;) -> Stream {
        opened(real(), pc)
    }

    fn fdopen(pc; fd: c_int, mode: Path) -> Stream {
        used(fd, pc);
        real(fd, mode)
    }

    fn popen(pc; command: Path, mode: Path) -> Stream {
        touch::text(command, pc);
        opened(real(command, mode), pc)
    }

    fn pclose(pc; stream: Stream) -> c_int {
        let fd = of_stream(stream);
        sending(fd, core::ptr::null(), 0, pc);
        closing(fd, pc);
        real(stream)
    }

    fn open_memstream(pc; text: *mut *mut c_char, bytes: *mut usize) -> Stream {
        let stream = real(text, bytes);
        if let (false, Some(_stay)) = (stream.is_null(), Stay::begin()) {
            IN_MEMORY.lock().insert(stream as usize, (text as usize, bytes as usize));
        }
        stream
    }

    fn fclose(pc; stream: Stream) -> c_int {
        in_memory(stream, pc);
        if let Some(_stay) = Stay::begin() {
            IN_MEMORY.lock().remove(&(stream as usize));
        }
        let fd = of_stream(stream);
        sending(fd, core::ptr::null(), 0, pc);
        closing(fd, pc);
        real(stream)
    }

    fn fflush(pc; stream: Stream) -> c_int {
        if !stream.is_null() {
            in_memory(stream, pc);
            sending(of_stream(stream), core::ptr::null(), 0, pc);
        }
        real(stream)
    }
}

/// The functions that read and write, each also under a name that leaves the locking of the stream to the program.
macro_rules! transfers {
    ($($fread:ident $fwrite:ident $fgetc:ident $getc:ident $fputc:ident $putc:ident $fgets:ident $fputs:ident;)*) => {$(
        interceptors! {
            fn $fread(pc; to: *mut c_void, size: usize, count: usize, stream: Stream) -> usize {
                let got = real(to, size, count, stream);
                received(of_stream(stream), to, (got * size) as isize, pc);
                got
            }

            fn $fwrite(pc; from: *const c_void, size: usize, count: usize, stream: Stream) -> usize {
                sending(of_stream(stream), from, size.saturating_mul(count), pc);
                real(from, size, count, stream)
            }

            fn $fgetc(pc; stream: Stream) -> c_int {
                let c = real(stream);
                received(of_stream(stream), core::ptr::null_mut(), 0, pc);
                c
            }

            fn $getc(pc; stream: Stream) -> c_int {
                let c = real(stream);
                received(of_stream(stream), core::ptr::null_mut(), 0, pc);
                c
            }

            fn $fputc(pc; c: c_int, stream: Stream) -> c_int {
                sending(of_stream(stream), core::ptr::null(), 0, pc);
                real(c, stream)
            }

            fn $putc(pc; c: c_int, stream: Stream) -> c_int {
                sending(of_stream(stream), core::ptr::null(), 0, pc);
                real(c, stream)
            }

            fn $fgets(pc; to: *mut c_char, room: c_int, stream: Stream) -> *mut c_char {
                let line = real(to, room, stream);
                if !line.is_null() {
                    // SAFETY: a string that the C library has just made.
                    let bytes = unsafe { crate::lang::__deadheat_strlen(line as *const u8) } + 1;
                    received(of_stream(stream), to as *mut c_void, bytes as isize, pc);
                }
                line
            }

            fn $fputs(pc; text: *const c_char, stream: Stream) -> c_int {
                touch::text(text, pc);
                sending(of_stream(stream), core::ptr::null(), 0, pc);
                real(text, stream)
            }
        }
    )*};
}

transfers! {
    fread fwrite fgetc getc fputc putc fgets fputs;
    fread_unlocked fwrite_unlocked fgetc_unlocked getc_unlocked fputc_unlocked putc_unlocked fgets_unlocked fputs_unlocked;
}

/// A line was read into a block that may have been moved for it.
fn line_read(line: *mut *mut c_char, room: *mut usize, stream: Stream, bytes: isize, pc: u64) -> isize {
    if bytes >= 0 {
        touch::object(line, pc);
        touch::object(room, pc);
        // SAFETY: the program's variable, which was set.
        received(of_stream(stream), unsafe { *line } as *mut c_void, bytes + 1, pc);
    }
    bytes
}

interceptors! {
    fn getline(pc; line: *mut *mut c_char, room: *mut usize, stream: Stream) -> isize {
        line_read(line, room, stream, real(line, room, stream), pc)
    }

    fn getdelim(pc; line: *mut *mut c_char, room: *mut usize, end: c_int, stream: Stream) -> isize {
        line_read(line, room, stream, real(line, room, end, stream), pc)
    }

    fn __getdelim(pc; line: *mut *mut c_char, room: *mut usize, end: c_int, stream: Stream) -> isize {
        line_read(line, room, stream, real(line, room, end, stream), pc)
    }

    fn puts(pc; text: *const c_char) -> c_int {
        touch::text(text, pc);
        real(text)
    }

    fn perror(pc; text: *const c_char) {
        touch::text(text, pc);
        real(text)
    }

    // The buffer is the stream's from now on.

    fn setvbuf(pc; stream: Stream, buffer: *mut c_char, mode: c_int, bytes: usize) -> c_int {
        touch::write(buffer, bytes, pc);
        real(stream, buffer, mode, bytes)
    }

    fn setbuf(pc; stream: Stream, buffer: *mut c_char) {
        touch::write(buffer, libc::BUFSIZ as usize, pc);
        real(stream, buffer)
    }

    // The lock of a stream keeps threads apart like any other.

    fn flockfile(pc; stream: Stream) {
        real(stream);
        if let Some(mut thread) = Stay::begin() {
            sync::acquire(&mut thread, stream as u64);
        }
    }

    fn ftrylockfile(pc; stream: Stream) -> c_int {
        let result = real(stream);
        if let (0, Some(mut thread)) = (result, Stay::begin()) {
            sync::acquire(&mut thread, stream as u64);
        }
        result
    }

    fn funlockfile(pc; stream: Stream) {
        if let Some(mut thread) = Stay::begin() {
            sync::release(&mut thread, stream as u64);
        }
        real(stream)
    }
}
