//! Shared memory in arenas: globals, the heap of `malloc`, and one arena for the objects of each thread.
//!
//! ```text
//!  63              32 31               0
//! ┌──────────────────┬──────────────────┐
//! │      arena       │      offset      │   0 is null: no arena has a cell 0
//! └──────────────────┴──────────────────┘
//! ```
//!
//! Objects lie in the arena of the thread that made them, so that their addresses are the same in every schedule. The heap is one for
//! all threads and hands out again what was freed, as real ones do: addresses there depend on the schedule.

use super::heap::Heap;

/// The address of a cell, or 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Address(pub u64);

const GLOBALS: u32 = 0;
const HEAP: u32 = 1;
const FIRST_THREAD: u32 = 2;

impl Address {
    /// The cell of a global.
    #[inline]
    pub fn global(offset: u32) -> Address {
        Address(u64::from(offset))
    }

    /// The heap cell with that number.
    pub fn heap(offset: u32) -> Address {
        Address::new(HEAP, offset)
    }

    fn new(arena: u32, offset: u32) -> Address {
        Address(u64::from(arena) << 32 | u64::from(offset))
    }

    /// From a register.
    #[inline]
    pub fn of(value: i64) -> Address {
        Address(value as u64)
    }

    /// Into a register.
    #[inline]
    pub fn value(self) -> i64 {
        self.0 as i64
    }

    /// So many cells further.
    #[inline]
    pub fn plus(self, cells: u64) -> Address {
        Address(self.0.wrapping_add(cells))
    }

    #[inline]
    fn arena(self) -> usize {
        (self.0 >> 32) as usize
    }

    #[inline]
    fn offset(self) -> usize {
        self.0 as u32 as usize
    }

    /// The number of the global cell, if it is one.
    #[inline]
    pub fn as_global(self) -> Option<u32> {
        (self.arena() == GLOBALS as usize).then_some(self.0 as u32)
    }

    /// The number of the heap cell, if it is one.
    #[inline]
    pub fn as_heap(self) -> Option<u32> {
        (self.arena() == HEAP as usize).then_some(self.0 as u32)
    }

    /// The thread that made the object at this address, and the cell's number among those of that thread.
    pub fn as_object(self) -> Option<(u32, u32)> {
        let arena = u32::try_from(self.arena()).ok()?;
        Some((arena.checked_sub(FIRST_THREAD)?, self.0 as u32))
    }
}

/// The cells of all arenas.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    arenas: Vec<Vec<i64>>,
    /// What is allocated in the heap.
    pub heap: Heap,
    /// Cells in the arenas of threads.
    objects: usize,
}

/// The largest number of cells that a program may have at once, 512 MiB of them.
pub const MOST_CELLS: usize = 1 << 26;

impl Memory {
    /// Back to the start: these globals, and nothing else.
    pub fn reset(&mut self, globals: &[i64]) {
        if self.arenas.is_empty() {
            self.arenas.resize_with(FIRST_THREAD as usize, Vec::new);
        }
        let (first, rest) = self.arenas.split_at_mut(1);
        first[0].clear();
        first[0].extend_from_slice(globals);
        rest.iter_mut().for_each(Vec::clear);
        self.heap.reset();
        self.objects = 0;
    }

    /// The cells of the globals.
    pub fn globals(&self) -> &[i64] {
        &self.arenas[GLOBALS as usize]
    }

    /// What a cell holds. The address was checked when it was made.
    #[inline]
    pub fn get(&self, at: Address) -> i64 {
        self.arenas[at.arena()][at.offset()]
    }

    /// Changes a cell.
    #[inline]
    pub fn set(&mut self, at: Address, value: i64) {
        self.arenas[at.arena()][at.offset()] = value;
    }

    /// So many new cells, all zero, for the thread with that number; `None` if there is no room.
    pub fn new_object(&mut self, thread: u32, cells: usize) -> Option<Address> {
        let arena = thread.checked_add(FIRST_THREAD)?;
        self.objects = self.objects.checked_add(cells).filter(|n| *n <= MOST_CELLS)?;
        if self.arenas.len() <= arena as usize {
            self.arenas.resize_with(arena as usize + 1, Vec::new);
        }
        let cells_of = &mut self.arenas[arena as usize];
        if cells_of.is_empty() {
            cells_of.push(0);
        }
        let offset = u32::try_from(cells_of.len()).ok()?;
        cells_of.resize(cells_of.len() + cells, 0);
        Some(Address::new(arena, offset))
    }

    /// `malloc`; `None` if there is no room.
    pub fn malloc(&mut self, cells: u32) -> Option<Address> {
        let start = self.heap.allocate(cells)?;
        let end = start as usize + cells as usize;
        let heap = &mut self.arenas[HEAP as usize];
        if heap.len() < end {
            heap.resize(end, 0);
        }
        heap[start as usize..end].fill(0);
        Some(Address::heap(start))
    }

    /// The cells of globals and objects, for digests; the heap is left out, since its addresses depend on the schedule.
    pub fn lasting(&self) -> impl Iterator<Item = &[i64]> {
        let threads = self.arenas.iter().skip(FIRST_THREAD as usize);
        self.arenas.iter().take(1).chain(threads).map(Vec::as_slice)
    }
}
