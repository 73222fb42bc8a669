//! Output that cannot be written: pipes that break, disks that are full, folders that are missing.

use crate::harness::{BANK, Folder, run};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

#[test]
fn a_broken_pipe() {
    let folder = Folder::new();
    for options in ["", "--to jsonl --compress gzip", "--to binary --compress zstd", "--to binary"] {
        let mut command = folder.command(&format!("trace gen -n 10000000 {options}"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        assert!(!stdout.fill_buf().unwrap().is_empty());
        drop(stdout);
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!(stderr, "deadheat: cannot write to standard output: broken pipe\n", "{options}");
        assert_eq!(child.wait().unwrap().code(), Some(2));
    }
}

#[test]
fn a_full_disk() {
    let folder = Folder::with("a.std", BANK);
    let full = "cannot write to /dev/full: no space left on device";
    for options in ["", "--to jsonl", "--to binary", "--compress gzip", "--compress zstd"] {
        folder.run(&format!("trace gen -o /dev/full {options}")).fails(full);
        folder.run(&format!("trace convert a.std -o /dev/full {options}")).fails(full);
    }
    folder.run("trace show a.std -o /dev/full").fails(full);
    assert!(File::open("/dev/full").is_ok(), "a device is not removed");
}

#[test]
fn a_full_disk_behind_standard_output() {
    let folder = Folder::with("a.std", BANK);
    let commands = [
        "trace check a.std",
        "trace check --json a.std",
        "trace compare a.std",
        "trace stats a.std",
        "trace gen",
        "trace convert a.std",
        "trace show a.std -o -",
        "trace show a.std",
        "trace gen -o a.dht --json",
        "completions bash",
        "man pages",
        "--help",
        "trace check --help",
        "--version",
    ];
    for args in commands {
        let mut command = folder.command(args);
        command.stdout(File::options().write(true).open("/dev/full").unwrap());
        assert_eq!(
            run_keeping_stdout(command),
            (Some(2), "deadheat: cannot write to standard output: no space left on device\n".into()),
            "{args}"
        );
    }
}

fn run_keeping_stdout(mut command: std::process::Command) -> (Option<i32>, String) {
    let output = command.stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_missing_folder() {
    let folder = Folder::with("a.std", BANK);
    let missing = "cannot write to missing/a.html: no such file or directory";
    folder.run("trace gen -o missing/a.html").fails(missing);
    folder.run("trace convert a.std -o missing/a.html").fails(missing);
    folder.run("trace show a.std -o missing/a.html").fails(missing);
    folder.run("trace gen -o .").fails("cannot write to .: is a directory");
    folder.run("man a.std/pages").fails("cannot write to a.std/pages: not a directory");
}

#[test]
fn standard_error_may_be_gone() {
    let folder = Folder::new();
    let mut command = folder.command("trace check missing.std");
    command.stderr(File::options().write(true).open("/dev/full").unwrap());
    assert_eq!(command.status().unwrap().code(), Some(2));
}

/// Files need not be called something in UTF-8.
#[test]
#[cfg(unix)]
fn names_of_files_in_any_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::with("a.std", BANK);
    let odd = std::ffi::OsStr::from_bytes(b"\xff.jsonl");
    for args in ["trace gen --json -o", "trace show --json a.std -o"] {
        let mut command = folder.command(args);
        command.arg(odd);
        let ran = run(command);
        assert_eq!(ran.json()["output"], "\u{fffd}.jsonl", "{ran:?}");
    }
    let mut command = folder.command("trace gen -o");
    run({
        command.arg(odd);
        command
    })
    .status(0);
    let mut command = folder.command("trace check");
    command.arg(odd);
    assert!(matches!(run(command).status, Some(0 | 66)));
}
