//! A built program run to its end, or to the end of our patience.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// A program that takes longer hangs. The slowest takes seconds, unless others have the processors.
const PATIENCE: Duration = Duration::from_secs(300);

/// How a run ended and what it wrote.
#[derive(Debug)]
pub struct Ran {
    pub end: End,
    pub stdout: String,
    pub stderr: String,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Exit(i32),
    Signal(i32),
    /// It was still running when our patience ended.
    Hang,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Exit(status) => write!(f, "exit status {status}"),
            End::Signal(signal) => write!(f, "killed by signal {signal}"),
            End::Hang => write!(f, "a hang of {} seconds", PATIENCE.as_secs()),
        }
    }
}

impl End {
    fn of(status: ExitStatus) -> End {
        match (status.code(), status.signal()) {
            (Some(code), _) => End::Exit(code),
            (None, signal) => End::Signal(signal.unwrap_or(0)),
        }
    }
}

/// Runs it in a process group of its own, so that a hang ends with all its children.
pub fn run(mut command: Command) -> Ran {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let group = format!("-{}", child.id());
    let (send, receive) = mpsc::channel();
    let waiter = thread::spawn(move || send.send(child.wait_with_output()));
    let (output, hung) = match receive.recv_timeout(PATIENCE) {
        Ok(output) => (output, false),
        Err(_) => {
            let killed = Command::new("kill").args(["-KILL", "--", &group]).status();
            assert!(killed.is_ok_and(|status| status.success()), "a hanging program cannot be killed");
            (receive.recv().expect("the waiter sends once"), true)
        }
    };
    waiter.join().expect("the waiter does not panic").ok();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let end = if hung { End::Hang } else { End::of(output.status) };
    Ran { end, stdout: text(&output.stdout), stderr: text(&output.stderr) }
}
