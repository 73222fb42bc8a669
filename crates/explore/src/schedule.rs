//! Schedules that do not depend on preemption points, and driving a system by one.
//!
//! A schedule is a list of segments: which thread goes on, for how many operations. Operations are what the system logs, so a
//! schedule found with few preemption points is the same with all of them, and can be replayed, shrunk and drawn.

use crate::bug::{BugKind, DataRace, Livelock, stuck};
use crate::run::objects::Names;
use crate::run::precise::Precise;
use crate::run::trail::Trail;
use crate::saved;
use crate::system::{Action, Log, Points, Status, System};
use deadheat_trace::Tid;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One thread goes on for some operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Segment {
    /// Who.
    #[serde(with = "saved::Tid32")]
    pub tid: Tid,
    /// For how many operations. A transition without any counts as none: it is made with the operation before it or, at the
    /// beginning of a segment, by a segment of none.
    pub operations: u32,
    /// Which way the first of them goes, where there are several.
    pub choice: u32,
}

/// Who goes on when.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Schedule {
    /// In order; neighbours are of different threads, or the second one chooses.
    pub segments: Vec<Segment>,
}

impl Schedule {
    /// Appends operations of a thread; `choice` is the way of the first of them.
    pub fn push(&mut self, tid: Tid, operations: u32, choice: u32) {
        match self.segments.last_mut() {
            Some(last) if last.tid == tid && choice == 0 => last.operations += operations,
            _ => self.segments.push(Segment { tid, operations, choice }),
        }
    }

    /// How many operations it has.
    pub fn operations(&self) -> u32 {
        self.segments.iter().map(|s| s.operations).sum()
    }

    /// The schedule of a run.
    pub(crate) fn of(trail: &Trail) -> Schedule {
        Schedule::of_steps(trail, trail.steps.len())
    }

    /// The schedule of the first steps of a run.
    pub(crate) fn of_steps(trail: &Trail, steps: usize) -> Schedule {
        let mut schedule = Schedule::default();
        for step in &trail.steps[..steps] {
            let events = &trail.log.events[step.events.0 as usize..step.events.1 as usize];
            let tid = step.action.tid;
            // The first operations of both threads of a joint step are its own; what follows is made by each for itself.
            let other = events.iter().position(|e| e.tid != tid);
            let own = |at: usize| events[at].tid == tid || Some(at) == other;
            let mut choice = step.action.choice;
            let mut run = 0;
            for (at, event) in events.iter().enumerate() {
                if own(at) {
                    run += 1;
                    continue;
                }
                schedule.push(tid, run, std::mem::take(&mut choice));
                schedule.push(event.tid, 1, 0);
                run = 0;
            }
            if run > 0 || events.is_empty() {
                schedule.push(tid, run, choice);
            }
        }
        schedule
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, s) in self.segments.iter().enumerate() {
            let gap = if i == 0 { "" } else { " " };
            write!(f, "{gap}{}×{}", s.tid.0, s.operations)?;
            if s.choice != 0 {
                write!(f, "#{}", s.choice)?;
            }
        }
        Ok(())
    }
}

/// Why a replay could not follow its schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Diverged {
    /// In which segment.
    pub segment: usize,
    /// After how many operations of it.
    pub operations: u32,
    /// What the thread was doing instead of being ready.
    pub status: Status,
}

impl fmt::Display for Diverged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.status {
            Status::Absent => "does not exist",
            Status::Ready(_) => "cannot go that way",
            Status::Blocked(_) => "is blocked",
            Status::Finished => "has ended",
        };
        write!(
            f,
            "the schedule cannot be followed: its segment {} wants to go on after {} operations, but the thread {state}",
            self.segment + 1,
            self.operations
        )
    }
}

/// One step of a replay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReplayStep {
    /// Who went which way.
    pub action: Action,
    /// How many events there were after it.
    pub events: u32,
    /// How many operations had been peeked at after it.
    pub peeked: u32,
    /// Did it switch from a thread that could have gone on?
    pub preempts: bool,
}

/// What a schedule led to.
#[derive(Debug, Default)]
pub struct Replay {
    /// What happened, in order.
    pub log: Log,
    /// Each step.
    pub steps: Vec<ReplayStep>,
    /// What was wrong: a fault, data races, and, if nobody could go on at the end, a deadlock.
    pub bugs: Vec<BugKind>,
    /// Where the schedule could not be followed.
    pub diverged: Option<Diverged>,
    /// Switches from threads that could have gone on.
    pub preemptions: u32,
    faulted: bool,
}

/// Runs the system by the schedule, from its start, with preemption points everywhere.
pub fn replay<S: System + ?Sized>(system: &mut S, schedule: &Schedule) -> Replay {
    replay_to_the_end(system, schedule, 0)
}

/// The same, and goes on after the schedule for at most that many steps: the running thread while it can, then the first that can.
pub fn replay_to_the_end<S: System + ?Sized>(system: &mut S, schedule: &Schedule, most: u32) -> Replay {
    let mut replay = Replay::default();
    system.reset();
    for (at, segment) in schedule.segments.iter().enumerate() {
        replay.follow(system, at, segment);
        if replay.faulted || replay.diverged.is_some() {
            break;
        }
    }
    if replay.diverged.is_none() {
        replay.go_on(system, most);
    }
    replay.judge(system);
    replay
}

impl Replay {
    fn follow<S: System + ?Sized>(&mut self, system: &mut S, at: usize, segment: &Segment) {
        let start = self.log.events.len() as u32;
        let mut choice = segment.choice;
        loop {
            let done = self.log.events.len() as u32 - start;
            let status = system.status(segment.tid);
            if !matches!(status, Status::Ready(ways) if choice < ways) {
                self.diverged = Some(Diverged { segment: at, operations: done, status });
                return;
            }
            let action = Action { tid: segment.tid, choice };
            if self.step(system, action) || self.log.events.len() as u32 - start >= segment.operations {
                return;
            }
            choice = 0;
        }
    }

    /// Whoever ran goes on while it can, then the first that can, for at most that many steps.
    fn go_on<S: System + ?Sized>(&mut self, system: &mut S, most: u32) {
        let ready = |system: &S, t: Tid| matches!(system.status(t), Status::Ready(_));
        for n in 0..=most {
            let last = self.steps.last().map(|s| s.action.tid).filter(|t| ready(system, *t));
            let next = last.or_else(|| (0..system.threads()).map(Tid).find(|t| ready(system, *t)));
            let Some(tid) = next.filter(|_| !self.faulted && most > 0) else { return };
            if n == most {
                self.bugs.push(BugKind::Livelock(Livelock::TooLong { steps: most }));
                return;
            }
            self.step(system, Action { tid, choice: 0 });
        }
    }

    /// Makes one step; `true` if it faulted.
    fn step<S: System + ?Sized>(&mut self, system: &mut S, action: Action) -> bool {
        let preempts = self.steps.last().is_some_and(|last| {
            let could = matches!(system.status(last.action.tid), Status::Ready(_));
            last.action.tid != action.tid && could
        });
        self.preemptions += u32::from(preempts);
        let result = system.step(action, &Points::Everywhere, &mut self.log);
        let (events, peeked) = (self.log.events.len() as u32, self.log.peeked.len() as u32);
        self.steps.push(ReplayStep { action, events, peeked, preempts });
        if let Err(fault) = result {
            self.bugs.push(BugKind::Fault(fault));
            self.faulted = true;
        }
        self.faulted
    }

    /// What else is wrong: data races, and that nobody can go on.
    fn judge<S: System + ?Sized>(&mut self, system: &S) {
        let ready = |t: Tid| matches!(system.status(t), Status::Ready(_));
        if !self.faulted && !(0..system.threads()).map(Tid).any(ready) {
            self.bugs.extend(stuck(system, &self.log.events));
        }
        let (mut precise, mut names) = (Precise::default(), Names::default());
        precise.begin();
        for (id, event) in self.log.events.iter().enumerate() {
            precise.event(id as u32, event, &mut names);
        }
        let races = precise.found.iter().map(|f| BugKind::DataRace(DataRace::new(f, &self.log.events)));
        self.bugs.extend(races);
    }

    /// The schedule of what was run, also where the one asked for was left.
    pub fn schedule(&self) -> Schedule {
        self.schedule_of(self.steps.len())
    }

    /// The schedule of the first steps.
    pub(crate) fn schedule_of(&self, steps: usize) -> Schedule {
        let mut schedule = Schedule::default();
        let mut events = 0;
        for step in &self.steps[..steps] {
            schedule.push(step.action.tid, step.events - events, step.action.choice);
            events = step.events;
        }
        schedule
    }
}
