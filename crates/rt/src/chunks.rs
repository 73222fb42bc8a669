//! The chunks of logs: what was done at each of so many clocks in a row. A chunk tells few places apart, so a clock takes a byte of it: loops repeat themselves. It is written
//! by the thread in whose slot it lies; when it is full it never changes again, and equal ones are kept once.

use crate::os::Mutex;
use crate::sites::Site;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};

/// Clocks in a chunk.
pub const CLOCKS: usize = 512;

/// Places that a chunk can tell apart; number 0 is none.
const PLACES: usize = u8::MAX as usize;

/// Bytes of all chunks.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Bytes that all chunks take together.
pub fn bytes() -> usize {
    BYTES.load(Ordering::Relaxed)
}

/// What was done at a clock: the place, and the mutexes held.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place(u64);

impl Place {
    fn new(site: Site, locks: u32) -> Place {
        Place((site.0 as u64) << 32 | locks as u64)
    }

    /// Nothing, if nothing was done.
    fn told(self) -> Option<(Site, u32)> {
        let site = Site((self.0 >> 32) as u32);
        (site != Site::NOWHERE).then_some((site, self.0 as u32))
    }
}

/// A chunk that is being written.
pub struct Open {
    /// The number of the place of each clock.
    which: [AtomicU8; CLOCKS],
    places: [AtomicU64; PLACES],
    /// How many there are. The writer's.
    count: AtomicUsize,
}

impl Default for Open {
    fn default() -> Open {
        BYTES.fetch_add(size_of::<Open>(), Ordering::Relaxed);
        Open {
            which: [const { AtomicU8::new(0) }; CLOCKS],
            places: [const { AtomicU64::new(0) }; PLACES],
            count: AtomicUsize::new(0),
        }
    }
}

impl Open {
    /// A number for that place in this chunk, if there is one left.
    pub fn number(&self, site: Site, locks: u32) -> Option<u8> {
        let count = self.count.load(Ordering::Relaxed);
        self.places.get(count)?.store(Place::new(site, locks).0, Ordering::Relaxed);
        self.count.store(count + 1, Ordering::Relaxed);
        Some(count as u8 + 1)
    }

    /// Writes down the place of a clock of it.
    #[inline]
    pub fn record(&self, at: usize, number: u8) {
        // Release: who sees the number sees the place.
        self.which[at % CLOCKS].store(number, Ordering::Release);
    }

    fn place(&self, at: usize) -> Place {
        match self.which[at].load(Ordering::Acquire) {
            0 => Place(0),
            number => Place(self.places[number as usize - 1].load(Ordering::Relaxed)),
        }
    }

    /// What was done at a clock of it; nothing if nothing was.
    pub fn get(&self, at: usize) -> Option<(Site, u32)> {
        self.place(at).told()
    }

    /// What its clocks stand for, to its writer.
    fn which(&self) -> [u8; CLOCKS] {
        // SAFETY: others only read it, and atomics have the size and the values of their integers.
        unsafe { (&raw const self.which).cast::<[u8; CLOCKS]>().read() }
    }

    /// Forgets all, while nobody reads it.
    fn clear(&self) {
        // SAFETY: as above; they may be written through shared references.
        unsafe { (&raw const self.which).cast_mut().cast::<[u8; CLOCKS]>().write([0; CLOCKS]) };
        self.count.store(0, Ordering::Relaxed);
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        BYTES.fetch_sub(size_of::<Open>(), Ordering::Relaxed);
    }
}

/// A full chunk.
#[derive(PartialEq, Eq)]
pub struct Full {
    which: [u8; CLOCKS],
    places: Box<[Place]>,
}

impl Full {
    fn new(open: &Open) -> Full {
        let count = open.count.load(Ordering::Relaxed);
        let places = open.places[..count].iter().map(|place| Place(place.load(Ordering::Relaxed)));
        let full = Full { which: open.which(), places: places.collect() };
        BYTES.fetch_add(full.size(), Ordering::Relaxed);
        full
    }

    fn size(&self) -> usize {
        size_of::<Full>() + size_of_val(&*self.places)
    }

    fn hash(&self) -> u64 {
        let mix = |all: u64, word: u64| (all ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let places = self.places.iter().fold(0, |all, place| mix(all, place.0));
        let which = self.which.as_chunks().0.iter();
        which.fold(places, |all, word| mix(all, u64::from_ne_bytes(*word)))
    }

    fn get(&self, at: usize) -> Option<(Site, u32)> {
        let number = self.which[at].checked_sub(1)?;
        self.places[number as usize].told()
    }
}

impl Drop for Full {
    fn drop(&mut self) {
        BYTES.fetch_sub(self.size(), Ordering::Relaxed);
    }
}

/// A chunk of a log.
#[derive(Clone)]
pub enum Chunk {
    /// Its thread writes it.
    Open(Arc<Open>),
    /// It never changes again.
    Full(Arc<Full>),
}

/// Full chunks that were seen lately, to be shared.
static SEEN: Mutex<Vec<Option<Arc<Full>>>> = Mutex::new(Vec::new());

impl Chunk {
    /// What was done at a clock of it; nothing if nothing was.
    pub fn get(&self, at: usize) -> Option<(Site, u32)> {
        match self {
            Chunk::Open(open) => open.get(at),
            Chunk::Full(full) => full.get(at),
        }
    }

    /// The last clock of it at which something was done.
    pub fn last(&self) -> Option<usize> {
        (0..CLOCKS).rev().find(|at| self.get(*at).is_some())
    }

    /// It is full: what is left is an empty one to write the next chunk to. Nobody else may look at it meanwhile.
    pub fn close(&mut self) -> Option<Arc<Open>> {
        const ROOM: usize = 256;
        let Chunk::Open(open) = self else { return None };
        let open = open.clone();
        let full = Full::new(&open);
        let mut seen = SEEN.lock();
        if seen.is_empty() {
            seen.resize(ROOM, None);
        }
        let place = &mut seen[full.hash() as usize % ROOM];
        let full = match place {
            Some(old) if **old == full => old.clone(),
            _ => place.insert(Arc::new(full)).clone(),
        };
        *self = Chunk::Full(full);
        open.clear();
        Some(open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(place: impl Fn(usize) -> (u32, u32)) -> Chunk {
        let open = Open::default();
        let mut numbers = alloc::collections::BTreeMap::new();
        for at in 0..CLOCKS {
            let (site, locks) = place(at);
            let number = numbers
                .entry((site, locks))
                .or_insert_with(|| open.number(Site(site), locks).expect("few places"));
            open.record(at, *number);
        }
        Chunk::Open(Arc::new(open))
    }

    /// A chunk says the same when it is full; equal ones are one.
    #[test]
    fn what_was_written_is_read() {
        for place in [|at: usize| (at as u32 % 7, at as u32 % 3), |at: usize| (at as u32 / 3 + 1, 5)] {
            let told = |at: usize| {
                let (site, locks) = place(at);
                (site != 0).then_some((Site(site), locks))
            };
            let (mut chunk, mut equal) = (full(place), full(place));
            assert!((0..CLOCKS).all(|at| chunk.get(at) == told(at)));
            let again = chunk.close().expect("it was open");
            equal.close();
            assert!((0..CLOCKS).all(|at| chunk.get(at) == told(at) && again.get(at).is_none()));
            assert!(matches!((&chunk, &equal), (Chunk::Full(a), Chunk::Full(b)) if Arc::ptr_eq(a, b)));
        }
        assert_eq!(full(|at| (u32::from(at < 9), 0)).last(), Some(8));
    }

    #[test]
    fn places_are_counted() {
        let open = Open::default();
        assert!((1..=PLACES as u32).all(|site| open.number(Site(site), 0) == Some(site as u8)));
        assert_eq!(open.number(Site(1), 0), None);
    }
}
