//! Memory that comes and goes: the heap and mappings. A block that is given back was written to, and a block that is handed out has no past.

use crate::access;
use crate::heap::{self, BadFree, Origin};
use crate::sites::Note;
use crate::thread::Thread;
use deadheat_shadow::Mode;

fn origin(thread: &Thread, pc: u64) -> Origin {
    Origin { site: thread.placer.site(pc, Note::CALL).0, thread: thread.id.0 }
}

/// A block of the heap; null if there is no memory.
pub fn allocate(thread: &mut Thread, size: usize, align: usize, pc: u64) -> *mut u8 {
    let origin = origin(thread, pc);
    let block = heap::allocate(Some(&mut thread.heap), size, align, origin);
    if !block.is_null() {
        access::forget(block as u64, size as u64);
    }
    block
}

/// A block of zeroes.
pub fn allocate_zeroed(thread: &mut Thread, size: usize, align: usize, pc: u64) -> *mut u8 {
    let origin = origin(thread, pc);
    let block = heap::allocate_zeroed(Some(&mut thread.heap), size, align, origin);
    if !block.is_null() {
        access::forget(block as u64, size as u64);
    }
    block
}

/// A block is given back.
pub fn free(thread: &mut Thread, block: *mut u8, pc: u64) -> Result<(), BadFree> {
    let by = origin(thread, pc);
    match heap::find(block) {
        Some(found) => {
            access::plain(thread, block as u64, found.size as u64, Mode::Write, pc, Note::FREE);
            heap::release_found(Some(&mut thread.heap), found, by)
        }
        None => heap::release(Some(&mut thread.heap), block, by),
    }
}
