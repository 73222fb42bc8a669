//! `scanf` and its family: what they store for the program is written by it, as far as they came.
//!
//! The program's arguments are handed to the C library's function that takes them as a list, since what was stored is known only afterwards.

use super::arguments::Arguments;
use super::{files, touch};
use crate::{interceptors, real};
use core::arch::naked_asm;
use core::ffi::{c_char, c_int, c_void};
use deadheat_rt::tls::{self, offset::CALLER};

type Text = *const c_char;

/// What `%a` is before letters for strings: part of them, by an old extension, or a number of C99.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Gnu,
    Standard,
}

/// Bytes of a text that count as read. How far the C library went is not known, and a program that goes through a long text piece by piece would pay for all of it each time.
const SEEN: usize = 4096;

/// Where the input comes from.
#[derive(Clone, Copy)]
enum Source {
    Descriptor(c_int),
    Stream(*mut c_void),
    Text(Text),
}

impl Source {
    fn before(self, pc: u64) {
        if let Source::Text(text) = self {
            touch::beginning(text, SEEN, pc);
        }
    }

    fn after(self, pc: u64) {
        match self {
            Source::Descriptor(fd) => files::received(fd, core::ptr::null_mut(), 0, pc),
            Source::Stream(stream) => files::received(files::of_stream(stream), core::ptr::null_mut(), 0, pc),
            Source::Text(_) => {}
        }
    }
}

/// Calls the C library, and tells what it has stored.
///
/// # Safety
/// The format and its arguments must be right for `scanf`.
unsafe fn scanned(
    source: Source,
    format: Text,
    arguments: Arguments,
    dialect: Dialect,
    pc: u64,
    real: impl FnOnce(*mut Arguments) -> c_int,
) -> c_int {
    source.before(pc);
    touch::text(format, pc);
    let mut passed = arguments;
    let assigned = real(&mut passed);
    source.after(pc);
    // SAFETY: the caller's promise; so many conversions have found something.
    unsafe { stored(format, arguments, assigned.max(0) as u32, dialect, pc) };
    assigned
}

/// One conversion of a format.
struct Conversion {
    /// The letter that says what it converts.
    letter: u8,
    /// Its argument by number, if the format counts them.
    number: Option<u32>,
    /// `*`: nothing is stored.
    skips: bool,
    /// `m`: stores the address of a block that it allocates.
    allocates: bool,
    width: usize,
    /// Bytes of a whole number.
    bytes: usize,
    /// `l` or `L`, for all else.
    long: u8,
}

/// Goes through a format.
struct Format {
    at: *const u8,
    dialect: Dialect,
    /// Since the last conversion that was sure, there was something that may not have matched.
    doubtful: bool,
}

impl Format {
    fn peek(&self) -> u8 {
        // SAFETY: never beyond the zero at the end.
        unsafe { *self.at }
    }

    fn take(&mut self) -> u8 {
        let c = self.peek();
        if c != 0 {
            self.at = self.at.wrapping_add(1);
        }
        c
    }

    fn number(&mut self) -> usize {
        let mut n = 0usize;
        while self.peek().is_ascii_digit() {
            n = n.saturating_mul(10).saturating_add((self.take() - b'0') as usize);
        }
        n
    }

    /// Passes over `[^]...]`, of which the bracket is taken.
    fn set(&mut self) {
        if self.peek() == b'^' {
            self.take();
        }
        self.take();
        while !matches!(self.take(), 0 | b']') {}
    }

    /// `a` is a letter of its own, unless a string follows and this is the old dialect.
    fn allocates(&self) -> bool {
        match self.peek() {
            b'm' => true,
            // SAFETY: the format has not ended here.
            b'a' => self.dialect == Dialect::Gnu && matches!(unsafe { *self.at.add(1) }, b's' | b'S' | b'['),
            _ => false,
        }
    }

    fn conversion(&mut self) -> Conversion {
        let mut c = Conversion {
            letter: 0,
            number: None,
            skips: false,
            allocates: false,
            width: self.number(),
            bytes: 4,
            long: 0,
        };
        if self.peek() == b'$' {
            self.take();
            c.number = Some(c.width as u32);
            c.width = 0;
        }
        loop {
            if self.allocates() {
                self.take();
                c.allocates = true;
                continue;
            }
            match self.take() {
                b'*' => c.skips = true,
                b'\'' | b'I' => {}
                b'0'..=b'9' => {
                    self.at = self.at.wrapping_sub(1);
                    c.width = self.number();
                }
                b'h' => c.bytes = (c.bytes / 2).max(1),
                b'l' => (c.bytes, c.long) = (8, c.long + 1),
                b'L' => (c.bytes, c.long) = (8, 2),
                b'q' | b'j' | b'z' | b't' => c.bytes = 8,
                letter => {
                    c.letter = letter;
                    break;
                }
            }
        }
        if c.letter == b'[' {
            self.set();
        }
        c
    }
}

impl Iterator for Format {
    type Item = Conversion;

    fn next(&mut self) -> Option<Conversion> {
        loop {
            match self.take() {
                0 => return None,
                b'%' => match self.conversion() {
                    Conversion { letter: 0, .. } => return None,
                    Conversion { letter: b'%', .. } => self.doubtful = true,
                    conversion => return Some(conversion),
                },
                c => self.doubtful |= !c.is_ascii_whitespace(),
            }
        }
    }
}

/// The first `assigned` conversions that store something have, and what `%n` counts between them and up to where it is sure that the C library came.
unsafe fn stored(format: Text, mut arguments: Arguments, assigned: u32, dialect: Dialect, pc: u64) {
    let mut format = Format { at: format as *const u8, dialect, doubtful: false };
    let (mut left, all) = (assigned, arguments);
    while let Some(c) = format.next() {
        if c.skips {
            format.doubtful = true;
            continue;
        }
        let counts = c.letter != b'n';
        if left == 0 && (counts || format.doubtful) {
            return;
        }
        // SAFETY: the caller's promise.
        unsafe {
            let to = c.number.map_or_else(|| arguments.word(), |number| all.nth(number));
            touch::write(to as *const u8, c.stored_at(to), pc);
            if c.allocates {
                let block = *(to as *const u64);
                touch::write(block as *const u8, c.length(block), pc);
            }
        }
        if counts {
            (left, format.doubtful) = (left - 1, false);
        }
    }
}

impl Conversion {
    /// How many bytes were stored there.
    unsafe fn stored_at(&self, to: u64) -> usize {
        match self.letter {
            _ if self.allocates => 8,
            b'p' => 8,
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => [4, 8, 10][self.long.min(2) as usize],
            // SAFETY: the caller's promise.
            b's' | b'S' | b'[' | b'c' | b'C' => unsafe { self.length(to) },
            _ => self.bytes,
        }
    }

    /// How many bytes a text has that was stored there.
    unsafe fn length(&self, text: u64) -> usize {
        let wide = self.long > 0 || matches!(self.letter, b'S' | b'C');
        match (self.letter, wide) {
            (b'c' | b'C', _) => self.width.max(1) * if wide { 4 } else { 1 },
            // SAFETY: a string that was stored just now.
            (_, true) => unsafe {
                (0..).find(|i| *(text as *const u32).add(*i) == 0).map_or(0, |n| n * 4 + 4)
            },
            // SAFETY: as above.
            (_, false) => unsafe { crate::lang::__deadheat_strlen(text as *const u8) + 1 },
        }
    }
}

/// A function with any number of arguments, as the one that takes a list: `fixed` come before them, of which the last is the format.
macro_rules! variadic {
    ($outer:ident as $list:ident($($type:ty),*) $fixed:literal $dialect:ident |$a:pat_param| $source:expr, $($argument:expr),*) => {
        const _: () = {
            unsafe extern "C" fn hook(saved: *const [u64; 6], stack: *const u8) -> c_int {
                let pc = tls::get::<CALLER>();
                // SAFETY: saved just now.
                let all = unsafe { *saved };
                let $a = all;
                let arguments = Arguments::behind($fixed, saved, stack);
                let real = |list| {
                    // SAFETY: the program's call.
                    unsafe { real!($list($($type,)* *mut Arguments) -> c_int)($($argument as $type,)* list) }
                };
                // SAFETY: the program's call.
                unsafe { scanned($source, all[$fixed - 1] as Text, arguments, Dialect::$dialect, pc, real) }
            }

            // It stays on the stack while the C library waits for input, so it says how to unwind it.
            #[unsafe(naked)]
            #[unsafe(export_name = concat!("__interceptor_", stringify!($outer)))]
            extern "C" fn outer() {
                naked_asm!(
                    ".cfi_startproc",
                    $crate::save_arguments!(),
                    ".cfi_adjust_cfa_offset 200",
                    "call {hook}",
                    "add rsp, 200",
                    ".cfi_adjust_cfa_offset -200",
                    "ret",
                    ".cfi_endproc",
                    caller = const CALLER, hook = sym hook,
                )
            }
        };
    };
}

/// The six functions of a dialect.
macro_rules! family {
    ($($dialect:ident: $scanf:ident $fscanf:ident $sscanf:ident $vscanf:ident $vfscanf:ident $vsscanf:ident;)*) => {$(
        variadic!($scanf as $vscanf(Text) 1 $dialect |a| Source::Descriptor(0), a[0]);
        variadic!($fscanf as $vfscanf(*mut c_void, Text) 2 $dialect |a| Source::Stream(a[0] as *mut c_void), a[0], a[1]);
        variadic!($sscanf as $vsscanf(Text, Text) 2 $dialect |a| Source::Text(a[0] as Text), a[0], a[1]);

        interceptors! {
            fn $vscanf(pc; format: Text, list: *mut Arguments) -> c_int {
                // SAFETY: the program's call.
                unsafe { scanned(Source::Descriptor(0), format, *list, Dialect::$dialect, pc, |list| real(format, list)) }
            }

            fn $vfscanf(pc; stream: *mut c_void, format: Text, list: *mut Arguments) -> c_int {
                let source = Source::Stream(stream);
                // SAFETY: the program's call.
                unsafe { scanned(source, format, *list, Dialect::$dialect, pc, |list| real(stream, format, list)) }
            }

            fn $vsscanf(pc; text: Text, format: Text, list: *mut Arguments) -> c_int {
                let source = Source::Text(text);
                // SAFETY: the program's call.
                unsafe { scanned(source, format, *list, Dialect::$dialect, pc, |list| real(text, format, list)) }
            }
        }
    )*};
}

family! {
    Gnu: scanf fscanf sscanf vscanf vfscanf vsscanf;
    Standard: __isoc99_scanf __isoc99_fscanf __isoc99_sscanf __isoc99_vscanf __isoc99_vfscanf __isoc99_vsscanf;
    Standard: __isoc23_scanf __isoc23_fscanf __isoc23_sscanf __isoc23_vscanf __isoc23_vfscanf __isoc23_vsscanf;
}
