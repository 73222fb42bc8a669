//! Prints random traces, each with the verdicts of the Rust detectors; `check.ml` reads them and compares with the detectors extracted
//! from the proofs.
//!
//! A line is `capacities gc operations|detector=verdict|…`, with a capacity as a digit for each channel, and how often garbage is
//! collected. An operation is a letter and a digit for each operand: see [`generate::Made::text`]. A verdict has for each variable the
//! position of the access that completes the first race on it, or `-`.

mod generate;
mod judge;

use generate::{Made, Random};
use std::io::{BufWriter, Write, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let [traces, seed] = numbers[..] else {
        eprintln!("usage: deadheat-differential TRACES SEED");
        return ExitCode::from(2);
    };
    match write(traces, seed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("deadheat-differential: {e}");
            ExitCode::FAILURE
        }
    }
}

fn write(traces: u64, seed: u64) -> std::io::Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    let mut random = Random::new(seed);
    for _ in 0..traces {
        let made = Made::new(&mut random);
        let gc_every = 1 + random.below(12);
        let caps: String = made.capacities.iter().map(u32::to_string).collect();
        write!(out, "{caps} {gc_every} {}", made.text())?;
        for (detector, verdict) in judge::verdicts(&made, gc_every) {
            let positions: Vec<String> =
                verdict.iter().map(|first| first.map_or("-".into(), |i| i.to_string())).collect();
            write!(out, "|{detector}={}", positions.join(","))?;
        }
        writeln!(out)?;
    }
    out.flush()
}
