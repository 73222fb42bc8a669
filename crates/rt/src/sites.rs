//! Where in the program: places with their callers, each a number.
//!
//! A [`Site`] is a node of the calling-context tree: a program counter and the site of the caller. Interned for ever, so that a number in a
//! log is all that an access needs to keep of its stack. Lock-free: nodes never change once they are in the table.

use crate::os;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// A place in the program and how it was reached. Zero: nowhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Site(pub u32);

impl Site {
    /// No place.
    pub const NOWHERE: Site = Site(0);
    /// Not one place: `scattered` says more.
    pub const SCATTERED: Site = Site(u32::MAX);
}

/// What a leaf says beside its program counter: what kind of access it is, and of how many bytes.
///
/// ```text
/// 15     13                                   0
/// | sort | bytes                              |
/// | UNALIGNED | 0 | address modulo 16 | bytes |     4 bits from 5 on, 5 bits
/// | EXTERNAL  | tag                       | 1 |     always of one byte
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Note(pub u16);

const SORT: u16 = 0b111 << 13;
/// Accesses of up to so many bytes are remembered with where they began.
const SMALL: u64 = 16;

impl Note {
    /// Nothing to say: a call, or an access like any other.
    pub const CALL: Note = Note(0);
    /// The memory is given back.
    pub const FREE: Note = Note(0b100 << 13);
    /// The access is to an object's pointer to its virtual functions.
    pub const VPTR: Note = Note(0b010 << 13);
    /// A descriptor of an open file is used.
    pub const FD: Note = Note(0b001 << 13);
    /// The access is not where its size would put it.
    const UNALIGNED: Note = Note(0b101 << 13);
    /// An object that a library watches over itself is used.
    pub const EXTERNAL: Note = Note(0b011 << 13);

    /// An access of so many bytes; more than fit are told as the largest number.
    pub const fn size(bytes: usize) -> Note {
        Note(if bytes < 0x1fff { bytes as u16 } else { 0x1fff })
    }

    /// A use of an object with that tag.
    pub fn external(tag: u64) -> Note {
        Note(Note::EXTERNAL.0 | (tag.min(0xfff) as u16) << 1 | 1)
    }

    /// This, of an access of so many bytes at that address.
    #[inline]
    pub fn at(self, address: u64, size: u64) -> Note {
        let odd = size <= SMALL && (address | size) & size.wrapping_sub(1) != 0;
        if odd && self == Note::CALL {
            // Enough to tell from any byte of it where it began, and so few that a loop over unaligned data has few places.
            let offset = address % size.next_power_of_two();
            return Note(Note::UNALIGNED.0 | (offset << 5) as u16 | size as u16);
        }
        self.and(Note::size(size as usize))
    }

    /// Both notes, of which one has no sort.
    pub const fn and(self, other: Note) -> Note {
        Note(self.0 | other.0)
    }

    /// It is of that sort.
    pub fn says(self, sort: Note) -> bool {
        self.0 & SORT == sort.0
    }

    /// How many bytes.
    pub fn bytes(self) -> usize {
        match Note(self.0 & SORT) {
            Note::UNALIGNED => (self.0 & 0x1f) as usize,
            Note::EXTERNAL => 1,
            _ => (self.0 & 0x1fff) as usize,
        }
    }

    /// The tag of the object.
    pub fn tag(self) -> Option<u64> {
        self.says(Note::EXTERNAL).then_some((self.0 >> 1 & 0xfff) as u64)
    }

    /// Where an access began that had the byte at that address. Of a large one, the granule.
    pub fn first(self, byte: u64) -> u64 {
        match self.bytes() as u64 {
            size if self.says(Note::UNALIGNED) => {
                byte - byte.wrapping_sub((self.0 >> 5 & 0xf) as u64) % size.next_power_of_two()
            }
            size if size <= SMALL => byte & !(size.max(1).next_power_of_two() - 1),
            _ => byte & !7,
        }
    }
}

/// A node: 16 note bits and 48 of program counter.
#[repr(C)]
struct Node {
    pc: AtomicU64,
    parent: AtomicU32,
    /// The next node of the same bucket.
    next: AtomicU32,
}

const NODES: usize = 1 << 28;
/// Sites have numbers below this.
pub const MOST: usize = NODES;
const BUCKETS: usize = 1 << 16;

/// The tree. The tables are address space until they are used.
pub struct Sites {
    nodes: AtomicUsize,
    room: AtomicUsize,
    count: AtomicU32,
    buckets: [AtomicU32; BUCKETS],
}

/// The sites of this process.
pub static SITES: Sites = Sites {
    nodes: AtomicUsize::new(0),
    room: AtomicUsize::new(0),
    count: AtomicU32::new(1),
    buckets: [const { AtomicU32::new(0) }; BUCKETS],
};

impl Sites {
    /// Reserves the table of nodes; once, at start.
    pub fn reserve(&self) {
        let wanted = [NODES, NODES / 64].into_iter();
        let got =
            wanted.map(|room| (room, os::map_zeroed(room * size_of::<Node>()))).find(|(_, at)| at.is_ok());
        match got {
            Some((room, Ok(at))) => {
                self.nodes.store(at, Ordering::Release);
                self.room.store(room, Ordering::Relaxed);
            }
            _ => os::die(os::CANNOT_WORK, format_args!("no address space for stacks")),
        }
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.count.load(Ordering::Relaxed)
    }

    fn node(&self, index: u32) -> &Node {
        // SAFETY: indices below `count` lie in the reserved table, whose zeroes are valid nodes.
        unsafe { &*((self.nodes.load(Ordering::Acquire) as *const Node).add(index as usize)) }
    }

    /// The site of that program counter called from `parent`.
    pub fn intern(&self, parent: Site, pc: u64, note: Note) -> Site {
        let (parent, pc) = (parent.0, (pc & ((1 << 48) - 1)) | (note.0 as u64) << 48);
        let hash = (pc ^ (parent as u64) << 17).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bucket = &self.buckets[(hash >> 48) as usize % BUCKETS];
        let mut head = bucket.load(Ordering::Acquire);
        let mut seen = 0;
        let mut new = 0;
        loop {
            let mut at = head;
            while at != seen && at != 0 {
                let node = self.node(at);
                if node.pc.load(Ordering::Relaxed) == pc && node.parent.load(Ordering::Relaxed) == parent {
                    return Site(at);
                }
                at = node.next.load(Ordering::Relaxed);
            }
            seen = head;
            if new == 0 {
                new = self.count.fetch_add(1, Ordering::Relaxed);
                if new as usize >= self.room.load(Ordering::Relaxed) {
                    // No room: the caller's place is the best there is.
                    self.count.fetch_sub(1, Ordering::Relaxed);
                    return Site(parent);
                }
            }
            let node = self.node(new);
            node.pc.store(pc, Ordering::Relaxed);
            node.parent.store(parent, Ordering::Relaxed);
            node.next.store(head, Ordering::Relaxed);
            // Release: whoever finds the node through the bucket sees it whole.
            match bucket.compare_exchange(head, new, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Site(new),
                Err(now) => head = now,
            }
        }
    }

    /// What the leaf says of its access.
    pub fn note(&self, site: Site) -> Note {
        if site == Site::NOWHERE {
            Note::CALL
        } else {
            Note((self.node(site.0).pc.load(Ordering::Relaxed) >> 48) as u16)
        }
    }

    /// The caller's site, and the program counter.
    pub fn parent(&self, site: Site) -> (Site, u64) {
        let node = self.node(site.0);
        let pc = node.pc.load(Ordering::Relaxed) & ((1 << 48) - 1);
        (Site(node.parent.load(Ordering::Relaxed)), pc)
    }

    /// The program counters, innermost first.
    pub fn stack(&self, mut site: Site) -> Vec<u64> {
        let mut pcs = Vec::new();
        while site != Site::NOWHERE && pcs.len() < 1 << 12 {
            let node = self.node(site.0);
            pcs.push(node.pc.load(Ordering::Relaxed) & ((1 << 48) - 1));
            site = Site(node.parent.load(Ordering::Relaxed));
        }
        pcs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_is_known_by_any_of_its_bytes() {
        for address in 0x1000..0x1020 {
            for size in 1..=16 {
                let note = Note::CALL.at(address, size);
                assert_eq!(note.bytes() as u64, size);
                assert!(
                    (address..address + size).all(|byte| note.first(byte) == address),
                    "{size} at {address:#x}"
                );
                assert!(!note.says(Note::FREE) && !note.says(Note::VPTR) && !note.says(Note::FD));
            }
        }
    }

    #[test]
    fn what_is_aligned_has_one_note_whatever_the_address() {
        let notes = [0x1000, 0x1008, 0x1010].map(|address| Note::CALL.at(address, 8));
        assert_eq!(notes, [Note::size(8); 3]);
    }

    #[test]
    fn sorts_and_tags_stay() {
        assert_eq!(Note::FREE.at(0x1001, 3).bytes(), 3);
        assert!(Note::VPTR.at(0x1000, 8).says(Note::VPTR));
        let external = Note::external(7).at(0x1003, 1);
        assert_eq!((external.tag(), external.bytes(), external.first(0x1003)), (Some(7), 1, 0x1003));
        assert_eq!(Note::size(8).tag(), None);
    }
}
