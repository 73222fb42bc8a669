//! Where cells are: `cell(address) = ((address · 2) & mask) ^ base`, for any place that the kernel may put a program at.
//!
//! Cells are 16 bytes for 8, so the image of all 47 bits of user addresses does not fit beside them. The mask drops the highest bit: addresses 64 TiB apart share
//! cells, and no program has memory at both (low addresses hold a program that is not position-independent, the upper half everything else). What is
//! left is chosen at start: `base`, so that the image of every *window* in which the program lives or may grow is clear of all windows. Exclusive or
//! instead of addition, so that images of low and high windows both stay below 2^47.

/// Addresses end here.
pub const USER_END: u64 = 1 << 47;

/// A part of the address space in which the program has memory or may get some.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// The first address; a multiple of [`Layout::GRAIN`].
    pub start: u64,
    /// The first address behind it; a multiple of [`Layout::GRAIN`].
    pub end: u64,
}

impl Window {
    /// The smallest window around these addresses.
    pub fn around(start: u64, end: u64) -> Window {
        let grain = Layout::GRAIN;
        Window { start: start / grain * grain, end: end.div_ceil(grain) * grain }
    }

    fn overlaps(self, other: Window) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// How addresses become cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Which bits of twice the address count.
    pub mask: u64,
    /// What they are combined with.
    pub base: u64,
}

impl Layout {
    /// Windows and bases are multiples of this: 64 GiB.
    pub const GRAIN: u64 = 1 << 36;
    /// The mask: 47 bits, in units of cells.
    pub const MASK: u64 = (USER_END - 1) & !15;

    /// A layout under which the images of the windows, and of nothing else that matters, are free of all windows. None if the program sits so unluckily that there is none.
    pub fn choose(windows: &[Window]) -> Option<Layout> {
        let candidates = (1..(USER_END / (2 * Layout::GRAIN))).map(|i| i * 2 * Layout::GRAIN);
        candidates.map(|base| Layout { mask: Layout::MASK, base }).find(|l| l.is_clear(windows))
    }

    /// The address of the cell of the granule at that address.
    #[inline]
    pub const fn cell(&self, address: u64) -> u64 {
        ((address << 1) & self.mask) ^ self.base
    }

    /// The cells of a window: pieces of [`Layout::GRAIN`] · 2, each contiguous.
    pub fn images(&self, window: Window) -> impl Iterator<Item = Window> + '_ {
        let grain = Layout::GRAIN;
        (window.start / grain..window.end / grain).map(move |i| {
            let start = self.cell(i * grain);
            Window { start, end: start + 2 * grain }
        })
    }

    fn is_clear(&self, windows: &[Window]) -> bool {
        let disjoint = |image: Window| image.start > 0 && windows.iter().all(|w| !w.overlaps(image));
        let images = || windows.iter().flat_map(|w| self.images(*w));
        images().all(disjoint) && {
            // Two windows 64 TiB apart would share cells.
            let mut starts: alloc::vec::Vec<u64> = images().map(|i| i.start).collect();
            starts.sort_unstable();
            starts.windows(2).all(|pair| pair[0] != pair[1])
        }
    }
}
