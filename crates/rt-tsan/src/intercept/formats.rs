//! `printf` and its family: the strings that they print are read, and what they print into is written.
//!
//! These take any number of arguments, so each begins in assembly that saves the argument registers as the C library's own would, lets us look at them, and jumps
//! on with all of them as they were.

use super::arguments::Arguments;
use super::{files, touch};
use crate::interceptors;
use crate::real;
use crate::real::Real;
use core::arch::naked_asm;
use core::ffi::{c_char, c_int, c_void};
use deadheat_rt::tls::{self, offset::CALLER};

type Text = *const c_char;

/// The strings that the format asks for, and the format itself, are read.
///
/// # Safety
/// The format and its arguments must be right for `printf`.
unsafe fn read_strings(format: Text, mut arguments: Arguments, pc: u64) {
    let mut at = format as *const u8;
    // SAFETY: the caller's promise; the format ends in zero, and no step goes beyond that.
    unsafe {
        let bytes = crate::lang::__deadheat_strlen(at);
        touch::read(format, bytes + 1, pc);
        while *at != 0 {
            let c = *at;
            at = at.add(1);
            if c != b'%' {
                continue;
            }
            let mut limit = None;
            let mut dotted = false;
            let mut long = 0;
            let mut short = 0;
            loop {
                let c = *at;
                if c == 0 || c == b'$' {
                    // Arguments by number: the next is not the next.
                    return;
                }
                at = at.add(1);
                match c {
                    b'*' if dotted => limit = usize::try_from(arguments.word() as i32).ok(),
                    b'*' => arguments.pass(),
                    b'.' => (dotted, limit) = (true, Some(0)),
                    b'0'..=b'9' if dotted => {
                        limit = limit.map(|l: usize| l.saturating_mul(10) + (c - b'0') as usize)
                    }
                    b'0'..=b'9' | b'-' | b'+' | b' ' | b'#' | b'\'' => {}
                    b'h' => short += 1,
                    b'q' | b'j' | b'z' | b't' => long = 1,
                    b'l' | b'L' => long += 1 + (c == b'L') as u32 * 2,
                    b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' if long >= 3 => {
                        break arguments.skip_long_double();
                    }
                    b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => break arguments.skip_double(),
                    b's' if long == 0 => break read_string(arguments.word() as *const u8, limit, pc),
                    b'n' => {
                        break touch::write(arguments.word() as *const u8, count_bytes(long, short), pc);
                    }
                    b'%' | b'm' => break,
                    _ => break arguments.pass(),
                }
            }
        }
    }
}

/// Bytes of what `%n` stores, by how often the format says `l` and `h`.
fn count_bytes(long: u32, short: u32) -> usize {
    match (long, short) {
        (0, 0) => 4,
        (0, short) => 2 >> (short - 1).min(1),
        _ => 8,
    }
}

/// A string is read up to its end, or up to a limit.
unsafe fn read_string(text: *const u8, limit: Option<usize>, pc: u64) {
    if text.is_null() {
        return;
    }
    let most = limit.unwrap_or(usize::MAX);
    // SAFETY: the program's string.
    let length = (0..most).find(|i| unsafe { *text.add(*i) } == 0);
    touch::read(text, length.map_or(most, |n| n + 1), pc);
}

/// How many bytes it will print.
unsafe fn printed(format: Text, arguments: Arguments) -> usize {
    let mut copy = arguments;
    // SAFETY: the program's format and arguments; nothing is written.
    let n = unsafe {
        real!(vsnprintf(*mut c_char, usize, Text, *mut Arguments) -> c_int)(
            core::ptr::null_mut(),
            0,
            format,
            &mut copy,
        )
    };
    n.max(0) as usize
}

/// What a function of the family does with its fixed arguments, of which the format is the last: who gets what is printed, and how much fits.
enum Target {
    Stream(*mut c_void),
    Descriptor(c_int),
    Memory(*mut u8, usize),
    /// A block that will be allocated, whose address goes there.
    Block(*mut u64),
    Elsewhere,
}

unsafe fn look(target: Target, format: Text, arguments: Arguments, pc: u64) {
    // SAFETY: the program's call.
    unsafe { read_strings(format, arguments, pc) };
    match target {
        Target::Stream(stream) => files::sending(files::of_stream(stream), core::ptr::null(), 0, pc),
        Target::Descriptor(fd) => files::sending(fd, core::ptr::null(), 0, pc),
        // SAFETY: the program's call.
        Target::Memory(to, room) => touch::write(to, room.min(unsafe { printed(format, arguments) } + 1), pc),
        Target::Block(address) => touch::write(address, 8, pc),
        Target::Elsewhere => {}
    }
}

/// The argument registers as saved, and where the arguments on the stack begin.
type Hook = unsafe extern "C" fn(*const [u64; 6], *const u8) -> *mut c_void;

macro_rules! variadic {
    ($($name:literal $outer:ident $hook:ident $fixed:literal |$a:pat_param| $target:expr;)*) => {$(
        unsafe extern "C" fn $hook(saved: *const [u64; 6], stack: *const u8) -> *mut c_void {
            static REAL: Real = Real::new($name);
            let pc = tls::get::<CALLER>();
            // SAFETY: saved just now.
            let $a = unsafe { *saved };
            // SAFETY: as above.
            let format = unsafe { (*saved)[$fixed - 1] } as Text;
            let arguments = Arguments::behind($fixed, saved, stack);
            // SAFETY: the program's call.
            unsafe { look($target, format, arguments, pc) };
            REAL.address()
        }

        #[unsafe(naked)]
        #[unsafe(export_name = concat!("__interceptor_", stringify!($outer)))]
        extern "C" fn $outer() {
            const _: Hook = $hook;
            naked_asm!(
                $crate::save_arguments!(),
                "call {hook}",
                "mov r11, rax",
                $crate::restore_arguments!(),
                "jmp r11",
                caller = const CALLER, hook = sym $hook,
            )
        }
    )*};
}

variadic! {
    c"printf" printf look_printf 1 |_| Target::Elsewhere;
    c"fprintf" fprintf look_fprintf 2 |a| Target::Stream(a[0] as *mut c_void);
    c"dprintf" dprintf look_dprintf 2 |a| Target::Descriptor(a[0] as c_int);
    c"sprintf" sprintf look_sprintf 2 |a| Target::Memory(a[0] as *mut u8, usize::MAX);
    c"snprintf" snprintf look_snprintf 3 |a| Target::Memory(a[0] as *mut u8, a[1] as usize);
    c"asprintf" asprintf look_asprintf 2 |a| Target::Block(a[0] as *mut u64);
    c"__printf_chk" __printf_chk look_printf_chk 2 |_| Target::Elsewhere;
    c"__fprintf_chk" __fprintf_chk look_fprintf_chk 3 |a| Target::Stream(a[0] as *mut c_void);
    c"__dprintf_chk" __dprintf_chk look_dprintf_chk 3 |a| Target::Descriptor(a[0] as c_int);
    c"__sprintf_chk" __sprintf_chk look_sprintf_chk 4 |a| Target::Memory(a[0] as *mut u8, a[2] as usize);
    c"__snprintf_chk" __snprintf_chk look_snprintf_chk 5 |a| Target::Memory(a[0] as *mut u8, a[1] as usize);
    c"__asprintf_chk" __asprintf_chk look_asprintf_chk 3 |a| Target::Block(a[0] as *mut u64);
}

/// Those that get their arguments as a list: the fixed ones, the format, and what comes between them and the list.
macro_rules! lists {
    ($($name:ident($($fixed:ident: $type:ty),*) $target:expr;)*) => {
        interceptors! {$(
            fn $name(pc; $($fixed: $type,)* format: Text, arguments: *mut Arguments) -> c_int {
                // SAFETY: the program's call.
                unsafe { look($target, format, *arguments, pc) };
                real($($fixed,)* format, arguments)
            }
        )*}
    };
}

lists! {
    vprintf() Target::Elsewhere;
    vfprintf(stream: *mut c_void) Target::Stream(stream);
    vdprintf(fd: c_int) Target::Descriptor(fd);
    vsprintf(to: *mut u8) Target::Memory(to, usize::MAX);
    vsnprintf(to: *mut u8, room: usize) Target::Memory(to, room);
    vasprintf(to: *mut u64) Target::Block(to);
    __vprintf_chk(flag: c_int) Target::Elsewhere;
    __vfprintf_chk(stream: *mut c_void, flag: c_int) Target::Stream(stream);
    __vdprintf_chk(fd: c_int, flag: c_int) Target::Descriptor(fd);
    __vsprintf_chk(to: *mut u8, flag: c_int, room: usize) Target::Memory(to, room);
    __vsnprintf_chk(to: *mut u8, room: usize, flag: c_int, size: usize) Target::Memory(to, room);
    __vasprintf_chk(to: *mut u64, flag: c_int) Target::Block(to);
}
