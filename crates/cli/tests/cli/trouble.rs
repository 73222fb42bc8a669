//! A watched program in trouble: little address space, nowhere to report to, a full disk, a crash. Clear words, the right end, and no report lost.

use crate::harness::{Folder, Ran, run};
use crate::programs::{RACY, WARNING};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

const SIGILL: i32 = 4;
const SIGSEGV: i32 = 11;

/// What every whole report ends with.
const SUMMARY: &str = "SUMMARY: ThreadSanitizer: data race";

/// A folder with the racy program, built.
fn racy(source: &str) -> Folder {
    let folder = Folder::with("a.c", source);
    folder.run("cc -g a.c -o a").status(0);
    folder
}

/// Those lines of shell in the folder.
fn shell(folder: &Folder, script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(folder.path(""));
    command.env_remove("DEADHEAT_OPTIONS").env_remove("TSAN_OPTIONS");
    command
}

#[track_caller]
fn is_whole(text: &str) {
    assert_eq!((text.matches(WARNING).count(), text.matches(SUMMARY).count()), (1, 1), "{text}");
}

#[test]
fn too_little_address_space() {
    let folder = racy(RACY);
    for script in ["ulimit -v 1000000; exec ./a", "ulimit -v 100000; exec ./a"] {
        let ran = run(shell(&folder, script));
        let line = ran.one_line();
        assert!(line.starts_with("cannot reserve ") && line.contains("the limit (ulimit -v) is "), "{line}");
        assert_eq!(ran.stdout, "", "the program must not begin");
    }
    run(shell(&folder, "ulimit -v unlimited; exec ./a")).status(66);
}

#[test]
fn a_closed_standard_error() {
    let folder = racy(RACY);
    let ran = run(shell(&folder, "exec ./a 2>&-")).status(66);
    assert_eq!(ran.stdout, "counted everything\n");
    let ran = run(shell(&folder, "DEADHEAT_OPTIONS=log_path=log exec ./a 2>&-")).status(66);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("counted everything\n", ""));
    is_whole(&log(&folder));
}

/// The one log of the folder.
fn log(folder: &Folder) -> String {
    let files = std::fs::read_dir(folder.path("")).unwrap().map(|file| file.unwrap().file_name());
    let names: Vec<String> =
        files.map(|name| name.into_string().unwrap()).filter(|n| n.starts_with("log.")).collect();
    assert_eq!(names.len(), 1, "{names:?}");
    String::from_utf8(folder.read(&names[0])).unwrap()
}

/// A file that takes nothing, as on a full disk: the report goes where there is room.
#[test]
fn a_full_disk() {
    let folder = racy(RACY);
    let no_room = "trap '' XFSZ; ulimit -f 0; DEADHEAT_OPTIONS=log_path=log exec ./a";
    let ran = run(shell(&folder, no_room)).status(66);
    is_whole(&ran.stderr);
    assert_eq!(ran.stdout, "counted everything\n");
    let ran = run(shell(&folder, "DEADHEAT_OPTIONS=log_path=missing/log exec ./a")).status(66);
    is_whole(&ran.stderr);
    assert!(ran.stderr.starts_with("deadheat: cannot write the log missing/log."), "{}", ran.stderr);
    let ran = run(shell(&folder, "exec ./a 2>/dev/full")).status(66);
    assert_eq!(ran.stdout, "counted everything\n");
}

/// The signal is the program's own, and what was found before is told.
#[test]
fn a_crash_after_a_race() {
    for (fatal, signal) in [("*(volatile int *)8 = 1;", SIGSEGV), ("__builtin_trap();", SIGILL)] {
        let folder = racy(&RACY.replace("return argc - 1;", fatal));
        let output = shell(&folder, "exec ./a").output().unwrap();
        assert_eq!(output.status.signal(), Some(signal));
        is_whole(&String::from_utf8_lossy(&output.stderr));
        let ran: Ran = folder.run("run ./a");
        assert_eq!(ran.status, None, "killed as the program was");
        is_whole(&ran.stderr);
    }
}
