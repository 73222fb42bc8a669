//! The tools that are compared, and the compilers that they build with.

use std::path::Path;
use std::process::Command;

/// All tools by name, in the order of the tables.
pub const TOOL_NAMES: [&str; 13] = [
    "native",
    "clang-tsan",
    "gcc-tsan",
    "helgrind",
    "drd",
    "v1",
    "v1.5",
    "v2",
    "elide-redundant",
    "elide-coalesce",
    "elide-inline",
    "ft-mutex",
    "ft-cas",
];

/// Which build of a program a tool runs; several share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    Native,
    ClangTsan,
    GccTsan,
    Deadheat,
    /// With `--elide` at that level.
    Elided(&'static str),
    /// Native, with its commands written down (`compile`).
    Recorded,
}

impl Build {
    pub const ALL: [Build; 7] = [
        Build::Native,
        Build::ClangTsan,
        Build::GccTsan,
        Build::Deadheat,
        Build::Elided("redundant"),
        Build::Elided("coalesce"),
        Build::Elided("inline"),
    ];

    /// The name of its folder.
    pub fn folder(self) -> &'static str {
        match self {
            Build::Native => "native",
            Build::Recorded => "recorded",
            Build::ClangTsan => "clang-tsan",
            Build::GccTsan => "gcc-tsan",
            Build::Deadheat => "deadheat",
            Build::Elided("redundant") => "elide-redundant",
            Build::Elided("coalesce") => "elide-coalesce",
            Build::Elided(_) => "elide-inline",
        }
    }

    /// Its programs are linked with Deadheat's runtime.
    pub fn is_ours(self) -> bool {
        matches!(self, Build::Deadheat | Build::Elided(_))
    }
}

/// Whether a run is for its reports, for its time, or for the counters of its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Reports,
    Time,
    Rules,
}

/// A tool.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    pub name: &'static str,
    pub build: Build,
    /// Valgrind's tool that runs the native build.
    pub valgrind: Option<&'static str>,
}

impl Tool {
    /// The tool of that name.
    pub fn named(name: &'static str) -> Tool {
        let (build, valgrind) = match name {
            "native" => (Build::Native, None),
            "clang-tsan" => (Build::ClangTsan, None),
            "gcc-tsan" => (Build::GccTsan, None),
            "helgrind" | "drd" => (Build::Native, Some(name)),
            _ => (name.strip_prefix("elide-").map_or(Build::Deadheat, Build::Elided), None),
        };
        Tool { name, build, valgrind }
    }

    /// The environment it wants. Timed runs make no reports: what they would cost (a symboliser, mostly) depends on how
    /// many races the program has, not on how fast the tool is.
    pub fn environment(&self, purpose: Purpose) -> Vec<(&'static str, String)> {
        let common = match purpose {
            Purpose::Time => "exitcode=0:report_bugs=0",
            Purpose::Reports => "exitcode=0",
            Purpose::Rules => "exitcode=0:report_bugs=0:stats=1",
        };
        match self.build {
            Build::Native | Build::Recorded => Vec::new(),
            Build::ClangTsan | Build::GccTsan => vec![("TSAN_OPTIONS", common.to_string())],
            Build::Deadheat => vec![("DEADHEAT_OPTIONS", format!("{common}:algorithm={}", self.name))],
            Build::Elided(_) => vec![("DEADHEAT_OPTIONS", format!("{common}:algorithm=v2"))],
        }
    }
}

/// A C and a C++ compiler with their flags, for one build.
#[derive(Clone, Debug)]
pub struct Compilers {
    pub c: String,
    pub cxx: String,
    /// More environment, for the wrappers.
    pub environment: Vec<(&'static str, String)>,
    /// Its own word on what it is.
    pub version: String,
}

/// The compilers of that build; an error says what is missing.
pub fn compilers(build: Build, deadheat: &Path) -> Result<Compilers, String> {
    let same = |c: String, cxx: String, flags: &str| -> Result<Compilers, String> {
        let version = first_line(&c, &["--version"]).ok_or(format!("there is no {c}"))?;
        first_line(&cxx, &["--version"]).ok_or(format!("there is no {cxx}"))?;
        Ok(Compilers { c: c + flags, cxx: cxx + flags, environment: Vec::new(), version })
    };
    let clang = || newest_clang().ok_or("there is no clang (Debian, Ubuntu: apt install clang)".to_string());
    match build {
        Build::Native | Build::Recorded => clang().and_then(|(c, cxx)| same(c, cxx, "")),
        Build::ClangTsan => clang().and_then(|(c, cxx)| same(c, cxx, " -fsanitize=thread")),
        Build::GccTsan => same("gcc".into(), "g++".into(), " -fsanitize=thread"),
        Build::Deadheat | Build::Elided(_) => {
            let (c, cxx) = clang()?;
            let version = same(c.clone(), cxx.clone(), "")?.version;
            if !deadheat.exists() {
                return Err(format!("there is no {}", deadheat.display()));
            }
            let wrapper = deadheat.display();
            let environment = vec![("DEADHEAT_CC", c), ("DEADHEAT_CXX", cxx)];
            let flags = match build {
                Build::Elided(level) => format!(" --elide={level}"),
                _ => String::new(),
            };
            let [c, cxx] = ["cc", "c++"].map(|door| format!("{wrapper} {door}{flags}"));
            Ok(Compilers { c, cxx, environment, version })
        }
    }
}

/// Whether valgrind can be run.
pub fn has_valgrind() -> bool {
    first_line("valgrind", &["--version"]).is_some()
}

/// The newest clang: that of the highest number, or the one without.
fn newest_clang() -> Option<(String, String)> {
    let numbered = (11..40).rev().map(|n| format!("-{n}"));
    numbered
        .chain([String::new()])
        .map(|suffix| (format!("clang{suffix}"), format!("clang++{suffix}")))
        .find(|(c, cxx)| [c, cxx].iter().all(|name| first_line(name, &["--version"]).is_some()))
}

fn first_line(program: &str, args: &[&str]) -> Option<String> {
    let told = Command::new(program).args(args).output().ok().filter(|told| told.status.success())?;
    String::from_utf8_lossy(&told.stdout).lines().next().map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_knows_its_build_and_environment() {
        for name in TOOL_NAMES {
            let tool = Tool::named(name);
            let environment = tool.environment(Purpose::Time);
            assert_eq!(environment.is_empty(), tool.build == Build::Native, "{name}");
            assert_eq!(tool.valgrind.is_some(), matches!(name, "helgrind" | "drd"));
        }
        let v15 = Tool::named("v1.5").environment(Purpose::Rules);
        assert_eq!(
            v15,
            [("DEADHEAT_OPTIONS", "exitcode=0:report_bugs=0:stats=1:algorithm=v1.5".to_string())]
        );
    }
}
