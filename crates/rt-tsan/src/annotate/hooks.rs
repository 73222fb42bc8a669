//! Functions that a program may define for the runtime to call: its options, its suppressions, and what it wants to hear of.

use core::arch::{asm, global_asm};
use core::ffi::{CStr, c_char, c_int, c_void};
use deadheat_rt::report;

global_asm!(
    ".weak __tsan_default_options",
    ".weak __tsan_default_suppressions",
    ".weak __tsan_on_initialize",
    ".weak __tsan_on_finalize",
    ".weak __tsan_on_report",
    ".weak __tsan_test_only_on_fork",
);

/// The program's function of that name, if it defines it.
macro_rules! of_program {
    ($name:literal as $type:ty) => {{
        let address: *const c_void;
        // SAFETY: reads what the linker has put down for the name; nothing, if nobody defines it.
        unsafe {
            asm!(concat!("mov {a}, qword ptr [rip + ", $name, "@GOTPCREL]"), a = out(reg) address,
                options(nostack, preserves_flags, readonly));
        }
        // SAFETY: the function has that type, by its documentation; null is none.
        unsafe { core::mem::transmute::<*const c_void, Option<$type>>(address) }
    }};
}

type Text = extern "C" fn() -> *const c_char;

fn text(of: Option<Text>) -> &'static str {
    let Some(of) = of else { return "" };
    let text = of();
    if text.is_null() {
        return "";
    }
    // SAFETY: the program's text, which stays.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("")
}

/// What the program itself says the options should be.
pub fn default_options() -> &'static str {
    text(of_program!("__tsan_default_options" as Text))
}

/// What the program itself says should not be reported.
pub fn default_suppressions() -> &'static str {
    text(of_program!("__tsan_default_suppressions" as Text))
}

/// The runtime is ready.
pub fn on_initialize() {
    report::set_listener(super::reports::tell);
    if let Some(f) = of_program!("__tsan_on_initialize" as extern "C" fn()) {
        f();
    }
}

/// The process ends: the program has the last word on whether that is a failure.
pub fn on_finalize(failed: bool) -> bool {
    match of_program!("__tsan_on_finalize" as extern "C" fn(c_int) -> c_int) {
        Some(f) => f(failed as c_int) != 0,
        None => failed,
    }
}

/// The process is about to fork, and the runtime is held still: a test may want to see what becomes of others meanwhile.
pub fn on_fork() {
    if let Some(f) = of_program!("__tsan_test_only_on_fork" as extern "C" fn()) {
        f();
    }
}

/// What the program does with a report.
pub fn on_report() -> Option<extern "C" fn(*const c_void)> {
    of_program!("__tsan_on_report" as extern "C" fn(*const c_void))
}
