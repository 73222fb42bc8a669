//! A bug's schedule in a file, run again and drawn.

use super::args::Explore;
use super::source::Source;
use super::tell::{Story, Teller};
use crate::args::is_standard;
use crate::failure::{Failure, plain};
use crate::output::{Target, note, print};
use deadheat_detect::DetectorKind;
use deadheat_explore::{Bug, replay_to_the_end};
use deadheat_lang::{Machine, Options};
use deadheat_report::{Picture, PictureEdge, Race, Tally};
use deadheat_trace::EventId;
use serde::{Deserialize, Serialize};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A schedule with what it is for.
#[derive(Serialize, Deserialize)]
pub struct ReplayFile {
    /// What the file is.
    deadheat: String,
    /// The program's name, for the reader.
    program: String,
    /// The program's text when the schedule was found.
    text: String,
    /// What the schedule shows, for the reader.
    bug: String,
    /// Who goes on for how many operations.
    schedule: String,
    /// Were `malloc` and `free` preemption points?
    heap_overruns: bool,
}

const WHAT: &str = "replay 1";
/// After the schedule the run goes on for so many steps.
const MOST_STEPS: u32 = 1_000_000;
/// Races drawn.
const MOST_RACES: usize = 100;

impl ReplayFile {
    pub fn new(source: &Source, story: &Story, heap_overruns: bool) -> ReplayFile {
        ReplayFile {
            deadheat: WHAT.into(),
            program: source.name.clone(),
            text: source.text.clone(),
            bug: story.bug.clone(),
            schedule: story.schedule.clone(),
            heap_overruns,
        }
    }

    /// The program's name with `.replay`, in the working directory.
    pub fn path_for(program: &Path) -> PathBuf {
        match program.file_stem() {
            Some(stem) if !is_standard(program) => PathBuf::from(stem).with_extension("replay"),
            _ => PathBuf::from("program.replay"),
        }
    }

    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(self).map_err(|e| Failure::new(e.to_string()))?;
        std::fs::write(path, text + "\n").map_err(|e| Failure::writing(path.display(), &e))
    }

    fn read(path: &Path) -> Result<ReplayFile, Failure> {
        let name = path.display();
        let text = std::fs::read_to_string(path).map_err(|e| Failure::at(&name, plain(&e)))?;
        let file: ReplayFile =
            serde_json::from_str(&text).map_err(|e| Failure::at(&name, format!("is no replay: {e}")))?;
        match file.deadheat == WHAT {
            true => Ok(file),
            false => Err(Failure::at(&name, "was written by another version")),
        }
    }
}

/// Runs the schedule of a file and tells what happens.
pub fn replay_file(
    path: &Path,
    source: &Source,
    machine: Machine,
    args: &Explore,
) -> Result<ExitCode, Failure> {
    let file = ReplayFile::read(path)?;
    if file.text != source.text {
        note(&format!("note: {} has changed since {} was written", source.name, path.display()));
    }
    let options = Options { heap_points: file.heap_overruns, ..Default::default() };
    let mut machine = Machine::new(machine.code().clone(), options);
    let run = replay_to_the_end(&mut machine, &super::tell::schedule(&file.schedule)?, MOST_STEPS);
    if let Some(diverged) = run.diverged {
        return Err(Failure::at(path.display(), diverged));
    }
    // The bug that the file is about, if it is still there.
    let same = run.bugs.iter().find(|bug| bug.to_string() == file.bug);
    let Some(kind) = same.or(run.bugs.first()).cloned() else {
        print("The schedule was run to its end: no bug.\n")?;
        return Ok(ExitCode::SUCCESS);
    };
    let bug = Bug { kind, schedule: run.schedule(), preemptions: run.preemptions, run: 1, seen: 1 };
    let teller = Teller::new(source);
    let story = teller.story(&bug, &mut machine);
    match args.json {
        true => {
            let text = serde_json::to_string_pretty(&story).map_err(|e| Failure::new(e.to_string()))?;
            print(&(text + "\n"))?;
        }
        false => print(&teller.tell(&story))?,
    }
    if let Some(html) = &args.html {
        draw(html, source, &story, &machine)?;
    }
    Ok(ExitCode::from(66))
}

/// Draws the run that the machine has just made.
pub fn draw(path: &Path, source: &Source, story: &Story, machine: &Machine) -> Result<(), Failure> {
    let trace = machine.name_events(&story.replay.log.events, &source.name, &source.text);
    let mut detector = DetectorKind::VerifiedFt.build(0);
    let mut tally = Tally::new(MOST_RACES);
    detector.on_events(EventId(0), &trace.events, &mut |race| tally.add(race));
    let races: Vec<Race> = tally.reports().iter().map(|r| r.race.clone()).collect();
    let edges = PictureEdge::of_trace(&trace.events, &trace.symbols);
    let title = format!("{}: {}", source.name, story.bug);
    let picture = Picture {
        title: &title,
        events: &trace.events,
        symbols: &trace.symbols,
        edges: &edges,
        races: &races,
    };
    let target = Target::new(Some(path));
    let (sink, fate) = target.create(Some(&source.path))?;
    let mut out = BufWriter::new(sink);
    picture.write_html(&mut out).and_then(|()| out.flush()).map_err(|e| fate.failure(e))?;
    fate.finish();
    note(&format!("The run is drawn in {}.", target.name()));
    Ok(())
}
