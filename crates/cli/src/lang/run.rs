//! `deadheat lang run`: one run.

use super::args::Run;
use super::redcard;
use super::source::Source;
use super::tell::{Teller, schedule};
use crate::args::{Detector, Output};
use crate::failure::{Failure, Outcome};
use crate::output::print;
use crate::trace::output::TraceOutput;
use deadheat_explore::{BugKind, Options, Points, Races, Search, Space, replay_to_the_end};
use deadheat_lang::Machine;
use deadheat_lang_redcard::count::{checked, counts};
use deadheat_lang_redcard::{Elision, Subject};
use deadheat_report::{Tally, counted, text};
use deadheat_trace::{Event, EventId};

/// A run that is longer than this is taken not to end.
const MOST_STEPS: u32 = 1_000_000;
/// Different races that are told.
const MOST_RACES: usize = 100;

/// Runs the program once and says what it printed, what went wrong, and which races it had.
pub fn run(args: &Run) -> Result<Outcome, Failure> {
    let source = Source::read(&args.file)?;
    let code = source.compiled()?;
    let fewer = if args.redcard { Some(redcard::subject(&source)?) } else { None };
    let fewer = fewer.map(|subject| (redcard::elided(&subject), subject));
    let code = fewer.as_ref().map_or(code, |(elision, subject)| elision.code(subject));
    let options = deadheat_lang::Options { keep_output: true, ..Default::default() };
    let mut machine = Machine::new(code, options);
    let mut once = |machine: &mut Machine| match &args.schedule {
        Some(text) => follow(machine, text),
        None => Ok(random(machine, args.seed)),
    };
    let (events, bug) = once(&mut machine)?;
    let lines: String = machine.output().iter().map(|line| format!("{line}\n")).collect();
    print(&lines)?;
    let trace = machine.name_events(&events, &source.name, &source.text);
    if let Some(path) = &args.record {
        let output = Output { output: Some(path.clone()), to: None, compress: None, json: false };
        let mut out = TraceOutput::open(&output, Some(&args.file))?;
        out.write(&trace.events, &trace.symbols)?;
        out.finish()?;
    }
    let Detector(kind) = args.choice.detector;
    let mut detector = kind.build(args.choice.gc_every);
    let mut tally = Tally::new(MOST_RACES);
    detector.on_events(EventId(0), &trace.events, &mut |race| tally.add(race));
    detector.finish(&mut |race| tally.add(race)).map_err(|e| Failure::at(&source.name, e))?;
    let about = deadheat_report::Run {
        detector: kind.name(),
        precision: kind.precision(),
        events: trace.events.len() as u64,
    };
    let mut report = Vec::new();
    text::write_report(&mut report, &tally, &about, &trace.symbols)
        .map_err(|e| Failure::writing("memory", &e))?;
    let mut report = String::from_utf8_lossy(&report).into_owned();
    if let Some(kind) = &bug {
        let details = Teller::new(&source).details(kind, &machine);
        report =
            format!("{kind}\n{}\n{report}", details.iter().map(|d| format!("  {d}\n")).collect::<String>());
    }
    if let Some((elision, subject)) = &fewer {
        report += &savings(subject, elision, bug.is_some(), &mut once)?;
    }
    print(&report)?;
    Ok(Outcome::of(tally.counts().events + u64::from(bug.is_some())))
}

/// Makes the same run once more, with all accesses told: how many checks were left out, and was that right?
fn savings(
    subject: &Subject,
    elision: &Elision,
    failed: bool,
    once: &mut impl FnMut(&mut Machine) -> Result<(Vec<Event>, Option<BugKind>), Failure>,
) -> Result<String, Failure> {
    let mut machine = Machine::new(subject.code.clone(), deadheat_lang::Options::default());
    let (events, _) = once(&mut machine)?;
    // A run that fails may fail between an access and the proxy that follows it.
    if !failed {
        redcard::judged::well_formed(subject, elision, &machine, &events)?;
    }
    let (all, checks) = (counts(&events).accesses, checked(&events, &elision.unchecked).accesses);
    Ok(format!("{checks} of {} checked\n", counted(all, "access", "accesses")))
}

pub fn random(machine: &mut Machine, seed: u64) -> (Vec<Event>, Option<BugKind>) {
    let options = Options {
        search: Search::Random { seed },
        races: Races::Ignore,
        step_limit: MOST_STEPS,
        ..Options::default()
    };
    let mut space = Space::new(Points::Everywhere, options);
    space.next_run(machine);
    let bug = space.bugs().iter().next().map(|bug| bug.kind.clone());
    (space.last_events().to_vec(), bug)
}

/// Follows the schedule, then goes on with whoever can.
fn follow(machine: &mut Machine, text: &str) -> Result<(Vec<Event>, Option<BugKind>), Failure> {
    let done = replay_to_the_end(machine, &schedule(text)?, MOST_STEPS);
    if let Some(diverged) = done.diverged {
        return Err(Failure::new(diverged.to_string()));
    }
    let bug = done.bugs.into_iter().find(|bug| !matches!(bug, BugKind::DataRace(_)));
    Ok((done.log.events, bug))
}
