//! Atomic loads that a thread has made lately, and that were looked at: the same one again in the same epoch has nothing to add as long as the detail of its granule is of the same version. Threads that
//! wait for a value ask for it all the time, some of them a fixed number of times: this is a handful of instructions, without a lock.

use crate::access;
use crate::tls::{self, offset};
use core::sync::atomic::{Ordering, fence};
use deadheat_online::Word;
use deadheat_shadow::Version;

/// How many of them a thread keeps.
const ROOM: usize = 8;

/// A load.
#[derive(Clone, Copy)]
struct Loaded {
    /// The address, and above it the size and whether it acquired: see [`key`].
    key: u64,
    version: Version,
    epoch: Word,
}

/// In a key: the load acquired.
const ACQUIRED: u64 = 1 << 63;

/// What is the same of equal loads.
#[inline(always)]
fn key(address: u64, size: u64, acquires: bool) -> u64 {
    address | size << 56 | if acquires { ACQUIRED } else { 0 }
}

/// The loads of a thread.
pub struct Loads([Loaded; ROOM]);

#[inline(always)]
fn place(address: u64) -> usize {
    ((address / 8) ^ (address / 512)) as usize % ROOM
}

impl Loads {
    /// None.
    pub const fn new() -> Loads {
        Loads([Loaded { key: 0, version: Version::NONE, epoch: Word::NONE }; ROOM])
    }

    /// That load, of a granule with that version, has nothing to add in this epoch.
    #[inline(always)]
    pub fn keep(&mut self, address: u64, size: u64, acquires: bool, version: Version, epoch: Word) {
        self.0[place(address)] = Loaded { key: key(address, size, acquires), version, epoch };
    }

    /// The load among them, if there is such a one, that acquired if this one does.
    #[inline(always)]
    fn find(&self, address: u64, size: u64, acquires: bool) -> Option<Loaded> {
        let last = self.0[place(address)];
        let either = if acquires { 0 } else { ACQUIRED };
        (last.key | either == key(address, size, acquires) | either).then_some(last)
    }
}

impl Default for Loads {
    fn default() -> Loads {
        Loads::new()
    }
}

/// Performs a load without the cell's lock, if it has nothing to add to the current thread's last one. The thread does not even enter the runtime: a handler of a signal may come in between anywhere. If
/// it begins an epoch, the load has to be looked at, and is not done yet as far as anybody knows.
#[inline(always)]
pub fn again<R>(address: u64, size: u64, acquires: bool, load: impl FnOnce() -> R) -> Option<R> {
    // What the fast paths go by: no epoch if something else is to be done with accesses than to check them.
    let epoch = tls::get::<{ offset::EPOCH }>();
    let thread = tls::thread();
    if thread.is_null() {
        return None;
    }
    // SAFETY: the current thread's object, which only it touches: nobody else, and nothing between here and the end of this statement.
    let last = unsafe { &(*thread).loads }.find(address, size, acquires)?;
    let cell = access::cell(address);
    let before = cell.seen();
    if last.epoch.0 != epoch || before.r != last.version.0 || before.w.is_locked() {
        return None;
    }
    let value = load();
    // What was stored before the look above is stored under the version that it saw; what comes after changes the version. Acquire: loads behind it are not made before it.
    fence(Ordering::Acquire);
    (cell.seen() == before && tls::get::<{ offset::EPOCH }>() == epoch).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deadheat_online::{Clock, Slot};

    #[test]
    fn a_load_is_found_by_what_it_did() {
        let mut loads = Loads::new();
        let (address, version) = (0x7fff_1234_5678, Version::numbered(9));
        let epoch = Word::new(Slot(3), Clock(4), Word::WHOLE);
        let found = |loads: &Loads, address, size, acquires| {
            loads.find(address, size, acquires).is_some_and(|l| (l.version, l.epoch) == (version, epoch))
        };
        loads.keep(address, 4, false, version, epoch);
        assert!(found(&loads, address, 4, false) && !found(&loads, address, 4, true));
        loads.keep(address, 4, true, version, epoch);
        assert!(found(&loads, address, 4, false) && found(&loads, address, 4, true));
        assert!(!found(&loads, address, 8, true) && !found(&loads, address + 4, 4, true));
        loads.keep(address + 4, 4, true, version, epoch);
        assert!(!found(&loads, address, 4, true), "the newest one of a place is kept");
        assert!(!found(&loads, 0, 0, false));
    }
}
