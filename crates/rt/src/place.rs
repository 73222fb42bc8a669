//! Where a thread is: its shadow stack, the mutexes it holds, and the stamps that say so.

use crate::locksets::{self, Hold};
use crate::os;
use crate::sites::{MERGED, Note, SITES, Site};
use crate::slots::{Filed, Log};
use crate::tls::{self, offset};
use alloc::vec::Vec;
use core::cell::Cell;
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

/// Stamps at hand: so many at first, and up to so many where a thread's epochs have many places.
const CACHE: usize = 64;
const LARGEST_CACHE: usize = 4096;

/// The latest stamp of a place: used again in the same epoch, and in the next one the place itself is at hand.
#[derive(Clone, Copy)]
struct Cached {
    /// The program counter, and the note in its upper 16 bits.
    key: u64,
    word: Word,
    caller: Site,
    site: Site,
    filed: Filed,
}

/// The site of a call.
#[derive(Clone, Copy)]
struct Call {
    pc: u64,
    caller: Site,
    site: Site,
}

/// How many of them are at hand.
const CALLS: usize = 64;

/// The number of a set of mutexes.
#[derive(Clone, Copy)]
struct Lockset {
    hash: u64,
    number: u32,
}

/// How many of them are at hand, at first and where a thread has many.
const LOCKSETS: usize = 16;
const MOST_LOCKSETS: usize = 1024;

/// A stamp that stands for two.
#[derive(Clone, Copy)]
struct Merge {
    old: Word,
    /// With the extent of what it stands for.
    new: Word,
    word: Word,
}

/// How many of them are at hand.
const MERGES: usize = 256;

const NONE: Cached =
    Cached { key: 0, word: Word::NONE, caller: Site::NOWHERE, site: Site::NOWHERE, filed: Filed::NONE };
const NO_MERGE: Merge = Merge { old: Word::NONE, new: Word::NONE, word: Word::NONE };
const NO_LOCKSET: Lockset = Lockset { hash: 0, number: 0 };
const NO_CALL: Call = Call { pc: 0, caller: Site::NOWHERE, site: Site::NOWHERE };

/// The place of a thread. The top of the shadow stack is in thread-local storage while the thread is current.
pub struct Placer {
    frames: *mut Frame,
    bytes: usize,
    top: *mut Frame,
    cache: Vec<Cached>,
    /// How often a stamp of the current epoch had to make room for another.
    crowded: usize,
    /// Merged stamps at hand, and what they were made of.
    merges: Vec<Merge>,
    /// Sites of calls at hand.
    calls: [Cell<Call>; CALLS],
    /// Stamps before this one are not used again: an epoch has begun, or mutexes were taken since.
    floor: Word,
    held: Vec<Hold>,
    /// Of the mutexes held, in whatever order.
    held_hash: u64,
    /// Numbers of sets of mutexes at hand.
    locksets: Vec<Lockset>,
    /// What was done when.
    log: Log,
    /// Where in it places are written at present; none if that is to be found out.
    filed: Filed,
    /// The access under way: the program counter, and the note in its upper 16 bits.
    key: u64,
}

impl Placer {
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
            cache: alloc::vec![NONE; CACHE],
            crowded: 0,
            merges: alloc::vec![NO_MERGE; MERGES],
            calls: [const { Cell::new(NO_CALL) }; CALLS],
            floor: Word::NONE,
            held: Vec::new(),
            held_hash: 0,
            locksets: alloc::vec![NO_LOCKSET; LOCKSETS],
            log: Log::new(),
            filed: Filed::NONE,
            key: 0,
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
    #[cold]
    fn find_callers(&self, top: *mut Frame) -> Site {
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
        let hash = (pc ^ (caller.0 as u64) << 17).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let cached = &self.calls[hash as usize % CALLS];
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
        self.key = key(pc, note);
        self
    }

    /// Where the access under way is made.
    pub fn current(&self) -> (u64, Note) {
        (self.key & PC, Note((self.key >> 48) as u16))
    }

    /// The number of the set of mutexes held.
    pub fn lockset(&mut self) -> u32 {
        if self.held.is_empty() {
            return 0;
        }
        let hash = self.held_hash;
        let at = hash as usize & (self.locksets.len() - 1);
        if self.locksets[at].hash == hash {
            return self.locksets[at].number;
        }
        self.find_lockset(hash)
    }

    #[inline(never)]
    fn find_lockset(&mut self, hash: u64) -> u32 {
        let number = locksets::intern(&self.held);
        let place = |all: &[Lockset], hash: u64| hash as usize & (all.len() - 1);
        if self.locksets[place(&self.locksets, hash)].hash != 0 && self.locksets.len() < MOST_LOCKSETS {
            let mut more = alloc::vec![NO_LOCKSET; self.locksets.len() * 2];
            for old in &self.locksets {
                let at = place(&more, old.hash);
                more[at] = *old;
            }
            self.locksets = more;
        }
        let at = place(&self.locksets, hash);
        self.locksets[at] = Lockset { hash, number };
        number
    }

    /// The mutexes held, in the order in which they were taken.
    pub fn held(&self) -> &[Hold] {
        &self.held
    }

    /// A mutex was taken.
    pub fn took(&mut self, hold: Hold, now: Word) {
        self.held.push(hold);
        self.held_hash = self.held_hash.wrapping_add(hold.hash());
        self.changed(now);
    }

    /// A mutex was given back.
    pub fn gave(&mut self, mutex: u64, now: Word) {
        if let Some(i) = self.held.iter().rposition(|h| h.mutex == mutex) {
            self.held_hash = self.held_hash.wrapping_sub(self.held.remove(i).hash());
            self.changed(now);
        }
    }

    /// Other mutexes are held from now on.
    fn changed(&mut self, now: Word) {
        self.floor = next(now);
        let locks = self.lockset();
        self.filed = self.log.filed(locks);
    }

    /// A new epoch begins with that word.
    #[inline]
    pub fn epoch(&mut self, start: Word) {
        self.floor = Word(self.floor.0.max(start.0));
    }

    /// A stamp for a place that is at hand, of another epoch.
    #[inline]
    fn stamp_again(&mut self, thread: &mut ThreadState, at: usize) -> Word {
        let word = thread.stamp();
        let cached = &mut self.cache[at];
        if cached.filed.is_beside(self.filed) && self.log.again(word, cached.filed) {
            cached.word = word;
            return word;
        }
        let cached = *cached;
        self.file(thread, word, at, cached)
    }

    /// A stamp for a place that is not at hand.
    #[inline(never)]
    fn stamp_new(&mut self, thread: &mut ThreadState, at: usize, caller: Site) -> Word {
        let (pc, note) = self.current();
        let site = SITES.intern(caller, pc, note);
        let word = thread.stamp();
        self.file(thread, word, at, Cached { key: self.key, caller, site, ..NONE })
    }

    /// Writes the place down in the log, and keeps it at hand.
    #[inline(never)]
    fn file(&mut self, thread: &mut ThreadState, mut word: Word, at: usize, place: Cached) -> Word {
        let locks = self.lockset();
        self.filed = self.log.record(thread, &mut word, place.site, locks);
        self.keep(at, Cached { word, filed: self.filed, ..place });
        word
    }

    /// Where in the cache a place belongs.
    #[inline]
    fn bucket(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & (self.cache.len() - 1)
    }

    /// Keeps a stamp at hand. Where too many of an epoch fall on the same places the cache grows, since each new stamp costs an entry in the log.
    fn keep(&mut self, at: usize, new: Cached) {
        let old = &self.cache[at];
        self.crowded +=
            (old.word.0 >= self.floor.0 && (old.key, old.caller) != (new.key, new.caller)) as usize;
        if self.crowded > self.cache.len() && self.cache.len() < LARGEST_CACHE {
            self.cache = alloc::vec![NONE; self.cache.len() * 2];
            self.crowded = 0;
        }
        let at = at & (self.cache.len() - 1);
        self.cache[at] = new;
    }

    /// The thread goes on in another slot: nothing of the old one is used again.
    pub fn restart(&mut self, start: Word) {
        self.cache.fill(NONE);
        self.merges.fill(NO_MERGE);
        self.floor = start;
        self.log.forget();
        self.filed = Filed::NONE;
    }
}

impl Placer {
    /// The stamp of an access from there, with the extent [`Word::WHOLE`], if all that it takes is at hand.
    #[inline(always)]
    pub fn at_hand(&mut self, thread: &mut ThreadState, pc: u64, note: Note) -> Option<Word> {
        let top = tls::get::<{ offset::FRAMES }>() as *mut Frame;
        // SAFETY: below the first frame there is one that has no site.
        let caller = unsafe { (*top.sub(1)).site };
        let caller = Site(caller as u32);
        let key = key(pc, note);
        let at = self.bucket(key ^ (caller.0 as u64) << 7);
        // SAFETY: a bucket is in the cache.
        let cached = unsafe { self.cache.get_unchecked_mut(at) };
        if cached.key != key || cached.caller != caller || caller == Site::NOWHERE {
            return None;
        }
        if cached.word.0 < self.floor.0 {
            if !cached.filed.is_beside(self.filed) {
                return None;
            }
            let word = thread.stamp();
            if !self.log.again(word, cached.filed) {
                return None;
            }
            cached.word = word;
        }
        Some(cached.word)
    }
}

/// In a key: the program counter.
const PC: u64 = (1 << 48) - 1;

#[inline]
fn key(pc: u64, note: Note) -> u64 {
    pc & PC | (note.0 as u64) << 48
}

/// The stamp behind the latest one.
fn next(now: Word) -> Word {
    Word(now.0 + 1)
}

impl Stamps for Placer {
    #[inline(always)]
    fn here(&mut self, thread: &mut ThreadState) -> Word {
        let caller = self.caller();
        let at = self.bucket(self.key ^ (caller.0 as u64) << 7);
        let cached = &self.cache[at];
        if cached.key != self.key || cached.caller != caller {
            return self.stamp_new(thread, at, caller);
        }
        // The cache holds stamps of the thread's present slot only, so later means in this epoch.
        if cached.word.0 >= self.floor.0 {
            return cached.word;
        }
        self.stamp_again(thread, at)
    }

    #[inline]
    fn merged(&mut self, thread: &mut ThreadState, old: Word, new: Word, extent: u8) -> Word {
        let (old, new) = (old.epoch(), new.with_extent(extent));
        if let Some(word) = self.merged_at_hand(old, new) {
            return word;
        }
        let word = self.merge(thread, old, new);
        self.merges[bucket_of_merge(old, new)] = Merge { old, new, word };
        word
    }
}

fn bucket_of_merge(old: Word, new: Word) -> usize {
    let hash = (old.0 ^ new.0.rotate_left(20)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    hash as usize % MERGES
}

impl Placer {
    /// The stamp of the current epoch that stands for `new` at the bytes of its extent and for `old` elsewhere, if it is at hand.
    #[inline]
    pub fn merged_at_hand(&self, old: Word, new: Word) -> Option<Word> {
        let merge = &self.merges[bucket_of_merge(old.epoch(), new)];
        let is_it = merge.old == old.epoch() && merge.new == new && merge.word.0 >= self.floor.0;
        is_it.then_some(merge.word)
    }
}

impl Placer {
    /// A stamp that stands for `new` at the bytes of its extent and for `old` elsewhere.
    #[inline(never)]
    fn merge(&mut self, thread: &mut ThreadState, old: Word, new: Word) -> Word {
        let [from, to] = [old, new].map(|word| self.log.site(word));
        let site = SITES.merge(from, to, new.extent());
        // Merged stamps are cached like others, as if called from nowhere: the same places are merged again where their stamps are others.
        let key = MERGED | site.0 as u64;
        let at = self.bucket(key);
        let cached = self.cache[at];
        if cached.key == key {
            return if cached.word.0 >= self.floor.0 { cached.word } else { self.stamp_again(thread, at) };
        }
        let word = thread.stamp();
        self.file(thread, word, at, Cached { key, site, ..NONE })
    }
}

impl Drop for Placer {
    fn drop(&mut self) {
        // SAFETY: the thread has ended; nobody pushes frames any more.
        let _ = unsafe { os::munmap(self.frames as usize - FRAME, self.bytes) };
    }
}
