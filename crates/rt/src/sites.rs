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
}

/// What a leaf says beside its program counter: what kind of access it is, and of how many bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Note(pub u16);

impl Note {
    /// Nothing to say: a call.
    pub const CALL: Note = Note(0);
    /// The memory is given back.
    pub const FREE: Note = Note(1 << 15);
    /// The access is to an object's pointer to its virtual functions.
    pub const VPTR: Note = Note(1 << 14);
    /// A descriptor of an open file is used.
    pub const FD: Note = Note(1 << 13);

    /// An access of so many bytes; more than fit are told as the largest number.
    pub fn size(bytes: usize) -> Note {
        Note(bytes.min(0x1fff) as u16)
    }

    /// Both notes.
    pub fn and(self, other: Note) -> Note {
        Note(self.0 | other.0)
    }

    /// It says that.
    pub fn says(self, flag: Note) -> bool {
        self.0 & flag.0 != 0
    }

    /// How many bytes.
    pub fn bytes(self) -> usize {
        (self.0 & 0x1fff) as usize
    }
}

/// A node: 16 note bits and 48 of program counter, or, with [`MERGED`], a site for some bytes of a granule over another for the rest.
#[repr(C)]
struct Node {
    pc: AtomicU64,
    parent: AtomicU32,
    /// The next node of the same bucket.
    next: AtomicU32,
}

/// In `next`'s sibling flag: the node's `pc` is an extent and another site.
const MERGED: u64 = 0xffff << 48;
const NODES: usize = 1 << 28;
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

    fn node(&self, index: u32) -> &Node {
        // SAFETY: indices below `count` lie in the reserved table, whose zeroes are valid nodes.
        unsafe { &*((self.nodes.load(Ordering::Acquire) as *const Node).add(index as usize)) }
    }

    /// The site of that program counter called from `parent`.
    pub fn intern(&self, parent: Site, pc: u64, note: Note) -> Site {
        let pc = (pc & ((1 << 48) - 1)) | (note.0 as u64) << 48;
        self.find_or_add(parent.0, pc)
    }

    /// The site that stands for `new` at the bytes of the extent and for `old` elsewhere.
    pub fn merge(&self, old: Site, new: Site, extent: u8) -> Site {
        if old == new {
            return old;
        }
        self.find_or_add(old.0, MERGED | (extent as u64) << 32 | new.0 as u64)
    }

    fn find_or_add(&self, parent: u32, pc: u64) -> Site {
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

    /// Follows merged sites down to the one for that byte of the granule.
    pub fn of_byte(&self, mut site: Site, byte: u8) -> Site {
        while site != Site::NOWHERE {
            let node = self.node(site.0);
            let pc = node.pc.load(Ordering::Relaxed);
            if pc & MERGED != MERGED {
                break;
            }
            let extent = (pc >> 32) as u8;
            site = if extent >> byte & 1 != 0 {
                Site(pc as u32)
            } else {
                Site(node.parent.load(Ordering::Relaxed))
            };
        }
        site
    }

    /// What the leaf says of its access.
    pub fn note(&self, site: Site) -> Note {
        if site == Site::NOWHERE {
            Note::CALL
        } else {
            Note((self.node(site.0).pc.load(Ordering::Relaxed) >> 48) as u16)
        }
    }

    /// The caller's site, and the program counter. A merged site has two parents; this is the older.
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
