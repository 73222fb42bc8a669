//! Benchmarks. `cargo xtask bench detect` is the door; this prints tables of ratios and writes CSV and SVG.

mod detect;
mod measure;
mod plot;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (Some("detect"), Some(deadheat), Some(out)) = (args.next().as_deref(), args.next(), args.next())
    else {
        eprintln!("usage: deadheat-bench detect DEADHEAT-BINARY RESULTS-FOLDER");
        return ExitCode::from(2);
    };
    match detect::run(Path::new(&deadheat), Path::new(&out)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("deadheat-bench: {e}");
            ExitCode::from(2)
        }
    }
}
