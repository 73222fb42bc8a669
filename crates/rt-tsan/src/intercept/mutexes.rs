//! Mutexes of every type. What type one is, the C library keeps in the mutex itself, so that those that need no making are known too.

use crate::{interceptors, real};
use core::ffi::c_int;
use deadheat_finding::Hold;
use deadheat_rt::mutex::{self, Again, Lifetime, Remains};
use deadheat_rt::patience::Patience;
use deadheat_rt::thread::Stay;
use libc::{clockid_t, pthread_mutex_t, pthread_mutexattr_t, timespec};

/// The C library's note of a mutex's type.
fn kind(mutex: *const pthread_mutex_t) -> c_int {
    const KIND: usize = 16;
    // SAFETY: the program's mutex; the C library keeps its type at that offset, on all 64-bit machines.
    unsafe { (mutex as *const u8).add(KIND).cast::<c_int>().read_volatile() }
}

/// What the mutex does when its owner locks it again.
pub fn again(mutex: *const pthread_mutex_t) -> Again {
    match kind(mutex) & 3 {
        libc::PTHREAD_MUTEX_RECURSIVE => Again::Counts,
        libc::PTHREAD_MUTEX_ERRORCHECK => Again::Refuses,
        _ => Again::Deadlocks,
    }
}

/// The C library has marked the mutex as destroyed, and refuses to use it.
fn is_destroyed(mutex: *const pthread_mutex_t) -> bool {
    kind(mutex) == -1
}

/// The thread is about to wait for the mutex.
pub fn before_lock(m: *const pthread_mutex_t, pc: u64) {
    if let Some(mut thread) = Stay::begin()
        && !is_destroyed(m)
    {
        mutex::before_lock(&mut thread, m as u64, Hold::Write, again(m), pc);
    }
}

/// The thread takes the mutex, if it is free: then all that is to be looked at is looked at once. What the C library answers; nothing if the thread has to wait, or if something is wrong.
fn lock_at_once(m: *mut pthread_mutex_t, pc: u64) -> Option<c_int> {
    let try_lock = real!(pthread_mutex_trylock(*mut pthread_mutex_t) -> c_int);
    let mut thread = Stay::begin()?;
    // SAFETY: the program's mutex, which it is about to lock.
    let result = unsafe { try_lock(m) };
    if result == libc::EOWNERDEAD {
        mutex::owner_died(m as u64);
    } else if result != 0 {
        return None;
    }
    mutex::locked_at_once(&mut thread, m as u64, Hold::Write, || again(m), pc);
    Some(result)
}

/// As `lock_at_once`, of a mutex that somebody else has, if that one gives it back at once too. What watching adds to the time that a mutex is held makes threads meet at it that would not have met, and to
/// sleep and be woken takes longer than most of them hold it.
fn lock_soon(m: *mut pthread_mutex_t, pc: u64) -> Option<c_int> {
    let patience = |change: fn(&mut Patience, u32), rounds| {
        Stay::begin().map(|mut thread| {
            change(&mut thread.patience, rounds);
            thread.patience.rounds()
        })
    };
    let rounds = patience(|_, _| {}, 0)?;
    for round in 1..=rounds {
        core::hint::spin_loop();
        if is_free(m)
            && let Some(result) = lock_at_once(m, pc)
        {
            patience(Patience::paid, round);
            return Some(result);
        }
    }
    patience(Patience::was_in_vain, 0);
    None
}

/// Nobody has the mutex, as it seems.
fn is_free(mutex: *const pthread_mutex_t) -> bool {
    // SAFETY: the program's mutex, which begins with the word by which the C library locks it.
    unsafe { (mutex as *const c_int).read_volatile() == 0 }
}

/// The C library has answered a wish for the mutex.
pub fn after_lock(m: *const pthread_mutex_t, result: c_int, pc: u64) -> c_int {
    if result != 0 && result != libc::EOWNERDEAD && result != libc::EINVAL {
        return result;
    }
    let Some(mut thread) = Stay::begin() else { return result };
    if result == libc::EINVAL {
        if is_destroyed(m) {
            mutex::invalid(&mut thread, m as u64, pc);
        }
        return result;
    }
    if result == libc::EOWNERDEAD {
        mutex::owner_died(m as u64);
    }
    mutex::locked(&mut thread, m as u64, Hold::Write, pc);
    result
}

/// The thread is about to unlock the mutex.
pub fn before_unlock(m: *const pthread_mutex_t, pc: u64) {
    let Some(mut thread) = Stay::begin() else { return };
    if is_destroyed(m) {
        mutex::invalid(&mut thread, m as u64, pc);
    } else {
        mutex::unlocking(&mut thread, m as u64, Some(Hold::Write), || again(m), pc);
    }
}

/// The C library has made the mutex, or not.
pub fn after_init(m: *const pthread_mutex_t, result: c_int, pc: u64) -> c_int {
    if result == 0
        && let Some(mut thread) = Stay::begin()
    {
        mutex::create(&mut thread, m as u64, Lifetime::Usual, pc);
    }
    result
}

interceptors! {
    fn pthread_mutex_init(pc; m: *mut pthread_mutex_t, attributes: *const pthread_mutexattr_t) -> c_int {
        after_init(m, real(m, attributes), pc)
    }

    fn pthread_mutex_destroy(pc; m: *mut pthread_mutex_t) -> c_int {
        let result = real(m);
        if let Some(mut thread) = Stay::begin() {
            match result {
                0 => mutex::destroy(&mut thread, m as u64, Remains::Nothing, pc),
                libc::EBUSY => mutex::destroy_refused(&mut thread, m as u64, pc),
                _ => mutex::invalid(&mut thread, m as u64, pc),
            }
        }
        result
    }

    fn pthread_mutex_lock(pc; m: *mut pthread_mutex_t) -> c_int {
        lock_at_once(m, pc).or_else(|| lock_soon(m, pc)).unwrap_or_else(|| {
            before_lock(m, pc);
            after_lock(m, real(m), pc)
        })
    }

    fn pthread_mutex_trylock(pc; m: *mut pthread_mutex_t) -> c_int {
        after_lock(m, real(m), pc)
    }

    fn pthread_mutex_timedlock(pc; m: *mut pthread_mutex_t, until: *const timespec) -> c_int {
        after_lock(m, real(m, until), pc)
    }

    fn pthread_mutex_clocklock(pc; m: *mut pthread_mutex_t, clock: clockid_t, until: *const timespec) -> c_int {
        after_lock(m, real(m, clock, until), pc)
    }

    fn pthread_mutex_unlock(pc; m: *mut pthread_mutex_t) -> c_int {
        before_unlock(m, pc);
        real(m)
    }
}
