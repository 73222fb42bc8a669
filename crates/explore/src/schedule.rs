//! Schedules that do not depend on preemption points, and driving a system by one.
//!
//! A schedule is a list of segments: which thread goes on, for how many operations. Operations are what the system logs, so a
//! schedule found with few preemption points is the same with all of them, and can be replayed, shrunk and drawn.

use crate::run::trail::Trail;
use crate::saved;
use crate::system::{Action, Fault, Log, Points, Status, System};
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

/// What a schedule led to.
#[derive(Debug, Default)]
pub struct Replay {
    /// What happened, in order.
    pub log: Log,
    /// Each step, and how many events there were after it.
    pub steps: Vec<(Action, u32)>,
    /// The fault that ended it.
    pub fault: Option<Fault>,
    /// Where the schedule could not be followed.
    pub diverged: Option<Diverged>,
    /// Switches from threads that could have gone on.
    pub preemptions: u32,
}

/// Runs the system by the schedule, from its start, with preemption points everywhere.
pub fn replay<S: System + ?Sized>(system: &mut S, schedule: &Schedule) -> Replay {
    let mut replay = Replay::default();
    system.reset();
    for (at, segment) in schedule.segments.iter().enumerate() {
        replay.follow(system, at, segment);
        if replay.fault.is_some() || replay.diverged.is_some() {
            break;
        }
    }
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

    /// Makes one step; `true` if it faulted.
    fn step<S: System + ?Sized>(&mut self, system: &mut S, action: Action) -> bool {
        if let Some(&(last, _)) = self.steps.last() {
            let could = matches!(system.status(last.tid), Status::Ready(_));
            self.preemptions += u32::from(last.tid != action.tid && could);
        }
        let result = system.step(action, &Points::Everywhere, &mut self.log);
        self.steps.push((action, self.log.events.len() as u32));
        self.fault = result.err();
        self.fault.is_some()
    }

    /// Goes on to the end of the run: the running thread while it can, then the first that can; at most that many steps.
    pub fn complete<S: System + ?Sized>(&mut self, system: &mut S, most: u32) {
        for _ in 0..most {
            if self.fault.is_some() {
                return;
            }
            let ready = |t: &Tid| matches!(system.status(*t), Status::Ready(_));
            let last = self.steps.last().map(|s| s.0.tid).filter(ready);
            let Some(tid) = last.or_else(|| (0..system.threads()).map(Tid).find(ready)) else { return };
            self.step(system, Action { tid, choice: 0 });
        }
    }

    /// The schedule of what was run, also where the one asked for was left.
    pub fn schedule(&self) -> Schedule {
        let mut schedule = Schedule::default();
        let mut events = 0;
        for &(action, end) in &self.steps {
            schedule.push(action.tid, end - events, action.choice);
            events = end;
        }
        schedule
    }
}
