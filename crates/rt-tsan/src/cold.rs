//! What code calls that has the same-epoch comparison in itself (`deadheat cc --elide`), when that does not decide.
//!
//! In LLVM's `preserve_most` convention: all general registers but r11 stay what they are, so that the caller need not save any around a call that is seldom made. The caller saves vector registers itself.
//! What the code has compared is not compared again: an access within a granule goes on to the slow paths if W and R are words that the code knows. If not, and for accesses at any address, the assembly of the fast
//! paths runs again, since it knows more of sets, of two accesses in one word, and of what the thread remembers.

use crate::access::longer;
use crate::access::{
    CLOCK, R, W, WHOLE, across_read2, across_read4, across_read8, across_write2, across_write4, across_write8,
};
use crate::paths::{is_remembered, is_two, read_path, read16_path, write_path};
use crate::short::{
    slow_read1, slow_read2, slow_read4, slow_read8, slow_read16, slow_vptr_read, slow_write1, slow_write2,
    slow_write4, slow_write8, slow_write16,
};
use core::arch::naked_asm;
use deadheat_online::Word;
use deadheat_rt::access::FORGOTTEN as CHANGES;
use deadheat_rt::lately::{FOLD, ROOM, WRITTEN, WRITTEN_PLACE};
use deadheat_rt::quick::is_in_epoch;
use deadheat_rt::ranges::{Run, once};
use deadheat_rt::thread::{PART, SEEN_BYTES, Stay};
use deadheat_rt::tls::offset::{BASE, EPOCH, FORGOTTEN, LATELY, MASK, SEEN as AT_HAND, TURN, TWO};
use deadheat_shadow::{KIND_BIT, KIND_BITS, Mode, SINCE, TWO_EXTENT};

/// Goes on at 8 if the access is to more than one granule.
macro_rules! within {
    (aligned) => {
        ""
    };
    (unaligned) => {
        "lea eax, [rdi + {beyond}]\nxor eax, edi\ntest eax, -8\njne 8f"
    };
}

/// Goes on at 50 if the word in rdx is not special, and so says no more than the code has seen: behind `$word`, which begins with the cell in rax.
macro_rules! unless_plain {
    ($word:literal) => {
        concat!(
            "mov rcx, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]\n",
            "lea rax, [rdi + rdi]\n",
            "and rax, qword ptr fs:[rcx + {mask}]\n",
            "xor rax, qword ptr fs:[rcx + {base}]\n",
            $word,
            "bt rdx, {special}\n",
            "jnc 50f\n",
        )
    };
}

/// What is left to look at of a read that has found no word of its epoch.
macro_rules! cold_read_path {
    ($done:literal $rest:literal $special:literal $size:ident) => {
        concat!(
            unless_plain!("mov rdx, qword ptr [rax + {w}]\nor rdx, qword ptr [rax + {r}]\n"),
            read_path!($done $rest $special $size),
        )
    };
}

/// The same of a write.
macro_rules! cold_write_path {
    ($done:literal $rest:literal $special:literal $size:ident) => {
        concat!(
            unless_plain!("mov rdx, qword ptr [rax + {w}]\nor rdx, qword ptr [rax + {r}]\n"),
            write_path!($done $rest $special $size),
        )
    };
}

/// Of a write of 16 bytes there is nothing left.
macro_rules! no_path {
    ($done:literal) => {
        ""
    };
}

/// What the paths change is saved before them; the rest only before a call. With the return address the stack is aligned at the call.
macro_rules! cold {
    ($($path:ident $kind:ident $name:ident: $slow:ident $across:ident $size:literal $part:ident;)*) => {$(
        /// An access that the code could not decide by itself.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(address: u64) {
            naked_asm!(
                "push rax", "push rcx", "push rdx", "push r8", "push r9",
                within!($kind),
                $path!("pop r9\npop r8\npop rdx\npop rcx\npop rax\nret" "jmp 50f" "jmp 6f" $part),
                "50: push rsi", "push rdi", "push r10", "push r11",
                "mov rsi, qword ptr [rsp + 72]",
                "call {slow}",
                "7: pop r11", "pop r10", "pop rdi", "pop rsi",
                "pop r9", "pop r8", "pop rdx", "pop rcx", "pop rax",
                "ret",
                "6: push rsi", "push rdi", "push r10", "push r11",
                "mov rsi, qword ptr [rsp + 72]",
                "call {longer}",
                "jmp 7b",
                "8: push rsi", "push rdi", "push r10", "push r11",
                "mov rsi, qword ptr [rsp + 72]",
                "call {across}",
                "jmp 7b",
                "/* {r} {seen} {part} {seen_bytes} {beyond} {written} {written_place} {extent} {bytes} {whole} */",
                mask = const MASK, base = const BASE, epoch = const EPOCH, w = const W, r = const R, clock = const CLOCK,
                extent = const Word::EXTENT_SHIFT, bytes = const (1u32 << $size) - 1, whole = const WHOLE, special = const Word::SPECIAL.trailing_zeros(),
                seen = const AT_HAND, part = const PART.trailing_zeros(), seen_bytes = const SEEN_BYTES, beyond = const $size - 1, slow = sym $slow, longer = sym longer::$slow, across = sym $across,
                foreign = const Word::FOREIGN.trailing_zeros(), two = const TWO, two_whole = const (Word::WHOLE as u64) << TWO_EXTENT, two_extent = const TWO_EXTENT, since = const SINCE, kinds = const KIND_BITS, kind = const KIND_BIT,
                lately = const LATELY, turn = const TURN, forgotten = const FORGOTTEN, changes = sym CHANGES, room = const ROOM, fold = const FOLD,
                written = const WRITTEN, written_place = const WRITTEN_PLACE,
            )
        }
    )*};
}

cold! {
    cold_read_path aligned __deadheat_cold_read1: slow_read1 slow_read1 1 part;
    cold_read_path aligned __deadheat_cold_read2: slow_read2 slow_read2 2 part;
    cold_read_path aligned __deadheat_cold_read4: slow_read4 slow_read4 4 part;
    cold_read_path aligned __deadheat_cold_read8: slow_read8 slow_read8 8 whole;
    cold_read_path aligned __deadheat_cold_vptr_read: slow_vptr_read slow_vptr_read 8 whole;
    cold_write_path aligned __deadheat_cold_write1: slow_write1 slow_write1 1 part;
    cold_write_path aligned __deadheat_cold_write2: slow_write2 slow_write2 2 part;
    cold_write_path aligned __deadheat_cold_write4: slow_write4 slow_write4 4 part;
    cold_write_path aligned __deadheat_cold_write8: slow_write8 slow_write8 8 whole;
    read_path unaligned __deadheat_cold_unaligned_read2: slow_read2 across_read2 2 part;
    read_path unaligned __deadheat_cold_unaligned_read4: slow_read4 across_read4 4 part;
    read_path unaligned __deadheat_cold_unaligned_read8: slow_read8 across_read8 8 whole;
    write_path unaligned __deadheat_cold_unaligned_write2: slow_write2 across_write2 2 part;
    write_path unaligned __deadheat_cold_unaligned_write4: slow_write4 across_write4 4 part;
    write_path unaligned __deadheat_cold_unaligned_write8: slow_write8 across_write8 8 whole;
}

macro_rules! cold16 {
    ($($path:ident $name:ident: $slow:ident;)*) => {$(
        /// An access to 16 bytes, at any address.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(address: u64) {
            naked_asm!(
                "push rax", "push rcx", "push rdx", "push r8", "push r9", "push rsi",
                $path!("jmp 9f"),
                "push rdi", "push r10", "push r11",
                "mov rsi, qword ptr [rsp + 72]",
                "call {slow}",
                "pop r11", "pop r10", "pop rdi",
                "9: pop rsi", "pop r9", "pop r8", "pop rdx", "pop rcx", "pop rax",
                "ret",
                "/* {mask} {base} {epoch} {clock} {w} {r} {seen} */",
                mask = const MASK, base = const BASE, epoch = const EPOCH, w = const W, r = const R, clock = const CLOCK,
                seen = const AT_HAND, slow = sym $slow,
            )
        }
    )*};
}

cold16! {
    read16_path __deadheat_cold_read16: slow_read16;
    no_path __deadheat_cold_write16: slow_write16;
}

/// So many bytes are asked for as a whole first.
const LONG: u64 = 128;

macro_rules! range {
    ($($name:ident $then:ident: $mode:ident;)*) => {$(
        extern "C" fn $then(address: u64, size: u64, pc: u64) {
            let is_done = size == 0 || size < LONG && is_in_epoch(address, size, Mode::$mode);
            if !is_done && let Some(mut thread) = Stay::begin() {
                let run = Run { length: size, stride: size, size };
                once(&mut thread, address, run, Mode::$mode, pc);
            }
        }

        /// All that a loop is about to access.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(address: u64, size: u64) {
            naked_asm!("mov rdx, qword ptr [rsp]", "jmp {then}", then = sym $then)
        }
    )*};
}

macro_rules! cold_range {
    ($($name:ident: $then:ident;)*) => {$(
        /// An access to some whole granules that the code could not decide by itself.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(address: u64, size: u64) {
            naked_asm!(
                "push rax", "push rcx", "push rdx", "push rsi", "push rdi", "push r8", "push r9", "push r10", "push r11",
                "mov rdx, qword ptr [rsp + 72]",
                "call {then}",
                "pop r11", "pop r10", "pop r9", "pop r8", "pop rdi", "pop rsi", "pop rdx", "pop rcx", "pop rax",
                "ret",
                then = sym $then,
            )
        }
    )*};
}

cold_range! {
    __deadheat_cold_read_range: read_range;
    __deadheat_cold_write_range: write_range;
}

range! {
    __deadheat_read_range read_range: Read;
    __deadheat_write_range write_range: Write;
}

macro_rules! stride {
    ($($name:ident $then:ident: $mode:ident;)*) => {$(
        extern "C" fn $then(address: u64, length: u64, stride: u64, size: u64, pc: u64) {
            if let Some(mut thread) = Stay::begin() {
                once(&mut thread, address, Run { length, stride, size }, Mode::$mode, pc);
            }
        }

        /// All that a loop is about to access, with gaps between: so many bytes at every so many, within a length.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(address: u64, length: u64, stride: u64, size: u64) {
            naked_asm!("mov r8, qword ptr [rsp]", "jmp {then}", then = sym $then)
        }
    )*};
}

stride! {
    __deadheat_read_stride read_stride: Read;
    __deadheat_write_stride write_stride: Write;
}
