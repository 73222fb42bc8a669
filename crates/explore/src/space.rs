//! One state space: all schedules of a program with a given set of preemption points, searched run by run.

use crate::bug::{BugKind, Bugs, DataRace, Livelock, stuck};
use crate::run::candidates::{Candidate, Candidates, Recycled, Tally};
use crate::run::objects::{Heap, Names};
use crate::run::precise::Precise;
use crate::run::trail::{NONE, Trail};
use crate::schedule::Schedule;
use crate::search::{Bound, Ending, Search, State, Strategy};
use crate::system::{Fault, Points, Status, System};
use deadheat_trace::{Event, Tid};
use serde::{Deserialize, Serialize};

/// How to search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Options {
    /// Which schedules, in which order.
    pub search: Search,
    /// At most that many switches from threads that could go on. A bounded search verifies nothing beyond its bound; the optimal search
    /// has no bounded form, and becomes [`Search::Dpor`].
    pub preemptions: Option<u32>,
    /// A run longer than this is reported as a livelock, and left.
    pub step_limit: u32,
    /// How allocations relate.
    pub heap: Heap,
    /// Are data races bugs?
    pub races: Races,
    /// What becomes of malloc-recycle candidates.
    pub recycled: Recycled,
}

/// Are data races bugs, or only where to preempt?
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Races {
    /// A run with a data race is a bug.
    #[default]
    Report,
    /// Data races are not reported.
    Ignore,
}

impl Default for Options {
    fn default() -> Options {
        let (search, preemptions, heap, races, recycled) = Default::default();
        Options { search, preemptions, step_limit: 10_000, heap, races, recycled }
    }
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// All threads have ended.
    Finished,
    /// Nobody can go on, and not all have ended.
    Stuck,
    /// A step faulted.
    Fault,
    /// It was longer than the limit.
    TooLong,
    /// Everybody who can go on is asleep: another run has shown, or will show, what follows.
    Redundant,
}

/// What a run was like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// How many transitions it had.
    pub steps: u32,
    /// How many of them were switches from threads that could have gone on.
    pub preemptions: u32,
    /// How many bugs it showed that were not known.
    pub new_bugs: u32,
}

/// Counts over a whole search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Runs in all.
    pub runs: u64,
    /// Runs that ended with everybody asleep.
    pub redundant: u64,
    /// Transitions in all.
    pub steps: u64,
    /// Sequences to try that could not be followed: the system is not what its log says, and nothing is verified.
    pub diverged: u64,
}

/// The search through one state space. Saved and loaded with serde, it goes on where it was.
#[derive(Clone, Serialize, Deserialize)]
pub struct Space {
    points: Points,
    options: Options,
    state: State,
    names: Names,
    counts: Counts,
    bugs: Bugs,
    candidates: Tally,
    complete: bool,
    /// Redundant runs since the last other one.
    idle: u32,
    #[serde(skip)]
    engine: Engine,
}

/// After so many redundant runs in a row a search is taken to have lost its way.
const MOST_IDLE: u32 = 100_000;

/// The buffers of a run; a copy of a search begins with empty ones.
#[derive(Default)]
struct Engine {
    trail: Trail,
    precise: Precise,
    candidates: Candidates,
}

impl Clone for Engine {
    fn clone(&self) -> Engine {
        Engine::default()
    }
}

impl Space {
    /// All schedules that switch threads at those points.
    pub fn new(points: Points, options: Options) -> Space {
        let open = points != Points::Everywhere;
        let state = State::new(options.search, Bound(options.preemptions), open);
        let (names, counts, bugs, candidates, engine) = Default::default();
        Space { points, options, state, names, counts, bugs, candidates, complete: false, idle: 0, engine }
    }

    /// Makes the next run; `None` if there is nothing left to try, or if the system did not repeat itself ([`Counts::diverged`]).
    pub fn next_run<S: System + ?Sized>(&mut self, system: &mut S) -> Option<Run> {
        // A system whose log leaves something out (addresses that depend on the schedule, say) can keep a search busy for ever.
        if self.idle >= MOST_IDLE {
            (self.counts.diverged, self.complete) = (self.counts.diverged.max(1), true);
        }
        let fresh = if self.complete { None } else { self.state.begin() };
        let Some(fresh) = fresh else {
            self.complete = true;
            return None;
        };
        system.reset();
        self.counts.runs += 1;
        self.engine.begin(system, fresh);
        let end = self.drive(system);
        if self.engine.trail.may_race {
            self.examine();
        }
        let new_bugs = self.judge_races() + u32::from(self.judge(system, &end));
        let Engine { trail, .. } = &mut self.engine;
        trail.finish(system, &mut self.names, self.options.heap);
        let end = match end {
            Ended::Fault(_) => End::Fault,
            Ended::Early(end) => end,
        };
        self.state.finish(trail, if end == End::Fault { Ending::Fault } else { Ending::Maximal });
        self.counts.steps += trail.steps.len() as u64;
        self.counts.redundant += u64::from(end == End::Redundant);
        // So has a system lost it that ended before what it is to repeat.
        let short = fresh != u32::MAX && (trail.steps.len() as u32) < fresh;
        self.idle = match end {
            _ if short => MOST_IDLE,
            End::Redundant => self.idle + 1,
            _ => 0,
        };
        self.counts.diverged = self.state.diverged();
        Some(Run { end, steps: trail.steps.len() as u32, preemptions: trail.preemptions, new_bugs })
    }

    /// Steps until the run ends.
    fn drive<S: System + ?Sized>(&mut self, system: &mut S) -> Ended {
        loop {
            let trail = &mut self.engine.trail;
            if trail.ready.is_empty() {
                let ended =
                    (0..system.threads()).all(|t| !matches!(system.status(Tid(t)), Status::Blocked(_)));
                return Ended::Early(if ended { End::Finished } else { End::Stuck });
            }
            if trail.steps.len() as u32 >= self.options.step_limit {
                return Ended::Early(End::TooLong);
            }
            if matches!(self.state, State::Surw(_)) {
                trail.look_ahead(system, &mut self.names, self.options.heap);
            }
            let Some(action) = self.state.pick(trail) else { return Ended::Early(End::Redundant) };
            if action.choice >= trail.ways(action.tid) {
                // The system did not repeat itself: there is nothing more to learn here.
                self.idle = MOST_IDLE;
                return Ended::Early(End::Redundant);
            }
            let result = system.step(action, &self.points, &mut trail.log);
            trail.record(action, &mut self.names, self.options.heap);
            trail.observe(system);
            if let Err(fault) = result {
                self.engine.trail.faulted = true;
                return Ended::Fault(fault);
            }
        }
    }

    /// Looks for data races and candidates in the run.
    fn examine(&mut self) {
        let Engine { trail, precise, candidates } = &mut self.engine;
        if self.options.races == Races::Report {
            for (id, event) in trail.log.events.iter().enumerate() {
                precise.event(id as u32, event, &mut self.names);
            }
        }
        // Where every access is a point already, a candidate is no news.
        if matches!(self.points, Points::Everywhere) {
            return;
        }
        let (recycled, tally) = (self.options.recycled, &mut self.candidates);
        let mut unblocks = trail.unblocks.iter().peekable();
        for (at, step) in trail.steps.iter().enumerate() {
            let tid = step.action.tid;
            let partner = (step.partner != NONE).then_some(Tid(step.partner));
            let events = &trail.log.events[step.events.0 as usize..step.events.1 as usize];
            candidates.transition((tid, partner), events, &self.points, &mut self.names, recycled, tally);
            while let Some(&(_, t)) = unblocks.next_if(|u| u.0 as usize == at) {
                candidates.unblocked(t, tid);
            }
        }
    }

    /// Data races of the run; how many were not known?
    fn judge_races(&mut self) -> u32 {
        let Engine { trail, precise, .. } = &self.engine;
        let fresh = trail.steps.get(trail.fresh as usize).map_or(0, |s| s.events.0);
        let mut new = 0;
        for found in precise.found.iter().filter(|f| f.current >= fresh) {
            let kind = BugKind::DataRace(DataRace::new(found, &trail.log.events));
            // The step in which the race is complete is the last that is needed.
            let last = trail.steps.partition_point(|s| s.events.1 <= found.current);
            let preemptions = trail.steps[..=last].iter().filter(|s| s.preempts).count() as u32;
            let schedule = || Schedule::of_steps(trail, last + 1);
            new += u32::from(self.bugs.see(kind, self.counts.runs, preemptions, &schedule));
        }
        new
    }

    /// Bugs that the run's end shows; is there a new one?
    fn judge<S: System + ?Sized>(&mut self, system: &S, end: &Ended) -> bool {
        let kind = match end {
            Ended::Fault(fault) => BugKind::Fault(fault.clone()),
            Ended::Early(End::Stuck) => match stuck(system, &self.engine.trail.log.events) {
                Some(kind) => kind,
                None => return false,
            },
            Ended::Early(End::TooLong) => {
                BugKind::Livelock(Livelock::TooLong { steps: self.options.step_limit })
            }
            Ended::Early(_) => return false,
        };
        let trail = &self.engine.trail;
        self.bugs.see(kind, self.counts.runs, trail.preemptions, &|| Schedule::of(trail))
    }

    /// Where threads are switched.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// How it searches.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The distinct bugs so far.
    pub fn bugs(&self) -> &Bugs {
        &self.bugs
    }

    /// The distinct data race candidates so far: where more preemption points may show more.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates.list
    }

    /// How many pairs of places were dropped as malloc-recycle candidates.
    pub fn recycled(&self) -> u64 {
        self.candidates.recycled()
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Has everything been tried?
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Which part of the search is done, estimated from the branches that are known; 0 for searches without an end.
    pub fn done(&self) -> f64 {
        if self.complete { 1.0 } else { self.state.done() }
    }

    /// How many runs it will have taken, estimated.
    pub fn estimated_runs(&self) -> Option<f64> {
        let done = self.done();
        (done > 0.0).then(|| self.counts.runs as f64 / done)
    }

    /// About how many bytes the search keeps between runs.
    pub fn memory(&self) -> usize {
        self.state.kept() * 160 + self.names.len() * 40
    }

    /// Gives the memory of the last run back.
    pub(crate) fn forget_run(&mut self) {
        self.engine = Engine::default();
    }

    /// The schedule of the last run.
    pub fn last_schedule(&self) -> Schedule {
        Schedule::of(&self.engine.trail)
    }

    /// The events of the last run.
    pub fn last_events(&self) -> &[Event] {
        &self.engine.trail.log.events
    }
}

enum Ended {
    Early(End),
    Fault(Fault),
}

impl Engine {
    fn begin<S: System + ?Sized>(&mut self, system: &S, fresh: u32) {
        self.trail.begin(system, fresh);
        self.precise.begin();
        self.candidates.begin();
    }
}
