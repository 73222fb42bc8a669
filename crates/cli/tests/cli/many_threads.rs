//! Very many threads: the end is a report or one line about memory, not the machine's.

use crate::harness::{Folder, Ran, run};

/// With that limit no more than this may be mapped.
const LIMIT: &str = "--memory-limit 256";
const ADDRESS_SPACE: u64 = 700;

#[track_caller]
fn ends_well(ran: &Ran) {
    if !matches!(ran.status, Some(0 | 66)) {
        assert_eq!(
            ran.one_line(),
            "the analysis needs more than 256 MiB of memory; --memory-limit allows more"
        );
    }
}

fn each_command(trace: String) {
    let folder = Folder::with("a.std", trace);
    let commands = [
        "check -d verifiedft",
        "check -d vector-clock",
        "check -d hb-sets-gc",
        "check -d lockset",
        "stats",
        "compare -d verifiedft,fasttrack,lockset",
        "show -o a.html",
        "convert -o a.dht",
    ];
    for command in commands {
        ends_well(&run(folder.confined(ADDRESS_SPACE, &format!("trace {command} {LIMIT} a.std"))));
    }
}

#[test]
fn two_hundred_thousand_with_one_access_each() {
    each_command((0..200_000).map(|i| format!("T{i}|w(x)|1\n")).collect());
    each_command((0..200_000).map(|i| format!("T{i}|r(x{i})|1\n")).collect());
}

#[test]
fn a_chain_of_forks() {
    each_command((0..50_000).map(|i| format!("T{i}|fork(T{})|1\n", i + 1)).collect());
}

#[test]
fn a_crowd_that_shares_a_lock() {
    each_command((0..50_000).map(|i| format!("T{i}|acq(m)|1\nT{i}|w(x)|2\nT{i}|rel(m)|3\n")).collect());
}

#[test]
fn a_thread_number_is_a_name() {
    let folder =
        Folder::with("a.std", "T1000000000|w(x)|1\nT2|fork(T4294967295)|2\nT99999999999999999999|w(y)|1\n");
    run(folder.confined(64, "trace check a.std")).status(0);
}

#[test]
fn races_before_the_end_of_memory_are_told() {
    let chain = (0..50_000).map(|i| format!("T{i}|fork(T{})|1\n", i + 1));
    let trace: String = ["A|w(x)|1\n".into(), "B|w(x)|2\n".into()].into_iter().chain(chain).collect();
    let ran = Folder::with("a.std", trace).run("trace check --memory-limit 64 a.std");
    assert_eq!(ran.one_line(), "the analysis needs more than 64 MiB of memory; --memory-limit allows more");
    assert!(ran.stdout.contains("DATA RACE #1: write-after-write on x"));
}

/// Without the option the limit is what there is, here what `ulimit -v` leaves.
#[test]
fn the_limit_knows_the_address_space() {
    let chain: String = (0..50_000).map(|i| format!("T{i}|fork(T{})|1\n", i + 1)).collect();
    let folder = Folder::with("a.std", chain);
    let ran = run(folder.confined(400, "trace check a.std"));
    ran.fails("the analysis needs more than 300 MiB of memory; --memory-limit allows more");
}
