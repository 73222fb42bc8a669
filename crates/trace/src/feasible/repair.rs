//! Lenient mode: what a log most likely missed, so that the rest of it can be used.
//!
//! Whatever comes in, what goes out is feasible: every inserted or replaced event passes the same strict check, and an event for which
//! nothing plausible helps is dropped. Where there is a choice, a repair adds orderings rather than takes them away, so
//! that it hides a race sooner than it invents one. One case is left: a lock whose holder has ended or is blocked cannot be
//! given back, so acquires of it are dropped, and what they would have ordered is not. Dropped events are told; races after such a one want a second look.

use super::channels::UNKNOWN_CAPACITY;
use super::violation::Names;
use super::{Feasibility, Hold, Phase, Rule, Violation};
use crate::{ChanId, Event, Loc, LockId, Op, Symbols, Tid};

/// What was done about a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fix {
    /// These events, which the log seems to have missed, were put before it.
    Insert(Vec<Event>),
    /// It was taken for this one.
    Replace(Event),
    /// It was left out.
    Drop,
}

/// A violation and what was done about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repair {
    /// What was wrong.
    pub violation: Violation,
    /// The remedy.
    pub fix: Fix,
}

/// An event can need several repairs in a row (a thread that should be waiting acquires a lock that should be held). Three is the most
/// that random garbage has needed.
const MOST_REPAIRS: usize = 8;

impl Feasibility {
    /// Takes the next event and appends it to `out`; if it cannot happen here, says why and both are as before.
    #[inline]
    pub fn admit(&mut self, event: &Event, out: &mut Vec<Event>) -> Result<(), Violation> {
        self.check(event)?;
        out.push(*event);
        Ok(())
    }

    /// Takes what can be made of the next event: appends inserted events and then the event itself, unless it is dropped.
    #[inline]
    pub fn admit_lenient(&mut self, event: &Event, out: &mut Vec<Event>) -> Vec<Repair> {
        match self.admit(event, out) {
            Ok(()) => Vec::new(),
            Err(violation) => self.repair(*event, violation, out),
        }
    }

    #[cold]
    fn repair(&mut self, mut event: Event, mut violation: Violation, out: &mut Vec<Event>) -> Vec<Repair> {
        let mut repairs = Vec::new();
        loop {
            let planned = self.plan(violation.rule, &event).filter(|_| repairs.len() < MOST_REPAIRS);
            let fix = planned.map_or(Fix::Drop, |fix| self.carry_out(fix, out));
            let dropped = fix == Fix::Drop;
            if let Fix::Replace(other) = fix {
                event = other;
            }
            repairs.push(Repair { violation, fix });
            if dropped {
                return repairs;
            }
            match self.admit(&event, out) {
                Ok(()) => return repairs,
                Err(next) => violation = next,
            }
        }
    }

    /// Inserts what is to be inserted. Plans are made so that all of it passes; were one wrong, the event would be dropped and the
    /// output would still be feasible.
    fn carry_out(&mut self, fix: Fix, out: &mut Vec<Event>) -> Fix {
        match fix {
            Fix::Insert(events) if events.iter().any(|e| self.admit(e, out).is_err()) => {
                debug_assert!(false, "a plan of repair is infeasible: {events:?}");
                Fix::Drop
            }
            fix => fix,
        }
    }

    /// The remedy for an event that breaks that rule; `None` if it is best left out.
    fn plan(&self, rule: Rule, event: &Event) -> Option<Fix> {
        let t = event.tid;
        let one = |op| Some(Fix::Insert(vec![missed(t, op)]));
        let instead = |op| Some(Fix::Replace(Event { op, ..*event }));
        match rule {
            Rule::LockHeld { lock, .. } | Rule::LockUpgraded { lock } => self.vacate(lock).map(Fix::Insert),
            // An untyped unlock will be taken for the second release.
            Rule::LockDowngraded { lock } => instead(Op::Acquire(lock)),
            Rule::LockNotHeld { lock, hold } => self.plan_release(t, lock, hold, event),
            Rule::WaitWithoutLock { lock, .. } => self.vacate_for(t, lock, &[Op::Acquire(lock)]),
            Rule::WokenWithoutWait { cond, lock } => match self.locks.depth(t, lock, Hold::Exclusive) {
                0 => self.vacate_for(t, lock, &[Op::Acquire(lock), Op::Wait(cond, lock)]),
                _ => one(Op::Wait(cond, lock)),
            },
            Rule::StartedWithoutFork => {
                let main = self.threads.first().filter(|&main| self.threads.is_running(main))?;
                Some(Fix::Insert(vec![missed(main, Op::Fork(t))]))
            }
            Rule::JoinedBlocked { child } => self.unblock(child),
            Rule::StepWhileWaiting { .. } | Rule::StepInsideBarrier { .. } => self.unblock(t),
            Rule::LeftWithoutEntering { barrier } if self.barriers.next_completes(barrier) => {
                one(Op::BarrierEnter(barrier))
            }
            Rule::ChannelNotMade { chan } => plan_make(t, chan, event.op),
            Rule::ChannelFull { chan, .. } => one(Op::Receive(chan)),
            Rule::ChannelEmpty { chan } if self.channels.has_room(chan) => one(Op::Send(chan)),
            // An inserted alloc would part the free from the accesses before it, which are to the same block.
            Rule::NotAllocated { span } => instead(Op::Write(span)),
            _ => None,
        }
    }

    /// A release of a lock that is not held so: an untyped unlock, or the acquire was missed.
    fn plan_release(&self, t: Tid, lock: LockId, hold: Hold, event: &Event) -> Option<Fix> {
        let (other, release_other, acquire) = match hold {
            Hold::Exclusive => (Hold::Shared, Op::ReleaseShared(lock), Op::Acquire(lock)),
            Hold::Shared => (Hold::Exclusive, Op::Release(lock), Op::AcquireShared(lock)),
        };
        if self.locks.depth(t, lock, other) > 0 {
            return Some(Fix::Replace(Event { op: release_other, ..*event }));
        }
        match self.locks.check_acquire(t, lock, hold) {
            Ok(()) => Some(Fix::Insert(vec![missed(t, acquire)])),
            Err(_) => self.vacate_for(t, lock, &[acquire]),
        }
    }

    /// The missed releases of everybody who holds the lock, if they are in a position to make them.
    fn vacate(&self, lock: LockId) -> Option<Vec<Event>> {
        let mut releases = Vec::new();
        for (held, hold) in self.locks.holders(lock) {
            if !self.threads.is_running(held.tid) {
                return None;
            }
            let op = match hold {
                Hold::Exclusive => Op::Release(lock),
                Hold::Shared => Op::ReleaseShared(lock),
            };
            releases.extend((0..held.depth).map(|_| missed(held.tid, op)));
        }
        Some(releases)
    }

    /// The lock is given back by all, and then `t` does that.
    fn vacate_for(&self, t: Tid, lock: LockId, then: &[Op]) -> Option<Fix> {
        let mut events = self.vacate(lock)?;
        events.extend(then.iter().map(|&op| missed(t, op)));
        Some(Fix::Insert(events))
    }

    /// The missed end of a wait or a barrier. The partner of half a rendezvous could be anybody, so there it is `None`.
    fn unblock(&self, t: Tid) -> Option<Fix> {
        match self.threads.phase(t) {
            Phase::Waiting { cond, lock, .. } => self.vacate_for(t, lock, &[Op::Woken(cond, lock)]),
            Phase::Inside { barrier, round } => {
                self.barriers.check_leave(barrier, round).ok()?;
                Some(Fix::Insert(vec![missed(t, Op::BarrierLeave(barrier))]))
            }
            _ => None,
        }
    }
}

/// A channel from before the log: of unknown capacity, and with the value in it that is received.
fn plan_make(t: Tid, chan: ChanId, op: Op) -> Option<Fix> {
    let make = missed(t, Op::ChanMake(chan, UNKNOWN_CAPACITY));
    match op {
        Op::Receive(_) => Some(Fix::Insert(vec![make, missed(t, Op::Send(chan))])),
        Op::Send(_) | Op::Close(_) => Some(Fix::Insert(vec![make])),
        _ => None,
    }
}

fn missed(tid: Tid, op: Op) -> Event {
    Event { op, tid, loc: Loc::NONE }
}

impl Repair {
    /// One sentence without a full stop: what was wrong and what was done about it.
    pub fn describe(&self, symbols: &Symbols) -> String {
        let wrong = self.violation.sentence(symbols);
        match &self.fix {
            Fix::Drop => format!("{wrong}; dropped the event"),
            Fix::Replace(event) => format!("{wrong}; took it as: {}", step(event, symbols)),
            Fix::Insert(events) => format!("{wrong}; assumed before it: {}", steps(events, symbols)),
        }
    }
}

/// At most three different ones; repeated releases of one lock are said once.
fn steps(events: &[Event], symbols: &Symbols) -> String {
    const SHOWN: usize = 3;
    let mut said: Vec<String> = events.iter().map(|e| step(e, symbols)).collect();
    said.dedup();
    let rest = said.len().saturating_sub(SHOWN);
    said.truncate(SHOWN);
    if rest > 0 {
        said.push(format!("and {rest} more"));
    }
    said.join(", ")
}

/// An inserted or replaced event in the past tense.
fn step(event: &Event, symbols: &Symbols) -> String {
    let names = Names(symbols);
    let did = match event.op {
        Op::Acquire(m) => format!("acquired {}", names.lock(m)),
        Op::AcquireShared(m) => format!("acquired {} shared", names.lock(m)),
        Op::Release(m) => format!("released {}", names.lock(m)),
        Op::ReleaseShared(m) => format!("released {} shared", names.lock(m)),
        Op::Wait(c, _) => format!("waited on {}", names.cond(c)),
        Op::Woken(c, _) => format!("was woken from {}", names.cond(c)),
        Op::Fork(u) => format!("forked {}", names.thread(u)),
        Op::BarrierEnter(b) => format!("entered {}", names.barrier(b)),
        Op::BarrierLeave(b) => format!("left {}", names.barrier(b)),
        Op::ChanMake(c, _) => format!("made {}", names.chan(c)),
        Op::Send(c) => format!("sent on {}", names.chan(c)),
        Op::Receive(c) => format!("received from {}", names.chan(c)),
        Op::Free(s) => format!("freed {}", names.span(s)),
        Op::Write(s) => format!("wrote {}", names.span(s)),
        op => unreachable!("no repair makes {op:?}"),
    };
    format!("{} {did}", names.thread(event.tid))
}
