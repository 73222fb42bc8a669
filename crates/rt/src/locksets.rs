//! Sets of mutexes that were held together, each a number, so that an access can say what it held.

use crate::os::Mutex;
use crate::sites::{Note, SITES, Site};
use alloc::vec::Vec;
use deadheat_finding::Hold as Mode;

/// A mutex that a thread holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hold {
    /// Its address.
    pub mutex: u64,
    /// Alone or with others.
    pub mode: Mode,
    /// Where it was taken: hardly anybody asks, so there is no site of it yet.
    pub pc: u64,
    /// The site of the caller of the function that took it.
    pub caller: Site,
    /// Its number among all mutexes that ever were.
    pub serial: u32,
    /// The number of the set that it is by itself, if that was asked for when it was taken.
    pub alone: Option<u32>,
}

impl Hold {
    /// Where it was taken.
    pub fn site(&self) -> Site {
        SITES.intern(self.caller, self.pc, Note::CALL)
    }

    /// Of the mutex and how it is held.
    #[inline]
    pub fn hash(&self) -> u64 {
        hash(self.serial, self.mode)
    }
}

/// Of a mutex and how it is held or asked for. Numbers of mutexes are never used again, so it means the same for ever. The sum of several is the hash of a set.
#[inline]
pub fn hash(serial: u32, mode: Mode) -> u64 {
    let x = ((serial as u64) << 1 | mode as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// A mutex of a set: its address, and below that whether it is held for reading.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Member(u64);

impl Member {
    fn new(mutex: u64, mode: Mode) -> Member {
        Member(mutex << 1 | (mode == Mode::Read) as u64)
    }
}

/// More sets than this are not told apart: reports then leave the mutexes of the earlier access out.
pub const MOST: usize = 1 << 20;

struct Table {
    /// Numbers of sets, a hash table without links, at most half full: a set is in the place that its hash says, or behind it. Zero: none.
    places: Vec<u32>,
    /// The members of all sets, one set after the other, each in order.
    members: Vec<Member>,
    /// Where those of each set end.
    ends: Vec<u32>,
}

static TABLE: Mutex<Table> = Mutex::new(Table::new());

/// The number of the set of these mutexes; zero for none.
pub fn intern(held: &[Hold]) -> u32 {
    const FEW: usize = 16;
    let (mut few, mut many) = ([Member(0); FEW], Vec::new());
    let set = match few.get_mut(..held.len()) {
        Some(few) => few,
        None => {
            many.resize(held.len(), Member(0));
            &mut many[..]
        }
    };
    set.iter_mut().zip(held).for_each(|(member, hold)| *member = Member::new(hold.mutex, hold.mode));
    set.sort_unstable();
    let mut count = 0;
    for i in 0..set.len() {
        if count == 0 || set[i] != set[count - 1] {
            set[count] = set[i];
            count += 1;
        }
    }
    if count == 0 { 0 } else { TABLE.lock().number(&set[..count]) }
}

/// As [`intern`], of one mutex.
#[cold]
#[inline(never)]
pub fn alone(mutex: u64, mode: Mode) -> u32 {
    TABLE.lock().number(&[Member::new(mutex, mode)])
}

impl Table {
    const FIRST: usize = 64;

    const fn new() -> Table {
        Table { places: Vec::new(), members: Vec::new(), ends: Vec::new() }
    }

    /// The members of the set of that number.
    fn set(&self, number: u32) -> &[Member] {
        let index = number as usize - 1;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.members[start as usize..self.ends[index] as usize]
    }

    /// Where the set is in the table, or would be.
    fn place(&self, set: &[Member]) -> usize {
        let mix =
            |all: u64, member: &Member| (all ^ member.0).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let hash = set.iter().fold(0, mix);
        let last = self.places.len() - 1;
        let mut at = (hash ^ hash >> 32) as usize & last;
        while self.places[at] != 0 && self.set(self.places[at]) != set {
            at = (at + 1) & last;
        }
        at
    }

    /// The number of a set that has members, in order.
    fn number(&mut self, set: &[Member]) -> u32 {
        if self.ends.len() * 2 >= self.places.len() {
            self.places = alloc::vec![0; (self.places.len() * 2).max(Table::FIRST)];
            for number in 1..=self.ends.len() as u32 {
                let at = self.place(self.set(number));
                self.places[at] = number;
            }
        }
        let at = self.place(set);
        if self.places[at] == 0 && self.ends.len() < MOST {
            self.members.extend_from_slice(set);
            self.ends.push(self.members.len() as u32);
            self.places[at] = self.ends.len() as u32;
        }
        self.places[at]
    }
}

/// How many sets there are.
pub fn count() -> usize {
    TABLE.lock().ends.len()
}

/// The mutexes of the set of that number, and how they were held.
pub fn members(number: u32) -> Vec<(u64, Mode)> {
    let table = TABLE.lock();
    if number == 0 || number as usize > table.ends.len() {
        return Vec::new();
    }
    let mode = |member: &Member| if member.0 & 1 != 0 { Mode::Read } else { Mode::Write };
    table.set(number).iter().map(|member| (member.0 >> 1, mode(member))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hold(mutex: u64, mode: Mode) -> Hold {
        Hold { mutex, mode, pc: 1, caller: Site(1), serial: 1, alone: None }
    }

    #[test]
    fn a_set_has_one_number_in_any_order() {
        let (a, b, c) =
            (hold(0x7fff_0000_1000, Mode::Write), hold(0x1010, Mode::Write), hold(0x1010, Mode::Read));
        let numbers = [&[a][..], &[b], &[c], &[a, b], &[a, c], &[b, c]].map(intern);
        assert!((0..numbers.len()).all(|i| numbers[i] != 0 && !numbers[..i].contains(&numbers[i])));
        assert_eq!([alone(a.mutex, Mode::Write), alone(c.mutex, Mode::Read)], [numbers[0], numbers[2]]);
        assert_eq!((intern(&[]), intern(&[b, a]), intern(&[c, a, c])), (0, numbers[3], numbers[4]));
        assert_eq!(members(numbers[4]), [(c.mutex, Mode::Read), (a.mutex, Mode::Write)]);
        assert!(members(0).is_empty() && members(u32::MAX).is_empty() && count() >= numbers.len());
    }

    #[test]
    fn many_sets_and_large_ones_are_told_apart() {
        let all: Vec<Hold> = (0..1000).map(|i| hold(0x2000 + i * 8, Mode::Write)).collect();
        let numbers: Vec<u32> = (1..all.len()).map(|i| intern(&all[i.saturating_sub(i % 30)..=i])).collect();
        for (i, number) in (1..).zip(&numbers) {
            let set = &all[i - i % 30..=i];
            assert_eq!(intern(set), *number);
            assert!(members(*number).iter().map(|(mutex, _)| *mutex).eq(set.iter().map(|hold| hold.mutex)));
        }
    }
}
