//! Traces in which anything feasible can happen: random operations, of which the infeasible ones are left out.
//!
//! The trace is made from a sequence of numbers, one per attempted event. Leaving numbers out leaves events out, so a property test that
//! shrinks the numbers shrinks the trace.

use crate::{
    BarrierId, Batch, ChanId, CondId, Event, EventId, Feasibility, FenceOrder, LoadOrder, Loc, LockId,
    Namespace, Op, RmwOrder, Scope, Source, Span, StoreOrder, Symbols, Trace, TraceError, VolatileId,
};
use deadheat_clock::Tid;
use std::collections::HashMap;

/// How many of each kind of thing a random trace has.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Threads; the first half runs from the start, the others once they are forked.
    pub threads: u32,
    /// Named variables, and words of memory at addresses beside them.
    pub vars: u32,
    /// Locks, volatiles, condition variables, barriers and channels, of each.
    pub objects: u32,
    /// Of 16 attempts that are not synchronisation, how many are plain accesses; the others are nothing.
    pub accesses: u32,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape { threads: 4, vars: 3, objects: 2, accesses: 16 }
    }
}

/// Takes a number apart into small ones.
struct Digits(u64);

impl Digits {
    fn below(&mut self, n: u32) -> u32 {
        let n = u64::from(n.max(1));
        let digit = self.0 % n;
        self.0 /= n;
        digit as u32
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }
}

/// Takes the events that can happen, one attempt at a time.
struct Attempts {
    shape: Shape,
    feasible: Feasibility,
    forked: Vec<bool>,
    made: u64,
}

/// Keeps a trace from coming to a standstill: the threads that run from the start never end nor wait for a lock that may be lost, and the first
/// of them meets the others only where it does not block itself.
struct Lifeline {
    /// The last of the threads that run from the start.
    permanent: Tid,
    /// Of each unbuffered channel, how many senders are blocked; if negative, how many receivers.
    meeting: HashMap<ChanId, i64>,
    /// Of each barrier with a known number of parties: that number, and how many have come to the present round.
    gathering: HashMap<BarrierId, (u32, u32)>,
}

impl Lifeline {
    fn allows(&self, event: &Event) -> bool {
        let meets = |c, partner: i64| self.meeting.get(&c).is_none_or(|n| n.signum() == partner);
        match (event.tid, event.op) {
            (_, Op::Join(t)) | (t, Op::Exit | Op::Wait(..)) => t > self.permanent,
            (Tid(0), Op::Send(c)) => meets(c, -1),
            (Tid(0), Op::Receive(c)) => meets(c, 1),
            (Tid(0), Op::BarrierEnter(b)) => self.gathering.get(&b).is_none_or(|(n, come)| come + 1 == *n),
            _ => true,
        }
    }

    fn record(&mut self, event: &Event) {
        match event.op {
            Op::ChanMake(c, 0) => drop(self.meeting.insert(c, 0)),
            Op::BarrierMake(b, n) => drop(self.gathering.insert(b, (n, 0))),
            Op::Send(c) => self.meeting.get_mut(&c).into_iter().for_each(|n| *n += 1),
            Op::Receive(c) => self.meeting.get_mut(&c).into_iter().for_each(|n| *n -= 1),
            Op::BarrierEnter(b) => {
                self.gathering.get_mut(&b).into_iter().for_each(|(n, come)| *come = (*come + 1) % *n);
            }
            _ => {}
        }
    }
}

impl Attempts {
    fn new(shape: Shape) -> Attempts {
        let forked = (0..shape.threads).map(|t| t <= shape.threads / 2).collect();
        Attempts { shape, feasible: Feasibility::default(), forked, made: 0 }
    }

    /// The event that this number stands for, if it can happen now.
    fn attempt(&mut self, choice: u64, lifeline: &mut Option<Lifeline>) -> Option<Event> {
        let loc = Loc::number(self.made as u32 % 50).unwrap_or(Loc::NONE);
        let event = event(&mut Digits(choice), self.shape, loc)?;
        if !self.forked[event.tid.index()] || lifeline.as_ref().is_some_and(|l| !l.allows(&event)) {
            return None;
        }
        self.feasible.check(&event).ok()?;
        if let Some(lifeline) = lifeline {
            lifeline.record(&event);
        }
        if let Op::Fork(child) = event.op {
            self.forked[child.index()] = true;
        }
        self.made += 1;
        Some(event)
    }
}

/// The trace of the feasible ones among the events that these numbers stand for.
pub fn random_trace(choices: impl IntoIterator<Item = u64>, shape: Shape) -> Trace {
    let mut attempts = Attempts::new(shape);
    let events = choices.into_iter().filter_map(|choice| attempts.attempt(choice, &mut None)).collect();
    Trace { symbols: names(shape), events }
}

/// Such a trace of any length, event by event.
pub struct Random {
    attempts: Attempts,
    lifeline: Option<Lifeline>,
    rng: fastrand::Rng,
    symbols: Symbols,
    events: u64,
}

impl Random {
    /// A trace with that many events.
    pub fn new(shape: Shape, events: u64, seed: u64) -> Random {
        let rng = fastrand::Rng::with_seed(seed);
        let permanent = Tid(shape.threads / 2);
        let lifeline = Some(Lifeline { permanent, meeting: HashMap::new(), gathering: HashMap::new() });
        Random { attempts: Attempts::new(shape), lifeline, rng, symbols: names(shape), events }
    }

    /// The next feasible event. One turns up before long: the first thread can always read and write.
    fn next(&mut self) -> Event {
        loop {
            if let Some(event) = self.attempts.attempt(self.rng.u64(..), &mut self.lifeline) {
                return event;
            }
        }
    }
}

impl Source for Random {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        batch.first = EventId(self.attempts.made);
        batch.events.clear();
        batch.lines.clear();
        while batch.events.len() < Batch::LEN && self.attempts.made < self.events {
            let event = self.next();
            batch.events.push(event);
        }
        Ok(!batch.events.is_empty())
    }

    fn symbols(&self) -> &Symbols {
        &self.symbols
    }
}

fn names(shape: Shape) -> Symbols {
    let mut symbols = Symbols::default();
    for (space, prefix, count) in [
        (Namespace::Thread, "T", shape.threads),
        (Namespace::Var, "x", shape.vars),
        (Namespace::Lock, "m", shape.objects),
        (Namespace::Volatile, "v", shape.objects),
        (Namespace::Cond, "cv", shape.objects),
        (Namespace::Barrier, "b", shape.objects),
        (Namespace::Chan, "c", shape.objects),
    ] {
        (0..count).for_each(|i| {
            symbols.intern(space, &format!("{prefix}{i}"));
        });
    }
    symbols
}

fn event(d: &mut Digits, shape: Shape, loc: Loc) -> Option<Event> {
    let tid = Tid(d.below(shape.threads));
    let object = |d: &mut Digits| d.below(shape.objects);
    let op = match d.below(32) {
        0..16 if d.below(16) >= shape.accesses => return None,
        0..8 => Op::Read(memory(d, shape)),
        8..16 => Op::Write(memory(d, shape)),
        16 => Op::Acquire(LockId(object(d))),
        17 => Op::Release(LockId(object(d))),
        18 => d.one_of(&[Op::AcquireShared, Op::ReleaseShared])(LockId(object(d))),
        19 => d.one_of(&[Op::Fork, Op::Join])(Tid(d.below(shape.threads))),
        20 => d.one_of(&[Op::VolatileRead, Op::VolatileWrite])(VolatileId(object(d))),
        21 => Op::AtomicLoad(
            memory(d, shape),
            d.one_of(&[LoadOrder::Relaxed, LoadOrder::Acquire, LoadOrder::SeqCst]),
        ),
        22 => {
            let order = d.one_of(&[StoreOrder::Relaxed, StoreOrder::Release, StoreOrder::SeqCst]);
            Op::AtomicStore(memory(d, shape), order)
        }
        23 => {
            use RmwOrder::*;
            Op::AtomicRmw(memory(d, shape), d.one_of(&[Relaxed, Acquire, Release, AcqRel, SeqCst]))
        }
        24 => Op::Fence(d.one_of(&[
            FenceOrder::Acquire,
            FenceOrder::Release,
            FenceOrder::AcqRel,
            FenceOrder::SeqCst,
        ])),
        25 => d.one_of(&[Op::Wait, Op::Woken])(CondId(object(d)), LockId(object(d))),
        26 => d.one_of(&[Op::BarrierEnter, Op::BarrierLeave])(BarrierId(object(d))),
        27 => d.one_of(&[Op::Send, Op::Send, Op::Close])(ChanId(object(d))),
        28 => d.one_of(&[Op::Receive, Op::Receive, Op::ReceiveClosed])(ChanId(object(d))),
        29 => match d.below(4) {
            0 => Op::BarrierMake(BarrierId(object(d)), 1 + d.below(3)),
            _ => Op::ChanMake(ChanId(object(d)), d.below(3)),
        },
        30 => d.one_of(&[Op::Alloc, Op::Free])(block(d)),
        _ => match d.below(4) {
            0 => Op::Start,
            1 => Op::Exit,
            _ => Op::Notify(CondId(object(d)), d.one_of(&[Scope::One, Scope::All])),
        },
    };
    Some(Event { op, tid, loc })
}

/// A named variable, or some bytes of two words at addresses, or more of them than a page.
fn memory(d: &mut Digits, shape: Shape) -> Span {
    match d.below(8) {
        0..5 => Span::named(d.below(shape.vars)),
        5 => Span::new(u64::from(0x1000 + 4 * d.below(4)), 4),
        6 => Span::new(u64::from(0x1000 + d.below(12)), d.one_of(&[1, 2, 8])),
        _ => d.one_of(&[Span::new(0x1000, 8), Span::new(0x1008, 8), Span::new(0xf00, 2000)]),
    }
}

fn block(d: &mut Digits) -> Span {
    d.one_of(&[Span::new(0x1000, 16), Span::new(0x1008, 8), Span::new(0xe00, 4096)])
}
