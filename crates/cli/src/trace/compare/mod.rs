//! `deadheat trace compare`: several detectors on one trace, and where they differ.

mod tell;

use crate::args::{Compare, Detector as Choice};
use crate::failure::{Failure, Outcome};
use crate::output::print;
use crate::run::{Flow, Run};
use deadheat_detect::{Detector, DetectorKind};
use deadheat_report::{Race, Tally};
use std::time::{Duration, Instant};

/// Without a choice, the quadratic detectors take part up to this many events and then drop out.
const SHORT: u64 = 20_000;

/// A detector with what it has found.
struct Contestant {
    kind: DetectorKind,
    standing: Standing,
    tally: Tally,
    time: Duration,
}

/// Whether a detector is still in the race.
enum Standing {
    /// It is.
    In(Box<dyn Detector>),
    /// It is not, for that reason.
    Out(String),
}

impl Contestant {
    fn new(kind: DetectorKind, gc_every: u64) -> Contestant {
        let standing = Standing::In(kind.build(gc_every));
        Contestant { kind, standing, tally: Tally::new(0), time: Duration::ZERO }
    }

    /// Lets the detector work, on the clock. If it fails, it is out.
    fn work(&mut self, f: impl FnOnce(&mut dyn Detector, &mut dyn FnMut(Race)) -> Result<(), String>) {
        let Contestant { standing: Standing::In(detector), tally, time, .. } = self else { return };
        let started = Instant::now();
        let done = f(detector.as_mut(), &mut |race| tally.add(race));
        *time += started.elapsed();
        if let Err(why) = done {
            self.standing = Standing::Out(why);
        }
    }

    /// Why it is out, if it is.
    fn out(&self) -> Option<&str> {
        match &self.standing {
            Standing::In(_) => None,
            Standing::Out(why) => Some(why),
        }
    }
}

/// Runs the detectors side by side. If the trace breaks off at a mistake, what they found before is told all the same.
pub fn run(args: &Compare) -> Result<Outcome, Failure> {
    let mut run = Run::open(&args.input)?;
    let mut all: Vec<_> = kinds(args).into_iter().map(|kind| Contestant::new(kind, args.gc_every)).collect();
    let read = run.each(&mut |first, events, _| {
        if args.detector.is_empty() && first.0 > SHORT {
            all.iter_mut().filter(|c| c.kind.takes_short_traces_only()).for_each(drop_out);
        }
        for contestant in &mut all {
            contestant.work(|d, races| {
                d.on_events(first, events, races);
                Ok(())
            });
        }
        Flow::Go
    });
    all.iter_mut().for_each(|c| c.work(|d, races| d.finish(races)));
    let races = all.iter().map(|c| c.tally.counts().events).max().unwrap_or(0);
    if let Some(why) = all.iter().find_map(Contestant::out).filter(|_| all.iter().all(|c| c.out().is_some()))
    {
        return Err(Failure::at(run.name(), why));
    }
    if read.is_ok() || races > 0 {
        print(&match args.json {
            true => tell::as_json(&all, &run, read.as_ref().err()),
            false => tell::as_text(&all, &run),
        })?;
    }
    read?;
    Ok(Outcome::of(races))
}

/// The detectors asked for, each once; all if none is.
fn kinds(args: &Compare) -> Vec<DetectorKind> {
    let mut kinds = Vec::new();
    for &Choice(kind) in &args.detector {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.is_empty() { DetectorKind::ALL.to_vec() } else { kinds }
}

/// Takes a detector out of a trace that has become too long for it, with what it holds in memory.
fn drop_out(contestant: &mut Contestant) {
    contestant.standing = Standing::Out("for short traces; ask for it by name".into());
    contestant.tally = Tally::new(0);
}
