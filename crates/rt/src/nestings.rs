//! Which mutexes were asked for while which were held, each a number: what was met before has nothing to add to the graph of orders (`deadlock`).

use alloc::vec::Vec;

/// A number for asking for a mutex while others are held, by the hashes of that and of those, whatever their order. Never zero.
#[inline]
pub fn nesting(held: u64, asked: u64) -> u64 {
    let both = held ^ asked.rotate_left(32);
    (both ^ both >> 31).max(1)
}

/// Nestings that a thread has told the graph of: most are met again and again, and then cost no lock. As many as the program has, within bounds: programs with a lock for each of their
/// objects have thousands.
pub struct Known {
    /// Each in the place that its last bits say; zero: none.
    places: Vec<u64>,
    /// How often one had to make room for another.
    crowded: usize,
}

impl Known {
    const FIRST: usize = 64;
    const MOST: usize = 1 << 12;

    /// None yet.
    pub const fn new() -> Known {
        Known { places: Vec::new(), crowded: 0 }
    }

    /// The nesting is among them; it is from now on.
    #[inline]
    pub fn met(&mut self, nesting: u64) -> bool {
        let last = self.places.len().wrapping_sub(1);
        self.places.get(nesting as usize & last) == Some(&nesting) || self.meets(nesting)
    }

    /// It was not. Always false.
    #[inline(never)]
    fn meets(&mut self, nesting: u64) -> bool {
        if self.places.is_empty() || self.crowded * 4 > self.places.len() && self.places.len() < Known::MOST {
            self.grow();
        }
        let last = self.places.len() - 1;
        let before = core::mem::replace(&mut self.places[nesting as usize & last], nesting);
        self.crowded += (before != 0) as usize;
        false
    }

    fn grow(&mut self) {
        let room = (self.places.len() * 2).max(Known::FIRST);
        for nesting in core::mem::replace(&mut self.places, alloc::vec![0; room]) {
            if nesting != 0 {
                self.places[nesting as usize & (room - 1)] = nesting;
            }
        }
        self.crowded = 0;
    }
}

impl Default for Known {
    fn default() -> Known {
        Known::new()
    }
}

/// Nestings that any thread has shown. Those of mutexes that are no more pile up, so all are forgotten now and then.
pub struct Shown {
    /// A hash table without links, at most half full: a nesting is in the place that its last bits say, or behind it. Zero: none.
    places: Vec<u64>,
    count: usize,
}

impl Shown {
    const FIRST: usize = 64;
    const MOST: usize = 1 << 16;

    /// None yet.
    pub const fn new() -> Shown {
        Shown { places: Vec::new(), count: 0 }
    }

    /// Nobody has shown that nesting before; from now on somebody has.
    pub fn is_new(&mut self, nesting: u64) -> bool {
        if self.count >= Shown::MOST {
            *self = Shown::new();
        }
        if self.count * 2 >= self.places.len() {
            let room = (self.places.len() * 2).max(Shown::FIRST);
            let before = core::mem::replace(&mut self.places, alloc::vec![0; room]);
            before.into_iter().filter(|nesting| *nesting != 0).for_each(|nesting| {
                self.put(nesting);
            });
        }
        let is_new = self.put(nesting);
        self.count += is_new as usize;
        is_new
    }

    /// Puts it in, if it is not there; says whether.
    fn put(&mut self, nesting: u64) -> bool {
        let last = self.places.len() - 1;
        let mut at = nesting as usize & last;
        while self.places[at] != 0 {
            if self.places[at] == nesting {
                return false;
            }
            at = (at + 1) & last;
        }
        self.places[at] = nesting;
        true
    }
}

impl Default for Shown {
    fn default() -> Shown {
        Shown::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locksets::hash;
    use deadheat_finding::Hold as Mode;

    fn nesting(held: &[(u32, Mode)], serial: u32, mode: Mode) -> u64 {
        let held = held.iter().fold(0u64, |sum, (serial, mode)| sum.wrapping_add(hash(*serial, *mode)));
        super::nesting(held, hash(serial, mode))
    }

    #[test]
    fn a_nesting_is_of_mutexes_and_how_they_are_held_in_any_order() {
        let (a, b) = ((1, Mode::Write), (2, Mode::Write));
        let all = [
            nesting(&[a, b], 3, Mode::Write),
            nesting(&[a, b], 3, Mode::Read),
            nesting(&[a, (2, Mode::Read)], 3, Mode::Write),
            nesting(&[a], 3, Mode::Write),
            nesting(&[(3, Mode::Write), a], 2, Mode::Write),
        ];
        assert_eq!(nesting(&[b, a], 3, Mode::Write), all[0]);
        assert!((0..all.len()).all(|i| !all[..i].contains(&all[i])));
    }

    #[test]
    fn what_was_met_is_known_and_many_are() {
        let mut known = Known::new();
        let all: Vec<u64> =
            (1..500).map(|serial| nesting(&[(1, Mode::Write)], serial, Mode::Write)).collect();
        assert!(all.iter().all(|nesting| !known.met(*nesting)));
        let again = |known: &mut Known| all.iter().filter(|nesting| known.met(**nesting)).count();
        assert!((0..20).map(|_| again(&mut known)).last() > Some(400));
        assert!(known.places.len() <= Known::MOST);
    }

    #[test]
    fn what_was_shown_is_new_once() {
        let mut shown = Shown::new();
        let all: Vec<u64> = (1..3000).map(|serial| nesting(&[], serial, Mode::Write)).collect();
        assert!(all.iter().all(|nesting| shown.is_new(*nesting)));
        assert!(all.iter().all(|nesting| !shown.is_new(*nesting)));
        assert!((1..=Shown::MOST as u64).all(|nesting| all.contains(&nesting) || shown.is_new(nesting)));
        assert!(shown.is_new(all[0]), "all were forgotten");
    }
}
