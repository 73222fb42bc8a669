//! The beginning and the end of the process.

use crate::annotate::hooks;
use crate::{intercept, real};
use alloc::string::String;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU8, Ordering};
use deadheat_finding::Suppressions;
use deadheat_online::Rule;
use deadheat_rt::os::{self, Mutex, Resource};
use deadheat_rt::thread::{Counts, Stay};
use deadheat_rt::{expected, modules, output, registry, report, start};

unsafe extern "C" {
    /// Where the runtime's code begins and ends; packaging knows.
    static __deadheat_text_start: u8;
    static __deadheat_text_end: u8;
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
    modules::set_own_code(&raw const __deadheat_text_start as u64, &raw const __deadheat_text_end as u64);
    // SAFETY: asks what the kernel has said at the start.
    modules::set_loader(unsafe { libc::getauxval(libc::AT_BASE) });
    let thread = start::start(frames());
    thread.busy.store(1, Ordering::Relaxed);
    output::read_options(intercept::default_options(), &environment);
    start::configure();
    suppressions();
    let stack = intercept::own_stack();
    registry::started(thread, stack, (0, 0));
    thread.refresh();
    intercept::at_the_very_end(finish);
    intercept::start();
    thread.busy.store(0, Ordering::Release);
    STARTED.store(DONE, Ordering::Release);
    hooks::on_initialize();
}

/// How deep calls can go on the main thread's stack: a frame takes at least 16 bytes.
fn frames() -> usize {
    const MOST: u64 = 1 << 30;
    let stack = os::getrlimit(Resource::Stack).map_or(8 << 20, |l| l.current);
    (stack.min(MOST) / 16) as usize
}

/// A variable of the environment with which the program was started: the C library does not know it yet.
pub fn environment(name: &str) -> Option<String> {
    let all = modules::read_text("/proc/self/environ")?;
    let of = |entry: &str| entry.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')).map(String::from);
    all.split('\0').find_map(of)
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
        unsafe { real!(fflush(*mut c_void) -> c_int)(core::ptr::null_mut()) };
        os::exit_group(status);
    }
}

/// What was found when the end was told, and the exit status that came of it.
static CONCLUDED: Mutex<Option<(u64, c_int)>> = Mutex::new(None);

/// Tells what only the end shows; the exit status if something was found. Whoever asks again gets the same answer, unless more was found.
pub fn conclude() -> c_int {
    let found = || report::found() + expected::missed();
    let before = *CONCLUDED.lock();
    if before.is_none() {
        tell_the_end();
    }
    match before {
        Some((then, status)) if then == found() => status,
        _ => {
            let status = if hooks::on_finalize(found() > 0) { output::options().exitcode } else { 0 };
            *CONCLUDED.lock() = Some((found(), status));
            status
        }
    }
}

fn tell_the_end() {
    intercept::threads::adopt();
    if let Some(mut thread) = Stay::begin() {
        report::thread_leaks(&mut thread);
        expected::settle();
        if output::options().stats {
            let Counts { rules, checks } = Counts::of_all(&thread);
            for (rule, count) in Rule::ALL.iter().zip(rules) {
                output::say(format_args!("rule {} {count}", rule.name()));
            }
            output::say(format_args!("checks {checks}"));
            output::say(format_args!("slots {}", deadheat_rt::slots::made()));
            output::say(format_args!("bytes of the runtime's own {}", deadheat_rt::internal::bytes_in_use()));
            output::say(format_args!("sites {}", deadheat_rt::sites::SITES.count()));
            output::say(format_args!("sets of mutexes {}", deadheat_rt::locksets::count()));
            output::say(format_args!("sets of reads {}", deadheat_rt::access::MEMORY.sets.live()));
        }
        output::last_words();
    }
}
