//! Rules (3) and (4): forks, joins, first and last steps, and what keeps a thread from stepping.

use super::{Rule, slot};
use crate::{BarrierId, ChanId, CondId, LockId, Tid};

/// Where a thread is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Phase {
    /// It has had no step; it may have been forked.
    #[default]
    Unseen,
    Running,
    /// Between wait and woken; gets the lock back at that depth.
    Waiting {
        cond: CondId,
        lock: LockId,
        depth: u64,
    },
    /// Between enter and leave.
    Inside {
        barrier: BarrierId,
        round: u64,
    },
    /// The first half of a rendezvous.
    Meeting {
        chan: ChanId,
    },
    Exited,
    Joined,
}

#[derive(Clone, Copy, Default)]
struct Thread {
    phase: Phase,
    forked: bool,
}

#[derive(Clone, Default)]
pub(super) struct Threads {
    all: Vec<Thread>,
    /// The thread of the trace's first event.
    first: Option<Tid>,
}

impl Threads {
    #[inline]
    pub(super) fn is_running(&self, t: Tid) -> bool {
        matches!(self.all.get(t.index()), Some(Thread { phase: Phase::Running, .. }))
    }

    pub(super) fn phase(&self, t: Tid) -> Phase {
        self.get(t).phase
    }

    /// The main thread, as far as a trace tells.
    pub(super) fn first(&self) -> Option<Tid> {
        self.first
    }

    fn get(&self, t: Tid) -> Thread {
        self.all.get(t.index()).copied().unwrap_or_default()
    }

    pub(super) fn check_fork(&self, t: Tid, child: Tid) -> Result<(), Rule> {
        match self.get(child) {
            _ if child == t => Err(Rule::ForkedItself),
            Thread { forked: true, .. } => Err(Rule::ForkedTwice { child }),
            Thread { phase: Phase::Unseen, .. } => Ok(()),
            _ => Err(Rule::ForkedLate { child }),
        }
    }

    pub(super) fn check_join(&self, t: Tid, child: Tid) -> Result<(), Rule> {
        match self.get(child) {
            _ if child == t => Err(Rule::JoinedItself),
            Thread { phase: Phase::Unseen, forked: false } => Err(Rule::JoinedUnknown { child }),
            Thread {
                phase: Phase::Waiting { .. } | Phase::Inside { .. } | Phase::Meeting { .. }, ..
            } => Err(Rule::JoinedBlocked { child }),
            _ => Ok(()),
        }
    }

    pub(super) fn check_start(&self, t: Tid) -> Result<(), Rule> {
        match self.get(t) {
            Thread { phase: Phase::Unseen, forked: true } => Ok(()),
            Thread { phase: Phase::Unseen, .. } if self.first.is_none() => Ok(()),
            Thread { phase: Phase::Unseen, .. } => Err(Rule::StartedWithoutFork),
            _ => Err(Rule::StartedLate),
        }
    }

    /// A thread that could step has stepped: from now on it is known.
    pub(super) fn record_step(&mut self, t: Tid) {
        let thread = slot(&mut self.all, t.index());
        if thread.phase == Phase::Unseen {
            thread.phase = Phase::Running;
            self.first.get_or_insert(t);
        }
    }

    pub(super) fn record_fork(&mut self, child: Tid) {
        slot(&mut self.all, child.index()).forked = true;
    }

    pub(super) fn record(&mut self, t: Tid, phase: Phase) {
        slot(&mut self.all, t.index()).phase = phase;
    }
}
