//! The allocator behind Rust's own `alloc` inside the runtime: memory straight from the kernel, apart from the
//! program's heap.
//!
//! Small blocks come in the size classes of the heap, each class with a lock, a list of free blocks and a run of
//! memory that has never been used; large ones are mappings of their own, given back when freed. The layout that Rust
//! passes when it frees says which of the two a block is, so blocks carry no header.
//!
//! Free blocks hold the list's links themselves: only the runtime writes here, and it is trusted.

use crate::heap::class::{CLASSES, Class, GRAIN};
use crate::os::{self, Access, Errno, Mutex, PAGE};
use crate::tls;
use core::alloc::{GlobalAlloc, Layout};
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicUsize, Ordering};

/// The largest block that is not a mapping of its own.
const SMALL: usize = 32 * 1024;
/// What a class takes from the kernel at first; later a quarter of what it has, up to [`LARGEST_RUN`].
const FIRST_RUN: usize = 64 * 1024;
const LARGEST_RUN: usize = 4 * 1024 * 1024;

/// Rust's allocator inside the runtime. Ends the process when there is no memory.
pub struct Internal;

static LISTS: [Mutex<List>; CLASSES] = [const { Mutex::new(List::EMPTY) }; CLASSES];
static IN_LARGE: AtomicUsize = AtomicUsize::new(0);

/// Bytes of blocks that the runtime has allocated and not freed, or that threads keep at hand.
pub fn bytes_in_use() -> usize {
    let small = Class::all().map(|class| LISTS[class.index()].lock().in_use * class.size());
    small.sum::<usize>() + IN_LARGE.load(Ordering::Relaxed)
}

/// Small blocks that a thread keeps at hand, so that it need not ask the lists for each. Touched by that thread only, while it is in the runtime.
pub struct Spare {
    blocks: [[*mut u8; Spare::ROOM]; Spare::CLASSES],
    count: [usize; Spare::CLASSES],
}

impl Spare {
    /// Blocks of a class.
    const ROOM: usize = 16;
    /// The smallest ones only, up to those that blocks of clocks are in: 320 bytes.
    const CLASSES: usize = 13;

    /// None.
    pub const fn new() -> Spare {
        Spare { blocks: [[ptr::null_mut(); Spare::ROOM]; Spare::CLASSES], count: [0; Spare::CLASSES] }
    }

    #[inline]
    fn pop(&mut self, class: Class) -> *mut u8 {
        let (blocks, count) = (&mut self.blocks[class.index()], &mut self.count[class.index()]);
        if *count == 0 {
            let mut list = LISTS[class.index()].lock();
            blocks[..Spare::ROOM / 2].iter_mut().for_each(|block| *block = list.pop(class));
            *count = Spare::ROOM / 2;
        }
        *count -= 1;
        blocks[*count]
    }

    /// # Safety
    /// As for [`List::push`].
    unsafe fn push(&mut self, class: Class, block: *mut u8) {
        if self.count[class.index()] == Spare::ROOM {
            // SAFETY: as the caller promises, now and then.
            unsafe { self.give_back(class, Spare::ROOM / 2) };
        }
        self.blocks[class.index()][self.count[class.index()]] = block;
        self.count[class.index()] += 1;
    }

    unsafe fn give_back(&mut self, class: Class, left: usize) {
        let (blocks, count) = (&self.blocks[class.index()], &mut self.count[class.index()]);
        let mut list = LISTS[class.index()].lock();
        // SAFETY: they came from `push`.
        blocks[left..*count].iter().for_each(|block| unsafe { list.push(*block) });
        *count = left;
    }
}

impl Default for Spare {
    fn default() -> Spare {
        Spare::new()
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        // SAFETY: as in `push`.
        Class::all().take(Spare::CLASSES).for_each(|class| unsafe { self.give_back(class, 0) });
    }
}

/// What the current thread keeps at hand of that class, if it is in the runtime: otherwise a signal could come in between.
#[inline]
fn spare<'a>(class: Class) -> Option<&'a mut Spare> {
    if class.index() >= Spare::CLASSES {
        return None;
    }
    let thread = tls::thread();
    // SAFETY: the current thread's object lives as long as it is current, and the cell is opened here only, never twice at once.
    unsafe {
        (!thread.is_null() && (*thread).busy.load(Ordering::Relaxed) > 0).then(|| &mut *(*thread).spare.get())
    }
}

/// Takes every lock, so that `fork` finds the lists whole. Signals should be held back, and the heap's locks
/// be taken before, as it allocates here while it holds them.
pub fn lock_all() {
    LISTS.iter().for_each(Mutex::lock_raw);
}

/// Gives back every lock, in the parent and in the child.
///
/// # Safety
/// This thread, or the one whose copy it is after `fork`, must have called [`lock_all`].
pub unsafe fn unlock_all() {
    for list in &LISTS {
        // SAFETY: the caller's promise.
        unsafe { list.unlock_raw() };
    }
}

/// The blocks of one class that nobody uses.
struct List {
    /// The first free block; each holds the address of the next.
    free: Option<NonNull<FreeBlock>>,
    /// Memory that has never been handed out.
    fresh: usize,
    fresh_end: usize,
    /// Bytes taken from the kernel so far.
    taken: usize,
    /// Blocks that somebody has.
    in_use: usize,
}

struct FreeBlock {
    next: Option<NonNull<FreeBlock>>,
}

// SAFETY: the blocks on the list belong to it alone, whichever thread holds its lock.
unsafe impl Send for List {}

impl List {
    const EMPTY: List = List { free: None, fresh: 0, fresh_end: 0, taken: 0, in_use: 0 };

    fn pop(&mut self, class: Class) -> *mut u8 {
        self.in_use += 1;
        if let Some(block) = self.free {
            // SAFETY: a block on the list is free and holds a link, written by `push`.
            self.free = unsafe { block.read().next };
            return block.as_ptr().cast();
        }
        if self.fresh_end - self.fresh < class.size() {
            self.take_run(class);
        }
        let block = self.fresh;
        self.fresh += class.size();
        block as *mut u8
    }

    /// # Safety
    /// The block must come from `pop` of this list, and nobody may use it any more.
    unsafe fn push(&mut self, block: *mut u8) {
        self.in_use -= 1;
        let block = block.cast::<FreeBlock>();
        // SAFETY: the block is the list's again, and every class has room and alignment for a link.
        unsafe { block.write(FreeBlock { next: self.free }) };
        self.free = NonNull::new(block);
    }

    #[cold]
    fn take_run(&mut self, class: Class) {
        let wanted = (self.taken / 4).clamp(FIRST_RUN, LARGEST_RUN);
        let length = os::page_ceil(wanted / class.size() * class.size());
        self.fresh = os::map_zeroed(length).unwrap_or_else(|errno| out_of_memory(length, errno));
        self.fresh_end = self.fresh + length;
        self.taken += length;
    }
}

#[cold]
fn out_of_memory(size: usize, errno: Errno) -> ! {
    let used = bytes_in_use();
    os::die(
        os::CANNOT_WORK,
        format_args!("out of memory: the runtime asked for {size} bytes beyond its {used} ({errno})"),
    )
}

/// The class of a small block. Runs begin at a page, so a class serves every alignment up to a page.
#[inline]
fn class_of(layout: Layout) -> Option<Class> {
    if layout.align() <= GRAIN && layout.size() <= SMALL {
        return Some(Class::of_size(layout.size()));
    }
    if layout.size() > SMALL || layout.align() > PAGE {
        return None;
    }
    Class::of(layout.size(), layout.align())
}

fn map_large(layout: Layout) -> *mut u8 {
    IN_LARGE.fetch_add(large_length(layout.size()), Ordering::Relaxed);
    let mapped = os::map_aligned(large_length(layout.size()), layout.align(), Access::ReadWrite);
    mapped.unwrap_or_else(|errno| out_of_memory(layout.size(), errno)) as *mut u8
}

/// Bytes of the mapping of a large block; Rust asks for at most `isize::MAX`, so this does not overflow.
fn large_length(size: usize) -> usize {
    os::page_ceil(size.max(1))
}

// SAFETY: blocks are at least as large and as aligned as the layout asks (`Class::of`, `map_aligned`), belong to one
// owner until freed (one lock per list, whole mappings), and no method unwinds.
unsafe impl GlobalAlloc for Internal {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match class_of(layout) {
            Some(class) => match spare(class) {
                Some(spare) => spare.pop(class),
                None => LISTS[class.index()].lock().pop(class),
            },
            None => map_large(layout),
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match class_of(layout) {
            // SAFETY: the block came from `alloc` with this layout, so from this list.
            Some(class) => unsafe {
                match spare(class) {
                    Some(spare) => spare.push(class, block),
                    None => LISTS[class.index()].lock().push(block),
                }
            },
            None => {
                IN_LARGE.fetch_sub(large_length(layout.size()), Ordering::Relaxed);
                // SAFETY: the block came from `alloc` with this layout, so it is a mapping of this length.
                let _ = unsafe { os::munmap(block as usize, large_length(layout.size())) };
            }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as for `alloc`.
        let block = unsafe { self.alloc(layout) };
        if class_of(layout).is_some() {
            // SAFETY: the block has room for the layout. A mapping is zero by itself.
            unsafe { ptr::write_bytes(block, 0, layout.size()) };
        }
        block
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the new size is below `isize::MAX` when rounded up to the alignment, as the caller promises.
        let new = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        match (class_of(layout), class_of(new)) {
            (Some(old_class), Some(new_class)) if old_class == new_class => block,
            (None, None) if layout.align() <= PAGE => {
                let (old_length, new_length) = (large_length(layout.size()), large_length(new_size));
                IN_LARGE.fetch_add(new_length.wrapping_sub(old_length), Ordering::Relaxed);
                // SAFETY: the block is a whole mapping of this length, and the caller gives up its old address.
                let moved = unsafe { os::remap(block as usize, old_length, new_length) };
                moved.unwrap_or_else(|errno| out_of_memory(new_size, errno)) as *mut u8
            }
            // SAFETY: both blocks have room for what is copied, and cannot overlap as both are in use.
            _ => unsafe {
                let moved = self.alloc(new);
                ptr::copy_nonoverlapping(block, moved, layout.size().min(new_size));
                self.dealloc(block, layout);
                moved
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn layout(size: usize, align: usize) -> Layout {
        Layout::from_size_align(size, align).unwrap()
    }

    /// A block with its bytes set to a mark, which is looked at again when it is freed.
    struct Held(*mut u8, Layout, u8);

    impl Held {
        fn new(layout: Layout, mark: u8) -> Held {
            // SAFETY: the layout has a size above 0, and the block is as large as that.
            unsafe {
                let block = Internal.alloc(layout);
                assert_eq!(block as usize % layout.align(), 0);
                block.write_bytes(mark, layout.size());
                Held(block, layout, mark)
            }
        }

        fn resize(&mut self, size: usize) {
            let kept = size.min(self.1.size());
            // SAFETY: the block came from `alloc` or `realloc` with this layout; both sizes are above 0.
            unsafe {
                self.0 = Internal.realloc(self.0, self.1, size);
                let bytes = core::slice::from_raw_parts(self.0, kept);
                assert!(bytes.iter().all(|&byte| byte == self.2), "moved without its contents");
                self.0.write_bytes(self.2, size);
            }
            self.1 = layout(size, self.1.align());
        }

        fn free(self) {
            // SAFETY: the block came from `alloc` with this layout and is freed once.
            unsafe {
                let bytes = core::slice::from_raw_parts(self.0, self.1.size());
                assert!(bytes.iter().all(|&byte| byte == self.2), "two owners");
                Internal.dealloc(self.0, self.1);
            }
        }
    }

    fn churn(seed: u64) {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut held = Vec::new();
        for step in 0..4000 {
            let size = if random.u8(..8) == 0 { random.usize(1..200_000) } else { random.usize(1..600) };
            match random.u8(..4) {
                0 | 1 => held.push(Held::new(layout(size, 1 << random.u8(..15)), step as u8)),
                2 if !held.is_empty() => {
                    let index = random.usize(..held.len());
                    held[index].resize(size);
                }
                _ if !held.is_empty() => held.swap_remove(random.usize(..held.len())).free(),
                _ => {}
            }
            if held.len() > 100 {
                held.drain(..50).for_each(Held::free);
            }
        }
        held.into_iter().for_each(Held::free);
    }

    /// One test, as the count of bytes is one for all threads.
    #[test]
    fn blocks_have_one_owner_and_are_all_counted() {
        std::thread::scope(|scope| {
            for seed in 0..4 {
                scope.spawn(move || churn(seed));
            }
            for _ in 0..100 {
                lock_all();
                // SAFETY: locked above, by this thread.
                unsafe { unlock_all() };
            }
        });
        zeroed_blocks_are_zero();
        assert_eq!(bytes_in_use(), 0);
    }

    fn zeroed_blocks_are_zero() {
        for size in [24, 100_000] {
            // SAFETY: the block is as large as the layout says, and freed with the same layout.
            unsafe {
                for _ in 0..3 {
                    let block = Internal.alloc_zeroed(layout(size, 8));
                    assert!(core::slice::from_raw_parts(block, size).iter().all(|&byte| byte == 0));
                    block.write_bytes(1, size);
                    Internal.dealloc(block, layout(size, 8));
                }
            }
        }
    }
}
