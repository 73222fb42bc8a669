//! A program of the corpus with the verdict written in its first lines.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// What a run of the program has to end in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No report at all.
    None,
    /// Reports whose title starts with this.
    Bug(&'static str),
}

/// The name of a verdict in a program, and how the title of its report starts.
const BUGS: &[(&str, &str)] = &[
    ("race", "data race"),
    ("vptr-race", "data race on vptr"),
    ("use-after-free", "heap-use-after-free"),
    ("lock-order-inversion", "lock-order-inversion"),
    ("thread-leak", "thread leak"),
    ("double-lock", "double lock of a mutex"),
    ("unlock-unlocked", "unlock of an unlocked mutex"),
    ("destroy-locked", "destroy of a locked mutex"),
    ("invalid-mutex", "use of an invalid mutex"),
    ("read-lock-of-write-locked", "read lock of a write locked mutex"),
    ("read-unlock-of-write-locked", "read unlock of a write locked mutex"),
    ("signal-unsafe", "signal-unsafe call inside of a signal"),
    ("spoiled-errno", "signal handler spoils errno"),
    ("object-race", "race on "),
    ("missed-race", "missed expected data race"),
];

impl Verdict {
    fn parse(name: &str) -> Option<Verdict> {
        if name == "none" {
            return Some(Verdict::None);
        }
        BUGS.iter().find(|(bug, _)| *bug == name).map(|(_, title)| Verdict::Bug(title))
    }

    /// Whether there is something to report.
    pub fn is_bug(self) -> bool {
        self != Verdict::None
    }
}

/// One side of a race: what was done, and on which line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Access {
    /// `read`, `write`, `atomic read`, `atomic write`.
    pub kind: String,
    pub line: usize,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on line {}", self.kind, self.line)
    }
}

/// What the stack of the access on a line has to be: the program's own functions, innermost first.
#[derive(Clone, Debug)]
pub struct ExpectedStack {
    pub line: usize,
    pub functions: Vec<String>,
}

/// How ThreadSanitizer is known to be wrong about a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// It stays silent about the bug.
    Misses,
    /// It reports what is none.
    FalseAlarm,
    /// It differs from run to run, crashes, or hangs: not judged.
    Unsteady,
}

impl Known {
    fn parse(text: &str) -> Option<Known> {
        let known =
            [("misses", Known::Misses), ("false alarm", Known::FalseAlarm), ("unsteady", Known::Unsteady)];
        known.into_iter().find(|(name, _)| text.starts_with(name)).map(|(_, known)| known)
    }
}

/// A program and everything its first lines say about it.
#[derive(Clone, Debug)]
pub struct Program {
    /// Theme and file name.
    pub name: String,
    pub path: PathBuf,
    pub verdict: Verdict,
    /// The pairs of accesses that race, each pair sorted.
    pub races: Vec<[Access; 2]>,
    pub stacks: Vec<ExpectedStack>,
    /// How many reports there have to be.
    pub reports: usize,
    /// The status that the program ends with when nothing is reported.
    pub exit: i32,
    /// What it has to write to standard output.
    pub prints: Option<String>,
    /// Compiler flags it needs.
    pub flags: Vec<String>,
    /// A second source, built as a shared object whose path is the program's only argument.
    pub plugin: Option<PathBuf>,
    /// The one compiler family that can build it.
    pub only: Option<String>,
    pub tsan_clang: Option<Known>,
    pub tsan_gcc: Option<Known>,
}

impl Program {
    /// Reads the program at `path`; what is wrong with its first lines ends the test with a message.
    pub fn read(theme: &str, path: &Path) -> Program {
        let file = path.file_name().and_then(|name| name.to_str()).expect("a program's name is text");
        let source = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Header { name: format!("{theme}/{file}"), path, source: &source }.parse()
    }

    /// Whether it is C++.
    pub fn is_cxx(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "cpp")
    }
}

/// The text of a program while its first lines are read.
struct Header<'a> {
    name: String,
    path: &'a Path,
    source: &'a str,
}

impl Header<'_> {
    fn parse(self) -> Program {
        let verdict = self.one("verdict").unwrap_or_else(|| self.wrong("no verdict"));
        let verdict = Verdict::parse(verdict).unwrap_or_else(|| self.wrong("an unknown verdict"));
        let races: Vec<[Access; 2]> = self.all("race").map(|text| self.race(text)).collect();
        if verdict == Verdict::Bug("data race") && races.is_empty() {
            self.wrong("a race, but not between what");
        }
        let default_reports = if verdict.is_bug() { races.len().max(1) } else { 0 };
        let both = self.known("tsan");
        Program {
            verdict,
            races,
            stacks: self.all("stack").map(|text| self.stack(text)).collect(),
            reports: self.number("reports").unwrap_or(default_reports),
            exit: self.number("exit").unwrap_or(0),
            prints: self.one("prints").map(str::to_string),
            flags: self.all("needs").flat_map(str::split_whitespace).map(flag).collect(),
            plugin: self.plugin(),
            only: self.one("only").map(|text| text.split_whitespace().next().unwrap_or("").to_string()),
            tsan_clang: self.known("tsan-clang").or(both),
            tsan_gcc: self.known("tsan-gcc").or(both),
            path: self.path.to_path_buf(),
            name: self.name,
        }
    }

    /// The values of a directive, in order.
    fn all<'b>(&'b self, key: &'b str) -> impl Iterator<Item = &'b str> {
        let lines = self.source.lines().map_while(|line| line.strip_prefix("//"));
        lines.filter_map(move |line| line.trim().strip_prefix(key)?.strip_prefix(':').map(str::trim))
    }

    fn one<'b>(&'b self, key: &'b str) -> Option<&'b str> {
        self.all(key).next()
    }

    fn number<N: std::str::FromStr>(&self, key: &str) -> Option<N> {
        self.one(key)
            .map(|text| text.parse().unwrap_or_else(|_| self.wrong(&format!("`{key}` is no number"))))
    }

    fn known(&self, key: &str) -> Option<Known> {
        let text = self.one(key)?;
        Some(Known::parse(text).unwrap_or_else(|| self.wrong(&format!("`{key}: {text}` is not understood"))))
    }

    /// `write A, read B`: two accesses by their markers.
    fn race(&self, text: &str) -> [Access; 2] {
        let sides: Vec<Access> = text.split(", ").map(|side| self.access(side)).collect();
        let mut pair: [Access; 2] = sides.try_into().unwrap_or_else(|_| self.wrong("a race has two sides"));
        pair.sort();
        pair
    }

    fn access(&self, side: &str) -> Access {
        let (kind, marker) =
            side.rsplit_once(' ').unwrap_or_else(|| self.wrong("a side is a kind and a marker"));
        if !["read", "write", "atomic read", "atomic write"].contains(&kind) {
            self.wrong(&format!("`{kind}` is no kind of access"));
        }
        Access { kind: kind.to_string(), line: self.line(marker) }
    }

    /// `A inner outer`: a marker and the functions around it.
    fn stack(&self, text: &str) -> ExpectedStack {
        let mut words = text.split_whitespace();
        let line = self.line(words.next().unwrap_or_else(|| self.wrong("a stack has a marker")));
        ExpectedStack { line, functions: words.map(str::to_string).collect() }
    }

    /// The line of the marker `/* NAME */`, counted from 1, in the program or in its plugin.
    fn line(&self, marker: &str) -> usize {
        let written = format!("/* {marker} */");
        let of = |source: &str| {
            let mut lines = source.lines().enumerate().filter(|(_, line)| line.contains(&written));
            lines.next().filter(|_| lines.next().is_none()).map(|(index, _)| index + 1)
        };
        let in_plugin = || of(&fs::read_to_string(self.plugin()?).ok()?);
        let line = of(self.source).or_else(in_plugin);
        line.unwrap_or_else(|| self.wrong(&format!("the marker {written} has to be on one line")))
    }

    fn plugin(&self) -> Option<PathBuf> {
        self.one("plugin").map(|file| self.path.with_file_name(file))
    }

    fn wrong(&self, what: &str) -> ! {
        panic!("{}: {what}", self.name)
    }
}

/// `c++20` is short for the flag that asks for it.
fn flag(need: &str) -> String {
    if need.starts_with("c++") { format!("-std={need}") } else { need.to_string() }
}
