//! Texts taken apart, compared by language, converted; and those for errors.

use super::strings::{length, seen_within};
use super::touch;
use crate::interceptors;
use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::AtomicUsize;

type Text = *const c_char;
type Bytes = *mut u8;

/// Stands for the place where `strtok` keeps where it is.
static REST: AtomicUsize = AtomicUsize::new(0);

/// A token was found and its end written.
fn split(token: *mut c_char, pc: u64) -> *mut c_char {
    if !token.is_null() {
        let n = length(token);
        touch::read(token, n + 1, pc);
        touch::write(token.wrapping_add(n), 1, pc);
    }
    token
}

interceptors! {
    fn strsep(pc; rest: *mut *mut c_char, set: Text) -> *mut c_char {
        let token = real(rest, set);
        touch::text(set, pc);
        touch::write(rest, size_of::<usize>(), pc);
        split(token, pc)
    }

    fn strtok(pc; s: *mut c_char, set: Text) -> *mut c_char {
        touch::text(set, pc);
        // Where it goes on is kept in one place for all threads.
        touch::write(&raw const REST, size_of::<usize>(), pc);
        split(real(s, set), pc)
    }

    fn strtok_r(pc; s: *mut c_char, set: Text, rest: *mut *mut c_char) -> *mut c_char {
        touch::text(set, pc);
        touch::write(rest, size_of::<usize>(), pc);
        split(real(s, set, rest), pc)
    }

    fn __strtok_r(pc; s: *mut c_char, set: Text, rest: *mut *mut c_char) -> *mut c_char {
        touch::text(set, pc);
        touch::write(rest, size_of::<usize>(), pc);
        split(real(s, set, rest), pc)
    }

    fn strcoll(pc; a: Text, b: Text) -> c_int {
        touch::text(a, pc);
        touch::text(b, pc);
        real(a, b)
    }

    fn strxfrm(pc; to: *mut c_char, from: Text, room: usize) -> usize {
        touch::text(from, pc);
        let n = real(to, from, room);
        touch::write(to, room.min(n + 1), pc);
        n
    }

    fn strerror_r(pc; error: c_int, to: *mut c_char, room: usize) -> *mut c_char {
        let text = real(error, to, room);
        touch::write(if text == to { to } else { core::ptr::null_mut() }, seen_within(text, room), pc);
        text
    }

    fn __xpg_strerror_r(pc; error: c_int, to: *mut c_char, room: usize) -> c_int {
        let result = real(error, to, room);
        touch::write(to, seen_within(to, room), pc);
        result
    }

    fn iconv(pc; state: *mut c_void, from: *mut *const u8, left: *mut usize, to: *mut Bytes, room: *mut usize) -> usize {
        // SAFETY: the program's variables, if there are any.
        let places = unsafe { (from.as_ref().copied(), to.as_ref().copied()) };
        let result = real(state, from, left, to, room);
        if let (Some(start), false) = (places.0, from.is_null()) {
            // SAFETY: as above.
            touch::read(start, unsafe { *from } as usize - start as usize, pc);
        }
        if let (Some(start), false) = (places.1, to.is_null()) {
            // SAFETY: as above.
            touch::write(start, unsafe { *to } as usize - start as usize, pc);
        }
        for variable in [from as *const usize, left, to as *const usize, room] {
            touch::write(variable, size_of::<usize>(), pc);
        }
        result
    }
}
