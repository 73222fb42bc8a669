//! Long runs of memory that were only ever touched as a whole.

use deadheat_trace::Span;
use std::collections::BTreeMap;

/// Disjoint runs `[start, end)`, each with one state.
#[derive(Clone)]
pub(super) struct Runs<C> {
    by_start: BTreeMap<u64, (u64, C)>,
}

impl<C> Default for Runs<C> {
    fn default() -> Runs<C> {
        Runs { by_start: BTreeMap::new() }
    }
}

impl<C: Clone + Default> Runs<C> {
    /// Calls `f` for each run of `[lo, hi)`, after making and splitting runs so that they cover just that.
    pub(super) fn visit(&mut self, lo: u64, hi: u64, f: &mut dyn FnMut(Span, &mut C)) {
        if lo >= hi {
            return;
        }
        self.split_at(lo);
        self.split_at(hi);
        self.fill_gaps(lo, hi);
        for (&start, (end, state)) in self.by_start.range_mut(lo..hi) {
            f(Span::new(start, *end - start), state);
        }
    }

    pub(super) fn clear(&mut self, lo: u64, hi: u64) {
        self.split_at(lo);
        self.split_at(hi);
        let inside: Vec<u64> = self.by_start.range(lo..hi).map(|(&start, _)| start).collect();
        for start in inside {
            self.by_start.remove(&start);
        }
    }

    pub(super) fn each_cell(&mut self, f: &mut dyn FnMut(&mut C)) {
        self.by_start.values_mut().for_each(|(_, state)| f(state));
    }

    /// The parts of runs that lie in `[lo, hi)`.
    pub(super) fn overlapping(&self, lo: u64, hi: u64) -> impl Iterator<Item = (u64, u64, &C)> {
        let from = self.by_start.range(..=lo).next_back().map_or(lo, |(&start, _)| start);
        let runs = self.by_start.range(from..hi).filter(move |(_, (end, _))| *end > lo);
        runs.map(move |(&start, (end, state))| (start.max(lo), hi.min(*end), state))
    }

    fn split_at(&mut self, at: u64) {
        if let Some((_, (end, state))) = self.by_start.range_mut(..at).next_back()
            && *end > at
        {
            let tail = (std::mem::replace(end, at), state.clone());
            self.by_start.insert(at, tail);
        }
    }

    fn fill_gaps(&mut self, lo: u64, hi: u64) {
        let mut at = lo;
        let mut gaps = Vec::new();
        for (&start, (end, _)) in self.by_start.range(lo..hi) {
            gaps.push((at, start));
            at = *end;
        }
        gaps.push((at, hi));
        for (start, end) in gaps.into_iter().filter(|(start, end)| start < end) {
            self.by_start.insert(start, (end, C::default()));
        }
    }
}
