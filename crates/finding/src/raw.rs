//! The raw record of a run: every event as the runtime saw it, for the command line to turn into a trace.
//!
//! A file is a sequence of units of 32 bytes, all numbers little-endian. The first unit is the header:
//!
//! ```text
//! 0        8         10          12    16                32
//! | magic  | version | unit = 32 | pid | zeros           |
//! ```
//!
//! Every other unit is a record, or text that belongs to the record before it:
//!
//! ```text
//! 0      1       2      4       8        12     16        24     32
//! | kind | order | size | stamp | thread | site | address | aux  |
//! ```
//!
//! Whole units arrive, in any order among threads. A record of kind 0 is the end: the file was made longer before it was written, and nothing came after.
//! The `stamp` says in which order they happened: it counts up over all threads, and of equal stamps the one earlier in the file
//! is first. It holds the low half of the count; a [`Stamp`](Item::Stamp) record says the high half for the records of its
//! thread that follow.
//!
//! A record with text ([`ThreadName`](Item::ThreadName), [`ObjectName`](Item::ObjectName), [`Module`](Item::Module)) says in
//! `size` how many bytes it has, which fill the units after it. A
//! site is a node of the tree of calls: its pc and its parent's number, 0 for the root. It may be defined after it is used.
//! Memory orders must fit their operation (no store that acquires): the reader refuses others.

mod decode;
mod encode;
mod event;

pub use decode::{Decoder, RawError, RawFault, Reader};
pub use encode::{Header, write_module, write_object_name, write_site, write_stamp, write_thread_name};
pub use event::{Event, Order, Scope, What};

use alloc::string::String;
use alloc::vec::Vec;

/// How long header, records and pieces of text are.
pub const UNIT: usize = 32;
/// How a file starts.
pub const MAGIC: [u8; 8] = *b"DEADHEAT";
/// The version of the format that is written, and the only one that is read.
pub const VERSION: u16 = 1;

/// The kinds of records, as numbered in the file.
mod kind {
    pub const END: u8 = 0;
    pub const READ: u8 = 1;
    pub const WRITE: u8 = 2;
    pub const ATOMIC_LOAD: u8 = 3;
    pub const ATOMIC_STORE: u8 = 4;
    pub const ATOMIC_RMW: u8 = 5;
    pub const FENCE: u8 = 6;
    pub const LOCK: u8 = 7;
    pub const UNLOCK: u8 = 8;
    pub const LOCK_SHARED: u8 = 9;
    pub const UNLOCK_SHARED: u8 = 10;
    pub const FORK: u8 = 11;
    pub const JOIN: u8 = 12;
    pub const START: u8 = 13;
    pub const EXIT: u8 = 14;
    pub const WAIT: u8 = 15;
    pub const WOKEN: u8 = 16;
    pub const NOTIFY: u8 = 17;
    pub const BARRIER_MAKE: u8 = 18;
    pub const BARRIER_ENTER: u8 = 19;
    pub const BARRIER_LEAVE: u8 = 20;
    pub const ALLOC: u8 = 21;
    pub const FREE: u8 = 22;
    pub const RELEASE: u8 = 23;
    pub const ACQUIRE: u8 = 24;
    pub const RACE: u8 = 25;
    pub const GONE: u8 = 26;
    pub const SITE: u8 = 128;
    pub const STAMP: u8 = 129;
    pub const THREAD_NAME: u8 = 130;
    pub const OBJECT_NAME: u8 = 131;
    pub const MODULE: u8 = 132;
}

/// What a file holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// A thread did something.
    Event(Event),
    /// A site is that instruction, called from the parent.
    Site {
        /// Its number.
        site: u32,
        /// Its caller's site; 0 for none.
        parent: u32,
        /// The instruction, or where its call returns to.
        pc: u64,
    },
    /// What the program calls a thread.
    ThreadName {
        /// The thread.
        thread: u32,
        /// Its name.
        name: String,
    },
    /// What an object, such as a mutex or a global variable, is called.
    ObjectName {
        /// Its address.
        address: u64,
        /// Its name.
        name: String,
    },
    /// An executable or library, for looking up the sites' instructions.
    Module(RawModule),
    /// The high half of the stamps of that thread from here on. The decoder applies it by itself.
    Stamp {
        /// The thread.
        thread: u32,
        /// The high half.
        high: u32,
    },
    /// Nothing was recorded after this.
    End,
}

/// An executable or library in the process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawModule {
    /// The first address that it occupies.
    pub start: u64,
    /// The first address after it.
    pub end: u64,
    /// What is added to the addresses in the file to get those in the process.
    pub bias: u64,
    /// Which build of the file.
    pub build_id: Vec<u8>,
    /// Its path.
    pub path: String,
}

#[cfg(test)]
mod tests;
