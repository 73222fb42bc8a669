//! Blocks too large for a class: a mapping each, in a table sorted by address.
//!
//! Programs that work in chunks allocate and free the same few large blocks over and over, and to touch new pages
//! costs more than to use them: some mappings are kept when their blocks are freed. The others go back to the kernel.

use super::pool::Fresh;
use super::{BadFree, Block, Origin};
use crate::os::{self, Access, Mutex};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// How many freed blocks are remembered for reports.
const REMEMBERED: usize = 64;

/// How many mappings are kept, and how many bytes they may have together and each.
const KEPT: usize = 16;
const KEPT_BYTES: usize = 16 * 1024 * 1024;
const LARGEST_KEPT: usize = KEPT_BYTES / 4;

/// All large blocks.
pub struct Large {
    table: Mutex<Table>,
}

struct Table {
    live: BTreeMap<usize, Held>,
    /// Mappings whose blocks are freed, the oldest first.
    kept: Vec<Mapping>,
    kept_bytes: usize,
    /// A ring of the last blocks freed, for reports; `next` is the oldest.
    freed: [Option<Held>; REMEMBERED],
    next: usize,
}

/// A block and its mapping.
#[derive(Clone, Copy)]
struct Held {
    block: Block,
    mapping: Mapping,
}

#[derive(Clone, Copy)]
struct Mapping {
    start: usize,
    length: usize,
}

impl Mapping {
    fn holds(&self, address: usize) -> bool {
        address.wrapping_sub(self.start) < self.length
    }

    /// Whether it can serve a request without wasting more than a quarter.
    fn suits(&self, length: usize, align: usize) -> bool {
        self.start.is_multiple_of(align) && (length..=length + length / 4).contains(&self.length)
    }
}

impl Large {
    pub const fn new() -> Large {
        Large {
            table: Mutex::new(Table {
                live: BTreeMap::new(),
                kept: Vec::new(),
                kept_bytes: 0,
                freed: [None; REMEMBERED],
                next: 0,
            }),
        }
    }

    /// A new block, or nothing if there is no memory.
    pub fn allocate(&self, size: usize, align: usize, origin: Origin) -> Option<Fresh> {
        if size > isize::MAX as usize - os::PAGE {
            return None;
        }
        let length = os::page_ceil(size.max(1));
        let kept = self.table.lock().take_kept(length, align);
        let (mapping, fresh) = match kept {
            Some(mapping) => (mapping, Fresh::used(mapping.start)),
            None => {
                let start = os::map_aligned(length, align, Access::ReadWrite).ok()?;
                (Mapping { start, length }, Fresh::zeroed(start))
            }
        };
        let block = Block { start: mapping.start, size, origin, freed_by: None };
        self.table.lock().live.insert(mapping.start, Held { block, mapping });
        Some(fresh)
    }

    /// Frees a block; `before` is told each mapping that goes, before it does.
    pub fn release(&self, start: usize, by: Origin, before: impl Fn(usize, usize)) -> Result<(), BadFree> {
        let mut surplus = self.table.lock().remove(start, by)?;
        while let Some(Mapping { start, length }) = surplus {
            before(start, length);
            // SAFETY: the mapping is in the table no more, neither live nor kept: it is ours alone.
            let _ = unsafe { os::munmap(start, length) };
            surplus = self.table.lock().surplus();
        }
        Ok(())
    }

    /// The block, live or remembered, whose mapping holds the address.
    pub fn block_of(&self, address: usize) -> Option<Block> {
        let table = self.table.lock();
        let below = table.live.range(..=address).next_back().map(|(_, held)| *held);
        below
            .filter(|held| held.mapping.holds(address))
            .or_else(|| table.remembered(|held| held.mapping.holds(address)))
            .map(|held| held.block)
    }

    /// The size of the live block that begins at the address.
    pub fn live_size(&self, start: usize) -> Result<usize, BadFree> {
        let table = self.table.lock();
        table.live.get(&start).map(|held| held.block.size).ok_or_else(|| table.why_not(start))
    }

    /// Takes the lock, for `fork`.
    pub fn lock_raw(&self) {
        self.table.lock_raw();
    }

    /// Gives back the lock.
    ///
    /// # Safety
    /// It must be held by `lock_raw`.
    pub unsafe fn unlock_raw(&self) {
        // SAFETY: the caller's promise.
        unsafe { self.table.unlock_raw() }
    }
}

impl Table {
    /// Takes a block off the table. Its mapping is kept, or returned to be unmapped, or one kept for longer is.
    fn remove(&mut self, start: usize, by: Origin) -> Result<Option<Mapping>, BadFree> {
        let mut held = self.live.remove(&start).ok_or_else(|| self.why_not(start))?;
        held.block.freed_by = Some(by);
        self.freed[self.next] = Some(held);
        self.next = (self.next + 1) % REMEMBERED;
        if held.mapping.length > LARGEST_KEPT {
            return Ok(Some(held.mapping));
        }
        self.kept.push(held.mapping);
        self.kept_bytes += held.mapping.length;
        Ok(self.surplus())
    }

    /// The mapping kept for longest that suits a request.
    fn take_kept(&mut self, length: usize, align: usize) -> Option<Mapping> {
        let position = self.kept.iter().position(|mapping| mapping.suits(length, align))?;
        Some(self.unkeep(position))
    }

    /// The mapping kept for longest, if too many are.
    fn surplus(&mut self) -> Option<Mapping> {
        let too_many = self.kept.len() > KEPT || self.kept_bytes > KEPT_BYTES;
        too_many.then(|| self.unkeep(0))
    }

    fn unkeep(&mut self, position: usize) -> Mapping {
        let mapping = self.kept.remove(position);
        self.kept_bytes -= mapping.length;
        mapping
    }

    /// Why an address at which no live block begins cannot be freed.
    fn why_not(&self, start: usize) -> BadFree {
        let known = self.remembered(|held| held.block.start == start);
        if known.is_some() { BadFree::DoubleFree } else { BadFree::NotOurs }
    }

    /// The block freed last of those that match.
    fn remembered(&self, matches: impl Fn(&Held) -> bool) -> Option<Held> {
        let (newer, older) = self.freed.split_at(self.next);
        newer.iter().rev().chain(older.iter().rev()).flatten().find(|held| matches(held)).copied()
    }
}
