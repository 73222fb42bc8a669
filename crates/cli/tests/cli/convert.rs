//! `trace convert`: formats and compressions.

use crate::harness::{BANK, Folder};

const NAMES: [&str; 3] = ["std", "jsonl", "dht"];
const PACKED: [&str; 3] = ["", ".gz", ".zst"];

/// Through every format and compression and back, by the names of the files alone.
#[test]
fn round_trips() {
    let folder = Folder::new();
    folder.run("trace gen --operations all -n 3000 --threads 50 -o 0.dht").status(0);
    folder.run("trace convert 0.dht -o 0.std").status(0);
    for from in NAMES.iter().flat_map(|name| PACKED.map(|packed| format!("{name}{packed}"))) {
        folder.run(&format!("trace convert 0.std -o a.{from}")).status(0);
        for to in NAMES.iter().flat_map(|name| PACKED.map(|packed| format!("{name}{packed}"))) {
            folder.run(&format!("trace convert a.{from} -o b.{to}")).status(0);
            folder.run(&format!("trace convert b.{to} -o 1.std")).status(0);
            assert!(folder.read("1.std") == folder.read("0.std"), "{from} to {to}");
            assert!(folder.read(&format!("b.{to}")) == again(&folder, &to), "{to} is not always the same");
        }
    }
}

/// The trace written in that form without a detour.
fn again(folder: &Folder, to: &str) -> Vec<u8> {
    folder.run(&format!("trace convert 0.std -o c.{to}")).status(0);
    folder.read(&format!("c.{to}"))
}

#[test]
fn names_choose_and_options_overrule() {
    let folder = Folder::with("a.std", BANK);
    let starts = |args: &str, with: &[u8]| {
        let bytes = folder.run(&format!("trace convert a.std {args}")).status(0).bytes;
        assert!(bytes.starts_with(with), "{args}: {:?}", &bytes[..10]);
    };
    starts("", b"main|fork(T1)|bank.c:10\n");
    starts("-o -", b"main|fork(T1)|bank.c:10\n");
    starts("--to jsonl", b"{");
    starts("--to binary", b"\x89DHT\r\n\x1a\n");
    starts("--compress gzip", b"\x1f\x8b");
    starts("--compress zstd", b"\x28\xb5\x2f\xfd");
    folder.run("trace convert a.std -o b.jsonl.gz --to std --compress none").status(0);
    assert_eq!(folder.read("b.jsonl.gz"), BANK.as_bytes());
    assert!(!folder.has("-"));
}

#[test]
fn json_says_what_was_written() {
    let folder = Folder::with("a.std", BANK);
    let summary = folder.run("trace convert a.std -o a.dht.zst --json").status(0).json();
    let expected =
        serde_json::json!({ "output": "a.dht.zst", "format": "binary", "compression": "zstd", "events": 11 });
    assert_eq!(summary, expected);
    let ran = folder.run("trace convert a.std --json").status(0);
    assert_eq!(ran.stdout, BANK);
    let summary: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    let expected = serde_json::json!({ "output": null, "format": "std", "compression": "none", "events": 11, "beyond_rapid": 0 });
    assert_eq!(summary, expected);
}

#[test]
fn pipes_on_both_sides() {
    let folder = Folder::new();
    let packed = folder.pipe("trace convert --to binary --compress zstd", BANK.as_bytes()).status(0);
    let plain = folder.pipe("trace convert - -o -", std::io::Cursor::new(packed.bytes)).status(0);
    assert_eq!(plain.stdout, BANK);
}

#[test]
fn those_who_ask_for_std_learn_what_rapid_does_not_know() {
    let folder = Folder::with("a.std", "T1|w(x)|1\nT1|exit()|2\n");
    assert_eq!(folder.run("trace convert a.std -o b.std").status(0).stderr, "");
    let ran = folder.run("trace convert a.std --to std -o b.std").status(0);
    assert_eq!(ran.stderr, "note: RAPID does not know 1 of the 2 events written; Deadheat does\n");
}

#[test]
fn a_name_that_a_format_cannot_say() {
    let folder = Folder::with("a.jsonl", "{\"thread\":\"a|b\",\"op\":\"write\",\"var\":\"x\"}\n");
    folder.run("trace convert a.jsonl -o b.std").fails(
        "b.std: cannot write event 1: the name of the thread, \"a|b\", contains |; --to jsonl and --to binary can",
    );
    assert!(!folder.has("b.std"));
    folder.run("trace convert a.jsonl -o b.dht").status(0);
    folder.run("trace convert b.dht -o b.jsonl").status(0);
    assert_eq!(folder.read("b.jsonl"), folder.read("a.jsonl"));
}

#[test]
fn the_input_is_not_overwritten() {
    let folder = Folder::with("a.std", BANK);
    folder.run("trace convert a.std -o ./a.std").fails("./a.std: is also the input; write to another file");
    folder.run("trace show a.std -o a.std").fails("a.std: is also the input; write to another file");
    let mut command = folder.command("trace convert -o a.std");
    command.stdin(std::fs::File::open(folder.path("a.std")).unwrap());
    crate::harness::run(command).fails("a.std: is also the input; write to another file");
    assert_eq!(folder.read("a.std"), BANK.as_bytes());
}

#[test]
fn half_a_trace_is_not_left_behind() {
    let folder = Folder::with("a.std", format!("{BANK}nonsense\n"));
    folder.run("trace convert a.std -o b.std").status(2);
    assert!(!folder.has("b.std"));
}
