//! Values of the wrong type.

use crate::refused;
use expect_test::expect;

#[test]
fn conditions() {
    refused(
        "main { if 1 { } while null { } assert 2 + 2; }",
        expect![[r#"
            Error: a condition must be `bool`, and this is `int`
               ╭─[ bad.heat:1:11 ]
               │
             1 │ main { if 1 { } while null { } assert 2 + 2; }
               │           ┬
               │           ╰── `int`
               │
               │ Help: compare it: `x != 0`
            ───╯
            Error: expected `bool`, which is never `null`
               ╭─[ bad.heat:1:23 ]
               │
             1 │ main { if 1 { } while null { } assert 2 + 2; }
               │                       ──┬─
               │                         ╰─── `null`
               │
               │ Help: only objects and arrays can be `null`
            ───╯
            Error: a condition must be `bool`, and this is `int`
               ╭─[ bad.heat:1:39 ]
               │
             1 │ main { if 1 { } while null { } assert 2 + 2; }
               │                                       ──┬──
               │                                         ╰──── `int`
               │
               │ Help: compare it: `x != 0`
            ───╯
        "#]],
    );
}

#[test]
fn arithmetic() {
    refused(
        "main { let x = 1 + true; let y = -false; let z = !1; let w = true < false; }",
        expect![[r#"
            Error: an operand of `+` must be `int`, and this is `bool`
               ╭─[ bad.heat:1:20 ]
               │
             1 │ main { let x = 1 + true; let y = -false; let z = !1; let w = true < false; }
               │                    ──┬─
               │                      ╰─── `bool`
            ───╯
            Error: an operand of `-` must be `int`, and this is `bool`
               ╭─[ bad.heat:1:35 ]
               │
             1 │ main { let x = 1 + true; let y = -false; let z = !1; let w = true < false; }
               │                                   ──┬──
               │                                     ╰──── `bool`
            ───╯
            Error: the operand of `!` must be `bool`, and this is `int`
               ╭─[ bad.heat:1:51 ]
               │
             1 │ main { let x = 1 + true; let y = -false; let z = !1; let w = true < false; }
               │                                                   ┬
               │                                                   ╰── `int`
               │
               │ Help: compare it: `x != 0`
            ───╯
            Error: an operand of `<` must be `int`, and this is `bool`
               ╭─[ bad.heat:1:62 ]
               │
             1 │ main { let x = 1 + true; let y = -false; let z = !1; let w = true < false; }
               │                                                              ──┬─
               │                                                                ╰─── `bool`
            ───╯
            Error: an operand of `<` must be `int`, and this is `bool`
               ╭─[ bad.heat:1:69 ]
               │
             1 │ main { let x = 1 + true; let y = -false; let z = !1; let w = true < false; }
               │                                                                     ──┬──
               │                                                                       ╰──── `bool`
            ───╯
        "#]],
    );
}

#[test]
fn logic() {
    refused(
        "main { let x = 1 && true || 2; }",
        expect![[r#"
            Error: an operand of `&&` must be `bool`, and this is `int`
               ╭─[ bad.heat:1:16 ]
               │
             1 │ main { let x = 1 && true || 2; }
               │                ┬
               │                ╰── `int`
               │
               │ Help: compare it: `x != 0`
            ───╯
            Error: an operand of `||` must be `bool`, and this is `int`
               ╭─[ bad.heat:1:29 ]
               │
             1 │ main { let x = 1 && true || 2; }
               │                             ┬
               │                             ╰── `int`
               │
               │ Help: compare it: `x != 0`
            ───╯
        "#]],
    );
}

#[test]
fn equality() {
    refused(
        "class C { } main { assert 1 == true; let c = new C; assert c != 1; assert c == null; assert null == 1; assert null == null; }",
        expect![[r#"
            Error: `==` compares values of one type, and these are `int` and `bool`
               ╭─[ bad.heat:1:32 ]
               │
             1 │ class C { } main { assert 1 == true; let c = new C; assert c != 1; assert c == null; assert null == 1; assert null == null; }
               │                                ──┬─
               │                                  ╰─── `bool`
            ───╯
            Error: `!=` compares values of one type, and these are `C` and `int`
               ╭─[ bad.heat:1:65 ]
               │
             1 │ class C { } main { assert 1 == true; let c = new C; assert c != 1; assert c == null; assert null == 1; assert null == null; }
               │                                                                 ┬
               │                                                                 ╰── `int`
            ───╯
            Error: expected `int`, which is never `null`
               ╭─[ bad.heat:1:93 ]
               │
             1 │ class C { } main { assert 1 == true; let c = new C; assert c != 1; assert c == null; assert null == 1; assert null == null; }
               │                                                                                             ──┬─
               │                                                                                               ╰─── `null`
               │
               │ Help: only objects and arrays can be `null`
            ───╯
            Error: `null` is always `null`
               ╭─[ bad.heat:1:111 ]
               │
             1 │ class C { } main { assert 1 == true; let c = new C; assert c != 1; assert c == null; assert null == 1; assert null == null; }
               │                                                                                                               ──┬─
               │                                                                                                                 ╰─── nothing to compare
            ───╯
        "#]],
    );
}

#[test]
fn assignment() {
    refused(
        "global x; class C { } main { x = true; x = null; x = new C; let y: bool = 1; }",
        expect![[r#"
            Error: the value must be `int`, and this is `bool`
               ╭─[ bad.heat:1:34 ]
               │
             1 │ global x; class C { } main { x = true; x = null; x = new C; let y: bool = 1; }
               │                                  ──┬─
               │                                    ╰─── `bool`
            ───╯
            Error: expected `int`, which is never `null`
               ╭─[ bad.heat:1:44 ]
               │
             1 │ global x; class C { } main { x = true; x = null; x = new C; let y: bool = 1; }
               │                                            ──┬─
               │                                              ╰─── `null`
               │
               │ Help: only objects and arrays can be `null`
            ───╯
            Error: the value must be `int`, and this is `C`
               ╭─[ bad.heat:1:54 ]
               │
             1 │ global x; class C { } main { x = true; x = null; x = new C; let y: bool = 1; }
               │                                                      ──┬──
               │                                                        ╰──── `C`
            ───╯
            Error: the value must be `bool`, and this is `int`
               ╭─[ bad.heat:1:75 ]
               │
             1 │ global x; class C { } main { x = true; x = null; x = new C; let y: bool = 1; }
               │                                                                           ┬
               │                                                                           ╰── `int`
               │
               │ Help: compare it: `x != 0`
            ───╯
        "#]],
    );
}

#[test]
fn null_without_a_type() {
    refused(
        "main { let x = null; }",
        expect![[r#"
            Error: of which type is this `null`?
               ╭─[ bad.heat:1:16 ]
               │
             1 │ main { let x = null; }
               │                ──┬─
               │                  ╰─── could be of any class
               │
               │ Help: say it: `let x: Node = null;`
            ───╯
        "#]],
    );
}

#[test]
fn arguments() {
    refused(
        "fn f(a, b: bool) { } main { f(true, 1); }",
        expect![[r#"
            Error: argument 1 of `f` must be `int`, and this is `bool`
               ╭─[ bad.heat:1:31 ]
               │
             1 │ fn f(a, b: bool) { } main { f(true, 1); }
               │                               ──┬─
               │                                 ╰─── `bool`
            ───╯
            Error: argument 2 of `f` must be `bool`, and this is `int`
               ╭─[ bad.heat:1:37 ]
               │
             1 │ fn f(a, b: bool) { } main { f(true, 1); }
               │                                     ┬
               │                                     ╰── `int`
               │
               │ Help: compare it: `x != 0`
            ───╯
        "#]],
    );
}

#[test]
fn number_of_arguments() {
    refused(
        "fn f(a) { } class C { fn m() { } } main { f(); f(1, 2); (new C).m(1); max(1); self(1); spawn f(); }",
        expect![[r#"
            Error: `f` takes 1 argument, not 0
               ╭─[ bad.heat:1:43 ]
               │
             1 │ fn f(a) { } class C { fn m() { } } main { f(); f(1, 2); (new C).m(1); max(1); self(1); spawn f(); }
               │                                           ─┬─
               │                                            ╰─── 0 given
            ───╯
            Error: `f` takes 1 argument, not 2
               ╭─[ bad.heat:1:48 ]
               │
             1 │ fn f(a) { } class C { fn m() { } } main { f(); f(1, 2); (new C).m(1); max(1); self(1); spawn f(); }
               │                                                ───┬───
               │                                                   ╰───── 2 given
            ───╯
            Error: `m` takes 0 arguments, not 1
               ╭─[ bad.heat:1:57 ]
               │
             1 │ fn f(a) { } class C { fn m() { } } main { f(); f(1, 2); (new C).m(1); max(1); self(1); spawn f(); }
               │                                                         ──────┬─────
               │                                                               ╰─────── 1 given
            ───╯
            Error: `max` takes 2 arguments, not 1
               ╭─[ bad.heat:1:71 ]
               │
             1 │ fn f(a) { } class C { fn m() { } } main { f(); f(1, 2); (new C).m(1); max(1); self(1); spawn f(); }
               │                                                                       ───┬──
               │                                                                          ╰──── 1 given
            ───╯
            Error: `self` takes 0 arguments, not 1
               ╭─[ bad.heat:1:79 ]
               │
             1 │ fn f(a) { } class C { fn m() { } } main { f(); f(1, 2); (new C).m(1); max(1); self(1); spawn f(); }
               │                                                                               ───┬───
               │                                                                                  ╰───── 1 given
            ───╯
            Error: `f` takes 1 argument, not 0
               ╭─[ bad.heat:1:88 ]
               │
             1 │ fn f(a) { } class C { fn m() { } } main { f(); f(1, 2); (new C).m(1); max(1); self(1); spawn f(); }
               │                                                                                        ────┬────
               │                                                                                            ╰────── 0 given
            ───╯
        "#]],
    );
}

#[test]
fn result() {
    refused(
        "fn f() -> int { return true; } fn g() -> int { return; } fn h() { return 1; } main { return 1; }",
        expect![[r#"
            Error: the result must be `int`, and this is `bool`
               ╭─[ bad.heat:1:24 ]
               │
             1 │ fn f() -> int { return true; } fn g() -> int { return; } fn h() { return 1; } main { return 1; }
               │                        ──┬─
               │                          ╰─── `bool`
            ───╯
            Error: `return` needs a value of type `int`
               ╭─[ bad.heat:1:48 ]
               │
             1 │ fn f() -> int { return true; } fn g() -> int { return; } fn h() { return 1; } main { return 1; }
               │                                                ───┬───
               │                                                   ╰───── without a value
            ───╯
            Error: this function returns nothing
               ╭─[ bad.heat:1:74 ]
               │
             1 │ fn f() -> int { return true; } fn g() -> int { return; } fn h() { return 1; } main { return 1; }
               │                                                                          ┬
               │                                                                          ╰── a value
               │
               │ Help: say what it returns: `fn f() -> int { .. }`
            ───╯
            Error: a thread returns nothing
               ╭─[ bad.heat:1:93 ]
               │
             1 │ fn f() -> int { return true; } fn g() -> int { return; } fn h() { return 1; } main { return 1; }
               │                                                                                             ┬
               │                                                                                             ╰── a value
               │
               │ Help: write `return;`, and store the value where others see it
            ───╯
        "#]],
    );
}

#[test]
fn no_result_to_use() {
    refused(
        "fn f() { } main { let x = f(); }",
        expect![[r#"
            Error: this returns nothing
               ╭─[ bad.heat:1:27 ]
               │
             1 │ fn f() { } main { let x = f(); }
               │                           ─┬─
               │                            ╰─── there is no value to use
            ───╯
        "#]],
    );
}

#[test]
fn index() {
    refused(
        "global a: [int; 3], b = true; main { a[true] = 1; b[0] = 1; let t = spawn { }; t[0] = 1; }",
        expect![[r#"
            Error: an index must be `int`, and this is `bool`
               ╭─[ bad.heat:1:40 ]
               │
             1 │ global a: [int; 3], b = true; main { a[true] = 1; b[0] = 1; let t = spawn { }; t[0] = 1; }
               │                                        ──┬─
               │                                          ╰─── `bool`
            ───╯
            Error: `bool` has no elements
               ╭─[ bad.heat:1:51 ]
               │
             1 │ global a: [int; 3], b = true; main { a[true] = 1; b[0] = 1; let t = spawn { }; t[0] = 1; }
               │                                                   ┬
               │                                                   ╰── `bool`
               │
               │ Help: only arrays and addresses have
            ───╯
            Error: `thread` has no elements
               ╭─[ bad.heat:1:80 ]
               │
             1 │ global a: [int; 3], b = true; main { a[true] = 1; b[0] = 1; let t = spawn { }; t[0] = 1; }
               │                                                                                ┬
               │                                                                                ╰── `thread`
               │
               │ Help: only arrays and addresses have
            ───╯
        "#]],
    );
}

#[test]
fn array_fields() {
    refused(
        "main { let a = new [int; 3]; a.size = 1; a.length = 4; let x = 1; x.f = 2; }",
        expect![[r#"
            Error: an array has no field `size`
               ╭─[ bad.heat:1:32 ]
               │
             1 │ main { let a = new [int; 3]; a.size = 1; a.length = 4; let x = 1; x.f = 2; }
               │                                ──┬─
               │                                  ╰─── not known
               │
               │ Help: it has a `length`, and elements `a[i]`
            ───╯
            Error: this cannot be assigned to
               ╭─[ bad.heat:1:42 ]
               │
             1 │ main { let a = new [int; 3]; a.size = 1; a.length = 4; let x = 1; x.f = 2; }
               │                                          ────┬───
               │                                              ╰───── the length of an array never changes
            ───╯
            Error: a number has no fields
               ╭─[ bad.heat:1:69 ]
               │
             1 │ main { let a = new [int; 3]; a.size = 1; a.length = 4; let x = 1; x.f = 2; }
               │                                                                     ┬
               │                                                                     ╰── not known
               │
               │ Help: if it is an address, its cells are `p[0]`, `p[1]`, ...
            ───╯
        "#]],
    );
}

#[test]
fn methods_of_numbers() {
    refused(
        "main { let x = 1; x.m(); }",
        expect![[r#"
            Error: `int` has no methods
               ╭─[ bad.heat:1:21 ]
               │
             1 │ main { let x = 1; x.m(); }
               │                     ┬
               │                     ╰── not known
            ───╯
        "#]],
    );
}

#[test]
fn channels() {
    refused(
        "main { let c = chan int(1); c <- true; let b: bool = <-c; <-5; close 3; let d: chan bool = c; }",
        expect![[r#"
            Error: what is sent must be `int`, and this is `bool`
               ╭─[ bad.heat:1:34 ]
               │
             1 │ main { let c = chan int(1); c <- true; let b: bool = <-c; <-5; close 3; let d: chan bool = c; }
               │                                  ──┬─
               │                                    ╰─── `bool`
            ───╯
            Error: the value must be `bool`, and this is `int`
               ╭─[ bad.heat:1:54 ]
               │
             1 │ main { let c = chan int(1); c <- true; let b: bool = <-c; <-5; close 3; let d: chan bool = c; }
               │                                                      ─┬─
               │                                                       ╰─── `int`
               │
               │ Help: compare it: `x != 0`
            ───╯
            Error: expected a channel, and this is `int`
               ╭─[ bad.heat:1:61 ]
               │
             1 │ main { let c = chan int(1); c <- true; let b: bool = <-c; <-5; close 3; let d: chan bool = c; }
               │                                                             ┬
               │                                                             ╰── `int`
            ───╯
            Error: expected a channel, and this is `int`
               ╭─[ bad.heat:1:70 ]
               │
             1 │ main { let c = chan int(1); c <- true; let b: bool = <-c; <-5; close 3; let d: chan bool = c; }
               │                                                                      ┬
               │                                                                      ╰── `int`
            ───╯
            Error: the value must be `chan bool`, and this is `chan int`
               ╭─[ bad.heat:1:92 ]
               │
             1 │ main { let c = chan int(1); c <- true; let b: bool = <-c; <-5; close 3; let d: chan bool = c; }
               │                                                                                            ┬
               │                                                                                            ╰── `chan int`
            ───╯
        "#]],
    );
}

#[test]
fn select() {
    refused(
        "main { let c = chan int(1); select { case c <- true { } case let x = <-c { x = true; } case <-1 { } } }",
        expect![[r#"
            Error: what is sent must be `int`, and this is `bool`
               ╭─[ bad.heat:1:48 ]
               │
             1 │ main { let c = chan int(1); select { case c <- true { } case let x = <-c { x = true; } case <-1 { } } }
               │                                                ──┬─
               │                                                  ╰─── `bool`
            ───╯
            Error: the value must be `int`, and this is `bool`
               ╭─[ bad.heat:1:80 ]
               │
             1 │ main { let c = chan int(1); select { case c <- true { } case let x = <-c { x = true; } case <-1 { } } }
               │                                                                                ──┬─
               │                                                                                  ╰─── `bool`
            ───╯
            Error: expected a channel, and this is `int`
               ╭─[ bad.heat:1:95 ]
               │
             1 │ main { let c = chan int(1); select { case c <- true { } case let x = <-c { x = true; } case <-1 { } } }
               │                                                                                               ┬
               │                                                                                               ╰── `int`
            ───╯
        "#]],
    );
}

#[test]
fn threads() {
    refused(
        "main { wait 1; make_runnable true; let t = spawn { return 1; }; print t + 1; }",
        expect![[r#"
            Error: what `wait` waits for must be `thread`, and this is `int`
               ╭─[ bad.heat:1:13 ]
               │
             1 │ main { wait 1; make_runnable true; let t = spawn { return 1; }; print t + 1; }
               │             ┬
               │             ╰── `int`
            ───╯
            Error: what `make_runnable` wakes must be `thread`, and this is `bool`
               ╭─[ bad.heat:1:30 ]
               │
             1 │ main { wait 1; make_runnable true; let t = spawn { return 1; }; print t + 1; }
               │                              ──┬─
               │                                ╰─── `bool`
            ───╯
            Error: a thread returns nothing
               ╭─[ bad.heat:1:59 ]
               │
             1 │ main { wait 1; make_runnable true; let t = spawn { return 1; }; print t + 1; }
               │                                                           ┬
               │                                                           ╰── a value
               │
               │ Help: write `return;`, and store the value where others see it
            ───╯
            Error: an operand of `+` must be `int`, and this is `thread`
               ╭─[ bad.heat:1:71 ]
               │
             1 │ main { wait 1; make_runnable true; let t = spawn { return 1; }; print t + 1; }
               │                                                                       ┬
               │                                                                       ╰── `thread`
            ───╯
        "#]],
    );
}

#[test]
fn printing() {
    refused(
        "class C { } main { print new C; }",
        expect![[r#"
            Error: `print` takes numbers and truth values, and this is `C`
               ╭─[ bad.heat:1:26 ]
               │
             1 │ class C { } main { print new C; }
               │                          ──┬──
               │                            ╰──── `C`
            ───╯
        "#]],
    );
}

#[test]
fn free_of_an_object() {
    refused(
        "class C { } main { free new C; }",
        expect![[r#"
            Error: what `free` takes must be `int`, and this is `C`
               ╭─[ bad.heat:1:25 ]
               │
             1 │ class C { } main { free new C; }
               │                         ──┬──
               │                           ╰──── `C`
            ───╯
        "#]],
    );
}

#[test]
fn sizes() {
    refused(
        "main { let a = new [int; true]; let b = chan int(null); let c = malloc(false); }",
        expect![[r#"
            Error: the number of elements must be `int`, and this is `bool`
               ╭─[ bad.heat:1:26 ]
               │
             1 │ main { let a = new [int; true]; let b = chan int(null); let c = malloc(false); }
               │                          ──┬─
               │                            ╰─── `bool`
            ───╯
            Error: expected `int`, which is never `null`
               ╭─[ bad.heat:1:50 ]
               │
             1 │ main { let a = new [int; true]; let b = chan int(null); let c = malloc(false); }
               │                                                  ──┬─
               │                                                    ╰─── `null`
               │
               │ Help: only objects and arrays can be `null`
            ───╯
            Error: the size must be `int`, and this is `bool`
               ╭─[ bad.heat:1:72 ]
               │
             1 │ main { let a = new [int; true]; let b = chan int(null); let c = malloc(false); }
               │                                                                        ──┬──
               │                                                                          ╰──── `bool`
            ───╯
        "#]],
    );
}
