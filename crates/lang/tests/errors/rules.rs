//! Rules that are not about types alone.

use crate::refused;
use expect_test::expect;

#[test]
fn assignment_to_no_place() {
    refused(
        "fn f() -> int { return 1; } main { 1 = 2; f() = 3; let a = 1; a + 1 = 2; new [int; 1] = null; }",
        expect![[r#"
            Error: this cannot be assigned to
               ╭─[ bad.heat:1:36 ]
               │
             1 │ fn f() -> int { return 1; } main { 1 = 2; f() = 3; let a = 1; a + 1 = 2; new [int; 1] = null; }
               │                                    ┬
               │                                    ╰── only names, fields and elements are places
            ───╯
            Error: this cannot be assigned to
               ╭─[ bad.heat:1:43 ]
               │
             1 │ fn f() -> int { return 1; } main { 1 = 2; f() = 3; let a = 1; a + 1 = 2; new [int; 1] = null; }
               │                                           ─┬─
               │                                            ╰─── only names, fields and elements are places
            ───╯
            Error: this cannot be assigned to
               ╭─[ bad.heat:1:63 ]
               │
             1 │ fn f() -> int { return 1; } main { 1 = 2; f() = 3; let a = 1; a + 1 = 2; new [int; 1] = null; }
               │                                                               ──┬──
               │                                                                 ╰──── only names, fields and elements are places
            ───╯
            Error: this cannot be assigned to
               ╭─[ bad.heat:1:74 ]
               │
             1 │ fn f() -> int { return 1; } main { 1 = 2; f() = 3; let a = 1; a + 1 = 2; new [int; 1] = null; }
               │                                                                          ──────┬─────
               │                                                                                ╰─────── only names, fields and elements are places
            ───╯
        "#]],
    );
}

#[test]
fn lock_of_no_lock() {
    refused(
        "global x; main { lock x; unlock 1; sync true { } let t = try_lock(x); }",
        expect![[r#"
            Error: this is `int`, and only mutexes and objects are locks
               ╭─[ bad.heat:1:23 ]
               │
             1 │ global x; main { lock x; unlock 1; sync true { } let t = try_lock(x); }
               │                       ┬
               │                       ╰── no lock
               │
               │ Help: declare `global m: mutex;`
            ───╯
            Error: this is `int`, and only mutexes and objects are locks
               ╭─[ bad.heat:1:33 ]
               │
             1 │ global x; main { lock x; unlock 1; sync true { } let t = try_lock(x); }
               │                                 ┬
               │                                 ╰── no lock
               │
               │ Help: declare `global m: mutex;`
            ───╯
            Error: this is `bool`, and only mutexes and objects are locks
               ╭─[ bad.heat:1:41 ]
               │
             1 │ global x; main { lock x; unlock 1; sync true { } let t = try_lock(x); }
               │                                         ──┬─
               │                                           ╰─── no lock
               │
               │ Help: declare `global m: mutex;`
            ───╯
            Error: this is `int`, and only mutexes and objects are locks
               ╭─[ bad.heat:1:67 ]
               │
             1 │ global x; main { lock x; unlock 1; sync true { } let t = try_lock(x); }
               │                                                                   ┬
               │                                                                   ╰── no lock
               │
               │ Help: declare `global m: mutex;`
            ───╯
        "#]],
    );
}

#[test]
fn mutex_as_a_value() {
    refused(
        "global m: mutex, n: mutex; main { let x = m; m = n; assert m == n; f(m); print m; } fn f(a) { }",
        expect![[r#"
            Error: a mutex has no value
               ╭─[ bad.heat:1:43 ]
               │
             1 │ global m: mutex, n: mutex; main { let x = m; m = n; assert m == n; f(m); print m; } fn f(a) { }
               │                                           ┬
               │                                           ╰── it can only be locked and unlocked
            ───╯
            Error: a mutex has no value
               ╭─[ bad.heat:1:46 ]
               │
             1 │ global m: mutex, n: mutex; main { let x = m; m = n; assert m == n; f(m); print m; } fn f(a) { }
               │                                              ┬
               │                                              ╰── it cannot be assigned
               │
               │ Help: use `lock` and `unlock`, or `sync`
            ───╯
            Error: a mutex has no value
               ╭─[ bad.heat:1:50 ]
               │
             1 │ global m: mutex, n: mutex; main { let x = m; m = n; assert m == n; f(m); print m; } fn f(a) { }
               │                                                  ┬
               │                                                  ╰── it can only be locked and unlocked
            ───╯
            Error: a mutex has no value
               ╭─[ bad.heat:1:60 ]
               │
             1 │ global m: mutex, n: mutex; main { let x = m; m = n; assert m == n; f(m); print m; } fn f(a) { }
               │                                                            ┬
               │                                                            ╰── it can only be locked and unlocked
            ───╯
            Error: a mutex has no value
               ╭─[ bad.heat:1:65 ]
               │
             1 │ global m: mutex, n: mutex; main { let x = m; m = n; assert m == n; f(m); print m; } fn f(a) { }
               │                                                                 ┬
               │                                                                 ╰── it can only be locked and unlocked
            ───╯
            Error: a mutex has no value
               ╭─[ bad.heat:1:70 ]
               │
             1 │ global m: mutex, n: mutex; main { let x = m; m = n; assert m == n; f(m); print m; } fn f(a) { }
               │                                                                      ┬
               │                                                                      ╰── it can only be locked and unlocked
            ───╯
            Error: a mutex has no value
               ╭─[ bad.heat:1:80 ]
               │
             1 │ global m: mutex, n: mutex; main { let x = m; m = n; assert m == n; f(m); print m; } fn f(a) { }
               │                                                                                ┬
               │                                                                                ╰── it can only be locked and unlocked
            ───╯
        "#]],
    );
}

#[test]
fn mutex_where_it_cannot_be() {
    refused(
        "fn f(m: mutex) -> mutex { panic; } main { let x: mutex = 1; let c = chan mutex(1); }",
        expect![[r#"
            Error: a mutex has no value
               ╭─[ bad.heat:1:4 ]
               │
             1 │ fn f(m: mutex) -> mutex { panic; } main { let x: mutex = 1; let c = chan mutex(1); }
               │    ┬
               │    ╰── it can be neither copied nor passed
               │
               │ Help: make it a global, a field or an element, and lock it there
            ───╯
            Error: a mutex has no value
               ╭─[ bad.heat:1:6 ]
               │
             1 │ fn f(m: mutex) -> mutex { panic; } main { let x: mutex = 1; let c = chan mutex(1); }
               │      ┬
               │      ╰── it can be neither copied nor passed
               │
               │ Help: make it a global, a field or an element, and lock it there
            ───╯
            Error: a mutex has no value
               ╭─[ bad.heat:1:47 ]
               │
             1 │ fn f(m: mutex) -> mutex { panic; } main { let x: mutex = 1; let c = chan mutex(1); }
               │                                               ┬
               │                                               ╰── it can be neither copied nor passed
               │
               │ Help: make it a global, a field or an element, and lock it there
            ───╯
            Error: a mutex has no value
               ╭─[ bad.heat:1:69 ]
               │
             1 │ fn f(m: mutex) -> mutex { panic; } main { let x: mutex = 1; let c = chan mutex(1); }
               │                                                                     ──────┬──────
               │                                                                           ╰──────── it can be neither copied nor passed
               │
               │ Help: make it a global, a field or an element, and lock it there
            ───╯
        "#]],
    );
}

#[test]
fn atomic_mutex() {
    refused(
        "atomic m: mutex; class C { atomic l: mutex; } main { }",
        expect![[r#"
            Error: a mutex is not atomic
               ╭─[ bad.heat:1:8 ]
               │
             1 │ atomic m: mutex; class C { atomic l: mutex; } main { }
               │        ┬
               │        ╰── it is never read or written
               │
               │ Help: write `global m: mutex;`
            ───╯
            Error: a mutex is not atomic
               ╭─[ bad.heat:1:35 ]
               │
             1 │ atomic m: mutex; class C { atomic l: mutex; } main { }
               │                                   ┬
               │                                   ╰── it is never read or written
               │
               │ Help: write `global m: mutex;`
            ───╯
        "#]],
    );
}

#[test]
fn array_in_place() {
    refused(
        "global a: [int; 3], g: [[int; 2]; 2]; class C { b: [int; 2]; } fn f(c: [int; 2]) { } main { let d = a; a = null; }",
        expect![[r#"
            Error: only a global can be an array that lies in place
               ╭─[ bad.heat:1:21 ]
               │
             1 │ global a: [int; 3], g: [[int; 2]; 2]; class C { b: [int; 2]; } fn f(c: [int; 2]) { } main { let d = a; a = null; }
               │                     ┬
               │                     ╰── not here
               │
               │ Help: write `[int]` for a reference, and make the array by `new [int; 2]`
            ───╯
            Error: only a global can be an array that lies in place
               ╭─[ bad.heat:1:49 ]
               │
             1 │ global a: [int; 3], g: [[int; 2]; 2]; class C { b: [int; 2]; } fn f(c: [int; 2]) { } main { let d = a; a = null; }
               │                                                 ┬
               │                                                 ╰── not here
               │
               │ Help: write `[int]` for a reference, and make the array by `new [int; 2]`
            ───╯
            Error: only a global can be an array that lies in place
               ╭─[ bad.heat:1:69 ]
               │
             1 │ global a: [int; 3], g: [[int; 2]; 2]; class C { b: [int; 2]; } fn f(c: [int; 2]) { } main { let d = a; a = null; }
               │                                                                     ┬
               │                                                                     ╰── not here
               │
               │ Help: write `[int]` for a reference, and make the array by `new [int; 2]`
            ───╯
            Error: an array that lies in place is no value
               ╭─[ bad.heat:1:101 ]
               │
             1 │ global a: [int; 3], g: [[int; 2]; 2]; class C { b: [int; 2]; } fn f(c: [int; 2]) { } main { let d = a; a = null; }
               │                                                                                                     ┬
               │                                                                                                     ╰── only its elements and its length are
               │
               │ Help: for an array that can be passed, declare `[int]` and `new [int; 3]`
            ───╯
            Error: an array that lies in place cannot be replaced
               ╭─[ bad.heat:1:104 ]
               │
             1 │ global a: [int; 3], g: [[int; 2]; 2]; class C { b: [int; 2]; } fn f(c: [int; 2]) { } main { let d = a; a = null; }
               │                                                                                                        ┬
               │                                                                                                        ╰── all of it
               │
               │ Help: assign its elements one by one, or declare a reference `[int]` and `new [int; 3]`
            ───╯
        "#]],
    );
}

#[test]
fn exchange_of_a_local() {
    refused(
        "main { let x = 1; xchg(x, 2); cas(x, 1, 2); fetch_add(x, 1); }",
        expect![[r#"
            Error: `x` is a local variable, which no other thread sees
               ╭─[ bad.heat:1:24 ]
               │
             1 │ main { let x = 1; xchg(x, 2); cas(x, 1, 2); fetch_add(x, 1); }
               │                        ┬
               │                        ╰── not shared
               │
               │ Help: `xchg` takes a global, a field, an element or a heap cell
            ───╯
            Error: `x` is a local variable, which no other thread sees
               ╭─[ bad.heat:1:35 ]
               │
             1 │ main { let x = 1; xchg(x, 2); cas(x, 1, 2); fetch_add(x, 1); }
               │                                   ┬
               │                                   ╰── not shared
               │
               │ Help: `cas` takes a global, a field, an element or a heap cell
            ───╯
            Error: `x` is a local variable, which no other thread sees
               ╭─[ bad.heat:1:55 ]
               │
             1 │ main { let x = 1; xchg(x, 2); cas(x, 1, 2); fetch_add(x, 1); }
               │                                                       ┬
               │                                                       ╰── not shared
               │
               │ Help: `fetch_add` takes a global, a field, an element or a heap cell
            ───╯
        "#]],
    );
}

#[test]
fn exchange_of_no_place() {
    refused(
        "main { xchg(1, 2); fetch_add(self(), 1); }",
        expect![[r#"
            Error: this cannot be changed in place
               ╭─[ bad.heat:1:13 ]
               │
             1 │ main { xchg(1, 2); fetch_add(self(), 1); }
               │             ┬
               │             ╰── only names, fields and elements are places
            ───╯
            Error: this cannot be changed in place
               ╭─[ bad.heat:1:30 ]
               │
             1 │ main { xchg(1, 2); fetch_add(self(), 1); }
               │                              ───┬──
               │                                 ╰──── only names, fields and elements are places
            ───╯
        "#]],
    );
}

#[test]
fn exchange_of_the_wrong_type() {
    refused(
        "global b = true, t: thread; main { fetch_add(b, 1); xchg(t, t); cas(b, 1, 2); xchg(b, null); }",
        expect![[r#"
            Error: `fetch_add` adds integers, and this is `bool`
               ╭─[ bad.heat:1:46 ]
               │
             1 │ global b = true, t: thread; main { fetch_add(b, 1); xchg(t, t); cas(b, 1, 2); xchg(b, null); }
               │                                              ┬
               │                                              ╰── `bool`
            ───╯
            Error: `xchg` takes integers, truth values and objects, and this is `thread`
               ╭─[ bad.heat:1:58 ]
               │
             1 │ global b = true, t: thread; main { fetch_add(b, 1); xchg(t, t); cas(b, 1, 2); xchg(b, null); }
               │                                                          ┬
               │                                                          ╰── `thread`
            ───╯
            Error: argument 2 of `cas` must be `bool`, and this is `int`
               ╭─[ bad.heat:1:72 ]
               │
             1 │ global b = true, t: thread; main { fetch_add(b, 1); xchg(t, t); cas(b, 1, 2); xchg(b, null); }
               │                                                                        ┬
               │                                                                        ╰── `int`
               │
               │ Help: compare it: `x != 0`
            ───╯
            Error: argument 3 of `cas` must be `bool`, and this is `int`
               ╭─[ bad.heat:1:75 ]
               │
             1 │ global b = true, t: thread; main { fetch_add(b, 1); xchg(t, t); cas(b, 1, 2); xchg(b, null); }
               │                                                                           ┬
               │                                                                           ╰── `int`
               │
               │ Help: compare it: `x != 0`
            ───╯
            Error: expected `bool`, which is never `null`
               ╭─[ bad.heat:1:87 ]
               │
             1 │ global b = true, t: thread; main { fetch_add(b, 1); xchg(t, t); cas(b, 1, 2); xchg(b, null); }
               │                                                                                       ──┬─
               │                                                                                         ╰─── `null`
               │
               │ Help: only objects and arrays can be `null`
            ───╯
        "#]],
    );
}

#[test]
fn return_within_sync() {
    refused(
        "global m: mutex; fn f() -> int { sync m { return 1; } } main { sync m { spawn { return; } } }",
        expect![[r#"
            Error: `return` may not leave a `sync` block
               ╭─[ bad.heat:1:43 ]
               │
             1 │ global m: mutex; fn f() -> int { sync m { return 1; } } main { sync m { spawn { return; } } }
               │                                       ┬   ───┬──
               │                                       ╰─────────── this lock
               │                                              │
               │                                              ╰──── the lock would stay taken
               │
               │ Help: keep the result in a local variable, and return it after the block
            ───╯
        "#]],
    );
}

#[test]
fn missing_return() {
    refused(
        "fn f(a) -> int { if a > 0 { return 1; } }\nfn g(a) -> bool { while a > 0 { return true; } }\nfn h() -> int { }\nmain { }",
        expect![[r#"
            Error: `f` must return `int` on every path
               ╭─[ bad.heat:1:4 ]
               │
             1 │ fn f(a) -> int { if a > 0 { return 1; } }
               │    ┬
               │    ╰── its last statement may be passed
               │
               │ Help: end it with `return e;`, `panic;`, `while true { .. }`, or an `if` and `else` that both do
            ───╯
            Error: `g` must return `bool` on every path
               ╭─[ bad.heat:2:4 ]
               │
             2 │ fn g(a) -> bool { while a > 0 { return true; } }
               │    ┬
               │    ╰── its last statement may be passed
               │
               │ Help: end it with `return e;`, `panic;`, `while true { .. }`, or an `if` and `else` that both do
            ───╯
            Error: `h` must return `int` on every path
               ╭─[ bad.heat:3:4 ]
               │
             3 │ fn h() -> int { }
               │    ┬
               │    ╰── its last statement may be passed
               │
               │ Help: end it with `return e;`, `panic;`, `while true { .. }`, or an `if` and `else` that both do
            ───╯
        "#]],
    );
}

#[test]
fn statement_without_effect() {
    refused(
        "global x; main { x; x + 1; x == 1; 5; }",
        expect![[r#"
            Error: this does nothing
               ╭─[ bad.heat:1:18 ]
               │
             1 │ global x; main { x; x + 1; x == 1; 5; }
               │                  ┬
               │                  ╰── its value is not used
               │
               │ Help: to read something for the sake of reading, write `let _ = x;`
            ───╯
            Error: this does nothing
               ╭─[ bad.heat:1:21 ]
               │
             1 │ global x; main { x; x + 1; x == 1; 5; }
               │                     ──┬──
               │                       ╰──── its value is not used
               │
               │ Help: to read something for the sake of reading, write `let _ = x;`
            ───╯
            Error: this does nothing
               ╭─[ bad.heat:1:28 ]
               │
             1 │ global x; main { x; x + 1; x == 1; 5; }
               │                            ───┬──
               │                               ╰──── its value is not used
               │
               │ Help: assign with `=`
            ───╯
            Error: this does nothing
               ╭─[ bad.heat:1:36 ]
               │
             1 │ global x; main { x; x + 1; x == 1; 5; }
               │                                    ┬
               │                                    ╰── its value is not used
               │
               │ Help: to read something for the sake of reading, write `let _ = x;`
            ───╯
        "#]],
    );
}

#[test]
fn main_and_threads() {
    refused(
        "main { } thread { }",
        expect![[r#"
            Error: a program has either `main` or `thread`
               ╭─[ bad.heat:1:17 ]
               │
             1 │ main { } thread { }
               │      ┬          ┬
               │      ╰───────────── this `main`
               │                 │
               │                 ╰── this `thread`
               │
               │ Help: `main` starts threads by `spawn`, and may wait for them by `wait`
            ───╯
        "#]],
    );
}

#[test]
fn main_and_finally() {
    refused(
        "main { } finally { }",
        expect![[r#"
            Error: a program has either `main` or `finally`
               ╭─[ bad.heat:1:18 ]
               │
             1 │ main { } finally { }
               │      ┬           ┬
               │      ╰────────────── this `main`
               │                  │
               │                  ╰── this `finally`
               │
               │ Help: `main` starts threads by `spawn`, and may wait for them by `wait`
            ───╯
        "#]],
    );
}

#[test]
fn finally_alone() {
    refused(
        "finally { }",
        expect![[r#"
            Error: `finally` comes after threads, and there are none
               ╭─[ bad.heat:1:9 ]
               │
             1 │ finally { }
               │         ┬
               │         ╰── nothing before it
               │
               │ Help: write `main { .. }`
            ───╯
        "#]],
    );
}

#[test]
fn nothing_runs() {
    refused(
        "global x;\nfn f() { }",
        expect![[r#"
            Error: the program does nothing
               ╭─[ bad.heat:1:1 ]
               │
             1 │ global x;
               │ │
               │ ╰─ there is neither `main` nor `thread`
               │
               │ Help: write `main { .. }`, or `thread { .. }` for each thread
            ───╯
        "#]],
    );
}

#[test]
fn select_without_cases() {
    refused(
        "main { select { } }",
        expect![[r#"
            Error: this `select` has no cases
               ╭─[ bad.heat:1:8 ]
               │
             1 │ main { select { } }
               │        ─────┬────
               │             ╰────── it would wait for ever
               │
               │ Help: write `case` or `default`, or `deschedule;` to wait for `make_runnable`
            ───╯
        "#]],
    );
}
