//! Where a thread is: its shadow stack, the mutexes it holds, and the stamps that say so.

use crate::locksets::{self, Hold};
use crate::os;
use crate::scattered::{Part, Scattered};
use crate::sites::{Note, SITES, Site};
use crate::slots::{self, Log};
use crate::tls::{self, offset};
use crate::ways::{Kept, Ways};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::Cell;
use core::mem::offset_of;
use deadheat_online::{ThreadState, Word};
use deadheat_shadow::Stamps;

/// A frame of the shadow stack: where the function was called from, and the site of that call once somebody asked.
#[repr(C)]
pub struct Frame {
    pc: u64,
    site: u64,
}

/// Bytes of a frame, for the assembly that pushes and pops.
pub const FRAME: usize = size_of::<Frame>();
/// Where fields are in a frame, for the assembly of the shortest way ([`own`](crate::own)).
pub(crate) const PC_OF_FRAME: usize = offset_of!(Frame, pc);
pub(crate) const SITE_OF_FRAME: usize = offset_of!(Frame, site);

/// Stamps at hand: so many at first, and up to so many where a thread's epochs have many places.
const CACHE: usize = 64;
const LARGEST_CACHE: usize = 4096;

/// The latest stamp of a place: used again in the same epoch, and in the next one the place itself is at hand.
#[derive(Clone, Copy)]
pub(crate) struct Cached {
    /// The program counter, and the note in its upper 16 bits.
    key: u64,
    word: Word,
    caller: Site,
    site: Site,
}

impl Kept for Cached {
    const NONE: Cached = Cached { key: 0, word: Word::NONE, caller: Site::NOWHERE, site: Site::NOWHERE };

    fn word(&self) -> Word {
        self.word
    }
}

impl Cached {
    /// Where fields are, for the assembly of the shortest way.
    pub(crate) const KEY_AT: usize = offset_of!(Cached, key);
    pub(crate) const WORD_AT: usize = offset_of!(Cached, word);
    pub(crate) const CALLER_AT: usize = offset_of!(Cached, caller);
    pub(crate) const SITE_AT: usize = offset_of!(Cached, site);

    #[inline(always)]
    fn is(&self, key: u64, caller: Site) -> bool {
        self.key == key && self.caller == caller
    }
}

/// How many of them are to be found with as little as it takes: at first, and at most where places keep pushing each other out.
const DIRECT: usize = 256;
const MOST_DIRECT: usize = 2048;

/// Those, each in the only place where it may be; also read by the assembly of the shortest way ([`own`](crate::own)).
struct Direct {
    at: *mut Cached,
    /// How many there are, less one: they are a power of two.
    last: usize,
}

impl Direct {
    fn new(len: usize) -> Direct {
        let all = alloc::vec![Cached::NONE; len].into_boxed_slice();
        Direct { at: Box::into_raw(all).cast(), last: len - 1 }
    }

    #[inline(always)]
    fn of(&mut self, key: u64, caller: Site) -> &mut Cached {
        let at = (key as u32 ^ caller.0 << SITE_SHIFT ^ (key >> 48) as u32) as usize & self.last;
        // SAFETY: at most the last of its own.
        unsafe { &mut *self.at.add(at) }
    }
}

impl Drop for Direct {
    fn drop(&mut self) {
        // SAFETY: it came from a box, and nobody else has it.
        drop(unsafe { Box::from_raw(core::ptr::slice_from_raw_parts_mut(self.at, self.last + 1)) });
    }
}

/// Where a stamp is among those at hand depends on the number of the caller's site from this bit on.
pub const SITE_SHIFT: u32 = 4;

/// The site of a call.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    pc: u64,
    caller: Site,
    site: Site,
}

impl Call {
    /// Where fields are, for the assembly of the shortest way.
    pub(crate) const PC_AT: usize = offset_of!(Call, pc);
    pub(crate) const CALLER_AT: usize = offset_of!(Call, caller);
    pub(crate) const SITE_AT: usize = offset_of!(Call, site);

    /// The only place where it may be among those at hand.
    #[inline(always)]
    fn place(pc: u64, caller: Site) -> usize {
        let hash = (pc ^ (caller.0 as u64) << CALL_SHIFT).wrapping_mul(CALL_FACTOR) >> CALL_BITS;
        hash as usize % CALLS
    }
}

/// How many of them are at hand.
pub const CALLS: usize = 256;
/// In `Call::place`: by so much the caller is shifted.
pub const CALL_SHIFT: u32 = 17;
/// What that is multiplied by.
pub const CALL_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
/// So many bits of the product do not count.
pub const CALL_BITS: u32 = 40;

/// The number of a set of mutexes.
#[derive(Clone, Copy)]
struct Lockset {
    hash: u64,
    number: u32,
}

/// Sets of mutexes at hand with the same last bits of their hashes.
type Locksets = [Lockset; 4];
/// How many times so many are at hand, at first and where a thread has many.
const LOCKSETS: usize = 4;
const MOST_LOCKSETS: usize = 1 << 11;

const NO_LOCKSET: Lockset = Lockset { hash: 0, number: 0 };
const NO_CALL: Call = Call { pc: 0, caller: Site::NOWHERE, site: Site::NOWHERE };

/// The place of a thread. The top of the shadow stack is in thread-local storage while the thread is current.
pub struct Placer {
    frames: *mut Frame,
    bytes: usize,
    top: *mut Frame,
    cache: Ways<Cached>,
    /// Stamps of the present epoch, as a rule.
    direct: Direct,
    /// How often they did not have a place, since there are so many.
    missed: usize,
    /// Sites of calls at hand.
    calls: [Cell<Call>; CALLS],
    /// Stamps before this one are not used again: an epoch has begun, or mutexes were taken since.
    floor: Word,
    held: Vec<Hold>,
    /// Numbers of sets of mutexes at hand.
    locksets: Vec<Locksets>,
    /// What was done when.
    log: Log,
    /// What was done to different bytes of a granule from different places.
    scattered: Scattered,
    /// The access under way: the program counter, and the note in its upper 16 bits.
    key: u64,
    /// What it is to.
    part: Part,
}

impl Placer {
    /// Where fields are, for the assembly of the shortest way.
    pub(crate) const FLOOR_AT: usize = offset_of!(Placer, floor);
    pub(crate) const STAMPS_AT: usize = offset_of!(Placer, direct) + offset_of!(Direct, at);
    pub(crate) const LAST_STAMP_AT: usize = offset_of!(Placer, direct) + offset_of!(Direct, last);
    pub(crate) const BOTTOM_AT: usize = offset_of!(Placer, frames);
    pub(crate) const CALLS_AT: usize = offset_of!(Placer, calls);
    pub(crate) const CHUNK_AT: usize = offset_of!(Placer, log) + Log::CHUNK_AT;
    pub(crate) const READY_AT: usize = offset_of!(Placer, log) + Log::READY_AT;

    /// With room for so many frames.
    pub fn new(frames: usize) -> Placer {
        let bytes = os::page_ceil((frames + 1) * FRAME);
        let at = match os::map_zeroed(bytes) {
            // The first stays empty: something to look at below the bottom.
            Ok(at) => (at as *mut Frame).wrapping_add(1),
            Err(e) => os::die(os::CANNOT_WORK, format_args!("no memory for the stack of a thread ({e:?})")),
        };
        Placer {
            frames: at,
            bytes,
            top: at,
            cache: Ways::new(CACHE, LARGEST_CACHE),
            direct: Direct::new(DIRECT),
            missed: 0,
            calls: [const { Cell::new(NO_CALL) }; CALLS],
            floor: Word::NONE,
            held: Vec::new(),
            locksets: alloc::vec![[NO_LOCKSET; 4]; LOCKSETS],
            log: Log::new(),
            scattered: Scattered::new(),
            key: 0,
            part: Part::default(),
        }
    }

    /// The top of the stack of a thread that is not current.
    pub fn top(&self) -> *mut Frame {
        self.top
    }

    /// Where the stack begins.
    pub fn bottom(&self) -> *mut Frame {
        self.frames
    }

    /// Keeps the top of a thread that ceases to be current.
    pub fn set_top(&mut self, top: *mut Frame) {
        self.top = top;
    }

    /// The site of the current function's caller.
    #[inline]
    pub fn caller(&self) -> Site {
        let top = tls::get::<{ offset::FRAMES }>() as *mut Frame;
        if top == self.frames {
            return Site::NOWHERE;
        }
        // SAFETY: frames below the top were pushed.
        let frame = unsafe { &*top.sub(1) };
        if frame.site != 0 { Site(frame.site as u32) } else { self.find_callers(top) }
    }

    /// Sites of the frames that have none yet, from the outermost of them in.
    #[inline(never)]
    fn find_callers(&self, top: *mut Frame) -> Site {
        // SAFETY: below the first frame there is one that has no site, and all above it up to the top was pushed.
        let (frame, below) = unsafe { (&mut *top.sub(1), &*top.sub(2)) };
        // As a rule only the innermost is new.
        if below.site != 0 {
            let site = self.call(Site(below.site as u32), frame.pc);
            frame.site = site.0 as u64;
            return site;
        }
        let mut at = top;
        let mut site = Site::NOWHERE;
        // SAFETY: all between the base and the top was pushed.
        unsafe {
            while at != self.frames {
                let frame = &*at.sub(1);
                if frame.site != 0 {
                    site = Site(frame.site as u32);
                    break;
                }
                at = at.sub(1);
            }
            while at != top {
                site = self.call(site, (*at).pc);
                (*at).site = site.0 as u64;
                at = at.add(1);
            }
        }
        site
    }

    /// The site of a call.
    #[inline]
    fn call(&self, caller: Site, pc: u64) -> Site {
        let cached = &self.calls[Call::place(pc, caller)];
        let call = cached.get();
        if call.pc == pc && call.caller == caller {
            return call.site;
        }
        let site = SITES.intern(caller, pc, Note::CALL);
        cached.set(Call { pc, caller, site });
        site
    }

    /// The site of that program counter in the current function.
    pub fn site(&self, pc: u64, note: Note) -> Site {
        SITES.intern(self.caller(), pc, note)
    }

    /// The accesses that follow are made from there.
    #[inline]
    pub fn at(&mut self, pc: u64, note: Note) -> &mut Placer {
        self.key = key(pc & PC, note);
        self
    }

    /// The access that follows is to some bytes of that granule.
    #[inline(always)]
    pub fn to(&mut self, granule: u64, writes: bool) {
        self.part = Part::new(granule, writes, 0);
    }

    /// Where the access under way is made.
    pub fn current(&self) -> (u64, Note) {
        (self.key & PC, Note((self.key >> 48) as u16))
    }

    /// The number of the set of mutexes held.
    #[inline]
    pub fn lockset(&mut self) -> u32 {
        match self.held[..] {
            [] => return 0,
            [Hold { alone: Some(number), .. }] => return number,
            _ => {}
        }
        let hash = self.held_hash();
        let set = &self.locksets[hash as usize & (self.locksets.len() - 1)];
        match set.iter().find(|lockset| lockset.hash == hash) {
            Some(lockset) => lockset.number,
            None => self.find_lockset(hash),
        }
    }

    #[inline(never)]
    fn find_lockset(&mut self, hash: u64) -> u32 {
        let number = locksets::intern(&self.held);
        let at = hash as usize & (self.locksets.len() - 1);
        let is_full = self.locksets[at].iter().all(|lockset| lockset.hash != 0);
        if is_full && self.locksets.len() < MOST_LOCKSETS {
            self.more_locksets();
        }
        let at = hash as usize & (self.locksets.len() - 1);
        // The newest first.
        self.locksets[at].rotate_right(1);
        self.locksets[at][0] = Lockset { hash, number };
        number
    }

    /// Makes room for twice as many.
    fn more_locksets(&mut self) {
        let bit = self.locksets.len() as u64;
        for i in 0..self.locksets.len() {
            let other =
                self.locksets[i].map(|lockset| if lockset.hash & bit != 0 { lockset } else { NO_LOCKSET });
            self.locksets[i]
                .iter_mut()
                .filter(|lockset| lockset.hash & bit != 0)
                .for_each(|lockset| *lockset = NO_LOCKSET);
            self.locksets.push(other);
        }
    }

    /// The mutexes held, in the order in which they were taken.
    pub fn held(&self) -> &[Hold] {
        &self.held
    }

    /// The hash of the set of them, in whatever order.
    #[inline]
    pub fn held_hash(&self) -> u64 {
        self.held.iter().fold(0, |sum, hold| sum.wrapping_add(hold.hash()))
    }

    /// A mutex was taken.
    #[inline]
    pub fn took(&mut self, hold: Hold, now: Word) {
        self.held.push(hold);
        self.changed(now);
    }

    /// A mutex was given back.
    #[inline]
    pub fn gave(&mut self, mutex: u64, now: Word) {
        // As a rule it is the last one.
        if self.held.last().is_some_and(|h| h.mutex == mutex) {
            self.held.truncate(self.held.len() - 1);
        } else if let Some(at) = self.held.iter().rposition(|h| h.mutex == mutex) {
            self.held.remove(at);
        } else {
            return;
        }
        self.changed(now);
    }

    /// Other mutexes are held from now on.
    #[inline]
    fn changed(&mut self, now: Word) {
        self.floor = next(now);
        let locks = self.lockset();
        self.log.holds(self.floor.clock(), locks);
    }

    /// A new epoch begins with that word.
    #[inline]
    pub fn epoch(&mut self, start: Word) {
        self.floor = Word(self.floor.0.max(start.0));
    }

    /// The stamp of that place, at hand from now on.
    #[inline(never)]
    fn find_stamp(&mut self, thread: &mut ThreadState, key: u64) -> Word {
        let caller = self.caller();
        // As a rule the frame is new, and its caller was not known.
        self.stamp_at_hand(thread, key, caller).unwrap_or_else(|| self.look_up(thread, key, caller))
    }

    /// As [`Placer::find_stamp`], where other places were at hand.
    #[inline(never)]
    fn look_up(&mut self, thread: &mut ThreadState, key: u64, caller: Site) -> Word {
        let hash = hash_of_place(key, caller);
        let (word, site) = match self.cache.of(hash).iter().position(|cached| cached.is(key, caller)) {
            Some(way) => {
                let Cached { mut word, site, .. } = self.cache.of(hash)[way];
                // The cache holds stamps of the thread's present slot only, so later means in this epoch.
                if word.0 < self.floor.0 {
                    word = self.stamp_of(thread, site);
                    self.cache.of(hash)[way].word = word;
                }
                (word, site)
            }
            None => {
                let site = SITES.intern(caller, key & PC, Note((key >> 48) as u16));
                let word = self.stamp_of(thread, site);
                self.cache.keep(hash, self.floor, Cached { key, word, caller, site });
                (word, site)
            }
        };
        // What is asked for by a site that is not known yet is not to be found.
        if caller != Site::NOWHERE {
            self.make_room();
            *self.direct.of(key, caller) = Cached { key, word, caller, site };
        }
        word
    }

    /// More stamps are at hand where many were missed.
    fn make_room(&mut self) {
        self.missed += 1;
        let len = self.direct.last + 1;
        if self.missed > 4 * len && len < MOST_DIRECT {
            self.direct = Direct::new(len * 2);
            self.missed = 0;
        }
    }

    /// A new stamp of that site.
    #[inline(always)]
    fn stamp_of(&mut self, thread: &mut ThreadState, site: Site) -> Word {
        let mut word = thread.stamp();
        if !self.log.takes(word, site) {
            let locks = self.lockset();
            self.log.record(thread, &mut word, site, locks);
        }
        word
    }

    /// The thread goes on in another slot: nothing of the old one is used again.
    pub fn restart(&mut self, start: Word) {
        self.cache.clear();
        self.direct = Direct::new(self.direct.last + 1);
        self.floor = start;
        self.log.forget();
        self.scattered = Scattered::new();
    }
}

impl Placer {
    /// The site of the current function's caller, if somebody has asked for it before.
    #[inline(always)]
    fn known_caller() -> Site {
        let top = tls::get::<{ offset::FRAMES }>() as *mut Frame;
        // SAFETY: below the first frame there is one that has no site.
        Site(unsafe { (*top.sub(1)).site } as u32)
    }

    /// The stamp of an access from there, with the extent [`Word::WHOLE`].
    #[inline(always)]
    pub fn stamp(&mut self, thread: &mut ThreadState, pc: u64, note: Note) -> Word {
        self.stamp_of_key(thread, key(pc, note))
    }

    #[inline(always)]
    fn stamp_of_key(&mut self, thread: &mut ThreadState, key: u64) -> Word {
        let known = self.stamp_at_hand(thread, key, Placer::known_caller());
        known.unwrap_or_else(|| self.find_stamp(thread, key))
    }

    /// The stamp of that place, if it was at hand in this epoch or in an earlier one.
    #[inline(always)]
    fn stamp_at_hand(&mut self, thread: &mut ThreadState, key: u64, caller: Site) -> Option<Word> {
        let floor = self.floor;
        let direct = self.direct.of(key, caller);
        if !direct.is(key, caller) {
            return None;
        }
        if direct.word.0 >= floor.0 {
            return Some(direct.word);
        }
        // It was at hand in an earlier epoch.
        let (site, word) = (direct.site, thread.stamp());
        let is_noted = self.log.takes(word, site);
        if is_noted {
            self.direct.of(key, caller).word = word;
        }
        is_noted.then_some(word)
    }
}

/// In a key: the program counter.
const PC: u64 = (1 << 48) - 1;

/// Of a program counter, which has nothing above [`PC`].
#[inline(always)]
fn key(pc: u64, note: Note) -> u64 {
    pc | (note.0 as u64) << 48
}

/// The stamp behind the latest one.
fn next(now: Word) -> Word {
    Word(now.0 + 1)
}

impl Stamps for Placer {
    #[inline(always)]
    fn here(&mut self, thread: &mut ThreadState) -> Word {
        self.stamp_of_key(thread, self.key)
    }

    #[inline(always)]
    fn merged(&mut self, thread: &mut ThreadState, old: Word, new: Word) -> Word {
        if !self.can_merge(thread) {
            self.prepare_to_merge(thread);
        }
        self.merged_at_hand(old, new)
    }
}

#[inline]
fn hash_of_place(key: u64, caller: Site) -> u64 {
    // What is above the bits that count in the end is mixed in before: the note.
    (key ^ key >> 40 ^ (caller.0 as u64) << 7).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Placer {
    /// [`Placer::merged_at_hand`] has what it takes.
    #[inline(always)]
    pub fn can_merge(&self, thread: &ThreadState) -> bool {
        self.scattered.is_ready() && thread.is_current(self.scattered.stamp)
    }

    /// A stamp that stands for several, and room to say for which.
    #[cold]
    #[inline(never)]
    fn prepare_to_merge(&mut self, thread: &mut ThreadState) {
        if !thread.is_current(self.scattered.stamp) {
            self.scattered.stamp = self.stamp_of(thread, Site::SCATTERED);
        }
        if !self.scattered.is_ready() {
            slots::open_scattered(thread.slot(), &mut self.scattered);
        }
    }

    /// The stamp of the current epoch that stands for both accesses to the granule under way, at the bytes of each; for the new one where both are.
    #[inline(always)]
    pub fn merged_at_hand(&mut self, old: Word, new: Word) -> Word {
        let stamp = self.scattered.stamp;
        for word in [old, new] {
            if word.epoch() != stamp.epoch() {
                self.scattered.record(self.part, word);
            }
        }
        stamp
    }
}

impl Drop for Placer {
    fn drop(&mut self) {
        // SAFETY: the thread has ended; nobody pushes frames any more.
        let _ = unsafe { os::munmap(self.frames as usize - FRAME, self.bytes) };
    }
}
