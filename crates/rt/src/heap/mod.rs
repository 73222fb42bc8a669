//! The program's heap: what stands behind `malloc` and `free` in a watched program.
//!
//! Every block knows who asked for it and who freed it, by a record outside the program's reach, and any address can
//! be traced back to its block. Blocks of up to 256 KiB come in size classes (`class`), each in a region of its own
//! (`arena`, `pool`); larger ones are mappings (`large`). Threads keep some free blocks to themselves
//! (`cache`) and exchange them with the pools in batches.
//!
//! Freeing takes two steps, so that the runtime can mark the memory as freed in between, while nobody else can get it:
//! [`find`] the block, then [`release_found`]. [`release`] says what is wrong with an address where no block is found.
//!
//! *Invariants*: the heap never writes into a block except to zero it for [`allocate_zeroed`], and never reads one. It
//! calls nobody with a lock held but the allocator of the runtime's own memory. A signal handler must not come here
//! while the thread that it interrupts is inside.

mod arena;
mod cache;
pub(crate) mod class;
mod large;
mod pool;
mod record;
#[cfg(test)]
mod tests;

pub use cache::Cache;
pub use pool::Fresh;

use crate::os::Place;
use arena::Arena;
use cache::Share;
use class::Class;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use large::Large;
use pool::Index;

/// Who allocated or freed a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// Where: the site of the call.
    pub site: u32,
    /// The thread.
    pub thread: u32,
}

/// A block of the heap, live or freed not long ago.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its first byte.
    pub start: usize,
    /// Its bytes, as asked for.
    pub size: usize,
    /// Who allocated it.
    pub origin: Origin,
    /// Who freed it, unless it is live.
    pub freed_by: Option<Origin>,
}

impl Block {
    /// Whether it has not been freed.
    pub fn is_live(&self) -> bool {
        self.freed_by.is_none()
    }
}

/// A live block, found by its start; [`release_found`] takes it.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Its first byte.
    pub start: usize,
    /// Its bytes, as asked for.
    pub size: usize,
    spot: Spot,
}

#[derive(Clone, Copy, Debug)]
enum Spot {
    Class(Class, Index),
    Large,
}

/// Why an address cannot be freed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadFree {
    /// It is not the start of a block of this heap.
    NotOurs,
    /// The block was freed before; [`block_of`] says by whom.
    DoubleFree,
}

/// Called with the start and length of whole pages of freed memory just before they go back to the kernel, by the
/// thread that frees, without a lock: the place to clear their shadow.
pub type GiveBack = fn(start: usize, length: usize);

/// What a caller asks for.
#[derive(Clone, Copy)]
struct Request {
    size: usize,
    align: usize,
    origin: Origin,
}

/// A heap; the program has one, tests have their own.
struct Heap {
    arena: Arena,
    large: Large,
    /// Bytes in live blocks, less what caches have not told yet; wraps in between.
    live: AtomicUsize,
    /// A [`GiveBack`], or null.
    give_back: AtomicPtr<()>,
}

static HEAP: Heap = Heap::new(arena::USUAL_SHIFT);

/// Reserves the heap's address space at the place, or ends the process with a message. Without this call the first
/// allocation reserves it anywhere. Does nothing the second time.
pub fn reserve(place: Place) {
    HEAP.arena.reserve(place);
}

/// Where the blocks of up to 256 KiB lie: start and length, if address space is reserved.
pub fn range() -> Option<(usize, usize)> {
    HEAP.arena.range()
}

/// Sets whom to tell before pages go back to the kernel.
pub fn on_give_back(hook: GiveBack) {
    HEAP.give_back.store(hook as *mut (), Ordering::Relaxed);
}

/// A block of `size` bytes at a multiple of `align`, a power of two, and at least of 16. Null if there is no memory.
/// The memory is as somebody left it.
#[inline]
pub fn allocate(cache: Option<&mut Cache>, size: usize, align: usize, origin: Origin) -> *mut u8 {
    HEAP.obtain(cache, size, align, origin).map_or(ptr::null_mut(), |block| block.start())
}

/// Like [`allocate`], and says whether anybody had the memory before. Nothing if there is no memory.
#[inline]
pub fn obtain(cache: Option<&mut Cache>, size: usize, align: usize, origin: Origin) -> Option<Fresh> {
    HEAP.obtain(cache, size, align, origin)
}

/// Like [`allocate`], with all bytes zero.
#[inline]
pub fn allocate_zeroed(cache: Option<&mut Cache>, size: usize, align: usize, origin: Origin) -> *mut u8 {
    HEAP.obtain_zeroed(cache, size, align, origin)
}

/// The live block that begins at the address.
#[inline]
pub fn find(start: *const u8) -> Option<Found> {
    HEAP.find(start as usize).ok()
}

/// Frees the block that begins at the address, or says why that cannot be done.
pub fn release(cache: Option<&mut Cache>, start: *const u8, by: Origin) -> Result<(), BadFree> {
    HEAP.release(cache, HEAP.find(start as usize)?, by)
}

/// Frees a block that was found, without looking for it again, unless somebody else has done so in between.
///
/// A block that was freed *and* allocated again in between, with the same size, is freed: what a program that frees
/// a block in two threads at once deserves, and the two frees have been seen to race.
#[inline]
pub fn release_found(cache: Option<&mut Cache>, found: Found, by: Origin) -> Result<(), BadFree> {
    HEAP.release(cache, found, by)
}

/// How many bytes the program may use of the live block that begins at the address: as many as it asked for, so that an
/// access beyond them is known as one. 0 if there is no such block.
pub fn usable_size(start: *const u8) -> usize {
    find(start).map_or(0, |found| found.size)
}

/// The block, live or freed not long ago, whose memory holds the address. The address may lie beyond the block's size
/// by what was added to fill a class or a page. Takes a lock for large blocks only.
pub fn block_of(address: usize) -> Option<Block> {
    HEAP.block_of(address)
}

/// Gives back all that a cache holds: when its thread ends.
pub fn flush(cache: &mut Cache) {
    HEAP.flush(cache);
}

/// Bytes in live blocks, as asked for. Threads tell in batches, so this lags by at most some blocks per thread.
pub fn live_bytes() -> usize {
    HEAP.live_bytes()
}

/// Takes every lock, so that `fork` finds the heap whole; before [`crate::internal::lock_all`].
pub fn lock_all() {
    HEAP.lock_all();
}

/// Gives back every lock, in the parent and in the child.
///
/// # Safety
/// This thread, or the one whose copy it is after `fork`, must have called [`lock_all`].
pub unsafe fn unlock_all() {
    // SAFETY: the caller's promise.
    unsafe { HEAP.unlock_all() }
}

impl Heap {
    const fn new(largest_shift: u32) -> Heap {
        Heap {
            arena: Arena::new(largest_shift),
            large: Large::new(),
            live: AtomicUsize::new(0),
            give_back: AtomicPtr::new(ptr::null_mut()),
        }
    }

    #[inline]
    fn obtain(&self, cache: Option<&mut Cache>, size: usize, align: usize, origin: Origin) -> Option<Fresh> {
        let Some(class) = Class::of(size, align) else { return self.obtain_large(size, align, origin) };
        match cache {
            Some(cache) if Cache::takes(class) => match cache.pop(class) {
                Some(index) => {
                    cache.live += size as isize;
                    Some(self.arena.pool(class).hand_out(index, size, origin))
                }
                None => self.refill_and_obtain(cache, class, Request { size, align, origin }),
            },
            _ => self.obtain_uncached(class, Request { size, align, origin }),
        }
    }

    /// Fills an empty ring from the pool and takes the first block.
    #[cold]
    #[inline(never)]
    fn refill_and_obtain(&self, cache: &mut Cache, class: Class, request: Request) -> Option<Fresh> {
        self.arena.ensure();
        self.settle(cache);
        let pool = self.arena.pool(class);
        let batch = cache.next_batch(class);
        pool.take(batch, |index| {
            cache.push(class, index);
        });
        let Some(index) = cache.pop(class) else { return self.obtain_uncached(class, request) };
        cache.live += request.size as isize;
        Some(pool.hand_out(index, request.size, request.origin))
    }

    /// A block straight from its pool, or from that of a larger class if that is exhausted, or a mapping.
    #[cold]
    #[inline(never)]
    fn obtain_uncached(&self, class: Class, request: Request) -> Option<Fresh> {
        let Request { size, align, origin } = request;
        self.arena.ensure();
        let mut next = Some(class);
        while let Some(class) = next {
            let pool = self.arena.pool(class);
            let mut taken = None;
            pool.take(1, |index| taken = Some(index));
            if let Some(index) = taken {
                self.live.fetch_add(size, Ordering::Relaxed);
                return Some(pool.hand_out(index, size, origin));
            }
            next = class.larger(align);
        }
        self.obtain_large(size, align, origin)
    }

    #[cold]
    #[inline(never)]
    fn obtain_large(&self, size: usize, align: usize, origin: Origin) -> Option<Fresh> {
        let block = self.large.allocate(size, align, origin)?;
        self.live.fetch_add(size, Ordering::Relaxed);
        Some(block)
    }

    #[inline]
    fn obtain_zeroed(&self, cache: Option<&mut Cache>, size: usize, align: usize, origin: Origin) -> *mut u8 {
        let Some(block) = self.obtain(cache, size, align, origin) else { return ptr::null_mut() };
        block.zero(size)
    }

    #[inline]
    fn find(&self, start: usize) -> Result<Found, BadFree> {
        let Some(class) = self.arena.class_at(start) else { return self.find_large(start) };
        let pool = self.arena.pool(class);
        match pool.index_of(start) {
            Some((index, 0)) => {
                Ok(Found { start, size: pool.live_size(index)?, spot: Spot::Class(class, index) })
            }
            _ => Err(BadFree::NotOurs),
        }
    }

    #[cold]
    #[inline(never)]
    fn find_large(&self, start: usize) -> Result<Found, BadFree> {
        Ok(Found { start, size: self.large.live_size(start)?, spot: Spot::Large })
    }

    fn block_of(&self, address: usize) -> Option<Block> {
        let Some(class) = self.arena.class_at(address) else { return self.large.block_of(address) };
        let pool = self.arena.pool(class);
        pool.describe(pool.index_of(address)?.0)
    }

    #[inline]
    fn release(&self, cache: Option<&mut Cache>, found: Found, by: Origin) -> Result<(), BadFree> {
        let Spot::Class(class, index) = found.spot else { return self.release_large(found, by) };
        self.arena.pool(class).take_back(index, found.size, by)?;
        match cache {
            Some(cache) if Cache::takes(class) => {
                cache.live -= found.size as isize;
                if !cache.push(class, index) {
                    self.spill(cache, class, index);
                }
            }
            _ => self.give(class, index, found.size),
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn release_large(&self, found: Found, by: Origin) -> Result<(), BadFree> {
        self.large.release(found.start, by, |start, length| self.tell_give_back(start, length))?;
        self.live.fetch_sub(found.size, Ordering::Relaxed);
        Ok(())
    }

    /// Makes room in a full ring for one more block.
    #[cold]
    #[inline(never)]
    fn spill(&self, cache: &mut Cache, class: Class, index: Index) {
        self.settle(cache);
        self.arena.pool(class).give(cache.drain(class, Share::OlderHalf));
        cache.push(class, index);
    }

    /// Gives a block to its pool without a cache.
    #[cold]
    #[inline(never)]
    fn give(&self, class: Class, index: Index, size: usize) {
        self.live.fetch_sub(size, Ordering::Relaxed);
        let pool = self.arena.pool(class);
        if class.is_whole_pages() {
            pool.give_pages(index, |start, length| self.tell_give_back(start, length));
        } else {
            pool.give(core::iter::once(index));
        }
    }

    fn tell_give_back(&self, start: usize, length: usize) {
        let hook = self.give_back.load(Ordering::Relaxed);
        if !hook.is_null() {
            // SAFETY: only `on_give_back` stores here, and it stores a `GiveBack`.
            let hook = unsafe { core::mem::transmute::<*mut (), GiveBack>(hook) };
            hook(start, length);
        }
    }

    fn flush(&self, cache: &mut Cache) {
        for class in Cache::classes() {
            if !cache.is_empty(class) {
                self.arena.pool(class).give(cache.drain(class, Share::All));
            }
        }
        self.settle(cache);
    }

    /// Adds what the cache has counted.
    fn settle(&self, cache: &mut Cache) {
        self.live.fetch_add(core::mem::take(&mut cache.live) as usize, Ordering::Relaxed);
    }

    fn live_bytes(&self) -> usize {
        // Blocks freed by a thread that has told may have been taken by one that has not: never below 0.
        (self.live.load(Ordering::Relaxed) as isize).max(0) as usize
    }

    fn lock_all(&self) {
        self.arena.lock_all();
        self.large.lock_raw();
    }

    /// # Safety
    /// The locks must be held by `lock_all`.
    unsafe fn unlock_all(&self) {
        // SAFETY: the caller's promise.
        unsafe {
            self.large.unlock_raw();
            self.arena.unlock_all();
        }
    }
}
