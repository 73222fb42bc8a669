//! Bugs of a program in the small language, in words: what is wrong, and how it comes about, step by step.

use super::source::Source;
use deadheat_explore::{Bug, BugKind, Replay, Schedule, Site, Wait, replay};
use deadheat_lang::{Address, Lines, Machine};
use deadheat_report::counted;
use deadheat_trace::{Event, Mode, Op, Span, Tid};
use serde::Serialize;
use std::fmt::Write;

/// Steps in the middle of a longer run are left out of the text.
const MOST_STEPS: usize = 200;

/// One step of a run.
#[derive(Serialize)]
pub struct Step {
    /// Who.
    pub thread: String,
    /// Where.
    pub line: usize,
    pub column: usize,
    /// What, in words.
    pub what: String,
    /// Was another thread interrupted for it?
    pub preempts: bool,
}

/// A bug with the run that shows it.
#[derive(Serialize)]
pub struct Story {
    /// Which kind of bug, in a few words.
    pub bug: String,
    /// What is wrong, a line each.
    pub details: Vec<String>,
    /// How often a thread is interrupted that could have gone on.
    pub preemptions: u32,
    /// Who goes on for how many operations.
    pub schedule: String,
    /// The run.
    pub steps: Vec<Step>,
    /// In which run of the search it was found, from 1.
    pub run: u64,
    /// In how many runs it was seen.
    pub seen: u64,
    #[serde(skip)]
    pub replay: Replay,
}

/// Tells the words of one program.
pub struct Teller<'s> {
    pub source: &'s Source,
    lines: Lines<'s>,
}

impl<'s> Teller<'s> {
    pub fn new(source: &'s Source) -> Teller<'s> {
        Teller { source, lines: Lines::new(&source.text) }
    }

    /// Runs the bug's schedule once more, and says what it shows.
    pub fn story(&self, bug: &Bug, machine: &mut Machine) -> Story {
        let replay = replay(machine, &bug.schedule);
        let details = self.details(&bug.kind, machine);
        let steps = self.steps(&replay, machine);
        let (schedule, preemptions) = (bug.schedule.to_string(), replay.preemptions);
        Story {
            bug: bug.kind.to_string(),
            details,
            preemptions,
            schedule,
            steps,
            run: bug.run,
            seen: bug.seen,
            replay,
        }
    }

    /// A place with its file: `account.heat:7:5`.
    pub fn place(&self, site: Site, machine: &Machine) -> String {
        let (line, column) = self.position(site, machine);
        format!("{}:{line}:{column}", self.source.name)
    }

    /// A place without its file: `7:5`.
    pub fn short_place(&self, site: Site, machine: &Machine) -> String {
        let (line, column) = self.position(site, machine);
        format!("{line}:{column}")
    }

    fn position(&self, site: Site, machine: &Machine) -> (usize, usize) {
        self.lines.position(machine.code().spans[site.0 as usize])
    }

    /// What is wrong, a line each.
    pub fn details(&self, kind: &BugKind, machine: &Machine) -> Vec<String> {
        match kind {
            BugKind::Fault(fault) => {
                let (line, _) = self.position(fault.site, machine);
                let at = self.place(fault.site, machine);
                let text = self.lines.line(line).trim();
                vec![format!("in {} at {at}: {text}", machine.thread_name(fault.tid))]
            }
            BugKind::Deadlock(deadlock) => {
                let mut lines: Vec<String> = deadlock.waits.iter().map(|w| self.wait(w, machine)).collect();
                if !deadlock.cycle.is_empty() {
                    let names = deadlock.cycle.iter().chain(deadlock.cycle.first());
                    let names: Vec<String> = names.map(|t| machine.thread_name(*t)).collect();
                    lines.push(format!("the circle: {}", names.join(" waits for ")));
                }
                for tid in &deadlock.lost_wakeups {
                    let name = machine.thread_name(*tid);
                    lines.push(format!(
                        "{name} was made runnable before it descheduled itself: that was lost"
                    ));
                }
                lines
            }
            BugKind::DataRace(race) => {
                let name = machine.cell_name(Address(race.address >> 3));
                let side = |a: &deadheat_explore::RacingAccess| {
                    let how = match a.mode {
                        Mode::Read => "reads",
                        Mode::Write => "writes",
                        Mode::AtomicRead => "reads (atomically)",
                        Mode::AtomicWrite => "writes (atomically)",
                    };
                    format!("{} {how} {name} at {}", machine.thread_name(a.tid), self.place(a.site, machine))
                };
                vec![side(&race.first), side(&race.second), "nothing orders the two".into()]
            }
            BugKind::Livelock(_) => {
                let threads = (0..machine.created()).map(Tid);
                threads
                    .filter_map(|t| {
                        Some(format!("{} waits {}", machine.thread_name(t), machine.waits_for(t)?))
                    })
                    .collect()
            }
        }
    }

    fn wait(&self, wait: &Wait, machine: &Machine) -> String {
        let name = machine.thread_name(wait.tid);
        let at = machine
            .stands_at(wait.tid)
            .map_or_else(String::new, |site| format!(" at {}", self.place(site, machine)));
        let what = machine.waits_for(wait.tid).unwrap_or_else(|| "for ever".into());
        format!("{name}{at} waits {what}")
    }

    fn steps(&self, replay: &Replay, machine: &Machine) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut first = 0;
        for step in &replay.steps {
            for (n, event) in replay.log.events[first..step.events as usize].iter().enumerate() {
                let (line, column) = self.position(event.loc, machine);
                let thread = machine.thread_name(event.tid);
                let preempts = step.preempts && n == 0;
                steps.push(Step { thread, line, column, what: what(event, machine), preempts });
            }
            first = step.events as usize;
        }
        steps
    }

    /// The story as text.
    pub fn tell(&self, story: &Story) -> String {
        let mut out = String::new();
        let bold = anstyle::Style::new().bold();
        let red = anstyle::AnsiColor::Red.on_default().bold();
        let _ = writeln!(out, "{red}{}{red:#}", story.bug);
        for line in &story.details {
            let _ = writeln!(out, "  {line}");
        }
        let preemptions = counted(u64::from(story.preemptions), "preemption", "preemptions");
        let _ =
            writeln!(out, "\n{bold}How it comes about{bold:#} ({preemptions}; schedule {}):", story.schedule);
        let width = story.steps.iter().map(|s| s.thread.chars().count()).max().unwrap_or(0);
        let skipped = story.steps.len().saturating_sub(MOST_STEPS);
        let mut before: Option<&Step> = None;
        for (n, step) in story.steps.iter().enumerate() {
            if (MOST_STEPS / 2..MOST_STEPS / 2 + skipped).contains(&n) {
                if n == MOST_STEPS / 2 {
                    let _ = writeln!(out, "  … {} left out …", counted(skipped as u64, "step", "steps"));
                }
                continue;
            }
            let thread =
                if before.is_some_and(|b| b.thread == step.thread) { "" } else { step.thread.as_str() };
            let place = format!("{}:{}", step.line, step.column);
            let text = self.lines.line(step.line).trim();
            let _ = writeln!(out, "  {thread:width$}  {place:>7}  {:<24}  {text}", step.what);
            before = Some(step);
        }
        out
    }
}

/// What an event does, in words.
fn what(event: &Event, machine: &Machine) -> String {
    let cell = |span: Span| machine.cell_name(Address(span.addr.0 >> 3));
    match event.op {
        Op::Read(s) | Op::AtomicLoad(s, _) => format!("reads {}", cell(s)),
        Op::Write(s) | Op::AtomicStore(s, _) => format!("writes {}", cell(s)),
        Op::AtomicRmw(s, _) => format!("changes {}", cell(s)),
        Op::Acquire(m) => format!("locks {}", machine.lock_name(m)),
        Op::Release(m) => format!("unlocks {}", machine.lock_name(m)),
        Op::Fork(t) => format!("starts {}", machine.thread_name(t)),
        Op::Join(t) => format!("has waited for {}", machine.thread_name(t)),
        Op::VolatileWrite(v) if v.0 == event.tid.0 => "deschedules itself".into(),
        Op::VolatileWrite(v) => format!("makes {} runnable", machine.thread_name(Tid(v.0))),
        Op::VolatileRead(_) => "goes on".into(),
        Op::ChanMake(c, room) => format!("makes {} with room for {room}", machine.chan_name(c)),
        Op::Send(c) => format!("sends on {}", machine.chan_name(c)),
        Op::Receive(c) => format!("receives from {}", machine.chan_name(c)),
        Op::ReceiveClosed(c) => format!("finds {} closed", machine.chan_name(c)),
        Op::Close(c) => format!("closes {}", machine.chan_name(c)),
        Op::Alloc(s) => format!("allocates {}", cell(s)),
        Op::Free(s) => format!("frees {}", cell(s)),
        other => format!("{other:?}"),
    }
}

/// A schedule from its text.
pub fn schedule(text: &str) -> Result<Schedule, crate::failure::Failure> {
    text.parse().map_err(|e| crate::failure::Failure::new(format!("{e}")))
}
