//! Threads: their beginning, their end, and who waits for it.

use crate::{interceptors, real};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};
use deadheat_finding::ThreadId;
use deadheat_rt::os::Mutex;
use deadheat_rt::sites::Note;
use deadheat_rt::thread::{Stay, Thread};
use deadheat_rt::{access, heap, registry, tls};
use libc::{pthread_attr_t, pthread_key_t, pthread_t};

unsafe extern "C" {
    fn pthread_attr_getdetachstate(attributes: *const pthread_attr_t, state: *mut c_int) -> c_int;
}

type Routine = extern "C" fn(*mut c_void) -> *mut c_void;

/// What a new thread needs to begin.
struct Beginning {
    thread: Box<Thread>,
    routine: Routine,
    argument: *mut c_void,
    /// Set once the new thread's handle is known to the creator's table.
    handed_over: AtomicU32,
}

/// Which of our threads a handle of the C library means.
static HANDLES: Mutex<BTreeMap<usize, ThreadId>> = Mutex::new(BTreeMap::new());
static KEY: AtomicU32 = AtomicU32::new(0);

/// Makes the key whose destructor is the last thing a thread does.
pub fn start() {
    let mut key: pthread_key_t = 0;
    // SAFETY: the C library's function, with a place for its result.
    unsafe { real!(pthread_key_create(*mut pthread_key_t, extern "C" fn(*mut c_void)) -> c_int)(&mut key, last) };
    KEY.store(key, Ordering::Relaxed);
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

/// Where a new thread begins.
extern "C" fn begin(beginning: *mut c_void) -> *mut c_void {
    // SAFETY: made by `pthread_create` for this thread.
    let beginning = unsafe { Box::from_raw(beginning as *mut Beginning) };
    while beginning.handed_over.load(Ordering::Acquire) == 0 {
        let _: Result<(), _> = deadheat_rt::os::futex_wait(&beginning.handed_over, 0, None);
    }
    let Beginning { thread, routine, argument, .. } = *beginning;
    let thread = Box::leak(thread);
    thread.busy = 1;
    thread.install();
    let stack = own_stack();
    let here = &raw const stack as u64;
    // The stack and thread-local storage, which lies above it, may have been another thread's.
    access::forget(stack.0, here.saturating_sub(4096 + stack.0));
    access::forget(here, stack.1.saturating_sub(here));
    registry::started(thread, stack, (here + 256, stack.1));
    // SAFETY: any value but null makes the destructor run.
    unsafe { libc::pthread_setspecific(KEY.load(Ordering::Relaxed), DESTRUCTORS as *const c_void) };
    thread.busy = 0;
    routine(argument)
}

/// How often the destructor lets the program's own destructors run first.
const DESTRUCTORS: usize = 4;

/// The destructor of the key: after the program's own, the thread is over.
extern "C" fn last(left: *mut c_void) {
    let left = left as usize - 1;
    if left > 0 {
        // SAFETY: as above.
        unsafe { libc::pthread_setspecific(KEY.load(Ordering::Relaxed), left as *const c_void) };
        return;
    }
    let thread = tls::thread();
    if thread.is_null() {
        return;
    }
    // SAFETY: leaked in `begin`, and nobody has it after this.
    let mut thread = unsafe { Box::from_raw(thread) };
    thread.busy = 1;
    // The stack may be another thread's or unmapped before anybody asks about it again.
    heap::flush(&mut thread.heap);
    thread.uninstall();
    registry::finished(&mut thread);
}

/// The thread that the handle means, and the handle is used up.
fn take_handle(handle: pthread_t) -> Option<ThreadId> {
    HANDLES.lock().remove(&(handle as usize))
}

/// The thread that the handle means.
pub fn by_handle(handle: pthread_t) -> Option<ThreadId> {
    HANDLES.lock().get(&(handle as usize)).copied()
}

/// Waits for a thread by `wait`, and learns what it knew if that succeeds.
fn join(handle: pthread_t, wait: impl FnOnce() -> c_int) -> c_int {
    let id = by_handle(handle);
    let result = wait();
    if result == 0 {
        take_handle(handle);
        if let (Some(id), Some(mut thread)) = (id, Stay::begin()) {
            registry::joined(&mut thread, id);
        }
    }
    result
}

interceptors! {
    fn pthread_create(pc; into: *mut pthread_t, attributes: *const pthread_attr_t, routine: Routine, argument: *mut c_void) -> c_int {
        let Some(mut creator) = Stay::begin() else {
            return real(into, attributes, routine, argument);
        };
        let (mut detached, mut stack) = (0, 8 << 20);
        // SAFETY: the program's attributes, if there are any.
        unsafe {
            if !attributes.is_null() {
                pthread_attr_getdetachstate(attributes, &mut detached);
                libc::pthread_attr_getstacksize(attributes, &mut stack);
            }
        }
        let detached = detached == libc::PTHREAD_CREATE_DETACHED;
        let site = creator.placer.site(pc, Note::CALL);
        let id = registry::announce(Some(creator.id), site, detached, false);
        let thread = Thread::new(id, Some(&mut creator), stack / 16);
        let beginning = Box::into_raw(Box::new(Beginning { thread, routine, argument, handed_over: AtomicU32::new(0) }));
        let mut handle = 0;
        let result = real(&mut handle, attributes, begin, beginning as *mut c_void);
        if result != 0 {
            // SAFETY: no thread was created to take it.
            drop(unsafe { Box::from_raw(beginning) });
            registry::withdraw(id);
            return result;
        }
        // SAFETY: the program's variable for the handle; the new thread waits until it is set.
        unsafe { *into = handle };
        if !detached {
            HANDLES.lock().insert(handle as usize, id);
        }
        // SAFETY: the new thread frees it only after this store.
        let handed_over = unsafe { &(*beginning).handed_over };
        handed_over.store(1, Ordering::Release);
        deadheat_rt::os::futex_wake(handed_over, 1);
        0
    }

    fn pthread_join(pc; handle: pthread_t, value: *mut *mut c_void) -> c_int {
        join(handle, || real(handle, value))
    }

    fn pthread_tryjoin_np(pc; handle: pthread_t, value: *mut *mut c_void) -> c_int {
        join(handle, || real(handle, value))
    }

    fn pthread_timedjoin_np(pc; handle: pthread_t, value: *mut *mut c_void, until: *const libc::timespec) -> c_int {
        join(handle, || real(handle, value, until))
    }

    fn pthread_detach(pc; handle: pthread_t) -> c_int {
        let id = take_handle(handle);
        let result = real(handle);
        if let (0, Some(id)) = (result, id) {
            registry::detached(id);
        }
        result
    }
}
