//! Numbers for threads, channels and locks that are the same in every schedule.
//!
//! A thread is known by its parent and its rank among the parent's children, a channel by its maker and its rank, an object's lock by the object's address. The
//! numbers are given out in the order in which they are first asked for, once for all clones of a machine.

use super::memory::Address;
use crate::ast::Type;
use crate::code::Code;
use deadheat_trace::{ChanId, LockId, Tid};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Who is who.
#[derive(Clone, Debug)]
pub struct Roster {
    /// For each global cell that is a lock its number, else [`NOT_A_LOCK`].
    globals: Arc<Vec<u32>>,
    shared: Arc<Mutex<Shared>>,
    /// What this clone has asked for before: no need to take the lock.
    children: Vec<Vec<Tid>>,
    channels: Vec<Vec<ChanId>>,
}

const NOT_A_LOCK: u32 = u32::MAX;

#[derive(Debug, Default)]
struct Shared {
    threads: Numbers<(Tid, u32)>,
    channels: Numbers<(Tid, u32)>,
    locks: Numbers<Address>,
}

#[derive(Debug)]
struct Numbers<K> {
    of: HashMap<K, u32>,
    keys: Vec<K>,
}

impl<K> Default for Numbers<K> {
    fn default() -> Numbers<K> {
        Numbers { of: HashMap::new(), keys: Vec::new() }
    }
}

impl<K: Copy + Eq + std::hash::Hash> Numbers<K> {
    fn number(&mut self, key: K) -> u32 {
        let Numbers { of, keys } = self;
        *of.entry(key).or_insert_with(|| {
            keys.push(key);
            (keys.len() - 1) as u32
        })
    }
}

impl Roster {
    /// Main is thread 0; the mutexes among the globals are the first locks.
    pub fn new(code: &Code) -> Roster {
        let mut shared = Shared::default();
        shared.threads.number((Tid(0), u32::MAX));
        let mut globals = vec![NOT_A_LOCK; code.initial.len()];
        for global in &code.globals {
            let element = match &global.ty {
                Type::Inline(element, _) => element,
                ty => ty,
            };
            if *element == Type::Mutex {
                for cell in global.offset..global.offset + global.cells {
                    globals[cell as usize] = shared.locks.number(Address::global(cell));
                }
            }
        }
        let shared = Arc::new(Mutex::new(shared));
        Roster { globals: Arc::new(globals), shared, children: Vec::new(), channels: Vec::new() }
    }

    /// The `rank`th child of `parent`.
    pub fn child(&mut self, parent: Tid, rank: u32) -> Tid {
        let shared = &self.shared;
        known(&mut self.children, parent, rank, |rank| {
            Tid(shared.lock().unwrap_or_else(PoisonError::into_inner).threads.number((parent, rank)))
        })
    }

    /// The `rank`th channel that `maker` makes.
    pub fn channel(&mut self, maker: Tid, rank: u32) -> ChanId {
        let shared = &self.shared;
        known(&mut self.channels, maker, rank, |rank| {
            ChanId(shared.lock().unwrap_or_else(PoisonError::into_inner).channels.number((maker, rank)))
        })
    }

    /// The lock in that cell.
    #[inline]
    pub fn lock(&self, at: Address) -> LockId {
        match at.as_global().and_then(|cell| self.globals.get(cell as usize)) {
            Some(&number) if number != NOT_A_LOCK => LockId(number),
            _ => LockId(self.shared.lock().unwrap_or_else(PoisonError::into_inner).locks.number(at)),
        }
    }

    /// The cell of that lock.
    pub fn lock_cell(&self, lock: LockId) -> Option<Address> {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.locks.keys.get(lock.index()).copied()
    }

    /// Who makes that channel, and the how-manieth of theirs it is.
    pub fn maker(&self, chan: ChanId) -> Option<(Tid, u32)> {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.channels.keys.get(chan.index()).copied()
    }
}

/// The entry for that rank, made together with those before it if it is new.
fn known<T: Copy>(of: &mut Vec<Vec<T>>, tid: Tid, rank: u32, make: impl FnMut(u32) -> T) -> T {
    if of.len() <= tid.index() {
        of.resize_with(tid.index() + 1, Vec::new);
    }
    let row = &mut of[tid.index()];
    let have = row.len() as u32;
    row.extend((have..=rank).map(make));
    row[rank as usize]
}
