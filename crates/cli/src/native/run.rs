//! `deadheat run`: builds if it is given sources, runs, and makes what was asked for of what the runtime found.

use super::args::{Run, RunOptions};
use super::build;
use super::child::{Child, End};
use super::command_line::{CommandLine, Goal};
use super::compiler::{self, Compiler, Language};
use super::program::Program;
use super::results::Results;
use super::runtime::Runtime;
use super::settings::{Settings, VARIABLE};
use super::words::{Subject, program_name};
use crate::failure::{Failure, plain};
use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use tempfile::TempDir;

/// Why there is no run: what clap has to say, or we.
pub enum Refusal {
    /// The options are wrong.
    Usage(Box<clap::Error>),
    /// Something else is.
    Failure(Failure),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        Refusal::Failure(failure)
    }
}

/// Runs what the arguments say.
pub fn run(args: Run) -> Result<ExitCode, Refusal> {
    let (options, subject) = Subject::of(args).map_err(|e| Refusal::Usage(Box::new(e)))?;
    // All folders are gone before we end as the program did, which may be by a signal.
    Ok(run_subject(&options, subject)?.code())
}

fn run_subject(options: &RunOptions, subject: Subject) -> Result<End, Failure> {
    let mut settings = Settings::of(options)?;
    if let Some(file) = &options.suppressions {
        std::fs::metadata(file).map_err(|e| Failure::at(file.display(), plain(&e)))?;
    }
    let results = Results::prepare(options, &mut settings)?;
    let runtime = Runtime::unpack()?;
    let (mut command, built) = match subject {
        Subject::Sources { words, args } => {
            let built = Built::from(&words, options, &runtime)?;
            (with_args(&built.program, &args), Some(built))
        }
        Subject::Program { program, args } => {
            let path = locate(&program)?;
            let mut command = with_args(&path, &args);
            if Program::inspect(&path)?.check(&path)?.may_load_ours() {
                command.env("LD_LIBRARY_PATH", library_path(&runtime));
            }
            (command, None)
        }
    };
    if let Some(value) = settings.value() {
        command.env(VARIABLE, value);
    }
    // Nothing to do afterwards: the program takes our place.
    if results.is_none() && !built.as_ref().is_some_and(Built::is_passing) && !runtime.is_passing() {
        let error = command.exec();
        return Err(Failure::new(format!(
            "cannot run {}: {}",
            command.get_program().display(),
            plain(&error)
        )));
    }
    let end = Child::start(command)?.wait()?;
    results.map_or(Ok(()), Results::finish)?;
    Ok(end)
}

fn with_args(program: &Path, args: &[OsString]) -> Command {
    let mut command = Command::new(program);
    command.args(args);
    command
}

/// The file of that program: in this folder, or where the shell would look.
fn locate(program: &OsStr) -> Result<PathBuf, Failure> {
    let here = Path::new(".").join(program);
    let direct = if Path::new(program).components().count() > 1 { PathBuf::from(program) } else { here };
    if direct.is_file() {
        return Ok(direct);
    }
    compiler::find(program).ok_or_else(|| {
        Failure::new(format!("{}: there is no such program, and it is no source file", program.display()))
    })
}

/// Our shared library first. What the program starts in turn is not changed by that, unless it loads such a library too.
fn library_path(runtime: &Runtime) -> OsString {
    let mut path = runtime.folder().as_os_str().to_owned();
    if let Some(others) = env::var_os("LD_LIBRARY_PATH").filter(|others| !others.is_empty()) {
        path.push(":");
        path.push(others);
    }
    path
}

/// A program that we built.
struct Built {
    program: PathBuf,
    /// Where it is until the run is over, if it does not stay.
    folder: Option<TempDir>,
}

impl Built {
    fn from(words: &[OsString], options: &RunOptions, runtime: &Runtime) -> Result<Built, Failure> {
        let line = CommandLine::read(words);
        let name = program_name(&line)?;
        if matches!(line.goal(), Goal::Objects | Goal::Part) {
            return Err(Failure::new(
                "these flags do not make a program that could be run; deadheat cc takes them",
            ));
        }
        let compiler = choose(options, line.language())?;
        let (program, folder) = place(&name, &line, options)?;
        let mut command = build::command(&compiler, &line, words, runtime)?;
        command.arg("-pthread").arg("-o").arg(&program);
        if !line.optimised {
            command.arg("-O1");
        }
        match Child::start(command)?.wait()?.success() {
            true => Ok(Built { program, folder }),
            false => Err(Failure::new(format!("{} could not build the program", compiler.name()))),
        }
    }

    fn is_passing(&self) -> bool {
        self.folder.is_some()
    }
}

/// Where the program goes: where the user wants to keep it, or where it is out of the way.
fn place(
    name: &OsStr,
    line: &CommandLine,
    options: &RunOptions,
) -> Result<(PathBuf, Option<TempDir>), Failure> {
    if let Some(kept) = options.keep.clone().or(line.output.clone().map(PathBuf::from)) {
        // With a folder in its name: the shell would look for it elsewhere.
        return Ok((Path::new(".").join(kept), None));
    }
    let folder = TempDir::with_prefix("deadheat-")
        .map_err(|e| Failure::new(format!("cannot make a temporary folder: {}", plain(&e))))?;
    Ok((folder.path().join(name), Some(folder)))
}

/// The compiler: named on the command line or in the environment, or the best there is.
fn choose(options: &RunOptions, language: Language) -> Result<Compiler, Failure> {
    if let Some(name) = &options.compiler {
        return Compiler::named(name, language);
    }
    let variable = if language == Language::C { "CC" } else { "CXX" };
    // In a build that goes through `deadheat cc` it names us.
    let is_us = |name: &OsString| {
        name.to_string_lossy().split_whitespace().any(|w| w.rsplit('/').next() == Some("deadheat"))
    };
    match env::var_os(variable).filter(|name| !name.is_empty() && !is_us(name)) {
        Some(name) => Compiler::named(&name, Language::C),
        None => Compiler::find(language),
    }
}
