//! Address to state, byte-precise: what each byte of the program's memory remembers.
//!
//! A *cell* is a run of bytes with the same history, and so with one state. An access that covers part of a cell splits
//! it: both parts start with a copy of its state, which is exactly their history. Cells never merge. Two threads that write
//! neighbouring bytes of one word therefore do not meet, and an 8-byte read meets a 1-byte write inside it.
//!
//! Three layers keep this fast and small:
//! - a *granule* is an aligned word of 8 bytes; nearly all have one cell, and nearly all accesses fit it exactly;
//! - a [`Page`] is 64 granules, made on first touch and found by number;
//! - accesses of whole pages that nobody touched closely (a freed block, a cleared array) are kept as long runs beside
//!   the pages, so that no access costs more than its neighbourhood, whatever its size.

mod page;
mod runs;

use deadheat_trace::Span;
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use page::{PAGE_BYTES, Page};
use runs::Runs;

/// The states of all memory that was ever touched; `C` is what a cell remembers, its default an untouched byte.
#[derive(Clone)]
pub struct Memory<C> {
    pages: Vec<Box<Page<C>>>,
    /// Page number to index in `pages`.
    directory: HashMap<u64, u32, RandomState>,
    /// Pages found lately, number and index, each at its number modulo [`RECENT`].
    recent: Box<[(u64, u32); RECENT]>,
    /// States of whole pages that are not in `pages`.
    runs: Runs<C>,
}

/// Threads work on a few pages each: this many are found without a hash, in 16 KiB that stay in the first-level cache.
const RECENT: usize = 1024;

/// No page has this number: addresses end long before.
const NO_PAGE: (u64, u32) = (u64::MAX, 0);

impl<C> Default for Memory<C> {
    fn default() -> Memory<C> {
        let directory = HashMap::with_hasher(RandomState::default());
        Memory { pages: Vec::new(), directory, recent: Box::new([NO_PAGE; RECENT]), runs: Runs::default() }
    }
}

impl<C: Clone + Default> Memory<C> {
    /// The one cell of exactly these bytes, if there is one: the common case, in a few instructions.
    #[inline(always)]
    pub fn exact(&mut self, span: Span) -> Option<&mut C> {
        let at = self.find(span.addr.0 / PAGE_BYTES)?;
        self.pages[at as usize].exact(span)
    }

    /// Calls `f` for each cell of these bytes, after making and splitting cells so that they cover just these.
    pub fn visit(&mut self, span: Span, f: &mut dyn FnMut(Span, &mut C)) {
        let (lo, hi) = (span.addr.0, span.end());
        let (inner_lo, inner_hi) = (lo.next_multiple_of(PAGE_BYTES), hi / PAGE_BYTES * PAGE_BYTES);
        if inner_lo >= inner_hi {
            return self.visit_closely(lo, hi, f);
        }
        self.visit_closely(lo, inner_lo, f);
        let mut at = inner_lo;
        for number in self.page_numbers(inner_lo, inner_hi) {
            let page_lo = number * PAGE_BYTES;
            self.runs.visit(at, page_lo, f);
            self.visit_closely(page_lo, page_lo + PAGE_BYTES, f);
            at = page_lo + PAGE_BYTES;
        }
        self.runs.visit(at, inner_hi, f);
        self.visit_closely(inner_hi, hi, f);
    }

    /// These bytes are untouched again.
    pub fn clear(&mut self, span: Span) {
        let (lo, hi) = (span.addr.0, span.end());
        for number in self.page_numbers(lo, hi) {
            let at = self.directory[&number] as usize;
            self.pages[at].clear(lo.max(number * PAGE_BYTES), hi.min((number + 1) * PAGE_BYTES));
        }
        self.runs.clear(lo, hi);
    }

    /// Calls `f` for the state of every cell.
    pub fn each_cell(&mut self, f: &mut dyn FnMut(&mut C)) {
        self.pages.iter_mut().for_each(|p| p.each_cell(f));
        self.runs.each_cell(f);
    }

    /// The cells of `[lo, hi)`, on pages that are made if they are missing.
    fn visit_closely(&mut self, lo: u64, hi: u64, f: &mut dyn FnMut(Span, &mut C)) {
        let mut at = lo;
        while at < hi {
            let end = hi.min((at / PAGE_BYTES + 1) * PAGE_BYTES);
            self.page(at / PAGE_BYTES).visit(at, end, f);
            at = end;
        }
    }

    #[inline(always)]
    fn find(&mut self, number: u64) -> Option<u32> {
        let slot = number as usize % RECENT;
        if self.recent[slot].0 == number {
            return Some(self.recent[slot].1);
        }
        self.look_up(number)
    }

    #[inline(never)]
    fn look_up(&mut self, number: u64) -> Option<u32> {
        let at = *self.directory.get(&number)?;
        self.recent[number as usize % RECENT] = (number, at);
        Some(at)
    }

    fn page(&mut self, number: u64) -> &mut Page<C> {
        let at = match self.find(number) {
            Some(at) => at as usize,
            None => {
                let mut page = Box::new(Page::new(number));
                let lo = number * PAGE_BYTES;
                for (run_lo, run_hi, state) in self.runs.overlapping(lo, lo + PAGE_BYTES) {
                    page.visit(run_lo, run_hi, &mut |_, cell| *cell = state.clone());
                }
                self.pages.push(page);
                let at = self.pages.len() - 1;
                self.directory.insert(number, at as u32);
                at
            }
        };
        &mut self.pages[at]
    }

    /// The numbers of the pages that exist and have bytes in `[lo, hi)`, in order.
    fn page_numbers(&self, lo: u64, hi: u64) -> Vec<u64> {
        let range = lo / PAGE_BYTES..hi.div_ceil(PAGE_BYTES);
        if range.end - range.start <= self.directory.len() as u64 {
            return range.filter(|n| self.directory.contains_key(n)).collect();
        }
        let mut numbers: Vec<u64> = self.directory.keys().copied().filter(|n| range.contains(n)).collect();
        numbers.sort_unstable();
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte's state is the list of accesses that covered it since the last clear. To look at a byte may split its cell, and changes no state.
    fn byte(memory: &mut Memory<Vec<u32>>, at: u64) -> Vec<u32> {
        let mut state = Vec::new();
        memory.visit(Span::new(at, 1), &mut |_, c| state.push(c.clone()));
        assert_eq!(state.len(), 1, "a byte has one cell");
        state.remove(0)
    }

    /// All small spans in all orders of three, against one list per byte.
    #[test]
    fn cells_split_like_bytes() {
        let spans: Vec<(u64, u64)> =
            [(0, 8), (0, 4), (4, 4), (3, 2), (7, 1), (6, 4), (500, 30), (504, 1600), (1024, 512), (0, 3000)]
                .into();
        let ops: Vec<(u64, u64, bool)> = spans
            .iter()
            .map(|&(a, n)| (a, n, false))
            .chain([(5, 2, true), (512, 1024, true), (600, 700, true)])
            .collect();
        for first in &ops {
            for second in &ops {
                for third in &ops {
                    let (mut memory, mut plain) = (Memory::<Vec<u32>>::default(), vec![Vec::new(); 3000]);
                    for (i, &(addr, size, clear)) in [first, second, third].into_iter().enumerate() {
                        let covered = &mut plain[addr as usize..(addr + size) as usize];
                        if clear {
                            memory.clear(Span::new(addr, size));
                            covered.iter_mut().for_each(Vec::clear);
                        } else {
                            memory.visit(Span::new(addr, size), &mut |_, c| c.push(i as u32));
                            covered.iter_mut().for_each(|c| c.push(i as u32));
                        }
                    }
                    for at in [
                        0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 499, 500, 503, 504, 511, 512, 1023, 1024, 1535, 1536,
                        2103, 2104, 2999,
                    ] {
                        assert_eq!(byte(&mut memory, at), plain[at as usize], "byte {at}");
                    }
                }
            }
        }
    }

    #[test]
    fn visits_cover_the_span_once() {
        let mut memory = Memory::<u8>::default();
        for (addr, size) in [(16, 8), (18, 3), (12, 600), (1, 5000)] {
            let mut seen = Vec::new();
            memory.visit(Span::new(addr, size), &mut |s, _| seen.push((s.addr.0, s.end())));
            assert_eq!(seen.first().unwrap().0, addr);
            assert_eq!(seen.last().unwrap().1, addr + size);
            assert!(seen.windows(2).all(|w| w[0].1 == w[1].0), "{seen:?}");
        }
    }

    /// First one that would show in the number of pages, then one that would never end.
    #[test]
    fn a_huge_access_is_cheap() {
        let mut memory = Memory::<u8>::default();
        memory.visit(Span::new(8, 8), &mut |_, c| *c = 1);
        memory.visit(Span::new(1 << 50, 1 << 24), &mut |_, c| *c += 1);
        assert_eq!(memory.pages.len(), 1);
        memory.visit(Span::new(0, Span::MAX_SIZE), &mut |_, c| *c += 1);
        assert_eq!(memory.pages.len(), 1);
        assert_eq!(memory.exact(Span::new(8, 8)).copied(), Some(2));
        let state = |memory: &Memory<u8>, addr: u64| {
            let (mut memory, mut states) = (memory.clone(), Vec::new());
            // The first makes a page, the others find it.
            for at in [addr, addr, addr + 4] {
                memory.visit(Span::new(at, 4), &mut |_, c| states.push(*c));
            }
            states
        };
        assert_eq!([state(&memory, 1 << 50), state(&memory, 1 << 49)], [[2; 3], [1; 3]]);
        memory.clear(Span::new(0, Span::MAX_SIZE));
        assert_eq!(state(&memory, 1 << 50), [0; 3]);
    }

    /// Alone in its granule, beside others in it, or in a run.
    #[test]
    fn each_cell_is_seen_once() {
        let mut memory = Memory::<u8>::default();
        for (i, (addr, size)) in (1..).zip([(0, 8), (20, 2), (32, 4), (36, 4), (1024, 1024)]) {
            memory.visit(Span::new(addr, size), &mut |_, c| *c = i);
        }
        let mut seen = Vec::new();
        memory.each_cell(&mut |c| seen.push(*c));
        seen.sort_unstable();
        assert_eq!(seen, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn exact_finds_only_what_fits() {
        let mut memory = Memory::<u8>::default();
        memory.visit(Span::new(64, 4), &mut |_, _| ());
        assert!(memory.exact(Span::new(64, 4)).is_some());
        for (addr, size) in [(64, 8), (64, 2), (68, 4), (62, 4), (4096, 4), (64, 256 + 4)] {
            let other = Span::new(addr, size);
            assert!(memory.exact(other).is_none(), "{other:?}");
        }
        memory.visit(Span::new(65, 1), &mut |_, _| ());
        assert!(memory.exact(Span::new(64, 4)).is_none());
    }
}
