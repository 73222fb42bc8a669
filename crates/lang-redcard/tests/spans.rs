//! Which operations of the language end a span: `x = 1; OPERATION x = 2;` needs its second check exactly if the operation may order what
//! came before it before something that another thread does.
#![allow(missing_docs)]

mod common;

use common::generate::structured;
use common::{Tally, analysed, judge, subject};
use deadheat_lang::generate::{Constructs, Shape, random_program};
use deadheat_lang_redcard::annotate::lines;
use deadheat_redcard::Config;
use deadheat_redcard::ir::{Inst, Sync};

const DECLARED: &str = "
class C { f; atomic v; }
global x, y, m: mutex, a: [int; 4];
atomic flag;
fn nothing() { }
fn quiet(n) -> int { y = n; return y; }
fn loud() { sync m { y = 1; } }
";

/// The verdict of the second write of x.
fn second(operation: &str) -> &'static str {
    let text = format!(
        "{DECLARED}
         main {{ let c = chan int(2); let d = chan int(0); let o = new C; let p = malloc(2); let t = spawn nothing();
         x = 1; {operation} x = 2; }}"
    );
    let subject = subject(&text);
    let elision = analysed(&subject, Config::default());
    let all = lines(&subject, &elision, None);
    all.iter().rfind(|line| line.text == "x").expect("there are two").verdict
}

#[test]
fn what_may_release_ends_the_span() {
    for operation in [
        "unlock m;",
        "sync m { }",
        "sync o { y = 1; }",
        "spawn nothing();",
        "spawn { y = 1; }",
        "flag = 1;",
        "o.v = 1;",
        "xchg(y, 1);",
        "xchg(flag, 1);",
        "cas(y, 1, 2);",
        "fetch_add(y, 1);",
        "fetch_add(a[1], 1);",
        "try_lock(m);",
        "deschedule;",
        "make_runnable t;",
        "c <- 1;",
        "<-c;",
        "close c;",
        "select { case c <- 1 { } case let v = <-d { } }",
        "select { case c <- 1 { } default { } }",
        "free p;",
        "loud();",
        "if y == 0 { sync m { } }",
        "while y == 0 { loud(); }",
        "y = <-c;",
        "print y, <-c;",
        "a[<-c] = 1;",
    ] {
        assert_eq!(second(operation), "Check", "{operation}");
    }
}

#[test]
fn what_only_acquires_does_not() {
    for operation in [
        "",
        "lock m;",
        "lock o;",
        "wait t;",
        "y = flag;",
        "y = o.v;",
        "yield;",
        "y = quiet(y);",
        "nothing();",
        "let q = malloc(3); p[1] = q;",
        "let e = chan int(1);",
        "assert y == 0;",
        "print y;",
        "while y < 3 { y = y + 1; }",
        "if y == 0 { y = 1; } else { y = self(); }",
    ] {
        assert_eq!(second(operation), "NoCheck", "{operation}");
    }
}

/// A lowering that forgets one kind of synchronisation is given away by some program.
#[test]
fn every_forgotten_end_of_a_span_is_caught() {
    let shape = Shape { threads: 2, vars: 2, locks: 1, statements: 7, constructs: Constructs::All };
    for name in ["send", "receive", "select", "deschedule", "make_runnable"] {
        let caught = (0..3000).find(|seed| {
            let text = if seed % 4 == 0 { structured(*seed) } else { random_program(shape, *seed) };
            let mut subject = subject(&text);
            let mut found = false;
            let blocks = subject.lowered.graph.functions.iter_mut().flat_map(|f| &mut f.blocks);
            for block in blocks {
                let before = block.insts.len();
                block.insts.retain(|i| !matches!(i, Inst::Sync(Sync::Other(_, of)) if of == name));
                found |= before != block.insts.len();
            }
            let elision = analysed(&subject, Config::default());
            found && (0..8).any(|n| judge(&subject, &elision, n, &mut Tally::default()).is_err())
        });
        println!("{name}: program {caught:?}");
        assert!(caught.is_some(), "a forgotten `{name}` was not noticed");
    }
}
