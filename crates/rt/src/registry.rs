//! All threads: who they are, who created them, how they ended, and what their joiners will learn.

use crate::os::{self, Mutex};
use crate::record::{self, What};
use crate::sites::Site;
use crate::slots;
use crate::thread::Thread;
use alloc::collections::BTreeMap;
use alloc::string::String;
use deadheat_finding::{Life, ThreadId};
use deadheat_online::{Clock, LockState, Slot};

/// What reports say of a thread.
#[derive(Clone, Debug)]
pub struct Info {
    /// What the program calls it.
    pub name: String,
    /// The kernel's number for it; zero until it runs.
    pub os_tid: u64,
    /// Does it run?
    pub life: Life,
    /// Who created it.
    pub created_by: Option<ThreadId>,
    /// Where.
    pub created: Site,
    /// Its stack: first byte and the one behind the last.
    pub stack: (u64, u64),
    /// Its thread-local storage.
    pub tls: (u64, u64),
    /// Switched to by the program itself.
    pub fiber: bool,
    /// Nobody will join it.
    pub detached: bool,
}

/// What is left of a thread that has ended and may be joined.
struct Ended {
    clock: LockState,
    slot: Slot,
    released: Clock,
    used: Clock,
}

struct Registry {
    next: u32,
    threads: BTreeMap<u32, Info>,
    ended: BTreeMap<u32, Ended>,
    alive: u32,
}

static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { next: 0, threads: BTreeMap::new(), ended: BTreeMap::new(), alive: 0 });

/// Ended threads beyond so many are forgotten, the oldest first: reports then know only their number.
const KEPT: usize = 1 << 16;

/// A number for a new thread, and what is known of it so far.
pub fn announce(created_by: Option<ThreadId>, created: Site, detached: bool, fiber: bool) -> ThreadId {
    let mut registry = REGISTRY.lock();
    let id = registry.next;
    registry.next += 1;
    registry.alive += 1;
    if registry.alive == 2 {
        os::set_alone(false);
    }
    let info = Info {
        name: String::new(),
        os_tid: 0,
        life: Life::Running,
        created_by,
        created,
        stack: (0, 0),
        tls: (0, 0),
        fiber,
        detached,
    };
    registry.threads.insert(id, info);
    if registry.threads.len() > KEPT {
        let old = registry.threads.iter().find(|(id, i)| **id > 0 && i.life == Life::Finished && i.detached);
        if let Some(id) = old.map(|(id, _)| *id) {
            registry.threads.remove(&id);
        }
    }
    ThreadId(id)
}

/// A thread that was announced was not created after all.
pub fn withdraw(id: ThreadId) {
    let mut registry = REGISTRY.lock();
    registry.threads.remove(&id.0);
    registry.alive -= 1;
}

/// Changes what is known of a thread.
pub fn update(id: ThreadId, f: impl FnOnce(&mut Info)) {
    if let Some(info) = REGISTRY.lock().threads.get_mut(&id.0) {
        f(info);
    }
}

/// What is known of a thread.
pub fn info(id: ThreadId) -> Option<Info> {
    REGISTRY.lock().threads.get(&id.0).cloned()
}

/// How many threads are alive.
pub fn alive() -> u32 {
    REGISTRY.lock().alive
}

/// All that is known, while `f` looks at it.
pub fn each(mut f: impl FnMut(ThreadId, &Info)) {
    REGISTRY.lock().threads.iter().for_each(|(id, info)| f(ThreadId(*id), info));
}

/// Calls `f` with what each thread knew at its end that waits to be joined.
pub fn each_clock(f: impl FnMut(&LockState)) {
    REGISTRY.lock().ended.values().map(|ended| &ended.clock).for_each(f);
}

/// The current thread begins to run.
pub fn started(thread: &Thread, stack: (u64, u64), tls: (u64, u64)) {
    let tid = os::gettid() as u64;
    update(thread.id, |i| (i.os_tid, i.stack, i.tls) = (tid, stack, tls));
}

/// The current thread has ended; its object may go. What it knew waits for its joiner, unless it is detached.
pub fn finished(thread: &mut Thread) {
    let _turn = record::exit(thread);
    let slot = thread.state.slot();
    let mut clock = LockState::new();
    // What was released to somebody, before this last release to a joiner.
    let used = thread.state.now();
    let released = Clock(thread.state.epoch().clock().0 - 1).min(used);
    thread.state.release(&mut clock);
    let last = thread.state.now();
    let mut registry = REGISTRY.lock();
    registry.alive -= 1;
    let detached = registry.threads.get_mut(&thread.id.0).is_none_or(|info| {
        info.life = Life::Finished;
        info.detached
    });
    if detached {
        drop(registry);
        slots::leave(slot, released, used);
    } else {
        registry.ended.insert(thread.id.0, Ended { clock, slot, released, used: last });
    }
}

/// The current thread has joined that one, by a call from there: it knows what it knew.
pub fn joined(thread: &mut Thread, id: ThreadId, pc: u64) {
    let ended = {
        let mut registry = REGISTRY.lock();
        if let Some(info) = registry.threads.get_mut(&id.0) {
            info.detached = true;
        }
        registry.ended.remove(&id.0)
    };
    if let Some(ended) = ended {
        let _turn = record::event(thread, pc, What::Join { child: id.0 });
        thread.state.acquire(&ended.clock);
        thread.refresh();
        slots::leave(ended.slot, ended.used, ended.used);
    }
}

/// Nobody will join that thread.
pub fn detached(id: ThreadId) {
    let ended = {
        let mut registry = REGISTRY.lock();
        if let Some(info) = registry.threads.get_mut(&id.0) {
            info.detached = true;
        }
        registry.ended.remove(&id.0)
    };
    if let Some(ended) = ended {
        slots::leave(ended.slot, ended.released, ended.used);
    }
}

/// The thread has ended and waits to be joined.
pub fn has_ended(id: ThreadId) -> bool {
    REGISTRY.lock().ended.contains_key(&id.0)
}

/// After `fork`, in the child: only the thread that called it is left.
pub fn after_fork(id: ThreadId) {
    let mut registry = REGISTRY.lock();
    registry.alive = 1;
    for (other, info) in registry.threads.iter_mut().filter(|(other, _)| **other != id.0) {
        let _ = other;
        info.life = Life::Finished;
        info.detached = true;
    }
    if let Some(info) = registry.threads.get_mut(&id.0) {
        info.os_tid = os::gettid() as u64;
    }
}

/// Holds the registry still during `fork`.
pub fn lock_all() {
    REGISTRY.lock_raw();
}

/// Lets it go again.
///
/// # Safety
/// This thread, or the one whose copy it is, must have called [`lock_all`].
pub unsafe fn unlock_all() {
    // SAFETY: as the caller promises.
    unsafe { REGISTRY.unlock_raw() }
}
