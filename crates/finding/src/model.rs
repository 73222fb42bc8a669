//! A finding: what is wrong, where, between whom, and all that the runtime knew when it saw it.

use crate::{Addr, Kind, MutexId, ThreadId};
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// One bug of one run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// What is wrong.
    pub kind: Kind,
    /// What to call it, if that is not what its kind is called: the program has its own words for races on its objects.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The process.
    pub pid: u32,
    /// The accesses that race, the one that completed the race first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accesses: Vec<Access>,
    /// Where it happened, if it is no race: the place of the bug first, then what led to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Place>,
    /// The edges of the cycle, if mutexes are taken in different orders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cycle: Vec<Edge>,
    /// A sleep that was all there was between the two accesses.
    #[serde(default, skip_serializing_if = "Stack::is_empty")]
    pub slept: Stack,
    /// What the memory is.
    #[serde(default)]
    pub memory: Memory,
    /// The mutexes that the finding mentions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mutexes: Vec<Mutex>,
    /// The threads that the finding mentions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<Thread>,
    /// What ordering was missing, or what else is to be known, in sentences; see [`why`](fn@crate::why).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// How many more of the same are not shown (leaked threads created at the same place).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub similar: u32,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// One of the accesses that race.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Access {
    /// Read or write.
    pub mode: AccessMode,
    /// How many bytes.
    pub size: u64,
    /// The first of them.
    pub addr: Addr,
    /// The type of the object that was used, if a library said that one was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub object: String,
    /// Who.
    pub thread: ThreadId,
    /// The mutexes that it held.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<Held>,
    /// Where; empty if no longer known.
    pub stack: Stack,
}

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum AccessMode {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
    /// The memory is given back: a write to all of it.
    Free,
}

impl AccessMode {
    /// Is it atomic?
    pub fn atomic(self) -> bool {
        matches!(self, AccessMode::AtomicRead | AccessMode::AtomicWrite)
    }

    /// What to call it: `write`, `atomic read`, `free`.
    pub fn noun(self) -> &'static str {
        match self {
            AccessMode::Read => "read",
            AccessMode::Write => "write",
            AccessMode::AtomicRead => "atomic read",
            AccessMode::AtomicWrite => "atomic write",
            AccessMode::Free => "free",
        }
    }
}

/// A mutex held during an access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Held {
    /// Which.
    pub mutex: MutexId,
    /// How.
    pub hold: Hold,
}

/// How a mutex is held.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hold {
    /// Alone.
    Write,
    /// Together with other readers.
    Read,
}

/// A place that is part of a finding other than a race.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    /// What happened there: `locked earlier`; empty for the place of the bug itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub what: String,
    /// Who.
    pub thread: ThreadId,
    /// Where.
    pub stack: Stack,
}

/// A mutex was taken by a thread that held another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Edge {
    /// The mutex that the thread held.
    pub held: MutexId,
    /// The mutex that it took.
    pub taken: MutexId,
    /// Who.
    pub thread: ThreadId,
    /// Where it took the second.
    pub stack: Stack,
    /// Where it had taken the first, if known.
    #[serde(default, skip_serializing_if = "Stack::is_empty")]
    pub held_stack: Stack,
}

/// What lies at the address.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Memory {
    /// Nobody knows.
    #[default]
    Unknown,
    /// A block of the heap.
    Heap {
        /// Its first byte.
        start: Addr,
        /// How many bytes it has.
        size: u64,
        /// How many bytes into it the access is.
        offset: u64,
        /// What it is, if the program has said so.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        object: String,
        /// Who allocated it.
        thread: ThreadId,
        /// Where.
        stack: Stack,
        /// Who gave it back, if that is not one of the accesses.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        freed: Option<Freed>,
    },
    /// A global or static variable.
    Global {
        /// Its name, readable.
        name: Option<String>,
        /// Its first byte.
        start: Addr,
        /// How many bytes it has.
        size: Option<u64>,
        /// Path of the executable or library that defines it.
        module: Option<String>,
        /// Where in that file's addresses the access is.
        offset_in_module: Addr,
    },
    /// A variable of one thread.
    ThreadLocal {
        /// Whose.
        thread: ThreadId,
    },
    /// A thread's stack.
    Stack {
        /// Whose.
        thread: ThreadId,
    },
    /// No memory: the number of an open file, which one thread closed.
    FileDescriptor {
        /// The number.
        fd: i32,
        /// Is it open or closed?
        closed: bool,
        /// Who opened or closed it.
        thread: ThreadId,
        /// Where.
        stack: Stack,
    },
}

/// When a block was given back.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Freed {
    /// Who.
    pub thread: ThreadId,
    /// Where.
    pub stack: Stack,
}

/// A mutex that the finding mentions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mutex {
    /// Its name in this finding.
    pub id: MutexId,
    /// Where it is.
    pub addr: Addr,
    /// Where it was made, or first locked if it needs no making.
    #[serde(default, skip_serializing_if = "Stack::is_empty")]
    pub created: Stack,
    /// Is it destroyed by now?
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub destroyed: bool,
}

/// A thread that the finding mentions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Thread {
    /// Its name in this run.
    pub id: ThreadId,
    /// Thread or fiber.
    #[serde(default)]
    pub sort: ThreadSort,
    /// What the program calls it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The kernel's number for it.
    pub os_tid: u64,
    /// Does it still run?
    pub life: Life,
    /// Who created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<ThreadId>,
    /// Where.
    #[serde(default, skip_serializing_if = "Stack::is_empty")]
    pub created: Stack,
}

/// What runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThreadSort {
    /// A thread of the operating system.
    #[default]
    Thread,
    /// A flow of control that the program switches by itself.
    Fiber,
}

/// Does a thread still run?
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Life {
    Running,
    Finished,
}

/// Frames, innermost first.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stack(pub Vec<Frame>);

impl Stack {
    /// Is nothing known?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The innermost frame.
    pub fn top(&self) -> Option<&Frame> {
        self.0.first()
    }

    /// The innermost frame with a line of source: where a reader wants to look first.
    pub fn source(&self) -> Option<&Frame> {
        self.0.iter().find(|frame| frame.file.is_some() && frame.line.is_some())
    }
}

/// One function on a stack.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Frame {
    /// Address of the instruction.
    pub pc: Addr,
    /// The function, readable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Path of the executable or library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// The instruction in that file's own addresses.
    pub offset_in_module: Addr,
    /// Which build of that file, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
    /// Is its code part of the next frame's function?
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub inlined: bool,
}

impl Finding {
    /// A finding of that kind with no evidence yet.
    pub fn new(kind: Kind, pid: u32) -> Finding {
        Finding {
            kind,
            title: String::new(),
            pid,
            accesses: Vec::new(),
            places: Vec::new(),
            cycle: Vec::new(),
            slept: Stack::default(),
            memory: Memory::Unknown,
            mutexes: Vec::new(),
            threads: Vec::new(),
            why: String::new(),
            similar: 0,
        }
    }

    /// What to call it in reports.
    pub fn title(&self) -> &str {
        if self.title.is_empty() { self.kind.title() } else { &self.title }
    }

    /// The stack by which to call the finding: of the last access, of the bug, of the first edge or where the thread was created.
    pub fn main_stack(&self) -> Option<&Stack> {
        let access = self.accesses.first().map(|access| &access.stack);
        let place = self.places.first().map(|place| &place.stack);
        let edge = self.cycle.first().map(|edge| &edge.stack);
        access.or(place).or(edge).or(self.threads.first().map(|thread| &thread.created))
    }

    /// What is known about that thread.
    pub fn thread(&self, id: ThreadId) -> Option<&Thread> {
        self.threads.iter().find(|thread| thread.id == id)
    }

    /// What is known about that mutex.
    pub fn mutex(&self, id: MutexId) -> Option<&Mutex> {
        self.mutexes.iter().find(|mutex| mutex.id == id)
    }
}
