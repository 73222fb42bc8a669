//! The functions that interceptors stand in for.

use core::ffi::{CStr, c_void};
use core::sync::atomic::{AtomicPtr, Ordering};

/// A function of the C library, found when it is first needed.
pub struct Real {
    name: &'static CStr,
    found: AtomicPtr<c_void>,
}

impl Real {
    /// The function of that name behind ours.
    pub const fn new(name: &'static CStr) -> Real {
        Real { name, found: AtomicPtr::new(core::ptr::null_mut()) }
    }

    /// Its address; null if there is none.
    #[inline]
    pub fn address(&self) -> *mut c_void {
        let found = self.found.load(Ordering::Acquire);
        if found.is_null() { self.find() } else { found }
    }

    #[cold]
    fn find(&self) -> *mut c_void {
        // SAFETY: a name that ends in zero.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        self.found.store(found, Ordering::Release);
        found
    }
}

/// `real!(close(c_int) -> c_int)` is the C library's `close`.
#[macro_export]
macro_rules! real {
    ($name:ident($($type:ty),* $(,)?) $(-> $result:ty)?) => {{
        static REAL: $crate::real::Real = $crate::real::Real::new(
            // SAFETY: the literal ends in its only zero byte.
            unsafe { core::ffi::CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) });
        let address = REAL.address();
        if address.is_null() {
            deadheat_rt::os::die(deadheat_rt::os::CANNOT_WORK,
                format_args!("the C library has no function `{}`", stringify!($name)));
        }
        // SAFETY: the C library's function of that name has this type.
        #[allow(unused_unsafe)]
        unsafe { core::mem::transmute::<*mut core::ffi::c_void, unsafe extern "C" fn($($type),*) $(-> $result)?>(address) }
    }};
}

/// Defines interceptors; `pc` is where the program called from:
///
/// ```text
/// interceptors! {
///     fn close(pc; fd: c_int) -> c_int { … real(fd) … }
/// }
/// ```
/// (`real` is the C library's own function) becomes `__interceptor_close`, which packaging renames to `close`. A few instructions of assembly note the return address in thread-local storage and
/// go on to the body, with all argument registers as they were.
#[macro_export]
macro_rules! interceptors {
    ($($(#[$attribute:meta])* fn $name:ident($pc:ident; $($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block)*) => {$(
        const _: () = {
            /// The C library's own.
            #[allow(dead_code, clippy::too_many_arguments)]
            fn real($($argument: $type),*) $(-> $result)? {
                // SAFETY: passes the program's call on as it is.
                unsafe { $crate::real!($name($($type),*) $(-> $result)?)($($argument),*) }
            }

            $(#[$attribute])*
            unsafe extern "C" fn inner($($argument: $type),*) $(-> $result)? {
                #[allow(unused_variables)]
                let $pc = deadheat_rt::tls::get::<{ deadheat_rt::tls::offset::CALLER }>();
                $body
            }

            $crate::noting_caller!(concat!("__interceptor_", stringify!($name)), inner);
        };
    )*};
}

/// Defines functions that programs call by name, like [`interceptors!`] but with nothing behind them:
///
/// ```text
/// entries! {
///     fn __tsan_acquire(pc; address: u64) { … }
/// }
/// ```
#[macro_export]
macro_rules! entries {
    ($($(#[$attribute:meta])* fn $name:ident($pc:ident; $($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block)*) => {$(
        const _: () = {
            $(#[$attribute])*
            #[allow(unused_variables)]
            unsafe extern "C" fn inner($($argument: $type),*) $(-> $result)? {
                let $pc = deadheat_rt::tls::get::<{ deadheat_rt::tls::offset::CALLER }>();
                $body
            }

            $crate::noting_caller!(stringify!($name), inner);
        };
    )*};
}

/// The function of that name notes where it was called from, and goes on to `inner`.
#[macro_export]
macro_rules! noting_caller {
    ($name:expr, $inner:ident) => {
        #[unsafe(naked)]
        #[unsafe(export_name = $name)]
        extern "C" fn outer() {
            core::arch::naked_asm!(
                "mov r10, qword ptr [rsp]",
                "mov r11, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]",
                "mov qword ptr fs:[r11 + {caller}], r10",
                "jmp {inner}",
                caller = const deadheat_rt::tls::offset::CALLER, inner = sym $inner,
            )
        }
    };
}
