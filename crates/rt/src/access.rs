//! Accesses to the program's memory, where the fast paths gave up: of any size, at any address.

use crate::os;
use crate::report;
use crate::sites::Note;
use crate::sync::Things;
use crate::thread::Thread;
use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use deadheat_finding::options::Algorithm;
use deadheat_online::{Rule, VarState, Word};
use deadheat_shadow::{Access, Conflict, Layout, Memory, Mode, Open};

/// What is remembered of all memory, beside the cells.
pub static MEMORY: Memory = Memory::new();

static MASK: AtomicU64 = AtomicU64::new(0);
static BASE: AtomicU64 = AtomicU64::new(0);
static ALGORITHM: AtomicU8 = AtomicU8::new(Algorithm::V2 as u8);
static FAST_PATHS: AtomicBool = AtomicBool::new(true);

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
}

/// Accesses in the current epoch may be decided by the assembly of the fast paths.
#[inline]
pub fn fast_paths() -> bool {
    FAST_PATHS.load(Ordering::Relaxed)
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

/// A plain access of up to 16 bytes, or of any size.
#[inline]
pub fn plain(thread: &mut Thread, address: u64, size: u64, mode: Mode, pc: u64, note: Note) {
    if (mode.writes() && thread.ignore_writes > 0) || (!mode.writes() && thread.ignore_reads > 0) {
        return;
    }
    thread.placer.at(pc, note.and(Note::size(size as usize)));
    let offset = address & 7;
    if offset + size <= 8 {
        one(thread, address & !7, address, size, Access { mode, extent: extent(offset, size) });
    } else {
        many(thread, address, size, mode);
    }
}

/// An access that spans granules: each for itself. One race is enough to tell.
fn many(thread: &mut Thread, address: u64, size: u64, mode: Mode) {
    let end = address.saturating_add(size);
    let mut at = address;
    let mut told = false;
    while at < end {
        let next = ((at & !7) + 8).min(end);
        let access = Access { mode, extent: extent(at & 7, next - at) };
        if let Some(conflict) = checked(thread, at & !7, access)
            && !told
        {
            told = true;
            report::race(thread, at & !7, address, size, mode, conflict);
        }
        at = next;
    }
}

#[inline]
fn one(thread: &mut Thread, granule: u64, address: u64, size: u64, access: Access) {
    if let Some(conflict) = checked(thread, granule, access) {
        report::race(thread, granule, address, size, access.mode, conflict);
    }
}

/// The access to one granule, by the chosen algorithm.
#[inline]
fn checked(thread: &mut Thread, granule: u64, access: Access) -> Option<Conflict> {
    let cell = cell(granule);
    let algorithm = ALGORITHM.load(Ordering::Relaxed);
    if algorithm != Algorithm::V1 as u8
        && let Some(rule) = same_epoch(thread, cell, access, algorithm)
    {
        thread.rules[rule as usize] += 1;
        return None;
    }
    if algorithm == Algorithm::FtMutex as u8 || algorithm == Algorithm::FtCas as u8 {
        return crate::baseline::checked(thread, cell, access, algorithm);
    }
    locked(thread, cell, access)
}

/// The access under the cell's lock.
pub fn locked(thread: &mut Thread, cell: &VarState, access: Access) -> Option<Conflict> {
    let Thread { state, placer, .. } = thread;
    // SAFETY: all details of this process have `Things` attached.
    let (rule, conflict) = unsafe { MEMORY.access::<Things>(state, cell, access, placer) };
    thread.rules[rule as usize] += 1;
    conflict
}

/// The same-epoch rules without the lock, for extents that the fast paths do not know.
#[inline]
fn same_epoch(thread: &Thread, cell: &VarState, access: Access, algorithm: u8) -> Option<Rule> {
    let covered = |word: Word| word.extent() & access.extent == access.extent && thread.state.is_current(word);
    if access.mode.writes() {
        return covered(cell.load_w()).then_some(Rule::WriteSameEpoch);
    }
    let r = cell.load_r();
    if covered(r) {
        return Some(Rule::ReadSameEpoch);
    }
    let shared = r.is_special() && algorithm == Algorithm::V2 as u8;
    (shared && MEMORY.sets.read_in_epoch(r, &thread.state)).then_some(Rule::ReadSharedSameEpoch)
}

/// Opens the cell at that address, with its detail, for whatever is attached there.
pub fn open(address: u64) -> Open<'static, Things> {
    // SAFETY: all details of this process have `Things` attached.
    unsafe { Open::lock(cell(address), &MEMORY) }
}

/// The memory is no longer what it was: fresh from the heap, unmapped, the stack of a thread that starts. Forgets all about it.
pub fn forget(address: u64, size: u64) {
    const LARGE: u64 = 256 * 1024;
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
    (first..last).step_by(8).for_each(|granule| forget_bytes(granule, Word::WHOLE));
}

/// Looks only at cells that are in memory, and gives their pages back.
fn forget_pages(first: u64, last: u64) {
    const PAGE: u64 = os::PAGE as u64;
    const SPAN: u64 = PAGE / 2;
    let (from, to) = (first.next_multiple_of(SPAN), last / SPAN * SPAN);
    forget_granules(first, from.min(last));
    forget_granules(to.max(first), last);
    let mut resident = [0u8; 512];
    let mut at = from;
    while at < to {
        let pages = ((to - at) / SPAN).min(resident.len() as u64);
        // A window's image is contiguous only in pieces; chunks of 512 pages never cross a piece, since both are powers of two and aligned below.
        let aligned = (resident.len() as u64) * SPAN;
        let pages = pages.min((aligned - at % aligned) / SPAN);
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
