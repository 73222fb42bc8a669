//! `bench compile`: what it takes to compile the programs with `--elide`, beside `deadheat cc` alone.
//!
//! Each program is built once, by the compiler alone, while every command of its build is written down. Those that compile a source are then repeated
//! with each tool in turn, file by file; linking, `configure` and `make` are not in the numbers. Of each file and tool the best round counts.

use super::build::Builder;
use super::options::Options;
use super::programs::{PROGRAMS, Program};
use super::table::{aligned, geomean};
use super::tools::{Build, Compilers, compilers};
use super::{LIMIT, Sources};
use crate::measure::{End, wait};
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What is compared, the first with the others.
const TOOLS: [Build; 3] = [Build::Deadheat, Build::Elided("coalesce"), Build::Elided("inline")];

/// Where a build's commands are written down, in its folder.
const COMMANDS: &str = "commands";

/// A command of a build: where it is run, and the words behind the compiler's name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Compilation {
    folder: PathBuf,
    cxx: bool,
    words: Vec<String>,
}

/// A program's processor time with each of the tools.
type Row = (&'static str, [f64; TOOLS.len()]);

/// Measures with that binary: results go into one folder, builds stay in the other.
pub fn run(deadheat: &Path, out: &Path, cache: &Path, options: &[&str]) -> Result<(), Box<dyn Error>> {
    let options = Options::parse(options)?;
    fs::create_dir_all(out)?;
    fs::create_dir_all(cache)?;
    let (deadheat, cache) = (fs::canonicalize(deadheat)?, fs::canonicalize(cache)?);
    let mut sources = Sources::new(&cache);
    let builder = Builder { cache: cache.clone(), sources: sources.unpacked.clone() };
    let mut tools = Vec::new();
    for build in TOOLS {
        tools.push(compilers(build, &deadheat)?);
    }
    let mut rows: Vec<Row> = Vec::new();
    for program in PROGRAMS.iter().filter(|p| options.wants_program(p.name)) {
        if let Some(e) = program.packages.iter().find_map(|package| sources.fetch(package).err()) {
            eprintln!("note: {} is left out: {e}", program.name);
            continue;
        }
        let all = recorded(&builder, program)?;
        println!("{}: {} files", program.name, all.len());
        rows.push((program.name, times(&all, &tools, options.repeats, &cache.join("compile.o"))?));
        // After each, so that an interrupted run is not lost.
        fs::write(out.join("compile.txt"), table(&rows))?;
    }
    println!("\n{}", table(&rows));
    println!("{}, -O2 -g, -c only, best of {} rounds.", tools[0].version, options.repeats);
    println!("The table is in {}.", out.join("compile.txt").display());
    Ok(())
}

/// `record FILE cc|c++ COMPILER WORDS...`: writes the words down, and becomes the compiler.
pub fn record(file: &Path, language: &str, command: &[&str]) -> Result<(), Box<dyn Error>> {
    let (compiler, words) = command.split_first().ok_or("no compiler")?;
    let folder = std::env::current_dir()?.display().to_string();
    let line = [&[folder.as_str(), language], words].concat().join("\0") + "\n";
    File::options().create(true).append(true).open(file)?.write_all(line.as_bytes())?;
    Err(Command::new(compiler).args(words).exec().into())
}

/// Builds the program, unless that is done, and gives the compilations of it.
fn recorded(builder: &Builder, program: &Program) -> Result<Vec<Compilation>, Box<dyn Error>> {
    let native = compilers(Build::Native, Path::new(""))?;
    let file = builder.folder(program, Build::Recorded).join(COMMANDS);
    let record = format!("{} record {}", std::env::current_exe()?.display(), file.display());
    let recording = Compilers {
        c: format!("{record} cc {}", native.c),
        cxx: format!("{record} c++ {}", native.cxx),
        ..native
    };
    builder.build(program, Build::Recorded, &recording, None)?;
    Ok(fs::read_to_string(file)?.lines().filter_map(Compilation::read).collect())
}

impl Compilation {
    /// Reads a command. None if it compiles nothing that is still there, as the tests of a `configure` are not.
    fn read(line: &str) -> Option<Compilation> {
        let mut words = line.split('\0').map(String::from);
        let (folder, cxx) = (PathBuf::from(words.next()?), words.next()? == "c++");
        let words: Vec<String> = words.collect();
        let is_source = |word: &String| {
            let is_named = [".c", ".cc", ".cpp"].iter().any(|end| word.ends_with(end));
            is_named && !word.starts_with('-') && folder.join(word).exists()
        };
        let is_other = words.iter().any(|word| ["-E", "-S", "-M", "-MM"].contains(&word.as_str()));
        (words.iter().any(is_source) && !is_other).then_some(Compilation { folder, cxx, words })
    }

    /// The words that make an object of it there.
    fn words_for(&self, object: &Path) -> Vec<String> {
        let mut words = Vec::new();
        let mut from = self.words.iter();
        while let Some(word) = from.next() {
            match word.as_str() {
                "-o" => drop(from.next()),
                "-c" => {}
                _ => words.push(word.clone()),
            }
        }
        words.extend(["-w".into(), "-c".into(), "-o".into(), object.display().to_string()]);
        words
    }

    /// The processor time that the compiler and all that it starts take for it.
    fn time(&self, with: &Compilers, object: &Path) -> io::Result<f64> {
        let compiler = if self.cxx { &with.cxx } else { &with.c };
        let mut compiler = compiler.split(' ');
        let mut command = Command::new(compiler.next().unwrap_or_default());
        command.args(compiler).args(self.words_for(object)).current_dir(&self.folder);
        command.envs(with.environment.iter().map(|(name, value)| (name, value)));
        let started = Instant::now();
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        match wait(&mut child, started, LIMIT)? {
            (End::Status(0), usage) => Ok(usage.seconds),
            (end, _) => Err(io::Error::other(format!("{command:?} ended with {end:?}"))),
        }
    }
}

/// The sum of the best rounds of each file, for each of the tools.
fn times(
    all: &[Compilation],
    tools: &[Compilers],
    rounds: usize,
    object: &Path,
) -> io::Result<[f64; TOOLS.len()]> {
    let mut best = vec![[f64::INFINITY; TOOLS.len()]; all.len()];
    for _ in 0..rounds {
        for (one, best) in all.iter().zip(&mut best) {
            for (tool, best) in tools.iter().zip(best) {
                *best = best.min(one.time(tool, object)?);
            }
        }
    }
    Ok(std::array::from_fn(|tool| best.iter().map(|times| times[tool]).sum()))
}

fn table(rows: &[Row]) -> String {
    let head = ["program", "no --elide, s", "coalesce", "inline"].map(String::from).into();
    let ratio = |times: &[f64; TOOLS.len()], tool: usize| times[tool] / times[0];
    let row = |name: &str, first: String, ratio: &dyn Fn(usize) -> f64| {
        let ratios = (1..TOOLS.len()).map(|tool| format!("{:.2}", ratio(tool)));
        [name.to_owned(), first].into_iter().chain(ratios).collect::<Vec<String>>()
    };
    let mut all: Vec<Vec<String>> = rows
        .iter()
        .map(|(name, times)| row(name, format!("{:.2}", times[0]), &|tool| ratio(times, tool)))
        .collect();
    let mean = |tool| geomean(rows.iter().map(|(_, times)| ratio(times, tool))).unwrap_or(f64::NAN);
    all.push(row("geometric mean", String::new(), &mean));
    let sums = std::array::from_fn(|tool| rows.iter().map(|(_, times)| times[tool]).sum());
    all.push(row("all together", format!("{:.2}", sums[0]), &|tool| ratio(&sums, tool)));
    aligned(head, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_is_there_is_compiled() {
        let folder = env!("CARGO_MANIFEST_DIR");
        let read = |words: &str| Compilation::read(&format!("{folder}\0cc\0{}", words.replace(' ', "\0")));
        let words = |words: &str| read(words).map(|one| one.words_for(Path::new("x.o")).join(" "));
        let compiled = Some("-O2 programs/sor.c -lm -w -c -o x.o".to_owned());
        assert_eq!(words("-O2 -c programs/sor.c -lm -o sor.o"), compiled);
        assert_eq!(words("-O2 programs/sor.c -o sor.bin -lm"), compiled);
        for other in ["-c conftest.c -o conftest.o", "-E programs/sor.c", "sor.o -o sor.bin"] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn ratios_by_program_and_of_all() {
        let expected = "\
program         no --elide, s  coalesce  inline
sor                      1.00      1.00    2.00
zstd                     9.00      1.00    0.50
geometric mean                     1.00    1.00
all together            10.00      1.00    0.65
";
        assert_eq!(table(&[("sor", [1.0, 1.0, 2.0]), ("zstd", [9.0, 9.0, 4.5])]), expected);
    }
}
