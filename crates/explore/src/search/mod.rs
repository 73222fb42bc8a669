//! Which schedules are tried, one after the other: searches that end when there is nothing new, and random ones that do not.

mod dpor;
mod naive;
mod optimal;
mod pct;
mod random;
mod sleep;
mod surw;
mod wakeup;

use crate::run::trail::Trail;
use crate::system::Action;
use deadheat_trace::Tid;
use serde::{Deserialize, Serialize};

/// How schedules are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Search {
    /// Every interleaving of the preemption points: the oracle for small programs.
    Naive,
    /// Partial order reduction with backtrack and sleep sets: every Mazurkiewicz trace at least once.
    Dpor,
    /// Optimal partial order reduction with wakeup trees: every Mazurkiewicz trace exactly once.
    #[default]
    Optimal,
    /// At each step any thread, all as likely.
    Random {
        /// The same seed gives the same runs.
        seed: u64,
    },
    /// Probabilistic concurrency testing: finds a bug of that depth with probability at least 1/(n·k^(depth−1)) in each run
    /// of n threads and k steps.
    Pct {
        /// The same seed gives the same runs.
        seed: u64,
        /// How many ordering constraints the bug has, at least one.
        depth: u32,
    },
    /// Selectively uniform random walk: the orders of the accesses to one object, all as likely. The first run counts.
    Surw {
        /// The same seed gives the same runs.
        seed: u64,
    },
}

impl Search {
    /// Does it end when it has tried all schedules, so that having found nothing means that there is nothing?
    pub fn is_exhaustive(self) -> bool {
        matches!(self, Search::Naive | Search::Dpor | Search::Optimal)
    }
}

/// At most that many preemptions in a run, if any number is given.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Bound(pub Option<u32>);

impl Bound {
    fn is_set(self) -> bool {
        self.0.is_some()
    }

    fn allows(self, trail: &Trail, tid: Tid) -> bool {
        self.0.is_none_or(|most| trail.preemptions + u32::from(trail.preempts(tid)) <= most)
    }
}

/// How a run ended, as far as searches care.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// Nobody can go on, or the search did not want to.
    Maximal,
    /// The last step faulted.
    Fault,
}

/// A search, driven run by run.
pub(crate) trait Strategy {
    /// A new run: how many of its steps an earlier one had. `None` if there is nothing left to try.
    fn begin(&mut self) -> Option<u32>;

    /// The next step, of those in [`Trail::ready`]; `None` if none is worth it.
    fn pick(&mut self, trail: &Trail) -> Option<Action>;

    /// The run is over.
    fn finish(&mut self, trail: &Trail, ending: Ending);

    /// Which part of the search is done, by the part of the branches at each step of the stack; 0 if it has no end.
    fn done(&self) -> f64;

    /// How many steps are kept in memory for later.
    fn kept(&self) -> usize;
}

/// The state of a search of any kind.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum State {
    Naive(naive::Naive),
    Dpor(dpor::Dpor),
    Optimal(Box<optimal::Optimal>),
    Random(random::Random),
    Pct(pct::Pct),
    Surw(surw::Surw),
}

impl State {
    /// The search before its first run; `open` if transitions can have more than one operation.
    pub(crate) fn new(search: Search, bound: Bound, open: bool) -> State {
        match search {
            Search::Naive => State::Naive(naive::Naive::new(bound)),
            Search::Optimal if bound.is_set() => State::Dpor(dpor::Dpor::new(bound)),
            Search::Dpor => State::Dpor(dpor::Dpor::new(bound)),
            Search::Optimal => State::Optimal(Box::new(optimal::Optimal::new(open))),
            Search::Random { seed } => State::Random(random::Random::new(seed)),
            Search::Pct { seed, depth } => State::Pct(pct::Pct::new(seed, depth)),
            Search::Surw { seed } => State::Surw(surw::Surw::new(seed)),
        }
    }

    fn strategy(&self) -> &dyn Strategy {
        match self {
            State::Naive(s) => s,
            State::Dpor(s) => s,
            State::Optimal(s) => s.as_ref(),
            State::Random(s) => s,
            State::Pct(s) => s,
            State::Surw(s) => s,
        }
    }

    /// How many wakeup sequences could not be followed.
    pub(crate) fn diverged(&self) -> u64 {
        match self {
            State::Optimal(s) => s.diverged,
            _ => 0,
        }
    }
}

macro_rules! each {
    ($state:expr, $s:ident => $do:expr) => {
        match $state {
            State::Naive($s) => $do,
            State::Dpor($s) => $do,
            State::Optimal($s) => $do,
            State::Random($s) => $do,
            State::Pct($s) => $do,
            State::Surw($s) => $do,
        }
    };
}

impl Strategy for State {
    fn begin(&mut self) -> Option<u32> {
        each!(self, s => s.begin())
    }

    #[inline]
    fn pick(&mut self, trail: &Trail) -> Option<Action> {
        each!(self, s => s.pick(trail))
    }

    fn finish(&mut self, trail: &Trail, ending: Ending) {
        each!(self, s => s.finish(trail, ending))
    }

    fn done(&self) -> f64 {
        self.strategy().done()
    }

    fn kept(&self) -> usize {
        self.strategy().kept()
    }
}
