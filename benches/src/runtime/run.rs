//! One run of one program under one tool: what it took, what it put out, what the tool said.

use super::build::Builder;
use super::input;
use super::programs::{Kind, Program, Scale, THREADS};
use super::servers;
use super::tools::{Build, Purpose, Tool};
use crate::measure::{End, Usage, wait};
use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io::{self, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What a run gave.
#[derive(Debug)]
pub struct Outcome {
    pub usage: Usage,
    /// Equal to the native run's if the tool left the program alone.
    pub output: String,
    /// What went to stderr.
    pub said: String,
}

impl Outcome {
    /// How many data races the tool reported: TSan's and Deadheat's words, Helgrind's, DRD's.
    pub fn races(&self) -> usize {
        let report = |line: &&str| {
            (line.contains("WARNING:") && line.contains("data race"))
                || line.contains("Possible data race during")
                || line.contains("Conflicting ")
        };
        self.said.lines().filter(report).count()
    }
}

/// Runs programs.
pub struct Runner {
    pub builder: Builder,
    /// Files of a run, gone before the next.
    pub scratch: PathBuf,
    /// Generated inputs, kept.
    pub inputs: PathBuf,
}

impl Runner {
    /// Runs the program; an error says why there is no result.
    pub fn run(
        &self,
        program: &Program,
        tool: &Tool,
        scale: Scale,
        purpose: Purpose,
        limit: Duration,
    ) -> Result<Outcome, String> {
        let outcome = self.fresh_scratch().and_then(|()| self.dispatch(program, tool, scale, purpose, limit));
        outcome.map_err(|e| e.to_string())
    }

    fn dispatch(
        &self,
        program: &Program,
        tool: &Tool,
        scale: Scale,
        purpose: Purpose,
        limit: Duration,
    ) -> io::Result<Outcome> {
        let mut command = self.command(program, tool, purpose)?;
        match program.kind {
            Kind::Port(sizes) => command.args([THREADS.to_string(), sizes.at(scale).to_string()]),
            Kind::InFolder(sizes) => command
                .args([THREADS.to_string(), sizes.at(scale).to_string()])
                .arg(self.scratch.join("folder")),
            Kind::Packer { pack, kib, .. } => {
                command.args(pack).stdin(File::open(input::file(&self.inputs, kib.at(scale))?)?)
            }
            Kind::Memcached(sizes) => {
                let batches = sizes.at(scale) as usize;
                return self.serve(limit, |limit| servers::memcached(&mut command, batches, limit));
            }
            Kind::Redis(sizes) => {
                let load = self.builder.binary(program, Build::Native).with_file_name("redis-benchmark");
                let requests = sizes.at(scale);
                return self.serve(limit, |limit| servers::redis(&mut command, &load, requests, limit));
            }
        };
        let started = Instant::now();
        let ended = wait(&mut spawn(&mut command)?, started, limit)?;
        let output = match program.kind {
            Kind::Packer { .. } => digest(&self.scratch.join("out"))?,
            _ => fs::read_to_string(self.scratch.join("out"))?,
        };
        self.outcome(ended, output)
    }

    fn serve(
        &self,
        limit: Duration,
        serve: impl FnOnce(Duration) -> io::Result<(End, Usage, String)>,
    ) -> io::Result<Outcome> {
        match serve(limit) {
            Ok((end, usage, output)) => self.outcome((end, usage), output),
            Err(e) => Err(io::Error::other(format!("{e}{}", self.last_words()))),
        }
    }

    fn outcome(&self, (end, usage): (End, Usage), output: String) -> io::Result<Outcome> {
        let said = String::from_utf8_lossy(&fs::read(self.scratch.join("err"))?).to_string();
        match end {
            End::Status(0 | 66) => Ok(Outcome { usage, output, said }),
            End::TooLong => Err(io::Error::other(format!("not done after {:.0} s", usage.wall))),
            End::Status(status) => Err(io::Error::other(format!("status {status}{}", self.last_words()))),
            End::Signal(signal) => Err(io::Error::other(format!("signal {signal}{}", self.last_words()))),
        }
    }

    /// The last line of stderr, for messages.
    fn last_words(&self) -> String {
        let said = fs::read(self.scratch.join("err")).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        said.lines().rfind(|line| !line.trim().is_empty()).map_or(String::new(), |line| format!(": {line}"))
    }

    /// The native packer gives the input back.
    pub fn check_unpacks(&self, program: &Program, scale: Scale, limit: Duration) -> Result<(), String> {
        let Kind::Packer { unpack, kib, .. } = program.kind else { return Ok(()) };
        let native = Tool::named("native");
        self.run(program, &native, scale, Purpose::Time, limit)?;
        let again = || -> io::Result<bool> {
            let packed = self.scratch.join("packed");
            fs::rename(self.scratch.join("out"), &packed)?;
            let mut command = self.command(program, &native, Purpose::Time)?;
            let started = Instant::now();
            let mut child = spawn(command.args(unpack).stdin(File::open(packed)?))?;
            let (end, _) = wait(&mut child, started, limit)?;
            let input = input::file(&self.inputs, kib.at(scale))?;
            Ok(end == End::Status(0) && digest(&self.scratch.join("out"))? == digest(&input)?)
        };
        match again() {
            Ok(true) => Ok(()),
            Ok(false) => Err("what it unpacks is not what it packed".into()),
            Err(e) => Err(e.to_string()),
        }
    }

    /// The program under the tool, its output going to files.
    fn command(&self, program: &Program, tool: &Tool, purpose: Purpose) -> io::Result<Command> {
        let binary = self.builder.binary(program, tool.build);
        let mut command = match tool.valgrind {
            None => Command::new(binary),
            Some(name) => {
                let mut command = Command::new("valgrind");
                command.arg(format!("--tool={name}")).arg("--quiet").arg(binary);
                command
            }
        };
        command
            .env_remove("TSAN_OPTIONS")
            .env_remove("DEADHEAT_OPTIONS")
            .envs(tool.environment(purpose))
            .current_dir(&self.scratch)
            .stdin(Stdio::null())
            .stdout(File::create(self.scratch.join("out"))?)
            .stderr(File::create(self.scratch.join("err"))?);
        Ok(command)
    }

    fn fresh_scratch(&self) -> io::Result<()> {
        if self.scratch.exists() {
            fs::remove_dir_all(&self.scratch)?;
        }
        fs::create_dir_all(&self.scratch)
    }
}

/// Starts the command at the same addresses every time, where the system lets us: older TSans need it on a system that
/// spreads addresses widely, and it takes one source of noise away from all alike.
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    let fixed_addresses = || {
        // SAFETY: personality(2) takes a number and is only a system call; a refusal changes nothing.
        unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
        Ok(())
    };
    // SAFETY: the closure only makes one system call, which is allowed between fork and exec.
    unsafe { command.pre_exec(fixed_addresses) }.spawn()
}

/// Length and hash of a file, read piece by piece: a large benchmark process would show in its children's peak memory.
fn digest(file: &Path) -> io::Result<String> {
    let mut reader = BufReader::new(File::open(file)?);
    let (mut hasher, mut length, mut piece) = (DefaultHasher::new(), 0, [0; 1 << 13]);
    loop {
        // Whole pieces only, so that the hash does not depend on how the reads fell.
        let n = fill(&mut reader, &mut piece)?;
        piece[..n].hash(&mut hasher);
        length += n;
        if n < piece.len() {
            return Ok(format!("{length} bytes, hash {:016x}", hasher.finish()));
        }
    }
}

fn fill(reader: &mut impl Read, piece: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < piece.len() {
        match reader.read(&mut piece[filled..])? {
            0 => break,
            n => filled += n,
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_every_tool_are_counted() {
        let said = "WARNING: ThreadSanitizer: data race (pid=1)\nWARNING: ThreadSanitizer: thread leak (pid=1)\n\
                    ==1== Possible data race during read of size 8\n==1== Conflicting store by thread 2\nother words\n";
        let outcome = Outcome { usage: Usage::default(), output: String::new(), said: said.into() };
        assert_eq!(outcome.races(), 3);
    }

    #[test]
    fn a_digest_tells_files_apart() {
        let file = std::env::temp_dir().join(format!("deadheat-bench-digest-{}", std::process::id()));
        let of = |bytes: &[u8]| {
            fs::write(&file, bytes).unwrap();
            digest(&file).unwrap()
        };
        let (long, other, short) = (of(&[1; 20_000]), of(&[2; 20_000]), of(&[1; 8192]));
        assert!(long.starts_with("20000 bytes") && short.starts_with("8192 bytes"));
        assert!(long != other && of(&[1; 20_000]) == long);
        fs::remove_file(&file).unwrap();
    }
}
