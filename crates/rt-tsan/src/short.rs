//! The shortest way of an access that is the first of an epoch ([`own`](deadheat_rt::own)), in assembly: `[Read Exclusive]` or `[Write Exclusive]` by v2, where it takes no more than to look and to store. Whoever does
//! not come through goes the next longer way, as if nothing had been done.
//!
//! In order: a moment of the thread's owner begins, in which its signals wait; the thread has the stamp of the place at hand, or the place itself, which is stamped anew; the cell's block is the owner's, or shared; W and R of
//! the cell hold no more than an access each, which the thread knows, as far as it has that at hand; the one that is replaced has no other bytes, or is of the same stamp; the new one takes its place, by plain stores or, in a
//! shared block, by one atomic instruction.
//!
//! Nothing changes but the cell and what is the thread's own, so that it does not enter the runtime: who forks need not wait for it (`gate`).
//!
//! Registers: rdi is the address, rsi the program counter, rax the cell, r11 the thread, r10 its owner (one more if the block is shared), rdx the new word; r8 and r9 are W and R; rcx is for the moment.
//! Labels: 4 changes the cell, 6 sees to signals, 7 is where W and R are empty, 8 ends the moment and 9 goes the longer way; 20 to 29 lie behind the usual way.

use crate::access::longer;
use core::arch::naked_asm;
use deadheat_online::{Word, thread::MEMO as MEMOS};
use deadheat_rt::os::PAGE;
use deadheat_rt::own::{call_at, frame_at, log_at, owner_at, stamp_at, thread_at};
use deadheat_rt::sites::Note;
use deadheat_rt::thread::Stay;
use deadheat_rt::tls::offset::{BASE, EPOCH, FRAMES, MASK, QUICK};

/// W and R hold an access at most: worth a look before anything else is done. Of one cell, the fast paths have had it.
macro_rules! glance {
    () => {
        concat!(
            "mov r8, qword ptr [rax]\n",
            "or r8, qword ptr [rax + 8]\n",
            "shr r8, {special}\n",
            "jne 9f\n",
        )
    };
}

/// The thread, which decides accesses here, is in a moment from now on: rdx becomes the stamp of the place.
macro_rules! stamp {
    () => {
        concat!(
            "mov rcx, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]\n",
            "mov r11, qword ptr fs:[rcx + {quick}]\n",
            "test r11, r11\n",
            "je 9f\n",
            "cmp dword ptr [r11 + {busy}], 0\n",
            "jne 9f\n",
            "mov r10, qword ptr [r11 + {owner}]\n",
            // First of all: the handler of a signal may begin an epoch, and has to wait from now on.
            "mov dword ptr [r10 + {inside}], 1\n",
            "mov rdx, qword ptr fs:[rcx + {frames}]\n",
            "mov edx, dword ptr [rdx + {site} - {frame}]\n",
            "21: mov r8d, edx\n",
            "shl r8d, {site_shift}\n",
            "xor r8d, esi\n",
            "xor r8d, {note} >> 48\n",
            "and r8d, dword ptr [r11 + {last_stamp}]\n",
            "lea r8, [r8 + 2*r8]\n",
            "mov r9, qword ptr [r11 + {stamps}]\n",
            "lea r8, [r9 + 8*r8]\n",
            "movabs r9, {note}\n",
            "or r9, rsi\n",
            "cmp r9, qword ptr [r8 + {key}]\n",
            "jne 20f\n",
            "cmp edx, dword ptr [r8 + {caller}]\n",
            "jne 20f\n",
            "mov rdx, qword ptr [r8 + {word}]\n",
            "cmp rdx, qword ptr [r11 + {floor}]\n",
            "jb 22f\n",
            "23:\n",
        )
    };
}

/// Behind the way of `stamp`.
macro_rules! stamp_rest {
    () => {
        concat!(
            // No place is at hand of a frame that is new: the site of its call, if that is.
            "20: test edx, edx\n",
            "jne 8f\n",
            "mov r8, qword ptr fs:[rcx + {frames}]\n",
            "cmp r8, qword ptr [r11 + {bottom}]\n",
            "je 8f\n",
            "mov r9d, dword ptr [r8 + {site} - 2*{frame}]\n",
            "test r9d, r9d\n",
            "je 8f\n",
            "mov rcx, r9\n",
            "shl rcx, {call_shift}\n",
            "xor rcx, qword ptr [r8 + {pc} - {frame}]\n",
            "movabs rdx, {call_factor}\n",
            "imul rcx, rdx\n",
            "shr rcx, {call_bits}\n",
            "and ecx, {calls} - 1\n",
            "shl ecx, 4\n",
            "add rcx, r11\n",
            "cmp r9d, dword ptr [rcx + {call_caller}]\n",
            "jne 8f\n",
            "mov r9, qword ptr [r8 + {pc} - {frame}]\n",
            "cmp r9, qword ptr [rcx + {call_pc}]\n",
            "jne 8f\n",
            "mov edx, dword ptr [rcx + {call_site}]\n",
            "mov qword ptr [r8 + {site} - {frame}], rdx\n",
            "jmp 21b\n",
            // The stamp is of an earlier epoch: one of this, if the log says already which mutexes are held.
            "22: mov r9, qword ptr [r11 + {start}]\n",
            "lea rcx, [r9 - 1]\n",
            "mov rdx, qword ptr [r11 + {now}]\n",
            "cmp rdx, rcx\n",
            "cmovb rdx, rcx\n",
            "inc rdx\n",
            "mov rcx, rdx\n",
            "shr rcx, {clocks}\n",
            "cmp rcx, qword ptr [r11 + {ready}]\n",
            "jne 8f\n",
            "mov qword ptr [r11 + {now}], rdx\n",
            "mov ecx, edx\n",
            "and ecx, (1 << {clocks}) - 1\n",
            "sub rdx, r9\n",
            "mov r9d, dword ptr [r8 + {stamp_site}]\n",
            "shl ecx, 2\n",
            "add rcx, qword ptr [r11 + {chunk}]\n",
            "mov dword ptr [rcx + {sites}], r9d\n",
            "mov rcx, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]\n",
            "add rdx, qword ptr fs:[rcx + {epoch}]\n",
            "mov qword ptr [r8 + {word}], rdx\n",
            "jmp 23b\n",
        )
    };
}

/// The stamp in rdx, which is of all bytes, becomes one of the access's.
macro_rules! extent {
    () => {
        concat!(
            "mov ecx, edi\n",
            "and ecx, 7\n",
            "mov r8d, {bytes}\n",
            "shl r8d, cl\n",
            "xor r8d, 0xff\n",
            "shl r8, {extent}\n",
            "xor rdx, r8\n",
        )
    };
}

/// The cell's block is the owner's, so that nobody else changes it in this moment; or it is shared, which r10 says from now on: r8 and r9 are W and R.
macro_rules! enter {
    () => {
        concat!(
            "mov r8, rax\n",
            "shr r8, {cells}\n",
            "mov r9, rax\n",
            "shr r9, {cells} + {blocks}\n",
            "imul ecx, r9d, {spread}\n",
            "add r8d, ecx\n",
            "and r8d, (1 << {blocks}) - 1\n",
            "lea rcx, [rip + {table}]\n",
            "shl r9, {tag_bits}\n",
            "xor r9, qword ptr [rcx + 8*r8]\n",
            "cmp r9, qword ptr [r10 + {tag}]\n",
            "jne 24f\n",
            "25: mov r8, qword ptr [rax]\n",
            "mov r9, qword ptr [rax + 8]\n",
        )
    };
}

/// Behind the way of `enter`.
macro_rules! enter_rest {
    () => {
        concat!("24: movabs rcx, {shared}\n", "cmp r9, rcx\n", "jne 8f\n", "or r10, 1\n", "jmp 25b\n",)
    };
}

/// W and R hold an access at most.
macro_rules! plain {
    () => {
        concat!("mov rcx, r8\n", "or rcx, r9\n", "je 7f\n", "shr rcx, {special}\n", "jne 8f\n")
    };
}

/// What is replaced has no bytes that the new word has not, or they become the new word's too.
macro_rules! replaced {
    ($word:literal) => {
        concat!(
            "mov rcx, rdx\n",
            "not rcx\n",
            "and rcx, ",
            $word,
            "\n",
            "shr rcx, {extent}\n",
            "jne 28f\n",
            "29:\n"
        )
    };
    (rest $word:literal) => {
        concat!(
            "28: mov rcx, rdx\n",
            "xor rcx, ",
            $word,
            "\n",
            "shl rcx, 64 - {extent}\n",
            "jne 8f\n",
            "or rdx, ",
            $word,
            "\n",
            "jmp 29b\n",
        )
    };
}

macro_rules! replaced_read {
    () => {
        replaced!("r9")
    };
}

macro_rules! replaced_read_rest {
    () => {
        replaced!(rest "r9")
    };
}

macro_rules! replaced_write {
    () => {
        replaced!("r8")
    };
}

macro_rules! replaced_write_rest {
    () => {
        replaced!(rest "r8")
    };
}

/// The thread knows W and R, as `ThreadState::covers_by_memo` tells it.
macro_rules! known {
    () => {
        concat!(known!("r8", "2"), known!("r9", "3"))
    };
    ($word:literal, $next:literal) => {
        concat!(
            "test ",
            $word,
            ", ",
            $word,
            "\n",
            "je ",
            $next,
            "f\n",
            "mov rcx, ",
            $word,
            "\n",
            "shr rcx, {slot}\n",
            "and ecx, {memos} - 1\n",
            "mov rcx, qword ptr [r11 + {memo} + 8*rcx]\n",
            "sub rcx, ",
            $word,
            "\n",
            // The extent does not count.
            "shl rcx, 64 - {extent}\n",
            "shr rcx, 64 - {extent} + {clock}\n",
            "jne 8f\n",
            $next,
            ":\n",
        )
    };
}

/// As `plain` and `known`, of two cells, which as a rule tell the same. In a shared block one is done after the other.
macro_rules! known_two {
    () => {
        concat!(
            "test r10d, 1\n",
            "jne 26f\n",
            known_two!(one),
            "cmp r8, qword ptr [rax + 16]\n",
            "jne 5f\n",
            "cmp r9, qword ptr [rax + 24]\n",
            "je 4f\n",
            "5: mov r8, qword ptr [rax + 16]\n",
            "mov r9, qword ptr [rax + 24]\n",
            known_two!(one),
        )
    };
    (one) => {
        concat!(
            "mov rcx, r8\n",
            "or rcx, r9\n",
            "jne 2f\n",
            "test eax, {page} - 1\n",
            "je 8f\n",
            "2: shr rcx, {special}\n",
            "jne 8f\n",
            known!(),
        )
    };
}

/// Goes the longer way if the address is not a multiple of the size.
macro_rules! aligned {
    () => {
        "test dil, {within}\njne 9f\n"
    };
}

/// rax becomes the cell, which the next one lies behind in the same block.
macro_rules! two_cells {
    () => {
        concat!(
            "test dil, 7\n",
            "jne 9f\n",
            "mov rcx, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]\n",
            "lea rax, [rdi + rdi]\n",
            "and rax, qword ptr fs:[rcx + {mask}]\n",
            "xor rax, qword ptr fs:[rcx + {base}]\n",
            "mov ecx, eax\n",
            "and ecx, (1 << {cells}) - 1\n",
            "cmp ecx, (1 << {cells}) - 32\n",
            "ja 9f\n",
        )
    };
}

macro_rules! reads {
    () => {
        concat!("4: test r10d, 1\n", "jne 26f\n", "mov qword ptr [rax + 8], rdx\n", leave!())
    };
}

macro_rules! reads_rest {
    () => {
        concat!("26:\n", reads_rest!(exchange), leave!(shared))
    };
    (exchange) => {
        concat!("push rbx\n", "mov rbx, r8\n", "mov rcx, rdx\n", exchange!())
    };
}

/// A write stands for the reads of its bytes; rcx is what is left of them.
macro_rules! writes {
    () => {
        concat!("4: xor ecx, ecx\n", writes!(left))
    };
    (left) => {
        concat!(
            "test r10d, 1\n",
            "jne 26f\n",
            "mov qword ptr [rax + 8], rcx\n",
            "mov qword ptr [rax], rdx\n",
            leave!(),
        )
    };
}

/// Those of other bytes stay.
macro_rules! writes_part {
    () => {
        concat!(
            "4: mov rcx, rdx\n",
            "shr rcx, {extent}\n",
            "shl rcx, {extent}\n",
            "not rcx\n",
            "and rcx, r9\n",
            "rol rcx, 64 - {extent}\n",
            "test ecx, (1 << (64 - {extent})) - 1\n",
            // Does not change what was found.
            "ror rcx, 64 - {extent}\n",
            "jne 5f\n",
            "xor ecx, ecx\n",
            "5:\n",
            writes!(left),
        )
    };
}

macro_rules! writes_rest {
    () => {
        concat!("26:\n", writes_rest!(exchange), leave!(shared))
    };
    (exchange) => {
        concat!("push rbx\n", "mov rbx, rdx\n", exchange!())
    };
}

macro_rules! reads_two {
    () => {
        concat!("4: mov qword ptr [rax + 8], rdx\n", "mov qword ptr [rax + 24], rdx\n", leave!())
    };
}

macro_rules! writes_two {
    () => {
        concat!(
            "4: mov qword ptr [rax + 8], 0\n",
            "mov qword ptr [rax + 24], 0\n",
            "mov qword ptr [rax], rdx\n",
            "mov qword ptr [rax + 16], rdx\n",
            leave!(),
        )
    };
}

/// In a shared block: the second cell, in place of the first, once that is done.
macro_rules! second {
    () => {
        concat!(
            "lea rax, [r10 + 16]\n",
            "mov r10, qword ptr [r11 + {owner}]\n",
            "mov r8, qword ptr [rax]\n",
            "mov r9, qword ptr [rax + 8]\n",
            known_two!(one),
        )
    };
}

macro_rules! reads_two_rest {
    () => {
        concat!(
            "26:\n",
            known_two!(one),
            reads_rest!(exchange),
            "mov rdx, rcx\n",
            second!(),
            reads_rest!(exchange),
            leave!(shared),
        )
    };
}

macro_rules! writes_two_rest {
    () => {
        concat!(
            "26:\n",
            known_two!(one),
            "xor ecx, ecx\n",
            writes_rest!(exchange),
            second!(),
            "xor ecx, ecx\n",
            writes_rest!(exchange),
            leave!(shared),
        )
    };
}

/// The moment ends. Signals may have come meanwhile.
macro_rules! leave {
    () => {
        concat!(
            "mov dword ptr [r10 + {inside}], 0\n",
            "cmp byte ptr [r11 + {pending}], 0\n",
            "jne 6f\n",
            "ret\n",
        )
    };
    (shared) => {
        concat!("mov r10, qword ptr [r11 + {owner}]\n", leave!())
    };
}

/// W and R, in r8 and r9, become rbx and rcx, if they are that still. rdx is the new W, afterwards.
macro_rules! exchange {
    () => {
        concat!(
            "mov r10, rax\n",
            "mov rax, r8\n",
            "mov rdx, r9\n",
            "lock cmpxchg16b xmmword ptr [r10]\n",
            "mov rdx, rbx\n",
            "pop rbx\n",
            "jne 8f\n",
        )
    };
}

/// Behind all ways. Nobody may have used the page of an empty cell: then its memory is asked for beforehand, elsewhere.
macro_rules! rest {
    () => {
        concat!(
            "6: jmp {signalled}\n",
            "7: test eax, {page} - 1\n",
            "jne 4b\n",
            "8: mov r10, qword ptr [r11 + {owner}]\n",
            "mov dword ptr [r10 + {inside}], 0\n",
            "9: jmp {longer}\n",
        )
    };
}

/// The signals that waited get their turn.
extern "C" fn signalled() {
    Stay::leave();
}

macro_rules! ways {
    ($($name:ident: $note:ident $size:literal $($step:ident)*;)*) => {$(
        /// The cell is in rax already, unless there are two.
        #[unsafe(naked)]
        pub(crate) extern "C" fn $name(address: u64, pc: u64) {
            naked_asm!(
                $($step!(),)*
                rest!(),
                ".p2align 6",
                "/* {bytes} {within} {mask} {base} {shared} */",
                bytes = const (1u32 << ($size % 8)) - 1, within = const $size - 1, note = const (Note::$note.and(Note::size($size)).0 as u64) << 48,
                mask = const MASK, base = const BASE, epoch = const EPOCH, quick = const QUICK, frames = const FRAMES,
                pc = const frame_at::PC, site = const frame_at::SITE, frame = const frame_at::SIZE, bottom = const thread_at::BOTTOM,
                call_pc = const thread_at::CALLS + call_at::PC, call_caller = const thread_at::CALLS + call_at::CALLER, call_site = const thread_at::CALLS + call_at::SITE,
                calls = const call_at::COUNT, call_shift = const call_at::SHIFT, call_factor = const call_at::FACTOR, call_bits = const call_at::BITS,
                site_shift = const stamp_at::SHIFT, key = const stamp_at::KEY, caller = const stamp_at::CALLER, word = const stamp_at::WORD, stamp_site = const stamp_at::SITE,
                busy = const thread_at::BUSY, pending = const thread_at::PENDING, stamps = const thread_at::STAMPS, last_stamp = const thread_at::LAST_STAMP,
                floor = const thread_at::FLOOR, start = const thread_at::START, now = const thread_at::NOW, memo = const thread_at::MEMO, memos = const MEMOS,
                ready = const thread_at::READY, chunk = const thread_at::CHUNK, clocks = const log_at::CLOCKS.trailing_zeros(), sites = const log_at::SITES,
                owner = const thread_at::OWNER, tag = const owner_at::TAG, inside = const owner_at::INSIDE, tag_bits = const owner_at::TAG_BITS,
                table = sym owner_at::TABLE, shared = const owner_at::SHARED, cells = const owner_at::CELLS.trailing_zeros(),
                blocks = const owner_at::BLOCKS.trailing_zeros(), spread = const owner_at::SPREAD,
                extent = const Word::EXTENT_SHIFT, slot = const Word::CLOCK_BITS, clock = const Word::CLOCK_BITS - 1, special = const Word::SPECIAL.trailing_zeros(),
                page = const PAGE, signalled = sym signalled, longer = sym longer::$name,
            )
        }
    )*};
}

ways! {
    slow_read1: CALL 1 stamp extent enter plain replaced_read known reads reads_rest replaced_read_rest enter_rest stamp_rest;
    slow_read2: CALL 2 aligned stamp extent enter plain replaced_read known reads reads_rest replaced_read_rest enter_rest stamp_rest;
    slow_read4: CALL 4 aligned stamp extent enter plain replaced_read known reads reads_rest replaced_read_rest enter_rest stamp_rest;
    slow_read8: CALL 8 aligned stamp enter plain known reads reads_rest enter_rest stamp_rest;
    slow_vptr_read: VPTR 8 aligned stamp enter plain known reads reads_rest enter_rest stamp_rest;
    slow_read16: CALL 16 two_cells glance stamp enter known_two reads_two reads_two_rest enter_rest stamp_rest;
    slow_write1: CALL 1 stamp extent enter plain replaced_write known writes_part writes_rest replaced_write_rest enter_rest stamp_rest;
    slow_write2: CALL 2 aligned stamp extent enter plain replaced_write known writes_part writes_rest replaced_write_rest enter_rest stamp_rest;
    slow_write4: CALL 4 aligned stamp extent enter plain replaced_write known writes_part writes_rest replaced_write_rest enter_rest stamp_rest;
    slow_write8: CALL 8 aligned stamp enter plain known writes writes_rest enter_rest stamp_rest;
    slow_write16: CALL 16 two_cells glance stamp enter known_two writes_two writes_two_rest enter_rest stamp_rest;
}
