//! Libraries that tell of uses of their objects: a race between two is one on the object, whatever it does inside.

use super::known;
use crate::entries;
use alloc::string::String;
use core::ffi::{CStr, c_char};
use deadheat_rt::place::FRAME;
use deadheat_rt::sites::Note;
use deadheat_rt::thread::Thread;
use deadheat_rt::tls::{self, offset};
use deadheat_rt::{access, external};
use deadheat_shadow::Mode;

/// # Safety
/// A text of the program's, or null.
unsafe fn text<'a>(of: *const c_char) -> &'a CStr {
    // SAFETY: the caller's promise.
    if of.is_null() { c"" } else { unsafe { CStr::from_ptr(of) } }
}

/// The object is used by a function of the library, which the program called from `caller`. If the library is not instrumented, its function has no frame: it gets one for
/// as long as this takes.
fn used(thread: &mut Thread, address: u64, caller: u64, tag: u64, mode: Mode, pc: u64) {
    let top = tls::get::<{ offset::FRAMES }>();
    // SAFETY: a frame is below the top, or the start of the stack's memory; and there is room above it.
    let has_frame = caller == 0
        || top != thread.placer.bottom() as u64 && unsafe { *((top - FRAME as u64) as *const u64) } == caller;
    if !has_frame {
        // SAFETY: as above.
        unsafe {
            (top as *mut u64).write(caller);
            (top as *mut u64).add(1).write(0);
        }
        tls::set::<{ offset::FRAMES }>(top + FRAME as u64);
    }
    access::plain(thread, address, 1, mode, pc, Note::external(tag));
    tls::set::<{ offset::FRAMES }>(top);
}

entries! {
    fn __tsan_external_register_tag(pc; name: *const c_char) -> u64 {
        // SAFETY: the program's text.
        let name = unsafe { text(name) }.into();
        let mut tag = 0;
        known(|_| tag = external::register(name));
        tag
    }

    fn __tsan_external_register_header(pc; tag: u64, header: *const c_char) {
        // SAFETY: the program's text.
        let header = String::from_utf8_lossy(unsafe { text(header) }.to_bytes()).into_owned();
        known(|_| external::set_header(tag, header));
    }

    fn __tsan_external_assign_tag(pc; address: u64, tag: u64) {
        known(|_| external::assign(address, tag));
    }

    fn __tsan_external_read(pc; address: u64, caller: u64, tag: u64) {
        known(|t| used(t, address, caller, tag, Mode::Read, pc));
    }

    fn __tsan_external_write(pc; address: u64, caller: u64, tag: u64) {
        known(|t| used(t, address, caller, tag, Mode::Write, pc));
    }
}
