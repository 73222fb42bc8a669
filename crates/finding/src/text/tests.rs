//! What reports look like.

use super::*;
use crate::samples::{access, destroy, frame, inversion, race, thread};
use crate::{Addr, Freed, Kind};
use alloc::vec;
use expect_test::{Expect, expect};

fn check(finding: &Finding, style: Style<'_>, expected: Expect) {
    let mut text = String::new();
    write_finding(&mut text, finding, style).unwrap();
    expected.assert_eq(&text);
}

#[test]
fn a_race() {
    check(
        &race(),
        Style { strip_path_prefix: "/home/ann/", ..Style::default() },
        expect![[r#"
        ==================
        WARNING: ThreadSanitizer: data race (pid=4711)
          Read of size 4 at 0x555556a68af0 by main thread:
            #0 main src/bank.c:30:5 (bank+0x101e) (BuildId: 49db239b4df25520)

          Previous write of size 4 at 0x555556a68af0 by thread T1 (mutexes: write M0):
            #0 store(int*) src/bank.c:11:5 (bank+0x100b) (BuildId: 49db239b4df25520)
            #1 deposit src/bank.c:12:5 (bank+0x100c)
            #2 <null> <null> (libc.so.6+0x27249)

          Nothing orders thread T1's write before the main thread's read: the main thread has not joined
          thread T1, nor acquired anything that it released since. Only thread T1 held a mutex (M0).

          Location is global 'balance' of size 4 at 0x555556a68af0 (bank+0x4af0)

          Mutex M0 (0x555556a68b38) created at:
            #0 pthread_mutex_init <null> (libc.so.6+0x27249)
            #1 main src/bank.c:20:5 (bank+0x1014) (BuildId: 49db239b4df25520)

          Thread T1 'teller' (tid=7001, running) created by main thread at:
            #0 pthread_create <null> (libc.so.6+0x27249)
            #1 main src/bank.c:27:5 (bank+0x101b) (BuildId: 49db239b4df25520)

        SUMMARY: ThreadSanitizer: data race src/bank.c:30:5 in main
        ==================
    "#]],
    );
}

#[test]
fn a_lock_inversion() {
    check(
        &inversion(),
        Style::default(),
        expect![[r#"
        ==================
        WARNING: ThreadSanitizer: lock-order-inversion (potential deadlock) (pid=4711)
          Cycle in lock order graph: M0 (0x555556a68b38) => M1 (0x555556a68b60) => M0

          Mutex M1 acquired here while holding mutex M0 in main thread:
            #0 pthread_mutex_lock <null> (libc.so.6+0x27249)
            #1 transfer /home/ann/src/bank.c:41:5 (bank+0x1029) (BuildId: 49db239b4df25520)

          Mutex M0 previously acquired by the same thread here:
            #0 transfer /home/ann/src/bank.c:40:5 (bank+0x1028) (BuildId: 49db239b4df25520)

          Mutex M0 acquired here while holding mutex M1 in thread T1:
            #0 pthread_mutex_lock <null> (libc.so.6+0x27249)
            #1 transfer /home/ann/src/bank.c:51:5 (bank+0x1033) (BuildId: 49db239b4df25520)

          Mutex M1 previously acquired by the same thread here:
            #0 transfer /home/ann/src/bank.c:50:5 (bank+0x1032) (BuildId: 49db239b4df25520)

          Mutex M0 (0x555556a68b38) created at:
            #0 pthread_mutex_init <null> (libc.so.6+0x27249)
            #1 main /home/ann/src/bank.c:20:5 (bank+0x1014) (BuildId: 49db239b4df25520)

          Mutex M1 (0x555556a68b60) created at:
            #0 pthread_mutex_init <null> (libc.so.6+0x27249)
            #1 main /home/ann/src/bank.c:21:5 (bank+0x1015) (BuildId: 49db239b4df25520)

          Thread T1 (tid=7001, running) created by main thread at:
            #0 pthread_create <null> (libc.so.6+0x27249)
            #1 main /home/ann/src/bank.c:27:5 (bank+0x101b) (BuildId: 49db239b4df25520)

        SUMMARY: ThreadSanitizer: lock-order-inversion (potential deadlock) (/usr/lib/libc.so.6+0x27249) in pthread_mutex_lock
        ==================
    "#]],
    );
}

#[test]
fn a_misused_mutex() {
    check(
        &destroy(),
        Style::default(),
        expect![[r#"
        ==================
        WARNING: ThreadSanitizer: destroy of a locked mutex (pid=4711)
            #0 pthread_mutex_destroy <null> (libc.so.6+0x27249)
            #1 main /home/ann/src/bank.c:60:5 (bank+0x103c) (BuildId: 49db239b4df25520)

          and:
            #0 pthread_mutex_lock <null> (libc.so.6+0x27249)
            #1 main /home/ann/src/bank.c:55:5 (bank+0x1037) (BuildId: 49db239b4df25520)

          Thread T1 still holds M3.

          Location is stack of main thread.

          Mutex M3 (0x555556a68bb0) is already destroyed.

        SUMMARY: ThreadSanitizer: destroy of a locked mutex (/usr/lib/libc.so.6+0x27249) in pthread_mutex_destroy
        ==================
    "#]],
    );
}

#[test]
fn leaked_threads() {
    let mut leaked = thread(2, "");
    leaked.life = Life::Finished;
    let finding = Finding { threads: vec![leaked], similar: 3, ..Finding::new(Kind::ThreadLeak, 1) };
    check(
        &finding,
        Style::default(),
        expect![[r#"
        ==================
        WARNING: ThreadSanitizer: thread leak (pid=1)
          Thread T2 (tid=7002, finished) created by main thread at:
            #0 pthread_create <null> (libc.so.6+0x27249)
            #1 main /home/ann/src/bank.c:27:5 (bank+0x101b) (BuildId: 49db239b4df25520)

          And 3 more similar thread leaks.

        SUMMARY: ThreadSanitizer: thread leak (/usr/lib/libc.so.6+0x27249) in pthread_create
        ==================
    "#]],
    );
}

#[test]
fn kinds_of_memory() {
    let stack = || Stack(vec![frame("g", "g.c", 1)]);
    let main = ThreadId::MAIN;
    let memories = [
        Memory::Heap {
            start: Addr(0x7b00),
            size: 40,
            offset: 8,
            object: String::new(),
            thread: main,
            stack: stack(),
            freed: Some(Freed { thread: ThreadId(2), stack: stack() }),
        },
        Memory::Global {
            name: None,
            start: Addr(1),
            size: None,
            module: Some("/a/b".into()),
            offset_in_module: Addr(2),
        },
        Memory::ThreadLocal { thread: ThreadId(1) },
        Memory::Stack { thread: main },
        Memory::FileDescriptor { fd: 4, closed: false, thread: main, stack: stack() },
        Memory::FileDescriptor { fd: 5, closed: true, thread: ThreadId(3), stack: Stack::default() },
    ];
    // The first line keeps the indentation of the others in the snapshot.
    let mut text = String::from("Memory:\n");
    let finding = Finding::new(Kind::DataRace, 1);
    for memory in &memories {
        Writer { out: &mut text, style: Style::default(), finding: &finding }.memory(memory).unwrap();
    }
    expect![[r#"
        Memory:
          Location is heap block of size 40 at 0x000000007b00 allocated by main thread:
            #0 g /home/ann/src/g.c:1:5 (bank+0x1001) (BuildId: 49db239b4df25520)

          Freed by thread T2 at:
            #0 g /home/ann/src/g.c:1:5 (bank+0x1001) (BuildId: 49db239b4df25520)

          Location is global '??' at 0x000000000001 (b+0x2)

          Location is TLS of thread T1.

          Location is stack of main thread.

          Location is file descriptor 4 created by main thread at:
            #0 g /home/ann/src/g.c:1:5 (bank+0x1001) (BuildId: 49db239b4df25520)

          Location is file descriptor 5 destroyed by thread T3 at:
            [failed to restore the stack]

    "#]]
    .assert_eq(&text);
}

#[test]
fn little_is_known() {
    let mut finding = Finding::new(Kind::UseAfterFree, 1);
    let mut free = access(AccessMode::Free, 1);
    free.stack = Stack::default();
    let mut atomic = access(AccessMode::AtomicRead, 0);
    atomic.stack = Stack(vec![Frame { pc: Addr(0x1234), ..Frame::default() }]);
    finding.accesses = vec![atomic, free];
    finding.slept = Stack(vec![frame("sleep", "s.c", 9)]);
    check(
        &finding,
        Style { summary: Summary::Hidden, ..Style::default() },
        expect![[r#"
        ==================
        WARNING: ThreadSanitizer: heap-use-after-free (pid=1)
          Atomic read of size 4 at 0x555556a68af0 by main thread:
            #0 <null> <null> (0x000000001234)

          Previous write of size 4 at 0x555556a68af0 by thread T1:
            [failed to restore the stack]

          As if synchronized via sleep:
            #0 sleep /home/ann/src/s.c:9:5 (bank+0x1009) (BuildId: 49db239b4df25520)

        ==================
    "#]],
    );
    assert_eq!(summary(&finding, ""), None);
}

#[test]
fn names_cannot_colour_the_report() {
    let mut finding = race();
    finding.accesses[0].stack.0[0].function = Some("f\x1b[31m\n#1 g".into());
    finding.threads[0].name = "\x07".into();
    finding.why = "a\x1bb".into();
    let mut text = String::new();
    write_finding(&mut text, &finding, Style::default()).unwrap();
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
    assert!(text.contains("f\\u{1b}[31m\\n#1 g"));
}

#[test]
fn colours_are_only_added() {
    let (mut plain, mut coloured) = (String::new(), String::new());
    write_finding(&mut plain, &race(), Style::default()).unwrap();
    write_finding(&mut coloured, &race(), Style { colour: Colour::Ansi, ..Style::default() }).unwrap();
    assert!(coloured.contains("\x1b[1m\x1b[31mWARNING: ThreadSanitizer: data race (pid=4711)\x1b[0m\n"));
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some(at) = rest.find('\x1b') {
        stripped.push_str(&rest[..at]);
        rest = &rest[at + rest[at..].find('m').unwrap() + 1..];
    }
    assert_eq!(stripped + rest, plain);
}

#[test]
fn totals() {
    let mut text = String::new();
    write_total(&mut text, 0).unwrap();
    write_total(&mut text, 3).unwrap();
    assert_eq!(text, "ThreadSanitizer: reported 3 warnings\n");
}
