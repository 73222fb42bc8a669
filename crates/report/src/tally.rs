//! Races counted and told apart as a detector finds them.
//!
//! A loop that races does so at every turn; a person wants to hear of it once. So a tally keeps the first race of each distinct pair
//! of places and counts the rest. Its memory grows with the places and variables that race, never with the number of races.

use crate::{FirstRaces, Race, RaceKind};
use deadheat_clock::Tid;
use deadheat_trace::{EventId, Loc, Span};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A race, and how often the same two places raced again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reported {
    /// The first of them.
    pub race: Race,
    /// How many came after it.
    pub repeats: u64,
}

/// How much raced.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Counts {
    /// Accesses that completed at least one race.
    pub events: u64,
    /// Variables; neighbouring bytes without a name count as one.
    pub variables: u64,
    /// Distinct pairs of places.
    pub pairs: u64,
}

/// Collects races and tells them apart.
#[derive(Clone, Debug)]
pub struct Tally {
    limit: usize,
    reports: Vec<Reported>,
    /// Where in `reports` a pair is; `None` if it came after the limit was reached.
    pairs: HashMap<Pair, Option<usize>>,
    first: FirstRaces,
    events: u64,
    /// The last access counted in `events`. Races come in the order of their later access, so one is enough.
    last: Option<EventId>,
}

/// What makes two races the same to a person.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Pair(RaceKind, Places);

/// Two places in either order; where the trace does not name places, the memory and the threads stand in for them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Places {
    Source(Loc, Loc),
    Memory(Span, Tid, Tid),
}

impl Pair {
    fn of(race: &Race) -> Pair {
        let (p, c) = (race.prior, race.current);
        let places = if race.has_places() {
            Places::Source(p.loc.min(c.loc), p.loc.max(c.loc))
        } else {
            Places::Memory(race.span, p.tid.min(c.tid), p.tid.max(c.tid))
        };
        Pair(race.kind(), places)
    }
}

impl Race {
    /// Does the trace say where in the program both accesses were?
    pub(crate) fn has_places(&self) -> bool {
        self.prior.loc != Loc::NONE && self.current.loc != Loc::NONE
    }
}

impl Tally {
    /// How many distinct pairs a tally keeps unless told otherwise: more than anyone reads in one go.
    pub const DEFAULT_LIMIT: usize = 100;

    /// An empty tally that will keep the first `limit` distinct pairs and go on counting after that.
    pub fn new(limit: usize) -> Tally {
        let (pairs, first) = Default::default();
        Tally { limit, reports: Vec::new(), pairs, first, events: 0, last: None }
    }

    /// Takes note of a race. Races must come in the order of their later access.
    pub fn add(&mut self, race: Race) {
        debug_assert!(self.last <= Some(race.current.event), "races out of order");
        if self.last.replace(race.current.event) != Some(race.current.event) {
            self.events += 1;
        }
        self.first.add(race.span, race.current.event);
        self.add_pair(race);
    }

    fn add_pair(&mut self, race: Race) {
        let room = self.reports.len() < self.limit;
        let next = room.then_some(self.reports.len());
        match self.pairs.entry(Pair::of(&race)) {
            Entry::Vacant(new) => {
                new.insert(next);
                self.reports.extend(room.then_some(Reported { race, repeats: 0 }));
            }
            Entry::Occupied(known) => {
                if let Some(i) = *known.get() {
                    self.reports[i].repeats += 1;
                }
            }
        }
    }

    /// Has there been no race?
    pub fn is_empty(&self) -> bool {
        self.events == 0
    }

    /// The first race of each pair of places, in the order of the trace, up to the limit.
    pub fn reports(&self) -> &[Reported] {
        &self.reports
    }

    /// When each racing byte first did.
    pub fn first_races(&self) -> &FirstRaces {
        &self.first
    }

    /// How much raced, beyond the limit too.
    pub fn counts(&self) -> Counts {
        let (variables, pairs) = (self.first.variables(), self.pairs.len() as u64);
        Counts { events: self.events, variables, pairs }
    }
}

impl Default for Tally {
    fn default() -> Tally {
        Tally::new(Tally::DEFAULT_LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evidence, Party};
    use deadheat_trace::Mode;

    fn race(event: u64, var: u32, locs: (Loc, Loc)) -> Race {
        let party = |event, tid, loc| Party { event: EventId(event), tid: Tid(tid), loc, mode: Mode::Write };
        let (prior, current) = (party(0, 0, locs.0), party(event, 1, locs.1));
        Race { span: Span::named(var), prior, current, evidence: Evidence::Label { known: 0 } }
    }

    #[test]
    fn a_million_races_take_the_memory_of_their_places() {
        let mut tally = Tally::default();
        for i in 0..1_000_000u32 {
            tally.add(race(u64::from(i / 2) + 1, i % 7, (Loc(i % 300), Loc(1000))));
        }
        assert_eq!(tally.counts(), Counts { events: 500_000, variables: 7, pairs: 300 });
        assert_eq!(tally.reports().len(), 100);
        assert!(tally.pairs.capacity() < 1_000 && tally.counts().variables < 100);
        assert_eq!(tally.reports()[0].repeats, 3_333);
    }

    #[test]
    fn the_order_of_places_does_not_tell_races_apart() {
        let mut tally = Tally::default();
        tally.add(race(1, 0, (Loc(3), Loc(4))));
        tally.add(race(2, 0, (Loc(4), Loc(3))));
        assert_eq!(tally.counts().pairs, 1);
        assert_eq!(tally.reports()[0].repeats, 1);
    }

    #[test]
    fn without_places_memory_and_threads_tell_races_apart() {
        let mut tally = Tally::default();
        tally.add(race(1, 0, (Loc(3), Loc::NONE)));
        tally.add(race(2, 0, (Loc(9), Loc::NONE)));
        tally.add(race(3, 1, (Loc(3), Loc::NONE)));
        assert_eq!(tally.counts().pairs, 2);
    }

    #[test]
    fn the_kind_tells_races_apart() {
        let mut tally = Tally::default();
        let write = race(1, 0, (Loc(3), Loc(4)));
        let mut read = write.clone();
        read.current.mode = Mode::Read;
        tally.add(write);
        tally.add(read);
        assert_eq!(tally.counts(), Counts { events: 1, variables: 1, pairs: 2 });
    }

    #[test]
    fn a_limit_of_zero_still_counts() {
        let mut tally = Tally::new(0);
        assert!(tally.is_empty());
        tally.add(race(1, 0, (Loc(3), Loc(4))));
        assert!(!tally.is_empty() && tally.reports().is_empty());
        assert_eq!(tally.counts(), Counts { events: 1, variables: 1, pairs: 1 });
    }
}
