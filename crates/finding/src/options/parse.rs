//! The syntax of options.

use super::Options;
use crate::words::printable;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// How deep files of options may include each other; a file that includes itself must come to an end.
const MAX_DEPTH: u32 = 10;

/// Options of ThreadSanitizer that are about its own inner workings. They are no mistake, but do nothing here.
pub(super) const NO_EFFECT: &[&str] = &[
    "allocator_may_return_null",
    "allocator_release_to_os_interval_ms",
    "allow_addr2line",
    "allow_user_segv_handler",
    "can_use_proc_maps_statm",
    "check_printf",
    "clear_shadow_mmap_threshold",
    "compress_stack_depot",
    "cov_8bit_counters_out",
    "cov_pcs_out",
    "coverage",
    "coverage_dir",
    "decorate_proc_maps",
    "dedup_token_length",
    "detect_leaks",
    "detect_write_exec",
    "disable_coredump",
    "dump_instruction_bytes",
    "dump_registers",
    "enable_symbolizer_markup",
    "fast_unwind_on_check",
    "fast_unwind_on_fatal",
    "fast_unwind_on_malloc",
    "flush_symbolizer_ms",
    "force_background_thread",
    "full_address_space",
    "handle_abort",
    "handle_ioctl",
    "handle_segv",
    "handle_sigbus",
    "handle_sigfpe",
    "handle_sigill",
    "handle_sigtrap",
    "hard_rss_limit_mb",
    "heap_profile",
    "html_cov_report",
    "intercept_intrin",
    "intercept_memcmp",
    "intercept_memmem",
    "intercept_send",
    "intercept_stat",
    "intercept_strchr",
    "intercept_strcmp",
    "intercept_strlen",
    "intercept_strndup",
    "intercept_strpbrk",
    "intercept_strspn",
    "intercept_strstr",
    "intercept_strtok",
    "intercept_tls_get_addr",
    "leak_check_at_exit",
    "legacy_pthread_cond",
    "log_to_syslog",
    "malloc_context_size",
    "max_allocation_size_mb",
    "mmap_limit_mb",
    "no_huge_pages_for_shadow",
    "print_cmdline",
    "profile_memory",
    "running_on_valgrind",
    "sancov_path",
    "shared_ptr_interceptor",
    "soft_rss_limit_mb",
    "stack_trace_format",
    "stop_on_start",
    "strict_memcmp",
    "strict_string_checks",
    "strip_env",
    "suppress_equal_pcs",
    "symbolize_vs_style",
    "test_only_emulate_no_memorymap",
    "test_only_replace_dlopen_main_program",
    "use_madv_dontdump",
    "use_sigaltstack",
    "verify_interceptors",
];

/// Something in the options that could not be obeyed. All the rest is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The variable or file that it stands in.
    pub origin: String,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong with an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// No option has that name.
    Unknown(String),
    /// ThreadSanitizer has that option; here it has no meaning.
    NoEffect(String),
    /// The option cannot have that value.
    Value {
        /// The option.
        name: String,
        /// The value.
        value: String,
        /// What it can have.
        expected: &'static str,
    },
    /// There is no `=` after the name.
    NoValue(String),
    /// There is no second quote.
    OpenQuote(String),
    /// The file to include cannot be read.
    Unreadable(String),
    /// The files include each other too deep, or without end.
    TooDeep(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", printable(&self.origin))?;
        match &self.fault {
            Fault::Unknown(name) => write!(f, "unknown option `{}`", printable(name)),
            Fault::NoEffect(name) => write!(f, "option `{name}` has no effect"),
            Fault::Value { name, value, expected } => {
                write!(f, "option `{name}` cannot be `{}`: expected {expected}", printable(value))
            }
            Fault::NoValue(name) => {
                write!(f, "option `{}` has no value: expected name=value", printable(name))
            }
            Fault::OpenQuote(name) => {
                write!(f, "the value of option `{}` has no closing quote", printable(name))
            }
            Fault::Unreadable(path) => write!(f, "cannot read included file `{}`", printable(path)),
            Fault::TooDeep(path) => write!(f, "`{}` is included too deep", printable(path)),
        }
    }
}

impl Options {
    /// Sets what the text says. `origin` names the variable in problems; `read` opens files to include, `None` if it cannot.
    pub fn parse(
        &mut self,
        text: &str,
        origin: &str,
        read: &mut dyn FnMut(&str) -> Option<String>,
    ) -> Vec<Problem> {
        let mut parser = Parser { options: self, read, problems: Vec::new() };
        parser.text(text, origin, 0);
        parser.problems
    }
}

struct Parser<'a> {
    options: &'a mut Options,
    read: &'a mut dyn FnMut(&str) -> Option<String>,
    problems: Vec<Problem>,
}

impl Parser<'_> {
    fn text(&mut self, text: &str, origin: &str, depth: u32) {
        let mut rest = text;
        while let Some(setting) = next(&mut rest) {
            match setting {
                Ok((name, value)) => self.setting(name, value, origin, depth),
                Err(fault) => self.problem(origin, fault),
            }
        }
    }

    fn setting(&mut self, name: &str, value: &str, origin: &str, depth: u32) {
        match name {
            "include" | "include_if_exists" => return self.include(name, value, origin, depth),
            _ => {}
        }
        let fault = match self.options.set(name, value) {
            Some(Ok(())) => return,
            Some(Err(expected)) => Fault::Value { name: name.into(), value: value.into(), expected },
            None if NO_EFFECT.contains(&name) => Fault::NoEffect(name.into()),
            None => Fault::Unknown(name.into()),
        };
        self.problem(origin, fault);
    }

    fn include(&mut self, name: &str, path: &str, origin: &str, depth: u32) {
        if depth >= MAX_DEPTH {
            return self.problem(origin, Fault::TooDeep(path.into()));
        }
        match (self.read)(path) {
            Some(text) => self.text(&text, path, depth + 1),
            None if name == "include" => self.problem(origin, Fault::Unreadable(path.into())),
            None => {}
        }
    }

    fn problem(&mut self, origin: &str, fault: Fault) {
        self.problems.push(Problem { origin: origin.into(), fault });
    }
}

fn is_separator(c: char) -> bool {
    matches!(c, ' ' | ',' | ':' | '\n' | '\t' | '\r')
}

/// The next setting of the text, which shrinks.
fn next<'a>(rest: &mut &'a str) -> Option<Result<(&'a str, &'a str), Fault>> {
    *rest = rest.trim_start_matches(is_separator);
    while rest.starts_with('#') {
        *rest = rest.find('\n').map_or("", |end| &rest[end..]).trim_start_matches(is_separator);
    }
    if rest.is_empty() {
        return None;
    }
    let end = rest.find(|c| c == '=' || is_separator(c)).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    *rest = after;
    let Some(after) = after.strip_prefix('=') else { return Some(Err(Fault::NoValue(name.into()))) };
    let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''));
    let value = match quote {
        Some(quote) => {
            let inner = &after[1..];
            let Some(end) = inner.find(quote) else {
                *rest = "";
                return Some(Err(Fault::OpenQuote(name.into())));
            };
            *rest = &inner[end + 1..];
            &inner[..end]
        }
        None => {
            let (value, after) = after.split_at(after.find(is_separator).unwrap_or(after.len()));
            *rest = after;
            value
        }
    };
    Some(Ok((name, value)))
}

#[cfg(test)]
mod tests {
    use super::super::{Algorithm, ColorChoice};
    use super::*;
    use alloc::string::ToString;
    use proptest::prelude::*;

    fn parse(text: &str) -> (Options, Vec<String>) {
        let mut options = Options::default();
        let problems = options.parse(text, "TSAN_OPTIONS", &mut |path| match path {
            "more" => Some("# comes from a file\nexitcode=7 # again\nverbosity=1 nonsense=2\n".into()),
            "self" => Some("include=self".into()),
            _ => None,
        });
        (options, problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn separators_and_quotes() {
        let (options, problems) = parse(
            " halt_on_error=1:exitcode=3,log_path='/tmp/a:b, c'  color=always\nsuppressions=\"x y\"algorithm=ft-cas,",
        );
        assert_eq!(problems, [""; 0]);
        assert!(options.halt_on_error);
        assert_eq!((options.exitcode, options.color), (3, ColorChoice::Always));
        assert_eq!((options.log_path.as_str(), options.suppressions.as_str()), ("/tmp/a:b, c", "x y"));
        assert_eq!(options.algorithm, Algorithm::FtCas);
    }

    #[test]
    fn the_later_setting_counts() {
        assert_eq!(parse("exitcode=1 exitcode=2").0.exitcode, 2);
        assert_eq!(parse("log_path=x log_path=").0.log_path, "");
    }

    #[test]
    fn problems_name_the_option_and_the_rest_is_obeyed() {
        let (options, problems) =
            parse("exitcod=1:handle_segv=0:io_sync=3:verbosity:exitcode=9:help=maybe:log_path=\"x");
        assert_eq!(options.exitcode, 9);
        assert_eq!(
            problems,
            [
                "TSAN_OPTIONS: unknown option `exitcod`",
                "TSAN_OPTIONS: option `handle_segv` has no effect",
                "TSAN_OPTIONS: option `io_sync` cannot be `3`: expected 0, 1 or 2",
                "TSAN_OPTIONS: option `verbosity` has no value: expected name=value",
                "TSAN_OPTIONS: option `help` cannot be `maybe`: expected 0, 1, false, true, no or yes",
                "TSAN_OPTIONS: the value of option `log_path` has no closing quote",
            ]
        );
    }

    #[test]
    fn files_are_included() {
        let (options, problems) = parse("include=more:include_if_exists=none:include=none");
        assert_eq!((options.exitcode, options.verbosity), (7, 1));
        assert_eq!(
            problems,
            ["more: unknown option `nonsense`", "TSAN_OPTIONS: cannot read included file `none`"]
        );
        assert_eq!(parse("include=self").1, ["self: `self` is included too deep"]);
    }

    proptest! {
        #[test]
        fn any_text_is_read_to_its_end(text in "[a-z_=:, '\"#\n0-9é]{0,60}") {
            let mut rest = text.as_str();
            while next(&mut rest).is_some() {}
            prop_assert!(rest.is_empty());
            parse(&text);
        }

        #[test]
        fn a_setting_survives_among_others(before in "[a-z]{1,8}=[a-z0-9]{0,8}", code in 0..256i32) {
            let (options, _) = parse(&alloc::format!("{before}:exitcode={code}"));
            prop_assert_eq!(options.exitcode, code);
        }
    }
}
