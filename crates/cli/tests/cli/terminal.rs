//! Colours and progress: only where somebody looks.

use crate::harness::{BANK, BIN, Folder, run};
use std::process::{Command, Stdio};

const ESCAPE: char = '\u{1b}';

/// The program's output on a terminal, both streams together.
fn on_terminal(folder: &Folder, args: &str, set: &[(&str, &str)]) -> String {
    let mut command = Command::new("script");
    command
        .args(["-qec", &format!("{BIN} {args}"), "/dev/null"])
        .current_dir(folder.path(""))
        .stdin(Stdio::null());
    command.env_remove("NO_COLOR").env("TERM", "xterm").envs(set.iter().copied());
    let output = command.output().expect("script, of util-linux, makes a terminal");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn colours_on_a_terminal_only() {
    let folder = Folder::with("a.std", BANK);
    for args in ["trace check a.std", "trace check missing.std", "--help"] {
        let piped = folder.run(args);
        assert!(!piped.stdout.contains(ESCAPE) && !piped.stderr.contains(ESCAPE), "{args}: {piped:?}");
        assert!(on_terminal(&folder, args, &[]).contains(ESCAPE), "{args}");
        assert!(!on_terminal(&folder, args, &[("NO_COLOR", "1")]).contains(ESCAPE), "{args}");
    }
}

#[test]
fn json_is_never_coloured() {
    let folder = Folder::with("a.std", BANK);
    for command in ["check", "compare", "stats"] {
        assert!(
            !on_terminal(&folder, &format!("trace {command} --json a.std"), &[]).contains(ESCAPE),
            "{command}"
        );
    }
}

/// Nothing moves the cursor while there is nothing to wait for.
#[test]
fn short_work_shows_no_progress() {
    let folder = Folder::with("a.std", BANK);
    let shown = on_terminal(&folder, "trace stats a.std", &[]);
    assert!(!shown.contains(ESCAPE), "{shown:?}");
}

/// Forced colours are for what is printed; a bar in a log file would be noise however long the work takes.
#[test]
fn a_pipe_gets_no_progress() {
    let folder = Folder::new();
    let mut command = folder.command("trace gen -n 3000000 -o a.dht");
    command.env("CLICOLOR_FORCE", "1");
    assert_eq!(run(command).status(0).stderr, "");
    let mut command = folder.command("trace check -d vector-clock --max-races 0 a.dht");
    command.env("CLICOLOR_FORCE", "1");
    assert_eq!(run(command).status(66).stderr, "");
}
