//! `trace gen`: random traces.

use crate::harness::Folder;
use std::collections::HashSet;

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let folder = Folder::new();
    for operations in ["guarded", "all"] {
        let made = |seed: u32| {
            folder.run(&format!("trace gen --operations {operations} --seed {seed}")).status(0).bytes
        };
        assert_eq!(made(7), made(7));
        assert_ne!(made(7), made(8));
    }
}

#[test]
fn every_option_has_an_effect() {
    let folder = Folder::new();
    let options = "--seed 1,--seed 2,--threads 9,--vars 7,--locks 2,--channels 4,--events 900,--race-density 0.5,--reads 0.1,\
                   --section 30,--burst 5,--operations all,--to jsonl,--compress gzip";
    let made: HashSet<Vec<u8>> =
        options.split(',').map(|option| folder.run(&format!("trace gen {option}")).status(0).bytes).collect();
    assert_eq!(made.len(), options.split(',').count());
}

#[test]
fn the_trace_is_as_asked_for() {
    let folder = Folder::new();
    let stats = |options: &str| {
        folder.run(&format!("trace gen {options} -o a.dht")).status(0);
        folder.run("trace stats --json a.dht").json()
    };
    let made = stats("-n 5000 --threads 9 --vars 7 --locks 3 --channels 4");
    assert_eq!(made["events"], 5000);
    assert_eq!(
        made["things"],
        serde_json::json!({ "threads": 9, "variables": 7, "locks": 3, "channels": 4 })
    );
    assert!(stats("--reads 0")["operations"].get("read").is_none());
    assert!(stats("--reads 1")["operations"].get("write").is_none());
    let sections = |options: &str| stats(options)["operations"]["acquire"].as_u64().unwrap();
    assert!(sections("--section 50 --race-density 0") * 3 < sections("--section 2 --race-density 0"));
}

#[test]
fn without_race_density_there_is_no_race() {
    let folder = Folder::new();
    let shapes = [
        "",
        "--channels 4",
        "--locks 0 --channels 5",
        "--locks 0",
        "--threads 1",
        "--threads 30 --vars 2 --channels 2",
    ];
    for (seed, shape) in shapes.iter().enumerate() {
        folder.run(&format!("trace gen --seed {seed} --race-density 0 -n 20000 {shape} -o a.dht")).status(0);
        folder.run("trace check a.dht").status(0);
    }
    folder.run("trace gen --race-density 0.1 -o a.dht").status(0);
    folder.run("trace check a.dht").status(66);
}

/// However few the threads are, they do not all end or block each other.
#[test]
fn all_operations_at_length() {
    let folder = Folder::new();
    let shape = "--operations all -n 100000";
    let summary = folder.run(&format!("trace gen {shape} -o a.dht --json")).status(0).json();
    assert_eq!(summary["events"], 100_000);
    folder.run("trace convert a.dht -o a.std.gz").status(0);
    folder.run("trace convert a.std.gz -o a.jsonl").status(0);
    let checked = ["a.dht", "a.std.gz", "a.jsonl"].map(|name| {
        let ran = folder.run(&format!("trace check --memory-limit 4096 --max-races 0 {name}"));
        assert!(matches!(ran.status, Some(0 | 66)), "{ran:?}");
        ran.stdout
    });
    assert!(checked.iter().all(|report| *report == checked[0]), "{checked:?}");
}

#[test]
fn a_trace_that_gets_stuck_says_so() {
    let folder = Folder::new();
    let asked = 1_000_000;
    let ran = folder.run(&format!("trace gen --operations all --threads 1 -n {asked}")).status(0);
    let events = ran.stdout.lines().count();
    assert_eq!(
        events < asked,
        ran.stderr.starts_with(&format!("note: after {events} events no thread could go on"))
    );
}

#[test]
fn nothing_is_said_about_a_trace_that_went_well() {
    let ran = Folder::new().run("trace gen -n 10").status(0);
    assert_eq!((ran.stdout.lines().count(), ran.stderr.as_str()), (10, ""));
    let ran = Folder::new().run("trace gen -n 10 -o a.std").status(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
}
