//! Strings of wide characters, and their ways to and from strings of bytes.

use super::strings::{copied, moved};
use super::touch;
use crate::{interceptors, real};
use core::ffi::{c_char, c_int};

/// `wchar_t`.
type Wide = *const i32;

const WIDE: usize = size_of::<i32>();

fn wide_length(s: Wide) -> usize {
    // SAFETY: the program's promise.
    unsafe { real!(wcslen(Wide) -> usize)(s) }
}

/// How many characters a comparison of at most so many looks at.
fn compared(a: Wide, b: Wide, most: usize) -> usize {
    // SAFETY: the program's promise: neither string has ended before.
    let ends = |i: &usize| unsafe { *a.add(*i) != *b.add(*i) || *a.add(*i) == 0 };
    (0..most).find(ends).map_or(most, |i| i + 1)
}

fn both(a: Wide, b: Wide, most: usize, pc: u64) {
    let n = compared(a, b, most) * WIDE;
    touch::read(a, n, pc);
    touch::read(b, n, pc);
}

interceptors! {
    fn wcslen(pc; s: Wide) -> usize {
        let n = real(s);
        touch::read(s, (n + 1) * WIDE, pc);
        n
    }

    fn wcsnlen(pc; s: Wide, most: usize) -> usize {
        let n = real(s, most);
        touch::read(s, (n + 1).min(most) * WIDE, pc);
        n
    }

    fn wcscpy(pc; to: *mut i32, from: Wide) -> *mut i32 {
        touch::copy(to, from, (wide_length(from) + 1) * WIDE, pc);
        real(to, from)
    }

    fn wcscat(pc; to: *mut i32, from: Wide) -> *mut i32 {
        let end = wide_length(to);
        touch::read(to, end * WIDE, pc);
        touch::copy(to.wrapping_add(end), from, (wide_length(from) + 1) * WIDE, pc);
        real(to, from)
    }

    fn wmemcpy(pc; to: *mut i32, from: Wide, n: usize) -> *mut i32 {
        copied(to as *mut u8, from as *const u8, n * WIDE, pc) as *mut i32
    }

    fn wmemmove(pc; to: *mut i32, from: Wide, n: usize) -> *mut i32 {
        moved(to as *mut u8, from as *const u8, n * WIDE, pc) as *mut i32
    }

    fn wmemset(pc; to: *mut i32, c: i32, n: usize) -> *mut i32 {
        touch::write(to, n * WIDE, pc);
        real(to, c, n)
    }

    fn wcsncat(pc; to: *mut i32, from: Wide, n: usize) -> *mut i32 {
        // SAFETY: the program's promise.
        let more = (0..n).find(|i| unsafe { *from.add(*i) } == 0).unwrap_or(n);
        let end = wide_length(to);
        touch::read(to, end * WIDE, pc);
        touch::read(from, (more + 1).min(n) * WIDE, pc);
        touch::write(to.wrapping_add(end), (more + 1) * WIDE, pc);
        real(to, from, n)
    }

    fn wcsncpy(pc; to: *mut i32, from: Wide, n: usize) -> *mut i32 {
        // SAFETY: the program's promise.
        let length = (0..n).find(|i| unsafe { *from.add(*i) } == 0).map_or(n, |i| i + 1);
        touch::read(from, length * WIDE, pc);
        touch::write(to, n * WIDE, pc);
        real(to, from, n)
    }

    fn wcscmp(pc; a: Wide, b: Wide) -> c_int {
        both(a, b, usize::MAX, pc);
        real(a, b)
    }

    fn wcsncmp(pc; a: Wide, b: Wide, n: usize) -> c_int {
        both(a, b, n, pc);
        real(a, b, n)
    }

    fn wcschr(pc; s: Wide, c: i32) -> Wide {
        let found = real(s, c);
        let n = if found.is_null() { (wide_length(s) + 1) * WIDE } else { found as usize - s as usize + WIDE };
        touch::read(s, n, pc);
        found
    }

    fn wcsdup(pc; s: Wide) -> *mut i32 {
        let n = (wide_length(s) + 1) * WIDE;
        touch::read(s, n, pc);
        let copy = real(s);
        touch::write(copy, n, pc);
        copy
    }

    fn mbstowcs(pc; to: *mut i32, from: *const c_char, room: usize) -> usize {
        touch::text(from, pc);
        let n = real(to, from, room);
        if n != usize::MAX {
            touch::write(to, (n + 1).min(room) * WIDE, pc);
        }
        n
    }

    fn wcstombs(pc; to: *mut c_char, from: Wide, room: usize) -> usize {
        touch::read(from, (wide_length(from) + 1) * WIDE, pc);
        let n = real(to, from, room);
        if n != usize::MAX {
            touch::write(to, (n + 1).min(room), pc);
        }
        n
    }
}
