//! Measuring on a noisy machine: whole commands by processor time and peak memory, interleaved, the best of several rounds.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// What one run of a command took.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Processor time of the process, user and system: what a busy neighbour disturbs least.
    pub seconds: f64,
    /// The most memory it had.
    pub peak_mib: f64,
}

/// Runs `deadheat` with those arguments to its end; statuses 0 and 66 are successes.
pub fn run(deadheat: &Path, args: &[&str]) -> io::Result<Usage> {
    let mut child = Command::new(deadheat).args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let usage = wait(&mut child)?;
    match usage {
        (0 | 66, usage) => Ok(usage),
        (status, _) => Err(io::Error::other(format!("deadheat {} exited with {status}", args.join(" ")))),
    }
}

/// Waits for the child and asks the system what it used.
fn wait(child: &mut std::process::Child) -> io::Result<(i32, Usage)> {
    let (mut status, pid) = (0, child.id() as libc::pid_t);
    // SAFETY: `rusage` is a plain structure of numbers, for which zeros are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `pid` is our own child, not yet waited for; both pointers are to live locals.
    if unsafe { libc::wait4(pid, &mut status, 0, &mut usage) } != pid {
        return Err(io::Error::last_os_error());
    }
    let time = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    let seconds = time(usage.ru_utime) + time(usage.ru_stime);
    let status = if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { -1 };
    Ok((status, Usage { seconds, peak_mib: usage.ru_maxrss as f64 / 1024.0 }))
}

/// Rounds of all commands in turn; of each command its fastest round.
pub fn interleaved(deadheat: &Path, rounds: usize, commands: &[Vec<String>]) -> io::Result<Vec<Usage>> {
    let mut best: Vec<Option<Usage>> = vec![None; commands.len()];
    for _ in 0..rounds {
        for (command, best) in commands.iter().zip(&mut best) {
            let args: Vec<&str> = command.iter().map(String::as_str).collect();
            let usage = run(deadheat, &args)?;
            if best.is_none_or(|b| usage.seconds < b.seconds) {
                *best = Some(usage);
            }
        }
    }
    Ok(best.into_iter().flatten().collect())
}
