//! The chunks of logs: what was done at each of so many clocks in a row, and, beside that, from which clocks on which mutexes were held. A chunk is written by the thread in whose slot it
//! lies: a word a clock, whatever the place. When it is full it never changes again; then it takes a byte or two a clock if its places have numbers near each other, as those have that
//! were first come to at about the same time, or a byte if it has few places (`coded`); and equal ones are kept once, as of loops, which repeat themselves.

mod coded;

use crate::locksets;
use crate::os::Mutex;
use crate::sites::Site;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use coded::Sites;
use core::mem::offset_of;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// Clocks in a chunk.
pub const CLOCKS: usize = 512;

/// Bytes of all chunks.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Bytes that all chunks take together.
pub fn bytes() -> usize {
    BYTES.load(Ordering::Relaxed)
}

/// Changes of the mutexes held that a chunk can tell.
const CHANGES: usize = 256;

/// From that clock of a chunk on, that set of mutexes was held.
#[derive(Clone, Copy)]
struct Change(u32);

impl Change {
    const LOCKS: u32 = u32::BITS - CLOCKS.trailing_zeros();

    fn new(at: usize, locks: u32) -> Change {
        const { assert!(locksets::MOST < 1 << Change::LOCKS) }
        Change((at as u32) << Change::LOCKS | locks)
    }

    fn at(self) -> usize {
        (self.0 >> Change::LOCKS) as usize
    }

    fn locks(self) -> u32 {
        self.0 & ((1 << Change::LOCKS) - 1)
    }

    /// What was held at that clock, of changes in order.
    fn held_at(changes: impl Iterator<Item = Change>, at: usize) -> u32 {
        changes.take_while(|change| change.at() <= at).last().map_or(0, Change::locks)
    }
}

/// A chunk that is being written.
pub struct Open {
    /// The site of each clock.
    sites: [AtomicU32; CLOCKS],
    /// In order of their clocks.
    changes: [AtomicU32; CHANGES],
    /// How many changes there are: what lies behind is to be read by nobody.
    changed: AtomicUsize,
}

impl Default for Open {
    fn default() -> Open {
        BYTES.fetch_add(size_of::<Open>(), Ordering::Relaxed);
        Open {
            sites: [const { AtomicU32::new(0) }; CLOCKS],
            changes: [const { AtomicU32::new(0) }; CHANGES],
            changed: AtomicUsize::new(0),
        }
    }
}

impl Open {
    /// Where the site of the first clock is.
    pub(crate) const SITES_AT: usize = offset_of!(Open, sites);

    /// Writes down the place of a clock of it.
    #[inline]
    pub fn record(&self, at: usize, site: Site) {
        // Release: who sees the site sees what was held.
        self.sites[at % CLOCKS].store(site.0, Ordering::Release);
    }

    /// Writes down what is held from a clock on at which, and after which, nothing has been done yet. False if there is no room left.
    pub fn holds(&self, at: usize, locks: u32) -> bool {
        let (change, count) = (Change::new(at % CLOCKS, locks), self.changed.load(Ordering::Relaxed));
        // Nothing was done since the last change: nobody will ask for that one.
        let again = count.checked_sub(1).filter(|i| self.change(*i).at() == change.at());
        let place = again.unwrap_or(count);
        let Some(to) = self.changes.get(place) else { return false };
        to.store(change.0, Ordering::Relaxed);
        // Release: who sees the count sees the changes. Who asks for a clock has seen its site before, and so all changes up to it.
        self.changed.store(place + 1, Ordering::Release);
        true
    }

    fn change(&self, i: usize) -> Change {
        Change(self.changes[i].load(Ordering::Relaxed))
    }

    /// Where what was done at a clock of it was done.
    #[inline]
    fn site(&self, at: usize) -> Site {
        Site(self.sites[at % CLOCKS].load(Ordering::Acquire))
    }

    /// What was done at a clock of it; nothing if nothing was.
    fn get(&self, at: usize) -> Option<(Site, u32)> {
        let site = self.site(at);
        let changes = (0..self.changed.load(Ordering::Acquire)).map(|i| self.change(i));
        told(site, || Change::held_at(changes, at))
    }

    /// The site of each clock, while nobody writes to it: not one atomic load after the other.
    fn all_sites(&self) -> &[u32; CLOCKS] {
        // SAFETY: atomic integers are like others in memory, and nobody writes them, as the caller knows.
        unsafe { &*(&raw const self.sites as *const [u32; CLOCKS]) }
    }

    /// The changes, while nobody writes to it.
    fn all_changes(&self) -> &[u32] {
        let changes = &self.changes[..self.changed.load(Ordering::Relaxed)];
        // SAFETY: as above.
        unsafe { core::slice::from_raw_parts(changes.as_ptr() as *const u32, changes.len()) }
    }

    /// Forgets all, while nobody else has it.
    fn clear(&self) {
        // SAFETY: nobody reads or writes it, as the caller knows, and atomic integers may be changed through a shared reference.
        unsafe { (self.sites.as_ptr() as *mut u32).write_bytes(0, CLOCKS) };
        self.changed.store(0, Ordering::Relaxed);
    }
}

/// The place and what was held there; nothing if nothing was done.
fn told(site: Site, locks: impl FnOnce() -> u32) -> Option<(Site, u32)> {
    (site != Site::NOWHERE).then(|| (site, locks()))
}

impl Drop for Open {
    fn drop(&mut self) {
        BYTES.fetch_sub(size_of::<Open>(), Ordering::Relaxed);
    }
}

/// A full chunk.
#[derive(PartialEq, Eq)]
pub struct Full {
    sites: Sites,
    /// [`Change`]s, as numbers: copied and compared as a whole.
    changes: Box<[u32]>,
}

impl Full {
    /// Of a chunk that nobody writes to any more.
    fn new(open: &Open) -> Full {
        let full = Full { sites: Sites::new(open.all_sites()), changes: open.all_changes().into() };
        BYTES.fetch_add(full.size(), Ordering::Relaxed);
        full
    }

    fn size(&self) -> usize {
        let (words, sites) = self.sites.parts();
        size_of::<Full>() + size_of_val(words) + size_of_val(sites) + size_of_val(&*self.changes)
    }

    fn hash(&self) -> u64 {
        let mix = |all: u64, word: u64| (all ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let (words, sites) = self.sites.parts();
        let (pairs, last) = self.changes.as_chunks();
        let pairs = pairs.iter().fold(0, |all, [a, b]| mix(all, (*a as u64) << 32 | *b as u64));
        let changes = last.iter().fold(pairs, |all, change| mix(all, *change as u64));
        let sites = sites.iter().fold(changes, |all, site| mix(all, site.0 as u64));
        words.iter().fold(sites, |all, word| mix(all, *word))
    }

    fn get(&self, at: usize) -> Option<(Site, u32)> {
        told(self.sites.get(at), || Change::held_at(self.changes.iter().copied().map(Change), at))
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
    /// What was done at a clock of it, and which mutexes were held; nothing if nothing was.
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
        for at in 0..CLOCKS {
            let (site, locks) = place(at);
            // Now and then others are held for a moment, in which nothing is done.
            assert!(at % 100 != 0 || open.holds(at, 77));
            assert!(at > 0 && place(at - 1).1 == locks && at % 100 != 0 || open.holds(at, locks));
            open.record(at, Site(site));
        }
        Chunk::Open(Arc::new(open))
    }

    /// A chunk says the same when it is full; equal ones are one.
    #[test]
    fn what_was_written_is_read() {
        for place in [
            |at: usize| (at as u32 % 7, at as u32 / 2 % 3),
            |at: usize| (at as u32 / 2, 5),
            |at: usize| (at as u32, 5),
            // Near each other by one byte and by two, with and without what is scattered; far apart, few of them and many.
            |at: usize| (70_000 + at as u32 % 254, 5),
            |at: usize| (if at % 9 == 3 { u32::MAX } else { 70_000 + at as u32 % 255 }, 5),
            |at: usize| (if at % 9 == 3 { u32::MAX } else { at as u32 % 5 * 14_000 }, at as u32 / 4),
            |at: usize| (1 + at as u32 % 2 * 0xfffd, 5),
            |at: usize| (2 + at as u32 % 2 * 0xfffd, 5),
            |at: usize| (1 + at as u32 % 5 * 100_000, 5),
            |at: usize| ((1 << 28) - 1 - at as u32 * 100_000, 5),
            |_| (0, 0),
            |_| (u32::MAX, 0),
        ] {
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
    fn changes_are_counted() {
        let open = Open::default();
        assert!((0..CHANGES).all(|at| open.holds(at, 1 + at as u32)));
        assert!(!open.holds(CHANGES, 1));
        assert!(open.holds(CHANGES - 1, 1), "instead of the last one");
    }
}
