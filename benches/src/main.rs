//! Benchmarks. `cargo xtask bench detect|runtime` is the door; this prints tables of ratios and writes CSV and SVG.

mod detect;
mod measure;
mod plot;
mod runtime;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: deadheat-bench detect DEADHEAT-BINARY RESULTS-FOLDER
       deadheat-bench runtime DEADHEAT-BINARY RESULTS-FOLDER CACHE-FOLDER
                      [--quick] [--repeats N] [--programs NAME,...] [--tools NAME,...]";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done: Result<(), Box<dyn Error>> = match args[..] {
        ["detect", deadheat, out] => detect::run(Path::new(deadheat), Path::new(out)),
        ["runtime", deadheat, out, cache, ref options @ ..] => {
            runtime::run(Path::new(deadheat), Path::new(out), Path::new(cache), options)
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
