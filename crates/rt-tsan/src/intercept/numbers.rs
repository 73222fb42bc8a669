//! Numbers from texts, random numbers, and sorting.

use super::touch;
use crate::{interceptors, real};
use core::ffi::{c_char, c_double, c_float, c_int, c_long, c_longlong, c_uint, c_ulong, c_ulonglong, c_void};
use core::sync::atomic::AtomicU64;

type Text = *const c_char;

/// Functions that say where the number ended.
macro_rules! with_end {
    ($($name:ident($($base:ident)?) -> $number:ty;)*) => {
        interceptors! {$(
            fn $name(pc; text: Text, end: *mut Text $(, $base: c_int)?) -> $number {
                let mut stop = core::ptr::null();
                let number = real(text, &mut stop $(, $base)?);
                touch::read(text, stop as usize - text as usize + 1, pc);
                if !end.is_null() {
                    // SAFETY: the program's variable.
                    unsafe { *end = stop };
                    touch::object(end, pc);
                }
                number
            }
        )*}
    };
}

with_end! {
    strtol(base) -> c_long;
    strtoul(base) -> c_ulong;
    strtoll(base) -> c_longlong;
    strtoull(base) -> c_ulonglong;
    strtoimax(base) -> c_longlong;
    strtoumax(base) -> c_ulonglong;
    __isoc23_strtol(base) -> c_long;
    __isoc23_strtoul(base) -> c_ulong;
    __isoc23_strtoll(base) -> c_longlong;
    __isoc23_strtoull(base) -> c_ulonglong;
    __isoc23_strtoimax(base) -> c_longlong;
    __isoc23_strtoumax(base) -> c_ulonglong;
    strtod() -> c_double;
    strtof() -> c_float;
}

/// Functions that do not, by those that do.
macro_rules! without_end {
    ($($name:ident -> $number:ty: $by:ident($($type:ty, $base:literal)?) -> $found:ty;)*) => {
        interceptors! {$(
            fn $name(pc; text: Text) -> $number {
                let mut stop = core::ptr::null();
                // SAFETY: the program's text and a variable of ours.
                let number = unsafe { real!($by(Text, *mut Text $(, $type)?) -> $found)(text, &mut stop $(, $base)?) };
                touch::read(text, stop as usize - text as usize + 1, pc);
                number as $number
            }
        )*}
    };
}

without_end! {
    atoi -> c_int: strtol(c_int, 10) -> c_long;
    atol -> c_long: strtol(c_int, 10) -> c_long;
    atoll -> c_longlong: strtoll(c_int, 10) -> c_longlong;
    atof -> c_double: strtod() -> c_double;
}

/// Stands for the numbers from which `drand48` and its like go on: of these there is one set for all threads, and no lock.
static SEQUENCE: AtomicU64 = AtomicU64::new(0);

macro_rules! one_sequence {
    ($($name:ident($($argument:ident: $type:ty)?) -> $number:ty;)*) => {
        interceptors! {$(
            fn $name(pc; $($argument: $type)?) -> $number {
                touch::object(&raw const SEQUENCE, pc);
                real($($argument)?)
            }
        )*}
    };
}

one_sequence! {
    drand48() -> c_double;
    lrand48() -> c_long;
    mrand48() -> c_long;
    srand48(seed: c_long) -> ();
}

interceptors! {
    fn rand_r(pc; seed: *mut c_uint) -> c_int {
        touch::object(seed, pc);
        real(seed)
    }

    fn random_r(pc; state: *mut [u64; 6], number: *mut i32) -> c_int {
        touch::object(state, pc);
        touch::object(number, pc);
        real(state, number)
    }

    fn erand48(pc; state: *mut [u16; 3]) -> c_double {
        touch::object(state, pc);
        real(state)
    }

    fn nrand48(pc; state: *mut [u16; 3]) -> c_long {
        touch::object(state, pc);
        real(state)
    }

    fn jrand48(pc; state: *mut [u16; 3]) -> c_long {
        touch::object(state, pc);
        real(state)
    }

    // What is compared is read by the program's own function; what is moved is written here.

    fn qsort(pc; array: *mut c_void, count: usize, size: usize, compare: *const c_void) {
        if count > 1 {
            touch::write(array, count.saturating_mul(size), pc);
        }
        real(array, count, size, compare)
    }

    fn qsort_r(pc; array: *mut c_void, count: usize, size: usize, compare: *const c_void, argument: *mut c_void) {
        if count > 1 {
            touch::write(array, count.saturating_mul(size), pc);
        }
        real(array, count, size, compare, argument)
    }
}
