//! Slots: who lives in each, what happened at each of its clocks, and when a slot may be taken over.
//!
//! A slot of an ended thread goes to a new thread only if the creator knows all that the old one released; so whoever knows a clock of
//! the new thread knows the old one's too, and clocks can simply go on. Accesses that the old thread never released to anybody (a detached thread's last ones) are *orphans*:
//! nothing can ever happen after them, so they are remembered as such and no clock covers them. What was released, but is known to nobody any more, becomes that too ([`crate::reclaim`]).

use crate::bias;
use crate::chunks::{self, CLOCKS, Chunk, Open};
use crate::os::Mutex;
use crate::scattered::{Kept, Part, Scattered};
use crate::sites::Site;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::offset_of;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use deadheat_finding::ThreadId;
use deadheat_online::{Clock, Most, Slot, ThreadState, Word};

const PAGE: usize = 1024;
const PAGES: usize = Slot::LIMIT as usize / PAGE;
/// Bytes of all logs together before the oldest chunks of a slot are dropped, which `history_size` doubles so many times.
static BUDGET: AtomicUsize = AtomicUsize::new(16 << 20);
static ANY_ORPHANS: AtomicBool = AtomicBool::new(false);

/// What is kept of a slot.
#[derive(Default)]
struct History {
    /// The log's chunks, from the chunk numbered `first` on.
    first: u64,
    chunks: VecDeque<Option<Chunk>>,
    /// What stamps of [`Site::SCATTERED`] stand for.
    scattered: Kept,
    /// Which thread lived here from which clock on.
    tenants: Vec<(Clock, ThreadId)>,
    /// Accesses that nothing happens after.
    orphans: Vec<(Clock, Clock)>,
}

/// Tenants older than so many threads are forgotten, as the registry forgets them.
const REMEMBERED: u32 = 1 << 16;
/// Some thread of long ago.
const FORGOTTEN: ThreadId = ThreadId(u32::MAX);

impl History {
    /// A new tenant, from that clock on. Now and then those of long ago are forgotten, so that a thread that ever lived does not cost memory for ever; not those
    /// of orphans, with which everything races that is yet to come.
    fn admit(&mut self, from: Clock, tenant: ThreadId) {
        if self.tenants.len() == self.tenants.capacity() {
            let before = core::mem::take(&mut self.tenants);
            for (i, (first, id)) in before.iter().enumerate() {
                let next = before.get(i + 1).map_or(from, |(next, _)| *next);
                let orphan = self.orphans.partition_point(|(_, last)| last < first);
                let has_orphans = self.orphans.get(orphan).is_some_and(|(first, _)| *first < next);
                let kept = has_orphans || id.0.saturating_add(REMEMBERED) >= tenant.0;
                let id = if kept { *id } else { FORGOTTEN };
                if id != FORGOTTEN || self.tenants.last().is_none_or(|(_, last)| *last != FORGOTTEN) {
                    self.tenants.push((*first, id));
                }
            }
        }
        self.tenants.push((from, tenant));
    }

    /// All accesses after `known` are orphans; `used` is the last clock there is.
    fn orphan(&mut self, known: Clock, used: Clock) {
        let i = self.orphans.partition_point(|(_, last)| *last <= known);
        let after = Clock(known.0 + 1);
        let first = self.orphans.get(i).map_or(after, |(first, _)| after.min(*first));
        self.orphans.truncate(i);
        // One range with the last if nothing lies between.
        match self.orphans.last_mut().filter(|(_, last)| last.0 + 1 == first.0) {
            Some((_, last)) => *last = used,
            None => self.orphans.push((first, used)),
        }
    }

    /// What was done at that clock.
    fn get(&self, clock: Clock) -> Option<(Site, u32)> {
        let index = (clock.0 / CLOCKS as u64).checked_sub(self.first)?;
        self.chunks.get(index as usize)?.as_ref()?.get((clock.0 % CLOCKS as u64) as usize)
    }

    /// The last clock at which something was done.
    fn last(&self) -> Option<Clock> {
        let (i, chunk) = self.chunks.iter().enumerate().rev().find_map(|(i, c)| Some((i, c.as_ref()?)))?;
        Some(Clock((self.first + i as u64) * CLOCKS as u64 + chunk.last()? as u64))
    }
}

struct Place {
    history: Mutex<History>,
    has_orphans: AtomicBool,
}

struct Table {
    pages: [AtomicPtr<[Place; PAGE]>; PAGES],
    state: Mutex<Free>,
}

struct Free {
    made: u32,
    /// Slots of threads that ended since slots were reclaimed, with the last clock that was released.
    ended: Vec<(Slot, Released)>,
    /// Slots of those that ended earlier.
    older: VecDeque<(Slot, Released)>,
    /// Threads that have ended since slots were reclaimed, and how many it takes to do it again.
    left: usize,
    enough: usize,
}

/// So many threads have to end before slots are reclaimed, and one for so many blocks of clocks that were looked at the last time.
const ENOUGH: usize = 256;
const BLOCKS_A_THREAD: usize = 16;

/// The last clocks of an ended thread.
#[derive(Clone, Copy)]
struct Released {
    /// Up to here others may know it.
    known: Clock,
    /// Clocks used in all.
    used: Clock,
}

static TABLE: Table = Table {
    pages: [const { AtomicPtr::new(core::ptr::null_mut()) }; PAGES],
    state: Mutex::new(Free { made: 0, ended: Vec::new(), older: VecDeque::new(), left: 0, enough: ENOUGH }),
};

fn place(slot: Slot) -> &'static Place {
    let page = TABLE.pages[slot.0 as usize / PAGE].load(Ordering::Acquire);
    // SAFETY: pages are made before their slots are handed out, and stay.
    unsafe { &(*page)[slot.0 as usize % PAGE] }
}

fn new_slot(free: &mut Free) -> Slot {
    let slot = Slot(free.made);
    if slot.0 + 1 >= Slot::LIMIT {
        crate::os::die(
            crate::os::CANNOT_WORK,
            format_args!("more than {} threads that nothing orders", Slot::LIMIT),
        );
    }
    free.made += 1;
    if (slot.0 as usize).is_multiple_of(PAGE) {
        let make = || Place { history: Mutex::new(History::default()), has_orphans: AtomicBool::new(false) };
        let page: Box<[Place]> = (0..PAGE).map(|_| make()).collect();
        let page = Box::into_raw(page) as *mut [Place; PAGE];
        TABLE.pages[slot.0 as usize / PAGE].store(page, Ordering::Release);
    }
    slot
}

/// A slot for a thread created by one that knows what `creator` knows (nobody, for the first thread), and the clocks used up in it.
pub fn take(creator: Option<&ThreadState>, tenant: ThreadId) -> (Slot, Clock) {
    let mut free = TABLE.state.lock();
    let (slot, used) = match free.find(creator) {
        Some((slot, released)) => (slot, released.used),
        None => (new_slot(&mut free), Clock(0)),
    };
    drop(free);
    place(slot).history.lock().admit(Clock(used.0 + 1), tenant);
    (slot, used)
}

impl Free {
    /// Takes a slot that is fit for a thread of that creator: as a rule one that was left lately. Of the older ones, those that were not fit go to the other end, so that
    /// all have their turn.
    fn find(&mut self, creator: Option<&ThreadState>) -> Option<(Slot, Released)> {
        const LOOK_AT: usize = 64;
        let known = |slot: Slot| creator.map_or(Clock(0), |c| c.known().get(slot));
        let fit = |(slot, r): (Slot, Released)| r.used.0 < Clock::LIMIT / 2 && known(slot) >= r.known;
        let late = self.ended.len().saturating_sub(LOOK_AT);
        if let Some(i) = (late..self.ended.len()).rev().find(|i| fit(self.ended[*i])) {
            return Some(self.ended.remove(i));
        }
        for _ in 0..LOOK_AT.min(self.older.len()) {
            let older = self.older.pop_back()?;
            if fit(older) {
                return Some(older);
            }
            self.older.push_front(older);
        }
        None
    }
}

/// No slot is fit for a thread of that creator, and so many threads have ended that it is time to look which slots can be reclaimed.
pub fn is_due(creator: &ThreadState) -> bool {
    let mut free = TABLE.state.lock();
    if free.left < free.enough {
        return false;
    }
    let found = free.find(Some(creator));
    free.ended.extend(found);
    found.is_none()
}

/// That is the most that anybody knows (nothing if that could not be found out): what goes beyond it of ended threads nobody will ever know.
pub fn reclaim(most: Option<&Most>) {
    let mut free = TABLE.state.lock();
    free.left = 0;
    let Some(most) = most else { return };
    free.enough = ENOUGH.max(free.made as usize / 2).max(most.looked_at() / BLOCKS_A_THREAD);
    let Free { ended, older, .. } = &mut *free;
    older.extend(ended.drain(..));
    for (slot, released) in older.iter_mut() {
        let known = most.get(*slot);
        if known < released.known {
            released.known = known;
            orphan(*slot, known, released.used);
        }
    }
    // Last, and first to be taken, those that anybody may have.
    older.make_contiguous().sort_unstable_by_key(|(_, released)| core::cmp::Reverse(released.known));
}

/// Of the slot's accesses up to `used`, those after `known` are orphans.
fn orphan(slot: Slot, known: Clock, used: Clock) {
    let here = place(slot);
    here.history.lock().orphan(known, used);
    here.has_orphans.store(true, Ordering::Release);
    ANY_ORPHANS.store(true, Ordering::Release);
}

/// How many slots there are: those of live threads, and of ended ones that nobody could take over yet.
pub fn made() -> u32 {
    TABLE.state.lock().made
}

/// A thread has left the slot. `known` is the last clock it released to anybody; later ones are orphans.
pub fn leave(slot: Slot, known: Clock, used: Clock) {
    if known < used {
        orphan(slot, known, used);
    }
    bias::leave(slot);
    let mut free = TABLE.state.lock();
    free.ended.push((slot, Released { known, used }));
    free.left += 1;
}

/// The access is of a thread that ended without releasing it to anybody. Clock 0 stands for any access of the slot.
pub fn is_orphan(word: Word) -> bool {
    if !ANY_ORPHANS.load(Ordering::Acquire) {
        return false;
    }
    let here = place(word.slot());
    if !here.has_orphans.load(Ordering::Acquire) {
        return false;
    }
    if word.clock() == Clock(0) {
        return true;
    }
    let history = here.history.lock();
    let i = history.orphans.partition_point(|(_, last)| *last < word.clock());
    history.orphans.get(i).is_some_and(|(first, _)| *first <= word.clock())
}

/// In the child of a fork: what other threads did before is done, and happened in another process. The one that is left knows it all.
pub fn after_fork(state: &mut ThreadState) {
    let made = TABLE.state.lock().made;
    let own = state.slot();
    for slot in (0..made).map(Slot) {
        let here = place(slot);
        let mut history = here.history.lock();
        history.orphans.clear();
        here.has_orphans.store(false, Ordering::Release);
        if let Some(last) = history.last().filter(|_| slot != own) {
            state.learn(slot, last);
        }
    }
}

/// Who lived in the slot at that clock.
pub fn tenant(word: Word) -> Option<ThreadId> {
    let history = place(word.slot()).history.lock();
    let i = history.tenants.partition_point(|(from, _)| *from <= word.clock());
    Some(history.tenants.get(i.checked_sub(1)?)?.1).filter(|id| *id != FORGOTTEN)
}

/// Where the access to those bytes was made and which mutexes were held; nothing if it is too long ago.
pub fn lookup(word: Word, part: Part) -> Option<(Site, u32)> {
    let history = place(word.slot()).history.lock();
    match history.get(word.clock())? {
        (Site::SCATTERED, _) => history.get(history.scattered.find(word, part)?),
        told => Some(told),
    }
}

/// Room for what is scattered, in the slot of the thread that writes it.
pub fn open_scattered(slot: Slot, log: &mut Scattered) {
    // An eighth of what the other logs have.
    log.open(&mut place(slot).history.lock().scattered, BUDGET.load(Ordering::Relaxed) / 8);
}

/// Calls `f` with each slot that ever was and the clock of the last access in it.
pub fn latest(mut f: impl FnMut(Slot, Clock)) {
    let made = TABLE.state.lock().made;
    for slot in (0..made).map(Slot) {
        let history = place(slot).history.lock();
        let last = history.last();
        drop(history);
        if let Some(clock) = last {
            f(slot, clock);
        }
    }
}

/// Doubles the reserve of the logs so many times.
pub fn widen(times: u32) {
    BUDGET.store(BUDGET.load(Ordering::Relaxed) << times.min(7), Ordering::Relaxed);
}

/// The writing end of a slot's log: what was done at each clock.
pub struct Log {
    chunk: *const Open,
    number: u64,
    /// The chunk's number if it says which mutexes are held at present, else [`Log::NONE`].
    ready: u64,
}

impl Log {
    /// The number of no chunk.
    const NONE: u64 = u64::MAX;
    /// Where fields are, for [`Log::takes`] in assembly.
    pub(crate) const CHUNK_AT: usize = offset_of!(Log, chunk);
    pub(crate) const READY_AT: usize = offset_of!(Log, ready);

    /// Not open yet.
    pub const fn new() -> Log {
        Log { chunk: core::ptr::null(), number: Log::NONE, ready: Log::NONE }
    }

    /// Writes down where the access of that stamp was made, if that is all there is to do.
    #[inline]
    pub fn takes(&self, word: Word, site: Site) -> bool {
        let clock = word.clock().0;
        if clock / CLOCKS as u64 != self.ready {
            return false;
        }
        // SAFETY: `open` made the chunk, and only this thread's slot drops it, behind its back never: the newest chunk stays.
        unsafe { &*self.chunk }.record(clock as usize, site);
        true
    }

    /// Those mutexes are held from that clock on, which is later than all that were used.
    pub fn holds(&mut self, clock: Clock, locks: u32) {
        // SAFETY: as above.
        let says =
            clock.0 / CLOCKS as u64 == self.number && unsafe { &*self.chunk }.holds(clock.0 as usize, locks);
        self.ready = if says { self.number } else { Log::NONE };
    }

    /// Writes down where the access of that stamp was made, and what was held. It becomes a later one if the chunk has no room for that.
    #[cold]
    pub fn record(&mut self, thread: &mut ThreadState, word: &mut Word, site: Site, locks: u32) {
        while !self.takes(*word, site) {
            let number = word.clock().0 / CLOCKS as u64;
            if number != self.number {
                self.open(word.slot(), number);
            }
            self.holds(word.clock(), locks);
            if self.ready == Log::NONE {
                *word = thread.stamp_from(Clock((number + 1) * CLOCKS as u64));
            }
        }
    }

    #[cold]
    fn open(&mut self, slot: Slot, number: u64) {
        let mut history = place(slot).history.lock();
        if history.chunks.is_empty() {
            history.first = number;
        }
        // The chunk before is full, if it was this log's: from now on it never changes.
        let before = Some(self.number).filter(|before| *before < number);
        let before = before.and_then(|before| before.checked_sub(history.first));
        let again =
            before.and_then(|i| history.chunks.get_mut(i as usize)).and_then(|chunk| chunk.as_mut()?.close());
        while history.first + history.chunks.len() as u64 <= number {
            history.chunks.push_back(None);
        }
        while chunks::bytes() >= BUDGET.load(Ordering::Relaxed) && history.chunks.len() > 1 {
            history.chunks.pop_front();
            history.first += 1;
        }
        let index = (number - history.first) as usize;
        let open = match &history.chunks[index] {
            // An earlier thread of the slot ended here.
            Some(Chunk::Open(open)) => open.clone(),
            _ => again.unwrap_or_default(),
        };
        (self.chunk, self.number, self.ready) = (Arc::as_ptr(&open), number, Log::NONE);
        history.chunks[index] = Some(Chunk::Open(open));
    }

    /// The slot has changed: the next record looks for its chunk.
    pub fn forget(&mut self) {
        *self = Log::new();
    }
}

impl Default for Log {
    fn default() -> Log {
        Log::new()
    }
}
