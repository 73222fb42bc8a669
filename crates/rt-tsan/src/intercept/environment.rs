//! The environment, of which there is one for all threads: who asks for a variable must not meet who changes one.
//!
//! The C library keeps changes apart from each other, but not from questions: these go through an array that a change may free.

use super::touch;
use crate::interceptors;
use core::ffi::{c_char, c_int};

type Text = *const c_char;

unsafe extern "C" {
    /// The array.
    static environ: *const Text;
}

/// The environment is looked at.
fn asked(pc: u64) {
    touch::read(&raw const environ, size_of::<usize>(), pc);
}

/// The environment is changed.
fn changed(pc: u64) {
    touch::object(&raw const environ, pc);
}

interceptors! {
    fn getenv(pc; name: Text) -> Text {
        touch::text(name, pc);
        asked(pc);
        real(name)
    }

    fn secure_getenv(pc; name: Text) -> Text {
        touch::text(name, pc);
        asked(pc);
        real(name)
    }

    fn setenv(pc; name: Text, value: Text, replaces: c_int) -> c_int {
        touch::text(name, pc);
        touch::text(value, pc);
        changed(pc);
        real(name, value, replaces)
    }

    fn unsetenv(pc; name: Text) -> c_int {
        touch::text(name, pc);
        changed(pc);
        real(name)
    }

    fn putenv(pc; setting: Text) -> c_int {
        touch::text(setting, pc);
        changed(pc);
        real(setting)
    }

    fn clearenv(pc;) -> c_int {
        changed(pc);
        real()
    }
}
