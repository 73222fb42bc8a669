//! Synchronisation objects: what is attached to addresses, and how knowledge passes through it.
//!
//! Objects hang on the cell of their address, so that whoever frees the memory frees them too, and no table has to be searched.

use crate::access;
use crate::mutex::MutexState;
use crate::os::{self, Mutex};
use crate::record::{self, What};
use crate::sites::Site;
use crate::thread::Thread;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering};
use deadheat_online::LockState;
use deadheat_shadow::{Attachment, Open};

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
        // Whoever writes over a destroyed mutex makes something new there, perhaps a mutex again.
        self.objects.retain(|(at, o)| extent >> at & 1 == 0 || !o.mutex.destroyed);
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

/// A barrier: the round that gathers now. Whoever has arrived in an earlier one keeps that for itself.
pub struct Barrier {
    /// How many make a round.
    parties: u32,
    /// How many have arrived in the round.
    arrived: u32,
    round: Arc<Round>,
}

/// One round of a barrier.
pub struct Round {
    /// Not zero once all have arrived; who waits sleeps on it.
    complete: AtomicU32,
    /// What those who arrived knew; no longer changed when it is complete.
    clock: Mutex<LockState>,
}

impl Default for Round {
    fn default() -> Round {
        Round { complete: AtomicU32::new(0), clock: Mutex::new(LockState::new()) }
    }
}

/// What arriving at a barrier means.
pub enum Arrival {
    /// The round was completed by it.
    Last(Arc<Round>),
    /// Others are still to come.
    Waits(Arc<Round>),
}

impl Round {
    /// Calls `f` with what those who arrived knew.
    pub fn each_clock(&self, f: impl FnOnce(&LockState)) {
        f(&self.clock.lock());
    }

    /// Lets all go on who wait.
    pub fn finish(&self) {
        // Release pairs with the acquire in `wait`.
        self.complete.store(1, Ordering::Release);
        os::futex_wake(&self.complete, u32::MAX >> 1);
    }

    /// Waits until all have arrived.
    pub fn wait(&self) {
        while self.complete.load(Ordering::Acquire) == 0 {
            let _: Result<(), _> = os::futex_wait(&self.complete, 0, None);
        }
    }
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
    /// Calls `f` with all that is known here.
    pub fn each_clock(&self, mut f: impl FnMut(&LockState)) {
        self.published.iter().for_each(|(_, clock)| f(clock));
        for (_, object) in &self.objects {
            f(&object.clock);
            f(&object.readers);
            if let Some(barrier) = &object.barrier {
                barrier.round.each_clock(&mut f);
            }
        }
    }

    /// The object at that offset, if there is one.
    pub fn object_if_any(&mut self, offset: u8) -> Option<&mut Object> {
        self.objects.iter_mut().find(|(at, _)| *at == offset).map(|(_, o)| &mut **o)
    }

    /// The object at that offset, made there if there is none.
    #[inline]
    pub fn object(&mut self, offset: u8, created: impl FnOnce() -> Site) -> &mut Object {
        let at = self.objects.iter().position(|(at, _)| *at == offset);
        let at = at.unwrap_or_else(|| self.make(offset, created()));
        &mut self.objects[at].1
    }

    /// Makes an object at that offset: which of them it is.
    #[cold]
    #[inline(never)]
    fn make(&mut self, offset: u8, created: Site) -> usize {
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        self.objects.push((offset, Box::new(Object::new(serial, created))));
        self.objects.len() - 1
    }

    /// Takes the object at that offset away.
    pub fn remove(&mut self, offset: u8) -> Option<Box<Object>> {
        let at = self.objects.iter().position(|(at, _)| *at == offset)?;
        Some(self.objects.swap_remove(at).1)
    }
}

/// The cell of a granule, locked.
pub type Cell = Open<'static, Things>;

/// Opens the cell at that address, if it has a detail and nobody else has opened it.
#[inline(always)]
pub fn open_at_once(address: u64) -> Option<Cell> {
    // SAFETY: all details of this process have `Things` attached.
    unsafe { Open::lock_detailed(access::cell(address)) }
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
    let _turn = record::anew(What::Gone { object: address });
    let mut open = access::open(address);
    let object = open.detail_if_any()?.attached.remove((address & 7) as u8);
    open.collapse();
    object
}

fn nowhere(_: &Thread) -> Site {
    Site::NOWHERE
}

/// What was released at the address is known from now on.
pub fn acquire(thread: &mut Thread, address: u64) {
    if thread.ignore_sync > 0 {
        return;
    }
    let _turn = record::somewhere(thread, What::Acquire { object: address });
    if with_existing(address, |o| thread.state.acquire(&o.clock)).is_some() {
        thread.refresh();
    }
}

/// Whoever acquires at the address from now on knows what this thread knows, and what was released there before.
pub fn release(thread: &mut Thread, address: u64) {
    if thread.ignore_sync == 0 {
        let _turn = record::somewhere(thread, What::Release { object: address });
        with(thread, address, nowhere, |t, o| t.state.release_join(&mut o.clock));
    }
}

/// Whoever acquires at the address from now on knows what this thread knows, and nothing that was released there before.
pub fn release_store(thread: &mut Thread, address: u64) {
    if thread.ignore_sync == 0 {
        let _turn = record::anew(What::Gone { object: address });
        drop(record::somewhere(thread, What::Release { object: address }));
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
    let _turn = record::turn();
    remove(address);
    drop(record::event(thread, pc, What::BarrierMake { barrier: address, parties }));
    let created = |t: &Thread| t.placer.site(pc, crate::sites::Note::CALL);
    with(thread, address, created, |_, o| {
        o.barrier = Some(Box::new(Barrier { parties, arrived: 0, round: Arc::default() }));
    });
}

/// The thread arrives at the barrier; nothing if there is none at the address.
///
/// Rounds are told apart here, under the lock of the barrier's cell: a thread that is fast enough to arrive in the next round while others are still about to
/// leave this one adds nothing to what they learn.
pub fn barrier_arrive(thread: &mut Thread, address: u64) -> Option<Arrival> {
    let turn = record::turn();
    let arrival = with_existing(address, |o| {
        let barrier = o.barrier.as_mut()?;
        thread.state.release_join(&mut barrier.round.clock.lock());
        thread.rounds.push(barrier.round.clone());
        barrier.arrived += 1;
        if barrier.arrived < barrier.parties {
            return Some(Arrival::Waits(barrier.round.clone()));
        }
        barrier.arrived = 0;
        Some(Arrival::Last(core::mem::take(&mut barrier.round)))
    });
    let arrival = arrival.flatten();
    if turn.is_some() && arrival.is_some() {
        drop(record::somewhere(thread, What::BarrierEnter { barrier: address }));
    }
    thread.refresh();
    arrival
}

/// The thread leaves the barrier after that round: it knows what all who arrived in it knew.
pub fn barrier_leave(thread: &mut Thread, round: &Round) {
    // Whoever reads the record knows which barrier the thread is in.
    let _turn = record::somewhere(thread, What::BarrierLeave { barrier: 0 });
    thread.state.acquire(&round.clock.lock());
    thread.rounds.retain(|other| !core::ptr::eq(&**other, round));
    thread.refresh();
}
