//! Mutexes and read-write locks: what they order, who holds them, and what goes wrong with them.

use crate::access;
use crate::deadlock;
use crate::locksets::Hold;
use crate::report;
use crate::sites::{Note, Site};
use crate::sync::{self, Object};
use crate::thread::Thread;
use deadheat_finding::{Hold as Mode, Kind, ThreadId};
use deadheat_shadow::Mode as Access;

/// Who holds a mutex, and what it is.
#[derive(Default, Debug)]
pub struct MutexState {
    /// The thread that holds it alone, and how many times.
    pub owner: Option<ThreadId>,
    /// How many times its owner has locked it.
    pub depth: u32,
    /// How many hold it for reading.
    pub readers: u32,
    /// Its owner may lock it again.
    pub recursive: bool,
    /// It was destroyed: to be told if it is used.
    pub destroyed: bool,
    /// A bug of it was told already: once is enough.
    pub told: bool,
    /// It is part of the graph of orders.
    pub ordered: bool,
}

/// How a lock was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// The caller would have waited.
    Wait,
    /// The caller would have gone on without it.
    Try,
}

fn created(pc: u64) -> impl FnOnce(&Thread) -> Site {
    move |thread| thread.placer.site(pc, Note::CALL)
}

/// A mutex is made at the address.
pub fn create(thread: &mut Thread, address: u64, recursive: bool, pc: u64) {
    sync::remove(address);
    access::plain(thread, address, 1, Access::Write, pc, Note::CALL);
    sync::with(thread, address, created(pc), |_, o| o.mutex.recursive = recursive);
}

/// The mutex at the address is destroyed.
pub fn destroy(thread: &mut Thread, address: u64, pc: u64) {
    let bug = sync::with(thread, address, created(pc), |_, o| {
        let bug = wrong(o, |m| {
            if m.destroyed {
                Some(Kind::UseOfDestroyedMutex)
            } else {
                (m.owner.is_some() || m.readers > 0).then_some(Kind::DestroyLocked)
            }
        });
        o.mutex = MutexState { destroyed: true, told: o.mutex.told, ..MutexState::default() };
        (o.clock, o.readers) = Default::default();
        bug
    });
    if let Some((kind, site)) = bug {
        report::mutex_bug(thread, kind, address, site, pc);
    }
    access::plain(thread, address, 1, Access::Write, pc, Note::CALL);
}

/// The first bug of a mutex, with where it was made.
fn wrong(object: &mut Object, bug: impl FnOnce(&MutexState) -> Option<Kind>) -> Option<(Kind, Site)> {
    if object.mutex.told {
        return None;
    }
    let kind = bug(&object.mutex)?;
    object.mutex.told = true;
    Some((kind, object.created))
}

/// The thread is about to wait for the mutex: the last moment to tell what may never return.
pub fn before_lock(thread: &mut Thread, address: u64, mode: Mode, pc: u64) {
    if thread.ignore_sync > 0 {
        return;
    }
    let id = thread.id;
    let (bug, serial) = sync::with(thread, address, created(pc), |_, o| {
        let mine = o.mutex.owner == Some(id);
        let bug = wrong(o, |m| match mode {
            _ if m.destroyed => Some(Kind::UseOfDestroyedMutex),
            Mode::Write if mine && !m.recursive => Some(Kind::DoubleLock),
            Mode::Read if mine => Some(Kind::ReadLockMisuse),
            _ => None,
        });
        (bug, (!mine).then(|| deadlock::number(o)))
    });
    if let Some((kind, site)) = bug {
        report::mutex_bug(thread, kind, address, site, pc);
    }
    if let Some(serial) = serial {
        deadlock::wants(thread, serial, address, pc);
    }
}

/// The thread has the mutex.
pub fn locked(thread: &mut Thread, address: u64, mode: Mode, asked: Asked, pc: u64) {
    if thread.ignore_sync > 0 {
        return;
    }
    access::mutex_touched(thread, address, pc);
    let id = thread.id;
    let (taken, serial) = sync::with(thread, address, created(pc), |t, o| {
        let taken = match mode {
            Mode::Read => {
                t.state.acquire(&o.clock);
                o.mutex.readers += 1;
                true
            }
            Mode::Write if o.mutex.owner == Some(id) => {
                o.mutex.depth += 1;
                false
            }
            Mode::Write => {
                t.state.acquire(&o.clock);
                t.state.acquire(&o.readers);
                o.readers.clear();
                (o.mutex.owner, o.mutex.depth) = (Some(id), 1);
                true
            }
        };
        (taken, o.serial)
    });
    let _ = asked;
    if taken {
        let site = thread.placer.site(pc, Note::CALL);
        thread.placer.took(Hold { mutex: address, mode, site, serial }, thread.state.now());
    }
}

/// The thread is about to unlock the mutex: how it held it, and whether that was the last time.
pub fn unlocking(thread: &mut Thread, address: u64, pc: u64) {
    if thread.ignore_sync > 0 {
        return;
    }
    access::mutex_touched(thread, address, pc);
    let id = thread.id;
    let reads = thread.placer.held().iter().any(|h| h.mutex == address && h.mode == Mode::Read);
    let (bug, given) = sync::with(thread, address, created(pc), |t, o| {
        let mine = o.mutex.owner == Some(id);
        let bug = wrong(o, |m| {
            if m.destroyed {
                Some(Kind::UseOfDestroyedMutex)
            } else if mine || reads {
                None
            } else if m.owner.is_some() {
                Some(Kind::UnlockForeign)
            } else {
                (m.readers == 0).then_some(Kind::UnlockUnlocked)
            }
        });
        let given = if mine {
            o.mutex.depth -= 1;
            if o.mutex.depth == 0 {
                o.mutex.owner = None;
                t.state.release(&mut o.clock);
            }
            o.mutex.depth == 0
        } else if reads || o.mutex.readers > 0 {
            // A read lock may be given back by another thread than the one that took it.
            o.mutex.readers = o.mutex.readers.saturating_sub(1);
            t.state.release_join(&mut o.readers);
            true
        } else {
            o.mutex.owner = None;
            t.state.release_join(&mut o.clock);
            false
        };
        (bug, given)
    });
    if given {
        thread.placer.gave(address, thread.state.now());
    }
    if let Some((kind, site)) = bug {
        report::mutex_bug(thread, kind, address, site, pc);
    }
}

/// The thread gives the mutex up altogether, however often it has locked it (a wait on a condition): how often that was.
pub fn unlock_all(thread: &mut Thread, address: u64, pc: u64) -> u32 {
    let id = thread.id;
    let depth = sync::with_existing(address, |o| {
        let mine = o.mutex.owner == Some(id);
        let depth = if mine { o.mutex.depth } else { 1 };
        if mine {
            o.mutex.depth = 1;
        }
        depth
    });
    unlocking(thread, address, pc);
    depth.unwrap_or(1)
}

/// The thread has the mutex again as often as it had before [`unlock_all`].
pub fn relock(thread: &mut Thread, address: u64, depth: u32, pc: u64) {
    locked(thread, address, Mode::Write, Asked::Wait, pc);
    let id = thread.id;
    sync::with_existing(address, |o| {
        if o.mutex.owner == Some(id) {
            o.mutex.depth = depth;
        }
    });
}

/// The last owner died with the mutex: the next one has it now, and it may be repaired.
pub fn owner_died(address: u64) {
    sync::with_existing(address, |o| (o.mutex.owner, o.mutex.depth) = (None, 0));
}
