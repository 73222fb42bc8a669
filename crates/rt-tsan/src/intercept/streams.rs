//! Streams of the C library (`FILE`), and folders that are read.

use super::files::{closing, made, of_stream, received, sending};
use super::touch;
use crate::interceptors;
use core::ffi::{c_char, c_int, c_void};
use deadheat_rt::descriptors::Channel;

type Stream = *mut c_void;
type Path = *const c_char;

fn opened(stream: Stream, pc: u64) -> Stream {
    if !stream.is_null() {
        made(of_stream(stream), Channel::FILES, pc);
    }
    stream
}

interceptors! {
    fn fopen(pc; path: Path, mode: Path) -> Stream {
        opened(real(path, mode), pc)
    }

    fn fopen64(pc; path: Path, mode: Path) -> Stream {
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

    fn fclose(pc; stream: Stream) -> c_int {
        let fd = of_stream(stream);
        sending(fd, core::ptr::null(), 0, pc);
        closing(fd, pc);
        real(stream)
    }

    fn fflush(pc; stream: Stream) -> c_int {
        if !stream.is_null() {
            sending(of_stream(stream), core::ptr::null(), 0, pc);
        }
        real(stream)
    }

    fn fread(pc; to: *mut c_void, size: usize, count: usize, stream: Stream) -> usize {
        let got = real(to, size, count, stream);
        received(of_stream(stream), to, (got * size) as isize, pc);
        got
    }

    fn fwrite(pc; from: *const c_void, size: usize, count: usize, stream: Stream) -> usize {
        sending(of_stream(stream), from, size.saturating_mul(count), pc);
        real(from, size, count, stream)
    }

    fn fgetc(pc; stream: Stream) -> c_int {
        let c = real(stream);
        received(of_stream(stream), core::ptr::null_mut(), 0, pc);
        c
    }

    fn getc(pc; stream: Stream) -> c_int {
        let c = real(stream);
        received(of_stream(stream), core::ptr::null_mut(), 0, pc);
        c
    }

    fn fputc(pc; c: c_int, stream: Stream) -> c_int {
        sending(of_stream(stream), core::ptr::null(), 0, pc);
        real(c, stream)
    }

    fn putc(pc; c: c_int, stream: Stream) -> c_int {
        sending(of_stream(stream), core::ptr::null(), 0, pc);
        real(c, stream)
    }

    fn getline(pc; line: *mut *mut c_char, room: *mut usize, stream: Stream) -> isize {
        let bytes = real(line, room, stream);
        if bytes >= 0 {
            // SAFETY: the program's variable, which was set.
            received(of_stream(stream), unsafe { *line } as *mut c_void, bytes + 1, pc);
        }
        bytes
    }

    fn fgets(pc; to: *mut c_char, room: c_int, stream: Stream) -> *mut c_char {
        let line = real(to, room, stream);
        if !line.is_null() {
            // SAFETY: a string that the C library has just made.
            let bytes = unsafe { crate::lang::__deadheat_strlen(line as *const u8) } + 1;
            received(of_stream(stream), to as *mut c_void, bytes as isize, pc);
        }
        line
    }

    fn fputs(pc; text: *const c_char, stream: Stream) -> c_int {
        // SAFETY: the program's string.
        let bytes = unsafe { crate::lang::__deadheat_strlen(text as *const u8) } + 1;
        sending(of_stream(stream), text as *const c_void, bytes, pc);
        real(text, stream)
    }

    fn puts(pc; text: *const c_char) -> c_int {
        // SAFETY: the program's string.
        let bytes = unsafe { crate::lang::__deadheat_strlen(text as *const u8) } + 1;
        touch::read(text, bytes, pc);
        real(text)
    }

    fn opendir(pc; path: Path) -> *mut c_void {
        let folder = real(path);
        if !folder.is_null() {
            // SAFETY: a folder that was opened just now.
            made(unsafe { libc::dirfd(folder as *mut libc::DIR) }, Channel::FILES, pc);
        }
        folder
    }

    fn closedir(pc; folder: *mut c_void) -> c_int {
        if !folder.is_null() {
            // SAFETY: the program's folder.
            closing(unsafe { libc::dirfd(folder as *mut libc::DIR) }, pc);
        }
        real(folder)
    }
}
