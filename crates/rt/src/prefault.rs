//! Cells that are about to be used for the first time: their memory is asked for some pages at a time where a thread goes through the program's memory from front to back.
//!
//! Otherwise each page costs two faults: who looks at a cell gets a page of zeroes that all share, and who then writes to it gets one of its own, for which all processors that run the program are
//! interrupted. That made up to a sixth of a run.

use crate::os::{self, Advice};
use deadheat_online::{Pair, VarState};

/// The first cell of a page, and nothing in it: perhaps nobody has used that page.
#[inline(always)]
pub(crate) fn may_be_new(cell: &VarState, seen: Pair) -> bool {
    (seen.w.0 | seen.r.0) == 0 && (&raw const *cell as usize).is_multiple_of(os::PAGE)
}

/// Where a thread has lately used cells for the first time.
pub struct Prefault {
    latest: [usize; Prefault::ROOM],
    next: usize,
}

impl Prefault {
    const ROOM: usize = 8;
    /// Bytes of cells that are asked for at once.
    const PIECE: usize = 128 * 1024;

    pub(crate) const fn new() -> Prefault {
        Prefault { latest: [0; Prefault::ROOM], next: 0 }
    }

    /// The cell is used for the first time.
    #[inline]
    pub(crate) fn touch(&mut self, cell: &VarState) {
        let piece = &raw const *cell as usize / Prefault::PIECE;
        if !self.latest.contains(&piece) {
            self.go_on(piece);
        }
    }

    #[cold]
    #[inline(never)]
    fn go_on(&mut self, piece: usize) {
        if let Some(stream) = self.latest.iter_mut().find(|latest| **latest + 1 == piece) {
            *stream = piece;
            // SAFETY: it erases nothing. Where the kernel does not know it, or cannot, pages come one by one as ever.
            let _ = unsafe { os::madvise(piece * Prefault::PIECE, Prefault::PIECE, Advice::PopulateWrite) };
            return;
        }
        self.latest[self.next] = piece;
        self.next = (self.next + 1) % Prefault::ROOM;
    }
}
