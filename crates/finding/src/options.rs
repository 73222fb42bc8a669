//! What users can set in `TSAN_OPTIONS` and `DEADHEAT_OPTIONS`.
//!
//! Names, defaults and syntax are ThreadSanitizer's where the meaning is the same: `name=value`, separated by spaces, commas,
//! colons or line breaks; a value with one of these in it stands between quotes; `#` starts a comment that ends with its line.
//! The later of two settings counts. Options that are known but mean nothing here, and options that nobody knows, are handed
//! back as [`Problem`]s, for the caller to name.

mod parse;
mod value;

pub use parse::{Fault, Problem};
pub use value::{Algorithm, ColorChoice, IoSync};

use alloc::format;
use alloc::string::String;
use value::Value;

/// One option of the table, for the help text.
struct Described {
    name: &'static str,
    default: String,
    meaning: &'static str,
}

macro_rules! options {
    ($($name:ident: $type:ty = $default:expr, $meaning:literal;)*) => {
        /// All options, each with its default.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Options {
            $(#[doc = $meaning] pub $name: $type,)*
        }

        impl Default for Options {
            fn default() -> Options {
                Options { $($name: $default,)* }
            }
        }

        impl Options {
            /// Sets one option; what a value should have been if it is none; nothing if there is no such option.
            fn set(&mut self, name: &str, value: &str) -> Option<Result<(), &'static str>> {
                match name {
                    $(stringify!($name) => Some(match <$type as Value>::parse(value) {
                        Some(value) => {
                            self.$name = value;
                            Ok(())
                        }
                        None => Err(<$type as Value>::EXPECTED),
                    }),)*
                    _ => None,
                }
            }

            /// Every option with its present value.
            fn described(&self) -> impl Iterator<Item = Described> {
                [$(Described {
                    name: stringify!($name),
                    default: Value::shown(&self.$name),
                    meaning: $meaning,
                },)*].into_iter()
            }
        }
    };
}

options! {
    halt_on_error: bool = false, "Stop after the first finding.";
    exitcode: i32 = 66, "Exit status of a program in which something was found; 0 keeps the program's own.";
    abort_on_error: bool = false, "Where the runtime would exit after a finding, abort instead.";
    suppressions: String = String::new(), "File that says which findings not to report.";
    print_suppressions: bool = false, "At exit, list the suppressions that matched and how often.";

    log_path: String = String::new(), "Write reports to PATH.PID; `stdout` and `stderr` are those. Default: standard error.";
    log_exe_name: bool = false, "Write reports to PATH.PROGRAM.PID.";
    log_suffix: String = String::new(), "Ending of the log file's name, for example `.txt`.";
    json_path: String = String::new(), "Also write findings as JSON Lines to PATH.PID (ours).";
    record: String = String::new(),
        "Write all events to this file, for `deadheat run --record`; to FILE.PID if it is there already (ours).";
    color: ColorChoice = ColorChoice::Auto, "Colours: `always`, `never`, or `auto`: if the output is a terminal.";
    print_summary: bool = true, "End each report with a SUMMARY line.";
    print_module_map: u32 = 0, "Print the modules of the process: 0 never, 1 at exit, 2 after each report.";
    print_full_thread_history: bool = false, "Show where threads were created, up to the main thread.";
    strip_path_prefix: String = String::new(), "Show source paths from behind this.";
    symbolize: bool = true, "Turn addresses into functions, files and lines.";
    symbolize_inline_frames: bool = true, "Show functions that were inlined as frames of their own.";
    demangle: bool = true, "Show C++ and Rust names as in the source.";
    max_reports: u32 = 0, "Report at most so many findings; 0 is all (ours).";
    suppress_equal_stacks: bool = true, "Report a pair of places once.";
    verbosity: u32 = 0, "How much the runtime says about itself: 0 nothing, 1 a little, 2 more.";
    stats: bool = false, "At exit, print how often each rule was used (ours).";
    help: bool = false, "Print this list.";

    algorithm: Algorithm = Algorithm::V2, "How to check accesses: `v1`, `v1.5`, `v2`, `ft-mutex` or `ft-cas` (ours).";
    report_bugs: bool = true, "Report anything at all.";
    report_atomic_races: bool = true, "Report races between atomic and plain accesses.";
    report_thread_leaks: bool = true, "Report threads that nobody joined or detached.";
    report_destroy_locked: bool = true, "Report the destruction of a locked mutex.";
    report_mutex_bugs: bool = true, "Report wrong uses of mutexes.";
    report_signal_unsafe: bool = true, "Report calls in signal handlers that are not async-signal-safe.";
    detect_deadlocks: bool = true, "Report mutexes that are taken in different orders.";
    second_deadlock_stack: bool = false, "In such reports, also show where the first mutex was taken.";
    detect_invalid_join: bool = true, "Report joins of threads that cannot be joined.";
    force_seq_cst_atomics: bool = false, "Treat all atomics as sequentially consistent.";
    enable_annotations: bool = true, "Obey the Annotate* functions.";
    ignore_noninstrumented_modules: bool = false, "Check calls into the C library only if instrumented code made them.";
    ignore_interceptors_accesses: bool = false, "Do not check what the C library reads and writes.";
    io_sync: IoSync = IoSync::WriteToRead,
        "What I/O orders: 0 nothing, 1 a write before the read of the same file, 2 all I/O.";
    die_after_fork: bool = false, "Stop a child of a multithreaded program that creates a thread; here it need not.";
    history_size: u32 = 0, "How much of each thread's past to keep for reports.";
    memory_limit_mb: u32 = 0, "Memory of the process to aim at, in MB; 0 is no limit.";
    flush_memory_ms: u32 = 0, "Give unused memory back every so many milliseconds; 0 is only when needed.";
    atexit_sleep_ms: u32 = 1000, "How long the main thread waits before it exits while other threads run.";
    external_symbolizer_path: String = String::new(), "Accepted for compatibility: addresses are always looked up in-process.";
}

impl Options {
    /// The text that `help=1` asks for: every option, its meaning and its present value.
    pub fn help_text(&self) -> String {
        let mut out = String::from("Options for TSAN_OPTIONS and DEADHEAT_OPTIONS, as name=value:\n");
        for Described { name, default, meaning } in self.described() {
            out.push_str(&format!("  {name}={default}\n      {meaning}\n"));
        }
        out.push_str("  include=FILE, include_if_exists=FILE\n      Read more options from that file.\n");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_distinct_and_shown_values_parse() {
        let mut options = Options::default();
        let described: Vec<_> = options.described().collect();
        let names: BTreeSet<_> = described.iter().map(|d| d.name).collect();
        assert_eq!(names.len(), described.len());
        for Described { name, default, .. } in described {
            assert_eq!(options.set(name, &default), Some(Ok(())), "{name}");
            assert!(!parse::NO_EFFECT.contains(&name), "{name}");
        }
        assert_eq!(options, Options::default());
    }

    #[test]
    fn help_lists_every_option() {
        let help = Options::default().help_text();
        for line in
            ["  exitcode=66\n", "  color=auto\n", "  io_sync=1\n", "  algorithm=v2\n", "  log_path=\n"]
        {
            assert!(help.contains(line), "{line}");
        }
        assert!(help.lines().all(|line| line.chars().count() <= 110), "{help}");
    }
}
