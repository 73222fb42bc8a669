//! Runs of a program under random schedules, judged by happens-before from its definition.
#![allow(dead_code, missing_docs)]

pub mod generate;

use deadheat_explore::{End, Options, Points, Races, Search, Space};
use deadheat_lang::Machine;
use deadheat_lang::code::Code;
use deadheat_lang_redcard::monitor::{Annotations, Cell, access, monitor};
use deadheat_lang_redcard::{Elision, Subject, elide};
use deadheat_redcard::solver::Builtin;
use deadheat_redcard::{Config, ProxyMode};
use deadheat_trace::{Event, HappensBefore, races};
use std::sync::Arc;

pub fn subject(text: &str) -> Subject {
    Subject::new(text.to_owned()).unwrap_or_else(|errors| {
        panic!("{}{text}", errors.iter().map(|e| e.render("program", text, false)).collect::<String>())
    })
}

pub fn analysed(subject: &Subject, config: Config) -> Elision {
    elide(subject, config, &mut Builtin::default())
}

/// A run under the random schedule with that seed.
pub fn run(code: &Arc<Code>, seed: u64) -> (Machine, Vec<Event>, End) {
    let mut machine = Machine::new(code.clone(), deadheat_lang::Options::default());
    let options = Options {
        search: Search::Random { seed },
        races: Races::Ignore,
        step_limit: 1500,
        ..Options::default()
    };
    let mut space = Space::new(Points::Everywhere, options);
    let end = space.next_run(&mut machine).expect("one run").end;
    let events = space.last_events().to_vec();
    (machine, events, end)
}

/// The events that complete a race, in order.
pub fn racy(events: &[Event]) -> Vec<usize> {
    let order = HappensBefore::of(events).expect("a short trace of the machine");
    let mut found: Vec<usize> = races(events, &order).iter().map(|pair| pair.second).collect();
    found.sort_unstable();
    found
}

#[derive(Default, Debug)]
pub struct Tally {
    pub runs: u64,
    pub raced: u64,
    pub accesses: u64,
    pub unchecked: u64,
    pub proxied: u64,
}

/// Theorem 1 and well-formedness for one run.
pub fn judge(subject: &Subject, elision: &Elision, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let (machine, events, end) = run(&subject.code, seed);
    // A proxy may be accessed right after what it stands for, so a run that is cut proves nothing about proxies.
    let proxies = elision.analysis.proxies != Default::default();
    if events.len() > 1200 || proxies && !matches!(end, End::Finished | End::Stuck) {
        return Ok(());
    }
    let told = |event: &&Event| access(&event.op).is_none() || !elision.unchecked[event.loc.0 as usize];
    let checked: Vec<Event> = events.iter().filter(told).copied().collect();
    let (_, run_with_fewer, _) = run(&elision.code(subject), seed);
    if run_with_fewer != checked {
        return Err(format!("seed {seed}: the machine does not honour the annotations"));
    }
    let (all, detected) = (racy(&events), racy(&checked));
    tally.runs += 1;
    tally.raced += u64::from(!all.is_empty());
    tally.accesses += events.iter().filter(|e| access(&e.op).is_some()).count() as u64;
    tally.unchecked += (events.len() - checked.len()) as u64;
    if all.is_empty() != detected.is_empty() {
        return Err(format!("schedule {seed}: races complete at {all:?}, detected at {detected:?}"));
    }
    let place = |place: usize, cell: Cell| elision.proxies(&machine, place, cell);
    let by_proxy =
        |e: &&Event| access(&e.op).is_some_and(|(_, cell)| !place(e.loc.0 as usize, cell).is_empty());
    tally.proxied += events.iter().filter(by_proxy).count() as u64;
    let race_free = all.first().copied().unwrap_or(events.len());
    let annotations = Annotations { unchecked: &elision.unchecked, proxies: &place };
    monitor(&events, race_free, &annotations).map_err(|fault| format!("schedule {seed}: {fault:?}"))
}

pub fn with_proxies() -> Config {
    Config { proxies: ProxyMode::On, ..Config::default() }
}
