//! 512 bytes of memory as 64 granules, most of which have one cell.

use deadheat_trace::Span;
use std::collections::BTreeMap;

/// Bytes of memory on a page. 512 keeps a page of VerifiedFT's 64-byte cells at about 4 KiB of detector memory.
pub(super) const PAGE_BYTES: u64 = 512;
const GRANULES: usize = (PAGE_BYTES / 8) as usize;

/// Which bytes of a granule its one cell covers: offset in the high half, length in the low half.
#[inline]
pub(super) fn shape(offset: u8, len: u8) -> u8 {
    offset << 4 | len
}

/// No cell yet.
const EMPTY: u8 = 0;
/// More than one cell: they are in `split`.
const SPLIT: u8 = u8::MAX;

/// The cells of one page. The shapes stand together: one cache line answers whether an access fits, for the whole page.
#[derive(Clone)]
pub(super) struct Page<C> {
    number: u64,
    shapes: [u8; GRANULES],
    cells: [C; GRANULES],
    /// Granule to its cells, for those that have several.
    split: BTreeMap<usize, Vec<Part<C>>>,
}

/// A cell of a granule that has several: bytes `[lo, hi)`.
#[derive(Clone)]
struct Part<C> {
    lo: u8,
    hi: u8,
    state: C,
}

impl<C: Clone + Default> Page<C> {
    pub(super) fn new(number: u64) -> Page<C> {
        Page {
            number,
            shapes: [EMPTY; GRANULES],
            cells: std::array::from_fn(|_| C::default()),
            split: BTreeMap::new(),
        }
    }

    /// The one cell of exactly these bytes, which start on this page.
    #[inline(always)]
    pub(super) fn exact(&mut self, span: Span) -> Option<&mut C> {
        let granule = (span.addr.0 / 8) as usize % GRANULES;
        // An access that reaches beyond the granule has a shape that no cell has.
        let fits = span.size <= 8 && self.shapes[granule] == shape((span.addr.0 % 8) as u8, span.size as u8);
        fits.then(|| &mut self.cells[granule])
    }

    /// The cells of `[lo, hi)`, which lies on this page, made and split as needed.
    pub(super) fn visit(&mut self, lo: u64, hi: u64, f: &mut dyn FnMut(Span, &mut C)) {
        self.pieces(lo, hi, |page, granule, from, to| page.visit_granule(granule, from, to, f));
    }

    /// The bytes of `[lo, hi)` are untouched again.
    pub(super) fn clear(&mut self, lo: u64, hi: u64) {
        self.pieces(lo, hi, |page, granule, from, to| {
            if (from, to) == (0, 8) {
                page.put(granule, Vec::new());
            } else if page.shapes[granule] != EMPTY {
                page.visit_granule(granule, from, to, &mut |_, cell| *cell = C::default());
            }
        });
    }

    pub(super) fn each_cell(&mut self, f: &mut dyn FnMut(&mut C)) {
        let inline = self.cells.iter_mut().zip(&self.shapes).filter(|(_, s)| !matches!(**s, EMPTY | SPLIT));
        inline.for_each(|(c, _)| f(c));
        self.split.values_mut().flatten().for_each(|p| f(&mut p.state));
    }

    /// Calls `f` with each granule of `[lo, hi)` and the bytes of it that are inside.
    fn pieces(&mut self, lo: u64, hi: u64, mut f: impl FnMut(&mut Self, usize, u8, u8)) {
        let mut at = lo;
        while at < hi {
            let word = at & !7;
            let end = hi.min(word + 8);
            f(self, (word / 8) as usize % GRANULES, (at - word) as u8, (end - word) as u8);
            at = end;
        }
    }

    fn visit_granule(&mut self, granule: usize, lo: u8, hi: u8, f: &mut dyn FnMut(Span, &mut C)) {
        let word = self.number * PAGE_BYTES + 8 * granule as u64;
        let mut parts = split_at(split_at(self.take(granule), lo), hi);
        fill_gaps(&mut parts, lo, hi);
        for part in parts.iter_mut().filter(|p| lo <= p.lo && p.hi <= hi) {
            f(Span::new(word + u64::from(part.lo), u64::from(part.hi - part.lo)), &mut part.state);
        }
        self.put(granule, parts);
    }

    /// The cells of a granule, in order, taken out.
    fn take(&mut self, granule: usize) -> Vec<Part<C>> {
        match std::mem::replace(&mut self.shapes[granule], EMPTY) {
            EMPTY => Vec::new(),
            SPLIT => self.split.remove(&granule).unwrap_or_default(),
            shape => {
                let (lo, len) = (shape >> 4, shape & 15);
                vec![Part { lo, hi: lo + len, state: std::mem::take(&mut self.cells[granule]) }]
            }
        }
    }

    /// These are the cells of the granule now.
    fn put(&mut self, granule: usize, mut parts: Vec<Part<C>>) {
        self.take(granule);
        match (parts.pop(), parts.is_empty()) {
            (None, _) => {}
            (Some(only), true) => {
                self.shapes[granule] = shape(only.lo, only.hi - only.lo);
                self.cells[granule] = only.state;
            }
            (Some(last), false) => {
                parts.push(last);
                self.shapes[granule] = SPLIT;
                self.split.insert(granule, parts);
            }
        }
    }
}

/// Splits the cell that has byte `at` inside in two before it.
fn split_at<C: Clone>(mut parts: Vec<Part<C>>, at: u8) -> Vec<Part<C>> {
    if let Some(i) = parts.iter().position(|p| p.lo < at && at < p.hi) {
        let tail = Part { lo: at, ..parts[i].clone() };
        parts[i].hi = at;
        parts.insert(i + 1, tail);
    }
    parts
}

/// Puts untouched cells where `[lo, hi)` has none.
fn fill_gaps<C: Default>(parts: &mut Vec<Part<C>>, lo: u8, hi: u8) {
    let mut at = lo;
    while at < hi {
        let next = parts.iter().position(|p| p.hi > at);
        let end = next.map_or(hi, |i| hi.min(parts[i].lo.max(at)));
        if end > at {
            parts.insert(next.unwrap_or(parts.len()), Part { lo: at, hi: end, state: C::default() });
            at = end;
        } else if let Some(i) = next {
            at = parts[i].hi;
        }
    }
}
