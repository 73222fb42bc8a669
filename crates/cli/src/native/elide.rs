//! `--elide`: clang in two steps, with fewer checks in between.
//!
//! The first step is clang's own, up to the module as text: all optimisations and the instrumentation are in it. The second makes machine code of what `deadheat_elide` has left,
//! without running any pass again (or, with `-flto=thin`, a module for the linker: clang instruments before that). With `-flto` that is done when linking, with all modules in one (`whole`).
//! Whatever does not fit this way is compiled as without `--elide`, which is only slower.

use super::build;
use super::child::Child;
use super::command_line::{CommandLine, Goal, Kind, Role, kind, parts};
use super::compiler::{Compiler, Family};
use super::lto::{self, Lto};
use super::response::expand;
use super::runtime::Runtime;
use super::whole::Whole;
use crate::failure::{Failure, plain};
use deadheat_elide::{Level, Scope, Stats};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use tempfile::TempDir;

/// The level, for builds whose command lines cannot be changed.
const VARIABLE: &str = "DEADHEAT_ELIDE";

/// What was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    level: Level,
    stats: bool,
}

impl Options {
    /// Takes our options out of the words for the compiler.
    pub fn take(words: &[OsString]) -> Result<(Options, Vec<OsString>), Failure> {
        let unknown = |name: &str| {
            let names = Level::ALL.map(Level::name).join(", ");
            Failure::new(format!("there is no --elide={name}; it is one of {names}"))
        };
        let named = |name: &str| Level::named(name).ok_or_else(|| unknown(name));
        let level = match std::env::var(VARIABLE) {
            Ok(name) if !name.is_empty() => named(&name)?,
            _ => Level::Off,
        };
        let mut options = Options { level, stats: false };
        let mut others = Vec::new();
        for word in words {
            match word.to_str() {
                Some("--elide") => options.level = Level::default(),
                Some("--elide-stats") => options.stats = true,
                Some(text) if text.starts_with("--elide=") => {
                    options.level = named(&text["--elide=".len()..])?
                }
                _ => others.push(word.clone()),
            }
        }
        Ok((options, others))
    }
}

/// Options with which a module as text is not all that comes of compiling, or not what is to come of it.
const OTHERWISE: [&str; 12] = [
    "-emit-llvm",
    "-save-temps",
    "--save-temps",
    "-gsplit-dwarf",
    "--coverage",
    "-coverage",
    "-fprofile-arcs",
    "-ftest-coverage",
    "-fembed-bitcode",
    "-m32",
    "--target",
    "-fno-integrated-as",
];

fn is_otherwise(word: &OsString) -> bool {
    word.to_str().is_some_and(|word| OTHERWISE.iter().any(|option| word.starts_with(option)))
}

/// Compiles with fewer checks, and links if that is asked for. None if it has to be done as usual.
pub fn compile(
    compiler: &Compiler,
    words: &[OsString],
    runtime: &Runtime,
    options: Options,
) -> Result<Option<ExitCode>, Failure> {
    if options.level == Level::Off {
        return Ok(None);
    }
    let (mut words, line) = (expand(words), CommandLine::read(words));
    if matches!(line.goal(), Goal::Nothing | Goal::StaticProgram) {
        return Ok(None);
    }
    let (links, asked) = (line.goal() != Goal::Objects, Lto::asked(&words));
    let is_ours = line.compiles() || (links && asked == Lto::Full);
    if !is_ours {
        return Ok(None);
    }
    if compiler.family == Family::Gcc {
        if line.compiles() {
            note("--elide needs clang: built with all checks");
        }
        return Ok(None);
    }
    if let Some(word) = words.iter().find(|word| is_otherwise(word)) {
        note(&format!("--elide does not go with {}: built with all checks", word.display()));
        return Ok(None);
    }
    if Job::of(&words, &line).is_none() {
        return Ok(None);
    }
    let mut joins = asked == Lto::Full;
    if joins && let Some(plugin) = lto::missing_plugin(compiler, &words) {
        note(&without_plugin(compiler, &plugin));
        (words, joins) = (lto::without(&words), false);
    }
    // Modules wait for the linker with all of their checks.
    if joins && !links {
        return Ok(None);
    }
    let Some(job) = Job::of(&words, &line) else { return Ok(None) };
    let folder = TempDir::with_prefix("deadheat-")
        .map_err(|e| Failure::new(format!("cannot make a temporary folder: {}", plain(&e))))?;
    let steps = Steps { compiler, line: &line, folder: folder.path(), options };
    let objects = match steps.objects(&job, if joins { Checks::All } else { Checks::Fewer })? {
        Ok(objects) => objects,
        Err(status) => return Ok(Some(status)),
    };
    if !links {
        return Ok(Some(ExitCode::SUCCESS));
    }
    let linked = job.with_objects(&objects);
    if joins {
        return Whole { steps: &steps, runtime, words: &linked }.link().map(Some);
    }
    let command = build::command(compiler, &CommandLine::read(&linked), &linked, runtime)?;
    Ok(Some(Child::start(command)?.wait()?.code()))
}

fn without_plugin(compiler: &Compiler, plugin: &Path) -> String {
    let package = match compiler.version() {
        Some(version) => format!("llvm-{version}-linker-tools"),
        None => "llvm-linker-tools".to_owned(),
    };
    format!(
        "-flto needs {}, or lld: every file is compiled and thinned out by itself (Debian, Ubuntu: apt install {package}, or lld and -fuse-ld=lld)",
        plugin.display()
    )
}

pub fn note(text: &str) {
    eprintln!("deadheat: note: {text}");
}

/// A command line that can be done in two steps.
struct Job<'a> {
    parts: Vec<(Role, &'a [OsString])>,
    /// The sources among its inputs.
    sources: Vec<&'a OsStr>,
    links: bool,
}

impl<'a> Job<'a> {
    fn of(words: &'a [OsString], line: &CommandLine) -> Option<Job<'a>> {
        let parts = parts(words);
        let is = |option: &str| words.iter().any(|w| w == option);
        let links = line.goal() != Goal::Objects;
        let notes = line.compiles() && parts.iter().any(|(role, _)| *role == Role::Dependencies);
        if (!links && !is("-c"))
            || ["-S", "-E", "-M", "-MM", "-fsyntax-only"].into_iter().any(is)
            || (links && notes)
        {
            return None;
        }
        let named = |language: &&[OsString]| {
            language.last().is_some_and(|l| ["c", "c++", "-xc", "-xc++"].iter().any(|n| l == n))
        };
        let languages: Vec<_> =
            parts.iter().filter(|(role, _)| *role == Role::Language).map(|(_, w)| *w).collect();
        if !languages.iter().all(named) {
            return None;
        }
        let inputs = parts.iter().filter(|(role, _)| *role == Role::Input).map(|(_, w)| w[0].as_os_str());
        let sources: Vec<&OsStr> = inputs.filter(|file| is_source(file, !languages.is_empty())).collect();
        (!sources.is_empty() || links).then_some(Job { parts, sources, links })
    }

    /// The object that compiling only makes of a source.
    fn object(&self, source: &OsStr, line: &CommandLine) -> PathBuf {
        match &line.output {
            Some(output) => output.into(),
            None => Path::new(Path::new(source).file_name().unwrap_or(source)).with_extension("o"),
        }
    }

    /// The words for one source: without the other inputs, and without what says where things go.
    fn words_for(&self, source: Option<&OsStr>) -> impl Iterator<Item = &OsString> {
        let wanted = move |(role, words): &&(Role, &'a [OsString])| match role {
            Role::Input => Some(words[0].as_os_str()) == source,
            Role::Output => false,
            Role::Language | Role::Dependencies => source.is_some(),
            Role::Option => words[0] != "-c",
        };
        self.parts.iter().filter(wanted).flat_map(|(_, words)| words.iter())
    }

    /// The words with objects in place of sources.
    fn with_objects(&self, objects: &[PathBuf]) -> Vec<OsString> {
        let mut next = objects.iter();
        let mut words = Vec::new();
        for (role, part) in &self.parts {
            match role {
                Role::Language => {}
                Role::Input if self.sources.contains(&part[0].as_os_str()) => {
                    words.extend(next.next().map(|o| o.clone().into_os_string()))
                }
                _ => words.extend_from_slice(part),
            }
        }
        words
    }
}

/// A file in C or C++: by its name, or because a `-x` says so of all whose names do not tell.
fn is_source(file: &OsStr, told: bool) -> bool {
    let assembly = Path::new(file).extension().is_some_and(|e| e == "S" || e == "sx");
    match kind(file) {
        Some(Kind::Source(_)) => !assembly,
        Some(_) => false,
        None => told,
    }
}

/// Which checks an object of a source has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Checks {
    /// Those of the compiler.
    All,
    /// Those that are left of them.
    Fewer,
}

/// The steps of a build, one after the other.
pub struct Steps<'a> {
    /// The compiler.
    pub compiler: &'a Compiler,
    /// What it was told.
    pub line: &'a CommandLine,
    /// For what is needed in between.
    pub folder: &'a Path,
    options: Options,
}

impl Steps<'_> {
    /// Makes objects of all sources. A status if that fails, as it would without us.
    fn objects(&self, job: &Job<'_>, checks: Checks) -> Result<Result<Vec<PathBuf>, ExitCode>, Failure> {
        let mut objects = Vec::new();
        for (number, source) in job.sources.iter().enumerate() {
            let object = match job.links {
                true => self.folder.join(format!("{number}.o")),
                false => job.object(source, self.line),
            };
            let failed = match checks {
                Checks::All => self.as_usual(job, source, &object, &[])?,
                Checks::Fewer => self.one(job, source, &object, number)?,
            };
            if let Some(status) = failed {
                return Ok(Err(status));
            }
            objects.push(object);
        }
        Ok(Ok(objects))
    }

    /// Makes the object of a source. A status if that fails, as it would without us.
    fn one(
        &self,
        job: &Job<'_>,
        source: &OsStr,
        object: &Path,
        number: usize,
    ) -> Result<Option<ExitCode>, Failure> {
        let text = self.folder.join(format!("{number}.ll"));
        let mut first = self.first(job, source, object);
        first.args(["-S", "-emit-llvm", "-o"]).arg(&text);
        let end = Child::start(first)?.wait()?;
        if !end.success() {
            return Ok(Some(end.code()));
        }
        if self.thin_out(source, &text, Scope::File)? {
            let end = Child::start(self.second(job, &text, object))?.wait()?;
            if end.success() {
                return Ok(None);
            }
            note(&format!(
                "{} could not be compiled with fewer checks, and has all of them",
                source.display()
            ));
        }
        // What clang had to say of the source has been said.
        self.as_usual(job, source, object, &["-w"])
    }

    /// Makes the object of a source with all checks. A status if that fails.
    fn as_usual(
        &self,
        job: &Job<'_>,
        source: &OsStr,
        object: &Path,
        more: &[&str],
    ) -> Result<Option<ExitCode>, Failure> {
        let mut command = self.first(job, source, object);
        command.args(more).args(["-c", "-o"]).arg(object);
        let end = Child::start(command)?.wait()?;
        Ok((!end.success()).then(|| end.code()))
    }

    fn first(&self, job: &Job<'_>, source: &OsStr, object: &Path) -> Command {
        let mut command = self.compiler.command();
        command.arg("-fsanitize=thread");
        if !self.line.debug {
            command.arg("-g");
        }
        command.args(job.words_for(Some(source))).arg("-Wno-unused-command-line-argument");
        let has = |options: &[&str]| {
            let starts =
                |word: &OsString| word.to_str().is_some_and(|w| options.iter().any(|o| w.starts_with(o)));
            job.parts.iter().any(|(role, words)| *role == Role::Dependencies && starts(&words[0]))
        };
        if has(&["-MD", "-MMD"]) {
            if !has(&["-MF"]) {
                command.arg("-MF").arg(object.with_extension("d"));
            }
            if !has(&["-MT", "-MQ"]) {
                command.arg("-MT").arg(object);
            }
        }
        command
    }

    fn second(&self, job: &Job<'_>, text: &Path, object: &Path) -> Command {
        let mut command = self.compiler.command();
        if !self.line.debug {
            command.arg("-g");
        }
        command.args(job.words_for(None)).args([
            "-Wno-unused-command-line-argument",
            "-Xclang",
            "-disable-llvm-passes",
        ]);
        command.args(["-x", "ir"]).arg(text).args(["-c", "-o"]).arg(object);
        command
    }

    /// Rewrites the module in place. False if it is not one that can be read.
    pub fn thin_out(&self, source: &OsStr, file: &Path, scope: Scope) -> Result<bool, Failure> {
        let trouble = |e: std::io::Error| Failure::at(file.display(), plain(&e));
        let text = std::fs::read(file).map_err(trouble)?;
        let elided = String::from_utf8(text)
            .ok()
            .and_then(|text| deadheat_elide::elide_in(&text, self.options.level, scope));
        let Some(elided) = elided else {
            note(&format!("{}: clang's module cannot be read; it has all checks", source.display()));
            return Ok(false);
        };
        if self.options.stats {
            elided.stats.iter().filter(|s| s.checks > 0).for_each(|s| note(&s.to_string()));
            note(&format!("{}: {}", source.display(), Stats::sum(&elided.stats)));
        }
        std::fs::write(file, elided.text).map_err(trouble)?;
        Ok(true)
    }
}
