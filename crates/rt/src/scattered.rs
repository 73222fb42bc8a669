//! Accesses of one epoch to different bytes of a granule, made from different places. The granule tells them by one word, with a stamp that stands for whatever is written down here: which bytes were accessed at
//! which clock of the thread. A log of its own, since a place for every combination of places would be many.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use deadheat_online::{Clock, Word};

/// Some bytes of a granule, and whether they were written.
///
/// ```text
///  63 … 54   53 … 9          8        7 … 0
///     0    granule / 8   written   extent
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Part(u64);

impl Part {
    const WRITTEN: u64 = 1 << 8;
    const EXTENT: u64 = 0xff;

    /// Those bytes of the granule at that address.
    #[inline(always)]
    pub fn new(granule: u64, writes: bool, extent: u8) -> Part {
        Part(granule << 6 | (writes as u64 * Part::WRITTEN) | extent as u64)
    }

    /// Other bytes of the same granule.
    #[inline(always)]
    fn with_extent(self, extent: u8) -> Part {
        Part(self.0 & !Part::EXTENT | extent as u64)
    }

    /// It has all of those bytes.
    fn has(self, part: Part) -> bool {
        (self.0 ^ part.0) & !Part::EXTENT == 0 && part.0 & !self.0 == 0
    }
}

/// Those bytes, and the clock of the access in the lower bits of another word; above it what is left of the clock of the stamp that stands for it.
#[derive(Default)]
struct Record {
    part: AtomicU64,
    clocks: AtomicU64,
}

/// So many records are taken at a time.
const RECORDS: usize = 256;
type Records = [Record; RECORDS];

/// Bytes of all records.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// What is kept of a slot, the latest behind.
#[derive(Default)]
pub struct Kept(VecDeque<Box<Records>>);

impl Kept {
    /// Room for more: new, or, beyond that many bytes of all slots, where the slot's oldest records were. Whoever calls it keeps others from reading.
    fn more(&mut self, budget: usize) -> *const Records {
        let is_over = BYTES.load(Ordering::Relaxed) >= budget;
        let room = match self.0.pop_front() {
            Some(oldest) if is_over => oldest,
            oldest => {
                oldest.into_iter().for_each(|oldest| self.0.push_front(oldest));
                BYTES.fetch_add(size_of::<Records>(), Ordering::Relaxed);
                Box::new([const { Record { part: AtomicU64::new(0), clocks: AtomicU64::new(0) } }; RECORDS])
            }
        };
        room.iter().for_each(|record| record.part.store(0, Ordering::Relaxed));
        self.0.push_back(room);
        self.0.back().map_or(core::ptr::null(), |room| &raw const **room)
    }

    /// The clock of the latest access to those bytes that the stamp stands for; nothing if it is too long ago.
    pub fn find(&self, stamp: Word, part: Part) -> Option<Clock> {
        self.0.iter().rev().flat_map(|records| records.iter().rev()).find_map(|record| {
            // Acquire: pairs with `Scattered::record`, so that the clocks are there.
            let written = Part(record.part.load(Ordering::Acquire));
            let clocks = record.clocks.load(Ordering::Relaxed);
            let is_it = written.has(part) && clocks >> Word::CLOCK_BITS == tag(stamp);
            is_it.then_some(Clock(clocks & ((1 << Word::CLOCK_BITS) - 1)))
        })
    }
}

/// What fits beside a clock of another one: more than a slot has epochs that are still told.
fn tag(stamp: Word) -> u64 {
    stamp.clock().0 << Word::CLOCK_BITS >> Word::CLOCK_BITS
}

/// The writing end of a slot.
pub struct Scattered {
    /// The latest stamp that stands for what is here.
    pub stamp: Word,
    to: *const Records,
    used: usize,
}

impl Scattered {
    /// With nothing to write to yet.
    pub const fn new() -> Scattered {
        Scattered { stamp: Word::NONE, to: core::ptr::null(), used: RECORDS }
    }

    /// There is room for two records.
    #[inline(always)]
    pub fn is_ready(&self) -> bool {
        self.used + 2 <= RECORDS
    }

    /// Gets room in what is kept of the slot.
    pub fn open(&mut self, kept: &mut Kept, budget: usize) {
        (self.to, self.used) = (kept.more(budget), 0);
    }

    /// An access at that clock, in the epoch of the current stamp. There is room.
    #[inline(always)]
    pub fn record(&mut self, part: Part, access: Word) {
        debug_assert!(self.used < RECORDS);
        // SAFETY: `open` got it from the slot, where only this thread gives the oldest away; there is room.
        let record = unsafe { &(&*self.to)[self.used % RECORDS] };
        let clocks = access.clock().0 | tag(self.stamp) << Word::CLOCK_BITS;
        record.clocks.store(clocks, Ordering::Relaxed);
        // Release: who finds the bytes finds the clocks. Each record is written once until nobody can read it.
        record.part.store(part.with_extent(access.extent()).0, Ordering::Release);
        self.used += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deadheat_online::Slot;

    fn word(clock: u64, extent: u8) -> Word {
        Word::new(Slot(3), Clock(clock), extent)
    }

    #[test]
    fn the_latest_access_to_a_byte_is_found_by_its_stamp() {
        let (mut kept, mut log) = (Kept::default(), Scattered::new());
        let [read, write] = [false, true].map(|writes| Part::new(0x7fff_1234_5678, writes, 1));
        let other = Part::new(0x7fff_1234_5680, true, 1);
        log.open(&mut kept, usize::MAX);
        log.stamp = word(10, 0xff);
        log.record(write, word(7, 0x0f));
        log.record(read, word(8, 0x01));
        log.record(write, word(9, 0x31));
        log.stamp = word(20, 0xff);
        log.record(write, word(21, 0x80));
        let find = |kept: &Kept, stamp, part: Part, byte: u8| {
            kept.find(word(stamp, 0), part.with_extent(1 << byte)).map(|clock| clock.0)
        };
        assert_eq!(find(&kept, 10, write, 0), Some(9));
        assert_eq!(find(&kept, 10, write, 1), Some(7));
        assert_eq!(find(&kept, 10, read, 0), Some(8));
        assert_eq!((find(&kept, 10, write, 6), find(&kept, 10, read, 1)), (None, None));
        assert_eq!((find(&kept, 10, other, 0), find(&kept, 10, write, 7)), (None, None));
        assert_eq!((find(&kept, 20, write, 7), find(&kept, 20, write, 0)), (Some(21), None));
    }

    #[test]
    fn beyond_the_budget_the_oldest_go() {
        let (mut kept, mut log) = (Kept::default(), Scattered::new());
        let part = |i: usize| Part::new(8 * i as u64, true, 1);
        for i in 0..3 * RECORDS {
            if i.is_multiple_of(RECORDS) {
                // Room for all at first, then for none.
                log.open(&mut kept, if i < 2 * RECORDS { usize::MAX } else { 0 });
                log.stamp = word(1, 0xff);
            }
            assert_eq!(log.is_ready(), i % RECORDS + 2 <= RECORDS);
            log.record(part(i), word(5 + i as u64, 1));
        }
        let find = |i: usize| kept.find(word(1, 0), part(i)).map(|clock| clock.0 as usize);
        assert_eq!((0..RECORDS).find_map(find), None);
        assert!((RECORDS..3 * RECORDS).all(|i| find(i) == Some(5 + i)));
    }
}
