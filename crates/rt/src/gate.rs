//! A fork finds the runtime empty: no other thread is inside when the process is copied, so nothing in the child is half done or locked for ever.
//! (But for the shortest way of an access, [`own`](crate::own), which does not enter: of what it changes, the child asks only whether the thread is in a moment of its, as an owner.)
//!
//! Who enters says so (`Thread::busy`) and then looks whether somebody forks; who forks says so and then looks whether anybody is inside. One of the two sees the other
//! only if a barrier stands between the two steps on both sides. Threads enter at every slow path and fork seldom: so the one who forks has the kernel put
//! up that barrier in all threads at once, and those who enter pay for one load.

use crate::os::{self, Mutex};
use crate::thread::Thread;
use alloc::collections::BTreeSet;
use core::sync::atomic::{AtomicU32, Ordering, compiler_fence};

/// 1 while a thread forks, or is about to.
static SHUT: AtomicU32 = AtomicU32::new(0);

/// Where all threads are that the runtime knows.
static THREADS: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

/// A thread that may enter from now on.
pub fn add(thread: &Thread) {
    THREADS.lock().insert(thread as *const Thread as usize);
}

/// It will not enter any more.
pub fn remove(thread: &Thread) {
    THREADS.lock().remove(&(thread as *const Thread as usize));
}

/// The thread enters, once nobody forks.
#[inline]
pub fn enter(busy: &AtomicU32) {
    busy.store(1, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    if SHUT.load(Ordering::Relaxed) != 0 {
        wait(busy);
    }
}

/// The thread enters, if nobody forks.
#[inline]
pub fn try_enter(busy: &AtomicU32) -> bool {
    busy.store(1, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    let open = SHUT.load(Ordering::Relaxed) == 0;
    if !open {
        leave(busy);
    }
    open
}

/// The thread leaves. Release pairs with the acquire in `is_empty`. A signal that comes before waits, and says so: whoever looks for it looks after this.
#[inline]
pub fn leave(busy: &AtomicU32) {
    busy.store(0, Ordering::Release);
    compiler_fence(Ordering::SeqCst);
}

#[cold]
#[inline(never)]
fn wait(busy: &AtomicU32) {
    while SHUT.load(Ordering::Relaxed) != 0 {
        leave(busy);
        let _: Result<(), _> = os::futex_wait(&SHUT, 1, None);
        busy.store(1, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
    }
}

/// Lets nobody in, and returns when all but the calling thread are out. That one is in from now on, if it is known, so that its own signals wait.
pub fn shut(own: Option<&Thread>) {
    let nobody = AtomicU32::new(0);
    let busy = own.map_or(&nobody, |thread| &thread.busy);
    enter(busy);
    // Acquire pairs with the release in `open`.
    while SHUT.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
        wait(busy);
    }
    os::barrier_in_all_threads();
    let own = own.map_or(0, |thread| thread as *const Thread as usize);
    while !is_empty(own) {
        os::sched_yield();
    }
}

/// Calls `f` with each thread there is, running or not. The caller has shut the gate.
pub fn each(mut f: impl FnMut(&Thread)) {
    // SAFETY: threads are taken off the list before they go, and none touches itself while it is out of the runtime.
    THREADS.lock().iter().for_each(|thread| f(unsafe { &*(*thread as *const Thread) }));
}

fn is_empty(own: usize) -> bool {
    let threads = THREADS.lock();
    // SAFETY: threads are taken off the list before they go, and only what is atomic is looked at.
    let busy = |thread: usize| unsafe { &(*(thread as *const Thread)).busy };
    threads.iter().all(|thread| *thread == own || busy(*thread).load(Ordering::Acquire) == 0)
}

/// In the child of a fork: nobody else is left. One who was about to find the gate shut may have said just then that it enters, and would seem to be inside for ever.
pub fn forget_others(own: Option<&Thread>) {
    let own = own.map_or(0, |thread| thread as *const Thread as usize);
    for thread in THREADS.lock().iter().filter(|thread| **thread != own) {
        // SAFETY: as in `is_empty`.
        let thread = unsafe { &*(*thread as *const Thread) };
        thread.busy.store(0, Ordering::Relaxed);
        thread.owner.leave();
    }
}

/// Lets everybody in again, in the parent or in the child.
pub fn open() {
    SHUT.store(0, Ordering::Release);
    os::futex_wake(&SHUT, i32::MAX as u32);
}
