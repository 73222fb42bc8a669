//! `printf` and its family: the strings that they print are read, and what they print into is written.
//!
//! These take any number of arguments, so each begins in assembly that saves the argument registers as the C library's own would, lets us look at them, and jumps
//! on with all of them as they were.

use super::{files, touch};
use crate::interceptors;
use crate::real;
use crate::real::Real;
use core::arch::naked_asm;
use core::ffi::{c_char, c_int, c_void};
use deadheat_rt::tls::{self, offset::CALLER};

type Text = *const c_char;

/// `va_list` on this machine.
#[repr(C)]
#[derive(Clone, Copy)]
struct Arguments {
    general: u32,
    floating: u32,
    overflow: *const u8,
    registers: *const u8,
}

const GENERAL_END: u32 = 48;
const FLOATING_END: u32 = 176;

impl Arguments {
    /// The next of those that are passed in general registers.
    unsafe fn word(&mut self) -> u64 {
        // SAFETY: the caller's promise: the program has passed one more.
        unsafe {
            if self.general < GENERAL_END {
                self.general += 8;
                return (self.registers.add(self.general as usize - 8) as *const u64).read();
            }
            self.overflow = self.overflow.add(8);
            (self.overflow.sub(8) as *const u64).read()
        }
    }

    /// Passes over one of those.
    unsafe fn pass(&mut self) {
        // SAFETY: the caller's promise.
        let _: u64 = unsafe { self.word() };
    }

    /// Passes over a `double`.
    fn skip_double(&mut self) {
        if self.floating < FLOATING_END {
            self.floating += 16;
        } else {
            self.overflow = self.overflow.wrapping_add(8);
        }
    }

    /// Passes over a `long double`.
    fn skip_long_double(&mut self) {
        self.overflow = (self.overflow as usize).next_multiple_of(16) as *const u8;
        self.overflow = self.overflow.wrapping_add(16);
    }
}

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
                    b'0'..=b'9' | b'-' | b'+' | b' ' | b'#' | b'\'' | b'h' | b'q' | b'j' | b'z' | b't' => {}
                    b'l' | b'L' => long += 1 + (c == b'L') as u32 * 2,
                    b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' if long >= 3 => {
                        break arguments.skip_long_double();
                    }
                    b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => break arguments.skip_double(),
                    b's' if long == 0 => break read_string(arguments.word() as *const u8, limit, pc),
                    b'%' | b'm' => break,
                    _ => break arguments.pass(),
                }
            }
        }
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
            let arguments = Arguments { general: 8 * $fixed, floating: GENERAL_END, overflow: stack, registers: saved as *const u8 };
            // SAFETY: the program's call.
            unsafe { look($target, format, arguments, pc) };
            REAL.address()
        }

        #[unsafe(naked)]
        #[unsafe(export_name = concat!("__interceptor_", stringify!($outer)))]
        extern "C" fn $outer() {
            const _: Hook = $hook;
            naked_asm!(
                "mov r10, qword ptr [rsp]",
                "mov r11, qword ptr [rip + __deadheat_tls@GOTTPOFF]",
                "mov qword ptr fs:[r11 + {caller}], r10",
                "sub rsp, 200",
                "mov qword ptr [rsp + 184], rax",
                "mov qword ptr [rsp], rdi",
                "mov qword ptr [rsp + 8], rsi",
                "mov qword ptr [rsp + 16], rdx",
                "mov qword ptr [rsp + 24], rcx",
                "mov qword ptr [rsp + 32], r8",
                "mov qword ptr [rsp + 40], r9",
                "movaps xmmword ptr [rsp + 48], xmm0",
                "movaps xmmword ptr [rsp + 64], xmm1",
                "movaps xmmword ptr [rsp + 80], xmm2",
                "movaps xmmword ptr [rsp + 96], xmm3",
                "movaps xmmword ptr [rsp + 112], xmm4",
                "movaps xmmword ptr [rsp + 128], xmm5",
                "movaps xmmword ptr [rsp + 144], xmm6",
                "movaps xmmword ptr [rsp + 160], xmm7",
                "mov rdi, rsp",
                "lea rsi, [rsp + 208]",
                "call {hook}",
                "mov r11, rax",
                "mov rax, qword ptr [rsp + 184]",
                "mov rdi, qword ptr [rsp]",
                "mov rsi, qword ptr [rsp + 8]",
                "mov rdx, qword ptr [rsp + 16]",
                "mov rcx, qword ptr [rsp + 24]",
                "mov r8, qword ptr [rsp + 32]",
                "mov r9, qword ptr [rsp + 40]",
                "movaps xmm0, xmmword ptr [rsp + 48]",
                "movaps xmm1, xmmword ptr [rsp + 64]",
                "movaps xmm2, xmmword ptr [rsp + 80]",
                "movaps xmm3, xmmword ptr [rsp + 96]",
                "movaps xmm4, xmmword ptr [rsp + 112]",
                "movaps xmm5, xmmword ptr [rsp + 128]",
                "movaps xmm6, xmmword ptr [rsp + 144]",
                "movaps xmm7, xmmword ptr [rsp + 160]",
                "add rsp, 200",
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
    c"asprintf" asprintf look_asprintf 2 |_| Target::Elsewhere;
    c"__printf_chk" __printf_chk look_printf_chk 2 |_| Target::Elsewhere;
    c"__fprintf_chk" __fprintf_chk look_fprintf_chk 3 |a| Target::Stream(a[0] as *mut c_void);
    c"__dprintf_chk" __dprintf_chk look_dprintf_chk 3 |a| Target::Descriptor(a[0] as c_int);
    c"__sprintf_chk" __sprintf_chk look_sprintf_chk 4 |a| Target::Memory(a[0] as *mut u8, a[2] as usize);
    c"__snprintf_chk" __snprintf_chk look_snprintf_chk 5 |a| Target::Memory(a[0] as *mut u8, a[1] as usize);
    c"__asprintf_chk" __asprintf_chk look_asprintf_chk 3 |_| Target::Elsewhere;
}

interceptors! {
    fn vprintf(pc; format: Text, arguments: *mut Arguments) -> c_int {
        // SAFETY: the program's call.
        unsafe { look(Target::Elsewhere, format, *arguments, pc) };
        real(format, arguments)
    }

    fn vfprintf(pc; stream: *mut c_void, format: Text, arguments: *mut Arguments) -> c_int {
        // SAFETY: the program's call.
        unsafe { look(Target::Stream(stream), format, *arguments, pc) };
        real(stream, format, arguments)
    }

    fn vsprintf(pc; to: *mut u8, format: Text, arguments: *mut Arguments) -> c_int {
        // SAFETY: the program's call.
        unsafe { look(Target::Memory(to, usize::MAX), format, *arguments, pc) };
        real(to, format, arguments)
    }

    fn vsnprintf(pc; to: *mut u8, room: usize, format: Text, arguments: *mut Arguments) -> c_int {
        // SAFETY: the program's call.
        unsafe { look(Target::Memory(to, room), format, *arguments, pc) };
        real(to, room, format, arguments)
    }
}
