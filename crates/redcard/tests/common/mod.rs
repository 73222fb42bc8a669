//! Random programs and schedules for the tests of Theorem 1. Generators know nothing of the analysis or the judges.
#![allow(dead_code, missing_docs)]

pub mod lower;
pub mod raw;
pub mod source;

use deadheat_redcard::exec::{Schedule, Tid};

/// Threads run for a while before another gets its turn, so that spans of several accesses interleave in many ways.
pub struct Random {
    pub rng: fastrand::Rng,
    last: Option<Tid>,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { rng: fastrand::Rng::with_seed(seed), last: None }
    }
}

impl Schedule for Random {
    fn choose(&mut self, runnable: &[Tid]) -> usize {
        let again = self.last.and_then(|last| runnable.iter().position(|t| *t == last));
        let chosen = match again {
            Some(at) if self.rng.u8(..) < 200 => at,
            _ => self.rng.usize(..runnable.len()),
        };
        self.last = Some(runnable[chosen]);
        chosen
    }

    fn unknown(&mut self) -> i64 {
        match self.rng.u8(..20) {
            0 => i64::MAX,
            1 => i64::MIN,
            _ => self.rng.i64(-2..8),
        }
    }
}
