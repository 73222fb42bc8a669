//! `malloc` and `free`: first fit, neighbours joined, so that freed memory is soon handed out again.

/// The heap's book-keeping; its cells are elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    /// Free runs of cells in order: start, length.
    free: Vec<(u32, u32)>,
    /// For each cell: 0 never handed out or free, else the length of the block that starts here, or [`INSIDE`].
    blocks: Vec<u32>,
    /// One more than the last cell ever handed out.
    top: u32,
    /// Is each cell handed out now?
    live: Vec<bool>,
}

/// A cell inside a block.
const INSIDE: u32 = u32::MAX;
/// The first cell: 0 would look like null.
const FIRST: u32 = 1;
/// The largest number of cells.
const MOST: u32 = 1 << 24;

/// What is the matter with an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bad {
    /// It was handed out once, and is free now.
    Freed,
    /// It was never handed out.
    Wild,
    /// It is inside a block, where only the block's start will do.
    Inside,
}

impl Heap {
    /// Everything is free.
    pub fn reset(&mut self) {
        self.free.clear();
        self.blocks.clear();
        self.live.clear();
        self.top = FIRST;
    }

    /// A block of so many cells, at least one.
    pub fn allocate(&mut self, cells: u32) -> Option<u32> {
        let cells = cells.max(1);
        let start = match self.free.iter().position(|&(_, length)| length >= cells) {
            Some(i) => {
                let (start, length) = self.free[i];
                match length == cells {
                    true => drop(self.free.remove(i)),
                    false => self.free[i] = (start + cells, length - cells),
                }
                start
            }
            None => {
                let start = self.top;
                self.top = self.top.checked_add(cells).filter(|top| *top <= MOST)?;
                self.blocks.resize(self.top as usize, 0);
                self.live.resize(self.top as usize, false);
                start
            }
        };
        let all = start as usize..(start + cells) as usize;
        self.live[all.clone()].fill(true);
        self.blocks[all].fill(INSIDE);
        self.blocks[start as usize] = cells;
        Some(start)
    }

    /// May that cell be used?
    #[inline]
    pub fn check(&self, cell: u32) -> Result<(), Bad> {
        match self.live.get(cell as usize) {
            Some(true) => Ok(()),
            Some(false) if cell >= FIRST => Err(Bad::Freed),
            _ => Err(Bad::Wild),
        }
    }

    /// Frees the block that starts there, and says how many cells it had.
    pub fn release(&mut self, start: u32) -> Result<u32, Bad> {
        self.check(start)?;
        let cells = self.blocks[start as usize];
        if cells == INSIDE {
            return Err(Bad::Inside);
        }
        let all = start as usize..(start + cells) as usize;
        self.live[all.clone()].fill(false);
        self.blocks[all].fill(0);
        let at = self.free.partition_point(|&(other, _)| other < start);
        self.free.insert(at, (start, cells));
        self.join(at);
        at.checked_sub(1).into_iter().for_each(|before| self.join(before));
        Ok(cells)
    }

    /// Makes one of the free run at `i` and the next if they touch.
    fn join(&mut self, i: usize) {
        if let [(start, length), (next, more), ..] = self.free[i..]
            && start + length == next
        {
            self.free[i].1 += more;
            self.free.remove(i + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_cells_are_handed_out_again_and_neighbours_join() {
        let mut heap = Heap::default();
        heap.reset();
        let blocks: Vec<u32> = (0..3).map(|_| heap.allocate(4).expect("room")).collect();
        assert_eq!(heap.release(blocks[0]), Ok(4));
        assert_eq!(heap.check(blocks[0]), Err(Bad::Freed));
        assert_eq!(heap.allocate(2), Some(blocks[0]), "a smaller block goes where the freed one was");
        assert_eq!(heap.release(blocks[1]), Ok(4));
        assert_eq!(heap.allocate(6), Some(blocks[0] + 2), "the rest and the neighbour have become one");
        assert_eq!(heap.check(blocks[2]), Ok(()));
    }

    #[test]
    fn bad_frees_are_told_apart() {
        let mut heap = Heap::default();
        heap.reset();
        let block = heap.allocate(3).expect("room");
        assert_eq!(heap.release(block + 1), Err(Bad::Inside));
        assert_eq!(heap.release(block), Ok(3));
        assert_eq!(heap.release(block), Err(Bad::Freed));
        assert_eq!(heap.release(block + 100), Err(Bad::Wild));
        assert_eq!(heap.release(0), Err(Bad::Wild));
    }

    #[test]
    fn there_is_an_end_to_it() {
        let mut heap = Heap::default();
        heap.reset();
        assert_eq!(heap.allocate(u32::MAX), None);
        assert!(heap.allocate(1).is_some());
    }
}
