//! The chunks of logs: what was done at each of so many clocks in a row. A chunk is written by the thread in whose slot it lies; when it is full it never changes again, and
//! is packed: loops repeat themselves, so most chunks know few places, and many are equal.

use crate::os::Mutex;
use crate::sites::Site;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// Clocks in a chunk.
pub const CLOCKS: usize = 512;

/// Bytes of all chunks.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Bytes that all chunks take together.
pub fn bytes() -> usize {
    BYTES.load(Ordering::Relaxed)
}

/// What was done at a clock: the place, and the mutexes held.
type Place = (u32, u32);

#[repr(C)]
struct Entry {
    site: AtomicU32,
    locks: AtomicU32,
}

/// A chunk that is being written.
pub struct Open([Entry; CLOCKS]);

impl Default for Open {
    fn default() -> Open {
        BYTES.fetch_add(size_of::<Open>(), Ordering::Relaxed);
        Open([const { Entry { site: AtomicU32::new(0), locks: AtomicU32::new(0) } }; CLOCKS])
    }
}

impl Open {
    /// Writes down what was done at a clock of it.
    #[inline]
    pub fn record(&self, at: usize, site: Site, locks: u32) {
        self.0[at].locks.store(locks, Ordering::Relaxed);
        // Release: who sees the site sees the mutexes.
        self.0[at].site.store(site.0, Ordering::Release);
    }

    /// Where the access at a clock of it was made.
    #[inline]
    pub fn site(&self, at: usize) -> Site {
        Site(self.0[at].site.load(Ordering::Acquire))
    }

    fn place(&self, at: usize) -> Place {
        (self.site(at).0, self.0[at].locks.load(Ordering::Relaxed))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        BYTES.fetch_sub(size_of::<Open>(), Ordering::Relaxed);
    }
}

/// A full chunk of few places: which one each clock stands for.
#[derive(PartialEq, Eq)]
pub struct Packed {
    places: Box<[Place]>,
    which: [u8; CLOCKS],
}

impl Packed {
    /// None if there are too many places.
    fn new(full: &Open) -> Option<Packed> {
        const BUCKETS: usize = 1024;
        let mut places: Vec<Place> = Vec::new();
        // Behind each place's hash, its number and one.
        let mut numbers = [0u16; BUCKETS];
        let mut which = [0; CLOCKS];
        for (at, which) in which.iter_mut().enumerate() {
            let place = full.place(at);
            let mut bucket = hash(0, place) as usize % BUCKETS;
            while numbers[bucket] != 0 && places[numbers[bucket] as usize - 1] != place {
                bucket = (bucket + 1) % BUCKETS;
            }
            if numbers[bucket] == 0 {
                places.push(place);
                numbers[bucket] = places.len() as u16;
            }
            *which = u8::try_from(numbers[bucket] - 1).ok()?;
        }
        let packed = Packed { places: places.into(), which };
        BYTES.fetch_add(packed.size(), Ordering::Relaxed);
        Some(packed)
    }

    fn size(&self) -> usize {
        size_of::<Packed>() + size_of_val(&*self.places)
    }

    fn hash(&self) -> u64 {
        let places = self.places.iter().fold(0, |all, place| hash(all, *place));
        self.which.iter().fold(places, |all, which| hash(all, (*which as u32, 0)))
    }
}

fn hash(before: u64, place: Place) -> u64 {
    let mixed = (before ^ (place.0 as u64) << 32 ^ place.1 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

impl Drop for Packed {
    fn drop(&mut self) {
        BYTES.fetch_sub(self.size(), Ordering::Relaxed);
    }
}

/// A chunk of a log.
#[derive(Clone)]
pub enum Chunk {
    /// Its thread writes it, or has too many places to tell.
    Open(Arc<Open>),
    /// Full.
    Packed(Arc<Packed>),
}

/// Full chunks that were seen lately, to be shared.
static SEEN: Mutex<Vec<Option<Arc<Packed>>>> = Mutex::new(Vec::new());

impl Chunk {
    /// What was done at a clock of it; nothing if nothing was.
    pub fn get(&self, at: usize) -> Option<(Site, u32)> {
        let (site, locks) = match self {
            Chunk::Open(open) => open.place(at),
            Chunk::Packed(packed) => packed.places[packed.which[at] as usize],
        };
        (site != Site::NOWHERE.0).then_some((Site(site), locks))
    }

    /// The last clock of it at which something was done.
    pub fn last(&self) -> Option<usize> {
        (0..CLOCKS).rev().find(|at| self.get(*at).is_some())
    }

    /// It is full: packs it, or takes an equal one.
    pub fn pack(&mut self) {
        const ROOM: usize = 256;
        let Chunk::Open(open) = self else { return };
        let Some(packed) = Packed::new(open) else { return };
        let mut seen = SEEN.lock();
        if seen.is_empty() {
            seen.resize(ROOM, None);
        }
        let place = &mut seen[packed.hash() as usize % ROOM];
        let packed = match place {
            Some(old) if **old == packed => old.clone(),
            _ => place.insert(Arc::new(packed)).clone(),
        };
        *self = Chunk::Packed(packed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(place: impl Fn(usize) -> Place) -> Chunk {
        let open = Open::default();
        for at in 0..CLOCKS {
            let (site, locks) = place(at);
            open.record(at, Site(site), locks);
        }
        Chunk::Open(Arc::new(open))
    }

    /// A chunk says the same when it is packed, as long as it can be; equal ones are one.
    #[test]
    fn packing_changes_nothing() {
        let few = |at: usize| (at as u32 % 7, at as u32 % 3);
        let many = |at: usize| (at as u32 + 1, 0);
        let most = |at: usize| (at as u32 / 2 + 1, 5);
        for (place, is_packed) in [(&few as &dyn Fn(usize) -> Place, true), (&many, false), (&most, true)] {
            let mut chunk = full(place);
            chunk.pack();
            assert_eq!(matches!(chunk, Chunk::Packed(_)), is_packed);
            for at in 0..CLOCKS {
                let (site, locks) = place(at);
                assert_eq!(chunk.get(at), (site != 0).then_some((Site(site), locks)));
            }
            let mut equal = full(place);
            equal.pack();
            if let (Chunk::Packed(a), Chunk::Packed(b)) = (&chunk, &equal) {
                assert!(Arc::ptr_eq(a, b));
            }
        }
        assert_eq!(full(|at| (u32::from(at < 9), 0)).last(), Some(8));
    }
}
