//! Where cells are: `cell(address) = ((address · 2) & mask) ^ base`, for any place that the kernel may put a program at.
//!
//! Cells are 16 bytes for 8, so the image of all 47 bits of user addresses does not fit beside them. The mask drops the highest bit: addresses 64 TiB apart share
//! cells, and no program has memory at both (low addresses hold a program that is not position-independent, the upper half everything else). What is
//! left is chosen at start: `base`, so that the image of every *window* in which the program lives or may grow is clear of all windows. Exclusive or
//! instead of addition, so that images of low and high windows both stay below 2^47.

use alloc::vec::Vec;

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

/// Where a program is and may grow, for which [`Layout::choose`] looks for room.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its mappings: first byte, and the one behind the last.
    pub mappings: Vec<(u64, u64)>,
    /// Where the kernel puts a new one.
    pub fresh: u64,
}

impl Program {
    /// Low addresses: a program that is not position-independent, and null pointers, whose use must fail where the program does it.
    const LOW: u64 = 8 << 30;
    /// Mappings closer to each other than this are in one window.
    const NEAR: u64 = 1 << 38;

    /// The windows, with that much room for new mappings, and an eighth of it behind the others, for heaps that grow up.
    pub fn windows(&self, room: u64) -> Vec<Window> {
        let mut mappings: Vec<_> =
            self.mappings.iter().filter(|(start, end)| *end > Program::LOW && *start < USER_END).collect();
        mappings.sort_unstable();
        let mut windows = alloc::vec![(0, Program::LOW)];
        let mut groups = mappings.chunk_by(|a, b| b.0.saturating_sub(a.1) < Program::NEAR).peekable();
        while let Some(group) = groups.next() {
            let start = group.iter().map(|m| m.0).min().unwrap_or(0);
            let end = group.iter().map(|m| m.1).max().unwrap_or(0);
            // The kernel goes down from the highest library or, if stacks are unlimited, up from the lowest one.
            let grows = (start..end).contains(&self.fresh);
            let down = if grows { room } else { 0 };
            let up = if groups.peek().is_none() { USER_END } else { end + room / 8 };
            windows.push((start.saturating_sub(down), up.min(USER_END)));
        }
        merge(windows.into_iter().map(|(start, end)| Window::around(start, end)).collect())
    }
}

/// Windows that touch are one.
fn merge(mut windows: Vec<Window>) -> Vec<Window> {
    windows.sort_unstable_by_key(|w| w.start);
    let mut merged: Vec<Window> = Vec::new();
    for window in windows {
        match merged.last_mut().filter(|last| window.start <= last.end) {
            Some(last) => last.end = last.end.max(window.end),
            None => merged.push(window),
        }
    }
    merged
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

    /// A layout for the program, and the windows that it is for: with as much room to grow as there can be.
    pub fn choose_for(program: &Program) -> Option<(Layout, Vec<Window>)> {
        const ROOMS: [u64; 4] = [6 << 40, 2 << 40, 1 << 40, 1 << 38];
        ROOMS.iter().find_map(|room| {
            let windows = program.windows(*room);
            Layout::choose(&windows).map(|layout| (layout, windows))
        })
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
            let mut starts: Vec<u64> = images().map(|i| i.start).collect();
            starts.sort_unstable();
            starts.windows(2).all(|pair| pair[0] != pair[1])
        }
    }
}
