//! Eraser: every shared variable should have a lock that is held at all its accesses.
//!
//! Savage et al. (SOSP 1997), which papers 001 and 002 start from. A candidate detector: it blames variables that are ordered by fork, join,
//! messages or barriers, and it passes over what a first thread does while it has the variable to itself.
//!
//! Deviations: a report needs a conflicting access by another thread to name; where the lockset runs empty at an access that has
//! none, the next access that has one is reported. Atomic accesses are left out.

use super::{Held, Lockset};
use crate::detector::{Detector, RaceSink};
use crate::history::Site;
use crate::memory::Memory;
use crate::rule::{Counters, Rule};
use deadheat_clock::Tid;
use deadheat_report::{Evidence, Party, Race};
use deadheat_trace::{Access, Event, EventId, LockId, Mode, Op};

/// The states of Eraser's Figure 4. `C(v)` is kept from the second thread on.
#[derive(Clone, Default)]
enum State {
    #[default]
    Virgin,
    /// One thread only.
    Exclusive(Tid),
    /// Several threads, no write since the second came.
    Shared(Vec<LockId>),
    /// Several threads, and written.
    SharedModified(Vec<LockId>),
}

/// A variable: Eraser's state and the recent accesses, for the report.
#[derive(Clone, Default)]
struct Var {
    state: State,
    reads: Recent,
    writes: Recent,
}

/// The last access, and the last one by another thread than that.
#[derive(Clone, Default)]
struct Recent {
    last: Option<(Party, Lockset)>,
    other: Option<(Party, Lockset)>,
}

impl Recent {
    fn record(&mut self, party: Party, locks: Lockset) {
        if self.last.as_ref().is_some_and(|(p, _)| p.tid != party.tid) {
            self.other = self.last.take();
        }
        self.last = Some((party, locks));
    }

    fn by_another(&self, tid: Tid) -> Option<&(Party, Lockset)> {
        [&self.last, &self.other].into_iter().flatten().find(|(p, _)| p.tid != tid)
    }
}

/// The Eraser detector.
#[derive(Clone, Default)]
pub struct Eraser {
    held: Held,
    memory: Memory<Var>,
    rules: Counters,
}

impl Var {
    /// Eraser's state machine; says which rule applied.
    fn step(&mut self, tid: Tid, mode: Mode, locks: &Lockset) -> Rule {
        let holding = if mode.writes() { locks.exclusive() } else { locks.locks() };
        let refine = |mut c: Vec<LockId>| {
            c.retain(|m| holding.contains(m));
            c
        };
        let (state, rule) = match (std::mem::take(&mut self.state), mode.writes()) {
            (State::Virgin, _) => (State::Exclusive(tid), Rule::LocksetExclusive),
            (State::Exclusive(t), _) if t == tid => (State::Exclusive(t), Rule::LocksetExclusive),
            (State::Exclusive(_), false) => (State::Shared(holding), Rule::LocksetShared),
            (State::Exclusive(_), true) => (State::SharedModified(holding), Rule::LocksetRefine),
            (State::Shared(c), false) => (State::Shared(refine(c)), Rule::LocksetShared),
            (State::Shared(c), true) | (State::SharedModified(c), _) => {
                (State::SharedModified(refine(c)), Rule::LocksetRefine)
            }
        };
        self.state = state;
        if matches!(&self.state, State::SharedModified(c) if c.is_empty()) {
            Rule::LocksetEmpty
        } else {
            rule
        }
    }

    /// The access that this one is reported with.
    fn rival(&self, tid: Tid, mode: Mode) -> Option<&(Party, Lockset)> {
        let write = self.writes.by_another(tid);
        let read = if mode.writes() { self.reads.by_another(tid) } else { None };
        write.into_iter().chain(read).max_by_key(|(p, _)| p.event)
    }
}

impl Eraser {
    fn access(&mut self, id: EventId, event: &Event, access: Access, races: &mut RaceSink<'_>) {
        let locks = self.held.by(event.tid);
        let current = Site::new(id, event).party(access.mode);
        let rules = &mut self.rules;
        self.memory.visit(access.span, &mut |span, var| {
            let rule = var.step(event.tid, access.mode, &locks);
            rules.hit(rule);
            if rule == Rule::LocksetEmpty
                && let Some((prior, prior_locks)) = var.rival(event.tid, access.mode)
            {
                let evidence = Evidence::Locks { prior: prior_locks.locks(), current: locks.locks() };
                races(Race { span, prior: *prior, current, evidence });
            }
            let recent = if access.mode.writes() { &mut var.writes } else { &mut var.reads };
            recent.record(current, locks.clone());
        });
    }
}

impl Detector for Eraser {
    fn on_event(&mut self, id: EventId, event: &Event, races: &mut RaceSink<'_>) {
        match (event.op, event.op.access()) {
            (Op::Alloc(span), _) => self.memory.clear(span),
            (_, Some(access)) if !access.mode.atomic() => self.access(id, event, access, races),
            (op, _) => self.held.apply(event.tid, op),
        }
    }

    fn counters(&self) -> &Counters {
        &self.rules
    }
}
