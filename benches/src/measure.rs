//! Measuring on a noisy machine: whole commands by processor time and peak memory, interleaved, the best of several rounds.

use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What one run of a command took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Processor time of the process, user and system: what a busy neighbour disturbs least.
    pub seconds: f64,
    /// Time on the clock.
    pub wall: f64,
    /// The most memory it had. The system counts from the fork, so never less than this benchmark's own few MiB.
    pub peak_mib: f64,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It ended by itself with that status.
    Status(i32),
    /// A signal ended it.
    Signal(i32),
    /// It took longer than it may, and was killed.
    TooLong,
}

/// Runs `deadheat` with those arguments to its end; statuses 0 and 66 are successes.
pub fn run(deadheat: &Path, args: &[&str]) -> io::Result<Usage> {
    let started = Instant::now();
    let mut child = Command::new(deadheat).args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    match wait(&mut child, started, Duration::MAX)? {
        (End::Status(0 | 66), usage) => Ok(usage),
        (end, _) => Err(io::Error::other(format!("deadheat {} ended with {end:?}", args.join(" ")))),
    }
}

/// Waits for the child, which was started at that time and has so long, and asks the system what it used.
pub fn wait(child: &mut Child, started: Instant, limit: Duration) -> io::Result<(End, Usage)> {
    let (mut status, pid) = (0, child.id() as libc::pid_t);
    // SAFETY: `rusage` is a plain structure of numbers, for which zeros are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let mut too_long = false;
    let flags = if limit == Duration::MAX { 0 } else { libc::WNOHANG };
    loop {
        // SAFETY: `pid` is our own child, not yet waited for; both pointers are to live locals.
        match unsafe { libc::wait4(pid, &mut status, flags, &mut usage) } {
            0 if !too_long && started.elapsed() > limit => {
                too_long = true;
                child.kill()?;
            }
            0 => std::thread::sleep(Duration::from_millis(2)),
            found if found == pid => break,
            _ => return Err(io::Error::last_os_error()),
        }
    }
    let wall = started.elapsed().as_secs_f64();
    let time = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    let seconds = time(usage.ru_utime) + time(usage.ru_stime);
    let end = match status {
        _ if too_long => End::TooLong,
        _ if libc::WIFEXITED(status) => End::Status(libc::WEXITSTATUS(status)),
        _ => End::Signal(libc::WTERMSIG(status)),
    };
    Ok((end, Usage { seconds, wall, peak_mib: usage.ru_maxrss as f64 / 1024.0 }))
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
