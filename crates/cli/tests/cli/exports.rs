//! Files that a run leaves behind: JSON, SARIF, HTML, a trace.

use crate::harness::Folder;
use crate::programs::{RACY, locked};
use serde_json::Value;

fn lines(folder: &Folder, name: &str) -> Vec<Value> {
    let text = String::from_utf8(folder.read(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn reports_as_json_sarif_and_html() {
    let folder = Folder::with("a.c", RACY);
    folder.run("run --json out.jsonl a.c --sarif out.sarif --html out.html").status(66);
    let findings = lines(&folder, "out.jsonl");
    assert!(!findings.is_empty() && findings.iter().all(|f| f["kind"] == "data-race"), "{findings:?}");
    let sarif: Value = serde_json::from_slice(&folder.read("out.sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), findings.len());
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a.c", "{sarif:#}");
    let page = String::from_utf8(folder.read("out.html")).unwrap();
    assert!(page.contains("counter++;") && page.trim_end().ends_with("</html>"), "{page}");
}

#[test]
fn without_a_race_the_files_say_so() {
    let folder = Folder::with("a.c", locked());
    folder.run("run --json out.jsonl --sarif out.sarif --html out.html a.c").status(0);
    assert_eq!(folder.read("out.jsonl"), b"");
    let sarif: Value = serde_json::from_slice(&folder.read("out.sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"], serde_json::json!([]));
    assert!(folder.has("out.html"));
}

/// Every format; and the detectors for traces agree with the runtime.
#[test]
fn a_recorded_run() {
    let folder = Folder::with("racy.c", RACY);
    folder.write("locked.c", locked());
    for name in ["t.std", "t.jsonl", "t.dht", "t.dht.zst", "t.std.gz"] {
        folder.run(&format!("run --record {name} racy.c")).status(66);
        let ran = folder.run(&format!("trace check {name}")).status(66);
        assert!(ran.stdout.contains("racy.c:8"), "{ran:?}");
        folder.run(&format!("run --record {name} locked.c")).status(0);
        folder.run(&format!("trace check {name}")).status(0);
    }
    let trace = String::from_utf8(folder.run("trace convert t.dht").status(0).bytes).unwrap();
    for operation in ["|fork(T1)|", "|acq(mutex)|", "|rel(mutex)|", "|join(T1)|"] {
        assert!(trace.contains(operation), "{operation}: {trace}");
    }
}

/// Known before the run, which may take hours.
#[test]
fn files_that_cannot_be_written() {
    let folder = Folder::with("a.c", RACY);
    for option in ["--json", "--sarif", "--html", "--record"] {
        let ran = folder.run(&format!("run {option} missing/out a.c"));
        ran.fails("missing: no such file or directory");
        folder.run(&format!("run {option} . a.c")).fails(".: is a folder");
    }
}
