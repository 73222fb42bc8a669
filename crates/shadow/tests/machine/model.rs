//! Memory by the definition: every byte keeps all its accesses, with vector clocks.
#![allow(missing_docs)]

use super::machine::{BYTES, LOCKS, Site, Told};
use deadheat_shadow::Mode;

pub const THREADS: usize = 5;

type Clocks = [u32; THREADS];

#[derive(Clone, Copy)]
struct Past {
    thread: usize,
    time: u32,
    mode: Mode,
    site: Site,
}

/// A byte: all accesses since it was forgotten, whether one of them raced, and whether something is attached.
#[derive(Clone, Default)]
struct Byte {
    past: Vec<Past>,
    raced: bool,
    marked: bool,
}

/// What the definition says of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// A byte's first race: it has to be told.
    First,
    /// No byte has raced so far, and none does now: nothing may be told.
    None,
    /// Some byte raced before, and no other does now: what is told must be true.
    Later,
}

pub struct Model {
    bytes: Vec<Byte>,
    threads: Vec<Clocks>,
    locks: [Clocks; LOCKS],
    pub running: Vec<bool>,
}

fn join(a: &mut Clocks, b: &Clocks) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a = (*a).max(*b));
}

fn is_atomic(mode: Mode) -> bool {
    matches!(mode, Mode::AtomicRead | Mode::AtomicWrite)
}

impl Model {
    pub fn new() -> Model {
        let mut first = [0; THREADS];
        first[0] = 1;
        Model {
            bytes: vec![Byte::default(); BYTES],
            threads: vec![first],
            locks: [[0; THREADS]; LOCKS],
            running: vec![true],
        }
    }

    pub fn fork(&mut self, parent: usize) {
        let id = self.threads.len();
        let mut child = self.threads[parent];
        child[id] = 1;
        self.threads.push(child);
        self.running.push(true);
        self.threads[parent][parent] += 1;
    }

    pub fn join(&mut self, waiter: usize, ended: usize) {
        let other = self.threads[ended];
        join(&mut self.threads[waiter], &other);
        self.running[ended] = false;
    }

    pub fn acquire(&mut self, by: usize, lock: usize) {
        let known = self.locks[lock];
        join(&mut self.threads[by], &known);
    }

    pub fn release(&mut self, by: usize, lock: usize) {
        self.locks[lock] = self.threads[by];
        self.threads[by][by] += 1;
    }

    pub fn release_join(&mut self, by: usize, lock: usize) {
        join(&mut self.locks[lock], &self.threads[by]);
        self.threads[by][by] += 1;
    }

    pub fn forget(&mut self, byte: usize) {
        self.bytes[byte] = Byte::default();
    }

    pub fn mark(&mut self, byte: usize) {
        self.bytes[byte].marked = true;
    }

    pub fn is_marked(&self, byte: usize) -> bool {
        self.bytes[byte].marked
    }

    fn races(&self, by: usize, past: &Past, mode: Mode) -> bool {
        let conflicts = (past.mode.writes() || mode.writes()) && !(is_atomic(past.mode) && is_atomic(mode));
        conflicts && past.thread != by && self.threads[by][past.thread] < past.time
    }

    /// That earlier access was made, and nothing orders it before one of that mode now.
    pub fn is_true(&self, by: usize, mode: Mode, told: Told) -> bool {
        let mut past = self.bytes[told.byte].past.iter();
        past.any(|p| {
            let named = (p.thread, p.mode, p.site) == (told.thread, told.mode, told.site);
            named && self.races(by, p, mode)
        })
    }

    /// Judges the access, and remembers it.
    pub fn access(
        &mut self,
        by: usize,
        bytes: impl Iterator<Item = usize>,
        mode: Mode,
        site: Site,
    ) -> Verdict {
        let (mut first, mut before) = (false, false);
        for byte in bytes {
            let races = self.bytes[byte].past.iter().any(|p| self.races(by, p, mode));
            let time = self.threads[by][by];
            let byte = &mut self.bytes[byte];
            byte.past.push(Past { thread: by, time, mode, site });
            byte.marked &= mode != Mode::Write;
            (first, before) = (first || (races && !byte.raced), before || byte.raced);
            byte.raced |= races;
        }
        match (first, before) {
            (true, _) => Verdict::First,
            (false, true) => Verdict::Later,
            (false, false) => Verdict::None,
        }
    }
}
