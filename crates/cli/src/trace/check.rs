//! `deadheat trace check`: the races of a trace, by one detector.

use crate::args::{Check, Detector};
use crate::failure::{Failure, Outcome};
use crate::output::print;
use crate::run::{Flow, Run};
use deadheat_report::json::RunReport;
use deadheat_report::{Tally, text};
use serde::Serialize;

/// Checks the trace. If it breaks off at a mistake, what was found before is reported all the same.
pub fn run(args: &Check) -> Result<Outcome, Failure> {
    let mut run = Run::open(&args.input)?;
    let Detector(kind) = args.choice.detector;
    let mut detector = kind.build(args.choice.gc_every);
    let mut tally = Tally::new(args.max_races);
    let read = run.each(&mut |first, events, _| {
        detector.on_events(first, events, &mut |race| tally.add(race));
        Flow::Go
    });
    let finished = detector.finish(&mut |race| tally.add(race)).map_err(|e| Failure::at(run.name(), e));
    let done = read.and(finished);
    if done.is_ok() || !tally.is_empty() {
        let about =
            deadheat_report::Run { detector: kind.name(), precision: kind.precision(), events: run.events };
        print(&match args.json {
            true => as_json(&run, &tally, &about, done.as_ref().err())?,
            false => as_text(&run, &tally, &about)?,
        })?;
    }
    done?;
    Ok(Outcome::of(tally.counts().events))
}

fn as_text(run: &Run, tally: &Tally, about: &deadheat_report::Run<'_>) -> Result<String, Failure> {
    let mut out = Vec::new();
    text::write_report(&mut out, tally, about, run.symbols()).map_err(|e| Failure::writing("memory", &e))?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// The report, with what only the command knows.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    found: RunReport,
    /// How many repairs `--lenient` made.
    #[serde(skip_serializing_if = "Option::is_none")]
    repaired: Option<u64>,
    /// Why the rest of the trace was not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<String>,
}

fn as_json(
    run: &Run,
    tally: &Tally,
    about: &deadheat_report::Run<'_>,
    stopped: Option<&Failure>,
) -> Result<String, Failure> {
    let found = RunReport::new(tally, about, run.symbols());
    let report = Report { found, repaired: run.repaired(), stopped: stopped.map(Failure::to_string) };
    serde_json::to_string_pretty(&report).map(|s| s + "\n").map_err(|e| Failure::new(e.to_string()))
}
