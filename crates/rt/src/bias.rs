//! Who may change cells by plain stores. An atomic instruction takes as long as all the rest of the first access of an epoch, and keeps the processor from doing anything else meanwhile; yet most memory is used by one
//! thread at a time.
//!
//! Memory is divided into *blocks*. A block is nobody's at first; the thread that comes first may make it its own, and from then on changes cells there without atomic instructions, in *moments* that it
//! announces. Whoever else wants to change a cell there takes the block from it first, and then it is shared for good: all change its cells by `pair::replace` and under their locks, as if there were no blocks.
//!
//! **Discipline.** A thread has a *tag*, its slot and a number. Its blocks are those that name its present tag.
//! - The owner: says that it is inside, looks whether the block is still its own, changes the cell, says that it is out. It waits for nothing inside.
//! - Who takes a block: marks it, and those around it that are the same owner's; has the kernel put up a barrier in all threads; waits until the owner is out. Either the owner has seen the mark before it changed anything,
//!   or it was seen inside. Then the block is shared, and those around it are *free*: whoever comes first to one of those takes it without all this, the owner too.
//! - How many are taken at once depends on who comes to them afterwards (`Reach`): of a buffer that is handed on, more and more, and at last all that the owner has, by giving it a new tag and so making the old one be
//!   *over*; of tables that stay in use, just one.
//!
//! A thread's own accesses of the current epoch are looked for by the fast paths without any of this: nobody but the thread itself puts them there.
//!
//! Memory from the heap is used by nobody but who got it: a shared block can become a thread's own again there (`Owner::gets`).
//!
//! To take a block away costs some microseconds. So blocks are made somebody's own only as long as few are taken away (`CREDIT`); and never if the kernel has no such barrier.

use crate::os::{self, Mutex};
use core::mem::offset_of;
use core::ops::Range;
use core::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering, compiler_fence};
use deadheat_online::{Pair, Slot, VarState, Word, pair};
use deadheat_shadow::Block as Folded;

/// Bytes of cells in a block, for 512 bytes of the program's memory: less than a row of most matrices, and as much as can be told together (`deadheat_shadow::BLOCK`).
pub const CELLS: usize = 1024;
/// So many can have an owner: 2 GiB. Of several with the same place in the table the first one has it for good, and the others are shared from the beginning.
pub const BLOCKS: usize = 1 << 22;
/// Whose blocks are.
pub static TABLE: [AtomicU64; BLOCKS] = [const { AtomicU64::new(NOTHING) }; BLOCKS];

/// Heaps and stacks like to begin at round addresses: each name has its places so much further on.
pub const SPREAD: usize = 0x1e37_79b1;

/// A place in the table that no block has yet.
const NOTHING: u64 = 0;
/// The tag of what is shared; no slot has it.
pub const SHARED: u64 = (1 << TAG) - 1;
/// Bits of a tag. Above it the table says which block it is, by what is left of its address.
pub const TAG: u32 = Word::SLOT_BITS + NUMBER;
/// Bits of its lower part, which counts.
const NUMBER: u32 = 31;
/// In that part: the block was taken from that slot, and nobody has it.
const FREE: u64 = (1 << NUMBER) - 1;
/// The tag of what is being taken.
const TAKEN: u64 = SHARED - 1;

/// A block, and its place in the table.
#[derive(Clone, Copy)]
struct Block {
    place: &'static AtomicU64,
    name: u64,
}

impl Block {
    /// Those around that cell's, as many as that, a power of two.
    fn around(cell: usize, blocks: usize) -> impl Iterator<Item = Block> + Clone {
        let first = (cell / CELLS) & !(blocks - 1);
        (first..first + blocks).map(|number| Block::of(number * CELLS))
    }

    #[inline(always)]
    fn of(cell: usize) -> Block {
        const { assert!((CELLS * BLOCKS).trailing_zeros() + (64 - TAG) >= 47) }
        let name = cell / (CELLS * BLOCKS);
        let at = (cell / CELLS).wrapping_add(name.wrapping_mul(SPREAD)) % BLOCKS;
        Block { place: &TABLE[at], name: (name as u64) << TAG }
    }

    /// Whose it is: [`NOTHING`] if nobody has been here, the tag of its owner or of one who has been it, or [`SHARED`].
    #[inline(always)]
    fn tag(self) -> u64 {
        let told = self.place.load(Ordering::Acquire);
        let tag = told ^ self.name;
        if tag <= SHARED || told == NOTHING { told & SHARED } else { SHARED }
    }

    /// It has that tag, which is nobody's but an owner's.
    #[inline(always)]
    fn is_of(self, tag: u64) -> bool {
        self.place.load(Ordering::Relaxed) ^ self.name == tag
    }

    /// It has that tag from now on, if it has the other one now.
    fn change(self, old: u64, new: u64) -> bool {
        let old = if old == NOTHING { NOTHING } else { self.name | old };
        // Acquire: who made the tag be over has seen all that was done under it. Release: who takes the tag away has waited for its owner.
        self.place.compare_exchange(old, self.name | new, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

/// What a slot's thread is as an owner, apart from others in the processor's cache.
#[repr(align(64))]
pub struct Owner {
    /// The tag: the slot, and below it how often it got another one. Changed by whoever takes all blocks from it.
    tag: AtomicU64,
    /// Tags before this one are over.
    settled: AtomicU64,
    /// 1 in the moments in which it changes a cell.
    inside: AtomicU32,
    reach: Reach,
}

static OWNERS: [Owner; Slot::LIMIT as usize] = [const {
    Owner {
        tag: AtomicU64::new(0),
        settled: AtomicU64::new(0),
        inside: AtomicU32::new(0),
        reach: Reach { blocks: AtomicUsize::new(0), gain: AtomicI32::new(0), last: AtomicUsize::new(0) },
    }
}; Slot::LIMIT as usize];

/// How many blocks are taken from an owner at once; apart from what the owner looks at all the time.
#[repr(align(64))]
struct Reach {
    /// So many: a power of two, or [`Reach::ALL`]; combined with [`Reach::FIRST`], so that owners are zeroes at first, of which no file has to be full. Changed by who takes, as is `last`.
    blocks: AtomicUsize,
    /// How many of those that were free were claimed by others, less how many the owner claimed again.
    gain: AtomicI32,
    /// The cell that was wanted last.
    last: AtomicUsize,
}

impl Reach {
    /// So many at first.
    const FIRST: usize = 16;
    /// All that it has.
    const ALL: usize = 1024;

    /// Somebody claims a block that was its.
    fn claimed(&self, by_itself: bool) {
        self.gain.fetch_add(if by_itself { -1 } else { 1 }, Ordering::Relaxed);
    }

    /// How many to take now.
    fn next(&self, cell: usize) -> usize {
        let blocks = self.blocks.load(Ordering::Relaxed) ^ Reach::FIRST;
        let is_near = cell.abs_diff(self.last.swap(cell, Ordering::Relaxed)) <= 2 * blocks * CELLS;
        let blocks = match self.gain.swap(0, Ordering::Relaxed) {
            gain if gain < 0 => (blocks / 2).max(1),
            gain if gain > 0 || is_near => (2 * blocks).min(Reach::ALL),
            _ => blocks,
        };
        self.blocks.store(blocks ^ Reach::FIRST, Ordering::Relaxed);
        blocks
    }
}

/// Who takes a block, one at a time.
static TAKING: Mutex<()> = Mutex::new(());

/// As long as there is some, blocks become somebody's own. Each that could is one more; to take one away costs [`PRICE`].
static CREDIT: AtomicI64 = AtomicI64::new(32 * PRICE);
const PRICE: i64 = 32;
const MOST_CREDIT: i64 = 1024 * PRICE;

/// The owner that a thread in that slot is.
pub fn owner(slot: Slot) -> &'static Owner {
    let owner = &OWNERS[slot.0 as usize];
    if owner.tag.load(Ordering::Relaxed) == 0 {
        let first = (slot.0 as u64) << NUMBER | 1;
        owner.settled.store(first, Ordering::Relaxed);
        owner.tag.store(first, Ordering::Release);
    }
    owner
}

/// The thread has left the slot: its blocks are anybody's.
pub fn leave(slot: Slot) {
    let _one = TAKING.lock();
    let owner = owner(slot);
    let next = owner.tag.load(Ordering::Relaxed) + 1;
    owner.tag.store(next, Ordering::Relaxed);
    owner.settled.store(next, Ordering::Release);
}

/// No block becomes anybody's own unless the kernel has the barrier that it takes; before there is a thread.
pub fn start() {
    if !os::barrier_in_all_threads() {
        disable();
    }
}

/// No block becomes anybody's own from now on.
fn disable() {
    CREDIT.store(i64::MIN / 2, Ordering::Relaxed);
}

#[inline(always)]
fn block(cell: &VarState) -> Block {
    Block::of(&raw const *cell as usize)
}

impl Owner {
    /// Where fields are, for the assembly of the shortest way.
    pub(crate) const TAG_AT: usize = offset_of!(Owner, tag);
    pub(crate) const INSIDE_AT: usize = offset_of!(Owner, inside);

    /// In a moment: a signal that comes now waits, as if the thread was in the runtime.
    #[inline]
    pub fn is_inside(&self) -> bool {
        self.inside.load(Ordering::Relaxed) != 0
    }

    /// Replaces what a cell holds, if it holds that and is not locked: by plain stores in a block of its own, by an atomic instruction in a shared one. In others not at all: see [`Owner::claim`].
    #[inline(always)]
    pub fn replace(&self, cell: &VarState, old: Pair, new: Pair) -> bool {
        if self.enter(cell) {
            let is_it = changes(cell, old, new);
            self.leave();
            return is_it;
        }
        self.leave();
        is_shared(cell) && pair::replace(cell, old, new)
    }

    /// As [`Owner::replace`], and claims the cell's block if it has to.
    #[inline(always)]
    pub fn takes(&self, cell: &VarState, old: Pair, new: Pair) -> bool {
        self.replace(cell, old, new) || self.takes_claimed(cell, old, new)
    }

    #[inline(never)]
    fn takes_claimed(&self, cell: &VarState, old: Pair, new: Pair) -> bool {
        let block = block(cell);
        if block.is_of(self.tag.load(Ordering::Relaxed)) || block.tag() == SHARED {
            return false;
        }
        self.claim_block(cell);
        self.replace(cell, old, new)
    }

    /// As [`Owner::replace`], of several cells side by side. Some of them may be replaced when it says that not all are.
    #[inline(always)]
    pub fn replace_all<const N: usize>(&self, cells: [&VarState; N], old: [Pair; N], new: [Pair; N]) -> bool {
        let [first, last] = [cells[0], cells[N - 1]].map(|cell| &raw const *cell as usize);
        let block = Block::of(first);
        if self.enter(cells[0]) && first / CELLS == last / CELLS {
            let is_it = (0..N).all(|i| cells[i].seen() == old[i]);
            if is_it {
                (0..N).for_each(|i| cells[i].change(old[i], new[i]));
            }
            self.leave();
            return is_it;
        }
        self.leave();
        if first / CELLS != last / CELLS {
            return (0..N).all(|i| self.replace(cells[i], old[i], new[i]));
        }
        block.tag() == SHARED && (0..N).all(|i| pair::replace(cells[i], old[i], new[i]))
    }

    /// Folds cells that all tell the same, in one moment if they are its own.
    #[inline(always)]
    pub(crate) fn fold(&self, cells: Folded, lanes: [Pair; 2]) -> bool {
        if self.enter(cells.first()) {
            let is_folded = cells.fold(lanes, changes);
            self.leave();
            return is_folded;
        }
        self.leave();
        is_shared(cells.first()) && cells.fold(lanes, pair::replace)
    }

    /// A moment begins, and the cell's block is its own: until [`Owner::leave`], nobody else changes it. Whatever it says, the moment has to end.
    #[inline(always)]
    pub(crate) fn enter(&self, cell: &VarState) -> bool {
        self.inside.store(1, Ordering::Relaxed);
        // The barrier that orders the store before the load is put up by who takes the block.
        compiler_fence(Ordering::SeqCst);
        block(cell).is_of(self.tag.load(Ordering::Relaxed))
    }

    /// Release: who sees that it is out sees what it has changed.
    #[inline(always)]
    pub(crate) fn leave(&self) {
        self.inside.store(0, Ordering::Release);
    }

    /// Nobody else changes the cell's block by plain stores from now on, unless this owner, or somebody else after it, takes the block again. The caller is this owner.
    #[inline]
    pub fn claim(&self, cell: &VarState) {
        let block = block(cell);
        if !block.is_of(self.tag.load(Ordering::Relaxed)) && block.tag() != SHARED {
            self.claim_block(cell);
        }
    }

    /// The thread got that memory, which nobody else uses: whole blocks of it are its own. Only a program that still uses what it has freed can come in between, and then no more is lost than what it did in that moment.
    #[inline]
    pub fn gets(&self, cells: usize, size: usize) {
        if size >= CELLS {
            self.gets_blocks(cells.next_multiple_of(CELLS)..(cells + size) / CELLS * CELLS);
        }
    }

    #[inline(never)]
    fn gets_blocks(&self, cells: Range<usize>) {
        let own = self.tag.load(Ordering::Relaxed);
        for block in cells.step_by(CELLS).map(Block::of) {
            let of = block.tag();
            if of != own && has_credit() {
                block.change(of, own);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn claim_block(&self, cell: &VarState) {
        let block = block(cell);
        loop {
            let of = block.tag();
            let own = self.tag.load(Ordering::Relaxed);
            if of == SHARED || of == own {
                return;
            }
            if of != NOTHING && !is_over(of) {
                take(cell, of);
                continue;
            }
            let new = if has_credit() { own } else { SHARED };
            let taken = block.change(of, new);
            if taken && of != NOTHING {
                owner_by(of).reach.claimed(of >> NUMBER == own >> NUMBER);
            }
            // A tag that was taken away meanwhile is nobody's: look again.
            if taken && (new == SHARED || self.tag.load(Ordering::Relaxed) == own) {
                return;
            }
        }
    }
}

/// Changes a cell from one value to another, if it holds that: in a moment of its owner.
#[inline(always)]
fn changes(cell: &VarState, old: Pair, new: Pair) -> bool {
    let is_it = cell.seen() == old;
    if is_it {
        cell.change(old, new);
    }
    is_it
}

/// Nobody changes the cell's block by plain stores.
#[inline(always)]
pub(crate) fn is_shared(cell: &VarState) -> bool {
    block(cell).tag() == SHARED
}

/// Nobody changes the cell's block by plain stores any more: for those who are no owner.
pub fn share(cell: &VarState) {
    let block = block(cell);
    loop {
        let of = block.tag();
        if of == SHARED {
            return;
        } else if of == NOTHING || is_over(of) {
            block.change(of, SHARED);
        } else {
            take(cell, of);
        }
    }
}

/// Who has that tag, or had it.
fn owner_by(tag: u64) -> &'static Owner {
    &OWNERS[(tag >> NUMBER) as usize]
}

/// The tag is one under which nobody changes anything any more.
fn is_over(tag: u64) -> bool {
    tag & FREE == FREE || tag < owner_by(tag).settled.load(Ordering::Acquire)
}

fn has_credit() -> bool {
    let credit = CREDIT.load(Ordering::Relaxed);
    // Not exact if several do it at once, and need not be.
    CREDIT.store((credit + 1).min(MOST_CREDIT), Ordering::Relaxed);
    credit > 0
}

/// Takes the cell's block from who has that tag, so that it is shared afterwards, and with it what is likely to be wanted next.
#[cold]
fn take(cell: &VarState, tag: u64) {
    let _one = TAKING.lock();
    if block(cell).tag() != tag || is_over(tag) {
        return;
    }
    CREDIT.fetch_sub(PRICE, Ordering::Relaxed);
    let (owner, cell) = (owner_by(tag), &raw const *cell as usize);
    let reach = owner.reach.next(cell);
    let takes_all = reach == Reach::ALL;
    if takes_all {
        owner.tag.store(tag + 1, Ordering::SeqCst);
    }
    let around = Block::around(cell, if takes_all { 1 } else { reach });
    around.clone().filter(|block| block.is_of(tag)).for_each(|block| _ = block.change(tag, TAKEN));
    if !os::barrier_in_all_threads() {
        // It could at first: the program keeps itself from making that call. What a processor has stored is seen by all long before this is over.
        disable();
        let _: Result<(), _> = os::nanosleep(os::Timespec { seconds: 0, nanoseconds: 1_000_000 });
    }
    while owner.inside.load(Ordering::Acquire) != 0 {
        os::sched_yield();
    }
    if takes_all {
        owner.settled.store(tag + 1, Ordering::Release);
    }
    Block::of(cell).change(TAKEN, SHARED);
    around.filter(|block| block.is_of(TAKEN)).for_each(|block| _ = block.change(TAKEN, tag | FREE));
}

#[cfg(test)]
mod tests {
    use super::*;
    use deadheat_online::Clock;
    use std::vec::Vec;

    /// Cells that are blocks of their own.
    fn cells(count: usize) -> Vec<&'static VarState> {
        let all: &'static [VarState] =
            (0..(count + 1) * CELLS / 16).map(|_| VarState::new()).collect::<Vec<_>>().leak();
        all.iter().filter(|cell| (&raw const **cell as usize).is_multiple_of(CELLS)).take(count).collect()
    }

    fn next(pair: Pair) -> Pair {
        Pair { w: Word(pair.w.0 + 1), r: Word(pair.r.0 + 1) }
    }

    fn is_own(owner: &Owner, cell: &VarState) -> bool {
        block(cell).tag() == owner.tag.load(Ordering::Relaxed)
    }

    #[test]
    fn a_block_is_the_first_ones_and_then_everybodys() {
        let [a, b, c] = [101, 102, 103].map(|slot| owner(Slot(slot)));
        let cells = cells(4);
        let (none, one) = (Pair::default(), next(Pair::default()));
        assert!(!a.replace(cells[0], none, one), "nobody's");
        cells.iter().for_each(|cell| a.claim(cell));
        assert!(cells.iter().all(|cell| is_own(a, cell)));
        assert!(a.replace(cells[0], none, one) && !a.replace(cells[0], none, one));
        assert!(!a.replace_all([cells[0], cells[1]], [none; 2], [one; 2]), "one of them is another");
        assert!(a.replace_all([cells[0], cells[1]], [one, none], [one; 2]), "two blocks");
        assert!(a.replace(cells[1], one, none));
        assert!(!b.replace(cells[0], one, next(one)), "a's");
        b.claim(cells[0]);
        assert_eq!(block(cells[0]).tag(), SHARED);
        assert!(b.replace(cells[0], one, next(one)) && a.replace(cells[0], next(one), one));
        // The others are anybody's now.
        assert!(!is_own(a, cells[1]) && !a.replace(cells[1], none, one));
        b.claim(cells[1]);
        a.claim(cells[2]);
        assert!(is_own(b, cells[1]) && is_own(a, cells[2]));
        leave(Slot(102));
        c.claim(cells[1]);
        assert!(is_own(c, cells[1]) && !b.replace(cells[1], none, one) && c.replace(cells[1], none, one));
        share(cells[1]);
        share(cells[3]);
        assert!(!is_own(c, cells[1]) && c.replace(cells[1], one, none) && b.replace(cells[3], none, one));
        // From the heap, but for a part of the last block.
        let [first, third] = [cells[0], cells[2]].map(|cell| &raw const *cell as usize);
        c.gets(first - 16, 2 * CELLS);
        assert_eq!(cells.iter().map(|cell| is_own(c, cell)).collect::<Vec<_>>(), [true, false, false, false]);
        c.gets(first, third + 32 - first);
        assert_eq!(cells.iter().map(|cell| is_own(c, cell)).collect::<Vec<_>>(), [true, true, false, false]);
    }

    #[test]
    fn of_two_blocks_at_one_place_the_second_is_shared() {
        let first = CELLS * 12345;
        let has_same_place = |at: &usize| core::ptr::eq(Block::of(*at).place, Block::of(first).place);
        let next = CELLS * BLOCKS;
        let second = (next..2 * next).step_by(CELLS).find(has_same_place).expect("each name has all places");
        let [one, other] = [first, second].map(Block::of);
        assert_eq!((one.tag(), other.tag()), (NOTHING, NOTHING));
        let owner = owner(Slot(104));
        owner.gets(second, CELLS);
        assert_eq!((one.tag(), other.tag()), (SHARED, owner.tag.load(Ordering::Relaxed)));
        owner.gets(first, CELLS);
        assert_eq!(one.tag(), SHARED, "for good");
    }

    /// Threads count in both words of cells of which all want to be the owner: no step is lost.
    #[test]
    fn no_update_is_lost() {
        const STEPS: u64 = 3000;
        for round in 0..20 {
            let cells = cells(8);
            std::thread::scope(|scope| {
                for thread in 0..3 {
                    let cells = &cells;
                    scope.spawn(move || {
                        let owner = owner(Slot(200 + thread));
                        for step in 0..STEPS {
                            // Its own for a while, then the next one.
                            let at = (step / 100 + thread as u64 * (round + 3)) as usize % cells.len();
                            loop {
                                let seen = cells[at].seen();
                                if !seen.w.is_locked() && owner.replace(cells[at], seen, next(seen)) {
                                    break;
                                }
                                owner.claim(cells[at]);
                            }
                        }
                        // A thread under the lock, as the slow paths have it.
                        owner.claim(cells[0]);
                        let new = next(cells[0].lock());
                        cells[0].set_r(new.r);
                        cells[0].unlock(new.w);
                    });
                }
            });
            let sum = |word: fn(Pair) -> Word| cells.iter().map(|cell| word(cell.seen()).0).sum::<u64>();
            assert_eq!((sum(|pair| pair.w), sum(|pair| pair.r)), (3 * STEPS + 3, 3 * STEPS + 3));
        }
        assert_eq!(Word::new(Slot(0), Clock(1), 0).0, 1, "words can be counted");
    }
}
