//! Traces of a program in which every variable has a guard, and a chosen share of the accesses forgets it.
//!
//! The first thread forks the others, all do sections of work under guards, and it joins them in the end. A guard is a lock, or
//! a channel of capacity one used as a lock (*Ready, Set, Go!* Figure 9); the remaining channels pass messages. With a race
//! density of 0 the trace has no race; what it costs to know that is what the generator is for.

use crate::{Batch, ChanId, Event, EventId, Loc, LockId, Namespace, Op, Source, Span, Symbols, TraceError};
use deadheat_clock::Tid;
use std::collections::VecDeque;
use std::ops::Range;

/// What to generate.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Threads, the first included; at least 1.
    pub threads: u32,
    /// Variables; at least 1.
    pub vars: u32,
    /// Locks; each guards its share of the variables, neighbours of each other as the elements of an array are.
    pub locks: u32,
    /// Channels: those with even numbers are guards too, those with odd ones pass messages.
    pub channels: u32,
    /// Events in the trace, exactly.
    pub events: u64,
    /// Share of the accesses that are made without the variable's guard, from 0 to 1.
    pub race_density: f64,
    /// Share of the accesses that are reads, from 0 to 1.
    pub reads: f64,
    /// Accesses in a guarded section, on average.
    pub section: u32,
    /// Steps of a thread before another one's turn comes, on average; 1 is the finest interleaving.
    pub burst: u32,
    /// The same seed gives the same trace.
    pub seed: u64,
}

impl Default for Workload {
    fn default() -> Workload {
        let (threads, vars, locks, channels) = (4, 100, 4, 0);
        Workload {
            threads,
            vars,
            locks,
            channels,
            events: 1000,
            race_density: 0.01,
            reads: 0.7,
            section: 8,
            burst: 1,
            seed: 1,
        }
    }
}

/// Something that at most one thread has at a time.
#[derive(Clone, Copy)]
enum Guard {
    Lock(LockId),
    Token(ChanId),
}

/// What a thread is doing.
#[derive(Clone, Copy)]
enum Phase {
    /// Between sections.
    Idle,
    /// Holds guard number `guard`, has `left` accesses to make, the next at variable `at`.
    Section { guard: u32, left: u32, at: u32 },
    /// Has exited.
    Done,
}

/// A generator of such a trace, event by event.
pub struct Disciplined {
    work: Workload,
    rng: fastrand::Rng,
    symbols: Symbols,
    /// Events that must come next, in order.
    planned: VecDeque<Event>,
    phases: Vec<Phase>,
    guards: Vec<Guard>,
    /// Which guards somebody has.
    taken: Vec<bool>,
    /// Values in each message channel, and its capacity.
    messages: Vec<(ChanId, u32, u32)>,
    made: u64,
    /// Whose turn it is.
    turn: Tid,
}

impl Disciplined {
    /// The generator of that trace; out-of-range numbers are brought into range.
    pub fn new(mut work: Workload) -> Disciplined {
        work.threads = work.threads.max(1);
        work.vars = work.vars.max(1);
        work.section = work.section.max(1);
        work.burst = work.burst.max(1);
        let mut symbols = Symbols::default();
        let mut names = |space, prefix: &str, count: u32| {
            (0..count).for_each(|i| {
                symbols.intern(space, &format!("{prefix}{i}"));
            });
        };
        names(Namespace::Thread, "T", work.threads);
        names(Namespace::Var, "x", work.vars);
        names(Namespace::Lock, "m", work.locks);
        names(Namespace::Chan, "c", work.channels);
        let rng = fastrand::Rng::with_seed(work.seed);
        let guards = guards(&work);
        let taken = vec![false; guards.len()];
        let phases = vec![Phase::Idle; work.threads as usize];
        let (planned, messages) = (VecDeque::new(), Vec::new());
        let mut all = Disciplined {
            work,
            rng,
            symbols,
            planned,
            phases,
            guards,
            taken,
            messages,
            made: 0,
            turn: Tid(0),
        };
        all.set_up();
        all
    }

    /// The main thread makes the channels and forks everybody.
    fn set_up(&mut self) {
        for c in (0..self.work.channels).map(ChanId) {
            let capacity = if c.0 % 2 == 0 { 1 } else { self.rng.u32(0..4) };
            self.plan(Tid(0), Op::ChanMake(c, capacity));
            if c.0 % 2 == 1 {
                self.messages.push((c, 0, capacity));
            }
        }
        (1..self.work.threads).for_each(|t| self.plan(Tid(0), Op::Fork(Tid(t))));
    }

    fn plan(&mut self, tid: Tid, op: Op) {
        let loc = self.place(tid, op);
        self.planned.push_back(Event { op, tid, loc });
    }

    /// A program location: what kind of step it is and, for accesses, of which variable.
    fn place(&self, tid: Tid, op: Op) -> Loc {
        let number = match op {
            Op::Read(s) => 1000 + 2 * (s.addr.name_index().unwrap_or(0) % 1000),
            Op::Write(s) => 1001 + 2 * (s.addr.name_index().unwrap_or(0) % 1000),
            Op::Fork(_) | Op::Join(_) | Op::ChanMake(..) => 1 + tid.0 % 10,
            _ => 100,
        };
        Loc::number(number).unwrap_or(Loc::NONE)
    }

    /// The next event of the trace.
    fn next(&mut self) -> Event {
        loop {
            if let Some(event) = self.planned.pop_front() {
                self.made += 1;
                return event;
            }
            self.step();
        }
    }

    fn step(&mut self) {
        // Enough must be left for everybody to finish a section, exit and be joined.
        let wind_down = u64::from(self.work.threads) * (2 * u64::from(self.work.section) + 8);
        let ending = self.work.events.saturating_sub(self.made) < wind_down.min(self.work.events / 4);
        if self.rng.u32(0..self.work.burst) == 0 {
            self.turn = Tid(self.rng.u32(0..self.work.threads));
        }
        let t = self.turn;
        match self.phases[t.index()] {
            Phase::Section { guard, left: 0, .. } => self.leave(t, guard),
            Phase::Section { guard, left, at } => self.work_in(t, guard, left, at),
            Phase::Idle if ending => self.end(t),
            Phase::Idle => self.begin(t),
            Phase::Done => {}
        }
    }

    fn begin(&mut self, t: Tid) {
        if !self.messages.is_empty() && self.rng.u32(0..8) == 0 {
            return self.pass_message(t);
        }
        if self.guards.is_empty() {
            return self.work_alone(t);
        }
        let guard = self.rng.u32(0..self.guards.len() as u32);
        if std::mem::replace(&mut self.taken[guard as usize], true) {
            return;
        }
        match self.guards[guard as usize] {
            Guard::Lock(m) => self.plan(t, Op::Acquire(m)),
            Guard::Token(c) => self.plan(t, Op::Send(c)),
        }
        let left = self.rng.u32(1..2 * self.work.section);
        let at = self.rng.u32(self.vars_of(guard));
        self.phases[t.index()] = Phase::Section { guard, left, at };
    }

    /// The variables of that guard, or of that thread where nothing can guard.
    fn vars_of(&self, owner: u32) -> Range<u32> {
        let owners = if self.guards.is_empty() { self.work.threads as usize } else { self.guards.len() };
        let bound = |n: u32| (u64::from(n) * u64::from(self.work.vars) / owners as u64) as u32;
        bound(owner)..bound(owner + 1)
    }

    /// Nothing can guard: a thread has its own variables, if there are enough.
    fn work_alone(&mut self, t: Tid) {
        let own = self.vars_of(t.0);
        if !own.is_empty() {
            let at = self.rng.u32(own);
            self.access_or_stray(t, at);
        } else if self.is_stray() {
            let at = self.rng.u32(0..self.work.vars);
            self.access(t, at);
        }
    }

    fn work_in(&mut self, t: Tid, guard: u32, left: u32, at: u32) {
        self.access_or_stray(t, at);
        // Mostly the next variable of the same guard, as a loop over an array would; now and then the same again.
        let vars = self.vars_of(guard);
        let next = if self.rng.u32(0..4) == 0 { at } else { at + 1 };
        let at = if vars.contains(&next) { next } else { vars.start };
        self.phases[t.index()] = Phase::Section { guard, left: left - 1, at };
    }

    fn leave(&mut self, t: Tid, guard: u32) {
        match self.guards[guard as usize] {
            Guard::Lock(m) => self.plan(t, Op::Release(m)),
            Guard::Token(c) => self.plan(t, Op::Receive(c)),
        }
        self.taken[guard as usize] = false;
        self.phases[t.index()] = Phase::Idle;
    }

    /// The last thing a thread does; the main thread then joins it, and goes last itself.
    fn end(&mut self, t: Tid) {
        if t != Tid(0) {
            self.plan(t, Op::Exit);
            self.plan(Tid(0), Op::Join(t));
            self.phases[t.index()] = Phase::Done;
        } else if self.phases[1..].iter().all(|p| matches!(p, Phase::Done)) {
            // Alone at last: it knows all that ever happened, and fills up the trace.
            let at = self.rng.u32(0..self.work.vars);
            self.access(t, at);
        }
    }

    fn is_stray(&mut self) -> bool {
        self.work.race_density > 0.0 && self.rng.f64() < self.work.race_density
    }

    fn access_or_stray(&mut self, t: Tid, at: u32) {
        let at = if self.is_stray() { self.rng.u32(0..self.work.vars) } else { at };
        self.access(t, at);
    }

    fn access(&mut self, t: Tid, at: u32) {
        let span = Span::named(at);
        let op = if self.rng.f64() < self.work.reads { Op::Read(span) } else { Op::Write(span) };
        self.plan(t, op);
    }

    fn pass_message(&mut self, t: Tid) {
        let i = self.rng.usize(0..self.messages.len());
        let (c, values, capacity) = self.messages[i];
        let partner = Tid(self.rng.u32(0..self.work.threads));
        if capacity == 0 {
            if partner != t && matches!(self.phases[partner.index()], Phase::Idle) {
                self.plan(t, Op::Send(c));
                self.plan(partner, Op::Receive(c));
            }
        } else if values < capacity && (values == 0 || self.rng.bool()) {
            self.plan(t, Op::Send(c));
            self.messages[i].1 += 1;
        } else {
            self.plan(t, Op::Receive(c));
            self.messages[i].1 -= 1;
        }
    }
}

fn guards(work: &Workload) -> Vec<Guard> {
    let locks = (0..work.locks).map(|m| Guard::Lock(LockId(m)));
    let tokens = (0..work.channels).step_by(2).map(|c| Guard::Token(ChanId(c)));
    // More guards than variables would leave some with nothing to guard.
    locks.chain(tokens).take(work.vars as usize).collect()
}

impl Source for Disciplined {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        let count = (self.work.events - self.made).min(Batch::LEN as u64);
        batch.first = EventId(self.made);
        batch.events.clear();
        batch.lines.clear();
        batch.events.extend((0..count).map(|_| self.next()));
        Ok(count > 0)
    }

    fn symbols(&self) -> &Symbols {
        &self.symbols
    }
}
