//! Blocks of granules that are told once: nothing is lost or made up when they are folded, changed and unfolded, by however many threads.

use deadheat_online::{Clock, Pair, Slot, VarState, Word, pair, set_unfold};
use deadheat_shadow::{Access, Block, Mode, told, unfold};
use std::array::from_fn;
use std::thread;

const CELLS: usize = 64;

/// As the layout puts them.
#[repr(align(1024))]
struct Cells([VarState; CELLS]);

impl Cells {
    fn new(lanes: [Pair; 2]) -> Box<Cells> {
        set_unfold(unfold);
        let cells = Box::new(Cells([const { VarState::new() }; CELLS]));
        cells.0.iter().enumerate().for_each(|(i, cell)| put(cell, lanes[i % 2]));
        cells
    }

    fn block(&self) -> Block<'_> {
        // SAFETY: these are all cells of a block.
        unsafe { Block::of(&self.0[CELLS / 2]) }
    }

    /// What each of them holds, which takes its lock.
    fn held(&self) -> [Pair; CELLS] {
        from_fn(|i| {
            let held = self.0[i].lock();
            self.0[i].unlock(held.w);
            held
        })
    }
}

fn put(cell: &VarState, pair: Pair) {
    cell.lock();
    cell.set_r(pair.r);
    cell.unlock(pair.w);
}

fn word(slot: u32, clock: u64) -> Word {
    Word::new(Slot(slot), Clock(clock), Word::WHOLE)
}

const EVEN: Pair = Pair { w: Word::new(Slot(1), Clock(2), 0xff), r: Word::NONE };
const ODD: Pair = Pair { w: Word::new(Slot(1), Clock(3), 0xff), r: Word::new(Slot(4), Clock(5), 0xff) };

#[test]
fn who_locks_a_cell_finds_what_it_held() {
    for cell in [0, 1, 2, 3, 31, 63] {
        let cells = Cells::new([EVEN, ODD]);
        assert!(!cells.block().is_folded());
        assert!(cells.block().fold([EVEN, ODD], pair::replace));
        assert!(cells.block().is_folded());
        assert_eq!(cells.0[cell].lock_at_once(), None);
        assert_eq!(cells.0[cell].lock(), if cell % 2 == 0 { EVEN } else { ODD });
        assert!(!cells.block().fold([EVEN, ODD], pair::replace), "one is locked");
        cells.0[cell].unlock(Word::NONE);
        let held = cells.held();
        assert!((0..CELLS).filter(|i| *i != cell).all(|i| held[i] == if i % 2 == 0 { EVEN } else { ODD }));
        assert!(held[cell].w.is_none(), "what was changed is not put back");
    }
}

#[test]
fn a_block_is_not_folded_unless_all_tell_the_same_of_whole_granules() {
    let other = Pair { w: word(7, 7), ..ODD };
    for cell in [0, 1, 40, 63] {
        let cells = Cells::new([EVEN, ODD]);
        put(&cells.0[cell], other);
        let before = cells.held();
        assert!(!cells.block().fold([EVEN, ODD], pair::replace));
        assert!(!cells.block().is_folded());
        assert_eq!(cells.held(), before);
    }
    let part = |word: Word| word.with_extent(0x0f);
    for odd in [
        Pair { w: part(ODD.w), ..ODD },
        Pair { r: part(ODD.r), ..ODD },
        Pair { r: Word(Word::SPECIAL | 1), ..ODD },
    ] {
        let cells = Cells::new([EVEN, odd]);
        assert!(!cells.block().fold([EVEN, odd], pair::replace), "{odd:?}");
        assert_eq!(cells.held(), from_fn(|i| if i % 2 == 0 { EVEN } else { odd }));
    }
}

#[test]
fn lanes_change_together_or_not_at_all() {
    let cells = Cells::new([EVEN, ODD]);
    let block = cells.block();
    assert!(!block.change([0, 1], Some), "it is not folded");
    assert!(block.fold([EVEN, ODD], pair::replace));
    let new = Pair { w: word(9, 9), r: word(8, 8) };
    assert!(block.change([1], |old| (old == ODD).then_some(new)));
    assert!(!block.change([0, 1], |old| (old == EVEN).then_some(ODD)), "the second has something against it");
    assert!(!block.change([0], |_| Some(Pair { w: word(9, 9).with_extent(1), ..EVEN })));
    let mut is_busy = false;
    block.change([0], |old| {
        is_busy = !unfold(&cells.0[5], false) && !block.change([0], Some);
        Some(old)
    });
    assert!(is_busy && block.is_folded());
    assert_eq!(cells.held(), from_fn(|i| if i % 2 == 0 { EVEN } else { new }));
}

#[test]
fn a_thread_finds_its_own_accesses() {
    let cells = Cells::new([EVEN, ODD]);
    assert!(cells.block().fold([EVEN, ODD], pair::replace));
    let told = |cell: usize, epoch, mode, extent| told(&cells.0[cell], epoch, Access { mode, extent });
    // Slot 1 wrote all, the even ones at 2 and the odd ones at 3; slot 4 read the odd ones at 5.
    for (cell, epoch, mode, is_told) in [
        (0, word(1, 2), Mode::Write, true),
        (62, word(1, 2), Mode::Read, true),
        (62, word(1, 3), Mode::Write, false),
        (63, word(1, 3), Mode::Write, true),
        (1, word(4, 5), Mode::Read, true),
        (1, word(4, 5), Mode::Write, false),
        (1, word(4, 6), Mode::Read, false),
        (0, word(4, 5), Mode::Read, false),
    ] {
        assert_eq!(
            told(cell, epoch, mode, 0x3c),
            if is_told { 0x3c } else { 0 },
            "{cell} {epoch:?} {mode:?}"
        );
    }
    let rest = |cell: usize, epoch| Block::rest_since(&cells.0[cell], epoch, Mode::Read);
    assert_eq!((rest(0, word(1, 2)), rest(60, word(1, 2)), rest(0, word(1, 3))), (64, 4, 0));
    assert!(cells.block().is_folded(), "to look changes nothing");
    unfold(&cells.0[9], false);
    assert_eq!((rest(0, word(1, 2)), told(63, word(1, 3), Mode::Write, 0xff)), (0, 0xff));
}

/// Whoever was busy with it is no more, or the first cell was cleared for the next owner of the memory: the others do not stay locked.
#[test]
fn nobody_waits_for_ever() {
    let cells = Cells::new([EVEN, ODD]);
    assert!(cells.block().fold([EVEN, ODD], pair::replace));
    cells.block().change([0], |_| {
        assert!(unfold(&cells.0[5], true));
        assert_eq!(cells.0[5].seen(), ODD);
        None
    });

    let cells = Cells::new([EVEN, ODD]);
    assert!(cells.block().fold([EVEN, ODD], pair::replace));
    cells.0[0].clear();
    assert_eq!(cells.held(), [Pair::default(); CELLS]);
}

/// Threads count in the clocks of both words of all cells: one cell at a time under its lock or without it, or all at once, folding and unfolding as they go. No step is lost.
#[test]
fn no_update_is_lost() {
    const STEPS: u64 = 6_000;
    const THREADS: u64 = 4;
    let next = |p: Pair| Pair { w: Word(p.w.0 + 1), r: Word(p.r.0 + 1) };
    let first = Pair { w: word(1, 1), r: word(2, 1) };
    let cells = Cells::new([first; 2]);
    let each = |thread: u64| {
        let mut folded = 0;
        for step in 0..STEPS {
            match (step + thread) % 8 {
                0 => cells.0.iter().for_each(|cell| put_next(cell, next)),
                1 => {
                    for cell in &cells.0 {
                        let seen = cell.seen();
                        let is_word = (seen.w.0 | seen.r.0) & Word::OTHER == 0;
                        if !(is_word && pair::replace(cell, seen, next(seen))) {
                            put_next(cell, next);
                        }
                    }
                }
                _ => {
                    let seen = [0, 1].map(|i| cells.0[i].seen());
                    folded += cells.block().fold(seen, pair::replace) as u64;
                    if !cells.block().change([0, 1], |old| Some(next(old))) {
                        cells.0.iter().for_each(|cell| put_next(cell, next));
                    }
                }
            }
        }
        folded
    };
    let folded: u64 = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|t| scope.spawn(move || each(t))).collect();
        threads.into_iter().map(|t| t.join().expect("no thread fails")).sum()
    });
    let all = Pair { w: word(1, 1 + THREADS * STEPS), r: word(2, 1 + THREADS * STEPS) };
    assert_eq!(cells.held(), [all; CELLS]);
    assert!(folded > 0);
}

fn put_next(cell: &VarState, next: impl Fn(Pair) -> Pair) {
    let new = next(cell.lock());
    cell.set_r(new.r);
    cell.unlock(new.w);
}
