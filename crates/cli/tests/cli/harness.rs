//! A folder with files, and the program run in it.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The program.
pub const BIN: &str = env!("CARGO_BIN_EXE_deadheat");

/// A bank with one clerk who locks and one who does not.
pub const BANK: &str = "\
main|fork(T1)|bank.c:10
main|fork(T2)|bank.c:11
T1|acq(m)|bank.c:29
T1|r(counter)|bank.c:30
T1|w(counter)|bank.c:31
T1|rel(m)|bank.c:32
T2|r(counter)|bank.c:40
T2|w(counter)|bank.c:41
main|join(T1)|bank.c:12
main|join(T2)|bank.c:13
main|r(counter)|bank.c:14
";

/// Ordered by fork and join alone, without a lock.
pub const FORK_JOIN: &str = "\
main|w(x)|a.c:1
main|fork(T1)|a.c:2
T1|w(x)|a.c:3
main|join(T1)|a.c:4
main|w(x)|a.c:5
";

/// What a run came to.
#[derive(Debug)]
pub struct Ran {
    /// The exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// Standard output as it is.
    pub bytes: Vec<u8>,
}

impl Ran {
    fn new(output: std::process::Output) -> Ran {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        Ran { status: output.status.code(), stdout, stderr, bytes: output.stdout }
    }

    /// Ended with that status.
    #[track_caller]
    pub fn status(self, expected: i32) -> Ran {
        assert_eq!(self.status, Some(expected), "{self:#?}");
        self
    }

    /// Ended with status 2 and that one line on standard error.
    #[track_caller]
    pub fn fails(self, line: &str) -> Ran {
        assert_eq!(self.one_line(), line);
        self
    }

    /// The one line about what is wrong.
    #[track_caller]
    pub fn one_line(&self) -> &str {
        assert_eq!(self.status, Some(2), "{self:#?}");
        let line = self.stderr.strip_prefix("deadheat: ").and_then(|rest| rest.strip_suffix('\n'));
        let line = line.unwrap_or_else(|| panic!("not a message: {self:#?}"));
        assert!(!line.contains(char::is_control) && line.chars().count() < 400, "{self:#?}");
        line
    }

    /// Standard output, which has to be JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {self:#?}"))
    }
}

/// A folder in which the program runs.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(TempDir::new().unwrap())
    }

    /// A folder with that one file.
    pub fn with(name: &str, contents: impl AsRef<[u8]>) -> Folder {
        let folder = Folder::new();
        folder.write(name, contents);
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        fs::write(self.path(name), contents).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// The program, to be run here with those words.
    pub fn command(&self, args: &str) -> Command {
        self.prepare(BIN, args.split_whitespace())
    }

    /// The same with at most so many mebibytes of address space; what asks for more is aborted.
    pub fn confined(&self, mib: u64, args: &str) -> Command {
        let script = format!("ulimit -v {}; exec \"$0\" \"$@\"", mib << 10);
        let words = ["-c", &script, BIN].into_iter().chain(args.split_whitespace());
        self.prepare("sh", words)
    }

    fn prepare<'a>(&self, program: impl AsRef<OsStr>, args: impl Iterator<Item = &'a str>) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.0.path()).stdin(Stdio::null());
        command
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .env_remove("CLICOLOR")
            .env("TERM", "xterm");
        for name in ["CC", "CXX", "DEADHEAT_CC", "DEADHEAT_CXX", "DEADHEAT_OPTIONS", "TSAN_OPTIONS"] {
            command.env_remove(name);
        }
        command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
        command
    }

    /// Runs the program.
    pub fn run(&self, args: &str) -> Ran {
        run(self.command(args))
    }

    /// Runs the program on that standard input.
    pub fn pipe(&self, args: &str, input: impl Read + Send + 'static) -> Ran {
        pipe(self.command(args), input)
    }
}

/// Runs a command to its end.
pub fn run(mut command: Command) -> Ran {
    Ran::new(command.output().unwrap())
}

/// Runs a command on that standard input, which it need not read to the end.
pub fn pipe(mut command: Command, mut input: impl Read + Send + 'static) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || io::copy(&mut input, &mut stdin).is_ok());
    let output = child.wait_with_output().unwrap();
    // A broken pipe is fine.
    let _ = feeder.join().unwrap();
    Ran::new(output)
}

/// Packed with gzip.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    flate2::read::GzEncoder::new(bytes, flate2::Compression::default()).read_to_end(&mut packed).unwrap();
    packed
}

/// Packed with zstd.
pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}
