//! Reports for programs that want to read them: what `__tsan_on_report` is called with, and the questions that it may ask about it.

use super::hooks;
use crate::entries;
use alloc::ffi::CString;
use alloc::vec::Vec;
use core::ffi::{CStr, c_char, c_int, c_ulong, c_void};
use core::sync::atomic::{AtomicPtr, Ordering};
use deadheat_finding::{AccessMode, Finding, Kind, Life, Memory, Stack, ThreadId};
use deadheat_rt::external;
use deadheat_rt::heap;
use deadheat_rt::os;
use deadheat_rt::registry;
use deadheat_rt::sites::{SITES, Site};
use deadheat_rt::thread::Stay;

/// A finding, with its texts as C wants them.
pub struct Report<'a> {
    finding: &'a Finding,
    names: Vec<CString>,
    /// The tag of the object that it is about, or zero.
    tag: u64,
    told_by: i32,
}

/// The report that the program is being told of.
static CURRENT: AtomicPtr<Report<'static>> = AtomicPtr::new(core::ptr::null_mut());

/// Tells the program of a finding, if it wants to know.
pub fn tell(finding: &Finding) {
    let Some(listener) = hooks::on_report() else { return };
    let name = |t: &deadheat_finding::Thread| CString::new(t.name.as_str()).unwrap_or_default();
    let names = finding.threads.iter().map(name).collect();
    let object = finding.accesses.iter().map(|a| a.object.as_str()).find(|o| !o.is_empty());
    let tag = object.and_then(external::tag).unwrap_or(0);
    let mut report = Report { finding, names, tag, told_by: os::gettid() };
    let before = CURRENT.swap((&raw mut report).cast(), Ordering::AcqRel);
    listener((&raw const report).cast());
    CURRENT.store(before, Ordering::Release);
}

/// What ThreadSanitizer's interface calls it.
fn description(kind: Kind) -> &'static CStr {
    match kind {
        Kind::DataRace => c"data-race",
        Kind::DataRaceOnVptr => c"data-race-vptr",
        Kind::UseAfterFree => c"heap-use-after-free",
        Kind::UseAfterFreeOnVptr => c"heap-use-after-free-vptr",
        Kind::LockOrderInversion => c"lock-order-inversion",
        Kind::DoubleLock => c"mutex-double-lock",
        Kind::UnlockUnlocked | Kind::UnlockForeign => c"mutex-bad-unlock",
        Kind::ReadLockMisuse => c"mutex-bad-read-lock",
        Kind::ReadUnlockMisuse => c"mutex-bad-read-unlock",
        Kind::DestroyLocked => c"locked-mutex-destroy",
        Kind::UseOfDestroyedMutex => c"mutex-invalid-access",
        Kind::ThreadLeak => c"thread-leak",
        Kind::SignalUnsafeCall => c"signal-unsafe-call",
        Kind::SignalErrnoSpoiled => c"errno-in-signal-handler",
    }
}

/// Writes the program counters of a stack, and a zero behind them if there is room.
///
/// # Safety
/// `trace` has room for so many addresses, or is null.
unsafe fn copy(stack: &Stack, trace: *mut u64, room: c_ulong) {
    if trace.is_null() {
        return;
    }
    let pcs = stack.0.iter().filter(|f| !f.inlined).map(|f| f.pc.0);
    for (i, pc) in pcs.chain([0]).take(room as usize).enumerate() {
        // SAFETY: the caller's promise.
        unsafe { *trace.add(i) = pc };
    }
}

/// Writes an answer, if there is a place for it.
///
/// # Safety
/// `place` is a variable of the program, or null.
unsafe fn answer<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: the caller's promise.
        unsafe { place.write(value) };
    }
}

/// What the report is about.
///
/// # Safety
/// `report` is the one that the program is being told of.
unsafe fn of<'a>(report: *const Report<'a>) -> &'a Finding {
    // SAFETY: the caller's promise.
    unsafe { &*report }.finding
}

fn stacks(finding: &Finding) -> impl Iterator<Item = &Stack> {
    finding.places.iter().map(|p| &p.stack).chain(finding.cycle.iter().map(|e| &e.stack))
}

fn number(thread: ThreadId) -> c_int {
    thread.0 as c_int
}

entries! {
    fn __tsan_get_current_report(pc;) -> *const c_void {
        let report = CURRENT.load(Ordering::Acquire);
        // SAFETY: lives as long as the program is told of it, by the thread that asks if it is this one's.
        let ours = unsafe { report.as_ref() }.is_some_and(|r| r.told_by == os::gettid());
        if ours { report as *const c_void } else { core::ptr::null() }
    }

    fn __tsan_get_report_data(pc; report: *const Report<'_>, what: *mut *const c_char, count: *mut c_int, stack_count: *mut c_int,
        access_count: *mut c_int, place_count: *mut c_int, mutex_count: *mut c_int, thread_count: *mut c_int, tid_count: *mut c_int,
        slept: *mut u64, room: c_ulong) -> c_int {
        // SAFETY: the report that the program was given, and its variables.
        unsafe {
            let finding = of(report);
            answer(what, description(finding.kind).as_ptr());
            answer(count, finding.similar as c_int);
            answer(stack_count, stacks(finding).count() as c_int);
            answer(access_count, finding.accesses.len() as c_int);
            answer(place_count, (finding.memory != Memory::Unknown) as c_int);
            answer(mutex_count, finding.mutexes.len() as c_int);
            answer(thread_count, finding.threads.len() as c_int);
            answer(tid_count, finding.threads.len() as c_int);
            copy(&finding.slept, slept, room);
        }
        1
    }

    fn __tsan_get_report_tag(pc; report: *const Report<'_>, tag: *mut u64) -> c_int {
        // SAFETY: the report that the program was given, and its variable.
        unsafe { answer(tag, (*report).tag) };
        1
    }

    fn __tsan_get_report_stack(pc; report: *const Report<'_>, index: c_ulong, trace: *mut u64, room: c_ulong) -> c_int {
        // SAFETY: the report that the program was given, and its variables.
        unsafe {
            let Some(stack) = stacks(of(report)).nth(index as usize) else { return 0 };
            copy(stack, trace, room);
        }
        1
    }

    fn __tsan_get_report_mop(pc; report: *const Report<'_>, index: c_ulong, thread: *mut c_int, address: *mut u64, size: *mut c_int,
        writes: *mut c_int, atomic: *mut c_int, trace: *mut u64, room: c_ulong) -> c_int {
        // SAFETY: the report that the program was given, and its variables.
        unsafe {
            let Some(a) = of(report).accesses.get(index as usize) else { return 0 };
            answer(thread, number(a.thread));
            answer(address, a.addr.0);
            answer(size, a.size as c_int);
            answer(writes, !matches!(a.mode, AccessMode::Read | AccessMode::AtomicRead) as c_int);
            answer(atomic, a.mode.atomic() as c_int);
            copy(&a.stack, trace, room);
        }
        1
    }

    fn __tsan_get_report_loc(pc; report: *const Report<'_>, index: c_ulong, what: *mut *const c_char, address: *mut u64, start: *mut u64,
        size: *mut c_ulong, thread: *mut c_int, fd: *mut c_int, suppressable: *mut c_int, trace: *mut u64, room: c_ulong) -> c_int {
        // SAFETY: the report that the program was given, and its variables.
        let finding = unsafe { of(report) };
        let accessed = finding.accesses.first().map_or(0, |a| a.addr.0);
        let nowhere = Stack::default();
        let (name, from, bytes, whose, file, stack) = match &finding.memory {
            _ if index > 0 => return 0,
            Memory::Unknown => return 0,
            Memory::Heap { start, size, thread, stack, .. } => (c"heap", start.0, *size, number(*thread), 0, stack),
            Memory::Global { start, size, .. } => (c"global", start.0, size.unwrap_or(0), 0, 0, &nowhere),
            Memory::ThreadLocal { thread } => (c"tls", 0, 0, number(*thread), 0, &nowhere),
            Memory::Stack { thread } => (c"stack", 0, 0, number(*thread), 0, &nowhere),
            Memory::FileDescriptor { fd, thread, stack, .. } => (c"fd", 0, 0, number(*thread), *fd, stack),
        };
        // SAFETY: as above.
        unsafe {
            answer(what, name.as_ptr());
            answer(address, accessed);
            answer(start, from);
            answer(size, bytes);
            answer(thread, whose);
            answer(fd, file);
            answer(suppressable, 0);
            copy(stack, trace, room);
        }
        1
    }

    fn __tsan_get_report_loc_object_type(pc; report: *const Report<'_>, index: c_ulong, name: *mut *const c_char) -> c_int {
        // SAFETY: the report that the program was given, and its variable.
        unsafe { answer(name, external::c_name((*report).tag).unwrap_or(c"".as_ptr())) };
        1
    }

    fn __tsan_get_report_mutex(pc; report: *const Report<'_>, index: c_ulong, id: *mut u64, address: *mut u64, destroyed: *mut c_int,
        trace: *mut u64, room: c_ulong) -> c_int {
        // SAFETY: the report that the program was given, and its variables.
        unsafe {
            let Some(m) = of(report).mutexes.get(index as usize) else { return 0 };
            answer(id, m.id.0 as u64);
            answer(address, m.addr.0);
            answer(destroyed, m.destroyed as c_int);
            copy(&m.created, trace, room);
        }
        1
    }

    fn __tsan_get_report_thread(pc; report: *const Report<'_>, index: c_ulong, id: *mut c_int, os_id: *mut u64, running: *mut c_int,
        name: *mut *const c_char, parent: *mut c_int, trace: *mut u64, room: c_ulong) -> c_int {
        // SAFETY: the report that the program was given, and its variables.
        unsafe {
            let Report { finding, names, .. } = &*report;
            let (Some(t), Some(called)) = (finding.threads.get(index as usize), names.get(index as usize)) else { return 0 };
            answer(id, number(t.id));
            answer(os_id, t.os_tid);
            answer(running, (t.life == Life::Running) as c_int);
            answer(name, called.as_ptr());
            answer(parent, t.created_by.map_or(-1, number));
            copy(&t.created, trace, room);
        }
        1
    }

    fn __tsan_get_report_unique_tid(pc; report: *const Report<'_>, index: c_ulong, id: *mut c_int) -> c_int {
        // SAFETY: the report that the program was given, and its variable.
        unsafe {
            let Some(t) = of(report).threads.get(index as usize) else { return 0 };
            answer(id, number(t.id));
        }
        1
    }

    fn __tsan_locate_address(pc; address: u64, name: *mut c_char, room: c_ulong, start: *mut u64, size: *mut u64) -> *const c_char {
        let within = |(from, to): (u64, u64)| (from..to).contains(&address);
        let mut found = (c"", 0, 0);
        let _stay = Stay::begin();
        if let Some(block) = heap::block_of(address as usize) {
            found = (c"heap", block.start as u64, block.size as u64);
        } else {
            registry::each(|_, i| {
                if within(i.tls) {
                    found = (c"tls", i.tls.0, i.tls.1 - i.tls.0);
                } else if within(i.stack) && found.2 == 0 {
                    found = (c"stack", i.stack.0, i.stack.1 - i.stack.0);
                }
            });
        }
        // SAFETY: the program's variables; no name is known here.
        unsafe {
            if room > 0 {
                answer(name, 0);
            }
            answer(start, found.1);
            answer(size, found.2);
        }
        found.0.as_ptr()
    }

    fn __tsan_get_alloc_stack(pc; address: u64, trace: *mut u64, room: c_ulong, thread: *mut c_int, os_id: *mut u64) -> c_int {
        let _stay = Stay::begin();
        let Some(block) = heap::block_of(address as usize) else { return 0 };
        let pcs = SITES.stack(Site(block.origin.site));
        let tid = registry::info(ThreadId(block.origin.thread)).map_or(0, |i| i.os_tid);
        // SAFETY: the program's variables.
        unsafe {
            answer(thread, block.origin.thread as c_int);
            answer(os_id, tid);
            for (i, pc) in pcs.iter().take(room as usize).enumerate() {
                *trace.add(i) = *pc;
            }
        }
        pcs.len().min(room as usize) as c_int
    }
}
