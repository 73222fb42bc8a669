//! Raw records made by hand, and the traces that become of them.

use super::convert;
use deadheat_finding::raw::{
    Event, Header, Order, What, write_object_name, write_site, write_stamp, write_thread_name,
};
use std::fs;
use tempfile::TempDir;

const MUTEX: u64 = 0x5000;

/// A record of these events, with text and sites between them.
struct Record(Vec<u8>);

impl Record {
    fn new() -> Record {
        Record(Header { pid: 7 }.bytes().into())
    }

    fn event(mut self, stamp: u64, thread: u32, what: What) -> Record {
        self.0.extend(Event { stamp, thread, site: 0, what }.bytes());
        self
    }

    fn raw(mut self, bytes: &[u8]) -> Record {
        self.0.extend(bytes);
        self
    }

    /// The trace, as STD text.
    #[track_caller]
    fn trace(&self) -> String {
        let folder = TempDir::new().unwrap();
        let [record, trace] = ["record", "trace.std"].map(|name| folder.path().join(name));
        fs::write(&record, &self.0).unwrap();
        convert(&record, &trace).unwrap();
        fs::read_to_string(trace).unwrap()
    }
}

/// Threads write their events in pieces, which reach the file in any order.
#[test]
fn events_are_put_in_order() {
    let read = |address| What::Read { address, size: 4 };
    let record = Record::new()
        .event(3, 1, What::Lock { lock: MUTEX })
        .event(4, 1, read(0x10))
        .event(5, 1, What::Unlock { lock: MUTEX })
        .event(1, 0, What::Fork { child: 1 })
        .event(2, 0, What::Write { address: 0x10, size: 8 })
        .event(4, 0, read(0x20))
        .event(7, 1, What::Exit)
        .event(8, 0, What::Join { child: 1 });
    let expected = "main|fork(T1)|-\nmain|w(0x10:8)|-\nT1|acq(0x5000)|-\nT1|r(0x10:4)|-\nmain|r(0x20:4)|-\nT1|rel(0x5000)|-\n\
                    T1|exit()|-\nmain|join(T1)|-\n";
    assert_eq!(record.trace(), expected);
}

/// A long run counts further than half a stamp.
#[test]
fn stamps_that_wrap() {
    let half = 1 << 32;
    let record = Record::new()
        .event(5, 0, What::Fork { child: 1 })
        .raw(&write_stamp(0, 1))
        .event(half + 2, 0, What::Read { address: 8, size: 1 })
        .event(half - 1, 1, What::Start)
        .raw(&write_stamp(1, 1))
        .event(half + 1, 1, What::Write { address: 8, size: 1 });
    let operations: Vec<String> =
        record.trace().lines().map(|l| l.split('|').nth(1).unwrap().to_owned()).collect();
    assert_eq!(operations, ["fork(T1)", "start()", "w(0x8:1)", "r(0x8:1)"]);
}

#[test]
fn names_of_threads_objects_and_places() {
    let (mut thread, mut lock) = (Vec::new(), Vec::new());
    write_thread_name(&mut thread, 1, "io (1)|x");
    write_object_name(&mut lock, MUTEX, "till");
    let at = |what, site| Event { stamp: 2, thread: 1, site, what }.bytes();
    let record = Record::new()
        .event(1, 0, What::Fork { child: 1 })
        .raw(&at(What::Lock { lock: MUTEX }, 9))
        .raw(&at(What::Unlock { lock: MUTEX }, 9))
        .raw(&thread)
        .raw(&lock)
        .raw(&write_site(9, 0, 0x1234));
    let trace = record.trace();
    let lines: Vec<&str> = trace.lines().skip(1).collect();
    assert_eq!(lines, ["T1-io__1__x|acq(till)|0x1234", "T1-io__1__x|rel(till)|0x1234"]);
}

/// What is in memory that is handed out again, or made again, is something new.
#[test]
fn memory_that_is_used_again() {
    let record = Record::new()
        .event(1, 0, What::Alloc { address: MUTEX, size: 64 })
        .event(2, 0, What::Lock { lock: MUTEX + 8 })
        .event(3, 0, What::Unlock { lock: MUTEX + 8 })
        .event(4, 0, What::Free { address: MUTEX, size: 64 })
        .event(5, 0, What::Alloc { address: MUTEX, size: 64 })
        .event(6, 0, What::Lock { lock: MUTEX + 8 })
        .event(7, 0, What::BarrierMake { barrier: 0x90, parties: 1 })
        .event(8, 0, What::BarrierEnter { barrier: 0x90 })
        .event(9, 0, What::BarrierMake { barrier: 0x90, parties: 2 });
    let trace = record.trace();
    assert!(trace.contains("acq(0x5008)") && trace.contains("acq(0x5008#2)"), "{trace}");
    assert!(trace.contains("barrier(0x90,1)") && trace.contains("barrier(0x90#2,2)"), "{trace}");
}

#[test]
fn orders_and_objects_of_other_kinds() {
    let atomic = |order| What::AtomicRmw { address: 8, size: 4, order };
    let record = Record::new()
        .event(1, 0, atomic(Order::Consume))
        .event(2, 0, What::AtomicLoad { address: 8, size: 4, order: Order::SeqCst })
        .event(3, 0, What::Fence { order: Order::AcqRel })
        .event(4, 0, What::Release { object: 0x70 })
        .event(5, 0, What::Race { address: 8, size: 4, with: 1 })
        .event(6, 0, What::Acquire { object: 0x70 });
    let trace = record.trace();
    let operations: Vec<&str> = trace.lines().map(|l| l.split('|').nth(1).unwrap()).collect();
    let expected = ["rmw(0x8:4,acquire)", "load(0x8:4,seq_cst)", "fence(acq_rel)", "vw(0x70)", "vr(0x70)"];
    assert_eq!(operations, expected);
}

/// A program that was killed while it wrote leaves what came before.
#[test]
fn a_record_that_ends_early() {
    let mut record = Record::new().event(1, 0, What::Write { address: 8, size: 1 }).event(2, 0, What::Exit);
    record.0.truncate(record.0.len() - 5);
    assert_eq!(record.trace().lines().count(), 1);
}

#[test]
fn what_is_no_record() {
    let folder = TempDir::new().unwrap();
    let [record, trace] = ["record", "trace"].map(|name| folder.path().join(name));
    let told = |contents: Option<&[u8]>| {
        if let Some(bytes) = contents {
            fs::write(&record, bytes).unwrap();
        }
        convert(&record, &trace).unwrap_err().to_string()
    };
    assert_eq!(told(None), "the program ended without a record of its run");
    assert_eq!(told(Some(&[7; 64])), "the record of the run: byte 0: not a record of a run");
    assert!(!trace.exists());
}

/// Many threads, many pieces: the order is that of the stamps.
#[test]
fn many_threads() {
    let (threads, pieces, events) = (40u32, 30u64, 20u64);
    let mut record = Record::new();
    for thread in 1..=threads {
        record = record.event(thread.into(), 0, What::Fork { child: thread });
    }
    // Piece by piece, the threads in turns that change; the stamps of a thread only grow.
    for piece in 0..pieces {
        for turn in 1..=threads {
            let thread = (turn * 7 + piece as u32) % threads + 1;
            for n in 0..events {
                let stamp = 1000 + (piece * events + n) * 64 + u64::from(thread * 13 % threads);
                record = record.event(stamp, thread, What::Read { address: stamp, size: 1 });
            }
        }
    }
    let trace = record.trace();
    let reads = trace.lines().filter_map(|l| l.split("r(0x").nth(1)?.split(':').next());
    let stamps: Vec<u64> = reads.map(|hex| u64::from_str_radix(hex, 16).unwrap()).collect();
    assert_eq!(stamps.len() as u64, u64::from(threads) * pieces * events);
    assert!(stamps.is_sorted());
}

/// A mutex that was destroyed and made again at the same address passes nothing on from its former life.
#[test]
fn an_object_that_is_made_again() {
    let record = Record::new()
        .event(1, 0, What::Lock { lock: MUTEX })
        .event(2, 0, What::Unlock { lock: MUTEX })
        .event(3, 0, What::Gone { object: MUTEX })
        .event(4, 0, What::Lock { lock: MUTEX });
    let trace = record.trace();
    assert!(trace.contains("rel(0x5000)") && trace.contains("acq(0x5000#2)"), "{trace}");
}
