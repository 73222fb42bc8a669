//! Vector clocks over slots, in blocks that are shared until they change.
//!
//! Threads learn from each other mostly in bulk: after an acquire two clocks agree on nearly all threads. Blocks of 32 entries with
//! reference counts make handing on a clock cost one count a block, and ten thousand threads that met under one lock share most of their blocks.
//!
//! Most programs have fewer threads than a block has entries. Then every clock has its block for itself, as a rule, and only as many entries of it as there are threads are looked at: a lock that
//! goes to and fro costs a handful of words, no memory and no count.

use crate::word::{Clock, Slot, Word};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{Ordering, fence};

const BLOCK: usize = 32;

/// What is known of so many slots.
#[derive(Clone, Debug)]
struct Block {
    /// Entries from here on are zero.
    used: usize,
    clocks: [u64; BLOCK],
}

impl Block {
    const NOTHING: Block = Block { used: 0, clocks: [0; BLOCK] };

    /// The entries of which anything is known.
    #[inline]
    fn known(&self) -> &[u64] {
        &self.clocks[..self.used.min(BLOCK)]
    }

    /// Knows what the other knows, and nothing else.
    fn copy(&mut self, other: &Block) {
        let known = other.known();
        self.clocks[..known.len()].copy_from_slice(known);
        if self.used > known.len() {
            self.clocks[known.len()..].fill(0);
        }
        self.used = known.len();
    }

    /// All that either knows. Says whether the other knew more of anybody.
    fn join(&mut self, other: &Block) -> bool {
        let known = other.known();
        let mut grows = false;
        for (mine, theirs) in self.clocks.iter_mut().zip(known) {
            grows |= *mine < *theirs;
            *mine = (*mine).max(*theirs);
        }
        self.used = self.used.max(known.len());
        grows
    }
}

/// What is known of every slot: the clock up to which its accesses happened before. Zero: nothing.
#[derive(Default, Debug)]
pub struct Clocks {
    blocks: Vec<Option<Arc<Block>>>,
}

impl Clone for Clocks {
    fn clone(&self) -> Clocks {
        Clocks { blocks: self.blocks.clone() }
    }

    /// Leaves alone what is shared already: a lock that goes to and fro costs no count for most blocks.
    fn clone_from(&mut self, other: &Clocks) {
        if let Some((mine, theirs)) = self.few(other) {
            return mine.copy(theirs);
        }
        self.blocks.resize(other.blocks.len(), None);
        for (mine, theirs) in self.blocks.iter_mut().zip(&other.blocks) {
            let same = match (&*mine, theirs) {
                (Some(a), Some(b)) => Arc::ptr_eq(a, b),
                (a, b) => a.is_none() && b.is_none(),
            };
            if !same {
                mine.clone_from(theirs);
            }
        }
    }
}

impl Clocks {
    /// Nothing known.
    pub const fn new() -> Clocks {
        Clocks { blocks: Vec::new() }
    }

    /// What is known of that slot.
    #[inline]
    pub fn get(&self, slot: Slot) -> Clock {
        let block = self.blocks.get(slot.0 as usize / BLOCK).and_then(Option::as_ref);
        Clock(block.map_or(0, |b| b.clocks[slot.0 as usize % BLOCK]))
    }

    /// That access happened before.
    pub fn covers(&self, word: Word) -> bool {
        word.clock() <= self.get(word.slot())
    }

    /// Nothing is known of anybody.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The slot is known up to that clock, or further if it was already.
    pub fn learn(&mut self, slot: Slot, clock: Clock) {
        if self.get(slot) >= clock {
            return;
        }
        let index = slot.0 as usize / BLOCK;
        if index >= self.blocks.len() {
            self.blocks.resize(index + 1, None);
        }
        let block = own_or_copy(self.blocks[index].get_or_insert_with(|| Arc::new(Block::NOTHING)));
        let entry = slot.0 as usize % BLOCK;
        block.clocks[entry] = clock.0;
        block.used = block.used.max(entry + 1);
    }

    /// Both blocks, if there are so few slots that there is one of each, and nobody else has this one.
    #[inline]
    fn few<'a>(&'a mut self, other: &'a Clocks) -> Option<(&'a mut Block, &'a Block)> {
        match (&mut *self.blocks, &*other.blocks) {
            ([Some(mine)], [Some(theirs)]) => Some((own(mine)?, theirs)),
            _ => None,
        }
    }

    /// The join ⊔: all that either knows. Says whether the other knew more of anybody.
    pub fn join(&mut self, other: &Clocks) -> bool {
        if let Some((mine, theirs)) = self.few(other) {
            return mine.join(theirs);
        }
        if self.blocks.len() < other.blocks.len() {
            self.blocks.resize(other.blocks.len(), None);
        }
        let mut grows = false;
        for (mine, theirs) in self.blocks.iter_mut().zip(&other.blocks) {
            let Some(theirs) = theirs else { continue };
            grows |= match mine {
                Some(mine) => join_block(mine, theirs),
                None => {
                    *mine = Some(theirs.clone());
                    true
                }
            };
        }
        grows
    }

    /// Calls `f` with every slot of which something is known.
    pub fn each(&self, mut f: impl FnMut(Slot, Clock)) {
        for (i, block) in self.blocks.iter().enumerate() {
            let Some(block) = block else { continue };
            for (j, clock) in block.known().iter().enumerate().filter(|(_, c)| **c != 0) {
                f(Slot((i * BLOCK + j) as u32), Clock(*clock));
            }
        }
    }
}

/// The block, if nobody else has it.
#[inline]
fn own(block: &mut Arc<Block>) -> Option<&mut Block> {
    (Arc::strong_count(block) == 1).then(|| own_or_copy(block))
}

/// The block, or a copy if somebody else has it.
#[inline]
fn own_or_copy(block: &mut Arc<Block>) -> &mut Block {
    if Arc::strong_count(block) != 1 {
        *block = Arc::new((**block).clone());
    }
    // Pairs with the release in which another clock has let go of it, which has read it before.
    fence(Ordering::Acquire);
    // SAFETY: this is the only reference: weak ones are never made, and only who has one could make another. (`Arc::make_mut` finds that out by atomic exchanges, every time.)
    unsafe { &mut *Arc::as_ptr(block).cast_mut() }
}

/// Takes the other block over if it knows more in every entry, so that sharing spreads. Says whether it knows more in any.
fn join_block(mine: &mut Arc<Block>, theirs: &Arc<Block>) -> bool {
    if Arc::ptr_eq(mine, theirs) {
        return false;
    }
    // Clocks are far from using all bits: what is less shows in the sign of a difference, and differences are taken several at once.
    const { assert!(Clock::LIMIT < 1 << 62) }
    let (mut behind, mut ahead) = (0, 0);
    for (a, b) in mine.clocks.iter().zip(&theirs.clocks) {
        behind |= a.wrapping_sub(*b);
        ahead |= b.wrapping_sub(*a);
    }
    let [behind, ahead] = [behind, ahead].map(|signs| signs >> 63 != 0);
    match (behind, ahead) {
        (false, _) => {}
        (true, false) => *mine = theirs.clone(),
        (true, true) => {
            own_or_copy(mine).join(theirs);
        }
    }
    behind
}

/// The most that any of several clocks knows of each slot. Blocks that clocks share are looked at once: none of them may change meanwhile.
#[derive(Default, Debug)]
pub struct Most {
    clocks: Vec<u64>,
    /// Blocks seen lately, by a hash of where they are.
    seen: Vec<usize>,
    looked_at: usize,
}

impl Most {
    const SEEN: usize = 4096;

    /// Nobody knows anything.
    pub fn new() -> Most {
        Most { clocks: Vec::new(), seen: alloc::vec![0; Most::SEEN], looked_at: 0 }
    }

    /// Somebody knows that.
    pub fn add(&mut self, known: &Clocks) {
        for (i, block) in known.blocks.iter().enumerate() {
            self.looked_at += 1;
            let Some(block) = block else { continue };
            let at = Arc::as_ptr(block) as usize;
            let seen = &mut self.seen[(at ^ (at >> 12)) / 16 % Most::SEEN];
            if core::mem::replace(seen, at) == at {
                continue;
            }
            self.reach(i * BLOCK + BLOCK);
            let most = &mut self.clocks[i * BLOCK..];
            most.iter_mut().zip(block.known()).for_each(|(most, clock)| *most = (*most).max(*clock));
        }
    }

    /// Somebody knows the slot up to that clock.
    pub fn learn(&mut self, slot: Slot, clock: Clock) {
        self.reach(slot.0 as usize + 1);
        let most = &mut self.clocks[slot.0 as usize];
        *most = (*most).max(clock.0);
    }

    /// The most that anybody knows of the slot.
    pub fn get(&self, slot: Slot) -> Clock {
        Clock(self.clocks.get(slot.0 as usize).copied().unwrap_or(0))
    }

    /// How many blocks were looked at, or passed over.
    pub fn looked_at(&self) -> usize {
        self.looked_at
    }

    fn reach(&mut self, length: usize) {
        if self.clocks.len() < length {
            self.clocks.resize(length, 0);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn clocks(known: &[u64]) -> Clocks {
        let mut clocks = Clocks::new();
        (0..).zip(known).for_each(|(slot, clock)| clocks.learn(Slot(slot), Clock(*clock)));
        clocks
    }

    /// More slots than a block has, few of them known or nearly all.
    fn known() -> impl Strategy<Value = Vec<u64>> {
        let sparse = prop::collection::vec(prop_oneof![4 => Just(0), 1 => 1..4u64], 0..80);
        prop_oneof![sparse, prop::collection::vec(1..4u64, 0..80)]
    }

    proptest! {
        #[test]
        fn as_plain_vectors(a in known(), b in known()) {
            let of = |all: &[u64], slot: usize| all.get(slot).copied().unwrap_or(0);
            let joined: Vec<u64> = (0..100).map(|slot| of(&a, slot).max(of(&b, slot))).collect();
            let mut clocks_a = clocks(&a);
            prop_assert_eq!(clocks_a.is_empty(), a.iter().all(|clock| *clock == 0));
            let mut most = Most::new();
            most.add(&clocks_a);
            most.add(&clocks(&b));
            most.add(&clocks_a);
            let grows = (0..100).any(|slot| of(&a, slot) < of(&b, slot));
            prop_assert_eq!(clocks_a.join(&clocks(&b)), grows);
            prop_assert!(!clocks_a.join(&clocks(&b)) && !clocks_a.join(&clocks(&a)));
            let mut copy = clocks(&b);
            copy.clone_from(&clocks_a);
            let mut listed = alloc::vec![0; joined.len()];
            copy.each(|slot, clock| listed[slot.0 as usize] = clock.0);
            for (slot, clock) in (0..).map(Slot).zip(&joined) {
                prop_assert_eq!(clocks_a.get(slot).0, *clock);
                prop_assert_eq!(most.get(slot).0, *clock);
                prop_assert_eq!(listed[slot.0 as usize], *clock);
            }
        }

        #[test]
        fn who_learns_all_shares_it_where_there_is_much(a in known(), more in known()) {
            let mut wise = clocks(&a);
            wise.join(&clocks(&more));
            let mut learner = clocks(&a);
            learner.join(&wise);
            if wise.blocks.len() == 1 {
                return Ok(());
            }
            for (block, slot) in learner.blocks.iter().zip((0..).step_by(BLOCK)) {
                let changed = (slot..slot + BLOCK as u32).any(|s| clocks(&a).get(Slot(s)) != wise.get(Slot(s)));
                let theirs = wise.blocks[slot as usize / BLOCK].as_ref();
                let shared = block.as_ref().zip(theirs).is_some_and(|(a, b)| Arc::ptr_eq(a, b));
                prop_assert_eq!(shared, changed);
            }
        }
    }

    #[test]
    fn blocks_that_are_shared_are_passed_over() {
        let (a, b) = (clocks(&[1, 2, 3]), clocks(&[3, 2, 1, 5]));
        let mut most = Most::new();
        [&a, &b, &a.clone()].into_iter().for_each(|known| most.add(known));
        most.learn(Slot(70), Clock(7));
        most.learn(Slot(70), Clock(6));
        assert_eq!((0..4).map(|slot| most.get(Slot(slot)).0).collect::<Vec<_>>(), [3, 2, 3, 5]);
        assert_eq!((most.looked_at(), most.get(Slot(70)), most.get(Slot(99))), (3, Clock(7), Clock(0)));
    }
}
