//! The state spaces to search, and which is next.

use super::{Deepening, FoundCandidate, SpaceProgress, SpaceState, sites};
use crate::run::candidates::Candidate;
use crate::space::Space;
use crate::system::Points;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What becomes of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum JobState {
    /// It can be worked on.
    Waiting,
    /// A worker has it.
    Taken,
    /// All of it has been tried.
    Complete,
    /// One with more points is complete.
    Retired,
}

/// A state space to search.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Job {
    pub sites: BTreeSet<u32>,
    pub state: JobState,
    /// The search; none before it is begun, while a worker has it, and after it has been retired.
    pub space: Option<Box<Space>>,
    pub runs: u64,
    pub redundant: u64,
    pub recycled: u64,
    /// Runs it may take, guessed before it is begun.
    guess: f64,
    estimate: Option<f64>,
    /// Candidates that have been looked at.
    seen: BTreeSet<Candidate>,
}

impl Job {
    /// Runs in all, estimated.
    pub(super) fn estimate(&self) -> Option<f64> {
        match self.state {
            JobState::Complete => Some(self.runs as f64),
            _ => self.estimate,
        }
    }

    /// How much is left, for choosing the cheapest: what the estimate says, or the guess.
    fn cost(&self) -> f64 {
        (self.estimate.unwrap_or(self.guess) - self.runs as f64).max(1.0)
    }

    pub(super) fn progress(&self, fixed: Option<&Points>) -> SpaceProgress {
        let everywhere = fixed == Some(&Points::Everywhere);
        let state = match self.state {
            JobState::Complete => SpaceState::Complete,
            JobState::Retired => SpaceState::Retired,
            _ if self.runs > 0 => SpaceState::Begun,
            _ => SpaceState::Waiting,
        };
        let (runs, redundant, estimated) = (self.runs, self.redundant, self.estimate());
        SpaceProgress { sites: sites(&self.sites), everywhere, state, runs, redundant, estimated }
    }
}

/// With more jobs than this waiting, candidates add only the one with all places.
const MOST_WAITING: usize = 64;

impl Deepening {
    /// Adds a job unless there is one, or one with more points is complete.
    pub(super) fn add(&mut self, sites: BTreeSet<u32>, guess: f64) {
        let known =
            |j: &Job| j.sites == sites || (j.state == JobState::Complete && sites.is_subset(&j.sites));
        if !self.jobs.iter().any(known) {
            let (state, space, estimate) = (JobState::Waiting, None, None);
            let (runs, redundant, recycled, seen) = Default::default();
            self.jobs.push(Job { sites, state, space, runs, redundant, recycled, guess, estimate, seen });
        }
    }

    /// The job to work on next, and its search: by turns the cheapest, for bugs soon, and the one with all places, whose end is
    /// the end of all.
    pub(super) fn take(&mut self) -> Option<(usize, Box<Space>)> {
        let waiting = || self.jobs.iter().enumerate().filter(|(_, j)| j.state == JobState::Waiting);
        let cheaper = |a: &(usize, &Job), b: &(usize, &Job)| {
            a.1.cost().total_cmp(&b.1.cost()).then(a.1.sites.len().cmp(&b.1.sites.len()))
        };
        self.turn = self.turn.wrapping_add(1);
        // A search without an end never gets to the next job: it always works on the largest.
        let largest = self.turn.is_multiple_of(2) || !self.options.search.is_exhaustive();
        let all = waiting().find(|(_, j)| largest && j.sites == self.sites);
        let (at, _) = all.or_else(|| waiting().min_by(cheaper))?;
        let job = &mut self.jobs[at];
        job.state = JobState::Taken;
        let space = job.space.take().unwrap_or_else(|| {
            let points = self.fixed.clone().unwrap_or_else(|| Points::at(sites(&job.sites)));
            Box::new(Space::new(points, self.options.clone()))
        });
        Some((at, space))
    }

    /// Puts a job back after some runs, with what they found.
    pub(super) fn put_back(&mut self, at: usize, mut space: Box<Space>) {
        self.bugs.merge(space.bugs());
        let job = &mut self.jobs[at];
        (job.runs, job.redundant) = (space.counts().runs, space.counts().redundant);
        job.estimate = space.estimated_runs();
        job.recycled = space.recycled();
        let cost = job.estimate.unwrap_or(job.guess);
        let grows = self.fixed.is_none();
        let new: Vec<Candidate> =
            space.candidates().iter().copied().filter(|&c| grows && job.seen.insert(c)).collect();
        if space.is_complete() {
            job.state = JobState::Complete;
            space.forget_run();
            job.space = Some(space);
            self.retire(at);
        } else if job.state == JobState::Taken {
            job.state = JobState::Waiting;
            job.space = Some(space);
        }
        new.into_iter().for_each(|c| self.found(at, c, cost));
    }

    /// A new candidate of a job with the points S: jobs for S with one of its places, with both, and for all places known.
    fn found(&mut self, at: usize, candidate: Candidate, cost: f64) {
        let pair = |c: &Candidate| (c.first, c.second);
        if !self.candidates.iter().any(|f| pair(&f.candidate) == pair(&candidate)) {
            self.candidates.push(FoundCandidate { candidate, space: at });
        }
        let new: Vec<u32> = candidate.new_sites().map(|s| s.0).collect();
        self.sites.extend(&new);
        let waiting = self.jobs.iter().filter(|j| j.state == JobState::Waiting).count();
        if self.options.search.is_exhaustive() && waiting < MOST_WAITING {
            let with = |more: &[u32]| {
                let mut sites = self.jobs[at].sites.clone();
                sites.extend(more);
                sites
            };
            let one_by_one: Vec<BTreeSet<u32>> = new.iter().map(|&s| with(&[s])).collect();
            let both = with(&new);
            one_by_one.into_iter().for_each(|sites| self.add(sites, cost * 2.0));
            self.add(both, cost * 4.0);
        }
        let all = self.sites.clone();
        let more = all.len().saturating_sub(self.jobs[at].sites.len()) as i32;
        self.add(all, cost * 2f64.powi(more.min(60)));
    }

    /// Retires the jobs that a complete one covers.
    fn retire(&mut self, complete: usize) {
        let sites = self.jobs[complete].sites.clone();
        for (at, job) in self.jobs.iter_mut().enumerate() {
            let open = matches!(job.state, JobState::Waiting | JobState::Taken);
            if at != complete && open && job.sites.is_subset(&sites) {
                job.state = JobState::Retired;
                job.space = None;
            }
        }
    }

    /// Is a worker still at something?
    pub(super) fn is_busy(&self) -> bool {
        self.jobs.iter().any(|j| j.state == JobState::Taken)
    }
}
