//! The beginning and the end of the process.

use crate::intercept;
use alloc::string::String;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicU8, Ordering};
use deadheat_finding::Suppressions;
use deadheat_online::Rule;
use deadheat_rt::os::{self, Resource};
use deadheat_rt::thread::Stay;
use deadheat_rt::{modules, output, registry, report, start};

unsafe extern "C" {
    static environ: *const *const c_char;
    fn __cxa_atexit(f: extern "C" fn(*mut c_void), argument: *mut c_void, module: *mut c_void) -> c_int;
    fn fflush(file: *mut c_void) -> c_int;
}

/// Runs before all constructors of the program, if this is linked into it.
#[used]
#[unsafe(link_section = ".preinit_array")]
static BEFORE_ALL: extern "C" fn() = __tsan_init;

/// Runs before the program's constructors, if this is a shared object.
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = __tsan_init;

const NOT_YET: u8 = 0;
const NOW: u8 = 1;
const DONE: u8 = 2;
static STARTED: AtomicU8 = AtomicU8::new(NOT_YET);

/// Starts the runtime, if it has not started.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_init() {
    if STARTED.compare_exchange(NOT_YET, NOW, Ordering::Relaxed, Ordering::Relaxed).is_err() {
        return;
    }
    let thread = start::start(frames());
    thread.busy = 1;
    output::read_options(intercept::default_options(), &environment);
    start::configure();
    suppressions();
    let stack = intercept::own_stack();
    registry::started(thread, stack, (0, 0));
    thread.refresh();
    // SAFETY: a function and no argument.
    unsafe { __cxa_atexit(finish, core::ptr::null_mut(), core::ptr::null_mut()) };
    intercept::start();
    thread.busy = 0;
    STARTED.store(DONE, Ordering::Release);
}

/// How deep calls can go on the main thread's stack: a frame takes at least 16 bytes.
fn frames() -> usize {
    const MOST: u64 = 1 << 30;
    let stack = os::getrlimit(Resource::Stack).map_or(8 << 20, |l| l.current);
    (stack.min(MOST) / 16) as usize
}

/// A variable of the environment, read without the C library.
pub fn environment(name: &str) -> Option<String> {
    // SAFETY: `environ` is a list of strings that ends with null; null itself before the C library has started.
    unsafe {
        let mut at = environ;
        while !at.is_null() && !(*at).is_null() {
            let entry = CStr::from_ptr(*at).to_bytes();
            if let Some(value) = entry.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"=")) {
                return Some(String::from_utf8_lossy(value).into_owned());
            }
            at = at.add(1);
        }
    }
    None
}

fn suppressions() {
    let mut all = Suppressions::default();
    let built_in = intercept::default_suppressions();
    for error in all.parse(built_in, "__tsan_default_suppressions") {
        output::say(format_args!("{error}"));
    }
    let path = &output::options().suppressions;
    if !path.is_empty() {
        match modules::read_text(path) {
            Some(text) => all.parse(&text, path).iter().for_each(|e| output::say(format_args!("{e}"))),
            None => os::die(os::CANNOT_WORK, format_args!("cannot read the suppressions file {path}")),
        }
    }
    output::set_suppressions(all);
}

/// The last of the functions that run at exit.
extern "C" fn finish(_: *mut c_void) {
    let status = conclude();
    if status != 0 {
        // SAFETY: null means all files.
        unsafe { fflush(core::ptr::null_mut()) };
        os::exit_group(status);
    }
}

/// Tells what only the end shows; the exit status if something was found.
pub fn conclude() -> c_int {
    if let Some(mut thread) = Stay::begin() {
        report::thread_leaks(&mut thread);
        if output::options().stats {
            for rule in Rule::ALL {
                output::say(format_args!("rule {} {}", rule.name(), thread.rules[rule as usize]));
            }
        }
        output::last_words();
    }
    if report::found() > 0 { output::options().exitcode } else { 0 }
}
