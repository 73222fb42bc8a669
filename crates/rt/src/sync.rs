//! Synchronisation objects: what is attached to addresses, and how knowledge passes through it.
//!
//! Objects hang on the cell of their address, so that whoever frees the memory frees them too, and no table has to be searched.

use crate::access;
use crate::mutex::MutexState;
use crate::sites::Site;
use crate::thread::Thread;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering};
use deadheat_online::LockState;
use deadheat_shadow::Attachment;

/// All that is attached to the addresses of a granule.
#[derive(Default)]
pub struct Things {
    /// What atomics have published, by the bytes that hold the value.
    pub published: Vec<(u8, LockState)>,
    /// Objects by offset.
    objects: Vec<(u8, Box<Object>)>,
}

impl Attachment for Things {
    fn overwritten(&mut self, extent: u8) {
        self.published.retain_mut(|(bytes, _)| {
            *bytes &= !extent;
            *bytes != 0
        });
    }

    fn forget(&mut self, extent: u8) {
        self.overwritten(extent);
        self.objects.retain(|(at, _)| extent >> at & 1 == 0);
    }

    fn is_empty(&self) -> bool {
        self.published.is_empty() && self.objects.is_empty()
    }
}

/// A synchronisation object: a mutex, a semaphore, a barrier, or just an address that knowledge passes through.
#[derive(Default)]
pub struct Object {
    /// Its number among all objects that ever were.
    pub serial: u32,
    /// Where it was made, or first used.
    pub created: Site,
    /// What was released through it.
    pub clock: LockState,
    /// What readers released, which only writers learn.
    pub readers: LockState,
    /// If it is a mutex: who holds it.
    pub mutex: MutexState,
    /// If it is a barrier: its rounds.
    pub barrier: Option<Box<Barrier>>,
}

/// A barrier: what each round's arrivals released, until all of them have left.
#[derive(Default)]
pub struct Barrier {
    /// How many make a round.
    pub parties: u32,
    /// Rounds that somebody has not left yet; the last one may still gather.
    pub rounds: VecDeque<Round>,
    /// The number of the first of these rounds.
    pub first: u64,
}

/// One round of a barrier.
#[derive(Default)]
pub struct Round {
    /// How many have arrived.
    pub arrived: u32,
    /// How many have left.
    pub left: u32,
    /// What they knew.
    pub clock: LockState,
}

impl Object {
    fn new(serial: u32, created: Site) -> Object {
        let mut object = Object::default();
        (object.serial, object.created) = (serial, created);
        object
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        if self.mutex.ordered {
            crate::deadlock::forget(self.serial);
        }
    }
}

static SERIAL: AtomicU32 = AtomicU32::new(1);

impl Things {
    /// The object at that offset, if there is one.
    pub fn object_if_any(&mut self, offset: u8) -> Option<&mut Object> {
        self.objects.iter_mut().find(|(at, _)| *at == offset).map(|(_, o)| &mut **o)
    }

    /// The object at that offset, made there if there is none.
    pub fn object(&mut self, offset: u8, created: impl FnOnce() -> Site) -> &mut Object {
        let at = self.objects.iter().position(|(at, _)| *at == offset).unwrap_or_else(|| {
            let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
            self.objects.push((offset, Box::new(Object::new(serial, created()))));
            self.objects.len() - 1
        });
        &mut self.objects[at].1
    }

    /// Takes the object at that offset away.
    pub fn remove(&mut self, offset: u8) -> Option<Box<Object>> {
        let at = self.objects.iter().position(|(at, _)| *at == offset)?;
        Some(self.objects.swap_remove(at).1)
    }
}

/// Calls `f` with the object at that address, made if there is none, while nobody else looks at it.
pub fn with<R>(
    thread: &mut Thread,
    address: u64,
    created: impl FnOnce(&Thread) -> Site,
    f: impl FnOnce(&mut Thread, &mut Object) -> R,
) -> R {
    let mut open = access::open(address);
    let object = open.detail().attached.object((address & 7) as u8, || created(thread));
    let result = f(thread, object);
    drop(open);
    thread.refresh();
    result
}

/// Calls `f` with the object at that address, if there is one.
pub fn with_existing<R>(address: u64, f: impl FnOnce(&mut Object) -> R) -> Option<R> {
    let mut open = access::open(address);
    open.detail_if_any()?.attached.object_if_any((address & 7) as u8).map(f)
}

/// The object at that address is no more.
pub fn remove(address: u64) -> Option<Box<Object>> {
    let mut open = access::open(address);
    let object = open.detail_if_any()?.attached.remove((address & 7) as u8);
    open.collapse_if_empty();
    object
}

fn nowhere(_: &Thread) -> Site {
    Site::NOWHERE
}

/// What was released at the address is known from now on.
pub fn acquire(thread: &mut Thread, address: u64) {
    if thread.ignore_sync == 0 && with_existing(address, |o| thread.state.acquire(&o.clock)).is_some() {
        thread.refresh();
    }
}

/// Whoever acquires at the address from now on knows what this thread knows, and what was released there before.
pub fn release(thread: &mut Thread, address: u64) {
    if thread.ignore_sync == 0 {
        with(thread, address, nowhere, |t, o| t.state.release_join(&mut o.clock));
    }
}

/// Whoever acquires at the address from now on knows what this thread knows, and nothing that was released there before.
pub fn release_store(thread: &mut Thread, address: u64) {
    if thread.ignore_sync == 0 {
        with(thread, address, nowhere, |t, o| t.state.release(&mut o.clock));
    }
}

/// Both ways at once.
pub fn acquire_release(thread: &mut Thread, address: u64) {
    acquire(thread, address);
    release(thread, address);
}

/// A barrier of so many parties is made at the address.
pub fn barrier_make(thread: &mut Thread, address: u64, parties: u32, pc: u64) {
    remove(address);
    let created = |t: &Thread| t.placer.site(pc, crate::sites::Note::CALL);
    with(thread, address, created, |_, o| {
        o.barrier = Some(Box::new(Barrier { parties, ..Barrier::default() }));
    });
}

/// The thread arrives at the barrier: the number of its round.
pub fn barrier_enter(thread: &mut Thread, address: u64) -> u64 {
    with(thread, address, nowhere, |t, o| {
        let barrier = o.barrier.get_or_insert_default();
        let full = |r: &Round| barrier.parties > 0 && r.arrived >= barrier.parties;
        if barrier.rounds.back().is_none_or(full) {
            barrier.rounds.push_back(Round::default());
        }
        let number = barrier.first + barrier.rounds.len() as u64 - 1;
        if let Some(round) = barrier.rounds.back_mut() {
            round.arrived += 1;
            t.state.release_join(&mut round.clock);
        }
        number
    })
}

/// The thread leaves the barrier after that round: it knows what all who arrived in it knew.
pub fn barrier_leave(thread: &mut Thread, address: u64, number: u64) {
    with(thread, address, nowhere, |t, o| {
        let Some(barrier) = &mut o.barrier else { return };
        let Some(index) = number.checked_sub(barrier.first) else { return };
        if let Some(round) = barrier.rounds.get_mut(index as usize) {
            t.state.acquire(&round.clock);
            round.left += 1;
        }
        while barrier.rounds.front().is_some_and(|r| r.arrived >= barrier.parties && r.left >= r.arrived) {
            barrier.rounds.pop_front();
            barrier.first += 1;
        }
    });
}
