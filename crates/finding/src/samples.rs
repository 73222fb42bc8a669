//! Findings for the tests of this crate.

use crate::*;
use alloc::string::String;
use alloc::vec;

/// An access of four bytes with a stack of one frame.
pub(crate) fn access(mode: AccessMode, thread: u32) -> Access {
    let stack = Stack(vec![frame("f", "f.c", 3)]);
    Access {
        mode,
        size: 4,
        addr: Addr(0x5555_56a6_8af0),
        object: String::new(),
        thread: ThreadId(thread),
        held: vec![],
        stack,
    }
}

/// A frame of the executable `/home/ann/bank`.
pub(crate) fn frame(function: &str, file: &str, line: u32) -> Frame {
    Frame {
        pc: Addr(0x5555_5555_5000 + u64::from(line)),
        function: Some(function.into()),
        file: Some(String::from("/home/ann/src/") + file),
        line: Some(line),
        column: Some(5),
        module: Some("/home/ann/bank".into()),
        offset_in_module: Addr(0x1000 + u64::from(line)),
        build_id: Some("49db239b4df25520".into()),
        inlined: false,
    }
}

/// A frame of a library without debug information.
pub(crate) fn bare(function: Option<&str>) -> Frame {
    Frame {
        pc: Addr(0x7fff_f7e0_0000),
        function: function.map(String::from),
        module: Some("/usr/lib/libc.so.6".into()),
        offset_in_module: Addr(0x27249),
        ..Frame::default()
    }
}

/// A thread created by the main one.
pub(crate) fn thread(id: u32, name: &str) -> Thread {
    Thread {
        id: ThreadId(id),
        sort: ThreadSort::Thread,
        name: name.into(),
        os_tid: 7000 + u64::from(id),
        life: Life::Running,
        created_by: Some(ThreadId::MAIN),
        created: Stack(vec![bare(Some("pthread_create")), frame("main", "bank.c", 27)]),
    }
}

/// A mutex made in `main`.
pub(crate) fn mutex(id: u32) -> Mutex {
    let created = Stack(vec![bare(Some("pthread_mutex_init")), frame("main", "bank.c", 20 + id)]);
    Mutex { id: MutexId(id), addr: Addr(0x5555_56a6_8b38 + 40 * u64::from(id)), created, destroyed: false }
}

/// Thread 1 writes a global under a mutex, the main thread reads it without.
pub(crate) fn race() -> Finding {
    let mut prior = access(AccessMode::Write, 1);
    prior.held = vec![Held { mutex: MutexId(0), hold: Hold::Write }];
    let inlined = Frame { inlined: true, pc: Addr(0x5555_5555_500c), ..frame("store(int*)", "bank.c", 11) };
    prior.stack = Stack(vec![inlined, frame("deposit", "bank.c", 12), bare(None)]);
    let mut current = access(AccessMode::Read, 0);
    current.stack = Stack(vec![frame("main", "bank.c", 30)]);
    Finding {
        why: why(&prior, &current, Missing::NotJoined),
        accesses: vec![current, prior],
        memory: Memory::Global {
            name: Some("balance".into()),
            start: Addr(0x5555_56a6_8af0),
            size: Some(4),
            module: Some("/home/ann/bank".into()),
            offset_in_module: Addr(0x4af0),
        },
        mutexes: vec![mutex(0)],
        threads: vec![thread(1, "teller")],
        ..Finding::new(Kind::DataRace, 4711)
    }
}

/// The main thread and thread 1 take two mutexes in different orders.
pub(crate) fn inversion() -> Finding {
    let edge = |held, taken, thread, line| Edge {
        held: MutexId(held),
        taken: MutexId(taken),
        thread: ThreadId(thread),
        stack: Stack(vec![bare(Some("pthread_mutex_lock")), frame("transfer", "bank.c", line)]),
        held_stack: Stack(vec![frame("transfer", "bank.c", line - 1)]),
    };
    Finding {
        cycle: vec![edge(0, 1, 0, 41), edge(1, 0, 1, 51)],
        mutexes: vec![mutex(0), mutex(1)],
        threads: vec![thread(1, "")],
        ..Finding::new(Kind::LockOrderInversion, 4711)
    }
}

/// A mutex is destroyed while thread 1 holds it.
pub(crate) fn destroy() -> Finding {
    let place = |what: &str, thread, function, line| Place {
        what: what.into(),
        thread: ThreadId(thread),
        stack: Stack(vec![bare(Some(function)), frame("main", "bank.c", line)]),
    };
    Finding {
        places: vec![place("", 0, "pthread_mutex_destroy", 60), place("", 1, "pthread_mutex_lock", 55)],
        memory: Memory::Stack { thread: ThreadId::MAIN },
        mutexes: vec![Mutex { created: Stack::default(), destroyed: true, ..mutex(3) }],
        why: "Thread T1 still holds M3.".into(),
        ..Finding::new(Kind::DestroyLocked, 4711)
    }
}
