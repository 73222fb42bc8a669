//! The atomic operations that compilers call: performed here, one after the other on each location, in the order that the program asked for.

mod wide;

use core::arch::naked_asm;
use core::sync::atomic::Ordering::SeqCst;
use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};
use deadheat_rt::atomics::{Effect, Order, fence, perform};
use deadheat_rt::loads::again;
use deadheat_rt::thread::Stay;

fn order(c: i32) -> Order {
    Order::from_c(c)
}

/// Performs an operation under the runtime's eyes, or just performs it where there is no runtime yet.
fn watched<R>(address: u64, size: u64, pc: u64, operation: impl FnOnce() -> (R, Effect, Order)) -> R {
    match Stay::begin() {
        Some(mut thread) => perform(&mut thread, address, size, pc, operation),
        None => operation().0,
    }
}

/// Puts the program's return address into the register of the argument behind the last, and goes on.
macro_rules! entry {
    ($name:ident, $register:literal, $to:ident) => {
        /// An atomic operation of the program.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!(concat!("mov ", $register, ", qword ptr [rsp]"), "jmp {to}", to = sym $to)
        }
    };
}

macro_rules! update {
    ($type:ty, $atomic:ty, $($name:ident $inner:ident $method:ident;)*) => {$(
        unsafe extern "C" fn $inner(at: *const $atomic, value: $type, o: i32, pc: u64) -> $type {
            // SAFETY: the program's atomic.
            let atomic = unsafe { &*at };
            watched(at as u64, size_of::<$type>() as u64, pc, move || (atomic.$method(value, SeqCst), Effect::Update, order(o)))
        }
        entry!($name, "rcx", $inner);
    )*};
}

macro_rules! width {
    ($module:ident $type:ident $atomic:ident
     $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident $or:ident $xor:ident $nand:ident $strong:ident $weak:ident $val:ident) => {
        mod $module {
            use super::*;

            unsafe extern "C" fn load(at: *const $atomic, o: i32, pc: u64) -> $type {
                // SAFETY: the program's atomic.
                let atomic = unsafe { &*at };
                let again =
                    again(at as u64, size_of::<$type>() as u64, order(o).acquires(), || atomic.load(SeqCst));
                // SAFETY: as above.
                again.unwrap_or_else(|| unsafe { load_anew(at, o, pc) })
            }

            #[inline(never)]
            unsafe extern "C" fn load_anew(at: *const $atomic, o: i32, pc: u64) -> $type {
                // SAFETY: the program's atomic.
                let atomic = unsafe { &*at };
                watched(at as u64, size_of::<$type>() as u64, pc, move || {
                    (atomic.load(SeqCst), Effect::Load, order(o))
                })
            }
            entry!($load, "rdx", load);

            unsafe extern "C" fn store(at: *const $atomic, value: $type, o: i32, pc: u64) {
                // SAFETY: the program's atomic.
                let atomic = unsafe { &*at };
                watched(at as u64, size_of::<$type>() as u64, pc, move || {
                    (atomic.store(value, SeqCst), Effect::Store, order(o))
                })
            }
            entry!($store, "rcx", store);

            update! { $type, $atomic,
                $exchange swap swap;
                $add add fetch_add;
                $sub sub fetch_sub;
                $and and fetch_and;
                $or or fetch_or;
                $xor xor fetch_xor;
                $nand nand fetch_nand;
            }

            /// Compares and exchanges: the old value, and whether it was exchanged.
            fn exchange(
                at: *const $atomic,
                old: $type,
                new: $type,
                done: i32,
                failed: i32,
                pc: u64,
            ) -> ($type, bool) {
                watched(at as u64, size_of::<$type>() as u64, pc, move || {
                    // SAFETY: the program's atomic.
                    match unsafe { &*at }.compare_exchange(old, new, SeqCst, SeqCst) {
                        Ok(value) => ((value, true), Effect::Update, order(done)),
                        Err(value) => ((value, false), Effect::Load, order(failed)),
                    }
                })
            }

            unsafe extern "C" fn strong(
                at: *const $atomic,
                expected: *mut $type,
                new: $type,
                done: i32,
                failed: i32,
                pc: u64,
            ) -> i32 {
                // SAFETY: the program's variable for the expected value.
                let (value, exchanged) = exchange(at, unsafe { *expected }, new, done, failed, pc);
                if !exchanged {
                    // SAFETY: as above.
                    unsafe { *expected = value };
                }
                exchanged as i32
            }
            entry!($strong, "r9", strong);
            entry!($weak, "r9", strong);

            unsafe extern "C" fn val(
                at: *const $atomic,
                expected: $type,
                new: $type,
                done: i32,
                failed: i32,
                pc: u64,
            ) -> $type {
                exchange(at, expected, new, done, failed, pc).0
            }
            entry!($val, "r9", val);
        }
    };
}

width!(eight u8 AtomicU8 __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_fetch_add __tsan_atomic8_fetch_sub
    __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor __tsan_atomic8_fetch_nand
    __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak __tsan_atomic8_compare_exchange_val);
width!(sixteen u16 AtomicU16 __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange __tsan_atomic16_fetch_add __tsan_atomic16_fetch_sub
    __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor __tsan_atomic16_fetch_nand
    __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak __tsan_atomic16_compare_exchange_val);
width!(thirty_two u32 AtomicU32 __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_fetch_add __tsan_atomic32_fetch_sub
    __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor __tsan_atomic32_fetch_nand
    __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak __tsan_atomic32_compare_exchange_val);
width!(sixty_four u64 AtomicU64 __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange __tsan_atomic64_fetch_add __tsan_atomic64_fetch_sub
    __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor __tsan_atomic64_fetch_nand
    __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak __tsan_atomic64_compare_exchange_val);

extern "C" fn thread_fence(o: i32) {
    core::sync::atomic::fence(SeqCst);
    if let Some(mut thread) = Stay::begin() {
        fence(&mut thread, order(o));
    }
}

/// A fence of the program.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_thread_fence(o: i32) {
    thread_fence(o);
}

/// A fence between a thread and its signal handlers: orders nothing between threads.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_signal_fence(_: i32) {}
