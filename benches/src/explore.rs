//! `bench explore`: how many runs a second the explorer makes, and how many a family takes as it grows.

use crate::plot::{Line, lines};
use deadheat_explore::{Options, Points, Search, Space};
use deadheat_lang::{Machine, check, compile, parse};
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const SEARCHES: [(&str, Search); 3] =
    [("optimal", Search::Optimal), ("dpor", Search::Dpor), ("random", Search::Random { seed: 1 })];
/// Of each search its fastest round, the rounds of all in turn.
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_millis(300);
/// Families with the sizes they are run with.
const FAMILIES: [(&str, &[u32]); 5] = [
    ("readers", &[1, 2, 4, 8, 10]),
    ("last-zero", &[2, 4, 6, 8, 10]),
    ("indexer", &[11, 12, 13]),
    ("file-system", &[14, 16, 18, 20]),
    ("philosophers-ordered", &[2, 3, 4, 5]),
];

/// Measures, prints, and writes `explore.csv` and `explore.svg`.
pub fn run(out: &Path) -> Result<()> {
    fs::create_dir_all(out)?;
    let mut csv = String::from("what,program,search,value\n");
    rates(&mut csv)?;
    let drawn = families(&mut csv)?;
    fs::write(out.join("explore.csv"), csv)?;
    lines(&out.join("explore.svg"), "Runs of the optimal search", "size N", "log₂ of the runs", &drawn)
}

fn source(family: &str, n: Option<u32>) -> Result<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../testdata/lang/families/{family}.heat"));
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let Some(n) = n else { return Ok(text) };
    let line = text.lines().find(|line| line.contains("let n = ")).ok_or("the family has no size")?;
    Ok(text.replace(line, &format!("    let n = {n};")))
}

fn machine(source: &str) -> Result<Machine> {
    let program = parse(source).map_err(|e| e[0].message.clone())?;
    let types = check(&program).map_err(|e| e[0].message.clone())?;
    let code = compile(&program, &types).map_err(|e| e.message)?;
    Ok(Machine::new(Arc::new(code), deadheat_lang::Options::default()))
}

fn space(search: Search) -> Space {
    Space::new(Points::Everywhere, Options { search, ..Options::default() })
}

/// Runs a second of one core, races looked for on every run.
fn rates(csv: &mut String) -> Result<()> {
    let programs = ["fetch-add-2x2", "mutex-2x2", "fetch-add-3x2"];
    let mut best = vec![0.0_f64; programs.len() * SEARCHES.len()];
    for _ in 0..ROUNDS {
        for (at, best) in best.iter_mut().enumerate() {
            let mut machine = machine(&source(programs[at / SEARCHES.len()], None)?)?;
            *best = best.max(rate(SEARCHES[at % SEARCHES.len()].1, &mut machine));
        }
    }
    println!("runs a second (processor time of one core, races looked for on every run):");
    for (at, rate) in best.iter().enumerate() {
        let (program, search) = (programs[at / SEARCHES.len()], SEARCHES[at % SEARCHES.len()].0);
        println!("  {program:<16} {search:<8} {rate:>12.0}");
        writeln!(csv, "runs-per-second,{program},{search},{rate:.0}")?;
    }
    Ok(())
}

fn rate(search: Search, machine: &mut Machine) -> f64 {
    let (start, mut runs) = (processor_time(), 0_u32);
    while processor_time() - start < ROUND {
        let mut space = space(search);
        for _ in 0..10_000 {
            if space.next_run(machine).is_none() {
                break;
            }
            runs += 1;
        }
    }
    f64::from(runs) / (processor_time() - start).as_secs_f64()
}

fn families(csv: &mut String) -> Result<Vec<Line>> {
    println!("\nruns of the optimal search, by size:");
    let mut drawn = Vec::new();
    for (family, sizes) in FAMILIES {
        let mut points = Vec::new();
        for &n in sizes {
            let mut machine = machine(&source(family, Some(n))?)?;
            let mut space = space(Search::Optimal);
            while space.next_run(&mut machine).is_some() {}
            let runs = space.counts().runs;
            println!("  {family:<22} {n:>3} {runs:>10}");
            writeln!(csv, "runs,{family} {n},optimal,{runs}")?;
            points.push((f64::from(n), (runs as f64).log2()));
        }
        drawn.push(Line { name: family.into(), points });
    }
    Ok(drawn)
}

/// Processor time of this thread.
fn processor_time() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a timespec of ours.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) } != 0;
    assert!(!failed, "Linux has this clock");
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}
