//! Who instruments and watches the programs, and how they are compiled for it.

use crate::program::{Known, Program};
use crate::run::{self, End};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The runtime under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judge {
    Deadheat,
    TsanClang,
    TsanGcc,
}

impl Judge {
    /// The one that `DEADHEAT_JUDGE` names.
    pub fn chosen() -> Judge {
        match std::env::var("DEADHEAT_JUDGE").as_deref() {
            Err(_) | Ok("deadheat") => Judge::Deadheat,
            Ok("tsan-clang") => Judge::TsanClang,
            Ok("tsan-gcc") => Judge::TsanGcc,
            Ok(other) => panic!("DEADHEAT_JUDGE={other}: not one of deadheat, tsan-clang, tsan-gcc"),
        }
    }

    /// What is known to be wrong with this judge on that program; nothing may be with ours.
    pub fn known(self, program: &Program) -> Option<Known> {
        match self {
            Judge::Deadheat => None,
            Judge::TsanClang => program.tsan_clang,
            Judge::TsanGcc => program.tsan_gcc,
        }
    }

    /// The compilers to judge with.
    pub fn families(self) -> &'static [Family] {
        match self {
            Judge::Deadheat => &[Family::Gcc, Family::Clang],
            Judge::TsanClang => &[Family::Clang],
            Judge::TsanGcc => &[Family::Gcc],
        }
    }
}

/// A compiler family; both have to be installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Gcc,
    Clang,
}

impl Family {
    /// As programs name it.
    pub fn name(self) -> &'static str {
        match self {
            Family::Gcc => "gcc",
            Family::Clang => "clang",
        }
    }

    /// The variable that says which version of it to take.
    fn variable(self) -> &'static str {
        match self {
            Family::Gcc => "DEADHEAT_GCC",
            Family::Clang => "DEADHEAT_CLANG",
        }
    }

    /// Programs are judged with it: with both, unless only one of them was asked for.
    fn is_wanted(self) -> bool {
        let asked = |family: Family| std::env::var_os(family.variable()).is_some();
        asked(self) || !asked(Family::Gcc) && !asked(Family::Clang)
    }

    /// The compiler to call: of the version that was asked for, or the newest that is installed.
    fn compiler(self, cxx: bool) -> &'static str {
        static CHOSEN: [OnceLock<String>; 4] = [const { OnceLock::new() }; 4];
        let stem = match (self, cxx) {
            (Family::Gcc, false) => "gcc",
            (Family::Gcc, true) => "g++",
            (Family::Clang, false) => "clang",
            (Family::Clang, true) => "clang++",
        };
        let chosen = || match std::env::var(self.variable()) {
            Ok(version) => format!("{stem}-{version}"),
            Err(_) => newest(stem),
        };
        CHOSEN[self as usize * 2 + usize::from(cxx)].get_or_init(chosen)
    }
}

/// The newest of `stem-99` … `stem-12`, `stem`.
fn newest(stem: &str) -> String {
    let versions = (12..100).rev().map(|version| format!("{stem}-{version}"));
    let mut names = versions.chain([stem.to_string()]);
    let found = names.find(|name| {
        let mut probe = Command::new(name);
        probe.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        probe.status().is_ok_and(|status| status.success())
    });
    found.unwrap_or_else(|| panic!("no {stem} is installed, and the corpus is judged with gcc and clang"))
}

/// How a program is compiled.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub judge: Judge,
    pub family: Family,
    pub optimisation: &'static str,
    /// The level of `--elide`.
    pub elide: Option<&'static str>,
}

impl Setting {
    /// With fewer checks, if the program can be built so.
    pub fn elided(program: &Program, level: &'static str, optimisation: &'static str) -> Option<Setting> {
        let fits = program.only.as_deref().is_none_or(|only| only == Family::Clang.name());
        fits.then_some(Setting {
            judge: Judge::Deadheat,
            family: Family::Clang,
            optimisation,
            elide: Some(level),
        })
    }

    /// Every way in which `program` is judged.
    pub fn all(judge: Judge, program: &Program) -> Vec<Setting> {
        let families = judge
            .families()
            .iter()
            .filter(|family| family.is_wanted())
            .filter(|family| program.only.as_deref().is_none_or(|only| only == family.name()));
        let settings = families.flat_map(|family| {
            ["-O0", "-O2"].map(|optimisation| Setting { judge, family: *family, optimisation, elide: None })
        });
        settings.collect()
    }

    /// For the table of failures.
    pub fn name(self) -> String {
        let elide = self.elide.map(|level| format!(" --elide={level}")).unwrap_or_default();
        format!("{} {}{elide}", self.family.name(), self.optimisation)
    }

    /// Compiles the program into `folder`; what the compiler said if it fails.
    pub fn build(self, program: &Program, folder: &Path) -> Result<(), String> {
        self.compile(program, &program.path, &["-o"], &folder.join("program"))?;
        match &program.plugin {
            Some(plugin) => {
                self.compile(program, plugin, &["-shared", "-fPIC", "-o"], &folder.join("plugin.so"))
            }
            None => Ok(()),
        }
    }

    /// Runs what [`build`](Self::build) left in `folder`.
    pub fn command(self, program: &Program, folder: &Path) -> Command {
        let mut command = Command::new(folder.join("program"));
        if program.plugin.is_some() {
            command.arg(folder.join("plugin.so"));
        }
        // Programs that leave a thread running would cost a second each.
        command.env("TSAN_OPTIONS", "atexit_sleep_ms=0").env_remove("DEADHEAT_OPTIONS").current_dir(folder);
        command
    }

    fn compile(self, program: &Program, source: &Path, how: &[&str], out: &Path) -> Result<(), String> {
        let compiler = self.family.compiler(program.is_cxx());
        let mut command = match self.judge {
            Judge::Deadheat => {
                let mut wrapper = Command::new(env!("CARGO_BIN_EXE_deadheat"));
                wrapper.arg(if program.is_cxx() { "c++" } else { "cc" });
                wrapper.args(self.elide.map(|level| format!("--elide={level}")));
                wrapper.env(if program.is_cxx() { "DEADHEAT_CXX" } else { "DEADHEAT_CC" }, compiler);
                wrapper
            }
            Judge::TsanClang | Judge::TsanGcc => {
                let mut direct = Command::new(compiler);
                direct.arg("-fsanitize=thread");
                direct
            }
        };
        command.args(["-g", self.optimisation, "-pthread", "-Wall", "-Wextra", "-Wno-tsan"]);
        if self.family == Family::Clang {
            command.arg("-Wno-unknown-warning-option");
        }
        command.arg(source).args(how).arg(out).args(&program.flags);
        let ran = run::run(command);
        match ran.end {
            End::Exit(0) if ran.stderr.is_empty() => Ok(()),
            End::Exit(0) => Err(format!("compiled with warnings:\n{}", ran.stderr)),
            end => Err(format!("not compiled, {end}:\n{}", ran.stderr)),
        }
    }
}
