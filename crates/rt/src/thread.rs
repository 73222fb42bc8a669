//! A thread of the program: what it knows, where it is, what it holds.

use crate::heap::Cache;
use crate::place::Placer;
use crate::tls::{self, offset};
use crate::{access, slots};
use alloc::boxed::Box;
use deadheat_finding::ThreadId;
use deadheat_online::{LockState, Rule, ThreadState};

/// Everything that belongs to one thread. Touched by that thread only; others see what is in the [`registry`](crate::registry).
pub struct Thread {
    /// Its name in reports.
    pub id: ThreadId,
    /// What it knows, and its own time.
    pub state: ThreadState,
    /// Where in the program it is, and what it holds.
    pub placer: Placer,
    /// Blocks of the heap at hand.
    pub heap: Cache,
    /// What relaxed loads have read from release sequences: the next acquire fence learns it.
    pub for_fence: LockState,
    /// What the last release fence released, if there was one: relaxed stores publish it.
    pub by_fence: Option<LockState>,
    /// While above zero, reads are not checked.
    pub ignore_reads: u32,
    /// While above zero, writes are not checked.
    pub ignore_writes: u32,
    /// While above zero, synchronisation is not seen.
    pub ignore_sync: u32,
    /// The thread is in the runtime: signals wait, and calls into the C library are our own.
    pub busy: u32,
    /// Signals wait for the runtime to be left.
    pub pending: bool,
    /// Handlers of signals that run right now, one in the other.
    pub in_handler: u32,
    /// How often each rule applied, in slow paths.
    pub rules: [u64; Rule::ALL.len()],
    /// What embedders keep with a thread (waiting signals, say).
    pub extra: *mut u8,
}

impl Thread {
    /// A thread created by another (or the first).
    pub fn new(id: ThreadId, creator: Option<&mut Thread>, frames: usize) -> Box<Thread> {
        let (slot, before) = slots::take(creator.as_ref().map(|c| &c.state), id);
        let mut state = ThreadState::new(slot, before, slots::is_orphan);
        if let Some(creator) = creator {
            creator.state.fork(&mut state);
            creator.refresh();
        }
        Box::new(Thread {
            id,
            state,
            placer: Placer::new(frames),
            heap: Cache::new(),
            for_fence: LockState::new(),
            by_fence: None,
            ignore_reads: 0,
            ignore_writes: 0,
            ignore_sync: 0,
            busy: 0,
            pending: false,
            in_handler: 0,
            rules: [0; Rule::ALL.len()],
            extra: core::ptr::null_mut(),
        })
    }

    /// Makes this the current thread of the kernel's thread that calls it.
    pub fn install(&mut self) {
        let layout = access::layout();
        tls::set::<{ offset::MASK }>(layout.mask);
        tls::set::<{ offset::BASE }>(layout.base);
        tls::set::<{ offset::FRAMES }>(self.placer.top() as u64);
        tls::set::<{ offset::THREAD }>(self as *mut Thread as u64);
        self.refresh();
    }

    /// No longer the current thread of anything.
    pub fn uninstall(&mut self) {
        self.placer.set_top(tls::get::<{ offset::FRAMES }>() as *mut _);
        tls::set::<{ offset::THREAD }>(0);
        tls::set::<{ offset::EPOCH }>(tls::NEVER);
        // Whatever still runs on this thread pushes its frames where nobody looks.
        tls::set::<{ offset::FRAMES }>(&raw const SCRATCH as u64 + SCRATCH_BYTES as u64 / 2);
    }

    /// Tells the fast paths about the current epoch; after everything that may begin a new one, or change what is ignored.
    #[inline]
    pub fn refresh(&mut self) {
        let exact = access::fast_paths() && self.ignore_reads == 0 && self.ignore_writes == 0;
        let epoch = if exact { self.state.epoch().0 } else { tls::NEVER };
        tls::set::<{ offset::EPOCH }>(epoch);
        if self.state.is_exhausted() {
            self.move_on();
        }
    }

    /// The clocks of the slot are used up: goes on in another.
    #[cold]
    fn move_on(&mut self) {
        let (old, now) = (self.state.slot(), self.state.now());
        let (slot, before) = slots::take(None, self.id);
        self.state.move_to(slot, before);
        self.placer.log.forget();
        slots::leave(old, now, now);
        self.refresh();
    }
}

/// Frames of threads that are over: written, never read.
static SCRATCH: [core::sync::atomic::AtomicU8; SCRATCH_BYTES] = [const { core::sync::atomic::AtomicU8::new(0) }; SCRATCH_BYTES];
const SCRATCH_BYTES: usize = 1 << 16;

/// A stay in the runtime: signals wait, and whatever the C library does meanwhile is our own doing.
pub struct Stay {
    thread: *mut Thread,
}

impl Stay {
    /// Enters the runtime; nothing if the thread is unknown or in it already.
    #[inline]
    pub fn begin() -> Option<Stay> {
        let thread = tls::thread();
        // SAFETY: the current thread's object lives as long as the thread, and only it touches it.
        let known = unsafe { thread.as_mut() }?;
        if known.busy > 0 {
            return None;
        }
        known.busy = 1;
        Some(Stay { thread })
    }

    /// The thread.
    #[inline]
    pub fn thread(&mut self) -> &mut Thread {
        // SAFETY: as above; the stay is unique, since `busy` was zero.
        unsafe { &mut *self.thread }
    }
}

impl core::ops::Deref for Stay {
    type Target = Thread;
    #[inline]
    fn deref(&self) -> &Thread {
        // SAFETY: as above.
        unsafe { &*self.thread }
    }
}

impl core::ops::DerefMut for Stay {
    #[inline]
    fn deref_mut(&mut self) -> &mut Thread {
        self.thread()
    }
}

/// What is called when the runtime is left and signals wait.
static DELIVER: core::sync::atomic::AtomicPtr<()> = core::sync::atomic::AtomicPtr::new(core::ptr::null_mut());

/// Says what to call when a thread leaves the runtime while signals wait.
pub fn set_deliver(f: fn(&mut Thread)) {
    DELIVER.store(f as *mut (), core::sync::atomic::Ordering::Release);
}

impl Drop for Stay {
    #[inline]
    fn drop(&mut self) {
        let thread = self.thread();
        thread.busy = 0;
        if thread.pending {
            deliver(thread);
        }
    }
}

#[cold]
fn deliver(thread: &mut Thread) {
    let f = DELIVER.load(core::sync::atomic::Ordering::Acquire);
    if !f.is_null() {
        // SAFETY: only `set_deliver` stores there.
        unsafe { core::mem::transmute::<*mut (), fn(&mut Thread)>(f)(thread) }
    }
}
