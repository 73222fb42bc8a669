//! Memory that comes and goes: the heap and mappings. A block that is given back was written to, and a block that is handed out has no past.

use crate::access;
use crate::heap::{self, BadFree, Fresh, Origin};
use crate::record;
use crate::sites::Note;
use crate::thread::Thread;
use deadheat_shadow::{Layout, Mode};

fn origin(thread: &Thread, pc: u64) -> Origin {
    Origin { site: thread.placer.site(pc, Note::CALL).0, thread: thread.id.0 }
}

/// What is remembered of the block's memory is not about this block.
#[inline]
fn forget(block: &Fresh, size: usize) {
    // All of the last granule is the block's, and freeing it will look at all of it.
    let (start, size) = (block.start() as usize, size.next_multiple_of(8));
    let _turn = record::fresh(start as u64, size as u64);
    // Mappings of their own may lie where others were; the heap's own region was never anything else.
    let never_used =
        block.is_zeroed() && heap::range().is_some_and(|(from, length)| start.wrapping_sub(from) < length);
    if !never_used && access::layout().mask != 0 {
        access::forget_block(start as u64, size as u64);
    }
}

/// A block of the heap; null if there is no memory.
#[inline]
pub fn allocate(thread: &mut Thread, size: usize, align: usize, pc: u64) -> *mut u8 {
    let origin = origin(thread, pc);
    let Some(block) = heap::obtain(Some(&mut thread.heap), size, align, origin) else {
        return core::ptr::null_mut();
    };
    forget(&block, size);
    gets(thread, &block, size);
    block.start()
}

/// The block is this thread's, which will probably use it.
#[inline]
fn gets(thread: &Thread, block: &Fresh, size: usize) {
    let (start, end) = (block.start() as u64, block.start() as u64 + size as u64);
    // Cells lie side by side within a piece.
    if access::is_quick() && start / Layout::GRAIN == end / Layout::GRAIN {
        thread.owner.gets(access::layout().cell(start) as usize, 2 * size);
    }
}

/// A block of zeroes.
pub fn allocate_zeroed(thread: &mut Thread, size: usize, align: usize, pc: u64) -> *mut u8 {
    let origin = origin(thread, pc);
    let Some(block) = heap::obtain(Some(&mut thread.heap), size, align, origin) else {
        return core::ptr::null_mut();
    };
    forget(&block, size);
    gets(thread, &block, size);
    block.zero(size)
}

/// A block for the C library, or for a thread that the runtime does not know.
pub fn allocate_unseen(size: usize, align: usize) -> *mut u8 {
    let Some(block) = heap::obtain(None, size, align, Origin::default()) else {
        return core::ptr::null_mut();
    };
    forget(&block, size);
    block.start()
}

/// The same, of zeroes.
pub fn allocate_zeroed_unseen(size: usize, align: usize) -> *mut u8 {
    let Some(block) = heap::obtain(None, size, align, Origin::default()) else {
        return core::ptr::null_mut();
    };
    forget(&block, size);
    block.zero(size)
}

/// A block is given back.
pub fn free(thread: &mut Thread, block: *mut u8, pc: u64) -> Result<(), BadFree> {
    let by = origin(thread, pc);
    thread.gave_back();
    match heap::find(block) {
        Some(found) => {
            if found.size > 0 {
                // All of the last granule is the block's: whole granules are quicker to check.
                let size = found.size.next_multiple_of(8) as u64;
                access::plain(thread, block as u64, size, Mode::Write, pc, Note::FREE);
            }
            heap::release_found(Some(&mut thread.heap), found, by)
        }
        None => heap::release(Some(&mut thread.heap), block, by),
    }
}

/// A block is given back by somebody whose use of it is not watched.
pub fn free_unchecked(thread: &mut Thread, block: *mut u8, pc: u64) -> Result<(), BadFree> {
    let by = origin(thread, pc);
    thread.gave_back();
    heap::release(Some(&mut thread.heap), block, by)
}
