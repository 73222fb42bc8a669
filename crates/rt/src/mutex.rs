//! Mutexes and read-write locks: what they order, who holds them, and what goes wrong with them.

mod usual;

use crate::access;
use crate::deadlock;
use crate::locksets::{self, Hold};
use crate::record::{self, What};
use crate::report;
use crate::sites::{Note, Site};
use crate::sync::{self, Object};
use crate::thread::Thread;
use deadheat_finding::{Hold as Mode, Kind, ThreadId};
use deadheat_shadow::{Conflict, Mode as AccessMode};

/// Who holds a mutex, and what is known of it.
#[derive(Default, Debug)]
pub struct MutexState {
    /// The thread that holds it alone.
    pub owner: Option<ThreadId>,
    /// How many times its owner has locked it.
    pub depth: u32,
    /// How many hold it for reading.
    pub readers: u32,
    /// It was destroyed: to be told if it is used.
    pub destroyed: bool,
    /// How long it lives, as its annotations say.
    pub lifetime: Lifetime,
    /// A bug of it was told already: once is enough.
    told: bool,
    /// It may be part of the graph of orders.
    pub ordered: bool,
    /// The numbers of the sets of mutexes that it is by itself, held alone and for reading, if somebody has asked.
    alone: [Option<u32>; 2],
}

impl MutexState {
    /// It was not destroyed.
    #[inline(always)]
    fn is_sound(&self) -> bool {
        !self.destroyed
    }
}

/// How long a mutex lives.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Lifetime {
    /// Until it is destroyed.
    #[default]
    Usual,
    /// As long as the program: its destruction means nothing.
    Static,
    /// Certainly not as long as the program.
    NotStatic,
}

/// What a mutex does when its owner locks it again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Again {
    /// The owner waits for itself.
    Deadlocks,
    /// It counts how often.
    Counts,
    /// It says no, as it does to an unlock by others.
    Refuses,
}

/// What a mutex leaves behind when it is destroyed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Remains {
    /// Memory in which the C library itself knows a dead mutex again.
    Nothing,
    /// Memory in which only we know it.
    Mark,
}

fn created(pc: u64) -> impl FnOnce(&Thread) -> Site {
    move |thread| thread.placer.site(pc, Note::CALL)
}

/// A mutex is made at the address.
pub fn create(thread: &mut Thread, address: u64, lifetime: Lifetime, pc: u64) {
    sync::remove(address);
    if lifetime != Lifetime::Static {
        access::plain(thread, address, 1, AccessMode::Write, pc, Note::CALL);
    }
    sync::with(thread, address, created(pc), |_, o| o.mutex.lifetime = lifetime);
}

/// The mutex at the address is destroyed.
pub fn destroy(thread: &mut Thread, address: u64, remains: Remains, pc: u64) {
    destroy_refused(thread, address, pc);
    access::plain(thread, address, 1, AccessMode::Write, pc, Note::CALL);
    match remains {
        Remains::Nothing => drop(sync::remove(address)),
        Remains::Mark => sync::with(thread, address, created(pc), |_, o| {
            o.mutex = MutexState {
                destroyed: true,
                told: o.mutex.told,
                ordered: o.mutex.ordered,
                ..MutexState::default()
            };
            (o.clock, o.readers) = Default::default();
        }),
    }
}

/// The mutex at the address was to be destroyed, and perhaps is not, since somebody holds it.
pub fn destroy_refused(thread: &mut Thread, address: u64, pc: u64) {
    misuse(thread, address, pc, |m| match m {
        _ if m.destroyed => Some(Kind::UseOfDestroyedMutex),
        _ => (m.owner.is_some() || m.readers > 0).then_some(Kind::DestroyLocked),
    });
}

/// The C library says that there is no mutex at the address.
pub fn invalid(thread: &mut Thread, address: u64, pc: u64) {
    misuse(thread, address, pc, |_| Some(Kind::UseOfDestroyedMutex));
}

fn misuse(thread: &mut Thread, address: u64, pc: u64, bug: impl FnOnce(&MutexState) -> Option<Kind>) {
    let bug = sync::with(thread, address, |_| Site::NOWHERE, |_, o| wrong(o, bug));
    if let Some((kind, site)) = bug {
        report::mutex_bug(thread, kind, address, site, pc);
    }
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
pub fn before_lock(thread: &mut Thread, address: u64, mode: Mode, again: Again, pc: u64) {
    if thread.ignore_sync > 0 {
        return;
    }
    let wish = sync::with(thread, address, created(pc), |t, o| Wish::of(t, o, mode, again));
    wish.tell(thread, address, mode, pc);
}

/// When a thread has said that it wants the mutex that it has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wished {
    /// Before it waited for it: that was looked at.
    Before,
    /// It did not have to.
    Now,
}

/// What is to be said of a thread's wish for a mutex.
struct Wish {
    bug: Option<(Kind, Site)>,
    /// The mutex's number, if the thread may have to wait for it.
    serial: Option<u32>,
}

impl Wish {
    fn of(thread: &Thread, object: &mut Object, mode: Mode, again: Again) -> Wish {
        let mine = object.mutex.owner == Some(thread.id);
        let bug = wrong(object, |m| match mode {
            _ if m.destroyed => Some(Kind::UseOfDestroyedMutex),
            _ if !mine || again != Again::Deadlocks => None,
            Mode::Write => Some(Kind::DoubleLock),
            Mode::Read => Some(Kind::ReadLockMisuse),
        });
        Wish { bug, serial: (!mine).then_some(object.serial) }
    }

    /// Tells it; the thread does not have the mutex yet.
    #[inline]
    fn tell(self, thread: &mut Thread, address: u64, mode: Mode, pc: u64) {
        if let Some((kind, site)) = self.bug {
            report::mutex_bug(thread, kind, address, site, pc);
        }
        if let Some(serial) = self.serial {
            deadlock::wants(thread, serial, address, mode, pc);
        }
    }
}

/// Calls `f` with the mutex that is used; the race that its use is, if it is one.
fn using<R>(
    thread: &mut Thread,
    address: u64,
    pc: u64,
    f: impl FnOnce(&mut Thread, &mut Object) -> R,
) -> (R, Option<Conflict>) {
    let offset = address & 7;
    let _turn = if thread.ignore_reads == 0 { record::touched(thread, address, pc) } else { None };
    let mut cell = access::open(address);
    let detail = cell.detail();
    let mut conflict = None;
    if thread.ignore_reads == 0 {
        conflict = usual::touch(thread, detail, offset, pc);
    }
    let object = detail.attached.object(offset as u8, || created(pc)(thread));
    (f(thread, object), conflict)
}

/// Tells the race that the use of a mutex is, if it is one.
#[inline]
fn tell_race(thread: &mut Thread, address: u64, conflict: Option<Conflict>) {
    if let Some(conflict) = conflict {
        report::race(thread, address & !7, address, 1, AccessMode::AtomicRead, conflict);
    }
}

/// The thread has the mutex.
#[inline]
pub fn locked(thread: &mut Thread, address: u64, mode: Mode, pc: u64) {
    if !usual::takes(thread, address, mode, Wished::Before, pc) {
        taken(thread, address, mode, 1, None, pc);
    }
}

/// The thread has the mutex, and has locked it that many times at once.
pub fn locked_times(thread: &mut Thread, address: u64, mode: Mode, times: u32, pc: u64) {
    taken(thread, address, mode, times, None, pc);
}

/// The thread has the mutex, which it did not have to wait for: [`before_lock`] and [`locked`] in one.
#[inline]
pub fn locked_at_once(thread: &mut Thread, address: u64, mode: Mode, again: impl FnOnce() -> Again, pc: u64) {
    if !usual::takes(thread, address, mode, Wished::Now, pc) {
        taken(thread, address, mode, 1, Some(again()), pc);
    }
}

/// The thread has the mutex. `wished`: that it wanted it is yet to be looked at, and what the mutex does when its owner locks it again.
#[inline(never)]
fn taken(thread: &mut Thread, address: u64, mode: Mode, times: u32, wished: Option<Again>, pc: u64) {
    if thread.ignore_sync > 0 {
        return;
    }
    let turn = record::turn();
    let ((wish, taken, hold), conflict) = using(thread, address, pc, |t, o| {
        let wish = wished.map(|again| Wish::of(t, o, mode, again));
        (wish, take(t, o, mode, times), held(t, o, address, mode, pc))
    });
    if let Some(wish) = wish {
        wish.tell(thread, address, mode, pc);
    }
    tell_race(thread, address, conflict);
    if turn.is_some() {
        let what = match mode {
            Mode::Read => What::LockShared { lock: address },
            Mode::Write => What::Lock { lock: address },
        };
        (0..times).for_each(|_| drop(record::event(thread, pc, what)));
    }
    if taken {
        thread.placer.took(hold, thread.state.latest());
    }
}

/// What the thread will hold when it has taken the mutex.
#[inline(always)]
fn held(thread: &Thread, object: &mut Object, address: u64, mode: Mode, pc: u64) -> Hold {
    // Most are held by themselves, and looking for their sets by what they hold would take longer than all else there is to do with that.
    let alone = &mut object.mutex.alone[mode as usize];
    if alone.is_none() && thread.placer.held().is_empty() {
        *alone = Some(locksets::alone(address, mode));
    }
    let (caller, serial, alone) = (thread.placer.caller(), object.serial, *alone);
    Hold { mutex: address, mode, pc, caller, serial, alone }
}

/// The thread learns what the mutex knows, and has it. False if it had it already.
#[inline(always)]
fn take(thread: &mut Thread, object: &mut Object, mode: Mode, times: u32) -> bool {
    object.mutex.ordered = true;
    match mode {
        Mode::Read => {
            thread.state.acquire(&object.clock);
            object.mutex.readers += 1;
            true
        }
        Mode::Write if object.mutex.owner == Some(thread.id) => {
            object.mutex.depth += times;
            false
        }
        Mode::Write => {
            thread.state.acquire(&object.clock);
            if !object.readers.is_empty() {
                thread.state.acquire(&object.readers);
                object.readers.clear();
            }
            (object.mutex.owner, object.mutex.depth) = (Some(thread.id), times);
            true
        }
    }
}

/// The thread, which had the mutex alone, has it no longer; whoever has it next learns what it knows.
#[inline(always)]
fn give_write(thread: &mut Thread, object: &mut Object) {
    (object.mutex.owner, object.mutex.depth) = (None, 0);
    thread.state.release(&mut object.clock);
}

/// One of those who read gives the mutex back; whoever has it alone next learns what it knows.
#[inline(always)]
fn give_read(thread: &mut Thread, object: &mut Object) {
    object.mutex.readers = object.mutex.readers.saturating_sub(1);
    thread.state.release_join(&mut object.readers);
}

/// The thread says that it has a mutex of the program's own making: a bug if another thread has it too.
pub fn claimed(thread: &mut Thread, address: u64, mode: Mode, pc: u64) {
    let id = thread.id;
    let taken = |m: &MutexState| mode == Mode::Write && m.owner.is_some_and(|owner| owner != id);
    let bug = sync::with_existing(address, |o| wrong(o, |m| taken(m).then_some(Kind::DoubleLock))).flatten();
    if let Some((kind, site)) = bug {
        report::mutex_bug(thread, kind, address, site, pc);
    }
}

/// The thread is about to unlock the mutex, which it holds in that mode as far as the caller knows.
#[inline]
pub fn unlocking(
    thread: &mut Thread,
    address: u64,
    mode: Option<Mode>,
    again: impl FnOnce() -> Again,
    pc: u64,
) {
    if !usual::gives(thread, address, mode, pc) {
        unlocking_times(thread, address, mode, again(), 1, pc);
    }
}

/// The thread gives the mutex up altogether, however often it has locked it: how often that was.
pub fn unlocking_all(thread: &mut Thread, address: u64, pc: u64) -> u32 {
    unlocking_times(thread, address, Some(Mode::Write), Again::Counts, u32::MAX, pc)
}

#[inline(never)]
fn unlocking_times(
    thread: &mut Thread,
    address: u64,
    mode: Option<Mode>,
    again: Again,
    times: u32,
    pc: u64,
) -> u32 {
    if thread.ignore_sync > 0 {
        return 1;
    }
    let turn = record::turn();
    let mut what = None;
    let ((bug, left, given), conflict) = using(thread, address, pc, |t, o| {
        let mine = o.mutex.owner == Some(t.id);
        let is_read = |h: &Hold| h.mutex == address && h.mode == Mode::Read;
        let reads = !mine && t.placer.held().iter().any(is_read);
        let bug = wrong(o, |m| match m {
            _ if m.destroyed => Some(Kind::UseOfDestroyedMutex),
            _ if mine => (mode == Some(Mode::Read)).then_some(Kind::ReadUnlockMisuse),
            _ if reads => None,
            _ if m.owner.is_some() => Some(Kind::UnlockForeign),
            _ => (m.readers == 0).then_some(Kind::UnlockUnlocked),
        });
        let before = o.mutex.depth;
        if mine {
            what = Some(What::Unlock { lock: address });
            o.mutex.depth = before.saturating_sub(times);
            if o.mutex.depth == 0 {
                give_write(t, o);
            }
            return (bug, o.mutex.depth == 0, before - o.mutex.depth);
        }
        if reads || o.mutex.readers > 0 {
            // A read lock may be given back by another thread than the one that took it.
            what = Some(What::UnlockShared { lock: address });
            give_read(t, o);
        } else if again == Again::Deadlocks {
            // The mutex lets everybody unlock it, and so it is free now.
            (o.mutex.owner, o.mutex.depth) = (None, 0);
            t.state.release_join(&mut o.clock);
        }
        (bug, true, 1)
    });
    thread.refresh();
    tell_race(thread, address, conflict);
    if let (Some(_), Some(what)) = (&turn, what) {
        (0..given).for_each(|_| drop(record::event(thread, pc, what)));
    }
    if left {
        thread.placer.gave(address, thread.state.latest());
    }
    if let Some((kind, site)) = bug {
        report::mutex_bug(thread, kind, address, site, pc);
    }
    given
}

/// The thread holds the mutex alone.
pub fn is_owner(thread: &Thread, address: u64) -> bool {
    sync::with_existing(address, |o| o.mutex.owner == Some(thread.id)).unwrap_or(false)
}

/// Something other than a mutex is used that is made and destroyed like one: a condition, a semaphore, a barrier.
pub fn used(thread: &mut Thread, address: u64, pc: u64) {
    if thread.ignore_sync == 0 {
        access::mutex_touched(thread, address, pc);
    }
}

/// The last owner died with the mutex: the next one has it now, and it may be repaired.
pub fn owner_died(address: u64) {
    sync::with_existing(address, |o| (o.mutex.owner, o.mutex.depth) = (None, 0));
}

/// The thread ends with what it holds: whoever the kernel gives a robust mutex of its next comes after all that it did.
pub fn thread_ends(thread: &mut Thread) {
    for i in 0..thread.placer.held().len() {
        let Hold { mutex, mode, .. } = thread.placer.held()[i];
        if mode == Mode::Write {
            sync::with_existing(mutex, |o| thread.state.release(&mut o.clock));
        }
    }
}
