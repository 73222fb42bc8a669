//! `deadheat lang explore`: every schedule that matters.

use super::args::{Explore, PointsKind, SearchKind};
use super::display::Display;
use super::replays::{ReplayFile, draw, replay_file};
use super::saved;
use super::source::Source;
use super::summary;
use super::tell::{Story, Teller};
use crate::failure::Failure;
use crate::limit::MemoryLimit;
use crate::output::{note, print};
use deadheat_explore::{
    AfterBug, Budget, Deepening, Heap, Options, Points, Races, Recycled, Search, Verdict, shrink,
};
use deadheat_lang::Machine;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Random searches end after so many runs if nobody says otherwise.
const RANDOM_RUNS: u64 = 100_000;
/// Runs that may be spent on making a bug's schedule shorter.
const SHRINK_RUNS: u64 = 20_000;

/// Explores, or replays.
pub fn run(args: &Explore) -> Result<ExitCode, Failure> {
    let source = Source::read(&args.file)?;
    let code = source.compiled()?;
    let options = deadheat_lang::Options { heap_points: args.heap_overruns, ..Default::default() };
    let machine = Machine::new(code, options);
    if let Some(path) = &args.replay {
        return replay_file(path, &source, machine, args);
    }
    let mut search = match &args.resume {
        Some(path) => saved::load(path, &source)?,
        None => start(args),
    };
    let jobs = args.jobs.map_or_else(processors, |n| usize::try_from(n).unwrap_or(usize::MAX).min(256));
    let mut machines = vec![machine; jobs];
    let cancel = cancel_on_signals()?;
    let mut display = Display::new();
    let verdict = search.run(&mut machines, budget(args), &cancel, &mut |progress| display.show(progress));
    drop(display);
    finish(args, &source, &search, verdict, &mut machines[0])
}

fn start(args: &Explore) -> Deepening {
    let search = match args.search {
        SearchKind::Optimal => Search::Optimal,
        SearchKind::Dpor => Search::Dpor,
        SearchKind::Naive => Search::Naive,
        SearchKind::Random => Search::Random { seed: args.seed },
        SearchKind::Pct => Search::Pct { seed: args.seed, depth: args.depth.max(1) },
        SearchKind::Surw => Search::Surw { seed: args.seed },
    };
    let options = Options {
        search,
        preemptions: args.preemptions,
        step_limit: u32::try_from(args.steps).unwrap_or(u32::MAX),
        // Where every access is a point, every order of allocations is one too.
        heap: match args.heap_overruns || args.points == Some(PointsKind::All) {
            true => Heap::Overruns,
            false => Heap::Independent,
        },
        races: if args.allow_races { Races::Ignore } else { Races::Report },
        recycled: if args.keep_recycled { Recycled::Keep } else { Recycled::Drop },
    };
    let after = if args.keep_going { AfterBug::GoOn } else { AfterBug::Stop };
    let points = args.points.unwrap_or(match search.is_exhaustive() {
        true => PointsKind::Deepening,
        false => PointsKind::All,
    });
    match points {
        PointsKind::Deepening => Deepening::new(options, after),
        PointsKind::Sync => Deepening::fixed(Points::sync_only(), options, after),
        PointsKind::All => Deepening::fixed(Points::Everywhere, options, after),
    }
}

fn budget(args: &Explore) -> Budget {
    let is_random = matches!(args.search, SearchKind::Random | SearchKind::Pct | SearchKind::Surw);
    let runs = args.runs.or((is_random && args.time.is_none()).then_some(RANDOM_RUNS));
    let memory = MemoryLimit::new(args.memory_limit).bytes();
    Budget { time: args.time.map(Duration::from_secs), runs, memory: Some(memory) }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The first signal ends the search with what was found so far; the second ends the program.
fn cancel_on_signals() -> Result<Arc<AtomicBool>, Failure> {
    let cancel = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        let fails = |e: std::io::Error| Failure::new(format!("cannot wait for signals: {e}"));
        // In this order: the first signal finds the flag unset.
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&cancel)).map_err(fails)?;
        signal_hook::flag::register(signal, Arc::clone(&cancel)).map_err(fails)?;
    }
    Ok(cancel)
}

fn finish(
    args: &Explore,
    source: &Source,
    search: &Deepening,
    verdict: Verdict,
    machine: &mut Machine,
) -> Result<ExitCode, Failure> {
    let teller = Teller::new(source);
    let mut stories: Vec<Story> = Vec::new();
    for bug in search.bugs().iter().take(if args.keep_going { usize::MAX } else { 1 }) {
        let shrunk = shrink(machine, bug, SHRINK_RUNS).bug;
        stories.push(teller.story(&shrunk, machine));
    }
    let progress = search.progress();
    let text = match args.json {
        true => summary::json(&teller, &progress, &verdict, &stories, machine)?,
        false => summary::text(&teller, &progress, &verdict, &stories, machine),
    };
    print(&text)?;
    if let Some(first) = stories.first() {
        let path = args.output.clone().unwrap_or_else(|| ReplayFile::path_for(&source.path));
        ReplayFile::new(source, first, args.heap_overruns).write(&path)?;
        note(&format!("The first bug's schedule is in {0}: --replay {0} runs it again.", path.display()));
        if let Some(html) = &args.html {
            draw(html, source, first, machine)?;
        }
    } else if args.html.is_some() {
        note("There is no bug to draw.");
    }
    if let Some(path) = &args.save {
        saved::save(path, source, search)?;
        note(&format!("The search is saved in {0}: --resume {0} goes on.", path.display()));
    }
    Ok(match verdict {
        Verdict::Verified => ExitCode::SUCCESS,
        Verdict::Bugs { .. } => ExitCode::from(66),
        Verdict::Incomplete(_) => ExitCode::from(3),
    })
}
