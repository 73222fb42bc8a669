//! `--elide -flto`: all modules of a program are thinned out as one.
//!
//! Files are compiled to modules with all checks in them. The linker joins them, since nobody else knows what belongs together: which members of archives are used, which definition of a name counts, and what can be
//! local because neither machine code nor a library nor `dlsym` can get at it. It writes the module down (its plugin has an option for that, lld has it too) in place of going on. What is left of the checks becomes one object, which
//! is linked in place of the modules.
//!
//! The joined module is not optimised again, as it would be without `--elide`: functions are instrumented already, and one that is inlined then shows its caller's frame twice in reports.
//!
//! Where anything of that fails, the linker does what it does with `-flto` alone, and has the last word on what is wrong.

use super::build;
use super::child::Child;
use super::command_line::{CommandLine, Goal, Role, parts};
use super::elide::{Steps, note};
use super::lto;
use super::modules::Link;
use super::runtime::Runtime;
use crate::failure::{Failure, plain};
use deadheat_elide::Scope;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Output};

/// Options that begin so have modules go through passes of the linker before they can be machine code.
const PASSES: [&str; 4] =
    ["-fsanitize=cfi", "-fsplit-lto-unit", "-fvirtual-function-elimination", "-fwhole-program-vtables"];

/// What is linked with these is linked again.
const AGAIN: [&str; 3] = ["-r", "-Wl,-r", "-Wl,--relocatable"];

fn is_otherwise(word: &OsString) -> bool {
    word.to_str().is_some_and(|w| AGAIN.contains(&w) || PASSES.iter().any(|start| w.starts_with(start)))
}

/// A link of modules.
pub struct Whole<'a> {
    /// The build that it is the last step of.
    pub steps: &'a Steps<'a>,
    /// What programs are linked with.
    pub runtime: &'a Runtime,
    /// The words, without sources.
    pub words: &'a [OsString],
}

/// Why it has to be done without us; nobody needs to be told if there is nothing to do.
enum Stop {
    Because(String),
    NoModules,
    Trouble(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Trouble(failure)
    }
}

fn because(what: impl Into<String>) -> Stop {
    Stop::Because(what.into())
}

impl Whole<'_> {
    /// Links, with fewer checks if that can be done.
    pub fn link(&self) -> Result<ExitCode, Failure> {
        let reason = match self.try_link() {
            Ok(()) => return Ok(ExitCode::SUCCESS),
            Err(Stop::Trouble(failure)) => return Err(failure),
            Err(Stop::NoModules) => None,
            Err(Stop::Because(reason)) => Some(reason),
        };
        let end = Child::start(self.command(self.words)?)?.wait()?;
        if let Some(reason) = reason.filter(|_| end.success()) {
            note(&format!("{reason}: linked with all checks"));
        }
        Ok(end.code())
    }

    fn try_link(&self) -> Result<(), Stop> {
        if let Some(word) = self.words.iter().find(|word| is_otherwise(word)) {
            return Err(because(format!("--elide -flto does not go with {}", word.display())));
        }
        let [joined, text, object] = ["whole.bc", "whole.ll", "whole.o"].map(|n| self.steps.folder.join(n));
        let link =
            Link::without_modules(self.words, &object).map_err(Stop::Because)?.ok_or(Stop::NoModules)?;
        self.join(&joined)?;
        self.write(&joined, &text)?;
        let output = self.steps.line.output.as_deref().unwrap_or(OsStr::new("a.out"));
        if !self.steps.thin_out(output, &text, self.scope())? {
            return Err(Stop::NoModules);
        }
        self.compile(&text, &object)?;
        let ended = run(self.command(&link.words)?)?;
        if !ended.status.success() {
            return Err(because("what is left of the modules cannot be linked"));
        }
        let _ = std::io::stderr().write_all(&ended.stderr);
        Ok(())
    }

    fn scope(&self) -> Scope {
        if CommandLine::read(self.words).goal() == Goal::Program { Scope::Program } else { Scope::Library }
    }

    /// Has the linker join the modules.
    fn join(&self, joined: &Path) -> Result<(), Stop> {
        let kept = parts(self.words).into_iter().filter(|(role, _)| *role != Role::Output);
        let mut words: Vec<OsString> = kept.flat_map(|(_, part)| part.to_vec()).collect();
        // Newer lld writes the module down only when it has optimised it.
        words.extend(["-Wl,-plugin-opt=emit-llvm,-plugin-opt=O0", "-o"].map(OsString::from));
        words.push(joined.into());
        // What the linker has to say of the program, it says again at the end.
        let ended = run(self.command(&words)?)?;
        let mut start = [0; 2];
        let is_module =
            File::open(joined).and_then(|mut file| file.read_exact(&mut start)).is_ok() && &start == b"BC";
        match ended.status.success() && is_module {
            true => Ok(()),
            false => Err(because("the linker does not join the modules")),
        }
    }

    /// Has the module written as text.
    fn write(&self, joined: &Path, text: &Path) -> Result<(), Stop> {
        let mut command = self.clang();
        command.args(["-S", "-emit-llvm", "-x", "ir"]).arg(joined).arg("-o").arg(text);
        match run(command)?.status.success() {
            true => Ok(()),
            false => Err(because("clang does not read what the linker has joined")),
        }
    }

    /// Makes machine code of the text. Where it is going to be, the files do not say; it can be anywhere.
    fn compile(&self, text: &Path, object: &Path) -> Result<(), Stop> {
        let mut command = self.clang();
        let options = parts(self.words)
            .into_iter()
            .filter(|(role, part)| *role == Role::Option && !lto::is_about(&part[0]));
        command.args(options.flat_map(|(_, part)| part));
        if !self.steps.line.optimised {
            command.arg("-O2");
        }
        command.arg(if self.scope() == Scope::Program { "-fPIE" } else { "-fPIC" });
        // So that the linker can leave out what nobody uses, as it can with modules.
        command.args(["-ffunction-sections", "-fdata-sections"]);
        command.args(["-c", "-x", "ir"]).arg(text).arg("-o").arg(object);
        match run(command)?.status.success() {
            true => Ok(()),
            false => Err(because("the joined modules could not be compiled with fewer checks")),
        }
    }

    /// clang, which is not to run any pass.
    fn clang(&self) -> Command {
        let mut command = self.steps.compiler.command();
        command.args(["-w", "-Wno-unused-command-line-argument", "-Xclang", "-disable-llvm-passes"]);
        command
    }

    /// A link with the runtime.
    fn command(&self, words: &[OsString]) -> Result<Command, Failure> {
        build::command(self.steps.compiler, &CommandLine::read(words), words, self.runtime)
    }
}

fn run(mut command: Command) -> Result<Output, Failure> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.output().map_err(|e| Failure::new(format!("cannot run {name}: {}", plain(&e))))
}
