//! `trace show`: pictures.

use crate::harness::{BANK, FORK_JOIN, Folder};

#[test]
fn a_page_is_named_after_the_trace() {
    let folder = Folder::with("bank.std.gz", crate::harness::gzip(BANK.as_bytes()));
    let ran = folder.run("trace show bank.std.gz").status(66);
    assert_eq!(ran.stdout, "Drew 11 events and 2 races: open bank.html in a browser.\n");
    let page = String::from_utf8(folder.read("bank.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert!(page.contains("bank.c:31") && page.contains("counter"));
    folder.pipe("trace show", FORK_JOIN.as_bytes()).status(0);
    assert!(folder.has("trace.html"));
}

#[test]
fn a_still_is_svg() {
    let folder = Folder::with("bank.std", BANK);
    folder.run("trace show bank.std -o b.svg").status(66);
    let still = String::from_utf8(folder.read("b.svg")).unwrap();
    assert!(still.starts_with("<svg") && still.trim_end().ends_with("</svg>"), "{still}");
    assert!(!folder.has("bank.html"));
}

#[test]
fn pictures_go_to_standard_output_too() {
    let ran = Folder::with("bank.std", BANK).run("trace show bank.std -o - --json").status(66);
    assert!(ran.stdout.starts_with("<!DOCTYPE html>"));
    let summary: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!(summary, serde_json::json!({ "output": null, "events": 11, "races": 2 }));
}

#[test]
fn json_says_what_was_drawn() {
    let folder = Folder::with("a.std", FORK_JOIN);
    let summary = folder.run("trace show a.std --json -o a.html").status(0).json();
    assert_eq!(summary, serde_json::json!({ "output": "a.html", "events": 5, "races": 0 }));
}

#[test]
fn a_long_trace_is_cut() {
    let folder = Folder::new();
    folder.run("trace gen -n 2001 -o a.dht").status(0);
    let ran = folder.run("trace show a.dht -n 10").status(0);
    assert_eq!(ran.stderr, "note: only the first 10 events are drawn; --events draws more\n");
    let ran = folder.run("trace show a.dht -o a.svg --json");
    assert_eq!(ran.stderr, "note: only the first 2,000 events are drawn; an HTML page has room for more\n");
    assert_eq!(ran.json()["events"], 2000);
    let ran = folder.run("trace show a.dht -o b.svg -n 2001");
    ran.fails("2001 events are too many for an SVG (at most 2000); draw an HTML page");
    assert!(!folder.has("b.svg"));
}

#[test]
fn names_stay_text() {
    let folder = Folder::with("a.std", "<script>alert(1)</script>|w(x)|1\nT2|w(x)|2\n");
    folder.run("trace show a.std").status(66);
    folder.run("trace show a.std -o a.svg").status(66);
    for name in ["a.html", "a.svg"] {
        assert!(!String::from_utf8(folder.read(name)).unwrap().contains("<script>alert(1)"), "{name}");
    }
}
