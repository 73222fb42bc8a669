//! A thread of the program: what it knows, where it is, what it holds.

use crate::bias::{self, Owner};
use crate::heap::Cache;
use crate::internal::Spare;
use crate::lately::{Lately, Present};
use crate::loads::Loads;
use crate::nestings::Known;
use crate::os::Mutex;
use crate::patience::Patience;
use crate::place::Placer;
use crate::prefault::Prefault;
use crate::ranges::{self, Made};
use crate::record::{self, What};
use crate::sites::Site;
use crate::sync::Round;
use crate::tls::{self, offset};
use crate::{access, gate, slots};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering};
use deadheat_finding::ThreadId;
use deadheat_online::{LockState, Most, Rule, ThreadState, Word};
use deadheat_shadow::{Version, since};

/// How many sets a thread keeps at hand, once it has read something shared.
pub const SEEN: usize = 256;

/// Sets of reads that hold one of this thread, made in its epoch. A handle names one value for ever, so this stays true as long as the epoch lasts: what [Read Shared Same Epoch] needs to know.
/// When the epoch ends it is emptied, so that whoever finds a set here need not ask of which epoch that is.
#[repr(C)]
pub struct Seen {
    /// Each in the only place where it may be, by its last bits: itself, if all of what holds it was read; or with [`PART`], if some bytes were.
    sets: [u64; SEEN],
    /// Which bytes.
    bytes: [u8; SEEN],
    /// The thread's epoch.
    epoch: Word,
    /// Where there are sets, of the first few.
    places: [u8; FEW_SEEN],
    /// How many were put here.
    count: usize,
}

/// In the place of a set: not all of what holds it was read.
pub const PART: u64 = Word::LOCK;
/// Where the bytes are that were read.
pub const SEEN_BYTES: usize = core::mem::offset_of!(Seen, bytes);
/// So many are taken out one by one when an epoch ends.
const FEW_SEEN: usize = 16;

impl Seen {
    const NOTHING: Seen = Seen {
        sets: [tls::NO_SET; SEEN],
        bytes: [0; SEEN],
        epoch: Word::NONE,
        places: [0; FEW_SEEN],
        count: 0,
    };

    fn put(&mut self, set: Word, extent: u8, epoch: Word) {
        if self.epoch != epoch {
            self.empty();
            self.epoch = epoch;
        }
        let place = set.0 as usize % SEEN;
        if self.sets[place] == tls::NO_SET {
            if let Some(to) = self.places.get_mut(self.count) {
                *to = place as u8;
            }
            self.count += 1;
        }
        self.sets[place] = if extent == Word::WHOLE { set.0 } else { set.0 | PART };
        self.bytes[place] = extent;
    }

    fn empty(&mut self) {
        match self.places.get(..self.count) {
            Some(places) => places.iter().for_each(|place| self.sets[*place as usize] = tls::NO_SET),
            None => self.sets.fill(tls::NO_SET),
        }
        self.count = 0;
    }
}

/// What a thread has at hand that never read anything shared.
pub(crate) static NOTHING_SEEN: Seen = Seen::NOTHING;

/// The bytes of what holds that set which the current thread has read in its epoch, which began with that word, if the set is at hand.
#[inline]
pub(crate) fn bytes_at_hand(set: Word, epoch: Word) -> u8 {
    if !set.is_set() {
        return 0;
    }
    // SAFETY: the current thread's table, or everybody's.
    let seen = unsafe { &*(tls::get::<{ offset::SEEN }>() as *const Seen) };
    let place = set.0 as usize % SEEN;
    let is_it = seen.sets[place] & !PART == set.0 && seen.epoch == epoch;
    if is_it { seen.bytes[place] } else { 0 }
}

/// Everything that belongs to one thread. Touched by that thread only; others see what is in the [`registry`](crate::registry).
pub struct Thread {
    /// Its name in reports.
    pub id: ThreadId,
    /// What it knows, and its own time.
    pub state: ThreadState,
    /// Where in the program it is, and what it holds.
    pub placer: Placer,
    /// Orders of mutexes that it has shown.
    pub nestings: Known,
    /// How long it waits for mutexes.
    pub patience: Patience,
    /// Blocks of the heap at hand.
    pub heap: Cache,
    /// What relaxed loads have read from release sequences: the next acquire fence learns it.
    pub for_fence: LockState,
    /// What the last release fence released, if there was one: relaxed stores publish it.
    pub by_fence: Option<LockState>,
    /// Rounds of barriers at which it has arrived and that it has not left.
    pub rounds: Vec<Arc<Round>>,
    /// While above zero, reads are not checked.
    pub ignore_reads: u32,
    /// While above zero, writes are not checked.
    pub ignore_writes: u32,
    /// While above zero, synchronisation is not seen.
    pub ignore_sync: u32,
    /// Above zero, the thread is in the runtime: signals wait, and calls into the C library are our own. Who forks looks at it ([`gate`]).
    pub busy: AtomicU32,
    /// Signals wait for the runtime to be left.
    pub pending: bool,
    /// Which: bit `n - 1` is signal `n`. The kernel holds them back, and the program did not ask for that.
    pub deferred: u64,
    /// Handlers of signals that run right now, one in the other.
    pub in_handler: u32,
    /// What it has done.
    pub counts: Counts,
    /// Sets of reads in which this thread has read in an epoch, at hand for the fast paths.
    pub seen: *const Seen,
    /// Atomic loads made lately.
    pub loads: Loads,
    versions: u64,
    /// Where it goes through memory that nobody has used before.
    pub prefault: Prefault,
    /// How many blocks it may fold ([`ranges`]).
    pub folds: u32,
    /// What it has lately accessed in its epoch, of many bytes at once.
    pub made: Made,
    /// What it has lately accessed in its epoch, of single granules that do not tell that themselves.
    pub(crate) lately: Lately,
    /// How many blocks of the heap it has given back.
    frees: u64,
    /// What it is as an owner of memory.
    pub owner: &'static Owner,
    /// Accesses are checked by v2, all of them, and nothing else is done with them.
    pub quick: bool,
    /// Blocks of the runtime's own memory at hand.
    pub spare: UnsafeCell<Spare>,
    /// What embedders keep with a thread (waiting signals, say).
    pub extra: *mut u8,
}

impl Thread {
    /// A thread created by another at that site (or the first).
    pub fn new(id: ThreadId, creator: Option<(&mut Thread, Site)>, frames: usize) -> Box<Thread> {
        let fork = What::Fork { child: id.0 };
        let _turn = creator.as_ref().and_then(|(creator, site)| record::at(creator, *site, fork));
        let (slot, before) = slots::take(creator.as_ref().map(|(creator, _)| &creator.state), id);
        let mut state = ThreadState::new(slot, before, slots::is_orphan);
        if let Some((creator, _)) = creator {
            creator.state.fork(&mut state);
            creator.refresh();
        }
        let thread = Box::new(Thread {
            id,
            state,
            placer: Placer::new(frames),
            nestings: Known::new(),
            patience: Patience::new(),
            heap: Cache::new(),
            for_fence: LockState::new(),
            by_fence: None,
            rounds: Vec::new(),
            ignore_reads: 0,
            ignore_writes: 0,
            ignore_sync: 0,
            busy: AtomicU32::new(0),
            pending: false,
            deferred: 0,
            in_handler: 0,
            counts: Counts::NONE,
            seen: &raw const NOTHING_SEEN,
            loads: Loads::new(),
            versions: 0,
            prefault: Prefault::new(),
            folds: ranges::FOLDS,
            made: Made::new(),
            lately: Lately::new(),
            frees: 0,
            owner: bias::owner(slot),
            quick: false,
            spare: UnsafeCell::new(Spare::new()),
            extra: core::ptr::null_mut(),
        });
        gate::add(&thread);
        thread
    }

    /// Makes this the current thread of the kernel's thread that calls it.
    pub fn install(&mut self) {
        let layout = access::layout();
        tls::set::<{ offset::MASK }>(layout.mask);
        tls::set::<{ offset::BASE }>(layout.base);
        tls::set::<{ offset::FRAMES }>(self.placer.top() as u64);
        tls::set::<{ offset::THREAD }>(self as *mut Thread as u64);
        tls::set::<{ offset::SEEN }>(self.seen as u64);
        self.lately.install();
        self.refresh();
    }

    /// Another will be current from now on; this one may be again.
    pub fn suspend(&mut self) {
        self.placer.set_top(tls::get::<{ offset::FRAMES }>() as *mut _);
    }

    /// No longer the current thread of anything.
    pub fn uninstall(&mut self) {
        self.suspend();
        tls::set::<{ offset::THREAD }>(0);
        tls::set::<{ offset::QUICK }>(0);
        tls::set::<{ offset::EPOCH }>(tls::NEVER);
        tls::set::<{ offset::TWO }>(0);
        Lately::uninstall();
        tls::set::<{ offset::SEEN }>(&raw const NOTHING_SEEN as u64);
        // Whatever still runs on this thread pushes its frames where nobody looks.
        tls::set::<{ offset::FRAMES }>(&raw const SCRATCH as u64 + SCRATCH_BYTES as u64 / 2);
    }

    /// The present, as long as accesses that it has made need not be made again.
    #[inline(always)]
    pub(crate) fn present(&self) -> Present {
        let changes = self.frees + access::FORGOTTEN.load(Ordering::Relaxed);
        Present { epoch: self.state.epoch(), changes }
    }

    /// It has given a block of the heap back.
    #[inline]
    pub fn gave_back(&mut self) {
        self.frees += 1;
        self.lately.renew();
    }

    /// Keeps a set at hand that holds a read of this thread in its current epoch, of those bytes.
    #[inline]
    pub fn has_seen(&mut self, set: Word, extent: u8) {
        if !self.sees() {
            self.seen = Box::into_raw(Box::new(Seen::NOTHING));
            tls::set::<{ offset::SEEN }>(self.seen as u64);
        }
        // SAFETY: the table is this thread's own.
        unsafe { (*self.seen.cast_mut()).put(set, extent, self.state.epoch()) };
    }

    /// The set is at hand, so the thread has read in its current epoch all of what holds it.
    #[inline]
    pub fn has_at_hand(&self, set: Word) -> bool {
        bytes_at_hand(set, self.state.epoch()) == Word::WHOLE
    }

    /// The thread has a table of its own.
    fn sees(&self) -> bool {
        !core::ptr::eq(self.seen, &NOTHING_SEEN)
    }

    /// Adds all that it knows, or is about to learn, to the most that anybody knows.
    pub fn add_to(&self, most: &mut Most) {
        most.add(self.state.known());
        [Some(&self.for_fence), self.by_fence.as_ref()].into_iter().flatten().for_each(|c| c.add_to(most));
        self.rounds.iter().for_each(|round| round.each_clock(|c| c.add_to(most)));
    }

    /// A version that no granule has had: 22 bits of the thread's number, 37 of its own count.
    pub fn next_version(&mut self) -> Version {
        self.versions += 1;
        Version::numbered((self.id.0 as u64) << 42 >> 5 | self.versions & ((1 << 37) - 1))
    }

    /// Tells the fast paths about the current epoch; after everything that may begin a new one, or change what is ignored.
    pub fn refresh(&mut self) {
        let exact = access::fast_paths() && self.ignore_reads == 0 && self.ignore_writes == 0;
        self.quick = exact && access::is_quick();
        tls::set::<{ offset::QUICK }>(if self.quick { self as *mut Thread as u64 } else { 0 });
        self.tell(exact);
    }

    /// As [`Thread::refresh`], when nothing but the epoch may have changed.
    #[inline]
    pub fn goes_on(&mut self) {
        if self.quick { self.tell(true) } else { self.refresh() }
    }

    /// Tells the fast paths about the epoch, if what they decide is to be decided.
    #[inline(always)]
    fn tell(&mut self, exact: bool) {
        let start = self.state.epoch();
        self.placer.epoch(start);
        tls::set::<{ offset::EPOCH }>(if exact { start.0 } else { tls::NEVER });
        tls::set::<{ offset::TWO }>(if exact { since(start).0 } else { 0 });
        if self.sees() {
            // SAFETY: the table is this thread's own.
            unsafe { (*self.seen.cast_mut()).empty() };
        }
        self.lately.renew();
        // Not under what a signal has interrupted: it may have looked already which owner it is.
        if self.state.is_exhausted() && self.in_handler == 0 {
            self.move_on();
        }
    }

    /// All that it does is looked at, and nothing else is done with it.
    #[inline]
    pub fn is_watched(&self) -> bool {
        self.quick && self.ignore_sync == 0
    }

    /// The clocks of the slot are used up: goes on in another.
    #[cold]
    fn move_on(&mut self) {
        let (old, now) = (self.state.slot(), self.state.now());
        let (slot, before) = slots::take(None, self.id);
        self.state.move_to(slot, before);
        self.owner = bias::owner(slot);
        self.placer.restart(self.state.epoch());
        slots::leave(old, now, now);
        self.refresh();
    }
}

/// What threads have done that have ended.
static ENDED: Mutex<Counts> = Mutex::new(Counts::NONE);

/// What threads have done.
#[derive(Clone, Copy)]
pub struct Counts {
    /// How often each rule applied, in slow paths.
    pub rules: [u64; Rule::ALL.len()],
    /// How many checks of plain accesses were made, where they are counted; one of a range counts once.
    pub checks: u64,
}

impl Counts {
    const NONE: Counts = Counts { rules: [0; Rule::ALL.len()], checks: 0 };

    fn add(&mut self, other: &Counts) {
        self.rules.iter_mut().zip(other.rules).for_each(|(sum, rule)| *sum += rule);
        self.checks += other.checks;
    }

    /// Of all threads, ended or not: all others are kept out of the runtime while they are asked.
    pub fn of_all(own: &Thread) -> Counts {
        gate::shut(Some(own));
        let mut sum = *ENDED.lock();
        gate::each(|thread| sum.add(&thread.counts));
        gate::open();
        sum
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        gate::remove(self);
        ENDED.lock().add(&self.counts);
        if self.sees() {
            // SAFETY: it came from a box, and nobody else has it.
            drop(unsafe { Box::from_raw(self.seen.cast_mut()) });
        }
    }
}

/// Frames of threads that are over, or that the runtime does not know: written, never read.
pub(crate) static SCRATCH: [core::sync::atomic::AtomicU8; SCRATCH_BYTES] =
    [const { core::sync::atomic::AtomicU8::new(0) }; SCRATCH_BYTES];
pub(crate) const SCRATCH_BYTES: usize = 1 << 20;

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
        if known.busy.load(Ordering::Relaxed) > 0 {
            return None;
        }
        gate::enter(&known.busy);
        Some(Stay { thread })
    }

    /// The runtime was left without looking whether signals wait: they do.
    #[cold]
    #[inline(never)]
    pub fn leave() {
        drop(Stay::begin());
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
        gate::leave(&thread.busy);
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
