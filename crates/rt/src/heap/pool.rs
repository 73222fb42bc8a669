//! One size class: a run of equal blocks, a record beside each, and the blocks that nobody holds.
//!
//! ```text
//!  blocks   │ 0 │ 1 │ 2 │ … │ carved-1 │ never used … │ no memory yet … end of the region │
//!  records  │ 0 │ 1 │ 2 │ … │ carved-1 │              │                                   │
//! ```
//!
//! The records lie apart from the blocks, so that a program that writes past the end of a block, or into one that it
//! has freed, does no harm to them.

use super::class::{Class, Divisor};
use super::record::{Record, Word};
use super::{BadFree, Block, Origin};
use crate::os::{self, Access, Advice, Mutex};
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// Which block of a class.
pub type Index = u32;

const NO_BLOCK: Index = Index::MAX;

/// The least and the most memory by which the usable part of a region grows at once.
const SMALLEST_STEP: usize = 64 * 1024;
const LARGEST_STEP: usize = 8 * 1024 * 1024;

/// Free memory of a class that stays with the process; what goes beyond goes back to the kernel, block by block,
/// where blocks are whole pages.
const KEPT: usize = 1024 * 1024;

/// A block handed out.
#[derive(Clone, Copy)]
pub struct Fresh {
    /// Its address; never 0, so that an `Option` of this fits into two registers.
    start: NonZeroUsize,
    /// What it was before.
    before: Word,
}

impl Fresh {
    /// Mapped memory that was this before.
    #[inline]
    fn new(start: usize, before: Word) -> Fresh {
        debug_assert!(start != 0, "nothing is mapped there");
        // SAFETY: the kernel maps nothing at 0 unless asked to.
        Fresh { start: unsafe { NonZeroUsize::new_unchecked(start) }, before }
    }

    /// A block of zeros in mapped memory.
    pub fn zeroed(start: usize) -> Fresh {
        Fresh::new(start, Word::NEVER_USED)
    }

    /// A block in mapped memory that somebody has used.
    pub fn used(start: usize) -> Fresh {
        Fresh::new(start, Word::freed(0))
    }

    /// Its address.
    #[inline]
    pub fn start(&self) -> *mut u8 {
        self.start.get() as *mut u8
    }

    /// Makes its first `size` bytes zero, which it must have.
    #[inline]
    pub fn zero(&self, size: usize) -> *mut u8 {
        if !self.is_zeroed() {
            // SAFETY: the block was handed out just now, has room for `size` bytes, and nobody else has it.
            unsafe { self.start().write_bytes(0, size) };
        }
        self.start()
    }

    /// Whether all its bytes are known to be zero.
    #[inline]
    pub fn is_zeroed(&self) -> bool {
        self.before.is_zeroed()
    }
}

/// The blocks of one class. What every allocation needs comes first, in one cache line.
#[repr(C, align(64))]
pub struct Pool {
    /// Where the blocks and the records begin; set once, before the first block is carved.
    blocks: AtomicUsize,
    records: AtomicUsize,
    divisor: Divisor,
    size: u32,
    /// How many blocks have ever been handed to a cache or a caller. Written under the lock, with release, and read
    /// with acquire by whoever holds an address, so that the fields above and the memory are there for them.
    carved: AtomicU32,
    /// Bytes of the region; set with `blocks`.
    length: AtomicUsize,
    list: Mutex<List>,
}

/// The free blocks, oldest first, and how much memory is usable.
struct List {
    first: Index,
    last: Index,
    /// Free blocks whose pages hold memory.
    dirty: usize,
    usable_blocks: usize,
    usable_records: usize,
}

impl Pool {
    pub const fn new(class: Class) -> Pool {
        Pool {
            blocks: AtomicUsize::new(0),
            records: AtomicUsize::new(0),
            divisor: Divisor::new(class.size()),
            size: class.size() as u32,
            carved: AtomicU32::new(0),
            length: AtomicUsize::new(0),
            list: Mutex::new(List {
                first: NO_BLOCK,
                last: NO_BLOCK,
                dirty: 0,
                usable_blocks: 0,
                usable_records: 0,
            }),
        }
    }

    /// Gives the pool its address space: `length` bytes at `blocks`, and at `records` what [`record_space`](Self::record_space) says.
    pub fn place(&self, blocks: usize, length: usize, records: usize) {
        self.blocks.store(blocks, Ordering::Relaxed);
        self.records.store(records, Ordering::Relaxed);
        self.length.store(length, Ordering::Relaxed);
    }

    /// The block that an address of the region lies in and how far into it, if it has ever been handed out.
    #[inline]
    pub fn index_of(&self, address: usize) -> Option<(Index, usize)> {
        let offset = address.wrapping_sub(self.blocks.load(Ordering::Relaxed));
        let index = self.divisor.divide(offset);
        // Acquire pairs with the release in `carve`.
        if index >= self.carved.load(Ordering::Acquire) as usize {
            return None;
        }
        Some((index as Index, offset - index * self.size as usize))
    }

    /// Where a block begins.
    #[inline]
    fn start_of(&self, index: Index) -> usize {
        self.blocks.load(Ordering::Relaxed) + index as usize * self.size as usize
    }

    #[inline]
    fn record(&self, index: Index) -> &Record {
        debug_assert!(index < self.carved.load(Ordering::Relaxed), "no such block");
        // SAFETY: records of carved blocks are mapped and live as long as the process; zeros are a valid record,
        // and all fields are atomic.
        unsafe { &*(self.records.load(Ordering::Relaxed) as *const Record).add(index as usize) }
    }

    /// What is known of a block: nothing if it has never been used.
    pub fn describe(&self, index: Index) -> Option<Block> {
        self.record(index).describe(self.start_of(index))
    }

    /// The size of a live block, as asked for.
    #[inline]
    pub fn live_size(&self, index: Index) -> Result<usize, BadFree> {
        self.record(index).word().live_size()
    }

    /// Marks a free block, held by the caller, as live.
    #[inline]
    pub fn hand_out(&self, index: Index, size: usize, origin: Origin) -> Fresh {
        let before = self.record(index).set_live(size, origin);
        Fresh::new(self.start_of(index), before)
    }

    /// Marks a live block of this size as freed: from now on the caller holds it.
    #[inline]
    pub fn take_back(&self, index: Index, size: usize, by: Origin) -> Result<(), BadFree> {
        self.record(index).set_freed(size, by)
    }

    /// Passes up to `wanted` free blocks to `each`, those that have been free for longest first, and returns how many.
    /// Carves new ones only if there is none.
    pub fn take(&self, wanted: usize, mut each: impl FnMut(Index)) -> usize {
        let mut list = self.list.lock();
        if list.first == NO_BLOCK {
            let (first, count) = self.carve(&mut list, wanted);
            (first..first + count as Index).for_each(each);
            return count;
        }
        for taken in 0..wanted {
            let index = list.first;
            if index == NO_BLOCK {
                return taken;
            }
            let record = self.record(index);
            list.first = record.next.load(Ordering::Relaxed);
            list.dirty -= !record.word().is_zeroed() as usize;
            each(index);
        }
        wanted
    }

    /// Takes back free blocks that the caller holds.
    pub fn give(&self, blocks: impl Iterator<Item = Index>) {
        let mut list = self.list.lock();
        blocks.for_each(|index| self.append(&mut list, index));
    }

    /// Takes back one block of whole pages, which go to the kernel if the pool has enough; `before` is told which.
    pub fn give_pages(&self, index: Index, before: impl FnOnce(usize, usize)) {
        let size = self.size as usize;
        let mut list = self.list.lock();
        if (list.dirty + 1) * size <= KEPT {
            return self.append(&mut list, index);
        }
        drop(list);
        let start = self.start_of(index);
        before(start, size);
        // SAFETY: the block is free and held by the caller: nobody needs what is in it.
        if unsafe { os::madvise(start, size, Advice::DontNeed) }.is_ok() {
            self.record(index).set_clean();
        }
        self.append(&mut self.list.lock(), index);
    }

    fn append(&self, list: &mut List, index: Index) {
        let record = self.record(index);
        record.next.store(NO_BLOCK, Ordering::Relaxed);
        list.dirty += !record.word().is_zeroed() as usize;
        if list.first == NO_BLOCK {
            list.first = index;
        } else {
            self.record(list.last).next.store(index, Ordering::Relaxed);
        }
        list.last = index;
    }

    /// Up to `wanted` blocks that have never been used: the first and how many.
    fn carve(&self, list: &mut List, wanted: usize) -> (Index, usize) {
        let carved = self.carved.load(Ordering::Relaxed) as usize;
        let length = self.length.load(Ordering::Relaxed);
        let end = (carved + wanted).min(self.divisor.divide(length));
        let blocks = Reserved { start: self.blocks.load(Ordering::Relaxed), length };
        let records =
            Reserved { start: self.records.load(Ordering::Relaxed), length: self.record_space(length) };
        if !blocks.make_usable(&mut list.usable_blocks, end * self.size as usize)
            || !records.make_usable(&mut list.usable_records, end * size_of::<Record>())
        {
            return (0, 0);
        }
        // Release pairs with the acquire in `index_of`.
        self.carved.store(end as u32, Ordering::Release);
        (carved as Index, end - carved)
    }

    /// Bytes of address space for the records of a region of `length` bytes.
    pub fn record_space(&self, length: usize) -> usize {
        os::page_ceil(self.divisor.divide(length) * size_of::<Record>())
    }

    /// Takes the lock, for `fork`.
    pub fn lock_raw(&self) {
        self.list.lock_raw();
    }

    /// Gives back the lock.
    ///
    /// # Safety
    /// It must be held by `lock_raw`.
    pub unsafe fn unlock_raw(&self) {
        // SAFETY: the caller's promise.
        unsafe { self.list.unlock_raw() }
    }
}

/// Address space of a pool, of which the first part is memory.
struct Reserved {
    start: usize,
    length: usize,
}

impl Reserved {
    /// Lets the first `needed` bytes be read and written, and some more, so that this is rarely called for; false if
    /// the kernel refuses. `usable` is how many can be already.
    fn make_usable(&self, usable: &mut usize, needed: usize) -> bool {
        if needed <= *usable {
            return true;
        }
        let step = (*usable / 4).clamp(SMALLEST_STEP, LARGEST_STEP);
        let target = os::page_ceil(needed.max(*usable + step)).min(self.length);
        // SAFETY: the range is reserved for the pool, and nobody has an address in it yet.
        if unsafe { os::mprotect(self.start + *usable, target - *usable, Access::ReadWrite) }.is_err() {
            return false;
        }
        *usable = target;
        true
    }
}
