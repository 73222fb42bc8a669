//! What compilers call at every access: fast paths in assembly for accesses of the current epoch, everything else in `deadheat_rt::access`.
//!
//! A fast path is the same for all sizes within a granule, since it asks for a word about all eight bytes, and so takes nine or ten instructions:
//! cell address, word, difference to the beginning of the epoch; done if that is small (`Word::is_since`).

use crate::paths::{is_remembered, is_two, read_path, read16_path, write_path, write16_path};
use crate::short::{
    slow_read1, slow_read2, slow_read4, slow_read8, slow_read16, slow_vptr_read, slow_write1, slow_write2,
    slow_write4, slow_write8, slow_write16,
};
use core::arch::naked_asm;
use deadheat_online::Word;
use deadheat_rt::access::{FORGOTTEN as CHANGES, known, plain, two};
use deadheat_rt::first::{self, Way};
use deadheat_rt::lately::{FOLD, ROOM, WRITTEN, WRITTEN_PLACE};
use deadheat_rt::place::FRAME;
use deadheat_rt::quick::is_in_epoch;
use deadheat_rt::sites::Note;
use deadheat_rt::thread::{PART, SEEN_BYTES, Stay};
use deadheat_rt::tls::offset::{BASE, EPOCH, FORGOTTEN, FRAMES, LATELY, MASK, SEEN as AT_HAND, TURN, TWO};
use deadheat_shadow::{KIND_BIT, KIND_BITS, Mode, SINCE, TWO_EXTENT};

/// Where R and W are in a cell.
pub(crate) const W: usize = 0;
pub(crate) const R: usize = 8;
pub(crate) const CLOCK: u32 = Word::CLOCK_BITS - 1;

/// The next longer way, after the shortest one.
pub(crate) mod longer {
    use super::*;

    macro_rules! longer {
        ($($name:ident: $mode:ident $size:literal $note:ident;)*) => {$(
            pub(crate) extern "C" fn $name(address: u64, pc: u64) {
                match first::one(address, $size, Mode::$mode, pc, Note::$note) {
                    Way::Through => (),
                    Way::Signalled => Stay::leave(),
                    Way::Longer => rest::$name(address, pc),
                }
            }
        )*

            /// Apart, so that what comes first needs no stack frame.
            pub(super) mod rest {
                use super::*;
                $(
                    #[cold]
                    #[inline(never)]
                    pub extern "C" fn $name(address: u64, pc: u64) {
                        if let Some(mut thread) = Stay::begin() {
                            known(&mut thread, address, $size, Mode::$mode, pc, Note::$note);
                        }
                    }
                )*
            }
        };
    }

    longer! {
        slow_read1: Read 1 CALL; slow_read2: Read 2 CALL; slow_read4: Read 4 CALL; slow_read8: Read 8 CALL;
        slow_write1: Write 1 CALL; slow_write2: Write 2 CALL; slow_write4: Write 4 CALL; slow_write8: Write 8 CALL;
        slow_vptr_read: Read 8 VPTR; slow_vptr_write: Write 8 VPTR;
    }

    macro_rules! longer16 {
        ($($name:ident: $mode:ident;)*) => {$(
            pub(crate) extern "C" fn $name(address: u64, pc: u64) {
                match first::two(address, Mode::$mode, pc) {
                    Way::Through => (),
                    Way::Signalled => Stay::leave(),
                    Way::Longer => rest(address, pc),
                }
                #[cold]
                #[inline(never)]
                extern "C" fn rest(address: u64, pc: u64) {
                    if !is_in_epoch(address, 16, Mode::$mode)
                        && let Some(mut thread) = Stay::begin()
                    {
                        two(&mut thread, address, Mode::$mode, pc);
                    }
                }
            }
        )*};
    }

    longer16! { slow_read16: Read; slow_write16: Write; }
}

macro_rules! across {
    ($($name:ident $slow:ident: $mode:ident $size:literal;)*) => {$(
        /// An access that lies in two granules.
        pub(crate) extern "C" fn $name(address: u64, pc: u64) {
            match first::across(address, $size, Mode::$mode, pc) {
                Way::Through => (),
                Way::Signalled => Stay::leave(),
                Way::Longer => longer::rest::$slow(address, pc),
            }
        }
    )*};
}

across! {
    across_read2 slow_read2: Read 2; across_read4 slow_read4: Read 4; across_read8 slow_read8: Read 8;
    across_write2 slow_write2: Write 2; across_write4 slow_write4: Write 4; across_write8 slow_write8: Write 8;
}

/// In a word: all bytes.
pub(crate) const WHOLE: u64 = (Word::WHOLE as u64) << Word::EXTENT_SHIFT;

macro_rules! fast_read {
    ($($($name:ident)+: $slow:ident $size:literal $kind:ident;)*) => {$($(
        /// A read of the program: done if the granule's R is of the current epoch ([Read Same Epoch]). Failing that, if W is, since whatever races with the read
        /// races with a write of the same thread in the same epoch too; if either is, and about these bytes; or if R is a set at hand in which the thread has read in its epoch ([Read Shared Same Epoch]).
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(address: u64) {
            naked_asm!(
                read_path!("ret" "mov rsi, qword ptr [rsp]\njmp {slow}" "mov rsi, qword ptr [rsp]\njmp {longer}" $kind),
                ".p2align 6",
                "/* {extent} {bytes} {whole} {part} {seen_bytes} */",
                mask = const MASK, base = const BASE, epoch = const EPOCH, w = const W, r = const R, clock = const CLOCK,
                extent = const Word::EXTENT_SHIFT, bytes = const (1 << $size) - 1, whole = const WHOLE, special = const Word::SPECIAL.trailing_zeros(),
                seen = const AT_HAND, part = const PART.trailing_zeros(), seen_bytes = const SEEN_BYTES, slow = sym $slow, longer = sym longer::$slow,
                foreign = const Word::FOREIGN.trailing_zeros(), two = const TWO, two_whole = const (Word::WHOLE as u64) << TWO_EXTENT, two_extent = const TWO_EXTENT, since = const SINCE, kinds = const KIND_BITS, kind = const KIND_BIT,
                lately = const LATELY, turn = const TURN, forgotten = const FORGOTTEN, changes = sym CHANGES, room = const ROOM, fold = const FOLD,
            )
        }
    )+)*};
}

macro_rules! fast_write {
    ($($($name:ident)+: $slow:ident $size:literal $kind:ident;)*) => {$($(
        /// A write of the program: done if the granule's W is of the current epoch ([Write Same Epoch]), or if it is, and about these bytes.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(address: u64) {
            naked_asm!(
                write_path!("ret" "mov rsi, qword ptr [rsp]\njmp {slow}" "mov rsi, qword ptr [rsp]\njmp {longer}" $kind),
                ".p2align 6",
                "/* {extent} {bytes} {whole} */",
                mask = const MASK, base = const BASE, epoch = const EPOCH, w = const W, r = const R, clock = const CLOCK,
                extent = const Word::EXTENT_SHIFT, bytes = const (1 << $size) - 1, whole = const WHOLE, special = const Word::SPECIAL.trailing_zeros(), slow = sym $slow, longer = sym longer::$slow,
                foreign = const Word::FOREIGN.trailing_zeros(), two = const TWO, two_whole = const (Word::WHOLE as u64) << TWO_EXTENT, two_extent = const TWO_EXTENT, since = const SINCE, kinds = const KIND_BITS, kind = const KIND_BIT,
                lately = const LATELY, turn = const TURN, forgotten = const FORGOTTEN, changes = sym CHANGES, room = const ROOM, fold = const FOLD,
                written = const WRITTEN, written_place = const WRITTEN_PLACE,
            )
        }
    )+)*};
}

fast_read! {
    __tsan_read1 __tsan_volatile_read1: slow_read1 1 part;
    __tsan_read2 __tsan_volatile_read2: slow_read2 2 part;
    __tsan_read4 __tsan_volatile_read4: slow_read4 4 part;
    __tsan_read8 __tsan_volatile_read8: slow_read8 8 whole;
    __tsan_vptr_read: slow_vptr_read 8 whole;
}

fast_write! {
    __tsan_write1 __tsan_volatile_write1: slow_write1 1 part;
    __tsan_write2 __tsan_volatile_write2: slow_write2 2 part;
    __tsan_write4 __tsan_volatile_write4: slow_write4 4 part;
    __tsan_write8 __tsan_volatile_write8: slow_write8 8 whole;
}

macro_rules! fast_read16 {
    ($($name:ident)+) => {$(
        /// A read of 16 bytes: done if both granules' R are of the current epoch, or both W, or if both R are the same set at hand.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(address: u64) {
            naked_asm!(
                read16_path!("ret"),
                "mov rsi, qword ptr [rsp]",
                "jmp {slow}",
                ".p2align 6",
                mask = const MASK, base = const BASE, epoch = const EPOCH, w = const W, r = const R, clock = const CLOCK,
                seen = const AT_HAND, slow = sym slow_read16,
            )
        }
    )+};
}

fast_read16! { __tsan_read16 __tsan_volatile_read16 }

macro_rules! fast_write16 {
    ($($name:ident)+) => {$(
        /// A write of 16 bytes: done if both granules' W are of the current epoch.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(address: u64) {
            naked_asm!(
                write16_path!("ret"),
                "mov rsi, qword ptr [rsp]",
                "jmp {slow}",
                ".p2align 6",
                mask = const MASK, base = const BASE, epoch = const EPOCH, w = const W, clock = const CLOCK, slow = sym slow_write16,
            )
        }
    )+};
}

fast_write16! { __tsan_write16 __tsan_volatile_write16 }

/// Done if what both granules of an access hold in that word is of the current epoch: changes rax, rcx, rdx, r8.
macro_rules! both_in_epoch {
    ($word:literal) => {
        concat!(
            "mov rcx, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]\n",
            "lea rax, [rdi + rdi]\n",
            "lea rdx, [rdi + rdi + 2*{last}]\n",
            "and rax, qword ptr fs:[rcx + {mask}]\n",
            "and rdx, qword ptr fs:[rcx + {mask}]\n",
            "xor rax, qword ptr fs:[rcx + {base}]\n",
            "xor rdx, qword ptr fs:[rcx + {base}]\n",
            "mov rax, qword ptr [rax + {",
            $word,
            "}]\n",
            "mov rdx, qword ptr [rdx + {",
            $word,
            "}]\n",
            "mov r8, qword ptr fs:[rcx + {epoch}]\n",
            "sub rax, r8\n",
            "sub rdx, r8\n",
            "or rax, rdx\n",
            "shr rax, {clock}\n",
            "jne 2f\n",
            "ret\n",
            "2:\n",
        )
    };
}

macro_rules! unaligned {
    ($($word:literal: $($name:ident)+: $slow:ident $fast:ident $size:literal;)*) => {$($(
        /// An access at any address: as an aligned one if it stays within a granule.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(address: u64) {
            naked_asm!(
                "lea eax, [rdi + {last}]",
                "xor eax, edi",
                "test eax, -8",
                "je {fast}",
                both_in_epoch!($word),
                "mov rsi, qword ptr [rsp]",
                "jmp {slow}",
                ".p2align 6",
                "/* {w} {r} */",
                mask = const MASK, base = const BASE, epoch = const EPOCH, w = const W, r = const R, clock = const CLOCK,
                last = const $size - 1, fast = sym $fast, slow = sym $slow,
            )
        }
    )+)*};
}

unaligned! {
    "r": __tsan_unaligned_read2 __tsan_unaligned_volatile_read2: across_read2 __tsan_read2 2;
    "r": __tsan_unaligned_read4 __tsan_unaligned_volatile_read4: across_read4 __tsan_read4 4;
    "r": __tsan_unaligned_read8 __tsan_unaligned_volatile_read8: across_read8 __tsan_read8 8;
    "w": __tsan_unaligned_write2 __tsan_unaligned_volatile_write2: across_write2 __tsan_write2 2;
    "w": __tsan_unaligned_write4 __tsan_unaligned_volatile_write4: across_write4 __tsan_write4 4;
    "w": __tsan_unaligned_write8 __tsan_unaligned_volatile_write8: across_write8 __tsan_write8 8;
}

macro_rules! unaligned16 {
    ($($($name:ident)+: $slow:ident $fast:ident;)*) => {$($(
        /// An access to 16 bytes at any address: it lies in three granules as a rule.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(address: u64) {
            naked_asm!(
                "test edi, 7",
                "je {fast}",
                "mov rsi, qword ptr [rsp]",
                "jmp {slow}",
                fast = sym $fast, slow = sym $slow,
            )
        }
    )+)*};
}

unaligned16! {
    __tsan_unaligned_read16 __tsan_unaligned_volatile_read16: slow_read16 __tsan_read16;
    __tsan_unaligned_write16 __tsan_unaligned_volatile_write16: slow_write16 __tsan_write16;
}

macro_rules! with_pc {
    ($($name:ident: $mode:ident $size:literal;)*) => {$(
        /// An access that says itself where it was made.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(address: u64, pc: u64) {
            if let Some(mut thread) = Stay::begin() {
                plain(&mut thread, address, $size, Mode::$mode, pc, Note::CALL);
            }
        }
    )*};
}

with_pc! {
    __tsan_read1_pc: Read 1; __tsan_read2_pc: Read 2; __tsan_read4_pc: Read 4; __tsan_read8_pc: Read 8; __tsan_read16_pc: Read 16;
    __tsan_write1_pc: Write 1; __tsan_write2_pc: Write 2; __tsan_write4_pc: Write 4; __tsan_write8_pc: Write 8; __tsan_write16_pc: Write 16;
}

macro_rules! passes_pc {
    ($($($name:ident)+ => $to:ident;)*) => {$($(
        /// Passes its arguments on, with the program's return address behind them.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!("mov rsi, qword ptr [rsp]", "jmp {to}", to = sym $to)
        }
    )+)*};
}

macro_rules! both {
    ($($name:ident $size:literal;)*) => {$(
        extern "C" fn $name(address: u64, pc: u64) {
            if let Some(mut thread) = Stay::begin() {
                plain(&mut thread, address, $size, Mode::Read, pc, Note::CALL);
                plain(&mut thread, address, $size, Mode::Write, pc, Note::CALL);
            }
        }
    )*};
}

both! { both1 1; both2 2; both4 4; both8 8; both16 16; }

passes_pc! {
    __tsan_read_write1 => both1;
    __tsan_read_write2 __tsan_unaligned_read_write2 => both2;
    __tsan_read_write4 __tsan_unaligned_read_write4 => both4;
    __tsan_read_write8 __tsan_unaligned_read_write8 => both8;
    __tsan_read_write16 __tsan_unaligned_read_write16 => both16;
}

extern "C" fn slow_vptr_update(address: u64, pc: u64, new: u64) {
    // SAFETY: the program is about to write there. What stays the same is no write: constructors and destructors of a hierarchy do that.
    if unsafe { (address as *const u64).read_volatile() } != new {
        longer::slow_vptr_write(address, pc);
    }
}

/// The program is about to set an object's pointer to its virtual functions.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_vptr_update(address: u64, new: u64) {
    naked_asm!("mov rdx, rsi", "mov rsi, qword ptr [rsp]", "jmp {to}", to = sym slow_vptr_update)
}

macro_rules! range {
    ($($name:ident $slow:ident $mode:ident;)*) => {$(
        extern "C" fn $slow(address: u64, size: u64, pc: u64) {
            if size > 0 && let Some(mut thread) = Stay::begin() {
                plain(&mut thread, address, size, Mode::$mode, pc, Note::CALL);
            }
        }

        /// An access to so many bytes.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(address: u64, size: u64) {
            naked_asm!("mov rdx, qword ptr [rsp]", "jmp {to}", to = sym $slow)
        }
    )*};
}

range! {
    __tsan_read_range slow_read_range Read;
    __tsan_write_range slow_write_range Write;
}

/// An access to so many bytes that says itself where it was made.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_read_range_pc(address: u64, size: u64, pc: u64) {
    slow_read_range(address, size, pc);
}

/// As [`__tsan_read_range_pc`].
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_write_range_pc(address: u64, size: u64, pc: u64) {
    slow_write_range(address, size, pc);
}

/// A function of the program begins, called from there.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_func_entry(pc: u64) {
    naked_asm!(
        "mov rcx, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]",
        "mov rax, qword ptr fs:[rcx + {frames}]",
        "mov qword ptr [rax], rdi",
        "mov qword ptr [rax + 8], 0",
        "add rax, {frame}",
        "mov qword ptr fs:[rcx + {frames}], rax",
        "ret",
        ".p2align 6",
        frames = const FRAMES, frame = const FRAME,
    )
}

/// A function of the program ends.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_func_exit() {
    naked_asm!(
        "mov rcx, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]",
        "sub qword ptr fs:[rcx + {frames}], {frame}",
        "ret",
        ".p2align 6",
        frames = const FRAMES, frame = const FRAME,
    )
}
