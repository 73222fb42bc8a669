//! Limited happens-before: conflicting accesses without a common lock that no *must-happen-before* edge separates.
//!
//! *Soundness Proofs for Iterative Deepening* (CMU-PDL-16-103), Definitions 6 and 11. Must-happen-before has only the edges by which one
//! thread makes another runnable: fork, join, notification to the return of the wait, barriers and channels. That a lock was released
//! and then taken by another does not count, because the two sections might have come in the other order. So a pair is
//! a *candidate*, worth trying in the other order, not yet a race.
//!
//! Deviations: a trace does not show whether an acquire had to wait, so a lock never gives an edge; and the relation is
//! closed under program order on both sides (the paper's clause 2 closes only where the last two transitions are of different
//! threads), since what comes after a fork in the child cannot come before it either. A location remembers its last 256 accesses by different
//! threads, modes and locksets.

use super::{Held, Lockset};
use crate::detector::{Detector, RaceSink};
use crate::history::Site;
use crate::memory::Memory;
use crate::rule::{Counters, Rule};
use crate::sync::{JoinRule, SyncState};
use deadheat_clock::{Epoch, VectorClock};
use deadheat_report::{Evidence, Party, Race};
use deadheat_trace::{Access, CondId, Event, EventId, Op, Span};

/// The accesses that a location remembers: the last of each thread, mode and lockset, which stands for the earlier ones.
#[derive(Clone, Default)]
struct Var(Vec<Remembered>);

impl Var {
    /// Beyond this many the oldest goes: a variable that hundreds of threads touch without order has candidates enough.
    const MOST: usize = 256;
}

#[derive(Clone)]
struct Remembered {
    party: Party,
    epoch: Epoch,
    locks: Lockset,
}

impl Remembered {
    /// Definition 11, against a later access.
    fn is_candidate_with(&self, later: &Remembered, known: &VectorClock) -> bool {
        self.party.tid != later.party.tid
            && self.party.mode.conflicts(later.party.mode)
            && !self.locks.protects(&later.locks)
            && !known.covers(self.epoch)
    }

    fn same_kind(&self, other: &Remembered) -> bool {
        (self.party.tid, self.party.mode) == (other.party.tid, other.party.mode) && self.locks == other.locks
    }
}

/// The limited happens-before detector.
#[derive(Clone)]
pub struct Limited {
    held: Held,
    /// Must-happen-before as vector clocks.
    must: SyncState<VectorClock>,
    conds: Vec<VectorClock>,
    memory: Memory<Var>,
    rules: Counters,
}

impl Default for Limited {
    fn default() -> Limited {
        let must = SyncState::new(JoinRule::Keep);
        let (held, conds, memory, rules) = Default::default();
        Limited { held, must, conds, memory, rules }
    }
}

impl Limited {
    fn access(&mut self, id: EventId, event: &Event, access: Access, races: &mut RaceSink<'_>) {
        let thread = self.must.thread(event.tid);
        let known = &thread.knowledge;
        let current = Remembered {
            party: Site::new(id, event).party(access.mode),
            epoch: known.epoch(thread.slot()),
            locks: self.held.by(event.tid),
        };
        let rules = &mut self.rules;
        self.memory.visit(access.span, &mut |span, Var(remembered)| {
            rules.hit(Rule::LimitedAccess);
            for prior in remembered.iter().filter(|r| r.is_candidate_with(&current, known)) {
                rules.hit(Rule::LimitedCandidate);
                races(candidate(span, prior, &current));
            }
            remembered.retain(|r| !r.same_kind(&current));
            if remembered.len() == Var::MOST {
                remembered.remove(0);
            }
            remembered.push(current.clone());
        });
    }

    fn cond(&mut self, c: CondId) -> &mut VectorClock {
        if c.index() >= self.conds.len() {
            self.conds.resize_with(c.index() + 1, VectorClock::default);
        }
        &mut self.conds[c.index()]
    }

    /// The operations that make another thread runnable.
    fn order(&mut self, event: &Event) {
        let t = event.tid;
        match event.op {
            Op::Notify(c, _) => {
                let mut known = std::mem::take(self.cond(c));
                self.must.thread(t).publish_into(&mut known);
                *self.cond(c) = known;
            }
            Op::Woken(c, _) => {
                let known = self.cond(c).clone();
                self.must.thread(t).learn(&known);
            }
            Op::Acquire(_) | Op::Release(_) | Op::AcquireShared(_) | Op::ReleaseShared(_) | Op::Wait(..) => {}
            Op::VolatileRead(_) | Op::VolatileWrite(_) | Op::Fence(_) => {}
            _ => self.must.apply(event, &mut self.rules),
        }
    }
}

fn candidate(span: Span, prior: &Remembered, current: &Remembered) -> Race {
    let evidence = Evidence::Locks { prior: prior.locks.locks(), current: current.locks.locks() };
    Race { span, prior: prior.party, current: current.party, evidence }
}

impl Detector for Limited {
    fn on_event(&mut self, id: EventId, event: &Event, races: &mut RaceSink<'_>) {
        match (event.op, event.op.access()) {
            (Op::Alloc(span), _) => self.memory.clear(span),
            (_, Some(access)) => self.access(id, event, access, races),
            (op, None) => {
                self.held.apply(event.tid, op);
                self.order(event);
            }
        }
    }

    fn counters(&self) -> &Counters {
        &self.rules
    }
}
