//! `deadheat lang`: programs of the small language.

use crate::harness::{Folder, Ran};

/// A shipped program.
fn shipped(name: &str) -> String {
    format!("{}/../../testdata/lang/{name}.heat", env!("CARGO_MANIFEST_DIR"))
}

/// Says that in its one line about what is wrong.
#[track_caller]
fn complains(ran: &Ran, what: &str) {
    assert!(ran.one_line().contains(what), "{ran:?}");
}

const COUNTER: &str =
    "global x;\n\nthread {\n    x = x + 1;\n}\n\nthread {\n    x = x + 1;\n}\n\nfinally {\n    print x;\n}\n";

#[test]
fn a_hidden_bug_is_found_replayed_and_drawn() {
    let folder = Folder::new();
    let program = shipped("deepening-fig5");
    let ran = folder.run(&format!("lang explore {program} --allow-races --html bug.html")).status(66);
    assert!(ran.stdout.starts_with("panic: panic\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("How it comes about (3 preemptions;"), "{}", ran.stdout);
    let page = String::from_utf8(folder.read("bug.html")).expect("a page");
    assert!(page.contains("deepening-fig5"), "no picture");
    let again = folder.run(&format!("lang explore {program} --replay deepening-fig5.replay")).status(66);
    assert!(again.stdout.starts_with("panic: panic\n"), "{}", again.stdout);
    // With synchronisation points alone it is not there (the paper, Figure 5).
    let sync = folder.run(&format!("lang explore {program} --allow-races --points sync")).status(3);
    assert!(sync.stdout.contains("No bug found, but nothing is verified"), "{}", sync.stdout);
}

#[test]
fn what_has_no_bug_is_verified() {
    let folder = Folder::new();
    let ran = folder.run(&format!("lang explore {}", shipped("families/buffer"))).status(0);
    assert!(ran.stdout.contains("All schedules verified"), "{}", ran.stdout);
    assert!(!folder.has("buffer.replay"));
    for (name, runs) in [("fetch-add-2x2", 6), ("fetch-add-3x2", 90), ("mutex-2x2", 6)] {
        let ran =
            folder.run(&format!("lang explore {} --points all --json", shipped(&format!("families/{name}"))));
        let json = ran.status(0).json();
        assert_eq!(
            (json["verdict"].as_str(), json["runs"].as_u64()),
            (Some("verified"), Some(runs)),
            "{name}"
        );
    }
}

#[test]
fn a_deadlock_says_who_waits_for_whom() {
    let ran = Folder::new().run(&format!("lang explore {}", shipped("families/philosophers"))).status(66);
    assert!(ran.stdout.starts_with("deadlock\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains(" waits for ") && ran.stdout.contains("the circle: "), "{}", ran.stdout);
}

#[test]
fn searches_have_budgets_and_go_on() {
    let folder = Folder::new();
    let program = shipped("families/fetch-add-3x2");
    let cut = folder.run(&format!("lang explore {program} --points all --runs 20 --save half")).status(3);
    assert!(cut.stdout.contains("the number of runs was used up"), "{}", cut.stdout);
    let rest = folder.run(&format!("lang explore {program} --resume half --json")).status(0).json();
    assert_eq!((rest["verdict"].as_str(), rest["runs"].as_u64()), (Some("verified"), Some(90)));
    complains(
        &folder.run(&format!("lang explore {} --resume half", shipped("families/mutex-2x2"))),
        "another program",
    );
    folder.write("half", "{}");
    complains(&folder.run(&format!("lang explore {program} --resume half")), "is no saved search");
    for search in ["random", "pct", "surw"] {
        let ran = folder.run(&format!("lang explore {program} --search {search} --runs 100")).status(3);
        assert!(ran.stdout.contains("nothing is verified"), "{}", ran.stdout);
    }
}

#[test]
fn one_run_has_its_output_and_its_races() {
    let folder = Folder::with("c.heat", COUNTER);
    let ran = folder.run("lang run c.heat --schedule 0*2,1*2,2*2 --record c.std").status(66);
    assert!(ran.stdout.starts_with("2\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("c.heat:4:5") && ran.stdout.contains("c.heat:8:9"), "{}", ran.stdout);
    folder.run("trace check c.std").status(66);
    let lost = folder.run("lang run c.heat --schedule 0*2,1*1,2*2,1*1").status(66);
    assert!(lost.stdout.starts_with("1\n"), "{}", lost.stdout);
    complains(&folder.run("lang run c.heat --schedule 0*x"), "is no part of a schedule");
    complains(&folder.run("lang run c.heat --schedule 7*1"), "the thread does not exist");
    assert_eq!(folder.run("lang run c.heat --seed 3").stdout, folder.run("lang run c.heat --seed 3").stdout);
}

#[test]
fn programs_are_checked_formatted_and_instrumented() {
    let folder = Folder::with("c.heat", COUNTER);
    folder.run("lang check c.heat").status(0);
    folder.run("lang fmt --check c.heat").status(0);
    folder.write("ugly.heat", "global x;main{x=1;}");
    folder.run("lang fmt --check ugly.heat").status(1);
    folder.run("lang fmt --write ugly.heat").status(0);
    folder.run("lang fmt --check ugly.heat").status(0);
    folder.write("i.heat", folder.run("lang instrument c.heat").status(0).stdout);
    folder.run("lang check i.heat").status(0);
    let caught = folder.run("lang explore i.heat --allow-races").status(66);
    assert!(caught.stdout.starts_with("assertion failed"), "{}", caught.stdout);
}

#[test]
fn bad_programs_are_pointed_at() {
    let folder = Folder::with("bad.heat", "main { x = 1; }");
    for command in ["check", "run", "explore", "instrument"] {
        let ran = folder.run(&format!("lang {command} bad.heat")).status(2);
        assert!(
            ran.stderr.contains("bad.heat:1:8") && ran.stderr.contains("1 mistake found"),
            "{}",
            ran.stderr
        );
    }
    complains(&folder.run("lang explore gone.heat"), "gone.heat: no such file or directory");
    folder.write("bytes.heat", [0xff, 0xfe]);
    complains(&folder.run("lang check bytes.heat"), "is no text");
    folder.write("class.heat", "class C { x; } main { let c = new C; c.x = 1; }");
    let refused = folder.run("lang instrument class.heat").status(2);
    assert!(refused.stderr.contains("the instrumentation does not cover classes"), "{}", refused.stderr);
    folder.write("bad.replay", "[]");
    complains(
        &folder.run(&format!("lang explore {} --replay bad.replay", shipped("deepening-fig5"))),
        "is no replay",
    );
}
