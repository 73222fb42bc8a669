//! What Rust needs without its standard library: what to do on a panic, memory for our own data, and the memory functions that compilers call.

use core::panic::PanicInfo;
use deadheat_rt::internal::Internal;
use deadheat_rt::os;

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    os::die(os::CANNOT_WORK, format_args!("internal error, please report: {info}"))
}

#[global_allocator]
static ALLOCATOR: Internal = Internal;

/// `memcpy` for the runtime itself.
///
/// # Safety
/// As `memcpy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __deadheat_memcpy(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the caller's promise. Inline assembly, since a loop would be compiled to a call of this very function.
    unsafe {
        core::arch::asm!("rep movsb", inout("rcx") n => _, inout("rdi") to => _, inout("rsi") from => _,
            options(nostack, preserves_flags));
    }
    to
}

/// `memmove` for the runtime itself.
///
/// # Safety
/// As `memmove`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __deadheat_memmove(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
    if (to as usize).wrapping_sub(from as usize) >= n {
        // SAFETY: copying upwards never overwrites what is still to be read.
        return unsafe { __deadheat_memcpy(to, from, n) };
    }
    // SAFETY: the caller's promise; downwards, with the direction flag put back.
    unsafe {
        core::arch::asm!("std", "rep movsb", "cld", inout("rcx") n => _,
            inout("rdi") to.wrapping_add(n).wrapping_sub(1) => _,
            inout("rsi") from.wrapping_add(n).wrapping_sub(1) => _, options(nostack));
    }
    to
}

/// `memset` for the runtime itself.
///
/// # Safety
/// As `memset`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __deadheat_memset(to: *mut u8, byte: i32, n: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    unsafe {
        core::arch::asm!("rep stosb", inout("rcx") n => _, inout("rdi") to => _, in("al") byte as u8,
            options(nostack, preserves_flags));
    }
    to
}

/// `memcmp` for the runtime itself.
///
/// # Safety
/// As `memcmp`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __deadheat_memcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    for i in 0..n {
        // SAFETY: the caller's promise. Volatile, so that the loop stays a loop.
        let (x, y) = unsafe { (a.add(i).read_volatile(), b.add(i).read_volatile()) };
        if x != y {
            return x as i32 - y as i32;
        }
    }
    0
}

/// `bcmp` for the runtime itself.
///
/// # Safety
/// As `bcmp`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __deadheat_bcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    let mut i = 0;
    while n - i >= 8 {
        let word = |at: *const u8| at.wrapping_add(i).cast::<u64>();
        // SAFETY: the caller's promise.
        if unsafe { word(a).read_unaligned() != word(b).read_unaligned() } {
            return 1;
        }
        i += 8;
    }
    // SAFETY: the caller's promise.
    unsafe { __deadheat_memcmp(a.add(i), b.add(i), n - i) }
}

/// `strlen` for the runtime itself.
///
/// # Safety
/// As `strlen`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __deadheat_strlen(s: *const u8) -> usize {
    let mut n = 0;
    // SAFETY: the caller's promise.
    while unsafe { s.add(n).read_volatile() } != 0 {
        n += 1;
    }
    n
}

/// Asked at each of our frames when an exception or a cancellation passes through: goes on, nothing of ours is in the way.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() -> i32 {
    const CONTINUE_UNWIND: i32 = 8;
    CONTINUE_UNWIND
}

/// Called by clean-up code of Rust's library, which the personality above never enters.
#[unsafe(no_mangle)]
extern "C" fn _Unwind_Resume() -> ! {
    os::die(os::CANNOT_WORK, format_args!("internal error, please report: unwound into the runtime"))
}
