//! Users, groups, hosts and addresses.
//!
//! The functions without a buffer of the caller's answer in memory of the C library, of which there is one for all threads: each call writes it.

use super::touch;
use crate::{answers, interceptors};
use core::ffi::{c_char, c_int, c_uint, c_void};
use libc::{addrinfo, group, hostent, passwd};

type Text = *const c_char;
type To = *mut c_char;
type Into<T> = *mut *mut T;

fn length(text: *const c_char) -> usize {
    // SAFETY: a string that was written just now.
    unsafe { crate::lang::__deadheat_strlen(text as *const u8) + 1 }
}

/// Bytes of a buffer that an answer was put into: none if nothing was found.
fn room_if<T>(found: Into<T>, room: usize) -> usize {
    // SAFETY: set by the call, which succeeded.
    if unsafe { *found }.is_null() { 0 } else { room }
}

answers! {
    fn getpwnam(name: Text) -> user: *mut passwd { texts name; if !user.is_null() => user }
    fn getpwuid(id: c_uint) -> user: *mut passwd { if !user.is_null() => user }
    fn getpwent() -> user: *mut passwd { if !user.is_null() => user }
    fn getgrnam(name: Text) -> g: *mut group { texts name; if !g.is_null() => g }
    fn getgrgid(id: c_uint) -> g: *mut group { if !g.is_null() => g }
    fn getgrent() -> g: *mut group { if !g.is_null() => g }
    fn getpwnam_r(name: Text, to: *mut passwd, buffer: To, room: usize, found: Into<passwd>) -> r: c_int {
        texts name; if r == 0 => found, to, buffer[room_if(found, room)]
    }
    fn getpwuid_r(id: c_uint, to: *mut passwd, buffer: To, room: usize, found: Into<passwd>) -> r: c_int {
        if r == 0 => found, to, buffer[room_if(found, room)]
    }
    fn getpwent_r(to: *mut passwd, buffer: To, room: usize, found: Into<passwd>) -> r: c_int {
        if r == 0 => found, to, buffer[room_if(found, room)]
    }
    fn getgrnam_r(name: Text, to: *mut group, buffer: To, room: usize, found: Into<group>) -> r: c_int {
        texts name; if r == 0 => found, to, buffer[room_if(found, room)]
    }
    fn getgrgid_r(id: c_uint, to: *mut group, buffer: To, room: usize, found: Into<group>) -> r: c_int {
        if r == 0 => found, to, buffer[room_if(found, room)]
    }
    fn getgrent_r(to: *mut group, buffer: To, room: usize, found: Into<group>) -> r: c_int {
        if r == 0 => found, to, buffer[room_if(found, room)]
    }
    fn gethostbyname(name: Text) -> host: *mut hostent { texts name; if !host.is_null() => host }
    fn gethostbyname2(name: Text, family: c_int) -> host: *mut hostent { texts name; if !host.is_null() => host }
    fn gethostbyaddr(address: *const c_void, length: c_uint, family: c_int) -> host: *mut hostent { if !host.is_null() => host }
    fn gethostbyname_r(name: Text, to: *mut hostent, buffer: To, room: usize, found: Into<hostent>, error: *mut c_int) -> r: c_int {
        texts name; if r == 0 => found, to, buffer[room_if(found, room)]
    }
    fn gethostbyname2_r(name: Text, family: c_int, to: *mut hostent, buffer: To, room: usize, found: Into<hostent>, error: *mut c_int) -> r: c_int {
        texts name; if r == 0 => found, to, buffer[room_if(found, room)]
    }
    fn gethostbyaddr_r(address: *const c_void, length: c_uint, family: c_int, to: *mut hostent, buffer: To, room: usize, found: Into<hostent>, error: *mut c_int) -> r: c_int {
        if r == 0 => found, to, buffer[room_if(found, room)]
    }
    fn getaddrinfo(name: Text, service: Text, hints: *const addrinfo, found: Into<addrinfo>) -> r: c_int {
        texts name, service; if r == 0 => found
    }
    fn getifaddrs(found: Into<c_void>) -> r: c_int { if r == 0 => found }
    fn if_indextoname(index: c_uint, to: To) -> r: To { if !r.is_null() => r[length(r)] }
    fn inet_ntoa(address: c_uint) -> text: To { if !text.is_null() => text[length(text)] }
    fn inet_aton(text: Text, to: *mut u32) -> r: c_int { texts text; if r != 0 => to }
}

/// Bytes of an address of that family.
fn address_bytes(family: c_int) -> usize {
    match family {
        libc::AF_INET => 4,
        libc::AF_INET6 => 16,
        _ => 0,
    }
}

interceptors! {
    fn getnameinfo(pc; address: *const c_void, length: c_uint, host: To, host_room: c_uint, service: To, service_room: c_uint, flags: c_int) -> c_int {
        touch::read(address, length as usize, pc);
        let result = real(address, length, host, host_room, service, service_room, flags);
        if result == 0 {
            for (to, room) in [(host, host_room), (service, service_room)] {
                if !to.is_null() && room > 0 {
                    touch::write(to, self::length(to), pc);
                }
            }
        }
        result
    }

    fn inet_pton(pc; family: c_int, text: Text, to: *mut c_void) -> c_int {
        touch::text(text, pc);
        let result = real(family, text, to);
        if result == 1 {
            touch::write(to, address_bytes(family), pc);
        }
        result
    }

    fn inet_ntop(pc; family: c_int, from: *const c_void, to: To, room: c_uint) -> Text {
        touch::read(from, address_bytes(family), pc);
        let result = real(family, from, to, room);
        if !result.is_null() {
            touch::write(result, length(result), pc);
        }
        result
    }
}
