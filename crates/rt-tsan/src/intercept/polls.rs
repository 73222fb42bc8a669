//! Waiting for any of several descriptors.
//!
//! Who is told that something can be read knows what was written there, as after `epoll_wait`.

use super::files::{received, sending, used};
use super::touch;
use crate::interceptors;
use core::ffi::{c_int, c_short, c_void};
use deadheat_rt::descriptors;
use deadheat_rt::thread::Stay;
use deadheat_shadow::Mode;
use libc::{epoll_event, fd_set, pollfd, timespec, timeval};

/// Bytes of what the program says about a descriptor; the kernel answers behind them.
const ASKED: usize = 6;

fn asking(list: *const pollfd, count: u64, pc: u64) {
    (0..count as usize).for_each(|i| touch::read(list.wrapping_add(i), ASKED, pc));
}

fn answered(list: *const pollfd, count: u64, ready: c_int, pc: u64) -> c_int {
    const READABLE: c_short = libc::POLLIN | libc::POLLRDNORM | libc::POLLHUP | libc::POLLERR;
    if let (true, Some(mut thread)) = (ready >= 0, Stay::begin()) {
        for i in 0..count as usize {
            // SAFETY: the program's list, which the kernel has filled.
            let wanted = unsafe { &*list.add(i) };
            touch::by(&mut thread, &raw const wanted.revents, 2, Mode::Write, pc);
            if wanted.revents & READABLE != 0 {
                descriptors::became_readable(&mut thread, wanted.fd);
            }
        }
    }
    ready
}

/// Bytes of a set that has so many descriptors.
fn bytes(count: c_int) -> usize {
    (count.max(0) as usize).div_ceil(64) * 8
}

fn selecting(count: c_int, sets: [*mut fd_set; 3], pc: u64) {
    sets.iter().for_each(|set| touch::read(*set, bytes(count), pc));
}

fn selected(count: c_int, sets: [*mut fd_set; 3], ready: c_int, pc: u64) -> c_int {
    if ready < 0 {
        return ready;
    }
    sets.iter().for_each(|set| touch::write(*set, bytes(count), pc));
    if let (false, Some(mut thread)) = (sets[0].is_null(), Stay::begin()) {
        for fd in 0..count {
            // SAFETY: the program's set, which the kernel has filled that far.
            let word = unsafe { *(sets[0] as *const u64).add(fd as usize / 64) };
            if word >> (fd % 64) & 1 != 0 {
                descriptors::became_readable(&mut thread, fd);
            }
        }
    }
    ready
}

/// So many events came.
fn happened(group: c_int, events: *mut epoll_event, count: c_int, pc: u64) -> c_int {
    if count <= 0 {
        return count;
    }
    received(group, events as *mut c_void, count as isize * size_of::<epoll_event>() as isize, pc);
    if let Some(mut thread) = Stay::begin() {
        for i in 0..count as usize {
            // SAFETY: the program's array, of which the kernel has filled so many.
            let name = unsafe { (&raw const (*events.add(i)).u64).read_unaligned() };
            descriptors::became_ready(&mut thread, group, name);
        }
    }
    count
}

interceptors! {
    fn poll(pc; list: *mut pollfd, count: u64, time: c_int) -> c_int {
        asking(list, count, pc);
        answered(list, count, real(list, count, time), pc)
    }

    fn __poll_chk(pc; list: *mut pollfd, count: u64, time: c_int, room: usize) -> c_int {
        asking(list, count, pc);
        answered(list, count, real(list, count, time, room), pc)
    }

    fn ppoll(pc; list: *mut pollfd, count: u64, time: *const timespec, mask: *const c_void) -> c_int {
        asking(list, count, pc);
        answered(list, count, real(list, count, time, mask), pc)
    }

    fn select(pc; count: c_int, reads: *mut fd_set, writes: *mut fd_set, others: *mut fd_set, time: *mut timeval) -> c_int {
        selecting(count, [reads, writes, others], pc);
        selected(count, [reads, writes, others], real(count, reads, writes, others, time), pc)
    }

    fn pselect(pc; count: c_int, reads: *mut fd_set, writes: *mut fd_set, others: *mut fd_set, time: *const timespec, mask: *const c_void) -> c_int {
        selecting(count, [reads, writes, others], pc);
        selected(count, [reads, writes, others], real(count, reads, writes, others, time, mask), pc)
    }

    fn epoll_ctl(pc; group: c_int, what: c_int, fd: c_int, event: *mut epoll_event) -> c_int {
        used(fd, pc);
        sending(group, core::ptr::null(), 0, pc);
        if let Some(_stay) = Stay::begin() {
            // SAFETY: the program's event, if there is one.
            let name = unsafe { event.as_ref() }.filter(|_| what != libc::EPOLL_CTL_DEL).map(|e| e.u64);
            descriptors::watch(group, fd, name);
        }
        real(group, what, fd, event)
    }

    fn epoll_wait(pc; group: c_int, events: *mut epoll_event, most: c_int, time: c_int) -> c_int {
        used(group, pc);
        let count = real(group, events, most, time);
        happened(group, events, count, pc)
    }

    fn epoll_pwait(pc; group: c_int, events: *mut epoll_event, most: c_int, time: c_int, mask: *const c_void) -> c_int {
        used(group, pc);
        let count = real(group, events, most, time, mask);
        happened(group, events, count, pc)
    }

    fn epoll_pwait2(pc; group: c_int, events: *mut epoll_event, most: c_int, time: *const c_void, mask: *const c_void) -> c_int {
        used(group, pc);
        let count = real(group, events, most, time, mask);
        happened(group, events, count, pc)
    }
}
