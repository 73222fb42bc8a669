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

/// Where threads are created and joined is where the program does so.
#[test]
fn forks_and_joins_have_their_places() {
    let folder = Folder::with("racy.c", RACY);
    folder.run("run --record t.std racy.c").status(66);
    let trace = String::from_utf8(folder.read("t.std")).unwrap();
    let line = |text: &str| RACY.lines().position(|line| line.contains(text)).unwrap() + 1;
    for (operation, at) in [("fork(T1)", line("pthread_create(")), ("join(T2)", line("pthread_join("))] {
        assert!(trace.contains(&format!("main|{operation}|racy.c:{at}\n")), "{operation}: {trace}");
    }
}

/// Whatever ends the program, what it did until then is in the record.
#[test]
fn a_record_outlives_the_program() {
    for end in ["*(volatile int *)0 = 1", "abort()", "raise(SIGKILL)", "raise(SIGTERM)"] {
        let source = RACY
            .replace("#include <stdio.h>", "#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>")
            .replace("  printf(", &format!("  counter = 7;\n  {end};\n  printf("));
        let folder = Folder::with("crash.c", &source);
        let ran = folder.run("run --record t.std crash.c");
        assert_eq!(ran.status, None, "{end}: {ran:?}");
        let trace = String::from_utf8(folder.read("t.std")).unwrap();
        let last = source.lines().position(|line| line.contains("counter = 7")).unwrap() + 1;
        assert!(trace.contains("|join(T2)|"), "{end}: {trace}");
        let writes = trace.lines().filter(|line| line.ends_with(&format!("|crash.c:{last}"))).count();
        assert_eq!(writes, 1, "{end}: {trace}");
        assert!(!ran.stderr.contains("ends early"), "{end}: {ran:?}");
    }
}

/// A program that the first one starts, and the first one itself after `exec`, leave its record alone.
#[test]
fn every_process_has_a_record_of_its_own() {
    let source = r#"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int first, child, again;
int main(int argc, char **argv) {
  if (argc > 1 && argv[1][0] == 'c') {
    child = 1;
    return 0;
  }
  if (argc > 1) {
    again = 1;
    return 0;
  }
  first = 1;
  pid_t pid = fork();
  if (pid == 0) execl(argv[0], argv[0], "child", (char *)0);
  waitpid(pid, 0, 0);
  execl(argv[0], argv[0], "again", (char *)0);
  return 1;
}
"#;
    let folder = Folder::with("a.c", source);
    let ran = folder.run("run --record t.std a.c").status(0);
    let line = |text: &str| source.lines().position(|line| line.contains(text)).unwrap() + 1;
    let has = |file: &str, text: &str| {
        let trace = String::from_utf8(folder.read(file)).unwrap();
        trace.lines().any(|l| l.ends_with(&format!("|a.c:{}", line(text))))
    };
    assert!(has("t.std", "first = 1") && !has("t.std", "child = 1"), "{ran:?}");
    let others: Vec<String> =
        ran.stderr.lines().filter_map(|l| l.split(" is recorded in ").nth(1)).map(str::to_owned).collect();
    assert_eq!(others.len(), 2, "{ran:?}");
    for text in ["child = 1", "again = 1"] {
        assert!(others.iter().any(|file| has(file, text) && !has(file, "first = 1")), "{text}: {ran:?}");
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
