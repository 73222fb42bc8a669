//! What happens to a mutex nearly always: it was used before, nothing is wrong with it, who takes it finds it free and who gives it back has it. What is to be said of a mutex is then known to
//! be nothing, and the rest takes a few hundred instructions, most of them for its cell and for the stamp of its use. Everything else is told by the functions one level up.

use super::{MutexState, Wished, give_read, give_write, held, take, tell_race};
use crate::access::{self, MEMORY};
use crate::deadlock;
use crate::sites::Note;
use crate::sync::{self, Cell, Object, Things};
use crate::thread::Thread;
use deadheat_finding::Hold as Mode;
use deadheat_shadow::{Access, Conflict, Detail, Mode as AccessMode};

/// A mutex is used: an atomic read of its first byte, which races only with its making and destruction; the race, if there is one.
/// That comes before whatever is learned from it: who locks a mutex must know that it was made without being told by the mutex itself.
#[inline(always)]
pub fn touch(thread: &mut Thread, detail: &mut Detail<Things>, offset: u64, pc: u64) -> Option<Conflict> {
    let Thread { state, placer, .. } = thread;
    placer.at(pc, Note::size(1));
    let access = Access { mode: AccessMode::AtomicRead, extent: access::extent(offset, 1) };
    detail.atomic(state, &MEMORY.sets, access, placer)
}

/// The cell of a mutex; nothing if it was not used before, or somebody else looks at it, or the thread does not look at all there is.
#[inline(always)]
fn open(thread: &Thread, address: u64) -> Option<Cell> {
    if thread.is_watched() { sync::open_at_once(address) } else { None }
}

#[inline(always)]
fn object(cell: &mut Cell, offset: u64) -> Option<&mut Object> {
    cell.detail().attached.object_if_any(offset as u8)
}

/// The thread has the mutex. False if nothing was done, or nothing that cannot be done again: it is not the usual case.
#[inline(always)]
pub fn takes(thread: &mut Thread, address: u64, mode: Mode, wished: Wished, pc: u64) -> bool {
    let offset = address & 7;
    let Some(mut cell) = open(thread, address) else { return false };
    let conflict = touch(thread, cell.detail(), offset, pc);
    let Some(object) = object(&mut cell, offset).filter(|o| o.mutex.is_sound() && o.mutex.owner.is_none())
    else {
        return false;
    };
    take(thread, object, mode, 1);
    let hold = held(thread, object, address, mode, pc);
    drop(cell);
    if wished == Wished::Now {
        deadlock::wants(thread, hold.serial, address, mode, pc);
    }
    tell_race(thread, address, conflict);
    thread.placer.took(hold, thread.state.latest());
    true
}

/// The thread gives the mutex back, which it holds in that mode as far as the caller knows. False as in [`takes`].
#[inline(always)]
pub fn gives(thread: &mut Thread, address: u64, mode: Option<Mode>, pc: u64) -> bool {
    let offset = address & 7;
    let Some(mut cell) = open(thread, address) else { return false };
    let conflict = touch(thread, cell.detail(), offset, pc);
    let Some(object) = object(&mut cell, offset).filter(|o| o.mutex.is_sound()) else { return false };
    let MutexState { owner, depth, readers, .. } = object.mutex;
    let is_last = || thread.placer.held().last().is_some_and(|h| h.mutex == address && h.mode == Mode::Read);
    if owner == Some(thread.id) && depth == 1 && mode != Some(Mode::Read) {
        give_write(thread, object);
    } else if owner.is_none() && readers > 0 && is_last() {
        give_read(thread, object);
    } else {
        return false;
    }
    drop(cell);
    thread.goes_on();
    tell_race(thread, address, conflict);
    thread.placer.gave(address, thread.state.latest());
    true
}
