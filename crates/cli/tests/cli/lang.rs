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
    for command in ["check", "run", "explore", "instrument", "redcard", "redcard --table", "run --redcard"] {
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

#[test]
fn redundant_checks_are_told_and_left_out() {
    let folder = Folder::new();
    let figure = shipped("redcard-fig1");
    let listing = folder.run(&format!("lang redcard {figure}")).status(0).stdout;
    assert!(listing.contains("\n            a^NoCheck[i]^NoCheck[j]^Check = 0;"), "{listing}");
    assert!(listing.contains("// Π : ") && listing.contains("∀(k ∈ 0 to j). a[i][k]ʷ, a[i]\n"), "{listing}");
    let bare = folder.run(&format!("lang redcard {figure} --contexts none --peel")).status(0).stdout;
    assert!(!bare.contains("Π") && bare.contains("if j < a^NoCheck[i]^Check.length {"), "{bare}");
    let told =
        folder.run(&format!("lang redcard {} --explain", shipped("redcard-section2"))).status(0).stdout;
    let reason = "20:14: read of y2.g: NoCheck, accessed at 18:14: y1.g and y1 = x.f, y2 = x.f\n";
    assert!(told.contains(reason), "{told}");
    let json = folder.run(&format!("lang redcard {} --json", shipped("redcard-section1"))).status(0).json();
    assert_eq!((json["accesses"].as_u64(), json["checked"].as_u64()), (Some(9), Some(7)), "{json}");
    let points = shipped("redcard-section5-fields");
    let proxies = folder.run(&format!("lang redcard {points} --explain")).status(0).stdout;
    assert!(proxies.contains("its proxy is checked: Point.y ≻ Point.x"), "{proxies}");
    let without = folder.run(&format!("lang redcard {points} --explain --no-proxies")).status(0).stdout;
    assert!(!without.contains("its proxy"), "{without}");
    let fewer = folder.run(&format!("lang run {} --redcard", shipped("redcard-section4"))).status(66);
    assert!(fewer.stdout.ends_with("10 of 23 accesses checked\n"), "{}", fewer.stdout);
}

#[test]
fn redundant_checks_are_counted() {
    let folder = Folder::new();
    let programs = format!("{} {}", shipped("redcard/series"), shipped("redcard/philo"));
    let table = folder.run(&format!("lang redcard --table {programs}")).status(0).stdout;
    let series = table.lines().find(|line| line.starts_with("series")).unwrap_or_default();
    assert_eq!(
        series,
        "series           728      83.0     83.2     66.6      34.8     35.0     34.5       243       99.6",
        "{table}"
    );
    assert!(table.lines().last().unwrap_or_default().starts_with("geo. mean"), "{table}");
    let json = folder.run(&format!("lang redcard --table --json {programs}")).status(0).json();
    assert_eq!(json[1]["program"].as_str(), Some("philo"), "{json}");
    assert_eq!(json[1]["original"]["shadow"]["locations"].as_u64(), Some(31), "{json}");
    complains(&folder.run(&format!("lang redcard {programs}")), "several programs are for --table");
    folder.write("stuck.heat", "global m: mutex; main { lock m; lock m; }");
    complains(&folder.run("lang redcard --table stuck.heat"), "the run does not come to its end: deadlock");
}
