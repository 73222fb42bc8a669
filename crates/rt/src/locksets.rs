//! Sets of mutexes that were held together, each a number, so that an access can say what it held.

use crate::os::Mutex;
use crate::sites::Site;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use deadheat_finding::Hold as Mode;

/// A mutex that a thread holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hold {
    /// Its address.
    pub mutex: u64,
    /// Alone or with others.
    pub mode: Mode,
    /// Where it was taken.
    pub site: Site,
    /// Its number among all mutexes that ever were.
    pub serial: u32,
}

impl Hold {
    /// Of what a set of mutexes tells apart.
    pub fn hash(&self) -> u64 {
        let mixed = (self.mutex << 1 | (self.mode == Mode::Read) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }
}

type Set = Vec<(u64, u8)>;

/// More sets than this are not told apart: reports then leave the mutexes of the earlier access out.
pub const MOST: usize = 1 << 20;

struct Table {
    numbers: BTreeMap<Set, u32>,
    sets: Vec<Set>,
}

static TABLE: Mutex<Table> = Mutex::new(Table { numbers: BTreeMap::new(), sets: Vec::new() });

/// The number of the set of these mutexes; zero for none.
pub fn intern(held: &[Hold]) -> u32 {
    if held.is_empty() {
        return 0;
    }
    let mut set: Set = held.iter().map(|h| (h.mutex, (h.mode == Mode::Read) as u8)).collect();
    set.sort_unstable();
    set.dedup();
    let mut table = TABLE.lock();
    if let Some(number) = table.numbers.get(&set) {
        return *number;
    }
    if table.sets.len() >= MOST {
        return 0;
    }
    table.sets.push(set.clone());
    let number = table.sets.len() as u32;
    table.numbers.insert(set, number);
    number
}

/// How many sets there are.
pub fn count() -> usize {
    TABLE.lock().sets.len()
}

/// The mutexes of the set of that number, and how they were held.
pub fn members(number: u32) -> Vec<(u64, Mode)> {
    let table = TABLE.lock();
    let set = (number as usize).checked_sub(1).and_then(|i| table.sets.get(i));
    let mode = |reads| if reads == 1 { Mode::Read } else { Mode::Write };
    set.into_iter().flatten().map(|(mutex, reads)| (*mutex, mode(*reads))).collect()
}
