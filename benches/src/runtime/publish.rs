//! The results for people and for other programs: text, CSV and SVG.

use super::table::Quantity;
use super::{Bench, chart, programs};
use std::error::Error;
use std::fs;
use std::path::Path;

/// Writes all of it into the folder.
pub fn files(bench: &Bench, out: &Path) -> Result<(), Box<dyn Error>> {
    fs::write(out.join("runtime.txt"), text(bench))?;
    fs::write(out.join("runtime.csv"), bench.results.csv())?;
    fs::write(out.join("runtime-rules.csv"), bench.results.rules_csv())?;
    let pictures = [
        ("runtime.svg", "Slowdown, processor time", Quantity::Processor),
        ("runtime-memory.svg", "Peak memory", Quantity::Memory),
    ];
    for (file, title, quantity) in pictures {
        chart::bars(&out.join(file), title, &bench.results, quantity)?;
    }
    Ok(())
}

/// All tables, the compilers and the notes.
pub fn text(bench: &Bench) -> String {
    let mut text = String::new();
    let mut section = |title: &str, table: &str| text += &format!("{title}\n\n{table}\n");
    let ratios = [
        (Quantity::Processor, "Slowdown: processor time (user and system), times native"),
        (Quantity::Wall, "Slowdown: time on the clock, times native"),
        (Quantity::Memory, "Peak memory, times native"),
    ];
    for (quantity, title) in ratios {
        section(title, &bench.results.ratios(quantity));
    }
    section("Data races reported in a quick run", &bench.results.races());
    if let Some(table) = bench.results.rule_percentages() {
        section("Rules that applied, v2", &table);
    }
    if let Some(table) = bench.results.check_shares() {
        section(
            "Checks that the programs made: how many, and shares of that with --elide (a range is one)",
            &table,
        );
    }
    if let Some(table) = bench.results.eliding() {
        section("What --elide does, in the form of RedCard's Table 2", &table);
    }
    section("The bars", &bench.results.bars());
    let compiler = |(build, compilers): &(super::Build, super::Compilers)| {
        format!("{:<11} {}\n", build.folder(), compilers.version)
    };
    section("Compilers, all with -O2 -g", &bench.compilers.iter().map(compiler).collect::<String>());
    text += &format!(
        "Best of {} interleaved rounds, {} threads. Helgrind and DRD: ports only, once, smaller runs.\n",
        bench.options.repeats,
        programs::THREADS
    );
    bench.notes.iter().for_each(|note| text += &format!("Note: {note}\n"));
    text
}
