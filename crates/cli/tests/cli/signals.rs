//! A program under `run` lives and dies as it would alone.

use crate::harness::{BIN, Folder};
use crate::programs::must;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};

/// Says that it is there, then waits for a signal: a handler ends it with 5, without one the signal does.
const WAITS: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static void handler(int signal) { _exit(5); (void)signal; }
int main(int argc, char **argv) {
  if (argc > 1)
    signal(argv[1][0] == 't' ? SIGTERM : SIGINT, handler);
  puts("ready");
  fflush(stdout);
  for (;;)
    pause();
}
"#;

fn start(folder: &Folder, args: &str) -> Child {
    let mut command = Command::new(BIN);
    command.args(args.split_whitespace()).current_dir(folder.path("")).stdin(Stdio::null());
    command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    child
}

/// The end of a program after that signal to the one that was started.
fn after(folder: &Folder, args: &str, signal: &str) -> ExitStatus {
    let mut child = start(folder, args);
    must(folder, &format!("kill -{signal} {}", child.id()));
    child.wait().unwrap()
}

#[test]
fn signals_reach_the_program() {
    let folder = Folder::with("a.c", WAITS);
    assert_eq!(after(&folder, "run a.c -- t", "TERM").code(), Some(5));
    assert_eq!(after(&folder, "run a.c --keep a -- t", "TERM").code(), Some(5));
    assert_eq!(after(&folder, "run ./a t", "TERM").code(), Some(5));
}

#[test]
fn a_program_that_dies_takes_us_along() {
    let folder = Folder::with("a.c", WAITS);
    assert_eq!(after(&folder, "run a.c", "TERM").signal(), Some(15));
    assert_eq!(after(&folder, "run a.c", "HUP").signal(), Some(1));
    let folder = Folder::with("b.c", "#include <stdlib.h>\nint main(void) { abort(); }\n");
    let ended = Command::new(BIN).args(["run", "b.c"]).current_dir(folder.path("")).status().unwrap();
    assert_eq!(ended.signal(), Some(6));
    assert!(!folder.has("core"));
}
