//! A lock that needs nothing but a word of memory and the kernel's futex.
//!
//! The word is 0 when free, 1 when held, 2 when held and somebody may be asleep waiting. Whoever finds it held looks
//! again a few times, since the runtime holds locks for some tens of instructions, and then sleeps in the kernel.

use super::arch::{number, syscall};
use super::{Errno, Timespec, check};
use core::cell::UnsafeCell;
use core::hint::spin_loop;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

const FREE: u32 = 0;
const HELD: u32 = 1;
const AWAITED: u32 = 2;

/// How often a held lock is looked at before sleeping: a few microseconds, longer than most holds.
const SPINS: u32 = 100;

const FUTEX_WAIT_PRIVATE: usize = 128;
const FUTEX_WAKE_PRIVATE: usize = 1 | 128;

/// The process has one thread, the copy of one that forked: locks that are held, others held when they vanished.
static ALONE: AtomicBool = AtomicBool::new(false);

/// Says whether the calling thread is the only one that is left after a fork.
pub fn set_alone(alone: bool) {
    ALONE.store(alone, Ordering::Relaxed);
    deadheat_online::set_alone(alone);
}

/// Sleeps as long as the word has the value `expected`, until woken, interrupted or timed out.
pub fn futex_wait(word: &AtomicU32, expected: u32, timeout: Option<Timespec>) -> Result<(), Errno> {
    let timeout = timeout.as_ref().map_or(core::ptr::null(), |time| time as *const Timespec);
    let arguments = [word.as_ptr() as usize, FUTEX_WAIT_PRIVATE, expected as usize, timeout as usize, 0, 0];
    // SAFETY: the kernel only reads the word and the time.
    check(unsafe { syscall(number::FUTEX, arguments) }).map(drop)
}

/// Wakes up to `count` threads that sleep on the word, and says how many.
pub fn futex_wake(word: &AtomicU32, count: u32) -> usize {
    let arguments = [word.as_ptr() as usize, FUTEX_WAKE_PRIVATE, count as usize, 0, 0, 0];
    // SAFETY: the kernel only uses the word's address.
    check(unsafe { syscall(number::FUTEX, arguments) }).unwrap_or(0)
}

/// A value that one thread uses at a time. Not reentrant, not fair, knows no owner.
pub struct Mutex<T> {
    word: AtomicU32,
    value: UnsafeCell<T>,
}

// SAFETY: the lock lets one thread at a time reach the value.
unsafe impl<T: Send> Sync for Mutex<T> {}
// SAFETY: a lock is as movable as its value.
unsafe impl<T: Send> Send for Mutex<T> {}

impl<T> Mutex<T> {
    /// A free lock around a value.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex { word: AtomicU32::new(FREE), value: UnsafeCell::new(value) }
    }

    /// Waits for the lock and holds it as long as the guard lives.
    #[inline]
    pub fn lock(&self) -> Guard<'_, T> {
        self.lock_raw();
        Guard { mutex: self }
    }

    /// Takes the lock if it is free.
    #[inline]
    pub fn try_lock(&self) -> Option<Guard<'_, T>> {
        self.take_free().then_some(Guard { mutex: self })
    }

    /// Waits for the lock and keeps it until [`Mutex::unlock_raw`]: around `fork`, where guards cannot be kept.
    #[inline]
    pub fn lock_raw(&self) {
        if !self.take_free() {
            self.lock_held();
        }
    }

    /// Gives back a lock taken by [`Mutex::lock_raw`], by the thread that took it or by its copy after `fork`.
    ///
    /// # Safety
    /// The lock must be held by `lock_raw`, and no guard of it may live.
    #[inline]
    pub unsafe fn unlock_raw(&self) {
        self.release();
    }

    /// The value, without locking: nobody else can have it.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    #[inline]
    fn take_free(&self) -> bool {
        // Acquire pairs with the release in `release`.
        self.word.compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[cold]
    fn lock_held(&self) {
        for _ in 0..SPINS {
            if self.word.load(Ordering::Relaxed) == FREE && self.take_free() {
                return;
            }
            spin_loop();
        }
        if ALONE.load(Ordering::Relaxed) {
            return self.word.store(HELD, Ordering::Relaxed);
        }
        // Acquire pairs with the release in `release`. Whoever comes this way leaves the word AWAITED, as it cannot
        // know whether others sleep.
        while self.word.swap(AWAITED, Ordering::Acquire) != FREE {
            let _ = futex_wait(&self.word, AWAITED, None);
        }
    }

    #[inline]
    fn release(&self) {
        // Release pairs with the acquires of the next holder.
        if self.word.swap(FREE, Ordering::Release) == AWAITED {
            futex_wake(&self.word, 1);
        }
    }
}

/// A held [`Mutex`]; dropping it gives the lock back.
pub struct Guard<'m, T> {
    mutex: &'m Mutex<T>,
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the lock is held, so nobody else reaches the value.
        unsafe { &*self.mutex.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the lock is held, so nobody else reaches the value.
        unsafe { &mut *self.mutex.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.mutex.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_update_is_lost() {
        static COUNT: Mutex<u64> = Mutex::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..20_000).for_each(|_| *COUNT.lock() += 1));
            }
        });
        assert_eq!(*COUNT.lock(), 160_000);
        assert_eq!(COUNT.word.load(Ordering::Relaxed), HELD - 1);
    }

    #[test]
    fn a_held_lock_cannot_be_taken() {
        let mut lock = Mutex::new(5);
        lock.lock_raw();
        assert!(lock.try_lock().is_none());
        // SAFETY: held by `lock_raw` above.
        unsafe { lock.unlock_raw() };
        *lock.try_lock().unwrap() += 1;
        assert_eq!(*lock.get_mut(), 6);
    }

    #[test]
    fn a_sleeper_is_woken() {
        static LOCK: Mutex<()> = Mutex::new(());
        LOCK.lock_raw();
        let waiter = std::thread::spawn(|| drop(LOCK.lock()));
        while LOCK.word.load(Ordering::Relaxed) != AWAITED {
            super::super::sched_yield();
        }
        // SAFETY: held by `lock_raw` above.
        unsafe { LOCK.unlock_raw() };
        waiter.join().unwrap();
    }

    #[test]
    fn waiting_on_a_changed_word_returns_at_once() {
        let word = AtomicU32::new(1);
        assert_eq!(futex_wait(&word, 0, None), Err(Errno::EAGAIN));
        let short = Timespec { seconds: 0, nanoseconds: 1 };
        assert_eq!(futex_wait(&word, 1, Some(short)), Err(Errno::ETIMEDOUT));
        assert_eq!(futex_wake(&word, 1), 0);
    }
}
