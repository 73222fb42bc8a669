//! Probabilistic concurrency testing.
//!
//! Burckhardt, Kothari, Musuvathi, Nagarakatte, *A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs* (ASPLOS 2010).
//! Each thread gets a random priority, always the ready thread with the highest goes on, and at d−1 random steps the running
//! thread's priority falls below all others. A bug that needs d ordering constraints is hit with probability at least 1/(n·k^(d−1)).
//!
//! Deviation: n and k are not known before the first run; k is the length of the longest run so far, which makes the bound hold
//! from the second run on, for programs whose runs do not grow much longer than that.

use super::random::Dice;
use super::{Ending, Strategy};
use crate::run::trail::Trail;
use crate::system::Action;
use deadheat_trace::Tid;
use serde::{Deserialize, Serialize};

/// The search.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Pct {
    dice: Dice,
    depth: u32,
    /// `k`: the longest run so far.
    longest: u32,
    /// By thread; higher goes first. Those below `depth` are for the change points.
    priorities: Vec<u64>,
    /// The steps before which the running thread falls back.
    changes: Vec<u32>,
}

impl Pct {
    pub(crate) fn new(seed: u64, depth: u32) -> Pct {
        let (priorities, changes) = (Vec::new(), Vec::new());
        Pct { dice: Dice::new(seed), depth: depth.max(1), longest: 1, priorities, changes }
    }

    fn priority(&mut self, tid: Tid) -> u64 {
        while self.priorities.len() <= tid.index() {
            let above = u64::from(self.depth);
            self.priorities.push(self.dice.rng().u64(above..));
        }
        self.priorities[tid.index()]
    }

    fn first(&mut self, trail: &Trail) -> Option<(Tid, u32)> {
        let ready = trail.ready.iter().copied();
        ready.max_by_key(|&(tid, _)| self.priority(tid))
    }
}

impl Strategy for Pct {
    fn begin(&mut self) -> Option<u32> {
        let longest = self.longest;
        let rng = self.dice.begin();
        self.changes.clear();
        self.changes.extend((1..self.depth).map(|_| rng.u32(..longest)));
        self.priorities.clear();
        Some(u32::MAX)
    }

    fn pick(&mut self, trail: &Trail) -> Option<Action> {
        let step = trail.steps.len() as u32;
        // The i-th change point gives priority d − i, below all that threads began with.
        for i in 0..self.changes.len() {
            if self.changes[i] == step
                && let Some((tid, _)) = self.first(trail)
            {
                self.priorities[tid.index()] = u64::from(self.depth) - 1 - i as u64;
            }
        }
        let (tid, ways) = self.first(trail)?;
        Some(Action { tid, choice: self.dice.below(ways) })
    }

    fn finish(&mut self, trail: &Trail, _: Ending) {
        self.longest = self.longest.max(trail.steps.len() as u32);
    }

    fn done(&self) -> f64 {
        0.0
    }

    fn kept(&self) -> usize {
        0
    }
}
