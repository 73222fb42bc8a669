//! Some granules under the rules of this crate, driven step by step, and what a stamp stands for.
#![allow(dead_code, missing_docs, reason = "each test uses its part")]

use deadheat_online::{
    Clock, LockState, Outcome, Slot, ThreadState, VarState, Version, Word, handlers, pair,
};
use deadheat_shadow::{
    Access, Attachment, Conflict, Memory, Mode, Open, Stamps, flatly_replaced, has_line, renewed, told,
};
use std::cell::Cell;
use std::collections::HashMap;

pub const GRANULES: usize = 3;
pub const BYTES: usize = 8 * GRANULES;
pub const LOCKS: usize = 2;

/// A place in the imagined program.
pub type Site = u32;

/// What a stamp stands for: one place, or what is written down for each byte of each granule, as in the runtime.
#[derive(Clone, Copy)]
enum Meaning {
    Site(Site),
    Scattered,
}

/// A byte of a granule that a stamp stands for, and whether it was written.
type Part = (Slot, Clock, usize, bool, u8);

/// Remembers what each clock stands for. A place that comes again in the same epoch gets the same stamp, as in the runtime; one stamp of an epoch stands for all that is merged in it.
#[derive(Default)]
pub struct Log {
    meanings: HashMap<(Slot, Clock), Meaning>,
    scattered: HashMap<Part, Site>,
    latest: HashMap<(Slot, Site), Word>,
    latest_scattered: HashMap<Slot, Word>,
    here: Site,
    /// What the access under way is to: a granule, and whether it writes.
    to: (usize, bool),
    /// Stamps made, merged ones among them.
    pub stamps: usize,
}

impl Log {
    fn site(&self, word: Word, (granule, writes): (usize, bool), byte: u8) -> Site {
        match self.meanings[&(word.slot(), word.clock())] {
            Meaning::Site(site) => site,
            Meaning::Scattered => self.scattered[&(word.slot(), word.clock(), granule, writes, byte)],
        }
    }

    fn enter(&mut self, word: Word, meaning: Meaning) -> Word {
        self.stamps += 1;
        self.meanings.insert((word.slot(), word.clock()), meaning);
        word
    }
}

impl Stamps for Log {
    fn here(&mut self, thread: &mut ThreadState) -> Word {
        let key = (thread.slot(), self.here);
        if let Some(word) = self.latest.get(&key).filter(|w| thread.is_current(**w)) {
            return *word;
        }
        let word = thread.stamp();
        self.latest.insert(key, word);
        self.enter(word, Meaning::Site(self.here))
    }

    fn merged(&mut self, thread: &mut ThreadState, old: Word, new: Word) -> Word {
        assert!(thread.is_current(old) && thread.is_current(new), "{old:?} and {new:?} are not of one epoch");
        let latest = self.latest_scattered.get(&thread.slot()).copied();
        let stamp = latest.filter(|stamp| thread.is_current(*stamp)).unwrap_or_else(|| {
            let stamp = thread.stamp();
            self.enter(stamp, Meaning::Scattered)
        });
        self.latest_scattered.insert(thread.slot(), stamp);
        for word in [old, new].into_iter().filter(|word| word.epoch() != stamp.epoch()) {
            for byte in (0..8).filter(|byte| word.extent() >> byte & 1 != 0) {
                let site = self.site(word, self.to, byte);
                let part = (stamp.slot(), stamp.clock(), self.to.0, self.to.1, byte);
                self.scattered.insert(part, site);
            }
        }
        stamp
    }
}

thread_local! {
    static DETAILS: Cell<isize> = const { Cell::new(0) };
}

/// How many details there are.
pub fn details() -> isize {
    DETAILS.get()
}

/// Something attached to some bytes; counts the details that carry it.
pub struct Marks(pub u8);

impl Default for Marks {
    fn default() -> Marks {
        DETAILS.set(DETAILS.get() + 1);
        Marks(0)
    }
}

impl Drop for Marks {
    fn drop(&mut self) {
        DETAILS.set(DETAILS.get() - 1);
    }
}

impl Attachment for Marks {
    fn overwritten(&mut self, extent: u8) {
        self.0 &= !extent;
    }
    fn forget(&mut self, extent: u8) {
        self.0 &= !extent;
    }
    fn is_empty(&self) -> bool {
        self.0 == 0
    }
}

/// An earlier access that was told, with the place that its stamp leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Told {
    pub thread: usize,
    pub mode: Mode,
    pub byte: usize,
    pub site: Site,
}

/// The memory under test, its threads and locks.
pub struct Machine {
    pub memory: Memory,
    pub cells: Vec<VarState>,
    pub threads: Vec<ThreadState>,
    pub locks: Vec<LockState>,
    pub log: Log,
    /// Handlers of whole variables are asked first, as in the runtime.
    pub handlers: bool,
}

impl Machine {
    pub fn new() -> Machine {
        Machine {
            handlers: true,
            memory: Memory::new(),
            cells: (0..GRANULES).map(|_| VarState::new()).collect(),
            threads: vec![thread(0)],
            locks: vec![LockState::new(); LOCKS],
            log: Log::default(),
        }
    }

    pub fn fork(&mut self, parent: usize) {
        let mut child = thread(self.threads.len() as u32);
        self.threads[parent].fork(&mut child);
        self.threads.push(child);
    }

    pub fn join(&mut self, waiter: usize, ended: usize) {
        let [waiter, ended] = self.threads.get_disjoint_mut([waiter, ended]).expect("two threads");
        waiter.join(ended);
    }

    /// The access to some bytes of one granule.
    pub fn access(&mut self, by: usize, granule: usize, access: Access, site: Site) -> Option<Told> {
        let Machine { memory, cells, threads, log, handlers, .. } = self;
        let (cell, thread) = (&cells[granule], &mut threads[by]);
        log.here = site;
        log.to = (granule, access.mode.writes());
        let conflict = if matches!(access.mode, Mode::AtomicRead | Mode::AtomicWrite) {
            // SAFETY: all details here are of `Marks`.
            let mut open = unsafe { Open::<Marks>::lock(cell) };
            open.detail().atomic(thread, &memory.sets, access, log)
        } else if *handlers && is_quick(thread, cell, memory, access, log) {
            None
        } else if *handlers && let Some(outcome) = handled(thread, cell, memory, access, log) {
            let mode = Conflict::mode_of(outcome.rule);
            outcome.race().map(|prior| Conflict::new(prior, mode, access.extent))
        } else {
            // SAFETY: as above.
            unsafe { memory.access::<Marks>(thread, cell, access, log) }.1
        };
        let Conflict { prior, mode, byte } = conflict?;
        assert!(access.extent >> byte & 1 != 0, "byte {byte} is not in the extent {:08b}", access.extent);
        let site = log.site(prior, (granule, mode.writes()), byte);
        Some(Told { thread: prior.slot().0 as usize, mode, byte: granule * 8 + byte as usize, site })
    }

    /// Attaches a mark to those bytes.
    pub fn mark(&mut self, granule: usize, extent: u8) {
        // SAFETY: as above.
        let mut open = unsafe { Open::<Marks>::lock(&self.cells[granule]) };
        open.detail().attached.0 |= extent;
    }

    /// The bytes with marks.
    pub fn marks(&self, granule: usize) -> u8 {
        // SAFETY: as above.
        let mut open = unsafe { Open::<Marks>::lock(&self.cells[granule]) };
        open.detail_if_any().map_or(0, |d| d.attached.0)
    }

    pub fn forget(&mut self, granule: usize, extent: u8) {
        // SAFETY: as above.
        unsafe { self.memory.forget::<Marks>(&self.cells[granule], extent) }
    }

    /// The granule is told byte by byte.
    pub fn has_detail(&self, granule: usize) -> bool {
        self.cells[granule].load_w().is_special()
    }
}

/// The access as the runtime tries it first: told already, or exclusive, or a read of a whole granule beside those of a set.
fn is_quick(
    thread: &mut ThreadState,
    cell: &VarState,
    memory: &Memory,
    access: Access,
    log: &mut Log,
) -> bool {
    if told(cell, thread.epoch(), access) == access.extent {
        return true;
    }
    let (stamp, seen) = (log.here(thread), cell.seen());
    if let Some(new) = flatly_replaced(thread, seen, access, stamp, log) {
        assert!(pair::replace(cell, seen, new));
        return true;
    }
    let is_shared = !access.mode.writes() && access.extent == Word::WHOLE && cell.load_r().is_set();
    is_shared && memory.shared(thread, cell, stamp).is_some()
        || has_line(seen) && renewed(thread, cell, access, stamp)
        || memory.ordered(thread, cell, access, stamp, log)
}

/// The access by v2's handlers.
fn handled(
    thread: &mut ThreadState,
    cell: &VarState,
    memory: &Memory,
    access: Access,
    log: &mut Log,
) -> Option<Outcome> {
    let Access { mode, extent } = access;
    let stamp = |thread: &mut ThreadState| log.here(thread).with_extent(extent);
    if mode.writes() {
        handlers::write(Version::V2, thread, cell, &memory.sets, extent, stamp)
    } else {
        handlers::read(Version::V2, thread, cell, &memory.sets, extent, stamp)
    }
}

fn thread(slot: u32) -> ThreadState {
    ThreadState::new(Slot(slot), Clock(0), |_| false)
}
