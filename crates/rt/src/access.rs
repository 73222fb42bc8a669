//! Accesses to the program's memory, where the fast paths gave up: of any size, at any address.

use crate::bias;
use crate::os;
use crate::place::Placer;
use crate::prefault::may_be_new;
use crate::quick::{from_place, is_made, remember};
use crate::ranges::{each_cell, whole};
use crate::record;
use crate::report;
use crate::sites::Note;
use crate::sync::Things;
use crate::thread::Thread;
use crate::tls;
use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use deadheat_finding::options::Algorithm;
use deadheat_online::{
    Outcome, Pair, Rule, Stamp, ThreadState, VarState, Version, Word, baselines, handlers, pair,
};
use deadheat_shadow::{Access, Conflict, Layout, Memory, Mode, Open, Stamps, is_flat};

/// What is remembered of all memory, beside the cells.
pub static MEMORY: Memory = Memory::new();

static MASK: AtomicU64 = AtomicU64::new(0);
static BASE: AtomicU64 = AtomicU64::new(0);
static ALGORITHM: AtomicU8 = AtomicU8::new(Algorithm::V2 as u8);
static FAST_PATHS: AtomicBool = AtomicBool::new(true);
static QUICK: AtomicBool = AtomicBool::new(true);

/// How often the program has said that memory is no longer what it was, beside `malloc` and `free`.
pub static FORGOTTEN: AtomicU64 = AtomicU64::new(0);

/// Where cells are. Until it is chosen there are none.
pub fn layout() -> Layout {
    Layout { mask: MASK.load(Ordering::Relaxed), base: BASE.load(Ordering::Relaxed) }
}

/// Says where cells are; once, at start.
pub fn set_layout(layout: Layout) {
    MASK.store(layout.mask, Ordering::Relaxed);
    BASE.store(layout.base, Ordering::Relaxed);
}

/// Says how to check; once, at start. `counted`: every access is to be seen by the slow path.
pub fn set_algorithm(algorithm: Algorithm, counted: bool) {
    ALGORITHM.store(algorithm as u8, Ordering::Relaxed);
    FAST_PATHS.store(algorithm != Algorithm::V1 && !counted, Ordering::Relaxed);
    QUICK.store(algorithm == Algorithm::V2 && !counted, Ordering::Relaxed);
}

/// Accesses in the current epoch may be decided by the assembly of the fast paths.
#[inline]
pub fn fast_paths() -> bool {
    FAST_PATHS.load(Ordering::Relaxed)
}

/// Accesses are only checked, by v2: not counted, not recorded.
#[inline]
pub fn is_quick() -> bool {
    QUICK.load(Ordering::Relaxed) && !record::is_on()
}

/// The cell of the granule at that address.
#[inline]
pub fn cell(address: u64) -> &'static VarState {
    // SAFETY: the layout maps every address at which the program has memory to reserved, zeroed memory; zeroes are a valid cell.
    unsafe { &*(layout().cell(address) as *const VarState) }
}

/// The bytes of a granule from `offset` on, `size` of them.
#[inline]
pub fn extent(offset: u64, size: u64) -> u8 {
    (((1u32 << size) - 1) << offset) as u8
}

/// A plain access of any size.
#[inline(never)]
pub fn plain(thread: &mut Thread, address: u64, size: u64, mode: Mode, pc: u64, note: Note) {
    if mode.writes() {
        known(thread, address, size, Mode::Write, pc, note);
    } else {
        known(thread, address, size, Mode::Read, pc, note);
    }
}

/// A plain access of which the caller knows when it is compiled what it does, and to how many bytes: a copy for each.
#[inline(always)]
pub fn known(thread: &mut Thread, address: u64, size: u64, mode: Mode, pc: u64, note: Note) {
    if !thread.quick {
        return watched(thread, address, size, mode, pc, note);
    }
    thread.placer.at(pc, note.at(address, size));
    one_or_many(thread, address, size, mode);
}

/// A plain access that may have to be ignored, or recorded, or checked by another algorithm.
#[inline(never)]
fn watched(thread: &mut Thread, address: u64, size: u64, mode: Mode, pc: u64, note: Note) {
    thread.counts.checks += 1;
    noted(thread, address, size, mode, pc, note);
}

pub(crate) fn noted(thread: &mut Thread, address: u64, size: u64, mode: Mode, pc: u64, note: Note) {
    let ignored = if mode.writes() { thread.ignore_writes } else { thread.ignore_reads };
    if ignored == 0 {
        let _turn = record::plain(thread, address, size, mode, pc, note);
        thread.placer.at(pc, note.at(address, size));
        one_or_many(thread, address, size, mode);
    }
}

#[inline(always)]
fn one_or_many(thread: &mut Thread, address: u64, size: u64, mode: Mode) {
    let offset = address & 7;
    if offset + size > 8 {
        return many(thread, address, size, mode);
    }
    let access = Access { mode, extent: extent(offset, size) };
    if let Some(conflict) = checked(thread, address & !7, access) {
        report::race(thread, address & !7, address, size, mode, conflict);
    }
}

/// An access that spans granules: each for itself. One race is enough to tell.
#[inline(never)]
fn many(thread: &mut Thread, address: u64, size: u64, mode: Mode) {
    let end = address.saturating_add(size);
    let (first, last) = ((address + 7) & !7, end & !7);
    let part = |thread: &mut Thread, from: u64, to: u64| {
        let access = Access { mode, extent: extent(from & 7, to - from) };
        checked_part(thread, from & !7, access).map(|conflict| (from & !7, conflict))
    };
    let mut found = None;
    if address < first {
        found = part(thread, address, first.min(end));
    }
    let inner = whole(thread, first, last, mode);
    found = found.or(inner);
    if last < end && last >= first {
        let rest = part(thread, last, end);
        found = found.or(rest);
    }
    if let Some((granule, conflict)) = found {
        report::race(thread, granule, address, size, mode, conflict);
    }
}

/// An access to two whole granules, as vectorised loops make them.
#[inline(never)]
pub fn two(thread: &mut Thread, address: u64, mode: Mode, pc: u64) {
    if !thread.quick || !address.is_multiple_of(8) {
        return plain(thread, address, 16, mode, pc, Note::CALL);
    }
    thread.placer.at(pc, Note::size(16));
    if let Some((granule, conflict)) = whole(thread, address, address + 16, mode) {
        report::race(thread, granule, address, 16, mode, conflict);
    }
}

/// As [`checked`], of a part of an access that is not known to be done with.
#[inline(never)]
pub(crate) fn checked_part(thread: &mut Thread, granule: u64, access: Access) -> Option<Conflict> {
    if thread.quick && is_made(thread, granule, cell(granule).seen(), access) {
        return None;
    }
    checked(thread, granule, access)
}

/// The access to one granule: its first conflict.
#[inline(always)]
fn checked(thread: &mut Thread, granule: u64, access: Access) -> Option<Conflict> {
    let cell = cell(granule);
    if !thread.quick {
        if is_quick() {
            thread.owner.claim(cell);
        }
        thread.placer.to(granule, access.mode.writes());
        return handled(thread, cell, access, None);
    }
    let Thread { state, placer, prefault, .. } = &mut *thread;
    if may_be_new(cell, cell.seen()) {
        prefault.touch(cell);
    }
    let stamp = placer.here(state);
    if from_place(thread, granule, access, stamp) {
        return None;
    }
    let conflict = handled(thread, cell, access, Some(Version::V2));
    if conflict.is_none() {
        remember(thread, granule, access);
    }
    conflict
}

/// The memory of a block that was just handed out: forgets all about it. Nobody else has it, so the cells are emptied without taking their locks; only a program that
/// still uses what it has freed can come in between, and then no more is lost than what it did in that moment.
pub fn forget_block(address: u64, size: u64) {
    const LARGE: u64 = 256 * 1024;
    if size >= LARGE || !address.is_multiple_of(8) {
        return erase(address, size);
    }
    // Blocks own all of their last granule.
    let (first, last) = (address, (address + size).next_multiple_of(8));
    each_cell(first, last, 8, |granule, cell| {
        let Pair { w, r } = cell.seen();
        if (w.0 | r.0) == 0 {
        } else if (w.0 | r.0) & Word::OTHER == 0 || is_flat(w) && is_flat(r) {
            cell.clear();
        } else {
            forget_bytes(granule, Word::WHOLE);
        }
    });
}

/// The access to one granule, by that version or by the chosen algorithm: its handler if the granule's bytes are one variable, byte by byte if not.
#[inline(never)]
fn handled(
    thread: &mut Thread,
    cell: &VarState,
    access: Access,
    version: Option<Version>,
) -> Option<Conflict> {
    let outcome = match version {
        Some(version) => by_version(version, thread, cell, access),
        None => by_algorithm(thread, cell, access),
    };
    let Some(outcome) = outcome else { return locked(thread, cell, access) };
    thread.counts.rules[outcome.rule as usize] += 1;
    if is_of_set(outcome.rule) {
        keep_at_hand(thread, cell);
    }
    let prior = outcome.race()?;
    Some(Conflict::new(prior, Conflict::mode_of(outcome.rule), access.extent))
}

/// After that rule the variable holds a set of reads in which the thread has read.
#[inline]
fn is_of_set(rule: Rule) -> bool {
    matches!(rule, Rule::ReadSharedSameEpoch | Rule::ReadShared | Rule::ReadShare)
}

/// The set of reads that the cell holds, if this thread has read in it in its current epoch, is at hand for the fast paths from now on. Tells of which bytes it has.
#[inline(never)]
pub(crate) fn keep_at_hand(thread: &mut Thread, cell: &VarState) -> u8 {
    let r = cell.load_r();
    if !thread.quick || !r.is_set() {
        return 0;
    }
    let extent = MEMORY.sets.read_in_epoch(r, &thread.state);
    if extent != 0 {
        thread.has_seen(r, extent);
    }
    extent
}

/// The stamps of a thread, for an access to some bytes of a granule.
struct Here<'a>(&'a mut Placer, u8);

impl Stamp for Here<'_> {
    #[inline(always)]
    fn stamp(&mut self, thread: &mut ThreadState) -> Word {
        self.0.here(thread).with_extent(self.1)
    }
}

#[inline(always)]
fn by_version(version: Version, thread: &mut Thread, cell: &VarState, access: Access) -> Option<Outcome> {
    let Thread { state, placer, .. } = thread;
    let Access { mode, extent } = access;
    let stamp = Here(placer, extent);
    if mode.writes() {
        handlers::write(version, state, cell, &MEMORY.sets, extent, stamp)
    } else {
        handlers::read(version, state, cell, &MEMORY.sets, extent, stamp)
    }
}

/// The handler of the chosen algorithm.
#[inline(never)]
fn by_algorithm(thread: &mut Thread, cell: &VarState, access: Access) -> Option<Outcome> {
    let algorithm = ALGORITHM.load(Ordering::Relaxed);
    for (name, version) in
        [(Algorithm::V1, Version::V1), (Algorithm::V15, Version::V1_5), (Algorithm::V2, Version::V2)]
    {
        if algorithm == name as u8 {
            return by_version(version, thread, cell, access);
        }
    }
    let Thread { state, placer, .. } = thread;
    let Access { mode, extent } = access;
    let (sets, stamp) = (&MEMORY.sets, Here(placer, extent));
    match (algorithm == Algorithm::FtMutex as u8, mode.writes()) {
        (true, false) => baselines::mutex::read(state, cell, sets, extent, stamp),
        (true, true) => baselines::mutex::write(state, cell, sets, extent, stamp),
        (false, false) => baselines::cas::read(state, cell, sets, extent, stamp),
        (false, true) => baselines::cas::write(state, cell, sets, extent, stamp),
    }
}

/// The access byte by byte, under the cell's lock.
#[inline(never)]
fn locked(thread: &mut Thread, cell: &VarState, access: Access) -> Option<Conflict> {
    let Thread { state, placer, .. } = thread;
    // SAFETY: all details of this process have `Things` attached.
    let (rule, conflict) = unsafe { MEMORY.access::<Things>(state, cell, access, placer) };
    thread.counts.rules[rule as usize] += 1;
    if is_of_set(rule) {
        keep_at_hand(thread, cell);
    }
    conflict
}

/// Opens the cell at that address, with its detail, for whatever is attached there.
#[inline(always)]
pub fn open(address: u64) -> Open<'static, Things> {
    let cell = cell(address);
    // A cell with a detail is nobody's to change by plain stores, whosever its block is: a detail is made in a block that was claimed.
    // SAFETY: all details of this process have `Things` attached.
    unsafe { Open::lock_detailed(cell) }.unwrap_or_else(|| open_claimed(cell))
}

/// Opens a cell that has no detail, or is locked.
#[inline(never)]
fn open_claimed(cell: &'static VarState) -> Open<'static, Things> {
    if is_quick() {
        // SAFETY: the current thread's object, if it has one, which only it touches.
        match unsafe { tls::thread().as_ref() } {
            Some(thread) => thread.owner.claim(cell),
            None => bias::share(cell),
        }
    }
    // SAFETY: all details of this process have `Things` attached.
    unsafe { Open::lock(cell) }
}

/// The memory is no longer what it was: fresh from the heap, unmapped, the stack of a thread that starts. Forgets all about it.
pub fn forget(address: u64, size: u64) {
    let _turn = record::fresh(address, size);
    FORGOTTEN.fetch_add(1, Ordering::Relaxed);
    erase(address, size);
}

/// Forgets all about memory that nobody has: what comes of it is told when it is handed out. Whole pages of it give the pages of their cells back to the kernel: mappings come and go at ever new places.
pub fn erase(address: u64, size: u64) {
    const LARGE: u64 = os::PAGE as u64;
    let end = address.saturating_add(size);
    let (first, last) = ((address + 7) & !7, end & !7);
    if first > last {
        return forget_bytes(address & !7, extent(address & 7, size));
    }
    if address < first {
        forget_bytes(address & !7, extent(address & 7, first - address));
    }
    if last < end {
        forget_bytes(last, extent(0, end - last));
    }
    if last - first < LARGE { forget_granules(first, last) } else { forget_pages(first, last) }
}

fn forget_bytes(granule: u64, extent: u8) {
    // SAFETY: all details of this process have `Things` attached.
    unsafe { MEMORY.forget::<Things>(cell(granule), extent) }
}

fn forget_granules(first: u64, last: u64) {
    each_cell(first, last, 8, |granule, cell| {
        let held = Pair { w: cell.load_w(), r: cell.load_r() };
        if held == Pair::default() {
            return;
        }
        if !is_flat(held.w) || !is_flat(held.r) || !pair::replace(cell, held, Pair::default()) {
            forget_bytes(granule, Word::WHOLE);
        }
    });
}

/// Looks only at cells that are in memory, and gives their pages back.
fn forget_pages(first: u64, last: u64) {
    const PAGE: u64 = os::PAGE as u64;
    const SPAN: u64 = PAGE / 2;
    let (from, to) = (first.next_multiple_of(SPAN), last / SPAN * SPAN);
    forget_granules(first, from.min(last));
    forget_granules(to.max(first), last);
    // 128 MiB at a time: reservations may be of terabytes.
    const MOST: u64 = 1 << 16;
    let mut resident = alloc::vec![0u8; MOST.min(to.saturating_sub(from) / SPAN) as usize];
    let mut at = from;
    while at < to {
        // A window's image is contiguous only in pieces; these never cross one, since both are powers of two and aligned below.
        let aligned = MOST * SPAN;
        let pages = ((to - at) / SPAN).min((aligned - at % aligned) / SPAN);
        let cells = layout().cell(at);
        if os::mincore(cells as usize, (pages * PAGE) as usize, &mut resident).is_ok() {
            for page in (0..pages).filter(|p| resident[*p as usize] & 1 != 0) {
                let start = at + page * SPAN;
                forget_granules(start, start + SPAN);
            }
            // SAFETY: the cells were all made empty, and zeroes are empty cells.
            let _ = unsafe { os::madvise(cells as usize, (pages * PAGE) as usize, os::Advice::DontNeed) };
        }
        at += pages * SPAN;
    }
}

/// A mutex is used: an atomic read of its first byte, which races with its making and destruction only.
pub fn mutex_touched(thread: &mut Thread, address: u64, pc: u64) {
    if thread.ignore_reads > 0 {
        return;
    }
    let _turn = record::touched(thread, address, pc);
    let mut cell = open(address);
    let Thread { state, placer, .. } = thread;
    placer.at(pc, Note::size(1));
    let access = Access { mode: Mode::AtomicRead, extent: extent(address & 7, 1) };
    let conflict = cell.detail().atomic(state, &MEMORY.sets, access, placer);
    drop(cell);
    if let Some(conflict) = conflict {
        report::race(thread, address & !7, address, 1, Mode::AtomicRead, conflict);
    }
}
