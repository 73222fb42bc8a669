//! Which memory races from when on, byte by byte: detectors may report the same race in other pieces.

use deadheat_trace::{EventId, Span};
use std::collections::{BTreeMap, BTreeSet};

/// For each byte that races, the event that completes its first race.
#[derive(Clone, Default, Debug)]
pub struct FirstRaces {
    /// Disjoint runs of bytes by their start: the end, and the event.
    runs: BTreeMap<u64, (u64, EventId)>,
}

impl FirstRaces {
    /// Takes note of a race. They come in the order of their events, so what is there already is earlier.
    pub fn add(&mut self, span: Span, event: EventId) {
        let (mut at, end) = (span.addr.0, span.end());
        while at < end {
            at = match self.run_at(at) {
                Some((run_end, _)) => run_end,
                None => {
                    let gap_end = self.runs.range(at..).next().map_or(end, |(&next, _)| next.min(end));
                    self.runs.insert(at, (gap_end, event));
                    gap_end
                }
            }
        }
    }

    /// The end of the run that this byte is in, and its event.
    fn run_at(&self, at: u64) -> Option<(u64, EventId)> {
        self.runs.range(..=at).next_back().map(|(_, run)| *run).filter(|(end, _)| at < *end)
    }

    /// The first race of all.
    pub fn earliest(&self) -> Option<EventId> {
        self.runs.values().map(|(_, event)| *event).min()
    }

    /// How many variables race; neighbouring bytes without a name count as one.
    pub fn variables(&self) -> u64 {
        let touching = self.runs.values().filter(|(end, _)| self.runs.contains_key(end)).count();
        (self.runs.len() - touching) as u64
    }
}

/// Memory on which not all agree: when each reports its first race there.
pub struct Difference {
    /// The memory.
    pub span: Span,
    /// In the order of those compared.
    pub first: Vec<Option<EventId>>,
}

impl Difference {
    /// When the first of them reports a race.
    fn earliest(&self) -> Option<EventId> {
        self.first.iter().flatten().min().copied()
    }
}

/// Where these differ, by the event of the first race.
pub fn differences(all: &[&FirstRaces]) -> Vec<Difference> {
    let runs = all.iter().flat_map(|first| first.runs.iter());
    let borders: BTreeSet<u64> = runs.flat_map(|(&start, &(end, _))| [start, end]).collect();
    let mut found: Vec<Difference> = Vec::new();
    for (&start, &end) in borders.iter().zip(borders.iter().skip(1)) {
        let first: Vec<_> = all.iter().map(|f| f.run_at(start).map(|(_, event)| event)).collect();
        if first.iter().all(|event| *event == first[0]) {
            continue;
        }
        match found.last_mut() {
            Some(last) if last.span.end() == start && last.first == first => last.span.size += end - start,
            _ => found.push(Difference { span: Span::new(start, end - start), first }),
        }
    }
    found.sort_by_key(Difference::earliest);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn races(of: &[(u64, u64, u64)]) -> FirstRaces {
        let mut first = FirstRaces::default();
        of.iter().for_each(|&(addr, size, event)| first.add(Span::new(addr, size), EventId(event)));
        first
    }

    #[test]
    fn the_first_race_of_a_byte_stays() {
        let first = races(&[(4, 4, 1), (0, 16, 2), (6, 20, 3)]);
        let runs: Vec<_> = first.runs.iter().map(|(&start, &(end, event))| (start, end, event.0)).collect();
        assert_eq!(runs, [(0, 4, 2), (4, 8, 1), (8, 16, 2), (16, 26, 3)]);
        assert_eq!((first.variables(), first.earliest()), (1, Some(EventId(1))));
    }

    #[test]
    fn neighbouring_names_are_two_variables() {
        let mut first = FirstRaces::default();
        (0..2).for_each(|i| first.add(Span::named(i), EventId(0)));
        assert_eq!(first.variables(), 2);
    }

    #[test]
    fn other_pieces_are_no_difference() {
        let (whole, pieces) = (races(&[(0, 8, 1)]), races(&[(4, 4, 1), (0, 4, 1), (1, 2, 5)]));
        assert!(differences(&[&whole, &pieces]).is_empty());
    }

    #[test]
    fn differences_are_as_wide_as_can_be() {
        let (one, other) = (races(&[(0, 8, 1), (8, 8, 2), (32, 1, 0)]), races(&[(0, 4, 1), (12, 2, 3)]));
        let found = differences(&[&one, &other]);
        let shown: Vec<_> =
            found.iter().map(|d| (d.span.addr.0, d.span.size, d.first[1].map(|e| e.0))).collect();
        assert_eq!(shown, [(32, 1, None), (4, 4, None), (8, 4, None), (12, 2, Some(3)), (14, 2, None)]);
    }
}
