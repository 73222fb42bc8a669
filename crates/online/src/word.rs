//! The 64-bit word that a variable remembers an access by: who, when, and for which of its bytes.

use core::fmt;

/// A thread slot: the index of a thread in vector clocks. Slots of ended threads are taken over by later threads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Slot(pub u32);

impl Slot {
    /// The number of slots.
    pub const LIMIT: u32 = 1 << Word::SLOT_BITS;
}

/// A point in the life of a slot. It advances at releases, and within an epoch whenever an access comes from another place in the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct Clock(pub u64);

impl Clock {
    /// Clocks stay below this, half of what fits, so that [`Word::is_since`] can be one subtraction; a thread that gets here moves to another slot.
    pub const LIMIT: u64 = 1 << (Word::CLOCK_BITS - 1);
}

/// An access remembered, or something else in its place.
///
/// ```text
///   63    62      61 … 54   53 … 36   35 … 0
///  lock special   extent     slot     clock        an access; zero: none (⊥)
///    0     1      0, generation 60 … 32, index 31…0   in R: a set of reads (SHARED), see `sets`
///    .     1      whatever is left                    not a word of this crate: of bytes with different histories, see `shadow`
/// ```
/// The extent says which of the eight bytes of a granule the access touched, a bit each. The handlers of this crate know variables that are accessed as a whole, and
/// leave it to the caller where that is not so. 18 bits of slots are four times what a Linux process can have threads by default; 35 bits of clock last
/// for hours at ten million new places a second, and then the thread takes a new slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Word(pub u64);

impl Word {
    /// Bits of a clock.
    pub const CLOCK_BITS: u32 = 36;
    /// Bits of a slot.
    pub const SLOT_BITS: u32 = 18;
    /// Where the extent starts.
    pub const EXTENT_SHIFT: u32 = 54;
    /// The extent of all eight bytes.
    pub const WHOLE: u8 = 0xff;
    /// ⊥: no access yet.
    pub const NONE: Word = Word(0);
    /// In W only: the variable is locked.
    pub const LOCK: u64 = 1 << 63;
    /// Not an access: a set of reads (in R), or what `shadow` puts there.
    pub const SPECIAL: u64 = 1 << 62;
    /// Bits that say of a word that it is not, or not only, an access.
    pub const OTHER: u64 = Word::LOCK | Word::SPECIAL;
    /// With [`Word::SPECIAL`], in R: not a set of reads either.
    pub const FOREIGN: u64 = 1 << 61;
    /// In W: the variable is told together with others, see `shadow`. Nobody has its lock, and nobody gets it before it is told by itself again.
    pub const FOLDED: u64 = Word::OTHER | Word::FOREIGN | 2;

    /// That access.
    pub const fn new(slot: Slot, clock: Clock, extent: u8) -> Word {
        Word(((extent as u64) << Word::EXTENT_SHIFT) | ((slot.0 as u64) << Word::CLOCK_BITS) | clock.0)
    }

    /// Whose access it is.
    pub const fn slot(self) -> Slot {
        Slot((self.0 >> Word::CLOCK_BITS) as u32 & (Slot::LIMIT - 1))
    }

    /// When it was.
    pub const fn clock(self) -> Clock {
        Clock(self.0 & ((1 << Word::CLOCK_BITS) - 1))
    }

    /// Which bytes it touched.
    pub const fn extent(self) -> u8 {
        (self.0 >> Word::EXTENT_SHIFT) as u8
    }

    /// The same access with another extent.
    pub const fn with_extent(self, extent: u8) -> Word {
        let rest = self.0 & !(0xff << Word::EXTENT_SHIFT);
        Word(rest | ((extent as u64) << Word::EXTENT_SHIFT))
    }

    /// The same access without its extent: who and when.
    pub const fn epoch(self) -> Word {
        self.with_extent(0)
    }

    /// Nothing has been remembered yet.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// In W: the variable is locked.
    pub const fn is_locked(self) -> bool {
        self.0 & Word::LOCK != 0
    }

    /// In W: the variable is told together with others.
    pub const fn is_folded(self) -> bool {
        self.0 & Word::FOLDED == Word::FOLDED
    }

    /// Not an access.
    pub const fn is_special(self) -> bool {
        self.0 & Word::SPECIAL != 0
    }

    /// In R: a set of reads.
    pub const fn is_set(self) -> bool {
        self.0 & (Word::SPECIAL | Word::FOREIGN) == Word::SPECIAL
    }

    /// An access of the same extent and slot as `start`, at its clock or later. With `start` the beginning of a thread's epoch this is the same-epoch
    /// test of the fast paths: a word of another slot, extent or kind differs in a bit above the clock's half range.
    pub const fn is_since(self, start: Word) -> bool {
        self.0.wrapping_sub(start.0) < Clock::LIMIT
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("⊥");
        }
        if self.is_special() {
            return write!(f, "special({:#x})", self.0 & !Word::SPECIAL);
        }
        write!(f, "{}@{}/{:02x}", self.slot().0, self.clock().0, self.extent())
    }
}
