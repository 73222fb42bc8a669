//! A thread's own free blocks: for each small class a ring, taken from at one end and given to at the other.
//!
//! First in, first out: a freed block waits until the thread has used up those freed before it. An access to freed
//! memory then more often finds it still free, and is told as what it is.

use super::class::Class;
use super::pool::Index;

/// The largest blocks that are cached; those above are rare enough to lock for.
const LARGEST_CACHED: usize = 8 * 1024;
/// How many classes that is.
const CACHED: usize = 32;
/// The most bytes and the most blocks of one class in a cache.
const RING_BYTES: usize = 32 * 1024;
const RING_BLOCKS: usize = 64;
/// How many blocks an empty cache asks for at first; twice as many each time, up to half a ring.
const FIRST_BATCH: u8 = 4;

const _: () = assert!(Class::from_index(CACHED - 1).size() == LARGEST_CACHED);

/// How many blocks of a class a cache holds: a power of two.
const fn capacity(class: Class) -> usize {
    let fitting = RING_BYTES / class.size();
    1 << (if fitting < RING_BLOCKS { fitting } else { RING_BLOCKS }).ilog2()
}

/// The rings of an empty cache, side by side, and how many blocks they hold together.
const EMPTY: ([Ring; CACHED], usize) = {
    let mut rings = [Ring { start: 0, mask: 0, head: 0, length: 0, batch: 0 }; CACHED];
    let (mut index, mut start) = (0, 0);
    while index < CACHED {
        let capacity = capacity(Class::from_index(index));
        rings[index].start = start as u16;
        rings[index].mask = (capacity - 1) as u8;
        start += capacity;
        index += 1;
    }
    (rings, start)
};

/// A thread's free blocks. It must be emptied with [`super::flush`] when the thread ends, or they are lost.
pub struct Cache {
    rings: [Ring; CACHED],
    slots: [Index; EMPTY.1],
    /// Bytes taken less bytes freed, not yet told to the heap.
    pub(super) live: isize,
}

#[derive(Clone, Copy)]
#[repr(align(8))]
struct Ring {
    /// Where its places begin among the slots, and what positions in it are masked with.
    start: u16,
    mask: u8,
    /// The oldest block.
    head: u8,
    length: u8,
    /// How many blocks were asked for last time.
    batch: u8,
}

impl Default for Cache {
    fn default() -> Self {
        Self::new()
    }
}

impl Cache {
    /// An empty cache.
    pub const fn new() -> Cache {
        Cache { rings: EMPTY.0, slots: [0; EMPTY.1], live: 0 }
    }

    /// Whether blocks of the class are cached at all.
    #[inline]
    pub(super) fn takes(class: Class) -> bool {
        class.index() < CACHED
    }

    /// The classes that are cached.
    pub(super) fn classes() -> impl Iterator<Item = Class> {
        (0..CACHED).map(Class::from_index)
    }

    /// Whether there is no block of the class.
    pub(super) fn is_empty(&self, class: Class) -> bool {
        self.rings[class.index()].length == 0
    }

    /// The block that has been free for longest.
    #[inline]
    pub(super) fn pop(&mut self, class: Class) -> Option<Index> {
        let ring = self.rings.get_mut(class.index())?;
        ring.length = ring.length.checked_sub(1)?;
        let index = self.slots[ring.start as usize + ring.head as usize];
        ring.head = (ring.head + 1) & ring.mask;
        Some(index)
    }

    /// Keeps a free block; false if the ring is full or the class is not cached.
    #[inline]
    pub(super) fn push(&mut self, class: Class, index: Index) -> bool {
        let Some(ring) = self.rings.get_mut(class.index()) else { return false };
        if ring.length > ring.mask {
            return false;
        }
        let position = (ring.head + ring.length) & ring.mask;
        self.slots[ring.start as usize + position as usize] = index;
        ring.length += 1;
        true
    }

    /// How many blocks to ask for now that the ring is empty.
    pub(super) fn next_batch(&mut self, class: Class) -> usize {
        let ring = &mut self.rings[class.index()];
        let half = ring.mask / 2 + 1;
        ring.batch = (ring.batch * 2).max(FIRST_BATCH).min(half);
        ring.batch as usize
    }

    /// Takes the older half of a full ring, or all of it.
    pub(super) fn drain(&mut self, class: Class, share: Share) -> impl Iterator<Item = Index> {
        let count = match share {
            Share::OlderHalf => self.rings[class.index()].length / 2,
            Share::All => self.rings[class.index()].length,
        };
        (0..count).map_while(move |_| self.pop(class))
    }
}

/// How much of a ring is given up.
#[derive(Clone, Copy)]
pub(super) enum Share {
    OlderHalf,
    All,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn a_ring_is_first_in_first_out_at_every_position() {
        for class in Cache::classes() {
            let capacity = capacity(class) as Index;
            let mut cache = Cache::new();
            for round in 0..3 * capacity {
                assert!((0..capacity).all(|index| cache.push(class, round + index)));
                assert!(!cache.push(class, 99));
                assert_eq!(cache.pop(class), Some(round));
                assert!(cache.push(class, round + capacity));
                let drained: Vec<Index> = cache.drain(class, Share::All).collect();
                assert_eq!(drained, (round + 1..=round + capacity).collect::<Vec<_>>());
                assert_eq!(cache.pop(class), None);
                // Shifts the ring by one position.
                assert!(cache.push(class, 0) && cache.pop(class) == Some(0));
            }
        }
    }

    #[test]
    fn rings_do_not_overlap() {
        let mut cache = Cache::new();
        for class in Cache::classes() {
            while cache.push(class, class.index() as Index) {}
        }
        for class in Cache::classes() {
            let all: Vec<Index> = cache.drain(class, Share::All).collect();
            assert_eq!(all.len(), capacity(class));
            assert!(all.iter().all(|&index| index == class.index() as Index));
        }
    }

    #[test]
    fn batches_grow_to_half_a_ring() {
        let (smallest, largest) = (Class::of_size(1), Class::of_size(LARGEST_CACHED));
        let mut cache = Cache::new();
        assert_eq!([0; 5].map(|_| cache.next_batch(smallest)), [4, 8, 16, 32, 32]);
        assert_eq!([0; 2].map(|_| cache.next_batch(largest)), [2, 2]);
        assert!(!Cache::takes(Class::of_size(LARGEST_CACHED + 1)));
    }

    #[test]
    fn a_cache_is_small() {
        assert!(size_of::<Cache>() <= 5400);
    }
}
