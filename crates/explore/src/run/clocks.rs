//! Vector clocks of the steps of a run, in one flat table that is emptied and filled again.

use deadheat_trace::Tid;

/// A row for each step: how many steps of each thread happen before it, itself included; and the row under way.
pub(crate) struct Clocks {
    width: usize,
    rows: Vec<u32>,
    current: Vec<u32>,
}

impl Default for Clocks {
    fn default() -> Clocks {
        Clocks { width: 4, rows: Vec::new(), current: vec![0; 4] }
    }
}

impl Clocks {
    /// Forgets all rows.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
    }

    /// Makes room for that many threads.
    #[inline]
    pub(crate) fn widen(&mut self, threads: u32) {
        if threads as usize > self.width {
            self.widen_to(threads.next_power_of_two() as usize);
        }
    }

    #[cold]
    fn widen_to(&mut self, width: usize) {
        let mut rows = Vec::with_capacity(self.rows.len() / self.width * width);
        for row in self.rows.chunks_exact(self.width) {
            rows.extend_from_slice(row);
            rows.resize(rows.len() + width - self.width, 0);
        }
        self.rows = rows;
        self.current.resize(width, 0);
        self.width = width;
    }

    /// A new row, all zero.
    #[inline]
    pub(crate) fn start(&mut self) {
        self.current.fill(0);
    }

    /// The row under way knows what that step knows.
    #[inline]
    pub(crate) fn join(&mut self, step: u32) {
        let row = &self.rows[step as usize * self.width..][..self.width];
        for (mine, theirs) in self.current.iter_mut().zip(row) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// What the row under way knows of a thread.
    #[inline]
    pub(crate) fn get(&self, tid: Tid) -> u32 {
        self.current[tid.index()]
    }

    /// Sets what the row under way knows of a thread.
    #[inline]
    pub(crate) fn set(&mut self, tid: Tid, count: u32) {
        self.current[tid.index()] = count;
    }

    /// The row under way is that of the next step.
    #[inline]
    pub(crate) fn push(&mut self) {
        self.rows.extend_from_slice(&self.current);
    }

    /// The row of a step.
    #[inline]
    pub(crate) fn row(&self, step: u32) -> &[u32] {
        &self.rows[step as usize * self.width..][..self.width]
    }
}
