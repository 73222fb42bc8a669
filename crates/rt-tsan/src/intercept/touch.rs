//! What the C library reads and writes on the program's behalf.

use deadheat_rt::access::plain;
use deadheat_rt::first::{self, Way};
use deadheat_rt::output::options;
use deadheat_rt::quick::is_in_epoch;
use deadheat_rt::sites::Note;
use deadheat_rt::thread::{Stay, Thread};
use deadheat_shadow::Mode;

/// The bytes are accessed by a function that the program called from there.
#[inline]
pub fn by<T>(thread: &mut Thread, at: *const T, bytes: usize, mode: Mode, pc: u64) {
    if bytes > 0 && !at.is_null() && !options().ignore_interceptors_accesses {
        plain(thread, at as u64, bytes as u64, mode, pc, Note::CALL);
    }
}

/// The bytes are accessed by a function that the program called from there, by a thread that is not in the runtime.
#[inline(always)]
fn from<T>(at: *const T, bytes: usize, mode: Mode, pc: u64) {
    let (address, size) = (at as u64, bytes as u64);
    if bytes == 0 || at.is_null() || options().ignore_interceptors_accesses {
        return;
    }
    if size <= first::FEW {
        match first::few(address, size, mode, pc) {
            Way::Through => return,
            Way::Signalled => return Stay::leave(),
            Way::Longer => (),
        }
    } else if is_in_epoch(address, size, mode) {
        return;
    }
    if let Some(mut thread) = Stay::begin() {
        plain(&mut thread, address, size, mode, pc, Note::CALL);
    }
}

/// The function reads those bytes.
#[inline]
pub fn read<T>(at: *const T, bytes: usize, pc: u64) {
    from(at, bytes, Mode::Read, pc);
}

/// The function writes those bytes.
#[inline]
pub fn write<T>(at: *const T, bytes: usize, pc: u64) {
    from(at, bytes, Mode::Write, pc);
}

/// The function copies those bytes.
#[inline]
pub fn copy<T, U>(to: *const T, from: *const U, bytes: usize, pc: u64) {
    read(from, bytes, pc);
    write(to, bytes, pc);
}

/// The function reads that string, with its end.
#[inline]
pub fn text(at: *const core::ffi::c_char, pc: u64) {
    if !at.is_null() {
        // SAFETY: the program's string.
        read(at, unsafe { crate::lang::__deadheat_strlen(at as *const u8) } + 1, pc);
    }
}

/// The function reads that string, with its end, if it is not longer than so much; else that much of it.
pub fn beginning(at: *const core::ffi::c_char, most: usize, pc: u64) {
    if !at.is_null() {
        // SAFETY: the program's string.
        let end = (0..most).find(|i| unsafe { at.add(*i).read_volatile() } == 0);
        read(at, end.map_or(most, |n| n + 1), pc);
    }
}

/// The function writes that object.
#[inline]
pub fn object<T>(at: *const T, pc: u64) {
    write(at, size_of::<T>(), pc);
}

/// Bytes of an object.
#[inline]
pub fn bytes_of<T>(_: *const T) -> usize {
    size_of::<T>()
}
