//! The plainest random search: at each step any way of any thread that can go on, all as likely.

use super::{Ending, Strategy};
use crate::run::trail::Trail;
use crate::system::Action;
use serde::{Deserialize, Serialize};

/// A generator that can be saved: a seed and how many runs it has begun.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Dice {
    seed: u64,
    run: u64,
    #[serde(skip, default = "fastrand::Rng::new")]
    rng: fastrand::Rng,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice { seed, run: 0, rng: fastrand::Rng::with_seed(seed) }
    }

    /// A new run, with numbers of its own: the same for the same seed and number of the run.
    pub(crate) fn begin(&mut self) -> &mut fastrand::Rng {
        self.run += 1;
        self.rng = fastrand::Rng::with_seed(self.seed ^ self.run.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        &mut self.rng
    }

    /// Any of the first `n` numbers; 0 if there are none.
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        if n == 0 { 0 } else { self.rng.u32(..n) }
    }

    /// A run's numbers go on.
    pub(crate) fn rng(&mut self) -> &mut fastrand::Rng {
        &mut self.rng
    }
}

/// The search.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Random {
    dice: Dice,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random { dice: Dice::new(seed) }
    }
}

impl Strategy for Random {
    fn begin(&mut self) -> Option<u32> {
        self.dice.begin();
        Some(u32::MAX)
    }

    fn pick(&mut self, trail: &Trail) -> Option<Action> {
        let &(tid, ways) = trail.ready.get(self.dice.below(trail.ready.len() as u32) as usize)?;
        Some(Action { tid, choice: self.dice.below(ways) })
    }

    fn finish(&mut self, _: &Trail, _: Ending) {}

    fn done(&self) -> f64 {
        0.0
    }

    fn kept(&self) -> usize {
        0
    }
}
