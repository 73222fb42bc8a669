//! `--lenient`: logs that are not quite right.

use crate::harness::Folder;
use expect_test::expect;

/// A lock held from the start, one never given back, a thread that goes on after it was joined.
const SLOPPY: &str = "\
T1|w(x)|a.c:1
T1|rel(m)|a.c:3
T1|acq(m)|a.c:4
T2|acq(m)|a.c:5
T2|w(y)|a.c:6
T3|w(y)|a.c:7
T2|join(T1)|a.c:8
T1|w(x)|a.c:9
";

#[test]
fn repairs_are_told_with_their_places() {
    let ran = Folder::with("a.std", SLOPPY).run("trace check --lenient a.std").status(66);
    expect![[r#"
        repaired: a.std:2: T1 releases lock m, which it does not hold exclusively; assumed before it: T1 acquired lock m
        repaired: a.std:4: T2 acquires lock m, which T1 holds; assumed before it: T1 released lock m
        repaired: a.std:8: T1 does something after it was joined; dropped the event
    "#]]
    .assert_eq(&ran.stderr);
}

/// What was put in does not move the numbers of what follows.
#[test]
fn events_keep_the_numbers_of_the_file() {
    let folder = Folder::with("a.std", SLOPPY);
    for detector in ["verifiedft", "hb-sets", "hb-sets-gc", "oracle"] {
        let report =
            folder.run(&format!("trace check --lenient --json -d {detector} a.std")).status(66).json();
        assert_eq!(report["repaired"], 3);
        let race = &report["races"][0];
        assert_eq!(
            (&race["prior"]["event"], &race["current"]["event"]),
            (&5.into(), &6.into()),
            "{detector}"
        );
    }
}

#[test]
fn what_is_converted_is_feasible() {
    let folder = Folder::with("a.std", SLOPPY);
    folder.run("trace convert --lenient a.std -o b.std").status(0);
    let ran = folder.run("trace check b.std").status(66);
    assert_eq!(ran.stderr, "");
}

#[test]
fn many_repairs_are_counted() {
    let trace: String = (0..50).map(|i| format!("T1|rel(m{i})|1\n")).collect();
    let ran = Folder::with("a.std", trace).run("trace check --lenient a.std").status(0);
    assert_eq!(ran.stderr.lines().count(), 21);
    assert!(ran.stderr.ends_with("\nrepaired: 30 more\n"), "{}", ran.stderr);
}

#[test]
fn what_is_no_trace_stays_so() {
    let ran = Folder::with("a.std", "T1|w(x)|1\nT1|frob(x)|1\n").run("trace check --lenient a.std");
    assert!(ran.one_line().starts_with("a.std:2: "), "{}", ran.stderr);
}
