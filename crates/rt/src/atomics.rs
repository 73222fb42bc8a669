//! C++ atomics: the operation itself, what it orders, and how it conflicts with plain accesses. `docs/happens-before.md`, *Atomics*, is the specification.
//!
//! All under the cell's lock, so that the order of values and the order of knowledge are the same.

use crate::access::{MEMORY, extent, open};
use crate::report;
use crate::sites::Note;
use crate::sync::Things;
use crate::thread::Thread;
use deadheat_online::{LockState, Word};
use deadheat_shadow::{Access, Mode};

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

impl Order {
    /// From C's number, whose upper bits may ask for hardware lock elision.
    pub fn from_c(order: i32) -> Order {
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

/// Performs an atomic operation: `operation` does it and says what it was and in which order.
#[inline]
pub fn perform<R>(
    thread: &mut Thread,
    address: u64,
    size: u64,
    pc: u64,
    operation: impl FnOnce() -> (R, Effect, Order),
) -> R {
    let bytes = extent(address & 7, size.min(8));
    let mut cell = open(address);
    let (result, effect, order) = operation();
    let mode = if effect == Effect::Load { Mode::AtomicRead } else { Mode::AtomicWrite };
    let ignored = if mode.writes() { thread.ignore_writes } else { thread.ignore_reads } > 0;
    let detail = cell.detail();
    let Thread { state, placer, .. } = thread;
    placer.at(pc, Note::size(size as usize));
    let access = Access { mode, extent: bytes };
    let conflict = if ignored { None } else { detail.atomic(state, &MEMORY.sets, access, placer) };
    if thread.ignore_sync == 0 {
        if effect != Effect::Store {
            learn(thread, &detail.attached, bytes, order);
        }
        if effect != Effect::Load {
            publish(thread, &mut detail.attached, bytes, order, effect);
        }
    }
    drop(cell);
    if let Some(conflict) = conflict {
        report::race(thread, address & !7, address, size, mode, conflict);
    }
    if size > 8 && !ignored {
        second_half(thread, address + 8, mode, address, size);
    }
    thread.refresh();
    result
}

/// The upper eight bytes of a 16-byte atomic conflict with plain accesses too; what it orders hangs on the lower half.
fn second_half(thread: &mut Thread, granule: u64, mode: Mode, address: u64, size: u64) {
    let mut cell = open(granule);
    let Thread { state, placer, .. } = thread;
    let access = Access { mode, extent: Word::WHOLE };
    let conflict = cell.detail().atomic(state, &MEMORY.sets, access, placer);
    drop(cell);
    if let Some(conflict) = conflict {
        report::race(thread, granule, address, size, mode, conflict);
    }
}

/// What the thread gains from the value it read: now if it acquires, at its next acquire fence if not.
fn learn(thread: &mut Thread, things: &Things, bytes: u8, order: Order) {
    for (_, clock) in things.published.iter().filter(|(at, _)| at & bytes != 0) {
        if order.acquires() {
            thread.state.acquire(clock);
        } else {
            thread.for_fence.join(clock);
        }
    }
}

/// What the operation leaves for later loads.
fn publish(thread: &mut Thread, things: &mut Things, bytes: u8, order: Order, effect: Effect) {
    let mut head = LockState::new();
    if order.releases() {
        thread.state.release(&mut head);
    } else if let Some(fence) = &thread.by_fence {
        head.clone_from(fence);
    }
    let mut rest = bytes;
    if effect == Effect::Update {
        // A read-modify-write continues the release sequences that it reads from.
        let whole = |at: u8| at & !bytes == 0;
        for (at, clock) in things.published.iter_mut().filter(|(at, _)| at & bytes != 0 && whole(*at)) {
            clock.join(&head);
            rest &= !*at;
        }
        let cut: alloc::vec::Vec<_> =
            things.published.iter().filter(|(at, _)| at & rest != 0).cloned().collect();
        for (at, mut clock) in cut {
            clock.join(&head);
            replace(things, at & rest, clock);
            rest &= !at;
        }
    }
    if rest != 0 {
        replace(things, rest, head);
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
