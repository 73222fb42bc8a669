//! Random feasible traces of the operations that the proofs are about: accesses, locks, threads, and in half of them channels.
//!
//! Some traces are wild, others access each variable under a lock of its own, with mistakes now and then: wild ones alone would nearly all race at once.

use deadheat_trace::{ChanId, Event, Feasibility, Loc, LockId, Op, Span, Tid};
use std::collections::VecDeque;
use std::fmt::Write;

/// splitmix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n.max(1)
    }

    fn index(&mut self, n: usize) -> usize {
        self.below(n as u64) as usize
    }
}

/// An operation of the proofs' traces.
#[derive(Clone, Copy)]
enum Proved {
    /// One with a thread and an object, as a letter.
    Of(char, usize, usize),
    /// A rendezvous of a sender and a receiver on a channel.
    Rendezvous(usize, usize, usize),
}

/// A trace, for both sides.
pub struct Made {
    pub events: Vec<Event>,
    pub vars: usize,
    pub locks: usize,
    pub threads: usize,
    /// Of each channel; none if the trace has no channels.
    pub capacities: Vec<u32>,
    /// For each event, its position in `proved`; half a rendezvous has none.
    pub position: Vec<Option<usize>>,
    proved: Vec<Proved>,
}

/// The trace so far, and who holds or waits for what.
struct Making {
    made: Made,
    feasible: Feasibility,
    held: Vec<Option<usize>>,
    /// Of each channel without a buffer, the threads blocked in it, and whether they send.
    blocked: Vec<VecDeque<(usize, bool)>>,
    tidy: bool,
}

impl Made {
    pub fn new(random: &mut Random) -> Made {
        let channels = if random.below(2) == 0 { 1 + random.index(2) } else { 0 };
        let capacities: Vec<u32> = (0..channels).map(|_| random.below(3) as u32).collect();
        let [threads, vars, locks] = [2 + random.index(3), 1 + random.index(3), 1 + random.index(2)];
        let made = Made {
            events: Vec::new(),
            vars,
            locks,
            threads,
            capacities,
            position: Vec::new(),
            proved: Vec::new(),
        };
        let held = vec![None; locks];
        let blocked = vec![VecDeque::new(); channels];
        let mut making =
            Making { made, feasible: Feasibility::new(), held, blocked, tidy: random.below(3) > 0 };
        for c in 0..channels {
            let op = Op::ChanMake(ChanId(c as u32), making.made.capacities[c]);
            making.attempt(0, op, None);
        }
        let length = 8 + random.index(40);
        for _ in 0..3 * length {
            if making.made.proved.len() < length {
                making.step(random);
            }
        }
        making.made
    }

    /// The operations as the proofs have them.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for op in &self.proved {
            let written = match op {
                Proved::Of(letter, t, x) => write!(text, "{letter}{t}{x}"),
                Proved::Rendezvous(t, u, c) => write!(text, "m{t}{u}{c}"),
            };
            written.expect("a string takes it");
        }
        text
    }
}

impl Making {
    fn step(&mut self, random: &mut Random) {
        let t = random.index(self.made.threads);
        let u = random.index(self.made.threads);
        let [x, m] = [random.index(self.made.vars), random.index(self.made.locks)];
        let channels = self.made.capacities.len();
        match random.below(if channels > 0 { 24 } else { 16 }) {
            0..=4 => self.access(random, t, x, false),
            5..=8 => self.access(random, t, x, true),
            9..=10 => self.acquire(t, m),
            11..=13 => self.release(t, m),
            14 => self.attempt(t, Op::Fork(Tid(u as u32)), Some(Proved::Of('f', t, u))),
            15 if random.below(3) == 0 => {
                self.attempt(t, Op::Join(Tid(u as u32)), Some(Proved::Of('j', t, u)))
            }
            // The traces with channels of the proofs have no exits: nothing is ordered by them.
            15 if channels == 0 && random.below(3) == 0 => {
                self.attempt(t, Op::Exit, Some(Proved::Of('e', t, 0)))
            }
            16..=23 => self.channel(random, t, random_channel(channels, x + m + u)),
            _ => {}
        }
    }

    fn access(&mut self, random: &mut Random, t: usize, x: usize, write: bool) {
        let m = x % self.made.locks;
        if self.tidy && self.held[m] != Some(t) && random.below(25) > 0 {
            return self.acquire(t, m);
        }
        let span = Span::named(x as u32);
        let (op, letter) = if write { (Op::Write(span), 'w') } else { (Op::Read(span), 'r') };
        self.attempt(t, op, Some(Proved::Of(letter, t, x)));
    }

    fn acquire(&mut self, t: usize, m: usize) {
        if self.held[m].is_none()
            && self.attempts(t, Op::Acquire(LockId(m as u32)), Some(Proved::Of('a', t, m)))
        {
            self.held[m] = Some(t);
        }
    }

    fn release(&mut self, t: usize, m: usize) {
        if self.attempts(t, Op::Release(LockId(m as u32)), Some(Proved::Of('l', t, m))) {
            self.held[m] = None;
        }
    }

    fn channel(&mut self, random: &mut Random, t: usize, c: usize) {
        let id = ChanId(c as u32);
        match random.below(16) {
            0 => self.attempt(t, Op::Close(id), Some(Proved::Of('c', t, c))),
            1..=2 => self.attempt(t, Op::ReceiveClosed(id), Some(Proved::Of('z', t, c))),
            n if self.made.capacities[c] == 0 => self.half(t, c, n % 2 == 0),
            n if n % 2 == 0 => self.attempt(t, Op::Send(id), Some(Proved::Of('s', t, c))),
            _ => self.attempt(t, Op::Receive(id), Some(Proved::Of('v', t, c))),
        }
    }

    /// Half a rendezvous: the second completes it, first come, first served.
    fn half(&mut self, t: usize, c: usize, sends: bool) {
        let id = ChanId(c as u32);
        let partner = self.blocked[c].front().copied().filter(|(_, other)| *other != sends);
        let proved = partner.map(|(u, _)| match sends {
            true => Proved::Rendezvous(t, u, c),
            false => Proved::Rendezvous(u, t, c),
        });
        if self.attempts(t, if sends { Op::Send(id) } else { Op::Receive(id) }, proved) {
            match partner {
                Some(_) => drop(self.blocked[c].pop_front()),
                None => self.blocked[c].push_back((t, sends)),
            }
        }
    }

    fn attempt(&mut self, t: usize, op: Op, proved: Option<Proved>) {
        self.attempts(t, op, proved);
    }

    /// Takes the event if it can happen here.
    fn attempts(&mut self, t: usize, op: Op, proved: Option<Proved>) -> bool {
        let event = Event { op, tid: Tid(t as u32), loc: Loc::NONE };
        let happens = self.feasible.check(&event).is_ok();
        if happens {
            self.made.events.push(event);
            self.made.position.push(proved.map(|_| self.made.proved.len()));
            self.made.proved.extend(proved);
        }
        happens
    }
}

fn random_channel(channels: usize, n: usize) -> usize {
    n % channels.max(1)
}
