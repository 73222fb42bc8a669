//! A pool of vector clocks for one run: made as needed, forgotten together.

use deadheat_trace::Tid;

/// One clock of the pool; the first is ⊥ and stays so.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Row(u32);

impl Row {
    /// The clock of nothing.
    pub(crate) const BOTTOM: Row = Row(0);
}

/// The pool.
pub(crate) struct Rows {
    width: usize,
    clocks: Vec<u32>,
}

impl Default for Rows {
    fn default() -> Rows {
        Rows { width: 4, clocks: vec![0; 4] }
    }
}

impl Rows {
    /// Forgets all clocks.
    pub(crate) fn clear(&mut self) {
        self.clocks.truncate(self.width);
    }

    /// Makes room for a thread.
    #[inline]
    pub(crate) fn hold(&mut self, tid: Tid) {
        if tid.index() >= self.width {
            self.widen((tid.index() + 1).next_power_of_two());
        }
    }

    #[cold]
    fn widen(&mut self, width: usize) {
        let mut clocks = Vec::with_capacity(self.clocks.len() / self.width * width);
        for row in self.clocks.chunks_exact(self.width) {
            clocks.extend_from_slice(row);
            clocks.resize(clocks.len() + width - self.width, 0);
        }
        (self.clocks, self.width) = (clocks, width);
    }

    /// A new clock, all zero.
    #[inline]
    pub(crate) fn make(&mut self) -> Row {
        let row = Row((self.clocks.len() / self.width) as u32);
        self.clocks.resize(self.clocks.len() + self.width, 0);
        row
    }

    /// That clock, made if it is ⊥.
    #[inline]
    pub(crate) fn own(&mut self, row: &mut Row) -> Row {
        if *row == Row::BOTTOM {
            *row = self.make();
        }
        *row
    }

    #[inline]
    fn at(&self, row: Row) -> usize {
        row.0 as usize * self.width
    }

    /// How much of a thread it covers.
    #[inline]
    pub(crate) fn get(&self, row: Row, tid: u32) -> u32 {
        self.clocks[self.at(row) + tid as usize]
    }

    /// Sets how much of a thread it covers.
    #[inline]
    pub(crate) fn set(&mut self, row: Row, tid: u32, clock: u32) {
        let at = self.at(row) + tid as usize;
        self.clocks[at] = clock;
    }

    /// `into := into ⊔ from`.
    #[inline]
    pub(crate) fn join(&mut self, into: Row, from: Row) {
        let (into, from) = (self.at(into), self.at(from));
        // The width is a multiple of four: one vector instruction for programs with few threads.
        for i in (0..self.width).step_by(4) {
            let theirs: [u32; 4] = std::array::from_fn(|j| self.clocks[from + i + j]);
            let mine = &mut self.clocks[into + i..into + i + 4];
            for (m, t) in mine.iter_mut().zip(theirs) {
                *m = (*m).max(t);
            }
        }
    }

    /// `into := from`.
    #[inline]
    pub(crate) fn copy(&mut self, into: Row, from: Row) {
        let (into, from) = (self.at(into), self.at(from));
        self.clocks.copy_within(from..from + self.width, into);
    }

    /// `into := ⊥`.
    pub(crate) fn zero(&mut self, into: Row) {
        let at = self.at(into);
        self.clocks[at..at + self.width].fill(0);
    }
}
