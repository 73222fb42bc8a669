//! From a conflict to a finding that a person can use: stacks, threads, mutexes, what the memory is.
//!
//! Never called with a cell's lock held. One report at a time; each pair of places once.

use crate::deadlock;
use crate::descriptors;
use crate::expected;
use crate::external;
use crate::heap::{self, Block};
use crate::locksets;
use crate::modules::{self, Names};
use crate::os::{self, Mutex};
use crate::output;
use crate::record::{self, What};
use crate::registry;
use crate::scattered::Part;
use crate::sites::{Note, SITES, Site};
use crate::slots;
use crate::sync;
use crate::thread::Thread;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use deadheat_finding::{
    Access, AccessMode, Addr, Edge, Finding, Frame, Freed, Held, Kind, Life, Memory, Missing, MutexId, Place,
    Stack, ThreadId, ThreadSort, why,
};
use deadheat_online::Word;
use deadheat_shadow::{Conflict, Mode};

struct Reporter {
    names: Names,
    /// Pairs of places that were told.
    told: BTreeSet<(u64, u64)>,
}

static REPORTER: Mutex<Reporter> = Mutex::new(Reporter { names: modules::names(), told: BTreeSet::new() });
static FOUND: AtomicU64 = AtomicU64::new(0);
static LISTENER: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Says whom to tell of each finding, beside the user.
pub fn set_listener(f: fn(&Finding)) {
    LISTENER.store(f as *mut (), Ordering::Release);
}

/// How many findings there were, without the suppressed ones.
pub fn found() -> u64 {
    FOUND.load(Ordering::Relaxed)
}

/// An access raced with an earlier one. The placer still says where it was made.
#[cold]
pub fn race(thread: &mut Thread, granule: u64, address: u64, size: u64, mode: Mode, conflict: Conflict) {
    if !output::enabled(Kind::DataRace) || expected::covers(address, size) {
        return;
    }
    let (pc, note) = thread.placer.current();
    let prior_at =
        slots::lookup(conflict.prior, Part::new(granule, conflict.mode.writes(), 1 << conflict.byte));
    let prior_site = prior_at.map_or(Site::NOWHERE, |(site, _)| site);
    drop(record::event(thread, pc, What::Race { address, size, with: prior_site.0 }));
    let prior_note = SITES.note(prior_site);
    let prior_pcs = SITES.stack(prior_site);
    let atomic = matches!(mode, Mode::AtomicRead | Mode::AtomicWrite)
        || matches!(conflict.mode, Mode::AtomicRead | Mode::AtomicWrite);
    if atomic && !output::options().report_atomic_races {
        return;
    }
    let other = prior_pcs.first().copied().unwrap_or(0);
    if !is_new((other.min(pc), other.max(pc))) {
        return;
    }
    let here = thread.placer.site(pc, note);
    let mut draft = Draft::begin(thread);
    // A block that is freed too early is a race; what comes after the free is a use of it.
    let freed = prior_note.says(Note::FREE);
    let vptr = note.says(Note::VPTR) || prior_note.says(Note::VPTR);
    let kind = match (freed, vptr) {
        (false, false) => Kind::DataRace,
        (false, true) => Kind::DataRaceOnVptr,
        (true, false) => Kind::UseAfterFree,
        (true, true) => Kind::UseAfterFreeOnVptr,
    };
    draft.finding.kind = kind;
    draft.finding.title = note.tag().or(prior_note.tag()).map(external::header).unwrap_or_default();
    let held = draft.thread.placer.lockset();
    let current = Access {
        mode: access_mode(mode, note),
        size,
        addr: Addr(address),
        object: object(note),
        thread: draft.thread.id,
        held: draft.held(held),
        stack: draft.stack(here),
    };
    let byte = granule + conflict.byte as u64;
    let prior_size = prior_note.bytes().max(1) as u64;
    let prior_thread = slots::tenant(conflict.prior).unwrap_or(ThreadId(u32::MAX));
    let prior = Access {
        mode: access_mode(conflict.mode, prior_note),
        size: prior_size,
        addr: Addr(if prior_note.says(Note::FREE) { address } else { prior_note.first(byte) }),
        object: object(prior_note),
        thread: prior_thread,
        held: prior_at.map_or(Vec::new(), |(_, set)| draft.held(set)),
        stack: draft.stack_of(&prior_pcs),
    };
    draft.finding.why = why(&prior, &current, missing(draft.thread, conflict.prior, prior_thread));
    draft.mention(current.thread);
    draft.mention(prior.thread);
    draft.finding.accesses = alloc::vec![current, prior];
    draft.finding.memory = draft.memory(if note.says(Note::FREE) { byte } else { address.max(granule) });
    draft.publish();
}

/// The type of the object that is used, if the note says that one is.
fn object(note: Note) -> String {
    note.tag().map(|tag| external::name(tag).unwrap_or_else(|| "external object".into())).unwrap_or_default()
}

fn access_mode(mode: Mode, note: Note) -> AccessMode {
    match mode {
        _ if note.says(Note::FREE) => AccessMode::Free,
        Mode::Read => AccessMode::Read,
        Mode::Write => AccessMode::Write,
        Mode::AtomicRead => AccessMode::AtomicRead,
        Mode::AtomicWrite => AccessMode::AtomicWrite,
    }
}

/// What ordering was missing, from what the thread knows of the other.
fn missing(thread: &Thread, prior: Word, other: ThreadId) -> Missing {
    let known = thread.state.known().get(prior.slot());
    let parent = |id| registry::info(id).and_then(|i| i.created_by);
    if parent(other) == Some(thread.id) && known.0 == 0 {
        Missing::NotJoined
    } else if parent(thread.id) == Some(other) {
        Missing::SinceCreation
    } else if known.0 == 0 {
        Missing::NeverMet
    } else {
        Missing::NotAcquired
    }
}

/// A mutex was used wrongly.
pub fn mutex_bug(thread: &mut Thread, kind: Kind, address: u64, created: Site, pc: u64) {
    if !output::enabled(kind) {
        return;
    }
    let site = thread.placer.site(pc, Note::CALL);
    let mut draft = Draft::begin(thread);
    draft.finding.kind = kind;
    let place = Place { what: String::new(), thread: draft.thread.id, stack: draft.stack(site) };
    draft.finding.places.push(place);
    draft.mutex(address, Some(created));
    draft.mention(draft.thread.id);
    draft.publish();
}

/// Mutexes are taken in orders that can end in a deadlock.
pub fn lock_order(thread: &mut Thread, cycle: Vec<deadlock::Edge>) {
    if !output::enabled(Kind::LockOrderInversion) {
        return;
    }
    let mut draft = Draft::begin(thread);
    draft.finding.kind = Kind::LockOrderInversion;
    for edge in cycle {
        let held = draft.mutex(edge.from.1, None);
        let taken = draft.mutex(edge.to.1, None);
        draft.mention(edge.thread);
        let both = output::options().second_deadlock_stack;
        let held_stack = if both { draft.stack(edge.held_at) } else { Stack::default() };
        let stack = draft.stack(edge.asked_at);
        draft.finding.cycle.push(Edge { held, taken, thread: edge.thread, stack, held_stack });
    }
    draft.publish();
}

/// Threads that nobody joined or detached, at exit.
pub fn thread_leaks(thread: &mut Thread) {
    if !output::enabled(Kind::ThreadLeak) {
        return;
    }
    let mut leaks: Vec<(ThreadId, Site, u32)> = Vec::new();
    registry::each(|id, info| {
        if id == ThreadId::MAIN || info.detached || info.fiber || info.life != Life::Finished {
            return;
        }
        match leaks.iter_mut().find(|(_, site, _)| *site == info.created) {
            Some((_, _, more)) => *more += 1,
            None => leaks.push((id, info.created, 0)),
        }
    });
    for (id, _, more) in leaks {
        let mut draft = Draft::begin(thread);
        draft.finding.kind = Kind::ThreadLeak;
        draft.finding.similar = more;
        draft.mention(id);
        draft.publish();
    }
}

/// Something wrong at the current place of the thread, of a kind that needs no more than its stack.
pub fn simple(thread: &mut Thread, kind: Kind, pc: u64, what: &str) {
    if !output::enabled(kind) {
        return;
    }
    let site = thread.placer.site(pc, Note::CALL);
    if !is_new((kind as u64, pc)) {
        return;
    }
    let mut draft = Draft::begin(thread);
    draft.finding.kind = kind;
    let place = Place { what: what.into(), thread: draft.thread.id, stack: draft.stack(site) };
    draft.finding.places.push(place);
    draft.mention(draft.thread.id);
    draft.publish();
}

/// The functions at that place, the innermost first.
pub fn frames(pc: u64) -> Vec<Frame> {
    let mut reporter = REPORTER.lock();
    reporter.names.set_modules(modules::loaded());
    modules::frames(&reporter.names, pc)
}

/// The global variable at that address.
pub fn global(address: u64) -> Option<Memory> {
    let mut reporter = REPORTER.lock();
    reporter.names.set_modules(modules::loaded());
    modules::global(&reporter.names, address)
}

/// That pair of places has not been told yet.
fn is_new(pair: (u64, u64)) -> bool {
    !output::options().suppress_equal_stacks || REPORTER.lock().told.insert(pair)
}

/// A finding in the making; holds the reporter.
struct Draft<'a> {
    thread: &'a mut Thread,
    finding: Finding,
    reporter: os::Guard<'static, Reporter>,
}

impl Draft<'_> {
    fn begin(thread: &mut Thread) -> Draft<'_> {
        let mut reporter = REPORTER.lock();
        reporter.names.set_modules(modules::loaded());
        Draft { thread, finding: Finding::new(Kind::DataRace, os::getpid() as u32), reporter }
    }

    fn stack(&self, site: Site) -> Stack {
        self.stack_of(&SITES.stack(site))
    }

    fn stack_of(&self, pcs: &[u64]) -> Stack {
        if output::options().symbolize {
            modules::stack(&self.reporter.names, pcs)
        } else {
            modules::bare_stack(pcs)
        }
    }

    /// The mutexes of a lockset, mentioned.
    fn held(&mut self, lockset: u32) -> Vec<Held> {
        let members = locksets::members(lockset);
        members.into_iter().map(|(address, hold)| Held { mutex: self.mutex(address, None), hold }).collect()
    }

    /// The mutex at that address, mentioned.
    fn mutex(&mut self, address: u64, created: Option<Site>) -> MutexId {
        if let Some(known) = self.finding.mutexes.iter().find(|m| m.addr.0 == address) {
            return known.id;
        }
        let seen = sync::with_existing(address, |o| (o.created, o.mutex.destroyed));
        let created = created.or(seen.map(|(site, _)| site)).unwrap_or_default();
        let id = MutexId(self.finding.mutexes.len() as u32);
        self.finding.mutexes.push(deadheat_finding::Mutex {
            id,
            addr: Addr(address),
            created: self.stack(created),
            destroyed: seen.is_none_or(|(_, destroyed)| destroyed),
        });
        id
    }

    /// The thread, and who created it if that is asked for, mentioned.
    fn mention(&mut self, id: ThreadId) {
        if id == ThreadId::MAIN || self.finding.threads.iter().any(|t| t.id == id) {
            return;
        }
        let Some(info) = registry::info(id) else { return };
        let created = self.stack(info.created);
        self.finding.threads.push(deadheat_finding::Thread {
            id,
            sort: if info.fiber { ThreadSort::Fiber } else { ThreadSort::Thread },
            name: info.name,
            os_tid: info.os_tid,
            life: info.life,
            created_by: info.created_by,
            created,
        });
        if output::options().print_full_thread_history
            && let Some(parent) = info.created_by
        {
            self.mention(parent);
        }
    }

    fn memory(&mut self, address: u64) -> Memory {
        if let Some(d) = descriptors::at(address) {
            self.mention(d.thread);
            let stack = self.stack(d.site);
            return Memory::FileDescriptor { fd: d.fd, closed: d.closed, thread: d.thread, stack };
        }
        if let Some(block) = heap::block_of(address as usize) {
            return self.block(block, address);
        }
        let mut place = None;
        registry::each(|id, info| {
            let within = |(start, end): (u64, u64)| (start..end).contains(&address);
            if info.life == Life::Running && within(info.tls) {
                place = Some(Memory::ThreadLocal { thread: id });
            } else if info.life == Life::Running && within(info.stack) && place.is_none() {
                place = Some(Memory::Stack { thread: id });
            }
        });
        if let Some(Memory::ThreadLocal { thread } | Memory::Stack { thread }) = place {
            self.mention(thread);
        }
        place.or_else(|| modules::global(&self.reporter.names, address)).unwrap_or_default()
    }

    fn block(&mut self, block: Block, address: u64) -> Memory {
        let thread = ThreadId(block.origin.thread);
        self.mention(thread);
        let freed =
            block.freed_by.map(|by| Freed { thread: ThreadId(by.thread), stack: self.stack(Site(by.site)) });
        let told = self.finding.accesses.iter().any(|a| a.mode == AccessMode::Free);
        Memory::Heap {
            start: Addr(block.start as u64),
            size: block.size as u64,
            offset: address.saturating_sub(block.start as u64),
            object: external::tag_of_block(block.start as u64, block.origin.site)
                .and_then(external::name)
                .unwrap_or_default(),
            thread,
            stack: self.stack(Site(block.origin.site)),
            freed: freed.filter(|_| !told),
        }
    }

    fn publish(self) {
        let Draft { finding, reporter, .. } = self;
        if !output::publish(&finding) {
            return;
        }
        FOUND.fetch_add(1, Ordering::Relaxed);
        // Others may report while the listener is busy.
        drop(reporter);
        let listener = LISTENER.load(Ordering::Acquire);
        if !listener.is_null() {
            // SAFETY: only `set_listener` stores there.
            unsafe { core::mem::transmute::<*mut (), fn(&Finding)>(listener)(&finding) }
        }
        if output::options().halt_on_error {
            output::exit(output::options().exitcode);
        }
    }
}

/// Holds reports back during `fork`.
pub fn lock_all() {
    REPORTER.lock_raw();
}

/// Lets them go on.
///
/// # Safety
/// This thread, or the one whose copy it is, must have called [`lock_all`].
pub unsafe fn unlock_all() {
    // SAFETY: as the caller promises.
    unsafe { REPORTER.unlock_raw() }
}
