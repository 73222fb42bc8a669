//! Patterns of text.

use super::touch;
use crate::{interceptors, reads_texts};
use core::ffi::{c_char, c_int};
use libc::{regex_t, regmatch_t};

type Text = *const c_char;

reads_texts! { fnmatch(pattern: Text, text: Text, flags: c_int) pattern text; }

interceptors! {
    fn regcomp(pc; pattern: *mut regex_t, text: Text, flags: c_int) -> c_int {
        touch::text(text, pc);
        touch::object(pattern, pc);
        real(pattern, text, flags)
    }

    // Threads may use a pattern at the same time: the C library has a lock for that.

    fn regexec(pc; pattern: *const regex_t, text: Text, count: usize, found: *mut regmatch_t, flags: c_int) -> c_int {
        if flags & libc::REG_STARTEND == 0 {
            touch::text(text, pc);
        }
        let result = real(pattern, text, count, found, flags);
        if result == 0 {
            touch::write(found, count * size_of::<regmatch_t>(), pc);
        }
        result
    }

    fn regfree(pc; pattern: *mut regex_t) {
        touch::object(pattern, pc);
        real(pattern)
    }
}
