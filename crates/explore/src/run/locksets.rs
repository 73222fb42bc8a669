//! Sets of locks that threads hold, as numbers.

use deadheat_trace::{LockId, Op};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// A set of locks held; 0 is the empty one. The same number in all runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Lockset(u32);

/// A lock held: its number, twice, plus one if as a reader.
type Hold = u32;

/// All sets that ever were.
pub(crate) struct Locksets {
    sets: Vec<Vec<Hold>>,
    numbers: HashMap<Vec<Hold>, u32, FixedState>,
    scratch: Vec<Hold>,
}

impl Default for Locksets {
    fn default() -> Locksets {
        let numbers = [(Vec::new(), 0)].into_iter().collect();
        Locksets { sets: vec![Vec::new()], numbers, scratch: Vec::new() }
    }
}

/// What one thread holds, once for each time it took it.
#[derive(Clone, Default)]
pub(crate) struct Held {
    holds: Vec<Hold>,
    /// How often it held the lock that a wait gave back.
    waited: u32,
    pub set: Lockset,
}

impl Held {
    pub(crate) fn clear(&mut self) {
        self.holds.clear();
        self.set = Lockset::default();
    }
}

fn exclusive(m: LockId) -> Hold {
    m.0 << 1
}

impl Locksets {
    /// Takes and gives back what the operation says.
    pub(crate) fn apply(&mut self, held: &mut Held, op: Op) {
        match op {
            Op::Acquire(m) => held.holds.push(exclusive(m)),
            Op::AcquireShared(m) => held.holds.push(exclusive(m) | 1),
            Op::Release(m) => give_back(held, exclusive(m)),
            Op::ReleaseShared(m) => give_back(held, exclusive(m) | 1),
            Op::Wait(_, m) => {
                let before = held.holds.len();
                held.holds.retain(|&h| h != exclusive(m));
                held.waited = (before - held.holds.len()) as u32;
            }
            Op::Woken(_, m) => {
                let again = held.waited.max(1) as usize;
                held.holds.extend(std::iter::repeat_n(exclusive(m), again));
            }
            _ => return,
        }
        held.set = self.number(&held.holds);
    }

    fn number(&mut self, holds: &[Hold]) -> Lockset {
        if holds.is_empty() {
            return Lockset(0);
        }
        self.scratch.clear();
        self.scratch.extend_from_slice(holds);
        self.scratch.sort_unstable();
        self.scratch.dedup();
        if let Some(&n) = self.numbers.get(&self.scratch) {
            return Lockset(n);
        }
        let n = self.sets.len() as u32;
        self.sets.push(self.scratch.clone());
        self.numbers.insert(self.scratch.clone(), n);
        Lockset(n)
    }

    /// Is there a lock that both hold, and not both as readers?
    #[inline]
    pub(crate) fn protect(&self, a: Lockset, b: Lockset) -> bool {
        if a.0 == 0 || b.0 == 0 {
            return false;
        }
        let (a, b) = (&self.sets[a.0 as usize], &self.sets[b.0 as usize]);
        a.iter().any(|&x| b.iter().any(|&y| x >> 1 == y >> 1 && x & y & 1 == 0))
    }
}

fn give_back(held: &mut Held, hold: Hold) {
    if let Some(at) = held.holds.iter().rposition(|&h| h == hold) {
        held.holds.remove(at);
    }
}
