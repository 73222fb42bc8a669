//! Working through the state spaces with one or more systems, within a budget.

use super::{AfterBug, Budget, Deepening, Progress, Verdict, Why};
use crate::space::Space;
use crate::system::System;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a worker stays with a job before it looks whether there is a cheaper one.
const SLICE: Duration = Duration::from_millis(40);
/// How many runs it makes between looks at the clock.
const RUNS_AT_ONCE: u32 = 32;

/// What workers share.
struct Shared<'a> {
    state: Mutex<State<'a>>,
    /// Told when a job has been put back.
    changed: Condvar,
    /// Pairs with the loads in [`Shared::work`]: a worker that sees it ends its slice.
    stop: AtomicBool,
    cancel: &'a AtomicBool,
    start: Instant,
    budget: Budget,
}

struct State<'a> {
    deepening: &'a mut Deepening,
    why: Option<Why>,
    told: Instant,
    tell: &'a mut (dyn FnMut(&Progress) + Send),
    /// Seconds spent in earlier calls.
    before: f64,
}

impl Deepening {
    /// Goes on until everything is covered, a bug is found and that is enough, the budget is used up, or `cancel` is set. Each system
    /// gets a thread of its own. `tell` is called now and then, about ten times a second.
    pub fn run<S: System + Send>(
        &mut self,
        systems: &mut [S],
        budget: Budget,
        cancel: &AtomicBool,
        tell: &mut (dyn FnMut(&Progress) + Send),
    ) -> Verdict {
        let before = self.seconds;
        let start = Instant::now();
        let state = State { deepening: self, why: None, told: start, tell, before };
        let shared = Shared {
            state: Mutex::new(state),
            changed: Condvar::new(),
            stop: AtomicBool::new(false),
            cancel,
            start,
            budget,
        };
        match systems {
            [] => return Verdict::Incomplete(Why::Stopped),
            [system] => shared.work(system),
            systems => std::thread::scope(|scope| {
                for system in systems {
                    let shared = &shared;
                    scope.spawn(move || shared.work(system));
                }
            }),
        }
        let Shared { state, .. } = shared;
        let why = state.into_inner().unwrap_or_else(PoisonError::into_inner).why;
        self.seconds = before + start.elapsed().as_secs_f64();
        self.verdict(why)
    }
}

impl<'a> Shared<'a> {
    /// A worker that panicked has left the state as it was before its slice.
    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One worker: takes jobs until there are none or it has to stop.
    fn work<S: System>(&self, system: &mut S) {
        while let Some((at, mut space)) = self.next_job() {
            self.slice(system, &mut space);
            let mut state = self.lock();
            state.deepening.put_back(at, space);
            self.judge(&mut state);
            drop(state);
            self.changed.notify_all();
        }
        self.changed.notify_all();
    }

    /// Waits for a job; `None` if there will be no more.
    fn next_job(&self) -> Option<(usize, Box<Space>)> {
        let mut state = self.lock();
        loop {
            if self.stop.load(Ordering::Relaxed) || state.deepening.is_complete() {
                return None;
            }
            if let Some(job) = state.deepening.take() {
                return Some(job);
            }
            if !state.deepening.is_busy() {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Makes runs until the slice is over, a bug is found, or there are none left.
    fn slice<S: System>(&self, system: &mut S, space: &mut Space) {
        let (start, runs) = (Instant::now(), space.counts().runs);
        let most = self.budget.runs.map_or(u64::MAX, |most| most.saturating_sub(self.lock().runs_so_far()));
        // Small spaces are done at once; for larger ones the first look comes early, for an estimate.
        loop {
            for _ in 0..RUNS_AT_ONCE {
                if space.counts().runs - runs >= most {
                    return;
                }
                let Some(run) = space.next_run(system) else { return };
                if run.new_bugs > 0 {
                    return;
                }
            }
            let over = start.elapsed() >= SLICE || self.stop.load(Ordering::Relaxed);
            if over || self.cancel.load(Ordering::Relaxed) {
                return;
            }
        }
    }

    /// After a slice: is it time to stop, or to tell?
    fn judge(&self, state: &mut State<'_>) {
        let elapsed = self.start.elapsed();
        state.deepening.seconds = state.before + elapsed.as_secs_f64();
        let over = |limit: Option<u64>, now: u64| limit.is_some_and(|most| now >= most);
        let memory = || state.deepening.progress().memory as u64;
        let why = if self.cancel.load(Ordering::Relaxed) {
            Some(Why::Stopped)
        } else if self.budget.time.is_some_and(|most| elapsed >= most) {
            Some(Why::Time)
        } else if over(self.budget.runs, state.runs_so_far()) {
            Some(Why::Runs)
        } else if self.budget.memory.is_some() && over(self.budget.memory.map(|m| m as u64), memory()) {
            Some(Why::Memory)
        } else {
            None
        };
        let enough = state.deepening.after_bug == AfterBug::Stop && !state.deepening.bugs.is_empty();
        if why.is_some() || enough {
            state.why = state.why.or(why);
            self.stop.store(true, Ordering::Relaxed);
        }
        if state.told.elapsed() >= Duration::from_millis(100) {
            state.told = Instant::now();
            let progress = state.deepening.progress();
            (state.tell)(&progress);
        }
    }
}

impl State<'_> {
    fn runs_so_far(&self) -> u64 {
        self.deepening.jobs.iter().map(|j| j.runs).sum()
    }
}
