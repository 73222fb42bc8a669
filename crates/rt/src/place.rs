//! Where a thread is: its shadow stack, the mutexes it holds, and the stamps that say so.

use crate::locksets::{self, Hold};
use crate::os;
use crate::sites::{Note, SITES, Site};
use crate::slots::Log;
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
    pc: u64,
    /// The caller's site and the note.
    context: u64,
    word: Word,
    site: Site,
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

/// How many of them are at hand.
const LOCKSETS: usize = 64;

/// A merged site.
#[derive(Clone, Copy)]
struct Merge {
    old: Site,
    new: Site,
    extent: u8,
    site: Site,
}

/// How many of them are at hand.
const MERGES: usize = 64;

const NONE: Cached = Cached { pc: 0, context: 0, word: Word::NONE, site: Site::NOWHERE };
const NO_MERGE: Merge = Merge { old: Site::NOWHERE, new: Site::NOWHERE, extent: 0, site: Site::NOWHERE };
const NO_CALL: Call = Call { pc: 0, caller: Site::NOWHERE, site: Site::NOWHERE };

/// The place of a thread. The top of the shadow stack is in thread-local storage while the thread is current.
pub struct Placer {
    frames: *mut Frame,
    bytes: usize,
    top: *mut Frame,
    cache: Vec<Cached>,
    /// How often a stamp of the current epoch had to make room for another.
    crowded: usize,
    /// Merged sites at hand, and what they were made of.
    merges: [Merge; MERGES],
    /// Sites of calls at hand.
    calls: [Cell<Call>; CALLS],
    /// Stamps before this one are not used again: an epoch has begun, or mutexes were taken since.
    floor: Word,
    held: Vec<Hold>,
    /// Of the mutexes held, in whatever order.
    held_hash: u64,
    /// Numbers of sets of mutexes at hand.
    locksets: [Lockset; LOCKSETS],
    /// What was done when.
    pub log: Log,
    /// The access under way.
    pc: u64,
    note: Note,
}

impl Placer {
    /// With room for so many frames.
    pub fn new(frames: usize) -> Placer {
        let bytes = os::page_ceil(frames * FRAME);
        let at = match os::map_zeroed(bytes) {
            Ok(at) => at as *mut Frame,
            Err(e) => os::die(os::CANNOT_WORK, format_args!("no memory for the stack of a thread ({e:?})")),
        };
        Placer {
            frames: at,
            bytes,
            top: at,
            cache: alloc::vec![NONE; CACHE],
            crowded: 0,
            merges: [NO_MERGE; MERGES],
            calls: [const { Cell::new(NO_CALL) }; CALLS],
            floor: Word::NONE,
            held: Vec::new(),
            held_hash: 0,
            locksets: [Lockset { hash: 0, number: 0 }; LOCKSETS],
            log: Log::new(),
            pc: 0,
            note: Note::CALL,
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
        (self.pc, self.note) = (pc, note);
        self
    }

    /// Where the access under way is made.
    pub fn current(&self) -> (u64, Note) {
        (self.pc, self.note)
    }

    /// The number of the set of mutexes held.
    pub fn lockset(&mut self) -> u32 {
        if self.held.is_empty() {
            return 0;
        }
        let at = &mut self.locksets[self.held_hash as usize % LOCKSETS];
        if at.hash != self.held_hash {
            *at = Lockset { hash: self.held_hash, number: locksets::intern(&self.held) };
        }
        at.number
    }

    /// The mutexes held, in the order in which they were taken.
    pub fn held(&self) -> &[Hold] {
        &self.held
    }

    /// A mutex was taken.
    pub fn took(&mut self, hold: Hold, now: Word) {
        self.held.push(hold);
        self.held_hash = self.held_hash.wrapping_add(hold.hash());
        self.floor = next(now);
    }

    /// A mutex was given back.
    pub fn gave(&mut self, mutex: u64, now: Word) {
        if let Some(i) = self.held.iter().rposition(|h| h.mutex == mutex) {
            self.held_hash = self.held_hash.wrapping_sub(self.held.remove(i).hash());
            self.floor = next(now);
        }
    }

    /// A new epoch begins with that word.
    #[inline]
    pub fn epoch(&mut self, start: Word) {
        self.floor = Word(self.floor.0.max(start.0));
    }

    #[inline(never)]
    fn stamp_here(&mut self, thread: &mut ThreadState, caller: Site, hash: usize) -> Word {
        let context = (caller.0 as u64) << 16 | self.note.0 as u64;
        let cached = &self.cache[hash];
        if cached.pc == self.pc && cached.context == context {
            let site = cached.site;
            let word = self.stamp_site(thread, site);
            self.cache[hash].word = word;
            return word;
        }
        let site = SITES.intern(caller, self.pc, self.note);
        let word = self.stamp_site(thread, site);
        self.keep(hash, Cached { pc: self.pc, context, word, site });
        word
    }

    /// Where in the cache a place belongs.
    #[inline]
    fn bucket(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & (self.cache.len() - 1)
    }

    /// Keeps a stamp at hand. Where too many of an epoch fall on the same places the cache grows, since each new stamp costs an entry in the log.
    fn keep(&mut self, at: usize, new: Cached) {
        self.crowded += (self.cache[at].word.0 >= self.floor.0) as usize;
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
        self.floor = start;
        self.log.forget();
    }

    fn stamp_site(&mut self, thread: &mut ThreadState, site: Site) -> Word {
        let locks = self.lockset();
        let word = thread.stamp();
        self.log.record(word, site, locks);
        word
    }
}

/// The stamp behind the latest one.
fn next(now: Word) -> Word {
    Word(now.0 + 1)
}

impl Stamps for Placer {
    #[inline(always)]
    fn here(&mut self, thread: &mut ThreadState) -> Word {
        let caller = self.caller();
        let context = (caller.0 as u64) << 16 | self.note.0 as u64;
        let hash = self.bucket(self.pc ^ (caller.0 as u64) << 7);
        let cached = self.cache[hash];
        // The cache holds stamps of the thread's present slot only, so later means in this epoch.
        if cached.pc == self.pc && cached.context == context && cached.word.0 >= self.floor.0 {
            return cached.word;
        }
        self.stamp_here(thread, caller, hash)
    }

    #[inline(never)]
    fn merged(&mut self, thread: &mut ThreadState, old: Word, new: Word, extent: u8) -> Word {
        let [old, new] = [old, new].map(|word| self.log.site(word));
        let site = self.merge(old, new, extent);
        // Merged stamps are cached like others, under a program counter that no program has.
        let key = !(site.0 as u64);
        let hash = self.bucket(site.0 as u64);
        let cached = self.cache[hash];
        if cached.pc == key && cached.word.0 >= self.floor.0 {
            return cached.word;
        }
        let word = self.stamp_site(thread, site);
        self.keep(hash, Cached { pc: key, context: 0, word, site });
        word
    }
}

impl Placer {
    /// The site that stands for `new` at the bytes of the extent and for `old` elsewhere.
    fn merge(&mut self, old: Site, new: Site, extent: u8) -> Site {
        let mixed = (old.0 as u64) << 32 | new.0 as u64 ^ (extent as u64) << 24;
        let at = &mut self.merges[(mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % MERGES];
        if (at.old, at.new, at.extent) != (old, new, extent) {
            *at = Merge { old, new, extent, site: SITES.merge(old, new, extent) };
        }
        at.site
    }
}

impl Drop for Placer {
    fn drop(&mut self) {
        // SAFETY: the thread has ended; nobody pushes frames any more.
        let _ = unsafe { os::munmap(self.frames as usize, self.bytes) };
    }
}
