//! Barriers, round by round: whoever leaves a round knows what all who entered that round knew, and nothing of the next.

use super::ThreadState;
use crate::rule::Rule;
use deadheat_clock::{Knowledge, Tid};
use std::collections::VecDeque;

/// A barrier: the round that gathers, and the complete ones that threads have yet to leave.
#[derive(Clone, Default)]
pub(super) struct Barrier<K> {
    /// Arrivals a round, if the trace says.
    parties: Option<u32>,
    /// The number of the round that gathers.
    round: u64,
    gathering: Round<K>,
    /// Complete rounds; the last is number `round - 1`.
    complete: VecDeque<Round<K>>,
    /// Which round the threads inside are in.
    inside: Vec<(Tid, u64)>,
}

#[derive(Clone, Default)]
struct Round<K> {
    knowledge: K,
    /// Threads that have entered and not left.
    threads: u32,
}

impl<K: Knowledge> Barrier<K> {
    pub(super) fn make(&mut self, parties: u32) {
        *self = Barrier { parties: Some(parties), ..Barrier::default() };
    }

    pub(super) fn enter(&mut self, t: Tid, thread: &mut ThreadState<K>) -> Rule {
        thread.publish_into(&mut self.gathering.knowledge);
        self.gathering.threads += 1;
        self.inside.push((t, self.round));
        if self.parties == Some(self.gathering.threads) {
            self.complete_round();
        }
        Rule::BarrierEnter
    }

    pub(super) fn leave(&mut self, t: Tid, thread: &mut ThreadState<K>) -> Rule {
        let Some(at) = self.inside.iter().position(|&(u, _)| u == t) else { return Rule::BarrierLeave };
        let (_, round) = self.inside.swap_remove(at);
        if round == self.round {
            // Nobody said how many parties there are: the first to leave shows that the round is complete.
            self.complete_round();
        }
        let behind = (self.round - round) as usize;
        let at = self.complete.len() - behind;
        thread.learn(&self.complete[at].knowledge);
        self.complete[at].threads -= 1;
        while self.complete.front().is_some_and(|r| r.threads == 0) {
            self.complete.pop_front();
        }
        Rule::BarrierLeave
    }

    fn complete_round(&mut self) {
        self.complete.push_back(std::mem::take(&mut self.gathering));
        self.round += 1;
    }

    pub(super) fn each_knowledge(&mut self, f: &mut dyn FnMut(&mut K)) {
        f(&mut self.gathering.knowledge);
        self.complete.iter_mut().for_each(|r| f(&mut r.knowledge));
    }
}
