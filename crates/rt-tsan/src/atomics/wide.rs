//! Atomic operations of 16 bytes, by the processor's one instruction for them.

use super::{order, watched};
use crate::entries;
use core::arch::asm;
use deadheat_rt::atomics::{Effect, Order};

const SIZE: u64 = 16;

/// Compares and exchanges: what was there, which is `old` if it was exchanged.
fn exchange(at: *mut u128, old: u128, new: u128) -> u128 {
    let (low, high): (u64, u64);
    // SAFETY: the program's atomic, aligned as the instruction needs it; `rbx` is put back, since compilers keep it for themselves.
    unsafe {
        asm!(
            "xchg rbx, rsi",
            "lock cmpxchg16b xmmword ptr [rdi]",
            "mov rbx, rsi",
            in("rdi") at, inout("rsi") new as u64 => _, in("rcx") (new >> 64) as u64,
            inout("rax") old as u64 => low, inout("rdx") (old >> 64) as u64 => high, options(nostack)
        );
    }
    u128::from(high) << 64 | u128::from(low)
}

fn load(at: *mut u128) -> u128 {
    exchange(at, 0, 0)
}

/// Replaces the value by what `f` makes of it: the old one.
fn update(at: *mut u128, f: impl Fn(u128) -> u128) -> u128 {
    let mut old = load(at);
    loop {
        let seen = exchange(at, old, f(old));
        if seen == old {
            return old;
        }
        old = seen;
    }
}

fn updated(at: *mut u128, o: i32, pc: u64, f: impl Fn(u128) -> u128) -> u128 {
    watched(at as u64, SIZE, pc, || (update(at, f), Effect::Update, order(o)))
}

fn compared(at: *mut u128, old: u128, new: u128, done: i32, failed: i32, pc: u64) -> u128 {
    watched(at as u64, SIZE, pc, || {
        let seen = exchange(at, old, new);
        let (effect, order): (Effect, Order) =
            if seen == old { (Effect::Update, order(done)) } else { (Effect::Load, order(failed)) };
        (seen, effect, order)
    })
}

fn strong(at: *mut u128, expected: *mut u128, new: u128, done: i32, failed: i32, pc: u64) -> i32 {
    // SAFETY: the program's variable for the expected value, which need not be aligned to 16 bytes.
    let old = unsafe { expected.read_unaligned() };
    let seen = compared(at, old, new, done, failed, pc);
    if seen != old {
        // SAFETY: as above.
        unsafe { expected.write_unaligned(seen) };
    }
    (seen == old) as i32
}

entries! {
    fn __tsan_atomic128_load(pc; at: *mut u128, o: i32) -> u128 {
        watched(at as u64, SIZE, pc, || (load(at), Effect::Load, order(o)))
    }
    fn __tsan_atomic128_store(pc; at: *mut u128, value: u128, o: i32) {
        watched(at as u64, SIZE, pc, || (update(at, |_| value), Effect::Store, order(o)));
    }
    fn __tsan_atomic128_exchange(pc; at: *mut u128, value: u128, o: i32) -> u128 {
        updated(at, o, pc, |_| value)
    }
    fn __tsan_atomic128_fetch_add(pc; at: *mut u128, value: u128, o: i32) -> u128 {
        updated(at, o, pc, |old| old.wrapping_add(value))
    }
    fn __tsan_atomic128_fetch_sub(pc; at: *mut u128, value: u128, o: i32) -> u128 {
        updated(at, o, pc, |old| old.wrapping_sub(value))
    }
    fn __tsan_atomic128_fetch_and(pc; at: *mut u128, value: u128, o: i32) -> u128 {
        updated(at, o, pc, |old| old & value)
    }
    fn __tsan_atomic128_fetch_or(pc; at: *mut u128, value: u128, o: i32) -> u128 {
        updated(at, o, pc, |old| old | value)
    }
    fn __tsan_atomic128_fetch_xor(pc; at: *mut u128, value: u128, o: i32) -> u128 {
        updated(at, o, pc, |old| old ^ value)
    }
    fn __tsan_atomic128_fetch_nand(pc; at: *mut u128, value: u128, o: i32) -> u128 {
        updated(at, o, pc, |old| !(old & value))
    }
    fn __tsan_atomic128_compare_exchange_strong(pc; at: *mut u128, expected: *mut u128, new: u128, done: i32, failed: i32) -> i32 {
        strong(at, expected, new, done, failed, pc)
    }
    fn __tsan_atomic128_compare_exchange_weak(pc; at: *mut u128, expected: *mut u128, new: u128, done: i32, failed: i32) -> i32 {
        strong(at, expected, new, done, failed, pc)
    }
    fn __tsan_atomic128_compare_exchange_val(pc; at: *mut u128, expected: u128, new: u128, done: i32, failed: i32) -> u128 {
        compared(at, expected, new, done, failed, pc)
    }
}
