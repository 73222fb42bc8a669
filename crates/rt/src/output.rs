//! Where findings go: text to standard error or a log, JSON beside it; which of them are wanted; and how the process ends.

use crate::modules;
use crate::os::{self, Fd, FdWriter, Mutex, OpenFlags};
use crate::record;
use alloc::ffi::CString;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use deadheat_finding::options::ColorChoice;
use deadheat_finding::text::{self, Colour, Style, Summary};
use deadheat_finding::{Finding, Kind, Options, Suppressions, json};

static OPTIONS: AtomicPtr<Options> = AtomicPtr::new(core::ptr::null_mut());
static COUNT: AtomicU64 = AtomicU64::new(0);
static OUTPUT: Mutex<Output> = Mutex::new(Output { log: None, json: None, suppressions: None });

struct Output {
    /// The log, once something was written to it.
    log: Option<Fd>,
    json: Option<Fd>,
    suppressions: Option<Suppressions>,
}

/// What the user wants. Before start, the defaults.
pub fn options() -> &'static Options {
    let options = OPTIONS.load(Ordering::Acquire);
    if options.is_null() {
        set_options(Options::default());
        return options_now();
    }
    // SAFETY: set once and never freed.
    unsafe { &*options }
}

fn options_now() -> &'static Options {
    // SAFETY: as above.
    unsafe { &*OPTIONS.load(Ordering::Acquire) }
}

/// Says what the user wants.
pub fn set_options(options: Options) {
    let options = alloc::boxed::Box::into_raw(alloc::boxed::Box::new(options));
    OPTIONS.store(options, Ordering::Release);
}

/// Says which findings the user does not want to see.
pub fn set_suppressions(suppressions: Suppressions) {
    OUTPUT.lock().suppressions = Some(suppressions);
}

/// Findings of that kind are wanted.
pub fn enabled(kind: Kind) -> bool {
    let o = options();
    let wanted = match kind {
        Kind::LockOrderInversion => o.detect_deadlocks,
        Kind::ThreadLeak => o.report_thread_leaks,
        Kind::SignalUnsafeCall | Kind::SignalErrnoSpoiled => o.report_signal_unsafe,
        Kind::DestroyLocked => o.report_mutex_bugs && o.report_destroy_locked,
        Kind::DoubleLock
        | Kind::UnlockUnlocked
        | Kind::UnlockForeign
        | Kind::ReadLockMisuse
        | Kind::ReadUnlockMisuse
        | Kind::UseOfDestroyedMutex => o.report_mutex_bugs,
        _ => true,
    };
    wanted && o.report_bugs && (o.max_reports == 0 || COUNT.load(Ordering::Relaxed) < o.max_reports as u64)
}

/// Writes a finding down; false if it is suppressed.
pub fn publish(finding: &Finding) -> bool {
    let o = options();
    let mut output = OUTPUT.lock();
    if let Some(suppressions) = &mut output.suppressions
        && let Some(matched) = suppressions.check(finding)
    {
        suppressions.record(matched);
        return false;
    }
    COUNT.fetch_add(1, Ordering::Relaxed);
    let log = output.log();
    let style = Style {
        colour: colour(o.color, log),
        strip_path_prefix: &o.strip_path_prefix,
        summary: if o.print_summary { Summary::Shown } else { Summary::Hidden },
    };
    let mut text = String::new();
    let _ = text::write_finding(&mut text, finding, style);
    write(log, text.as_bytes());
    if let Some(fd) = output.json() {
        write(fd, json::line(finding).as_bytes());
    }
    true
}

/// Writes as much as the file takes: a full disk or a closed pipe must not hurt the program, nor lose what fits elsewhere.
fn write(fd: Fd, bytes: &[u8]) {
    if os::write_all(fd, bytes).is_err() && fd != os::STDERR {
        let _: Result<(), _> = os::write_all(os::STDERR, bytes);
    }
}

/// A line about the runtime itself.
pub fn say(line: core::fmt::Arguments<'_>) {
    let log = OUTPUT.lock().log();
    let mut writer = FdWriter::new(log);
    let _ = writeln!(writer, "deadheat: {line}");
    let _: Result<(), _> = writer.finish();
}

/// Text as it is, to where findings go.
pub fn print(text: &str) {
    let log = OUTPUT.lock().log();
    write(log, text.as_bytes());
}

fn colour(choice: ColorChoice, log: Fd) -> Colour {
    let terminal = || os::is_terminal(log);
    match choice {
        ColorChoice::Always => Colour::Ansi,
        ColorChoice::Never => Colour::Plain,
        ColorChoice::Auto => {
            if terminal() {
                Colour::Ansi
            } else {
                Colour::Plain
            }
        }
    }
}

impl Output {
    fn log(&mut self) -> Fd {
        let o = options();
        match o.log_path.as_str() {
            "" | "stderr" => os::STDERR,
            "stdout" => os::STDOUT,
            path => *self.log.get_or_insert_with(|| {
                let name = log_name(path, o);
                create(&name).unwrap_or_else(|e| {
                    let mut writer = FdWriter::new(os::STDERR);
                    let _ = writeln!(
                        writer,
                        "deadheat: cannot write the log {name} ({e}): reports go to standard error"
                    );
                    let _: Result<(), _> = writer.finish();
                    os::STDERR
                })
            }),
        }
    }

    fn json(&mut self) -> Option<Fd> {
        let o = options();
        if o.json_path.is_empty() {
            return None;
        }
        if self.json.is_none() {
            self.json = create(&format!("{}.{}", o.json_path, os::getpid())).ok();
        }
        self.json
    }
}

fn log_name(path: &str, o: &Options) -> String {
    let pid = os::getpid();
    if o.log_exe_name {
        let exe = executable();
        let name = exe.rsplit('/').next().unwrap_or("");
        return format!("{path}.{name}.{pid}{}", o.log_suffix);
    }
    format!("{path}.{pid}{}", o.log_suffix)
}

/// The program's file.
pub fn executable() -> String {
    let mut buffer = [0; 4096];
    let path = os::readlink(c"/proc/self/exe", &mut buffer).unwrap_or_default();
    String::from_utf8_lossy(path).into_owned()
}

fn create(path: &str) -> Result<Fd, os::Errno> {
    let path = CString::new(path).map_err(|_| os::Errno::EINVAL)?;
    os::open(&path, OpenFlags::WRITE.with(OpenFlags::CREATE).with(OpenFlags::TRUNCATE), 0o644)
}

/// The child of a fork writes to files of its own.
pub fn after_fork() {
    record::after_fork();
    let mut output = OUTPUT.lock();
    (output.log, output.json) = (None, None);
}

/// The last words: how much was found, and what was asked for beside.
pub fn last_words() {
    record::modules();
    let found = COUNT.load(Ordering::Relaxed);
    let mut text = String::new();
    let _ = text::write_total(&mut text, found);
    if options().print_suppressions
        && let Some(suppressions) = &OUTPUT.lock().suppressions
    {
        let _ = suppressions.write_matched(&mut text, os::getpid() as u32);
    }
    if !text.is_empty() {
        print(&text);
    }
}

/// Ends the process at once, with its last words.
pub fn exit(status: i32) -> ! {
    last_words();
    if options().abort_on_error {
        let _: Result<(), _> = os::kill(os::getpid(), 6);
    }
    os::exit_group(status)
}

/// Reads the user's options from the environment, and what the program itself defaults to.
pub fn read_options(defaults: &str, environment: &dyn Fn(&str) -> Option<String>) {
    let mut options = Options::default();
    let mut problems = Vec::new();
    let mut read = |path: &str| modules::read_text(path);
    problems.extend(options.parse(defaults, "__tsan_default_options", &mut read));
    for name in ["TSAN_OPTIONS", "DEADHEAT_OPTIONS"] {
        if let Some(text) = environment(name) {
            problems.extend(options.parse(&text, name, &mut read));
        }
    }
    set_options(options);
    problems.iter().for_each(|problem| say(format_args!("{problem}")));
    if self::options().help {
        print(&self::options().help_text());
    }
}

/// Holds the output still during `fork`.
pub fn lock_all() {
    OUTPUT.lock_raw();
}

/// Lets it go again.
///
/// # Safety
/// This thread, or the one whose copy it is, must have called [`lock_all`].
pub unsafe fn unlock_all() {
    // SAFETY: as the caller promises.
    unsafe { OUTPUT.unlock_raw() }
}
