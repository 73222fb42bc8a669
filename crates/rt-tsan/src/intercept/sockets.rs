//! Sockets. Which of them lead to each other the runtime does not see: all share what is sent, and those who accept learn from those who connect.

use super::files::{made, made_both, received, received_all, sending, sending_all, used};
use super::touch;
use crate::interceptors;
use core::ffi::{c_int, c_uint, c_void};
use deadheat_rt::descriptors::{self, Channel};
use deadheat_rt::thread::Stay;
use libc::{mmsghdr, msghdr};

fn accepted(listener: c_int, new: c_int, pc: u64) -> c_int {
    if new >= 0
        && let Some(mut thread) = Stay::begin()
    {
        descriptors::used(&mut thread, listener, pc);
        descriptors::acquire_from(&mut thread, Channel::CONNECTIONS);
    }
    made(new, Channel::SOCKETS, pc)
}

/// The kernel has written an address, as much of it as there was room for, and its length.
fn answered(address: *const c_void, room: c_uint, length: *const c_uint, pc: u64) {
    if !address.is_null() && !length.is_null() {
        touch::object(length, pc);
        // SAFETY: the program's variable, which was set.
        touch::write(address, room.min(unsafe { *length }) as usize, pc);
    }
}

/// The room that the program has for an address.
fn room(length: *const c_uint) -> c_uint {
    // SAFETY: the program's variable, if there is one.
    unsafe { length.as_ref() }.copied().unwrap_or(0)
}

/// An address is asked for by `real`.
fn asked(
    fd: c_int,
    address: *const c_void,
    length: *const c_uint,
    pc: u64,
    real: impl FnOnce() -> c_int,
) -> c_int {
    used(fd, pc);
    let room = room(length);
    let result = real();
    if result >= 0 {
        answered(address, room, length, pc);
    }
    result
}

fn message_sent(fd: c_int, message: *const msghdr, pc: u64) {
    // SAFETY: the program's message.
    if let Some(m) = unsafe { message.as_ref() } {
        touch::read(message, size_of::<msghdr>(), pc);
        touch::read(m.msg_name, m.msg_namelen as usize, pc);
        touch::read(m.msg_control, m.msg_controllen, pc);
        sending_all(fd, m.msg_iov, m.msg_iovlen, pc);
    }
}

/// Descriptors that came with the message are as new as any.
fn message_received(fd: c_int, message: *const msghdr, bytes: isize, pc: u64) {
    // SAFETY: the program's message, which the kernel has filled.
    unsafe {
        let (true, Some(m)) = (bytes >= 0, message.as_ref()) else { return };
        received_all(fd, m.msg_iov, m.msg_iovlen, bytes, pc);
        touch::object(message, pc);
        touch::write(m.msg_name, m.msg_namelen as usize, pc);
        touch::write(m.msg_control, m.msg_controllen, pc);
        let mut part = libc::CMSG_FIRSTHDR(m);
        while let Some(p) = part.as_ref() {
            if p.cmsg_level == libc::SOL_SOCKET && p.cmsg_type == libc::SCM_RIGHTS {
                let count = (p.cmsg_len - libc::CMSG_LEN(0) as usize) / size_of::<c_int>();
                let fds = libc::CMSG_DATA(part) as *const c_int;
                (0..count).for_each(|i| {
                    made(fds.add(i).read_unaligned(), Channel::SOCKETS, pc);
                });
            }
            part = libc::CMSG_NXTHDR(m, part);
        }
    }
}

interceptors! {
    fn socket(pc; family: c_int, kind: c_int, protocol: c_int) -> c_int {
        made(real(family, kind, protocol), Channel::SOCKETS, pc)
    }

    fn socketpair(pc; family: c_int, kind: c_int, protocol: c_int, ends: *mut c_int) -> c_int {
        made_both(ends, real(family, kind, protocol, ends), pc)
    }

    fn connect(pc; fd: c_int, to: *const c_void, length: c_uint) -> c_int {
        if let Some(mut thread) = Stay::begin() {
            descriptors::used(&mut thread, fd, pc);
            descriptors::release_to(&mut thread, Channel::CONNECTIONS);
        }
        touch::read(to, length as usize, pc);
        real(fd, to, length)
    }

    fn bind(pc; fd: c_int, to: *const c_void, length: c_uint) -> c_int {
        used(fd, pc);
        touch::read(to, length as usize, pc);
        real(fd, to, length)
    }

    fn listen(pc; fd: c_int, backlog: c_int) -> c_int {
        if let Some(mut thread) = Stay::begin() {
            descriptors::listens(&mut thread, fd, pc);
        }
        real(fd, backlog)
    }

    fn accept(pc; fd: c_int, from: *mut c_void, length: *mut c_uint) -> c_int {
        accepted(fd, asked(fd, from, length, pc, || real(fd, from, length)), pc)
    }

    fn accept4(pc; fd: c_int, from: *mut c_void, length: *mut c_uint, flags: c_int) -> c_int {
        accepted(fd, asked(fd, from, length, pc, || real(fd, from, length, flags)), pc)
    }

    fn getsockname(pc; fd: c_int, address: *mut c_void, length: *mut c_uint) -> c_int {
        asked(fd, address, length, pc, || real(fd, address, length))
    }

    fn getpeername(pc; fd: c_int, address: *mut c_void, length: *mut c_uint) -> c_int {
        asked(fd, address, length, pc, || real(fd, address, length))
    }

    fn getsockopt(pc; fd: c_int, level: c_int, name: c_int, value: *mut c_void, length: *mut c_uint) -> c_int {
        asked(fd, value, length, pc, || real(fd, level, name, value, length))
    }

    fn setsockopt(pc; fd: c_int, level: c_int, name: c_int, value: *const c_void, length: c_uint) -> c_int {
        used(fd, pc);
        touch::read(value, length as usize, pc);
        real(fd, level, name, value, length)
    }

    fn recvfrom(pc; fd: c_int, to: *mut c_void, bytes: usize, flags: c_int, from: *mut c_void, length: *mut c_uint) -> isize {
        used(fd, pc);
        let room = room(length);
        let result = real(fd, to, bytes, flags, from, length);
        received(fd, to, result, pc);
        if result >= 0 {
            answered(from, room, length, pc);
        }
        result
    }

    fn sendto(pc; fd: c_int, from: *const c_void, bytes: usize, flags: c_int, to: *const c_void, length: c_uint) -> isize {
        touch::read(to, length as usize, pc);
        sending(fd, from, bytes, pc);
        real(fd, from, bytes, flags, to, length)
    }

    fn shutdown(pc; fd: c_int, how: c_int) -> c_int {
        sending(fd, core::ptr::null(), 0, pc);
        real(fd, how)
    }

    fn sendmsg(pc; fd: c_int, message: *const msghdr, flags: c_int) -> isize {
        message_sent(fd, message, pc);
        real(fd, message, flags)
    }

    fn sendmmsg(pc; fd: c_int, messages: *mut mmsghdr, count: c_uint, flags: c_int) -> c_int {
        for i in 0..count as usize {
            // SAFETY: the program's messages.
            message_sent(fd, unsafe { &raw const (*messages.add(i)).msg_hdr }, pc);
        }
        real(fd, messages, count, flags)
    }

    fn recvmsg(pc; fd: c_int, message: *mut msghdr, flags: c_int) -> isize {
        used(fd, pc);
        let bytes = real(fd, message, flags);
        message_received(fd, message, bytes, pc);
        bytes
    }

    fn recvmmsg(pc; fd: c_int, messages: *mut mmsghdr, count: c_uint, flags: c_int, time: *mut libc::timespec) -> c_int {
        used(fd, pc);
        let got = real(fd, messages, count, flags, time);
        for i in 0..got.max(0) as usize {
            // SAFETY: the program's messages, of which the kernel has filled so many.
            unsafe {
                let message = messages.add(i);
                message_received(fd, &raw const (*message).msg_hdr, (*message).msg_len as isize, pc);
            }
        }
        got
    }
}
