//! Sums are taken to be exact only where they cannot wrap: a sum that is wrongly taken to be exact could lose a check.
#![allow(missing_docs)]

mod common;

use common::{Tally, analysed, judge, subject};
use deadheat_redcard::Config;
use deadheat_redcard::ir::{Binary, Inst, Pure};

/// The operators of the program's sums, differences and products, in order: `=` for exact ones, `%` for those that may wrap.
fn operators(text: &str) -> String {
    let subject = subject(text);
    let functions = subject.lowered.graph.functions.iter();
    let insts = functions.flat_map(|f| &f.blocks).flat_map(|b| &b.insts);
    let marks = insts.filter_map(|inst| match inst {
        Inst::Let(_, Pure::Binary(Binary::Add | Binary::Sub | Binary::Mul, ..)) => Some('='),
        Inst::Let(_, Pure::Binary(Binary::WrappingAdd | Binary::WrappingSub | Binary::WrappingMul, ..)) => {
            Some('%')
        }
        _ => None,
    });
    marks.collect()
}

#[test]
fn what_cannot_wrap_is_exact() {
    for text in [
        "main { let i = 0; while i < 10 { i = i + 1; } }",
        "main { let a = new [int; 3]; let i = 1; while i < a.length { a[i - 1] = 0; i = i + 2; } }",
        "fn f(n) -> int { return n + 1; } main { f(3); f(5); }",
        "fn f(n) -> int { return n; } main { let i = f(7) + f(8); }",
        "global n = 5; main { let i = n + 1; }",
        "main { let i = min(3, 4) + max(1, 2); }",
        "main { let c = chan int(1); let n = <-c; let i = 0; while i < n { i = i + 1; } }",
        "main { let i = self() % 8 * 100; }",
    ] {
        assert!(!operators(text).is_empty() && !operators(text).contains('%'), "{text}: {}", operators(text));
    }
}

#[test]
fn what_may_wrap_is_not() {
    for text in [
        "main { let i = 9223372036854775807; let j = i + 1; }",
        "fn f(n) -> int { return n + 1; } main { f(3); f(9223372036854775807); }",
        "fn f(n) -> int { return n + 1; } main { let t = spawn f(9223372036854775807); f(1); }",
        "global n = 5; main { let i = n + 1; spawn { n = 9223372036854775807; } }",
        "global n = 5; main { xchg(n, 9223372036854775807); let i = n + 1; }",
        "class C { f; } main { let c = new C; while c.f != 7 { c.f = c.f * 3 + 1; } }",
        "main { let c = chan int(1); let n = <-c; let i = 0; while i < n { i = i + 2; } }",
        "main { let i = 0; while true { i = i + 1; } }",
        "main { let i = self() + 1; }",
    ] {
        assert!(operators(text).contains('%'), "{text}: {}", operators(text));
    }
}

/// i + 1 wraps to the least number, from where the loop goes on: the element is not the one that was accessed before.
#[test]
fn a_sum_that_wraps_keeps_its_check() {
    let text = "global a: [int; 4];
        fn index(i) -> int { if i + 1 < i { return 1; } return 0; }
        main { let i = 9223372036854775807; let t = spawn { a[1] = 5; }; let k = a[0]; k = a[index(i)]; wait t; }";
    let subject = subject(text);
    let elision = analysed(&subject, Config::default());
    for seed in 0..20 {
        judge(&subject, &elision, seed, &mut Tally::default()).expect("Theorem 1");
    }
}
