//! `trace check`: the report.

use crate::harness::{BANK, FORK_JOIN, Folder};
use expect_test::expect;

#[test]
fn a_race_is_told_in_words() {
    let ran = Folder::with("bank.std", BANK).run("trace check bank.std").status(66);
    expect![[r#"
        DATA RACE #1: read-after-write on counter
          first T1 wrote counter  at bank.c:31  (event 5)
          then  T2 read  counter  at bank.c:40  (event 7)
          Nothing enforces this order: T2 had never synchronised with T1, not even through other threads.

        DATA RACE #2: write-after-write on counter
          first T1 wrote counter  at bank.c:31  (event 5)
          then  T2 wrote counter  at bank.c:41  (event 8)
          Nothing enforces this order: T2 had never synchronised with T1, not even through other threads.

        To fix a race, hold one lock around both accesses, or let one thread wait for the other.
        2 racing accesses on 1 variable at 2 pairs of places in 11 events; verifiedft (precise).
    "#]]
    .assert_eq(&ran.stdout);
    assert_eq!(ran.stderr, "");
}

#[test]
fn no_race_is_one_line() {
    let ran = Folder::with("a.std", FORK_JOIN).run("trace check a.std").status(0);
    assert_eq!(
        (ran.stdout.as_str(), ran.stderr.as_str()),
        ("No data race in 5 events (verifiedft, precise).\n", "")
    );
}

#[test]
fn candidates_are_called_so() {
    let ran = Folder::with("a.std", FORK_JOIN).run("trace check -d lockset a.std").status(66);
    assert!(ran.stdout.starts_with("POSSIBLE DATA RACE #1: write-after-write on x\n"), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("lockset (imprecise: candidates only).\n"), "{}", ran.stdout);
}

#[test]
fn json_has_the_same_races() {
    let folder = Folder::with("bank.std", BANK);
    let report = folder.run("trace check --json bank.std").status(66).json();
    assert_eq!(report["detector"], "verifiedft");
    assert_eq!(report["precise"], true);
    assert_eq!(report["events"], 11);
    assert_eq!(report["counts"]["racing_pairs"], 2);
    assert_eq!(report["races"][0]["prior"]["loc"], "bank.c:31");
    assert_eq!(report["races"][0]["current"]["event"], 7);
    assert!(report.get("repaired").is_none() && report.get("stopped").is_none());
    folder.write("clean.std", FORK_JOIN);
    let report = folder.run("trace check --json clean.std").status(0).json();
    assert_eq!(report["races"], serde_json::json!([]));
}

#[test]
fn every_detector_finds_the_race() {
    let folder = Folder::with("bank.std", BANK);
    let names = "vector-clock multi-join fasttrack verifiedft hb-sets-after-write hb-sets hb-sets-gc lockset limited-hb oracle";
    for name in names.split(' ') {
        let report = folder.run(&format!("trace check --json -d {name} bank.std")).status(66).json();
        assert_eq!(report["detector"], name);
        assert_eq!(report["counts"]["racing_variables"], 1, "{name}");
    }
}

#[test]
fn the_list_can_be_cut_and_the_counts_stay() {
    let ran = Folder::with("bank.std", BANK).run("trace check --max-races 1 bank.std").status(66);
    assert!(!ran.stdout.contains("#2"));
    assert!(
        ran.stdout.contains("1 more pair of places is not shown.\n2 racing accesses on 1 variable"),
        "{}",
        ran.stdout
    );
    let ran = Folder::with("bank.std", BANK).run("trace check --max-races 0 bank.std").status(66);
    assert_eq!(ran.stdout.lines().count(), 2, "{}", ran.stdout);
}

#[test]
fn a_trace_comes_from_standard_input_too() {
    let folder = Folder::new();
    for args in ["trace check", "trace check -"] {
        let ran = folder.pipe(args, BANK.as_bytes()).status(66);
        assert!(ran.stdout.contains("bank.c:40"), "{}", ran.stdout);
    }
}

#[test]
fn a_mistake_does_not_hide_the_races_before_it() {
    let folder = Folder::with("a.std", "T1|w(x)|1\nT2|w(x)|2\nT1|frob(x)|3\n");
    let ran = folder.run("trace check a.std");
    assert!(ran.one_line().starts_with("a.std:3: "), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("DATA RACE #1: write-after-write on x\n"), "{}", ran.stdout);
    let ran = folder.run("trace check --json a.std").status(2);
    assert_eq!(ran.json()["counts"]["racing_events"], 1);
    assert_eq!(ran.json()["stopped"], ran.one_line());
    folder.write("b.std", "T1|w(x)|1\nT1|frob(x)|3\n");
    let ran = folder.run("trace check b.std");
    assert_eq!((ran.one_line().is_empty(), ran.stdout.as_str()), (false, ""));
}

#[test]
fn a_trace_that_cannot_happen_is_told_with_place_rule_and_way_out() {
    let folder = Folder::with("a.std", "T1|w(x)|1\nT2|w(x)|2\nT1|rel(m)|3\n");
    let ran = folder.run("trace check a.std");
    expect![
        "a.std:3: this cannot happen: T1 releases lock m, which it does not hold exclusively (rule: a thread gives back only what it holds) [lock-not-held]; --lenient repairs such logs"
    ]
    .assert_eq(ran.one_line());
    assert!(ran.stdout.contains("DATA RACE #1"));
    folder.run("trace convert a.std -o a.dht").status(2);
    folder.run("trace convert --lenient a.std -o a.dht").status(0);
    let binary = Folder::with("b.jsonl", "{\"thread\":\"T1\",\"op\":\"release\",\"lock\":\"m\"}\n")
        .run("trace check b.jsonl");
    assert!(binary.one_line().starts_with("b.jsonl:1: this cannot happen: "), "{}", binary.stderr);
}

#[test]
fn a_detector_that_gives_up_claims_nothing() {
    let folder = Folder::new();
    folder.run("trace gen -n 60000 -o long.dht").status(0);
    let ran = folder.run("trace check -d oracle long.dht");
    assert!(ran.one_line().starts_with("long.dht: the oracle takes at most "), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
}

#[test]
fn names_cannot_drive_the_terminal() {
    let trace = r#"{"thread":"T\u001b[2J","op":"write","var":"x"}
{"thread":"T\u001b[2J","op":"release","lock":"m\nq"}
"#;
    let ran = Folder::with("a.jsonl", trace).run("trace check a.jsonl");
    assert!(ran.one_line().contains(r"lock m\nq"), "{}", ran.stderr);
    assert!(ran.one_line().contains(r"T\u{1b}[2J"), "{}", ran.stderr);
}
