//! Barriers: rounds, and when a thread may leave one.

use super::{Rule, slot};
use crate::BarrierId;

/// With `parties`, the k-th arrival (from 0) is in round k / parties, so `arrivals` says it all. Without, a round ends when somebody leaves
/// it, so everybody inside may leave at any time and the number of the round does not matter here.
#[derive(Clone, Copy, Default)]
struct Barrier {
    parties: Option<u64>,
    arrivals: u64,
}

impl Barrier {
    fn is_complete(&self, round: u64) -> bool {
        self.parties.is_none_or(|n| self.arrivals >= (round + 1) * n)
    }
}

#[derive(Clone, Default)]
pub(super) struct Barriers(Vec<Barrier>);

impl Barriers {
    fn get(&self, barrier: BarrierId) -> Barrier {
        self.0.get(barrier.index()).copied().unwrap_or_default()
    }

    pub(super) fn check_make(&self, barrier: BarrierId, parties: u32) -> Result<(), Rule> {
        match self.get(barrier) {
            _ if parties == 0 => Err(Rule::BarrierForNobody { barrier }),
            Barrier { parties: Some(_), .. } => Err(Rule::BarrierMadeTwice { barrier }),
            Barrier { arrivals: 1.., .. } => Err(Rule::BarrierMadeLate { barrier }),
            _ => Ok(()),
        }
    }

    pub(super) fn check_leave(&self, barrier: BarrierId, round: u64) -> Result<(), Rule> {
        let state = self.get(barrier);
        match state.parties {
            Some(parties) if !state.is_complete(round) => {
                Err(Rule::LeftTooEarly { barrier, arrived: state.arrivals % parties, parties })
            }
            _ => Ok(()),
        }
    }

    /// Could a thread that arrived now leave at once?
    pub(super) fn next_completes(&self, barrier: BarrierId) -> bool {
        let state = self.get(barrier);
        state.parties.is_none_or(|n| (state.arrivals + 1).is_multiple_of(n))
    }

    pub(super) fn record_make(&mut self, barrier: BarrierId, parties: u32) {
        slot(&mut self.0, barrier.index()).parties = Some(u64::from(parties));
    }

    /// The round of this arrival.
    pub(super) fn record_enter(&mut self, barrier: BarrierId) -> u64 {
        let state = slot(&mut self.0, barrier.index());
        let round = state.parties.map_or(0, |n| state.arrivals / n);
        state.arrivals += 1;
        round
    }
}
