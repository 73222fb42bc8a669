//! Sets of reads: what R holds when reads are concurrent (SHARED), one entry a slot, and shared by variables with the same readers.
//!
//! In the paper each variable has a vector of its own. Arrays that many threads read would then need a vector an element; but neighbouring
//! elements are read by the same threads in the same epochs, so their sets are equal. Here R holds a handle to a set with a count of the variables that hold it:
//! - a set that several hold never changes: adding a read makes a new set, found again through [`Shares`] for the next element, or by what it holds if another
//!   thread has made it;
//! - a set held by one variable is updated in place, under that variable's lock, as in the paper.
//!
//! **Discipline.** `count`: atomic; zero means that its owner changes the set or that it is free, and nobody else may begin to hold it. `len`, `entries`: written while the
//! count is zero. `generation`: goes up with every change, so a handle names one value for ever. A thread reads *its own* entry without a lock (`[Read Shared Same Epoch]`)
//! and then checks the generation (a sequence lock), so that what it read is what its handle names; all else is read under the lock of a variable that holds the set.

pub use crate::shares::Shares;
use crate::sync::{AtomicPtr, AtomicU32, AtomicU64, Ordering, UnsafeCell, await_change, fence};
use crate::thread::ThreadState;
use crate::word::{Slot, Word};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

/// Sets come in classes, each for twice as many entries, one for every slot at last; chunks of a class double in size.
const CLASSES: usize = if cfg!(loom) { 2 } else { 17 };
/// Chunks of a class: the index of a handle is used up.
const CHUNKS: usize = if cfg!(loom) { 3 } else { 23 };
const FIRST_CHUNK: usize = if cfg!(loom) { 2 } else { 16 };

/// So many entries has a set of that class: with its head, the smallest fill a line of the cache, and each other one twice what the one before it does.
const fn capacity(class: usize) -> usize {
    (8 << class) - 2
}

/// The class for so many entries.
fn class_for(entries: usize) -> usize {
    ((entries + 2).div_ceil(8)).next_power_of_two().ilog2() as usize
}

#[repr(C, align(16))]
struct Head {
    generation: AtomicU32,
    count: AtomicU32,
    len: AtomicU32,
}

/// Some sets of one class, each its head and its entries.
#[cfg(not(loom))]
struct Chunk {
    sets: core::ptr::NonNull<u8>,
    layout: core::alloc::Layout,
}

#[cfg(not(loom))]
impl Chunk {
    const LINE: usize = 64;

    /// All zero, and not touched before it is used.
    fn new(sets: usize, class: usize) -> Chunk {
        let layout = core::alloc::Layout::from_size_align(sets * (Chunk::LINE << class), Chunk::LINE);
        let layout = layout.expect("what a handle's index can reach fits in memory");
        // SAFETY: it is not of size zero.
        let sets = unsafe { alloc::alloc::alloc_zeroed(layout) };
        let sets = core::ptr::NonNull::new(sets).unwrap_or_else(|| alloc::alloc::handle_alloc_error(layout));
        Chunk { sets, layout }
    }

    fn set(&self, at: usize, class: usize) -> Set<'_> {
        debug_assert!(at * (Chunk::LINE << class) < self.layout.size(), "a set of this chunk");
        // SAFETY: the set lies within the chunk. A head is three atomic words, zeroes are valid ones, and so are those of the entries.
        unsafe {
            let head = self.sets.add(at * (Chunk::LINE << class));
            let entries = head.add(size_of::<Head>()).cast::<AtomicU64>();
            Set {
                head: head.cast::<Head>().as_ref(),
                entries: core::slice::from_raw_parts(entries.as_ptr(), capacity(class)),
            }
        }
    }
}

#[cfg(not(loom))]
impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: it was allocated with that layout.
        unsafe { alloc::alloc::dealloc(self.sets.as_ptr(), self.layout) }
    }
}

/// The same from pieces that loom can follow.
#[cfg(loom)]
mod visible {
    use super::{AtomicU32, AtomicU64, Box, Head, Set, capacity};

    pub struct Chunk {
        heads: Box<[Head]>,
        entries: Box<[AtomicU64]>,
    }

    impl Chunk {
        pub fn new(sets: usize, class: usize) -> Chunk {
            let head =
                |_| Head { generation: AtomicU32::new(0), count: AtomicU32::new(0), len: AtomicU32::new(0) };
            Chunk {
                heads: (0..sets).map(head).collect(),
                entries: (0..sets * capacity(class)).map(|_| AtomicU64::new(0)).collect(),
            }
        }

        pub fn set(&self, at: usize, class: usize) -> Set<'_> {
            let capacity = capacity(class);
            Set { head: &self.heads[at], entries: &self.entries[at * capacity..(at + 1) * capacity] }
        }
    }
}
#[cfg(loom)]
use visible::Chunk;

/// Recycled and never used sets of a class, behind a lock bit.
struct Class {
    lock: AtomicU64,
    chunks: [AtomicPtr<Chunk>; CHUNKS],
    /// Under the lock: how many sets were ever made, and those that came back.
    free: UnsafeCell<Free>,
}

struct Free {
    made: usize,
    back: Vec<u32>,
}

/// All sets of reads.
pub struct Sets {
    classes: [Class; CLASSES],
    /// Sets made lately, at the place that their reads say: equal ones are made once, in whatever order and by whomever the reads were made. Not held.
    common: [AtomicU64; COMMON],
}

/// How many of them.
const COMMON: usize = if cfg!(loom) { 1 } else { 1 << 13 };

// SAFETY: `free` is touched under `lock` only; the rest is atomic.
unsafe impl Sync for Sets {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl Send for Sets {}

/// One set, found from its handle.
#[derive(Clone, Copy)]
struct Set<'a> {
    head: &'a Head,
    entries: &'a [AtomicU64],
}

const INDEX_BITS: u32 = 27;
const GENERATIONS: u32 = 1 << 29;

fn handle(generation: u32, class: usize, index: usize) -> Word {
    let generation = ((generation % GENERATIONS) as u64) << 32;
    Word(Word::SPECIAL | generation | ((class as u64) << INDEX_BITS) | index as u64)
}

fn generation_of(set: Word) -> u32 {
    (set.0 >> 32) as u32 % GENERATIONS
}

fn class_of(set: Word) -> usize {
    (set.0 as u32 >> INDEX_BITS) as usize
}

fn index_of(set: Word) -> usize {
    set.0 as usize & ((1 << INDEX_BITS) - 1)
}

/// Chunk k holds the sets `FIRST·(2^k − 1) ..`.
fn place(index: usize) -> (usize, usize) {
    let chunk = (index / FIRST_CHUNK + 1).ilog2() as usize;
    (chunk, index - FIRST_CHUNK * ((1 << chunk) - 1))
}

fn hash(reads: &[Word]) -> u64 {
    let mix = |hash: u64, read: &Word| (hash ^ read.0).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    reads.iter().fold(0, mix)
}

impl Head {
    /// A new generation, seen by whoever sees what is written after it: the fence pairs with the one in [`Sets::read_in_epoch`]
    /// and with the acquire in [`Sets::shared`].
    fn renew(&self) -> u32 {
        let next = (self.generation.load(Ordering::Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Ordering::Relaxed);
        fence(Ordering::Release);
        next
    }
}

impl Set<'_> {
    fn len(&self) -> usize {
        (self.head.len.load(Ordering::Relaxed) as usize).min(self.entries.len())
    }

    fn word(&self, i: usize) -> Word {
        Word(self.entries[i].load(Ordering::Relaxed))
    }

    /// Where the slot's entries are, or would be: they are in order of slots, then of clocks. (A slot has several if some are orphans, or if they are of different bytes.)
    fn of(&self, slot: Slot) -> Range<usize> {
        let end = self.partition(|word| word.slot() <= slot);
        let mut start = end;
        while start > 0 && self.word(start - 1).slot() == slot {
            start -= 1;
        }
        start..end
    }

    fn partition(&self, before: impl Fn(Word) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            if before(self.word(middle)) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The slot's latest entry.
    fn latest(&self, slot: Slot) -> Option<Word> {
        let end = self.partition(|word| word.slot() <= slot);
        end.checked_sub(1).map(|i| self.word(i)).filter(|word| word.slot() == slot)
    }
}

impl Sets {
    /// No sets.
    #[cfg(not(loom))]
    pub const fn new() -> Sets {
        Sets { classes: [const { Class::new() }; CLASSES], common: [const { AtomicU64::new(0) }; COMMON] }
    }

    /// No sets.
    #[cfg(loom)]
    pub fn new() -> Sets {
        Sets {
            classes: core::array::from_fn(|_| Class::new()),
            common: core::array::from_fn(|_| AtomicU64::new(0)),
        }
    }

    /// How many sets some variable holds.
    pub fn live(&self) -> usize {
        self.classes.iter().map(|class| class.with(|free| free.made - free.back.len())).sum()
    }

    fn get(&self, set: Word) -> Set<'_> {
        let (chunk, at) = place(index_of(set));
        let class = class_of(set);
        // Relaxed: whoever has a handle got it from its maker by way of a release and an acquire.
        let chunk = self.classes[class].chunks[chunk].load(Ordering::Relaxed);
        #[cfg(loom)]
        assert!(!chunk.is_null(), "a handle without its chunk");
        // SAFETY: handles are made for sets of chunks that exist, and chunks stay.
        unsafe { &*chunk }.set(at, class)
    }

    /// `[Read Shared Same Epoch]`, without a lock: the bytes of what holds this set that the thread has read in its current epoch.
    pub fn read_in_epoch(&self, set: Word, thread: &ThreadState) -> u8 {
        let s = self.get(set);
        let read = s.latest(thread.slot()).unwrap_or_default();
        fence(Ordering::Acquire);
        let is_current =
            thread.is_current(read) && s.head.generation.load(Ordering::Relaxed) == generation_of(set);
        if is_current { read.extent() } else { 0 }
    }

    /// Calls `f` with each read. The caller holds the lock of a variable that holds the set.
    pub fn each(&self, set: Word, mut f: impl FnMut(Word)) {
        let s = self.get(set);
        (0..s.len()).for_each(|i| f(s.word(i)));
    }

    /// How many reads are in the set. As [`Sets::each`].
    pub fn len(&self, set: Word) -> usize {
        self.get(set).len()
    }

    /// All reads in the set are of exactly those bytes. As [`Sets::each`].
    pub fn are_all_of(&self, set: Word, extent: u8) -> bool {
        let s = self.get(set);
        (0..s.len()).all(|i| s.word(i).extent() == extent)
    }

    /// A read of those bytes that the thread does not know, if there is one: `S_x.V ⋢ S_t.V`. As [`Sets::each`].
    pub fn unknown(&self, set: Word, thread: &ThreadState, extent: u8) -> Option<Word> {
        // A handle names one value for ever, and what is known once stays known.
        if thread.shares.known.get() == set {
            return None;
        }
        let s = self.get(set);
        let meets = |read: &Word| read.extent() & extent != 0;
        let unknown = (0..s.len()).map(|i| s.word(i)).find(|read| meets(read) && !thread.covers(*read));
        if unknown.is_none() && extent == Word::WHOLE {
            thread.shares.known.set(set);
        }
        unknown
    }

    /// The slot's latest read in the set. As [`Sets::each`].
    pub fn latest(&self, set: Word, slot: Slot) -> Option<Word> {
        self.get(set).latest(slot)
    }

    /// `[Read Share]` the set of two concurrent reads.
    pub fn pair(&self, prior: Word, read: Word, shares: &mut Shares) -> Word {
        self.shared(prior, read, shares)
            .unwrap_or_else(|| shares.keep(prior, read, self.gather(&mut [prior, read])))
    }

    /// The set of these reads, two or more, held once.
    pub fn gather(&self, reads: &mut [Word]) -> Word {
        reads.sort_unstable_by_key(|read| read.epoch().0);
        self.make(reads)
    }

    /// `[Read Shared]` the set with the thread's read in it, which stands for the thread's earlier ones of the same bytes. The old handle's count is used up, the new
    /// one's belongs to the caller, who holds the lock of the variable. One read alone is not a set but itself.
    pub fn with(&self, set: Word, read: Word, shares: &mut Shares) -> Word {
        if let Some(new) = self.shared(set, read, shares) {
            self.release(set);
            return new;
        }
        let s = self.get(set);
        let own = s.of(read.slot());
        let replaces = |old: Word| old.extent() & !read.extent() == 0 && !(shares.orphaned)(old);
        if own.len() == 1 && replaces(s.word(own.start)) {
            if s.word(own.start) == read {
                return set;
            }
            if let Some(new) = self.replace(set, own.start, read) {
                return new;
            }
        }
        // Nothing happens after an orphan, so one for each byte is as good as all.
        let mut orphaned = 0;
        let mut reads: Vec<Word> = Vec::with_capacity(s.len() + 1);
        for i in 0..s.len() {
            let word = s.word(i);
            let mut extent = word.extent();
            if (shares.orphaned)(word) {
                extent &= !orphaned;
                orphaned |= extent;
            } else if own.contains(&i) {
                extent &= !read.extent();
            }
            if i == own.end {
                reads.push(read);
            }
            if extent != 0 {
                reads.push(word.with_extent(extent));
            }
        }
        if own.end == s.len() {
            reads.push(read);
        }
        let new = self.instead(set, &reads);
        if new.is_set() { shares.keep(set, read, new) } else { new }
    }

    /// `[Write Shared]` the set without its reads of those bytes: nothing, one read, or a set. Counts as for [`Sets::with`].
    pub fn less(&self, set: Word, extent: u8, shares: &mut Shares) -> Word {
        // No access has the clock 0.
        let key = Word::NONE.with_extent(extent);
        if let Some(new) = self.shared(set, key, shares) {
            self.release(set);
            return new;
        }
        let new = self.forget(set, extent);
        if new.is_set() { shares.keep(set, key, new) } else { new }
    }

    /// As [`Sets::less`], by nobody who would do it again.
    pub fn forget(&self, set: Word, extent: u8) -> Word {
        let mut reads = Vec::new();
        self.each(set, |read| reads.push(read.with_extent(read.extent() & !extent)));
        reads.retain(|read| read.extent() != 0);
        self.instead(set, &reads)
    }

    /// What holds these reads, instead of the set.
    fn instead(&self, set: Word, reads: &[Word]) -> Word {
        let new = match reads {
            [] => Word::NONE,
            [one] => *one,
            _ => self.make(reads),
        };
        self.release(set);
        new
    }

    /// Replaces one read of a set that nobody else holds.
    fn replace(&self, set: Word, i: usize, read: Word) -> Option<Word> {
        let s = self.get(set);
        s.head.count.compare_exchange(1, 0, Ordering::Acquire, Ordering::Relaxed).ok()?;
        let generation = s.head.renew();
        s.entries[i].store(read.0, Ordering::Relaxed);
        s.head.count.store(1, Ordering::Relaxed);
        Some(handle(generation, class_of(set), index_of(set)))
    }

    /// The set that the thread made lately of the same parts, if it is still what it was; held once more.
    fn shared(&self, old: Word, read: Word, shares: &Shares) -> Option<Word> {
        shares.find(old, read).filter(|set| self.hold(*set))
    }

    /// Holds the set once more, if somebody does and it still is what the handle names.
    fn hold(&self, set: Word) -> bool {
        let head = self.get(set).head;
        let mut count = head.count.load(Ordering::Relaxed);
        loop {
            if count == 0 {
                return false;
            }
            // Acquire: pairs with the fence of `renew`, as every count is stored after it; so the generation read below is not older than the count.
            match head.count.compare_exchange_weak(count, count + 1, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => break,
                Err(now) => count = now,
            }
        }
        if head.generation.load(Ordering::Relaxed) == generation_of(set) {
            return true;
        }
        self.release(set);
        false
    }

    /// One variable less holds the set.
    pub fn release(&self, set: Word) {
        let s = self.get(set);
        // AcqRel: pairs with the other releases, so that the last one recycles after all have read what they wanted.
        if s.head.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.classes[class_of(set)].with(|free| free.back.push(index_of(set) as u32));
        }
    }

    /// The set of these reads, held once.
    fn make(&self, reads: &[Word]) -> Word {
        let common = &self.common[hash(reads) as usize % COMMON];
        // Acquire: pairs with the store below, so that what the set holds is there.
        let set = Word(common.load(Ordering::Acquire));
        if !set.is_none() && self.hold(set) {
            let s = self.get(set);
            if s.len() == reads.len() && (0..s.len()).all(|i| s.word(i) == reads[i]) {
                return set;
            }
            self.release(set);
        }
        let set = self.make_anew(reads);
        common.store(set.0, Ordering::Release);
        set
    }

    fn make_anew(&self, reads: &[Word]) -> Word {
        let class = class_for(reads.len());
        let index = self.classes[class].with(|free| {
            free.back.pop().map(|i| i as usize).unwrap_or_else(|| {
                self.grow(class, free.made);
                free.made += 1;
                free.made - 1
            })
        });
        let set = self.get(handle(0, class, index));
        let generation = set.head.renew();
        set.head.len.store(reads.len() as u32, Ordering::Relaxed);
        for (entry, read) in set.entries.iter().zip(reads) {
            entry.store(read.0, Ordering::Relaxed);
        }
        set.head.count.store(1, Ordering::Relaxed);
        handle(generation, class, index)
    }

    /// Makes room for the set of that number, under the class's lock.
    fn grow(&self, class: usize, index: usize) {
        let (chunk, at) = place(index);
        assert!(chunk < CHUNKS, "too many sets of reads");
        if at > 0 {
            return;
        }
        let sets = FIRST_CHUNK << chunk;
        let new = Box::new(Chunk::new(sets, class));
        self.classes[class].chunks[chunk].store(Box::into_raw(new), Ordering::Relaxed);
    }
}

impl Default for Sets {
    fn default() -> Sets {
        Sets::new()
    }
}

impl Drop for Sets {
    fn drop(&mut self) {
        for chunk in self.classes.iter().flat_map(|class| &class.chunks) {
            let chunk = chunk.load(Ordering::Relaxed);
            if !chunk.is_null() {
                // SAFETY: it came from a box in `grow`, and nobody uses these sets any more.
                drop(unsafe { Box::from_raw(chunk) });
            }
        }
    }
}

impl Class {
    #[cfg(not(loom))]
    const fn new() -> Class {
        Class {
            lock: AtomicU64::new(0),
            chunks: [const { AtomicPtr::new(core::ptr::null_mut()) }; CHUNKS],
            free: UnsafeCell::new(Free { made: 0, back: Vec::new() }),
        }
    }

    #[cfg(loom)]
    fn new() -> Class {
        Class {
            lock: AtomicU64::new(0),
            chunks: core::array::from_fn(|_| AtomicPtr::new(core::ptr::null_mut())),
            free: UnsafeCell::new(Free { made: 0, back: Vec::new() }),
        }
    }

    fn with<T>(&self, f: impl FnOnce(&mut Free) -> T) -> T {
        let mut attempt = 0;
        // Acquire: pairs with the store below.
        while self.lock.compare_exchange_weak(0, Word::LOCK, Ordering::Acquire, Ordering::Relaxed).is_err() {
            await_change(&self.lock, Word::LOCK, &mut attempt, Ordering::Relaxed);
        }
        // SAFETY: the lock is held.
        let result = self.free.with_mut(|free| f(unsafe { &mut *free }));
        self.lock.store(0, Ordering::Release);
        result
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
