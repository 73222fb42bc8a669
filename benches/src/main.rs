//! Benchmarks, and tests of other projects. `cargo xtask bench detect|explore|runtime|compile` and `cargo xtask suites` are the doors.

mod detect;
mod explore;
mod measure;
mod plot;
mod runtime;
mod suites;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: deadheat-bench detect DEADHEAT-BINARY RESULTS-FOLDER
       deadheat-bench explore RESULTS-FOLDER
       deadheat-bench runtime DEADHEAT-BINARY RESULTS-FOLDER CACHE-FOLDER
                      [--quick] [--repeats N] [--programs NAME,...] [--tools NAME,...]
       deadheat-bench compile DEADHEAT-BINARY RESULTS-FOLDER CACHE-FOLDER [--repeats N] [--programs NAME,...]
       deadheat-bench record FILE cc|c++ COMPILER WORDS... (what the builds of `compile` call)
       deadheat-bench suites DEADHEAT-BINARY CACHE-FOLDER [memcached] [sqlite]";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done: Result<(), Box<dyn Error>> = match args[..] {
        ["detect", deadheat, out] => detect::run(Path::new(deadheat), Path::new(out)),
        ["explore", out] => explore::run(Path::new(out)),
        ["runtime", deadheat, out, cache, ref options @ ..] => {
            runtime::run(Path::new(deadheat), Path::new(out), Path::new(cache), options)
        }
        ["compile", deadheat, out, cache, ref options @ ..] => {
            runtime::compile::run(Path::new(deadheat), Path::new(out), Path::new(cache), options)
        }
        ["record", file, language, ref command @ ..] => {
            runtime::compile::record(Path::new(file), language, command)
        }
        ["suites", deadheat, cache, ref names @ ..] => {
            suites::run(Path::new(deadheat), Path::new(cache), names)
        }
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("deadheat-bench: {e}");
            ExitCode::from(2)
        }
    }
}
