//! `operator new` and `operator delete`, in all their forms.

use super::memory::{ALIGN, allocate, release};
use core::arch::naked_asm;
use core::ffi::c_void;
use deadheat_rt::os;
use deadheat_rt::tls::offset::CALLER;

/// A function of the C++ library, if the program has one.
fn library(name: &core::ffi::CStr) -> *mut c_void {
    // SAFETY: a name that ends in zero.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

/// What the program wants to be called when there is no memory.
fn new_handler() -> Option<extern "C" fn()> {
    let get = library(c"_ZSt15get_new_handlerv");
    if get.is_null() {
        return None;
    }
    // SAFETY: `std::get_new_handler`, which returns a function or null.
    unsafe { core::mem::transmute::<*mut c_void, extern "C" fn() -> Option<extern "C" fn()>>(get)() }
}

fn caller() -> u64 {
    deadheat_rt::tls::get::<CALLER>()
}

/// A block, or null if there is no memory and nobody has helped.
fn block(size: usize, align: usize) -> *mut u8 {
    let pc = caller();
    loop {
        let block = allocate(size, align.max(ALIGN), pc);
        if !block.is_null() {
            return block;
        }
        match new_handler() {
            Some(handler) => handler(),
            None => return block,
        }
    }
}

extern "C" fn plain(size: usize) -> *mut u8 {
    block(size, ALIGN)
}

extern "C" fn aligned(size: usize, align: usize) -> *mut u8 {
    block(size, align)
}

/// The function that throws `std::bad_alloc`.
extern "C" fn thrower() -> *mut c_void {
    let throw = library(c"_ZSt17__throw_bad_allocv");
    if throw.is_null() {
        os::die(os::CANNOT_WORK, format_args!("out of memory in operator new"));
    }
    throw
}

/// Throws from where the program called, with no frame of ours in between.
macro_rules! throwing {
    ($($name:literal $outer:ident $inner:ident;)*) => {$(
        #[unsafe(naked)]
        #[unsafe(export_name = concat!("__interceptor_", $name))]
        extern "C" fn $outer() {
            naked_asm!(
                "mov r10, qword ptr [rsp]",
                "mov r11, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]",
                "mov qword ptr fs:[r11 + {caller}], r10",
                "sub rsp, 8",
                "call {inner}",
                "test rax, rax",
                "je 2f",
                "add rsp, 8",
                "ret",
                "2: call {thrower}",
                "add rsp, 8",
                "jmp rax",
                caller = const CALLER, inner = sym $inner, thrower = sym thrower,
            )
        }
    )*};
}

throwing! {
    "_Znwm" new plain; "_Znam" new_array plain;
    "_ZnwmSt11align_val_t" new_aligned aligned; "_ZnamSt11align_val_t" new_array_aligned aligned;
}

macro_rules! jumps {
    ($($name:literal $outer:ident $inner:ident;)*) => {$(
        #[unsafe(naked)]
        #[unsafe(export_name = concat!("__interceptor_", $name))]
        extern "C" fn $outer() {
            naked_asm!(
                "mov r10, qword ptr [rsp]",
                "mov r11, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]",
                "mov qword ptr fs:[r11 + {caller}], r10",
                "jmp {inner}",
                caller = const CALLER, inner = sym $inner,
            )
        }
    )*};
}

extern "C" fn delete(block: *mut u8) {
    release(block, caller());
}

jumps! {
    "_ZnwmRKSt9nothrow_t" new_nothrow plain; "_ZnamRKSt9nothrow_t" new_array_nothrow plain;
    "_ZnwmSt11align_val_tRKSt9nothrow_t" new_aligned_nothrow aligned;
    "_ZnamSt11align_val_tRKSt9nothrow_t" new_array_aligned_nothrow aligned;
    "_ZdlPv" delete_one delete; "_ZdaPv" delete_array delete;
    "_ZdlPvm" delete_sized delete; "_ZdaPvm" delete_array_sized delete;
    "_ZdlPvRKSt9nothrow_t" delete_nothrow delete; "_ZdaPvRKSt9nothrow_t" delete_array_nothrow delete;
    "_ZdlPvSt11align_val_t" delete_aligned delete; "_ZdaPvSt11align_val_t" delete_array_aligned delete;
    "_ZdlPvmSt11align_val_t" delete_sized_aligned delete; "_ZdaPvmSt11align_val_t" delete_array_sized_aligned delete;
    "_ZdlPvSt11align_val_tRKSt9nothrow_t" delete_aligned_nothrow delete;
    "_ZdaPvSt11align_val_tRKSt9nothrow_t" delete_array_aligned_nothrow delete;
}
