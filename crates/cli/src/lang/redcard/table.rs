//! The paper's Table 1: how many of a run's accesses are checked, of the programs as they are and with their loops peeled. Beside it what Table 2 says of the shadow: how many locations need one.

use super::super::args::Redcard;
use super::super::run::random;
use super::super::source::Source;
use super::{config, judged, peeled, solver, subject};
use crate::failure::{Failure, Outcome};
use crate::output::print;
use deadheat_lang::Machine;
use deadheat_lang_redcard::count::{checked, counts};
use deadheat_lang_redcard::{Subject, elide};
use deadheat_redcard::{Config, ProxyMode};
use serde::Serialize;
use std::fmt::Write;

/// What was checked, in per cent of a run's accesses.
#[derive(Clone, Copy, Serialize)]
struct Shares {
    accesses: u64,
    /// By instructions that were not redundant each time.
    needed: f64,
    redcard: f64,
    with_proxies: f64,
    shadow: Shadow,
}

/// Locations that a checker has to remember something of.
#[derive(Clone, Copy, Serialize)]
struct Shadow {
    /// All that were accessed.
    locations: u64,
    /// What is left of them with proxies, in per cent.
    with_proxies: f64,
}

#[derive(Serialize)]
struct Row {
    program: String,
    original: Shares,
    peeled: Shares,
}

/// Prints a row for each program, and the geometric means.
pub fn run(args: &Redcard) -> Result<Outcome, Failure> {
    let mut rows = Vec::new();
    for file in &args.files {
        let source = Source::read(file)?;
        let subject = subject(&source)?;
        let peeled = peeled(&subject, &source)?;
        let program =
            file.file_stem().map_or_else(|| source.name.clone(), |s| s.to_string_lossy().into_owned());
        let shares = |subject: &Subject| shares(args, subject, &source);
        rows.push(Row { program, original: shares(&subject)?, peeled: shares(&peeled)? });
    }
    let text = match args.json {
        true => serde_json::to_string_pretty(&rows).map_err(|e| Failure::new(e.to_string()))? + "\n",
        false => text(&rows),
    };
    print(&text)?;
    Ok(Outcome::Clean)
}

fn shares(args: &Redcard, subject: &Subject, source: &Source) -> Result<Shares, Failure> {
    let mut machine = Machine::new(subject.code.clone(), deadheat_lang::Options::default());
    let (events, bug) = random(&mut machine, args.seed);
    if let Some(bug) = bug {
        return Err(Failure::at(&source.name, format!("the run does not come to its end: {bug}")));
    }
    let counts = counts(&events);
    let share = |n: u64| 100.0 * n as f64 / counts.accesses.max(1) as f64;
    let of = |proxies: ProxyMode| {
        let config = Config { proxies, ..config(args) };
        let elision = elide(subject, config, &mut *solver(args.solver)?);
        judged::well_formed(subject, &elision, &machine, &events)?;
        Ok(checked(&events, &elision.unchecked))
    };
    let (redcard, with_proxies) = (of(ProxyMode::Off)?, of(ProxyMode::On)?);
    let left = 100.0 * with_proxies.locations as f64 / counts.locations.max(1) as f64;
    Ok(Shares {
        accesses: counts.accesses,
        needed: share(counts.needed),
        redcard: share(redcard.accesses),
        with_proxies: share(with_proxies.accesses),
        shadow: Shadow { locations: counts.locations, with_proxies: left },
    })
}

fn text(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.program.chars().count()).max().unwrap_or(0).max(9);
    let mut out = String::new();
    let checked = "checked, in % of the accesses of a run";
    let _ = writeln!(out, "{:width$}            {checked:<53}  shadow locations", "");
    let _ = writeln!(out, "{:width$}  {:>9}  {:^26}  {:>19}", "", "", "original", "loops peeled");
    let heads = format!("{:>8} {:>8} {:>8}", "needed", "RedCard", "+proxies");
    let shadow = format!("{:>8} {:>10}", "all", "+proxies %");
    let _ = writeln!(out, "{:width$}  {:>9}  {heads}  {heads}  {shadow}", "program", "accesses");
    for Row { program, original, peeled } in rows {
        let [a, b] = [original, peeled].map(|s| numbers([s.needed, s.redcard, s.with_proxies]));
        let Shadow { locations, with_proxies } = original.shadow;
        let shadow = format!("{locations:>8} {with_proxies:>10.1}");
        let _ = writeln!(out, "{program:width$}  {:>9}  {a}  {b}  {shadow}", original.accesses);
    }
    let mean = |of: fn(&Row) -> f64| {
        let logs = rows.iter().map(|row| of(row).max(0.1).ln());
        (logs.sum::<f64>() / rows.len().max(1) as f64).exp()
    };
    let original =
        [|r: &Row| r.original.needed, |r: &Row| r.original.redcard, |r: &Row| r.original.with_proxies];
    let peeled = [|r: &Row| r.peeled.needed, |r: &Row| r.peeled.redcard, |r: &Row| r.peeled.with_proxies];
    let (a, b) = (numbers(original.map(mean)), numbers(peeled.map(mean)));
    let shadow = mean(|r| r.original.shadow.with_proxies);
    let _ = writeln!(out, "{:width$}  {:>9}  {a}  {b}  {:>8} {shadow:>10.1}", "geo. mean", "", "");
    out
}

fn numbers(of: [f64; 3]) -> String {
    of.map(|n| format!("{n:>8.1}")).join(" ")
}
