//! `bench detect`: the bars of the trace tools, each measured end to end on the shipped binary.

use crate::measure::{Usage, interleaved};
use crate::plot::{Line, lines};
use deadheat_trace::{Batch, Source, format};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Rounds of every measurement; the best counts.
const ROUNDS: usize = 5;
const MILLION: f64 = 1e6;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

struct Bench<'a> {
    deadheat: &'a Path,
    /// Where results go.
    out: &'a Path,
    csv: String,
}

/// Runs all of it.
fn run_all(bench: &mut Bench<'_>) -> Result<()> {
    bench.end_to_end()?;
    bench.detectors()?;
    bench.text_reader()?;
    bench.threads()?;
    bench.length()
}

/// Runs the benchmark with that binary; results go into that folder.
pub fn run(deadheat: &Path, out: &Path) -> Result<()> {
    let mut bench = Bench { deadheat, out, csv: "bench,case,value,unit\n".into() };
    fs::create_dir_all(bench.traces())?;
    run_all(&mut bench)?;
    fs::remove_dir_all(bench.traces())?;
    fs::write(out.join("detect.csv"), &bench.csv)?;
    println!("\nTables as CSV and pictures as SVG are in {}.", out.display());
    Ok(())
}

impl Bench<'_> {
    /// Where traces are kept while the benchmark runs.
    fn traces(&self) -> PathBuf {
        self.out.join("traces")
    }

    /// A trace of a lock-and-array program: threads take a lock and walk a part of the array that it guards.
    fn workload(&self, name: &str, events: u64, more: &[(&str, u64)]) -> Result<PathBuf> {
        let path = self.traces().join(name);
        let mut args: Vec<String> = ["trace", "gen", "--race-density", "0", "-o"].map(String::from).into();
        args.push(path.display().to_string());
        let common = [("events", events), ("vars", 65_536), ("locks", 64), ("section", 64)];
        let options: BTreeMap<&str, u64> = common.iter().chain(more).copied().collect();
        for (option, value) in options {
            args.extend([format!("--{option}"), value.to_string()]);
        }
        crate::measure::run(self.deadheat, &args.iter().map(String::as_str).collect::<Vec<_>>())?;
        Ok(path)
    }

    fn check(trace: &Path, detector: &str) -> Vec<String> {
        ["trace", "check", "--detector", detector]
            .map(String::from)
            .into_iter()
            .chain([trace.display().to_string()])
            .collect()
    }

    fn record(&mut self, bench: &str, case: &str, value: f64, unit: &str) {
        self.csv += &format!("{bench},{case},{value:.4},{unit}\n");
    }

    /// The bar: 40 million events per second, from our binary format, reading, feasibility check and report included.
    fn end_to_end(&mut self) -> Result<()> {
        let events = 20_000_000;
        println!("VerifiedFT, binary trace to report, lock-and-array workload, {events} events");
        let shapes =
            [(2, 4096, 1), (8, 4096, 1), (64, 4096, 1), (8, 4096, 64), (8, 65_536, 1), (64, 65_536, 1)];
        let shapes = shapes.into_iter().chain([(8, 65_536, 64), (8, 1_048_576, 1)]);
        let mut commands = Vec::new();
        for (i, (threads, elements, burst)) in shapes.clone().enumerate() {
            let shape = [("threads", threads), ("vars", elements), ("burst", burst)];
            commands
                .push(Self::check(&self.workload(&format!("array{i}.dht"), events, &shape)?, "verifiedft"));
        }
        let best = interleaved(self.deadheat, ROUNDS, &commands)?;
        for ((threads, elements, burst), Usage { seconds, peak_mib, .. }) in shapes.zip(best) {
            let rate = events as f64 / seconds / MILLION;
            let case = format!("{threads} threads, {elements} elements, turns of {burst}");
            println!("  {case:<44} {rate:>6.1} million events/s {peak_mib:>5.0} MiB");
            self.record("end-to-end", &case.replace(',', ""), rate, "million events/s");
        }
        Ok(())
    }

    /// The bar: at 64 threads VerifiedFT at least three times as fast as VectorClock.
    fn detectors(&mut self) -> Result<()> {
        let events = 2_000_000;
        println!("\nDetectors, 64 threads, lock-and-array workload, {events} events, end to end");
        let trace = self.workload("threads64.dht", events, &[("threads", 64)])?;
        let names = ["verifiedft", "fasttrack", "vector-clock", "multi-join", "limited-hb", "lockset"];
        let commands: Vec<_> = names.iter().map(|name| Self::check(&trace, name)).collect();
        let best = interleaved(self.deadheat, ROUNDS, &commands)?;
        for (name, Usage { seconds, peak_mib, .. }) in names.iter().zip(&best) {
            let ratio = seconds / best[0].seconds;
            println!("  {name:<14} {ratio:>6.2} x the time of verifiedft  {peak_mib:>6.0} MiB");
            self.record("detectors-64-threads", name, ratio, "x verifiedft");
        }
        Ok(())
    }

    /// The bar: ten million lines per second.
    fn text_reader(&mut self) -> Result<()> {
        let lines = 5_000_000;
        let trace = self.workload("array.std", lines, &[("threads", 64), ("vars", 100_000)])?;
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            let (started, mut batch) = (Instant::now(), Batch::default());
            let mut source = format::open(File::open(&trace)?)?;
            while source.next_batch(&mut batch)? {}
            best = best.min(started.elapsed().as_secs_f64());
        }
        let rate = lines as f64 / best / MILLION;
        println!("\nSTD reader  {rate:.1} million lines/s");
        self.record("std-reader", "64 threads, 100000 variables", rate, "million lines/s");
        Ok(())
    }

    /// The bar: where the rules say O(1), the cost of an access does not depend on the number of threads.
    fn threads(&mut self) -> Result<()> {
        println!(
            "\nTime per event by number of threads, 2 threads = 1 (synchronisation every 1000 accesses)"
        );
        let counts = [2u64, 4, 8, 16, 32, 64, 128, 256];
        let names = ["verifiedft", "fasttrack", "vector-clock"];
        let events = 8_000_000;
        let mut commands = Vec::new();
        for threads in counts {
            // Synchronisation costs O(threads) by its rules; here it is rare, and what is left is the accesses.
            let shape = [("threads", threads), ("locks", 256), ("vars", 4096), ("section", 1000)];
            let trace = self.workload(&format!("t{threads}.dht"), events, &shape)?;
            commands.extend(names.iter().map(|name| Self::check(&trace, name)));
        }
        let best = interleaved(self.deadheat, ROUNDS, &commands)?;
        println!("  {:>7} {}", "threads", names.map(|n| format!("{n:>13}")).join(""));
        let cost = |i: usize, j: usize| best[i * names.len() + j].seconds * 1e9 / events as f64;
        for (i, threads) in counts.iter().enumerate() {
            let ratios =
                (0..names.len()).map(|j| format!("{:>12.2}x", cost(i, j) / cost(0, j))).collect::<String>();
            println!("  {threads:>7} {ratios}");
            for (j, name) in names.iter().enumerate() {
                self.record("cost-by-threads", &format!("{name} {threads}"), cost(i, j), "ns/event");
            }
        }
        let line = |j: usize| Line {
            name: names[j].into(),
            points: counts.iter().enumerate().map(|(i, &t)| (t as f64, cost(i, j))).collect(),
        };
        let drawn: Vec<Line> = (0..names.len()).map(line).collect();
        lines(
            &self.out.join("detect.svg"),
            "Cost of an event by number of threads",
            "threads",
            "ns per event",
            &drawn,
        )
    }

    /// The bar: memory does not grow with the length of the trace.
    fn length(&mut self) -> Result<()> {
        println!("\nPeak memory by length of the trace, 8 threads");
        for millions in [1, 4, 16] {
            let trace = self.workload("length.dht", millions * 1_000_000, &[("threads", 8)])?;
            let usage = interleaved(self.deadheat, 1, &[Self::check(&trace, "verifiedft")])?[0];
            println!("  {millions:>3} million events  {:>6.1} MiB", usage.peak_mib);
            self.record("memory-by-length", &format!("{millions} million events"), usage.peak_mib, "MiB");
        }
        Ok(())
    }
}
