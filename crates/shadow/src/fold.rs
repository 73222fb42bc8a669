//! Blocks of granules that all tell the same, told once: what loops over arrays leave behind. An access to all of a block is then one step instead of one for each granule, and looks at one line of the
//! processor's cache instead of sixteen.
//!
//! A block has two *lanes*, its even and its odd granules: loops often go over every other element. The granules of a lane have the same W and the same R, which are accesses to whole granules, or none.
//! These are kept in the R of the first four cells, with a bit that no R has otherwise. The W of all cells are locked and say why ([`Word::FOLDED`]): whoever wants the lock of one has the block
//! *unfolded* first, and whoever looks without the lock finds nothing that he knows.
//!
//! **Discipline.** The W of the first cell is the lock of a folded block: [`RESTING`], or [`BUSY`] while somebody folds, unfolds or changes it. It is folded first and unfolded last. A thread
//! finds *its own* accesses of the current epoch without the lock: nobody else writes these, and the words of a lane are always in the same cells.

use crate::access::Mode;
use deadheat_online::{Pair, VarState, Word};

/// Cells of a block.
const CELLS: usize = 64;
/// Bytes of the program in a block, which begins at a multiple of it.
pub const BLOCK: u64 = 8 * CELLS as u64;

/// The W of all cells but the first.
const MEMBER: Word = Word(Word::FOLDED);
/// The W of the first cell.
const RESTING: Word = Word(Word::FOLDED | 1 << 4);
const BUSY: Word = Word(Word::FOLDED | 1 << 5);
/// In the R of a folded cell.
const KEPT: u64 = Word::LOCK;

/// The cells of a block, folded or not.
#[derive(Clone, Copy)]
pub struct Block<'a>(&'a [VarState; CELLS]);

impl<'a> Block<'a> {
    /// The block with that cell.
    ///
    /// # Safety
    /// All cells of the block are there, as the layout puts them.
    #[inline(always)]
    pub unsafe fn of(cell: &'a VarState) -> Block<'a> {
        let first = &raw const *cell as usize & !(size_of::<[VarState; CELLS]>() - 1);
        // SAFETY: as the caller promises.
        Block(unsafe { &*(first as *const [VarState; CELLS]) })
    }

    /// The block of a folded cell, and its lane.
    #[inline]
    pub(crate) fn folded(cell: &'a VarState) -> Option<(Block<'a>, usize)> {
        let lane = &raw const *cell as usize / size_of::<VarState>() % 2;
        // SAFETY: only cells of whole blocks are folded.
        cell.load_w().is_folded().then(|| (unsafe { Block::of(cell) }, lane))
    }

    /// It is told once for all granules, or about to be.
    #[inline(always)]
    pub fn is_folded(self) -> bool {
        self.0[0].load_w().is_folded()
    }

    /// Its first cell.
    #[inline(always)]
    pub fn first(self) -> &'a VarState {
        &self.0[0]
    }

    /// What a cell holds.
    pub fn seen(self, cell: usize) -> Pair {
        self.0[cell].seen()
    }

    /// A thread whose epoch began with that word has made the access to that lane in it, or has written what it reads.
    #[inline(always)]
    pub fn is_since(self, lane: usize, epoch: Word, mode: Mode) -> bool {
        let is_since = |cell: usize| Word(self.0[cell].load_r().0 ^ KEPT).is_since(epoch);
        is_since(2 * lane) || !mode.writes() && is_since(2 * lane + 1)
    }

    /// In a folded block of which all lanes are so ([`Block::is_since`]): how many cells there are from that one on. Else none.
    #[inline(never)]
    pub fn rest_since(cell: &VarState, epoch: Word, mode: Mode) -> usize {
        let all = |block: Block| (0..2).all(|lane| block.is_since(lane, epoch, mode));
        match Block::folded(cell) {
            Some((block, _)) if all(block) => {
                CELLS - &raw const *cell as usize / size_of::<VarState>() % CELLS
            }
            _ => 0,
        }
    }

    /// Changes what is told of some lanes, all or none of them. False if it is not folded, if somebody else is busy with it, or if it takes more.
    #[inline(always)]
    pub fn change<const N: usize>(
        self,
        lanes: [usize; N],
        mut new: impl FnMut(Pair) -> Option<Pair>,
    ) -> bool {
        if !self.take() {
            return false;
        }
        let (mut all, mut is_all) = ([Pair::default(); N], true);
        for (lane, to) in lanes.into_iter().zip(&mut all) {
            match new(self.lane(lane)) {
                Some(pair) if is_foldable(pair) => *to = pair,
                _ => is_all = false,
            }
        }
        if is_all {
            for (lane, Pair { w, r }) in lanes.into_iter().zip(all) {
                self.0[2 * lane].set_r(Word(w.0 | KEPT));
                self.0[2 * lane + 1].set_r(Word(r.0 | KEPT));
            }
        }
        self.0[0].unlock(RESTING);
        is_all
    }

    /// Folds the block if that is what its cells hold. False, and nothing is changed, if not. `replace` changes a cell from one value to another, if it holds that, as only who may change the block can.
    #[inline]
    pub fn fold(self, lanes: [Pair; 2], replace: impl Fn(&VarState, Pair, Pair) -> bool) -> bool {
        if !lanes.into_iter().all(is_foldable) {
            return false;
        }
        let kept = |i: usize| Word(KEPT | lanes.get(i / 2).map_or(0, |lane| [lane.w, lane.r][i % 2].0));
        let folds = |i: usize| {
            let w = if i == 0 { BUSY } else { MEMBER };
            replace(&self.0[i], lanes[i % 2], Pair { w, r: kept(i) })
        };
        if let Some(other) = (0..CELLS).find(|i| !folds(*i)) {
            self.restore(0..other, lanes);
            return false;
        }
        self.0[0].unlock(RESTING);
        true
    }

    /// Gets the lock, if the block is at rest.
    #[inline(always)]
    fn take(self) -> bool {
        self.0[0].load_w() == RESTING && self.0[0].replace_w(RESTING, BUSY)
    }

    /// What is kept of a lane; for the lock's holder.
    #[inline(always)]
    fn lane(self, lane: usize) -> Pair {
        let kept = |i: usize| Word(self.0[i].load_r().0 & !KEPT);
        Pair { w: kept(2 * lane), r: kept(2 * lane + 1) }
    }

    /// A program that uses what it has freed may fold a block while its first cell is cleared for the next owner: then nobody has the block's lock any more. The others are cleared too.
    #[cold]
    fn forgets(self, cell: &VarState) -> bool {
        // Nobody folds the block without the lock of its first cell.
        let Some(Pair { w, .. }) = self.0[0].lock_at_once() else { return false };
        let is_lost = cell.load_w() == MEMBER;
        if is_lost {
            cell.clear();
        }
        self.0[0].unlock(w);
        is_lost
    }

    /// Gives those cells what their lanes tell; for the lock's holder, who has it no more afterwards.
    fn restore(self, cells: core::ops::Range<usize>, lanes: [Pair; 2]) {
        for i in cells.rev() {
            self.0[i].set_r(lanes[i % 2].r);
            self.0[i].unlock(lanes[i % 2].w);
        }
    }
}

/// All that is told is of whole granules, and by words alone.
#[inline(always)]
fn is_foldable(pair: Pair) -> bool {
    let is_whole = |word: Word| word.is_none() || word.0 & Word::OTHER == 0 && word.extent() == Word::WHOLE;
    is_whole(pair.w) && is_whole(pair.r)
}

/// Unfolds the block of that cell, if it is folded. False if somebody else is busy with it; `anyway`: whoever that was is no more.
pub fn unfold(cell: &VarState, anyway: bool) -> bool {
    let Some((block, _)) = Block::folded(cell) else { return true };
    let is_taken = block.take() || anyway && block.is_folded();
    if is_taken {
        block.restore(0..CELLS, [0, 1].map(|lane| block.lane(lane)));
    }
    is_taken || block.forgets(cell)
}
