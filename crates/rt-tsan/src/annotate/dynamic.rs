//! Dynamic annotations: the `Annotate…` functions that programs call under many race detectors, each with the file and line of the call.

use super::known;
use crate::entries;
use crate::intercept::threads;
use alloc::string::String;
use core::ffi::{CStr, c_char, c_double, c_int};
use deadheat_finding::Hold;
use deadheat_rt::mutex::{self, Again, Lifetime, Remains};
use deadheat_rt::thread::{Stay, Thread};
use deadheat_rt::{access, expected, sync};

type File = *const c_char;

fn hold(writes: u64) -> Hold {
    if writes != 0 { Hold::Write } else { Hold::Read }
}

/// A text of the program's.
fn text(of: *const c_char) -> String {
    if of.is_null() {
        return String::new();
    }
    // SAFETY: the program's text.
    String::from_utf8_lossy(unsafe { CStr::from_ptr(of) }.to_bytes()).into_owned()
}

/// Changes what is ignored of the thread.
fn ignoring(change: impl FnOnce(&mut Thread)) {
    known(|t| {
        change(t);
        t.refresh();
    });
}

entries! {
    fn AnnotateHappensBefore(pc; file: File, line: c_int, address: u64) {
        known(|t| sync::release(t, address));
    }

    fn AnnotateHappensAfter(pc; file: File, line: c_int, address: u64) {
        known(|t| sync::acquire(t, address));
    }

    fn WTFAnnotateHappensBefore(pc; file: File, line: c_int, address: u64) {
        known(|t| sync::release(t, address));
    }

    fn WTFAnnotateHappensAfter(pc; file: File, line: c_int, address: u64) {
        known(|t| sync::acquire(t, address));
    }

    fn AnnotateCondVarSignal(pc; file: File, line: c_int, condition: u64) {
        known(|t| sync::release(t, condition));
    }

    fn AnnotateCondVarSignalAll(pc; file: File, line: c_int, condition: u64) {
        known(|t| sync::release(t, condition));
    }

    fn AnnotateCondVarWait(pc; file: File, line: c_int, condition: u64, lock: u64) {
        known(|t| sync::acquire(t, condition));
    }

    fn AnnotateRWLockCreate(pc; file: File, line: c_int, lock: u64) {
        known(|t| mutex::create(t, lock, Lifetime::Usual, pc));
    }

    fn AnnotateRWLockCreateStatic(pc; file: File, line: c_int, lock: u64) {
        known(|t| mutex::create(t, lock, Lifetime::Static, pc));
    }

    fn AnnotateRWLockDestroy(pc; file: File, line: c_int, lock: u64) {
        known(|t| mutex::destroy(t, lock, Remains::Mark, pc));
    }

    fn AnnotateRWLockAcquired(pc; file: File, line: c_int, lock: u64, writes: u64) {
        known(|t| mutex::locked(t, lock, hold(writes), pc));
    }

    fn AnnotateRWLockReleased(pc; file: File, line: c_int, lock: u64, writes: u64) {
        known(|t| mutex::unlocking(t, lock, Some(hold(writes)), || Again::Deadlocks, pc));
    }

    fn AnnotateIgnoreReadsBegin(pc; file: File, line: c_int) {
        ignoring(|t| t.ignore_reads += 1);
    }

    fn AnnotateIgnoreReadsEnd(pc; file: File, line: c_int) {
        ignoring(|t| t.ignore_reads = t.ignore_reads.saturating_sub(1));
    }

    fn AnnotateIgnoreWritesBegin(pc; file: File, line: c_int) {
        ignoring(|t| t.ignore_writes += 1);
    }

    fn AnnotateIgnoreWritesEnd(pc; file: File, line: c_int) {
        ignoring(|t| t.ignore_writes = t.ignore_writes.saturating_sub(1));
    }

    fn AnnotateIgnoreSyncBegin(pc; file: File, line: c_int) {
        ignoring(|t| t.ignore_sync += 1);
    }

    fn AnnotateIgnoreSyncEnd(pc; file: File, line: c_int) {
        ignoring(|t| t.ignore_sync = t.ignore_sync.saturating_sub(1));
    }

    fn AnnotateBenignRace(pc; file: File, line: c_int, address: u64, why: *const c_char) {
        known(|_| expected::allow(address, 1));
    }

    fn AnnotateBenignRaceSized(pc; file: File, line: c_int, address: u64, size: u64, why: *const c_char) {
        known(|_| expected::allow(address, size));
    }

    fn WTFAnnotateBenignRaceSized(pc; file: File, line: c_int, address: u64, size: u64, why: *const c_char) {
        known(|_| expected::allow(address, size));
    }

    fn AnnotateExpectRace(pc; file: File, line: c_int, address: u64, why: *const c_char) {
        known(|_| expected::promise(address, alloc::format!("{}:{line}", text(file)), text(why)));
    }

    fn AnnotateFlushExpectedRaces(pc; file: File, line: c_int) {
        known(|_| expected::settle());
    }

    fn AnnotateNewMemory(pc; file: File, line: c_int, address: u64, size: u64) {
        known(|_| access::forget(address, size));
    }

    fn AnnotateThreadName(pc; file: File, line: c_int, name: *const c_char) {
        known(|t| threads::name(t.id, name));
    }

    // The rest speaks of what detectors without happens-before need to be told, or of their state.

    fn AnnotatePublishMemoryRange(pc; file: File, line: c_int, address: u64, size: u64) {}
    fn AnnotateUnpublishMemoryRange(pc; file: File, line: c_int, address: u64, size: u64) {}
    fn AnnotateMutexIsUsedAsCondVar(pc; file: File, line: c_int, lock: u64) {}
    fn AnnotateMutexIsNotPHB(pc; file: File, line: c_int, lock: u64) {}
    fn AnnotateTraceMemory(pc; file: File, line: c_int, address: u64) {}
    fn AnnotateFlushState(pc; file: File, line: c_int) {}
    fn AnnotateEnableRaceDetection(pc; file: File, line: c_int, enable: c_int) {}
    fn AnnotateNoOp(pc; file: File, line: c_int, address: u64) {}
    fn AnnotateMemoryIsInitialized(pc; file: File, line: c_int, address: u64, size: u64) {}
    fn AnnotateMemoryIsUninitialized(pc; file: File, line: c_int, address: u64, size: u64) {}

    // A queue between threads: who gets comes after who put.

    fn AnnotatePCQCreate(pc; file: File, line: c_int, queue: u64) {}

    fn AnnotatePCQDestroy(pc; file: File, line: c_int, queue: u64) {
        if let Some(_thread) = Stay::begin() {
            sync::remove(queue);
        }
    }

    fn AnnotatePCQPut(pc; file: File, line: c_int, queue: u64) {
        known(|t| sync::release(t, queue));
    }

    fn AnnotatePCQGet(pc; file: File, line: c_int, queue: u64) {
        known(|t| sync::acquire(t, queue));
    }
}

/// This is not Valgrind.
#[unsafe(export_name = "__interceptor_RunningOnValgrind")]
extern "C" fn running_on_valgrind() -> c_int {
    0
}

/// How much slower programs are; tests stretch their time limits by it.
#[unsafe(export_name = "__interceptor_ValgrindSlowdown")]
extern "C" fn valgrind_slowdown() -> c_double {
    10.0
}
