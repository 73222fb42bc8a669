//! Messages and semaphores that processes share: POSIX message queues, which are descriptors, and System V's queues and semaphores, which have numbers of their own.

use super::files::{closing, made_apart, received, sending};
use super::touch;
use crate::interceptors;
use alloc::collections::BTreeMap;
use core::ffi::{c_char, c_int, c_uint, c_void};
use deadheat_rt::descriptors::{self, Channel};
use deadheat_rt::os::Mutex;
use deadheat_rt::thread::Stay;
use libc::{sembuf, timespec};

/// What passes through a queue or a set of semaphores.
static CHANNELS: Mutex<BTreeMap<(Sort, c_int), Channel>> = Mutex::new(BTreeMap::new());

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Messages,
    Semaphores,
}

fn channel(sort: Sort, id: c_int) -> Channel {
    *CHANNELS.lock().entry((sort, id)).or_insert_with(Channel::make)
}

/// What the thread has done, whoever gets something from there knows.
fn giving(sort: Sort, id: c_int) {
    if let Some(mut thread) = Stay::begin() {
        descriptors::release_to(&mut thread, channel(sort, id));
    }
}

/// The thread got something from there.
fn got(sort: Sort, id: c_int) {
    if let Some(mut thread) = Stay::begin() {
        descriptors::acquire_from(&mut thread, channel(sort, id));
    }
}

/// Semaphores go up before those come through who wait for it.
fn operating(id: c_int, list: *const sembuf, count: usize, pc: u64, real: impl FnOnce() -> c_int) -> c_int {
    touch::read(list, count * size_of::<sembuf>(), pc);
    // SAFETY: the program's list.
    let ops = |wanted: fn(i16) -> bool| (0..count).any(|i| wanted(unsafe { (*list.add(i)).sem_op }));
    let (up, down) = (ops(|op| op > 0), ops(|op| op <= 0));
    if up {
        giving(Sort::Semaphores, id);
    }
    let result = real();
    if result == 0 && down {
        got(Sort::Semaphores, id);
    }
    result
}

interceptors! {
    fn mq_open(pc; name: *const c_char, flags: c_int, mode: c_uint, attributes: *mut c_void) -> c_int {
        touch::text(name, pc);
        made_apart(real(name, flags, mode, attributes), pc)
    }

    fn mq_close(pc; queue: c_int) -> c_int {
        closing(queue, pc);
        real(queue)
    }

    fn mq_send(pc; queue: c_int, from: *const c_void, bytes: usize, priority: c_uint) -> c_int {
        sending(queue, from, bytes, pc);
        real(queue, from, bytes, priority)
    }

    fn mq_timedsend(pc; queue: c_int, from: *const c_void, bytes: usize, priority: c_uint, until: *const timespec) -> c_int {
        sending(queue, from, bytes, pc);
        real(queue, from, bytes, priority, until)
    }

    fn mq_receive(pc; queue: c_int, to: *mut c_void, room: usize, priority: *mut c_uint) -> isize {
        let bytes = real(queue, to, room, priority);
        received(queue, to, bytes, pc);
        if bytes >= 0 {
            touch::object(priority, pc);
        }
        bytes
    }

    fn mq_timedreceive(pc; queue: c_int, to: *mut c_void, room: usize, priority: *mut c_uint, until: *const timespec) -> isize {
        let bytes = real(queue, to, room, priority, until);
        received(queue, to, bytes, pc);
        if bytes >= 0 {
            touch::object(priority, pc);
        }
        bytes
    }

    fn msgsnd(pc; id: c_int, from: *const c_void, bytes: usize, flags: c_int) -> c_int {
        touch::read(from, bytes + size_of::<usize>(), pc);
        giving(Sort::Messages, id);
        real(id, from, bytes, flags)
    }

    fn msgrcv(pc; id: c_int, to: *mut c_void, room: usize, kind: isize, flags: c_int) -> isize {
        let bytes = real(id, to, room, kind, flags);
        if bytes >= 0 {
            got(Sort::Messages, id);
            touch::write(to, bytes as usize + size_of::<usize>(), pc);
        }
        bytes
    }

    fn semop(pc; id: c_int, list: *mut sembuf, count: usize) -> c_int {
        operating(id, list, count, pc, || real(id, list, count))
    }

    fn semtimedop(pc; id: c_int, list: *mut sembuf, count: usize, time: *const timespec) -> c_int {
        operating(id, list, count, pc, || real(id, list, count, time))
    }
}
