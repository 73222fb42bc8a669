//! Threads: their beginning, and who waits for their end.

use super::{fork, keys, touch};
use crate::interceptors;
use crate::real::Real;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use core::ffi::{CStr, c_char, c_int, c_ulong, c_void};
use core::sync::atomic::{AtomicU32, Ordering};
use deadheat_finding::ThreadId;
use deadheat_rt::os::{self, MaskChange, Mutex, SignalSet};
use deadheat_rt::sites::Note;
use deadheat_rt::thread::{Stay, Thread};
use deadheat_rt::{access, gate, reclaim, record, registry, slots};
use libc::{clockid_t, pthread_attr_t, pthread_t, timespec};

unsafe extern "C" {
    fn pthread_attr_getdetachstate(attributes: *const pthread_attr_t, state: *mut c_int) -> c_int;
    fn pthread_getattr_default_np(attributes: *mut pthread_attr_t) -> c_int;
}

/// What a POSIX thread runs.
pub type Routine = extern "C" fn(*mut c_void) -> *mut c_void;

/// What a new thread needs to begin.
struct Beginning<R> {
    thread: Box<Thread>,
    routine: R,
    argument: *mut c_void,
    /// Which signals the program wants it to hold back, unless the C library was told.
    mask: Option<SignalSet>,
    /// Set once the new thread's handle is known.
    handed_over: Arc<AtomicU32>,
}

/// What the program wants of a new thread.
#[derive(Clone, Copy)]
pub struct Attributes {
    detached: bool,
    /// Bytes of its stack.
    stack: usize,
    /// It has a mask of signals of its own, not that of its creator.
    own_mask: bool,
}

const LARGEST_STACK: usize = 1 << 30;

/// Which of our threads a handle of the C library means, as long as it may be joined.
static HANDLES: Mutex<BTreeMap<usize, ThreadId>> = Mutex::new(BTreeMap::new());

/// Readies what threads need, and the main one, which may end before the process and be joined like others.
pub fn start() {
    keys::start();
    keys::watch_end();
    registry::update(ThreadId::MAIN, |i| i.detached = false);
    // SAFETY: asks for the thread's own handle.
    HANDLES.lock().insert(unsafe { libc::pthread_self() } as usize, ThreadId::MAIN);
}

/// Holds the table of threads still during `fork`.
pub fn lock_all() {
    HANDLES.lock_raw();
}

/// Lets it go again.
///
/// # Safety
/// This thread, or the one whose copy it is, must have called [`lock_all`].
pub unsafe fn unlock_all() {
    // SAFETY: as the caller promises.
    unsafe { HANDLES.unlock_raw() }
}

/// Gives a thread that the runtime does not know (any more) a life in it: the one that ends the process after the main thread has ended.
pub fn adopt() {
    const FRAMES: usize = 1 << 16;
    if !deadheat_rt::tls::thread().is_null() {
        return;
    }
    let id = registry::announce(None, deadheat_rt::sites::Site::NOWHERE, true, false);
    Box::leak(Thread::new(id, None, FRAMES)).install();
}

/// The stack of the calling thread: its first byte and the one behind its last.
pub fn own_stack() -> (u64, u64) {
    let mut attributes = core::mem::MaybeUninit::<pthread_attr_t>::uninit();
    let (mut address, mut size) = (core::ptr::null_mut(), 0);
    // SAFETY: asks the C library about the calling thread, into variables of ours.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return (0, 0);
        }
        libc::pthread_attr_getstack(attributes.as_ptr(), &mut address, &mut size);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
    }
    (address as u64, address as u64 + size as u64)
}

/// What is in the box, which is gone when this returns and not later: once handlers may come, the runtime's allocator must be left alone.
#[expect(clippy::boxed_local, reason = "the box is what goes")]
fn unbox<T>(full: Box<T>) -> T {
    *full
}

/// Where a new thread begins: what it is to run.
///
/// # Safety
/// `beginning` was made by [`create`] for this thread, with that type of routine.
pub unsafe fn enter<R>(beginning: *mut c_void) -> (R, *mut c_void) {
    // SAFETY: the caller's promise.
    let beginning = unsafe { Box::from_raw(beginning as *mut Beginning<R>) };
    let held = os::block_all_signals();
    while beginning.handed_over.load(Ordering::Acquire) == 0 {
        let _: Result<(), _> = os::futex_wait(&beginning.handed_over, 0, None);
    }
    gate::enter(&beginning.thread.busy);
    let Beginning { thread, routine, argument, mask, handed_over } = unbox(beginning);
    drop(handed_over);
    let thread = Box::leak(thread);
    thread.install();
    let stack = own_stack();
    let here = &raw const stack as u64;
    // The stack and thread-local storage, which lies above it, may have been another thread's.
    access::forget(stack.0, stack.1 - stack.0);
    registry::started(thread, stack, (here + 256, stack.1));
    keys::watch_end();
    thread.busy.store(0, Ordering::Release);
    os::change_signal_mask(MaskChange::Set, mask.unwrap_or(held));
    (routine, argument)
}

/// Creates a thread by `spawn`, which gets a place for the handle and what to pass to [`enter`]. Nothing if the runtime is not to see it.
pub fn create<R>(
    routine: R,
    argument: *mut c_void,
    attributes: Attributes,
    pc: u64,
    spawn: impl FnOnce(*mut pthread_t, *mut c_void) -> c_int,
) -> Option<c_int> {
    let mut creator = Stay::begin()?;
    fork::may_create();
    reclaim::if_due(&creator);
    let Attributes { detached, stack, own_mask } = attributes;
    let site = creator.placer.site(pc, Note::CALL);
    let id = registry::announce(Some(creator.id), site, detached, false);
    // A frame takes at least 16 bytes; no program calls itself deeper than the largest stack that works.
    let thread = Thread::new(id, Some((&mut creator, site)), stack.min(LARGEST_STACK) / 16);
    let (slot, used) = (thread.state.slot(), thread.state.now());
    let handed_over = Arc::new(AtomicU32::new(0));
    let beginning = Beginning { thread, routine, argument, mask: None, handed_over: handed_over.clone() };
    let beginning = Box::into_raw(Box::new(beginning));
    let mut handle = 0;
    // Not in the runtime: the C library may wait for its own locks, whose holders may wait to enter. What it frees meanwhile was some ended thread's.
    ignore(&mut creator, 1);
    drop(creator);
    // The new thread holds back all signals, as the creator does here, until it is known: a handler that came earlier might not let it begin, as one in which it is
    // cancelled.
    let held = os::block_all_signals();
    // SAFETY: not yet passed on.
    unsafe { (*beginning).mask = (!own_mask).then_some(held) };
    let result = spawn(&mut handle, beginning.cast());
    os::change_signal_mask(MaskChange::Set, held);
    let mut creator = Stay::begin()?;
    ignore(&mut creator, -1);
    if result != 0 {
        // SAFETY: no thread was created to take it.
        drop(unsafe { Box::from_raw(beginning) });
        registry::withdraw(id);
        slots::leave(slot, used, used);
        return Some(result);
    }
    if !detached {
        HANDLES.lock().insert(handle as usize, id);
    }
    // The handle is in the table before the thread does anything.
    handed_over.store(1, Ordering::Release);
    os::futex_wake(&handed_over, 1);
    Some(0)
}

/// The thread's accesses are not checked, or are again.
fn ignore(thread: &mut Thread, change: i32) {
    thread.ignore_reads = thread.ignore_reads.wrapping_add_signed(change);
    thread.ignore_writes = thread.ignore_writes.wrapping_add_signed(change);
    thread.refresh();
}

extern "C" fn begin(beginning: *mut c_void) -> *mut c_void {
    // SAFETY: passed on by the C library as `create` gave it.
    let (routine, argument) = unsafe { enter::<Routine>(beginning) };
    routine(argument)
}

/// The attributes tell the C library which signals to hold back.
fn has_mask(attributes: *const pthread_attr_t) -> bool {
    static GET: Real = Real::new(c"pthread_attr_getsigmask_np");
    let get = GET.address();
    if attributes.is_null() || get.is_null() {
        return false;
    }
    let mut mask = core::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the C library's function of that type, the program's attributes and a variable of ours.
    unsafe {
        type Get = unsafe extern "C" fn(*const pthread_attr_t, *mut libc::sigset_t) -> c_int;
        core::mem::transmute::<*mut c_void, Get>(get)(attributes, mask.as_mut_ptr()) == 0
    }
}

/// What the program wants of a thread of these attributes.
pub fn attributes(attributes: *const pthread_attr_t) -> Attributes {
    let mut default = core::mem::MaybeUninit::<pthread_attr_t>::uninit();
    let (mut detached, mut stack) = (0, 8 << 20);
    // SAFETY: the program's attributes, or the C library's own, which are ours to give back.
    unsafe {
        if !attributes.is_null() {
            pthread_attr_getdetachstate(attributes, &mut detached);
            libc::pthread_attr_getstacksize(attributes, &mut stack);
        } else if pthread_getattr_default_np(default.as_mut_ptr()) == 0 {
            libc::pthread_attr_getstacksize(default.as_ptr(), &mut stack);
            libc::pthread_attr_destroy(default.as_mut_ptr());
        }
    }
    let detached = detached == libc::PTHREAD_CREATE_DETACHED;
    Attributes { detached, stack, own_mask: has_mask(attributes) }
}

/// The thread that the handle means.
fn by_handle(handle: pthread_t) -> Option<ThreadId> {
    HANDLES.lock().get(&(handle as usize)).copied()
}

/// The handle no longer means that thread. It may mean another by now.
fn used_up(handle: pthread_t, id: ThreadId) {
    let mut handles = HANDLES.lock();
    if handles.get(&(handle as usize)) == Some(&id) {
        handles.remove(&(handle as usize));
    }
}

/// Waits for a thread by `wait`, and learns what it knew if that succeeds; what it returned is written to `value`.
pub fn join<T>(handle: pthread_t, value: *const T, pc: u64, wait: impl FnOnce() -> c_int) -> c_int {
    let id = Stay::begin().and_then(|_stay| by_handle(handle));
    let result = wait();
    if let (0, Some(id), Some(mut thread)) = (result, id, Stay::begin()) {
        used_up(handle, id);
        registry::joined(&mut thread, id, pc);
    }
    if result == 0 {
        touch::object(value, pc);
    }
    result
}

/// Detaches a thread by `real`.
pub fn detach(handle: pthread_t, real: impl FnOnce() -> c_int) -> c_int {
    let id = Stay::begin().and_then(|_stay| by_handle(handle));
    let result = real();
    if let (0, Some(id), Some(_stay)) = (result, id, Stay::begin()) {
        used_up(handle, id);
        registry::detached(id);
    }
    result
}

/// The program gives a thread a name.
pub fn name(id: ThreadId, name: *const c_char) {
    if !name.is_null() {
        // SAFETY: the program's text.
        let name = String::from_utf8_lossy(unsafe { CStr::from_ptr(name) }.to_bytes()).into_owned();
        record::name(id.0, &name);
        registry::update(id, |i| i.name = name);
    }
}

interceptors! {
    fn pthread_create(pc; into: *mut pthread_t, attributes: *const pthread_attr_t, routine: Routine, argument: *mut c_void) -> c_int {
        let spawn = |handle, beginning| {
            let result = real(handle, attributes, begin, beginning);
            if result == 0 {
                // SAFETY: the program's variable for the handle, and ours.
                unsafe { *into = *handle };
            }
            result
        };
        touch::object(into, pc);
        match create(routine, argument, self::attributes(attributes), pc, spawn) {
            Some(result) => result,
            None => real(into, attributes, routine, argument),
        }
    }

    fn pthread_join(pc; handle: pthread_t, value: *mut *mut c_void) -> c_int {
        join(handle, value, pc, || real(handle, value))
    }

    fn pthread_tryjoin_np(pc; handle: pthread_t, value: *mut *mut c_void) -> c_int {
        join(handle, value, pc, || real(handle, value))
    }

    fn pthread_timedjoin_np(pc; handle: pthread_t, value: *mut *mut c_void, until: *const timespec) -> c_int {
        join(handle, value, pc, || real(handle, value, until))
    }

    fn pthread_clockjoin_np(pc; handle: pthread_t, value: *mut *mut c_void, clock: clockid_t, until: *const timespec) -> c_int {
        join(handle, value, pc, || real(handle, value, clock, until))
    }

    fn pthread_detach(pc; handle: pthread_t) -> c_int {
        detach(handle, || real(handle))
    }

    fn pthread_setname_np(pc; handle: pthread_t, text: *const c_char) -> c_int {
        let result = real(handle, text);
        if let (0, Some(thread)) = (result, Stay::begin()) {
            // SAFETY: asks for the thread's own handle.
            let own = handle == unsafe { libc::pthread_self() };
            if let Some(id) = if own { Some(thread.id) } else { by_handle(handle) } {
                name(id, text);
            }
        }
        result
    }

    fn prctl(pc; option: c_int, a: c_ulong, b: c_ulong, c: c_ulong, d: c_ulong) -> c_int {
        let result = real(option, a, b, c, d);
        if let (0, libc::PR_SET_NAME, Some(thread)) = (result, option, Stay::begin()) {
            name(thread.id, a as *const c_char);
        }
        if let (0, libc::PR_GET_NAME) = (result, option) {
            touch::write(a as *const c_char, 16, pc);
        }
        result
    }
}
