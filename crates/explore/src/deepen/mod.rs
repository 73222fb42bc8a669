//! Iterative deepening: state spaces with more and more preemption points, until all schedules are covered.
//!
//! Blum, Gibson, *Stateless Model Checking with Data-Race Preemption Points* (OOPSLA 2016), and the proofs in CMU-PDL-16-103. A job is a
//! state space with its set of preemption points. The first has synchronisation only. Each new data race candidate (a, b) of a job
//! with the set S adds jobs for S ∪ {a}, S ∪ {b} and S ∪ {a, b}, and one for all places known. The cheapest job comes first, by an estimate
//! of how many runs it takes. A job that is complete retires those with fewer points. When the job with all places is complete
//! and has found no new one, no other preemption could change anything (Theorem 1): every schedule has been covered.
//!
//! What that rests on is in §4 of the report: all communication is in the log, schedules are the only nondeterminism, locks
//! work, and runs end.

mod jobs;
mod workers;

use crate::bug::Bugs;
use crate::run::candidates::Candidate;
use crate::space::{Options, Space};
use crate::system::{Points, Site};
use jobs::{Job, JobState};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;

/// What to do when a bug has been found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum AfterBug {
    /// Stop: one is enough.
    #[default]
    Stop,
    /// Go on to the end: all bugs are wanted.
    GoOn,
}

/// When to stop though there is more to do.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Budget {
    /// After so much time, of this call.
    pub time: Option<Duration>,
    /// After so many runs in all.
    pub runs: Option<u64>,
    /// When the searches keep about so many bytes.
    pub memory: Option<usize>,
}

/// A data race candidate, and where it was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FoundCandidate {
    /// The places.
    pub candidate: Candidate,
    /// In which state space, by its number in [`Progress::spaces`].
    pub space: usize,
}

/// An exploration: all state spaces and what was found in them. Saved and loaded with serde, it goes on where it was.
#[derive(Clone, Serialize, Deserialize)]
pub struct Deepening {
    options: Options,
    after_bug: AfterBug,
    /// The only points, if they are not to grow.
    fixed: Option<Points>,
    jobs: Vec<Job>,
    /// All places that are candidates.
    sites: BTreeSet<u32>,
    candidates: Vec<FoundCandidate>,
    bugs: Bugs,
    /// Seconds spent in earlier calls.
    seconds: f64,
    /// Counts the times that a job was taken.
    turn: u64,
}

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every schedule has been covered, and there is no bug.
    Verified,
    /// There are bugs. `complete` if every schedule has been covered, so that there are no others.
    Bugs {
        /// Are these all?
        complete: bool,
    },
    /// Nothing was found, and not everything was tried.
    Incomplete(Why),
}

/// Why not everything was tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// Somebody asked to stop.
    Stopped,
    /// The time was up.
    Time,
    /// The runs were used up.
    Runs,
    /// The memory was full.
    Memory,
    /// Preemptions were bounded: all within the bound was tried, perhaps.
    Bounded,
    /// Schedules were chosen at random.
    Random,
    /// Threads were switched at given points only.
    Fixed,
    /// The system did not do what its log said it would.
    Diverged,
}

/// One state space in a snapshot.
#[derive(Clone, PartialEq, Debug)]
pub struct SpaceProgress {
    /// Its preemption points besides synchronisation.
    pub sites: Vec<Site>,
    /// Are all accesses preemption points?
    pub everywhere: bool,
    /// What became of it.
    pub state: SpaceState,
    /// Runs so far.
    pub runs: u64,
    /// Of these, how many turned out redundant.
    pub redundant: u64,
    /// Runs in all, estimated; exact once it is complete.
    pub estimated: Option<f64>,
}

/// What has become of a state space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpaceState {
    /// Nothing yet.
    Waiting,
    /// Begun.
    Begun,
    /// All of it has been tried.
    Complete,
    /// Left, because one with more points is complete.
    Retired,
}

/// A snapshot, for a live display or the last word.
#[derive(Clone, PartialEq, Debug)]
pub struct Progress {
    /// All state spaces, in the order they were added.
    pub spaces: Vec<SpaceProgress>,
    /// Runs in all.
    pub runs: u64,
    /// Distinct bugs.
    pub bugs: usize,
    /// Places that are preemption points in the largest space.
    pub sites: Vec<Site>,
    /// Pairs of places dropped as malloc-recycle candidates, in the space that dropped most.
    pub recycled: u64,
    /// Time spent, that of earlier calls included.
    pub time: Duration,
    /// Runs left in the largest space, estimated.
    pub left: Option<f64>,
    /// About how many bytes the searches keep.
    pub memory: usize,
}

impl Progress {
    /// How many state spaces are done with.
    pub fn done(&self) -> usize {
        let done = |s: &&SpaceProgress| matches!(s.state, SpaceState::Complete | SpaceState::Retired);
        self.spaces.iter().filter(done).count()
    }
}

impl Deepening {
    /// Before the first run.
    pub fn new(options: Options, after_bug: AfterBug) -> Deepening {
        let (jobs, sites, candidates, bugs) = Default::default();
        let mut deepening = Deepening {
            options,
            after_bug,
            fixed: None,
            jobs,
            sites,
            candidates,
            bugs,
            seconds: 0.0,
            turn: 0,
        };
        deepening.add(BTreeSet::new(), 1.0);
        deepening
    }

    /// No deepening: one state space, with those points.
    pub fn fixed(points: Points, options: Options, after_bug: AfterBug) -> Deepening {
        Deepening { fixed: Some(points), ..Deepening::new(options, after_bug) }
    }

    /// The distinct bugs, in the order they were found.
    pub fn bugs(&self) -> &Bugs {
        &self.bugs
    }

    /// The pairs of places that are data race candidates, each once, in the order they were found.
    pub fn candidates(&self) -> &[FoundCandidate] {
        &self.candidates
    }

    /// How it searches.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Is everything covered that the options allow?
    pub fn is_complete(&self) -> bool {
        self.jobs.iter().any(|j| j.state == JobState::Complete && j.sites == self.sites)
    }

    fn verdict(&self, why: Option<Why>) -> Verdict {
        let complete = self.is_complete();
        let diverged = self.jobs.iter().any(|j| j.space.as_ref().is_some_and(|s| s.counts().diverged > 0));
        let weakness = match why {
            _ if diverged => Some(Why::Diverged),
            _ if !self.options.search.is_exhaustive() => Some(why.unwrap_or(Why::Random)),
            _ if complete && self.options.preemptions.is_some() => Some(Why::Bounded),
            _ if complete && self.fixed.as_ref().is_some_and(|points| *points != Points::Everywhere) => {
                Some(Why::Fixed)
            }
            _ if complete => None,
            why => Some(why.unwrap_or(Why::Stopped)),
        };
        match weakness {
            _ if !self.bugs.is_empty() => Verdict::Bugs { complete: weakness.is_none() },
            None => Verdict::Verified,
            Some(why) => Verdict::Incomplete(why),
        }
    }

    /// A snapshot of all state spaces.
    pub fn progress(&self) -> Progress {
        let spaces: Vec<SpaceProgress> =
            self.jobs.iter().map(|job| job.progress(self.fixed.as_ref())).collect();
        let largest = self.jobs.iter().find(|j| j.sites == self.sites);
        Progress {
            runs: spaces.iter().map(|s| s.runs).sum(),
            bugs: self.bugs.len(),
            sites: self.sites.iter().map(|&s| deadheat_trace::Loc(s)).collect(),
            recycled: self.jobs.iter().map(|j| j.recycled).max().unwrap_or(0),
            time: Duration::from_secs_f64(self.seconds),
            left: largest.and_then(|j| Some((j.estimate()? - j.runs as f64).max(0.0))),
            memory: self.jobs.iter().filter_map(|j| j.space.as_deref()).map(Space::memory).sum(),
            spaces,
        }
    }
}

/// A set of places, saved as numbers.
pub(crate) fn sites(numbers: &BTreeSet<u32>) -> Vec<Site> {
    numbers.iter().map(|&n| deadheat_trace::Loc(n)).collect()
}
