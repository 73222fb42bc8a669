//! A program that is run to its end: signals reach it, and its end becomes ours.

use crate::failure::{Failure, plain};
use rustix::process::{Pid, Resource, Rlimit, Signal, getpgrp, kill_process, setrlimit};
use rustix::termios::tcgetpgrp;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};
use signal_hook::iterator::{Handle, Signals};
use signal_hook::low_level::emulate_default_handler;
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::process::{self, Command, ExitCode, ExitStatus};

/// Signals that are meant for the program.
const FORWARDED: [i32; 7] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH];

/// A running program.
pub struct Child {
    child: process::Child,
    forwarding: Handle,
}

impl Child {
    /// Starts it.
    pub fn start(mut command: Command) -> Result<Child, Failure> {
        let name = command.get_program().to_string_lossy().into_owned();
        let fails = |e: &std::io::Error| Failure::new(format!("cannot run {name}: {}", plain(e)));
        // Before there is someone to forward to: a signal in between waits.
        let mut signals = Signals::new(FORWARDED).map_err(|e| fails(&e))?;
        let child = command.spawn().map_err(|e| fails(&e))?;
        let (pid, forwarding) = (i32::try_from(child.id()).ok().and_then(Pid::from_raw), signals.handle());
        std::thread::spawn(move || {
            for signal in signals.forever() {
                if let (Some(pid), Some(signal)) = (pid, Signal::from_named_raw(signal)) {
                    forward(pid, signal);
                }
            }
        });
        Ok(Child { child, forwarding })
    }

    /// Waits for its end.
    pub fn wait(mut self) -> Result<End, Failure> {
        let status = self.child.wait();
        self.forwarding.close();
        status.map(End).map_err(|e| Failure::new(format!("cannot wait for the program: {}", plain(&e))))
    }
}

/// Hands a signal on. Ctrl-C and Ctrl-\ on our terminal have reached the program already.
fn forward(pid: Pid, signal: Signal) {
    let typed = matches!(signal, Signal::INT | Signal::QUIT | Signal::WINCH);
    if !(typed && on_terminal()) {
        let _ = kill_process(pid, signal);
    }
}

/// Are we, and the program with us, in front on a terminal?
fn on_terminal() -> bool {
    File::open("/dev/tty").is_ok_and(|tty| tcgetpgrp(&tty).is_ok_and(|group| group == getpgrp()))
}

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End(ExitStatus);

impl End {
    /// Did it end well?
    pub fn success(self) -> bool {
        self.0.success()
    }

    /// The same end for us: its exit status, or death by the same signal, without a second core file.
    pub fn code(self) -> ExitCode {
        if let Some(signal) = self.0.signal() {
            let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
            let _ = emulate_default_handler(signal);
            return ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX));
        }
        ExitCode::from(self.0.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
    }
}
