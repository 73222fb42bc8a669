//! Barriers. Threads of one process wait for each other here and not in the C library: only then is it certain who met whom in which round.

use crate::interceptors;
use core::ffi::{c_int, c_uint};
use deadheat_rt::sites::Note;
use deadheat_rt::sync::{self, Arrival};
use deadheat_rt::thread::Stay;
use deadheat_rt::{access, mutex};
use deadheat_shadow::Mode;
use libc::{pthread_barrier_t, pthread_barrierattr_t};

/// The barrier is for several processes: their threads are unknown here, and wait in the C library.
fn is_shared(attributes: *const pthread_barrierattr_t) -> bool {
    let mut shared = libc::PTHREAD_PROCESS_PRIVATE;
    // SAFETY: the program's attributes, if there are any.
    let known = !attributes.is_null()
        && unsafe { libc::pthread_barrierattr_getpshared(attributes, &mut shared) } == 0;
    known && shared == libc::PTHREAD_PROCESS_SHARED
}

interceptors! {
    fn pthread_barrier_init(pc; barrier: *mut pthread_barrier_t, attributes: *const pthread_barrierattr_t, count: c_uint) -> c_int {
        let result = real(barrier, attributes, count);
        if result == 0 && let Some(mut thread) = Stay::begin() {
            access::plain(&mut thread, barrier as u64, 1, Mode::Write, pc, Note::CALL);
            if is_shared(attributes) {
                sync::remove(barrier as u64);
            } else {
                sync::barrier_make(&mut thread, barrier as u64, count, pc);
            }
        }
        result
    }

    fn pthread_barrier_destroy(pc; barrier: *mut pthread_barrier_t) -> c_int {
        if let Some(mut thread) = Stay::begin() {
            access::plain(&mut thread, barrier as u64, 1, Mode::Write, pc, Note::CALL);
            sync::remove(barrier as u64);
        }
        real(barrier)
    }

    fn pthread_barrier_wait(pc; barrier: *mut pthread_barrier_t) -> c_int {
        let arrival = Stay::begin().map(|mut thread| {
            mutex::used(&mut thread, barrier as u64, pc);
            let arrival = sync::barrier_arrive(&mut thread, barrier as u64);
            if arrival.is_none() {
                sync::release(&mut thread, barrier as u64);
            }
            arrival
        });
        let (round, result) = match arrival {
            None => return real(barrier),
            Some(None) => {
                let result = real(barrier);
                if let Some(mut thread) = Stay::begin() {
                    sync::acquire(&mut thread, barrier as u64);
                }
                return result;
            }
            Some(Some(Arrival::Last(round))) => {
                round.finish();
                (round, libc::PTHREAD_BARRIER_SERIAL_THREAD)
            }
            Some(Some(Arrival::Waits(round))) => {
                round.wait();
                (round, 0)
            }
        };
        if let Some(mut thread) = Stay::begin() {
            sync::barrier_leave(&mut thread, &round);
        }
        result
    }
}
