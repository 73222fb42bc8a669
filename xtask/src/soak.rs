//! A long run of `testdata/soak` under Deadheat: it must go on, stay as large as it is, and report nothing.

use crate::setup;
use crate::shell::{Step, cargo, root, target};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// No round in this time means that threads wait for each other.
const PATIENCE: Duration = Duration::from_secs(120);
/// The part of the run that may fill caches, which takes so many seconds at least, and the part at its end that is compared with what comes next.
const WARM_UP: f64 = 0.1;
const WARM: f64 = 60.0;
const LATE: f64 = 0.8;
/// How much larger the process may be late in the run than after the warm-up.
const GROWTH: f64 = 1.05;
const GROWTH_KIB: u64 = 8 << 10;

/// A line of the program: when, how many rounds, how large.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Status {
    seconds: f64,
    rounds: u64,
    kib: u64,
}

/// Builds the program with both compilers and lets both run for that long, at once.
pub fn run(seconds: u32, only: Option<&str>) -> Step {
    setup::compilers()?;
    setup::clang()?;
    cargo(&["build", "--release", "--package", "deadheat"])?;
    let compilers = ["clang", "gcc"].into_iter().filter(|name| only.is_none_or(|only| only == *name));
    let built = compilers.map(build).collect::<Result<Vec<_>, _>>()?;
    let runs: Vec<_> = built.into_iter().map(|soak| thread::spawn(move || soak.run(seconds))).collect();
    let ends: Vec<Step> = runs
        .into_iter()
        .map(|run| run.join().map_err(|_| "a watching thread panicked".to_string())?)
        .collect();
    ends.into_iter().collect()
}

/// The program as one compiler has built it.
struct Soak {
    compiler: &'static str,
    folder: PathBuf,
}

fn build(compiler: &'static str) -> Result<Soak, String> {
    let folder = target().join("soak").join(compiler);
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let source = root().join("testdata/soak");
    let files = fs::read_dir(&source).map_err(|e| format!("{}: {e}", source.display()))?;
    let cxx = files.flatten().map(|f| f.path()).filter(|path| path.extension().is_some_and(|e| e == "cpp"));
    let out = |name: &str| folder.join(name).display().to_string();
    let mut program: Vec<String> =
        ["-std=c++17", "-g", "-O1", "-pthread", "-Wno-tsan", "-w"].map(String::from).into();
    program.extend(cxx.map(|path| path.display().to_string()));
    program.extend(["-ldl".to_string(), "-o".to_string(), out("soak")]);
    compile("c++", compiler, &program)?;
    let plugin = source.join("plugin.c").display().to_string();
    let plugin = ["-g", "-O1", "-shared", "-fPIC", &plugin, "-o", &out("plugin.so")].map(String::from);
    compile("cc", compiler, &plugin)?;
    Ok(Soak { compiler, folder })
}

fn compile(wrapper: &str, compiler: &str, arguments: &[String]) -> Step {
    let (variable, name) = match (wrapper, compiler) {
        ("cc", _) => ("DEADHEAT_CC", setup::newest(compiler)),
        (_, "gcc") => ("DEADHEAT_CXX", setup::newest("g++")),
        _ => ("DEADHEAT_CXX", setup::newest("clang++")),
    };
    eprintln!("$ {variable}={name} deadheat {wrapper} {}", arguments.join(" "));
    let deadheat = target().join("release/deadheat");
    let built = Command::new(deadheat).arg(wrapper).args(arguments).env(variable, name).status();
    let built = built.map_err(|e| format!("deadheat {wrapper}: {e}"))?;
    if built.success() {
        Ok(())
    } else {
        Err(format!("deadheat {wrapper} could not build the soak with {compiler}"))
    }
}

impl Soak {
    /// Runs it to its end and judges it.
    fn run(&self, seconds: u32) -> Step {
        let errors = self.folder.join("errors");
        let file = File::create(&errors).map_err(|e| format!("{}: {e}", errors.display()))?;
        let mut command = Command::new(self.folder.join("soak"));
        command.arg(self.folder.join("plugin.so")).args(["seconds", &seconds.to_string()]);
        command.env_remove("TSAN_OPTIONS").env_remove("DEADHEAT_OPTIONS");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(file);
        let mut child = command.spawn().map_err(|e| format!("the soak does not start: {e}"))?;
        let told = self.watch(&mut child);
        let ended = child.wait().map_err(|e| e.to_string())?;
        let wrong = |what: &str| format!("the soak with {}: {what}; see {}", self.compiler, errors.display());
        let told = told.map_err(|e| wrong(&e))?;
        if !ended.success() {
            return Err(wrong(&format!("ended with {ended}")));
        }
        let said = fs::read_to_string(&errors).map_err(|e| wrong(&e.to_string()))?;
        if !said.is_empty() {
            return Err(wrong("reported something"));
        }
        let Some(growth) = growth(&told, f64::from(seconds)) else {
            println!("{}: too short to say whether it grows: that takes some minutes", self.compiler);
            return Ok(());
        };
        println!("{}: {growth}", self.compiler);
        growth.judge().map_err(|e| wrong(&e))
    }

    /// Passes on what it prints, until it ends or no longer makes rounds.
    fn watch(&self, child: &mut Child) -> Result<Vec<Status>, String> {
        let lines = lines(child);
        let mut told: Vec<Status> = Vec::new();
        let mut without = Duration::ZERO;
        const LOOK: Duration = Duration::from_secs(1);
        loop {
            let line = match lines.recv_timeout(LOOK) {
                Ok(line) => line,
                Err(RecvTimeoutError::Disconnected) => return Ok(told),
                Err(RecvTimeoutError::Timeout) => {
                    without += LOOK;
                    if without >= PATIENCE {
                        stacks(child.id(), &self.folder);
                        let _ = child.kill();
                        return Err(format!("made no round in {} s", PATIENCE.as_secs()));
                    }
                    continue;
                }
            };
            println!("{}: {line}", self.compiler);
            let Some(status) = status(&line) else { continue };
            if told.last().is_none_or(|last| last.rounds < status.rounds) {
                without = Duration::ZERO;
            } else {
                without += LOOK;
            }
            told.push(status);
        }
    }
}

fn lines(child: &mut Child) -> Receiver<String> {
    let (sender, receiver) = channel();
    if let Some(output) = child.stdout.take() {
        thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
    }
    receiver
}

/// Writes where all threads of the process and of its children are, if there is a debugger.
fn stacks(process: u32, folder: &Path) {
    let children = Command::new("pgrep").args(["-P", &process.to_string()]).output();
    let children = children.map_or(String::new(), |o| String::from_utf8_lossy(&o.stdout).into_owned());
    for process in [process.to_string()].iter().map(String::as_str).chain(children.split_whitespace()) {
        let told =
            Command::new("gdb").args(["-batch", "-p", process, "-ex", "thread apply all backtrace"]).output();
        match told {
            Ok(told) => {
                let file = folder.join(format!("stacks-{process}"));
                println!("where process {process} hangs: {}", file.display());
                let _ = fs::write(file, told.stdout);
            }
            Err(e) => println!("no stacks of process {process}: gdb: {e}"),
        }
    }
}

/// `after 10 s: 2000 rounds, 70000 KiB`
fn status(line: &str) -> Option<Status> {
    let (seconds, rest) = line.strip_prefix("after ")?.split_once(" s: ")?;
    let (rounds, rest) = rest.split_once(" rounds, ")?;
    let kib = rest.strip_suffix(" KiB")?;
    Some(Status { seconds: seconds.parse().ok()?, rounds: rounds.parse().ok()?, kib: kib.parse().ok()? })
}

/// The largest size after the warm-up, and the largest late in the run.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Growth {
    early: u64,
    late: u64,
}

fn growth(told: &[Status], seconds: f64) -> Option<Growth> {
    let largest = |from: f64, to: f64| {
        let within = told.iter().filter(|s| (from..to).contains(&s.seconds));
        within.map(|s| s.kib).max()
    };
    let (warm, late) = ((seconds * WARM_UP).max(WARM), seconds * LATE);
    let early_end = warm + seconds * (1.0 - LATE);
    if early_end > late {
        return None;
    }
    Some(Growth { early: largest(warm, early_end)?, late: largest(late, f64::MAX)? })
}

impl Growth {
    fn judge(self) -> Step {
        let most = (self.early as f64 * GROWTH) as u64 + GROWTH_KIB;
        if self.late <= most { Ok(()) } else { Err(format!("grew: {self}, at most {most} KiB are allowed")) }
    }
}

impl std::fmt::Display for Growth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "at most {} KiB after the warm-up, {} KiB at the end", self.early, self.late)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_lines_are_understood() {
        assert_eq!(
            status("after 10 s: 2000 rounds, 70000 KiB"),
            Some(Status { seconds: 10.0, rounds: 2000, kib: 70000 })
        );
        assert_eq!(status("locks: 17"), None);
    }

    #[test]
    fn growth_is_told_from_noise() {
        let told = |late: u64| -> Vec<Status> {
            let at =
                |i: u64| Status { seconds: i as f64, rounds: i, kib: if i < 160 { 100 << 10 } else { late } };
            (0..200).map(at).collect()
        };
        assert!(growth(&told(110 << 10), 200.0).unwrap().judge().is_ok());
        assert!(growth(&told(120 << 10), 200.0).unwrap().judge().is_err());
        assert_eq!(growth(&[], 200.0), None);
        assert_eq!(growth(&told(120 << 10)[..20], 20.0), None, "all of it is warm-up");
    }
}
