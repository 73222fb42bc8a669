//! Builds every program once per tool's compiler, in the cache; what is already built with the same compiler stays.

use super::programs::{Kind, Program};
use super::tools::{Build, Compilers};
use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Flags of every build.
const FLAGS: &str = "-O2 -g";

/// Where builds go and what they are made from.
pub struct Builder {
    pub cache: PathBuf,
    /// The unpacked source packages.
    pub sources: PathBuf,
}

/// `benches/programs`.
fn our_programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs")
}

impl Builder {
    /// Where it is built.
    pub fn folder(&self, program: &Program, build: Build) -> PathBuf {
        self.cache.join("build").join(build.folder()).join(program.name)
    }

    /// Where the built program is.
    pub fn binary(&self, program: &Program, build: Build) -> PathBuf {
        self.folder(program, build).join(format!("{}.bin", program.name))
    }

    /// Builds it, unless that is done. `runtime` is a file whose change makes it necessary to link again.
    pub fn build(
        &self,
        program: &Program,
        build: Build,
        compilers: &Compilers,
        runtime: Option<&Path>,
    ) -> Result<(), String> {
        let (folder, binary) = (self.folder(program, build), self.binary(program, build));
        let stamp = Stamp::of(program, compilers, runtime).map_err(|e| e.to_string())?;
        let last = Stamp::read(&folder.join("stamp"));
        if last.as_ref() == Some(&stamp) && binary.exists() {
            return Ok(());
        }
        if last.is_none_or(|last| last.objects != stamp.objects) {
            let _ = fs::remove_dir_all(&folder);
        }
        let _ = fs::remove_file(&binary);
        fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        println!("building {} for {}", program.name, build.folder());
        let log = folder.join("log");
        let status = command(program, compilers, &self.sources)
            .and_then(|mut command| {
                let out = File::create(&log)?;
                let err = out.try_clone()?;
                command.current_dir(&folder).stdin(Stdio::null()).stdout(out).stderr(err).status()
            })
            .map_err(|e| e.to_string())?;
        if !status.success() || !binary.exists() {
            let said = fs::read_to_string(&log).unwrap_or_default();
            let error =
                said.lines().find(|line| line.contains("error")).or(said.lines().last()).unwrap_or("");
            return Err(format!("does not build: {error} (all of it is in {})", log.display()));
        }
        stamp.write(&folder.join("stamp")).map_err(|e| e.to_string())
    }
}

/// What to run in the build's folder.
fn command(program: &Program, compilers: &Compilers, sources: &Path) -> io::Result<Command> {
    let mut command = Command::new("sh");
    match program.kind {
        Kind::Port(_) => {
            let source = our_programs().join(format!("{}.c", program.name));
            let line = format!(
                "exec {} {FLAGS} -std=gnu11 -pthread {} -o {}.bin -lm",
                compilers.c,
                source.display(),
                program.name
            );
            command.args(["-c", &line]);
        }
        _ => {
            command.arg(our_programs().join("real").join(format!("{}.sh", program.name)));
        }
    }
    let jobs = std::thread::available_parallelism()?;
    command
        .env("CC", &compilers.c)
        .env("CXX", &compilers.cxx)
        .env("CFLAGS", FLAGS)
        .env("CXXFLAGS", FLAGS)
        .env("MAKEFLAGS", format!("-j{jobs}"))
        .env("SRC", sources)
        .env("PROGRAMS", our_programs())
        .envs(compilers.environment.iter().map(|(name, value)| (name, value)));
    Ok(command)
}

/// What a build was made with: the same objects can be linked with another runtime.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    objects: String,
    runtime: String,
}

impl Stamp {
    fn of(program: &Program, compilers: &Compilers, runtime: Option<&Path>) -> io::Result<Stamp> {
        let mut hasher = DefaultHasher::new();
        (&compilers.c, &compilers.cxx, &compilers.version, FLAGS).hash(&mut hasher);
        let folder = our_programs();
        let files = match program.kind {
            Kind::Port(_) => vec![folder.join("common.h"), folder.join(format!("{}.c", program.name))],
            Kind::InFolder(_) => {
                vec![folder.join("common.h"), folder.join(format!("{}_load.cc", program.name))]
            }
            _ => Vec::new(),
        };
        let recipe = folder.join("real").join(format!("{}.sh", program.name));
        let recipes =
            [folder.join("real/recipe.sh"), recipe].into_iter().filter(|_| !program.packages.is_empty());
        for file in files.into_iter().chain(recipes) {
            fs::read(file)?.hash(&mut hasher);
        }
        let runtime = match runtime {
            None => "none".to_string(),
            Some(file) => {
                let about = fs::metadata(file)?;
                format!("{} {:?}", about.len(), about.modified()?)
            }
        };
        // With `--elide`, what links the runtime makes the objects too.
        if compilers.c.contains("--elide") {
            runtime.hash(&mut hasher);
        }
        Ok(Stamp { objects: format!("{:016x}", hasher.finish()), runtime })
    }

    fn read(file: &Path) -> Option<Stamp> {
        let text = fs::read_to_string(file).ok()?;
        let (objects, runtime) = text.trim_end().split_once('\n')?;
        Some(Stamp { objects: objects.into(), runtime: runtime.into() })
    }

    fn write(&self, file: &Path) -> io::Result<()> {
        fs::write(file, format!("{}\n{}\n", self.objects, self.runtime))
    }
}
