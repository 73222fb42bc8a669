//! What programs do: small ones, one rule of the semantics each.

use deadheat_explore::{Action, Blocked, Fault, FaultKind, Log, Points, Status};
use deadheat_lang::{Machine, Options, check, compile, parse};
use deadheat_trace::{Op, Tid};
use std::sync::Arc;

/// How a run came out.
#[derive(Debug)]
struct Ran {
    output: String,
    fault: Option<Fault>,
    /// Who is blocked at the end.
    blocked: Vec<(u32, Blocked)>,
    ops: Vec<Op>,
}

fn machine(source: &str) -> Machine {
    let program = parse(source).unwrap_or_else(|e| panic!("{}", e[0].render("test", source, false)));
    let types = check(&program).unwrap_or_else(|e| panic!("{}", e[0].render("test", source, false)));
    let code = compile(&program, &types).expect("small enough");
    Machine::new(Arc::new(code), Options { keep_output: true, ..Options::default() })
}

/// Runs the ready thread that `pick` chooses, one visible instruction at a time.
fn run_with(source: &str, mut pick: impl FnMut(&[Action]) -> usize) -> Ran {
    let mut machine = machine(source);
    let mut log = Log::default();
    loop {
        let ready: Vec<Action> = (0..machine.created())
            .flat_map(|t| match machine.status(Tid(t)) {
                Status::Ready(n) => (0..n).map(|choice| Action { tid: Tid(t), choice }).collect(),
                _ => Vec::new(),
            })
            .collect();
        let fault = match ready.is_empty() {
            true => None,
            false => match machine.step(ready[pick(&ready)], &Points::Everywhere, &mut log) {
                Ok(()) => continue,
                Err(fault) => Some(fault),
            },
        };
        let blocked = (0..machine.created()).filter_map(|t| match machine.status(Tid(t)) {
            Status::Blocked(b) => Some((t, b)),
            _ => None,
        });
        let (output, blocked) = (machine.output().join("\n"), blocked.collect());
        return Ran { output, fault, blocked, ops: log.events.iter().map(|e| e.op).collect() };
    }
}

/// Runs the thread with the smallest number that is ready.
fn run(source: &str) -> Ran {
    run_with(source, |_| 0)
}

#[track_caller]
fn prints(source: &str, expected: &str) {
    let ran = run(source);
    assert_eq!((ran.output.as_str(), &ran.fault), (expected, &None), "{ran:?}");
    assert_eq!(ran.blocked, [], "everybody should have ended");
}

#[track_caller]
fn fails(source: &str, kind: FaultKind, message: &str) {
    let ran = run(source);
    let fault = ran.fault.unwrap_or_else(|| panic!("no fault: {:?}", ran.output));
    assert_eq!((fault.kind, fault.message.as_str()), (kind, message));
}

#[test]
fn arithmetic_and_control() {
    prints(
        "fn fib(n) -> int { if n < 2 { return n; } return fib(n - 1) + fib(n - 2); }
         main { let i = 0; while i < 10 { i = i + 3; } print i, -i / 4, i % 5, max(i, 3), min(i, 3); print fib(15); }",
        "12 -3 2 12 3\n610",
    );
    prints(
        "global x; fn touch() -> bool { x = x + 1; return true; }
         main { let a = false && touch(); let b = true || touch(); let c = true && touch(); print x; assert !a && b && c; }",
        "1",
    );
    prints(
        "main { let a = 1; { let a = 2; print a; } print a; if a == 1 { print 10; } else { print 20; } }",
        "2\n1\n10",
    );
}

#[test]
fn shared_places() {
    prints(
        "global a: [int; 3]; main { a[0] = 7; a[2] = 7; a[1] = a[0] + a[2]; print a[0], a[1], a.length; }",
        "7 14 3",
    );
    prints(
        "class Node { value; next: Node; fn sum() -> int { if this.next == null { return this.value; } return this.value + this.next.sum(); } }
         main { let n = new Node; n.value = 4; let m = new Node; m.next = n; m.value = 5; print m.sum(); }",
        "9",
    );
    prints("main { let a = new [int; 4]; a[3] = 9; let b = a; print b[3], b.length; }", "9 4");
    prints("main { let p = malloc(2); p[1] = 5; let q = p + 1; print q[0], p[0]; free p; }", "5 0");
    prints("atomic f = 3; main { f = f + 1; print f, xchg(f, 9), fetch_add(f, 2), f; }", "4 4 9 11");
    prints(
        "global x; main { print x; if cas(x, 0, 5) { print x; } if !cas(x, 0, 6) { print x; } }",
        "0\n5\n5",
    );
}

#[test]
fn every_shared_access_is_told() {
    let ran = run("global x; atomic f; global m: mutex;
                   main { lock m; x = x + 1; unlock m; f = 1; let t = spawn { yield; }; wait t; }");
    let told: Vec<String> =
        ran.ops.iter().map(|op| format!("{op:?}").split('(').next().expect("a word").to_owned()).collect();
    assert_eq!(told, ["Acquire", "Read", "Write", "Release", "AtomicStore", "Fork", "Join"]);
}

#[test]
fn threads_and_locks() {
    prints(
        "global x; global m: mutex; fn add(n) { sync m { x = x + n; } }
         main { let a = spawn add(1); let b = spawn add(20); wait a; wait b; wait a; print x; }",
        "21",
    );
    prints("global x; thread one { x = 1; } thread { x = x + 1; } finally { print x; }", "2");
    prints(
        "main { let a = 5; let t = spawn { let b = a; a = 6; print a, b, self(); }; wait t; print a, self(); }",
        "6 5 1\n5 0",
    );
    prints(
        "class C { x; } main { let c = new C; lock c; let t = spawn { lock c; c.x = 1; unlock c; }; unlock c; wait t; print c.x; }",
        "1",
    );
    prints(
        "global m: mutex; main { assert try_lock(m); assert !try_lock(m); unlock m; assert try_lock(m); }",
        "",
    );
}

#[test]
fn deadlocks_leave_threads_blocked() {
    let ran = run("global m: mutex; main { lock m; lock m; }");
    assert!(matches!(ran.blocked[..], [(0, Blocked::Lock(_, Tid(0)))]), "{ran:?}");
    let ran = run("main { let t = spawn { deschedule; }; wait t; }");
    assert!(matches!(ran.blocked[..], [(0, Blocked::Join(Tid(1))), (1, Blocked::Descheduled)]), "{ran:?}");
    let ran = run("main { let c = chan int(0); c <- 1; }");
    assert!(matches!(ran.blocked[..], [(0, Blocked::Channel)]), "{ran:?}");
}

#[test]
fn descheduling() {
    // Main goes first: it makes a thread runnable that has not descheduled yet, and that is lost.
    let lost = run("main { let t = spawn { deschedule; print 1; }; make_runnable t; wait t; }");
    assert_eq!(lost.blocked.len(), 2, "{lost:?}");
    // The thread goes first.
    let woken =
        run_with("main { let t = spawn { deschedule; print 1; }; make_runnable t; wait t; }", |ready| {
            ready.len() - 1
        });
    assert_eq!((woken.output.as_str(), woken.blocked.len()), ("1", 0), "{woken:?}");
}

#[test]
fn channels() {
    prints("main { let c = chan int(2); c <- 1; c <- 2; print <-c, <-c; close c; print <-c; }", "1 2\n0");
    prints(
        "main { let c = chan int(0); let t = spawn { c <- 7; c <- 8; close c; }; print <-c, <-c, <-c; wait t; }",
        "7 8 0",
    );
    prints(
        "main { let c = chan int(1); select { case c <- 4 { print 1; } default { print 2; } }
                select { case c <- 5 { print 3; } default { print 4; } } select { case let v = <-c { print v; } } }",
        "1\n4\n4",
    );
    // A select that waits meets a sender; one with a default only meets who is there.
    prints(
        "main { let c = chan int(0); let t = spawn { c <- 3; }; select { case let v = <-c { print v; } } wait t; }",
        "3",
    );
    let there = "main { let c = chan int(0); let t = spawn { c <- 3; }; yield; select { case let v = <-c { print v; } default { print 0; let v = <-c; } } wait t; }";
    prints(there, "3");
    fails("main { let c = chan int(1); close c; c <- 1; }", FaultKind::Panic, "send on a closed channel");
    fails("main { let c = chan int(1); close c; close c; }", FaultKind::Panic, "close of a closed channel");
    fails("global c: chan int; main { c <- 1; }", FaultKind::Error, "the channel is null");
}

#[test]
fn a_select_can_go_every_ready_way() {
    let source = "main { let a = chan int(1); let b = chan int(1); a <- 1; b <- 2;
                          select { case let v = <-a { print v; } case let v = <-b { print v; } } }";
    assert_eq!(run_with(source, |_| 0).output, "1");
    assert_eq!(run_with(source, |ready| ready.len() - 1).output, "2");
}

#[test]
fn faults() {
    fails("main { assert 1 == 2; }", FaultKind::Assertion, "this does not hold");
    fails("main { panic \"no\"; }", FaultKind::Panic, "no");
    fails("main { let a = 0; print 1 / a; }", FaultKind::Error, "division by zero");
    fails(
        "global a: [int; 2]; main { let i = 2; a[i] = 1; }",
        FaultKind::Error,
        "index 2 is outside of an array of 2",
    );
    fails("class C { x; } main { let c: C = null; c.x = 1; }", FaultKind::Error, "the reference is null");
    fails("main { let p = malloc(1); free p; p[0] = 1; }", FaultKind::UseAfterFree, "this memory was freed");
    fails(
        "main { let p = malloc(1); free p; free p; }",
        FaultKind::DoubleFree,
        "this memory was freed before",
    );
    fails("main { let p = 12; p[0] = 1; }", FaultKind::Error, "this is no address that malloc gave out");
    fails("global m: mutex; main { unlock m; }", FaultKind::Error, "unlock of a lock that nobody holds");
    fails("fn f() { f(); } main { f(); }", FaultKind::Error, "too many calls within calls");
    fails("main { while true { } }", FaultKind::Endless, "this loop goes on for ever");
    fails(
        "main { let i = 0; while true { i = i + 1; } }",
        FaultKind::Endless,
        "millions of steps without touching anything shared",
    );
    fails(
        "main { let n = 1000000000; let a = new [int; n]; }",
        FaultKind::Error,
        "there is no room for this object",
    );
    fails("main { let n = -1; let a = new [int; n]; }", FaultKind::Error, "an array cannot have -1 elements");
    fails(
        "main { let n = -1; let c = chan int(n); }",
        FaultKind::Error,
        "a channel cannot have room for -1 values",
    );
    fails("main { let n = -5; let p = malloc(n); }", FaultKind::Error, "malloc(-5): there is no room");
}

#[test]
fn a_fault_before_the_first_shared_step_of_a_thread_is_its_own_step() {
    let ran = run("main { let t = spawn { panic \"child\"; }; wait t; }");
    let fault = ran.fault.expect("the child panics");
    assert_eq!((fault.tid, fault.message.as_str()), (Tid(1), "child"));
}

#[test]
fn waiting_loops_block() {
    // Main spins in vain until the other thread has set the flag; it is not asked again before.
    let source =
        "atomic f; main { let t = spawn { yield; f = 1; }; while f == 0 { yield; } wait t; print f; }";
    let ran = run(source);
    assert_eq!(ran.output, "1");
    assert!(ran.ops.len() < 12, "main went round too often: {:?}", ran.ops);
    let stuck = run("atomic f; main { while f == 0 { } }");
    assert!(matches!(stuck.blocked[..], [(0, Blocked::Spinning)]), "{stuck:?}");
    let lock = run("global l; main { l = 1; while xchg(l, 1) == 1 { } }");
    assert!(matches!(lock.blocked[..], [(0, Blocked::Spinning)]), "{lock:?}");
    // A loop that counts is no waiting loop.
    prints("atomic f; main { let i = 0; while f == 0 && i < 5 { i = i + 1; } print i; }", "5");
}

#[test]
fn runs_repeat() {
    let source =
        "global x; global m: mutex; thread { sync m { x = x + 1; } } thread { x = 5; } finally { print x; }";
    let mut machine = machine(source);
    let mut digests = Vec::new();
    for _ in 0..3 {
        machine.reset();
        let mut log = Log::default();
        while let Some(tid) =
            (0..machine.created()).map(Tid).find(|t| matches!(machine.status(*t), Status::Ready(_)))
        {
            machine.step(Action { tid, choice: 0 }, &Points::sync_only(), &mut log).expect("no fault");
        }
        digests.push((machine.digest(), machine.output().to_vec(), log.events));
    }
    assert!(digests.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn a_loop_that_never_synchronises_ends_its_transition() {
    let mut machine = machine("global x; main { while true { x = x + 1; } }");
    let mut log = Log::default();
    let done = machine.step(Action { tid: Tid(0), choice: 0 }, &Points::sync_only(), &mut log);
    assert_eq!(done.map_err(|fault| fault.kind), Err(FaultKind::Endless));
}
