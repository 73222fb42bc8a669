//! Memory and string functions: what they read and write is read and written by the program.
//!
//! Each does the real thing with the C library's function. The most basic ones may be called before there is a runtime, and even before names can be
//! looked up: these fall back to our own.

use super::touch;
use crate::{interceptors, lang, real};
use core::arch::naked_asm;
use core::ffi::{c_char, c_int, c_void};
use deadheat_rt::tls::{self, offset::CALLER};

type Bytes = *mut u8;
type Text = *const c_char;

/// No runtime yet, or a thread that it does not know.
#[inline]
fn is_early() -> bool {
    tls::thread().is_null()
}

/// Copies, as `memcpy`.
#[inline]
pub fn copied(to: Bytes, from: *const u8, n: usize, pc: u64) -> Bytes {
    if is_early() {
        // SAFETY: the program's promise.
        return unsafe { lang::__deadheat_memcpy(to, from, n) };
    }
    touch::copy(to, from, n, pc);
    // SAFETY: the program's promise.
    unsafe { real!(memcpy(Bytes, *const u8, usize) -> Bytes)(to, from, n) }
}

/// Copies, as `memmove`.
#[inline]
pub fn moved(to: Bytes, from: *const u8, n: usize, pc: u64) -> Bytes {
    if is_early() {
        // SAFETY: the program's promise.
        return unsafe { lang::__deadheat_memmove(to, from, n) };
    }
    touch::copy(to, from, n, pc);
    // SAFETY: the program's promise.
    unsafe { real!(memmove(Bytes, *const u8, usize) -> Bytes)(to, from, n) }
}

#[inline]
fn filled(to: Bytes, byte: c_int, n: usize, pc: u64) -> Bytes {
    if is_early() {
        // SAFETY: the program's promise.
        return unsafe { lang::__deadheat_memset(to, byte, n) };
    }
    touch::write(to, n, pc);
    // SAFETY: the program's promise.
    unsafe { real!(memset(Bytes, c_int, usize) -> Bytes)(to, byte, n) }
}

/// As `strlen`.
pub fn length(s: Text) -> usize {
    if is_early() {
        // SAFETY: the program's promise.
        return unsafe { lang::__deadheat_strlen(s as *const u8) };
    }
    // SAFETY: the program's promise.
    unsafe { real!(strlen(Text) -> usize)(s) }
}

fn length_within(s: Text, n: usize) -> usize {
    // SAFETY: the program's promise.
    unsafe { real!(strnlen(Text, usize) -> usize)(s, n) }
}

/// The bytes of a string that are looked at if at most `n` are: with its end, if that is among them.
pub fn seen_within(s: Text, n: usize) -> usize {
    (length_within(s, n) + 1).min(n)
}

/// Both strings up to where they differ, by a comparison of characters: the difference, and how many were looked at.
fn differ(a: Text, b: Text, most: usize, as_seen: fn(u8) -> u8) -> (c_int, usize) {
    let mut i = 0;
    while i < most {
        // SAFETY: the program's promise: neither string has ended so far.
        let (x, y) = unsafe { (*(a as *const u8).add(i), *(b as *const u8).add(i)) };
        i += 1;
        if as_seen(x) != as_seen(y) || x == 0 {
            return (as_seen(x) as c_int - as_seen(y) as c_int, i);
        }
    }
    (0, i)
}

fn compare(a: Text, b: Text, most: usize, as_seen: fn(u8) -> u8, pc: u64) -> c_int {
    let (result, looked_at) = differ(a, b, most, as_seen);
    touch::read(a, looked_at, pc);
    touch::read(b, looked_at, pc);
    result
}

fn exactly(c: u8) -> u8 {
    c
}

fn lower(c: u8) -> u8 {
    c.to_ascii_lowercase()
}

/// How far a search went: to what it found, or to the end of the string.
fn searched(s: Text, found: *const c_char) -> usize {
    if found.is_null() { length(s) + 1 } else { found as usize - s as usize + 1 }
}

interceptors! {
    fn memcpy(pc; to: Bytes, from: *const u8, n: usize) -> Bytes {
        copied(to, from, n, pc)
    }

    fn __memcpy_chk(pc; to: Bytes, from: *const u8, n: usize, room: usize) -> Bytes {
        if n > room { real(to, from, n, room) } else { copied(to, from, n, pc) }
    }

    fn mempcpy(pc; to: Bytes, from: *const u8, n: usize) -> Bytes {
        copied(to, from, n, pc).wrapping_add(n)
    }

    fn __mempcpy_chk(pc; to: Bytes, from: *const u8, n: usize, room: usize) -> Bytes {
        if n > room { real(to, from, n, room) } else { copied(to, from, n, pc).wrapping_add(n) }
    }

    fn memmove(pc; to: Bytes, from: *const u8, n: usize) -> Bytes {
        moved(to, from, n, pc)
    }

    fn __memmove_chk(pc; to: Bytes, from: *const u8, n: usize, room: usize) -> Bytes {
        if n > room { real(to, from, n, room) } else { moved(to, from, n, pc) }
    }

    fn bcopy(pc; from: *const u8, to: Bytes, n: usize) {
        moved(to, from, n, pc);
    }

    fn memset(pc; to: Bytes, byte: c_int, n: usize) -> Bytes {
        filled(to, byte, n, pc)
    }

    fn __memset_chk(pc; to: Bytes, byte: c_int, n: usize, room: usize) -> Bytes {
        if n > room { real(to, byte, n, room) } else { filled(to, byte, n, pc) }
    }

    fn bzero(pc; to: Bytes, n: usize) {
        filled(to, 0, n, pc);
    }

    fn explicit_bzero(pc; to: Bytes, n: usize) {
        filled(to, 0, n, pc);
    }

    fn memcmp(pc; a: *const u8, b: *const u8, n: usize) -> c_int {
        if is_early() {
            // SAFETY: the program's promise.
            return unsafe { lang::__deadheat_memcmp(a, b, n) };
        }
        touch::read(a, n, pc);
        touch::read(b, n, pc);
        real(a, b, n)
    }

    fn bcmp(pc; a: *const u8, b: *const u8, n: usize) -> c_int {
        if is_early() {
            // SAFETY: the program's promise.
            return unsafe { lang::__deadheat_memcmp(a, b, n) };
        }
        touch::read(a, n, pc);
        touch::read(b, n, pc);
        real(a, b, n)
    }

    fn memchr(pc; s: *const u8, byte: c_int, n: usize) -> *const u8 {
        let found = real(s, byte, n);
        touch::read(s, if found.is_null() { n } else { found as usize - s as usize + 1 }, pc);
        found
    }

    fn memrchr(pc; s: *const u8, byte: c_int, n: usize) -> *const u8 {
        let found = real(s, byte, n);
        let from = if found.is_null() { s } else { found };
        touch::read(from, s as usize + n - from as usize, pc);
        found
    }

    fn rawmemchr(pc; s: *const u8, byte: c_int) -> *const u8 {
        let found = real(s, byte);
        touch::read(s, found as usize - s as usize + 1, pc);
        found
    }

    fn memmem(pc; s: *const u8, n: usize, part: *const u8, m: usize) -> *const u8 {
        let found = real(s, n, part, m);
        touch::read(s, if found.is_null() { n } else { found as usize - s as usize + m }, pc);
        touch::read(part, m, pc);
        found
    }

    fn strlen(pc; s: Text) -> usize {
        let n = length(s);
        touch::read(s, n + 1, pc);
        n
    }

    fn strnlen(pc; s: Text, most: usize) -> usize {
        let n = real(s, most);
        touch::read(s, (n + 1).min(most), pc);
        n
    }

    fn strcpy(pc; to: *mut c_char, from: Text) -> *mut c_char {
        touch::copy(to, from, length(from) + 1, pc);
        real(to, from)
    }

    fn __strcpy_chk(pc; to: *mut c_char, from: Text, room: usize) -> *mut c_char {
        touch::copy(to, from, (length(from) + 1).min(room), pc);
        real(to, from, room)
    }

    fn stpcpy(pc; to: *mut c_char, from: Text) -> *mut c_char {
        touch::copy(to, from, length(from) + 1, pc);
        real(to, from)
    }

    fn __stpcpy_chk(pc; to: *mut c_char, from: Text, room: usize) -> *mut c_char {
        touch::copy(to, from, (length(from) + 1).min(room), pc);
        real(to, from, room)
    }

    fn strncpy(pc; to: *mut c_char, from: Text, n: usize) -> *mut c_char {
        touch::read(from, seen_within(from, n), pc);
        touch::write(to, n, pc);
        real(to, from, n)
    }

    fn __strncpy_chk(pc; to: *mut c_char, from: Text, n: usize, room: usize) -> *mut c_char {
        touch::read(from, seen_within(from, n), pc);
        touch::write(to, n.min(room), pc);
        real(to, from, n, room)
    }

    fn stpncpy(pc; to: *mut c_char, from: Text, n: usize) -> *mut c_char {
        touch::read(from, seen_within(from, n), pc);
        touch::write(to, n, pc);
        real(to, from, n)
    }

    fn strcat(pc; to: *mut c_char, from: Text) -> *mut c_char {
        let (end, more) = (length(to), length(from) + 1);
        touch::read(to, end, pc);
        touch::copy(to.wrapping_add(end), from, more, pc);
        real(to, from)
    }

    fn __strcat_chk(pc; to: *mut c_char, from: Text, room: usize) -> *mut c_char {
        let (end, more) = (length(to), length(from) + 1);
        touch::read(to, end, pc);
        touch::copy(to.wrapping_add(end), from, more.min(room.saturating_sub(end)), pc);
        real(to, from, room)
    }

    fn strncat(pc; to: *mut c_char, from: Text, n: usize) -> *mut c_char {
        let (end, more) = (length(to), length_within(from, n));
        touch::read(to, end, pc);
        touch::read(from, (more + 1).min(n), pc);
        touch::write(to.wrapping_add(end), more + 1, pc);
        real(to, from, n)
    }

    fn __strncat_chk(pc; to: *mut c_char, from: Text, n: usize, room: usize) -> *mut c_char {
        let (end, more) = (length(to), length_within(from, n));
        touch::read(to, end, pc);
        touch::read(from, (more + 1).min(n), pc);
        touch::write(to.wrapping_add(end), (more + 1).min(room.saturating_sub(end)), pc);
        real(to, from, n, room)
    }

    fn strcmp(pc; a: Text, b: Text) -> c_int {
        compare(a, b, usize::MAX, exactly, pc)
    }

    fn strncmp(pc; a: Text, b: Text, n: usize) -> c_int {
        compare(a, b, n, exactly, pc)
    }

    fn strcasecmp(pc; a: Text, b: Text) -> c_int {
        let (_, looked_at) = differ(a, b, usize::MAX, lower);
        touch::read(a, looked_at, pc);
        touch::read(b, looked_at, pc);
        real(a, b)
    }

    fn strncasecmp(pc; a: Text, b: Text, n: usize) -> c_int {
        let (_, looked_at) = differ(a, b, n, lower);
        touch::read(a, looked_at, pc);
        touch::read(b, looked_at, pc);
        real(a, b, n)
    }

    fn strchr(pc; s: Text, c: c_int) -> *const c_char {
        let found = real(s, c);
        touch::read(s, searched(s, found), pc);
        found
    }

    fn index(pc; s: Text, c: c_int) -> *const c_char {
        let found = real(s, c);
        touch::read(s, searched(s, found), pc);
        found
    }

    fn strchrnul(pc; s: Text, c: c_int) -> *const c_char {
        let found = real(s, c);
        touch::read(s, found as usize - s as usize + 1, pc);
        found
    }

    fn strrchr(pc; s: Text, c: c_int) -> *const c_char {
        touch::read(s, length(s) + 1, pc);
        real(s, c)
    }

    fn rindex(pc; s: Text, c: c_int) -> *const c_char {
        touch::read(s, length(s) + 1, pc);
        real(s, c)
    }

    fn strstr(pc; s: Text, part: Text) -> *const c_char {
        touch::read(s, length(s) + 1, pc);
        touch::read(part, length(part) + 1, pc);
        real(s, part)
    }

    fn strcasestr(pc; s: Text, part: Text) -> *const c_char {
        touch::read(s, length(s) + 1, pc);
        touch::read(part, length(part) + 1, pc);
        real(s, part)
    }

    fn strspn(pc; s: Text, set: Text) -> usize {
        let n = real(s, set);
        touch::read(s, n + 1, pc);
        touch::read(set, length(set) + 1, pc);
        n
    }

    fn strcspn(pc; s: Text, set: Text) -> usize {
        let n = real(s, set);
        touch::read(s, n + 1, pc);
        touch::read(set, length(set) + 1, pc);
        n
    }

    fn strpbrk(pc; s: Text, set: Text) -> *const c_char {
        let found = real(s, set);
        touch::read(s, searched(s, found), pc);
        touch::read(set, length(set) + 1, pc);
        found
    }

    fn memccpy(pc; to: Bytes, from: *const u8, byte: c_int, n: usize) -> Bytes {
        let end = real(to, from, byte, n);
        touch::copy(to, from, if end.is_null() { n } else { end as usize - to as usize }, pc);
        end
    }

    fn strdup(pc; s: Text) -> *mut c_char {
        let n = length(s) + 1;
        let copy = super::memory::allocate(n, super::memory::ALIGN, pc);
        duplicate(copy, s, n, pc)
    }

    fn __strdup(pc; s: Text) -> *mut c_char {
        let n = length(s) + 1;
        let copy = super::memory::allocate(n, super::memory::ALIGN, pc);
        duplicate(copy, s, n, pc)
    }

    fn strndup(pc; s: Text, most: usize) -> *mut c_char {
        duplicate_within(s, most, pc)
    }

    fn __strndup(pc; s: Text, most: usize) -> *mut c_char {
        duplicate_within(s, most, pc)
    }
}

fn duplicate_within(s: Text, most: usize, pc: u64) -> *mut c_char {
    let n = length_within(s, most);
    let copy = super::memory::allocate(n + 1, super::memory::ALIGN, pc);
    if !copy.is_null() {
        // SAFETY: a block of that many bytes.
        unsafe { *copy.add(n) = 0 };
        touch::write(copy.wrapping_add(n), 1, pc);
    }
    duplicate(copy, s, n, pc)
}

fn duplicate(copy: Bytes, s: Text, n: usize, pc: u64) -> *mut c_char {
    if copy.is_null() {
        // SAFETY: the thread's own.
        unsafe { *libc::__errno_location() = libc::ENOMEM };
        return copy as *mut c_char;
    }
    copied(copy, s as *const u8, n, pc) as *mut c_char
}

/// As an interceptor, under a name that compilers call by themselves.
macro_rules! compiler_calls {
    ($($name:ident $inner:ident($($argument:ident: $type:ty),*) $done:ident;)*) => {$(
        extern "C" fn $inner($($argument: $type),*) -> *mut c_void {
            $done($($argument,)* tls::get::<CALLER>()) as *mut c_void
        }

        /// What the compiler calls for a copy or a fill in the source.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!(
                "mov r10, qword ptr [rsp]",
                "mov r11, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]",
                "mov qword ptr fs:[r11 + {caller}], r10",
                "jmp {inner}",
                caller = const CALLER, inner = sym $inner,
            )
        }
    )*};
}

compiler_calls! {
    __tsan_memcpy compiled_copy(to: Bytes, from: *const u8, n: usize) copied;
    __tsan_memmove compiled_move(to: Bytes, from: *const u8, n: usize) moved;
    __tsan_memset compiled_fill(to: Bytes, byte: c_int, n: usize) filled;
}
