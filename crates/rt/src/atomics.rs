//! C++ atomics: the operation itself, what it orders, and how it conflicts with plain accesses. `docs/happens-before.md`, *Atomics*, is the specification.
//!
//! All under the cell's lock, so that the order of values and the order of knowledge are the same.

use crate::access::{MEMORY, extent, open};
use crate::record;
use crate::report;
use crate::sites::Note;
use crate::sync::{Cell, Things, open_at_once};
use crate::thread::Thread;
use core::sync::atomic::{AtomicBool, Ordering};
use deadheat_online::LockState;
use deadheat_shadow::{Access, Conflict, Detail, Mode, Version};

/// A memory order, as numbered by C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Orders nothing by itself.
    Relaxed,
    /// Learns what the value it reads was released with.
    Acquire,
    /// Releases.
    Release,
    /// Both.
    AcquireRelease,
    /// Both, in one order for all.
    Sequential,
}

/// Whatever order the program asks for, operations are sequentially consistent.
static ALL_SEQUENTIAL: AtomicBool = AtomicBool::new(false);

/// Makes all operations sequentially consistent; once, at start.
pub fn force_sequential() {
    ALL_SEQUENTIAL.store(true, Ordering::Relaxed);
}

impl Order {
    /// From C's number, whose upper bits may ask for hardware lock elision.
    #[inline]
    pub fn from_c(order: i32) -> Order {
        if ALL_SEQUENTIAL.load(Ordering::Relaxed) {
            return Order::Sequential;
        }
        match order & 0x7fff {
            0 => Order::Relaxed,
            1 | 2 => Order::Acquire,
            3 => Order::Release,
            4 => Order::AcquireRelease,
            _ => Order::Sequential,
        }
    }

    /// It learns.
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcquireRelease | Order::Sequential)
    }

    /// It releases.
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcquireRelease | Order::Sequential)
    }
}

/// What an atomic operation turned out to do: a compare-and-exchange that fails only reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes in one.
    Update,
}

impl Effect {
    /// How it conflicts with plain accesses.
    #[inline(always)]
    fn mode(self) -> Mode {
        if self == Effect::Load { Mode::AtomicRead } else { Mode::AtomicWrite }
    }
}

/// Performs an atomic operation: `operation` does it and says what it was and in which order.
#[inline(always)]
pub fn perform<R>(
    thread: &mut Thread,
    address: u64,
    size: u64,
    pc: u64,
    operation: impl FnOnce() -> (R, Effect, Order),
) -> R {
    let offset = address & 7;
    let cell = if thread.is_watched() && offset + size <= 8 { open_at_once(address) } else { None };
    let Some(mut cell) = cell else {
        return perform_otherwise(thread, address, size, pc, operation);
    };
    let bytes = extent(offset, size);
    let (result, effect, order) = operation();
    let detail = cell.detail();
    // What it learns comes first: the value's past happens before the access too.
    if effect != Effect::Store {
        learn(thread, &detail.attached, bytes, order);
    }
    let conflict = touch(thread, detail, bytes, effect.mode(), pc, size);
    left(thread, &mut cell, bytes, effect, order);
    if effect == Effect::Load && conflict.is_none() {
        thread.loads.keep(address, size, order.acquires(), cell.version(), thread.state.epoch());
    }
    drop(cell);
    if let Some(conflict) = conflict {
        report::race(thread, address & !7, address, size, effect.mode(), conflict);
    }
    // To learn begins no epoch.
    if effect != Effect::Load {
        thread.goes_on();
    }
    result
}

/// As [`perform`], the first of a granule, or of several granules, or while not all is looked at, or something else is done with it.
#[inline(never)]
fn perform_otherwise<R>(
    thread: &mut Thread,
    address: u64,
    size: u64,
    pc: u64,
    operation: impl FnOnce() -> (R, Effect, Order),
) -> R {
    let turn = record::turn();
    let (granule, offset) = (address & !7, address & 7);
    let below = size.min(8 - offset);
    // The rest of a 16-byte atomic, or of one that is not aligned: locked in the order of addresses.
    let rest = |size: u64| (granule + 8, open(granule + 8), extent(0, size.min(8)));
    let first = (granule, open(granule), extent(offset, below));
    let mut parts = [Some(first), (size > below).then(|| rest(size - below))];
    let (result, effect, order) = operation();
    let mode = effect.mode();
    let ignored = if mode.writes() { thread.ignore_writes } else { thread.ignore_reads } > 0;
    if turn.is_some() && !ignored {
        record::atomic(thread, address, size, pc, effect, order);
    }
    if thread.ignore_sync == 0 && effect != Effect::Store {
        for (_, cell, bytes) in parts.iter_mut().flatten() {
            learn(thread, &cell.detail().attached, *bytes, order);
        }
    }
    let mut conflict = None;
    if !ignored {
        for (granule, cell, bytes) in parts.iter_mut().flatten() {
            let found = touch(thread, cell.detail(), *bytes, mode, pc, size);
            conflict = conflict.or(found.map(|conflict| (*granule, conflict)));
        }
    }
    for (_, cell, bytes) in parts.iter_mut().flatten() {
        left(thread, cell, *bytes, effect, order);
    }
    if let ([Some((_, cell, _)), None], Effect::Load, None, true) =
        (&parts, effect, conflict, thread.is_watched())
    {
        thread.loads.keep(address, size, order.acquires(), cell.version(), thread.state.epoch());
    }
    drop(parts);
    if let Some((granule, conflict)) = conflict {
        report::race(thread, granule, address, size, mode, conflict);
    }
    // To learn begins no epoch.
    if effect != Effect::Load {
        thread.refresh();
    }
    result
}

/// The access that an operation is to the bytes of a granule.
#[inline(always)]
fn touch(
    thread: &mut Thread,
    detail: &mut Detail<Things>,
    extent: u8,
    mode: Mode,
    pc: u64,
    size: u64,
) -> Option<Conflict> {
    let Thread { state, placer, .. } = thread;
    placer.at(pc, Note::size(size as usize));
    detail.atomic(state, &MEMORY.sets, Access { mode, extent }, placer)
}

/// What the operation leaves behind for later loads, and a version of the detail that tells whether there is something new.
#[inline(always)]
fn left(thread: &mut Thread, cell: &mut Cell, bytes: u8, effect: Effect, order: Order) {
    let is_new = thread.ignore_sync == 0
        && effect != Effect::Load
        && publish(thread, &mut cell.detail().attached, bytes, effect, order);
    if is_new || cell.version() == Version::NONE {
        cell.detail();
        cell.set_version(thread.next_version());
    }
}

/// What the thread gains from the value it read: now if it acquires, at its next acquire fence if not.
#[inline(always)]
fn learn(thread: &mut Thread, things: &Things, bytes: u8, order: Order) {
    for (_, clock) in things.published.iter().filter(|(at, _)| at & bytes != 0) {
        if order.acquires() {
            thread.state.acquire(clock);
        } else if !thread.state.knows(clock) {
            thread.for_fence.join(clock);
        }
    }
}

/// What the operation leaves for later loads; false if nothing has changed.
#[inline(always)]
fn publish(thread: &mut Thread, things: &mut Things, bytes: u8, effect: Effect, order: Order) -> bool {
    if let Some((_, clock)) = things.published.iter_mut().find(|(at, _)| *at == bytes) {
        return head(thread, clock, effect, order);
    }
    let is_changed = !things.published.is_empty() || order.releases() || thread.by_fence.is_some();
    if is_changed {
        let mut new = LockState::new();
        head(thread, &mut new, Effect::Store, order);
        publish_apart(&new, things, bytes, effect);
    }
    is_changed
}

/// What the operation makes of the clock that the bytes carry, all of which it has read if it reads: a store of that order begins a release sequence with what the thread knows, or knew at its last
/// release fence; a read-modify-write adds that to the sequence that it goes on with. False if nothing has changed.
#[inline(always)]
fn head(thread: &mut Thread, clock: &mut LockState, effect: Effect, order: Order) -> bool {
    let adds = effect == Effect::Update;
    if order.releases() {
        // Who acquires too knows already what is to be added to.
        if adds && !order.acquires() {
            thread.state.release_join(clock);
        } else {
            thread.state.release(clock);
        }
        return true;
    }
    match (&thread.by_fence, adds) {
        (Some(fence), true) => clock.join(fence),
        (Some(fence), false) => clock.clone_from(fence),
        (None, true) => return false,
        (None, false) if clock.is_empty() => return false,
        (None, false) => clock.clear(),
    }
    true
}

/// The operation adds that to what its bytes carry, which is not one clock for all of them.
#[inline(never)]
fn publish_apart(head: &LockState, things: &mut Things, bytes: u8, effect: Effect) {
    let mut rest = bytes;
    if effect == Effect::Update {
        // A read-modify-write continues the release sequences that it reads from.
        let whole = |at: u8| at & !bytes == 0;
        for (at, clock) in things.published.iter_mut().filter(|(at, _)| at & bytes != 0 && whole(*at)) {
            clock.join(head);
            rest &= !*at;
        }
        let cut: alloc::vec::Vec<_> =
            things.published.iter().filter(|(at, _)| at & rest != 0).cloned().collect();
        for (at, mut clock) in cut {
            clock.join(head);
            replace(things, at & rest, clock);
            rest &= !at;
        }
    }
    if rest != 0 {
        replace(things, rest, head.clone());
    }
}

/// Those bytes carry that clock, and no other.
fn replace(things: &mut Things, bytes: u8, clock: LockState) {
    use deadheat_shadow::Attachment;
    if let Some((_, old)) = things.published.iter_mut().find(|(at, _)| *at == bytes) {
        *old = clock;
        return;
    }
    things.overwritten(bytes);
    if !clock.is_empty() {
        things.published.push((bytes, clock));
    }
}

/// A fence: an acquire fence learns what relaxed loads have read, a release fence is what relaxed stores will publish.
pub fn fence(thread: &mut Thread, order: Order) {
    if thread.ignore_sync > 0 {
        return;
    }
    let _turn = record::fence(thread, order);
    if order.acquires() {
        let read = core::mem::take(&mut thread.for_fence);
        thread.state.acquire(&read);
        thread.for_fence = read;
    }
    if order.releases() {
        let mut clock = thread.by_fence.take().unwrap_or_default();
        thread.state.release(&mut clock);
        thread.by_fence = Some(clock);
    }
    thread.refresh();
}
