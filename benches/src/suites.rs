//! `suites`: other projects' own multithreaded tests, built with `deadheat cc` from Debian's source packages and run under Deadheat.
//!
//! A suite is a recipe in `benches/suites` that builds the project and runs its tests. What the recipe writes passes or fails by the project's own
//! word; Deadheat's reports go to files, and none may be left after `NAME.supp`, in which every line stands for a race that was looked at and says why.

use crate::runtime::{Build, Sources, compilers};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Suite {
    name: &'static str,
    /// The Debian source packages that it needs.
    packages: &'static [&'static str],
}

const SUITES: [Suite; 2] = [
    Suite { name: "sqlite", packages: &["sqlite3"] },
    Suite { name: "memcached", packages: &["memcached", "libevent"] },
];

/// Runs those, or all, in that cache.
pub fn run(deadheat: &Path, cache: &Path, names: &[&str]) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(cache)?;
    let (deadheat, cache) = (fs::canonicalize(deadheat)?, fs::canonicalize(cache)?);
    let mut sources = Sources::new(&cache);
    let mut failed = Vec::new();
    for suite in SUITES.iter().filter(|s| names.is_empty() || names.contains(&s.name)) {
        for package in suite.packages {
            sources.fetch(package)?;
        }
        match suite.run(&deadheat, &cache, &sources.unpacked) {
            Ok(()) => println!("{}: passed, and nothing was reported", suite.name),
            Err(e) => failed.push(format!("{}: {e}", suite.name)),
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n").into()) }
}

impl Suite {
    fn run(&self, deadheat: &Path, cache: &Path, sources: &Path) -> Result<(), Box<dyn Error>> {
        let ours = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = cache.join("suites").join(self.name);
        let reports = folder.join("reports");
        let _ = fs::remove_dir_all(&reports);
        fs::create_dir_all(&reports)?;
        let compilers = compilers(Build::Deadheat, deadheat)?;
        let log = reports.join("report");
        let mut options = format!("exitcode=0:log_path={}", log.display());
        let suppressions = ours.join("suites").join(format!("{}.supp", self.name));
        if suppressions.exists() {
            options += &format!(":suppressions={}", suppressions.display());
        }
        let status = Command::new("sh")
            .arg(ours.join("suites").join(format!("{}.sh", self.name)))
            .current_dir(&folder)
            .env("CC", &compilers.c)
            .env("CXX", &compilers.cxx)
            .env("CFLAGS", "-O1 -g")
            .env("SRC", sources)
            .env("PROGRAMS", ours.join("programs"))
            .env("DEADHEAT_OPTIONS", options)
            .env_remove("TSAN_OPTIONS")
            .envs(compilers.environment.iter().map(|(name, value)| (name, value)))
            .status()?;
        let told = reports_in(&reports)?;
        if !status.success() {
            return Err(format!("its tests failed ({status}); the files are in {}", folder.display()).into());
        }
        if told.is_empty() { Ok(()) } else { Err(summary(&told).into()) }
    }
}

/// The files in which something was reported.
fn reports_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let files = fs::read_dir(folder)?.flatten().map(|file| file.path());
    Ok(files.filter(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("WARNING:"))).collect())
}

/// What was reported, each once.
fn summary(files: &[PathBuf]) -> String {
    let mut lines: Vec<String> = files
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok())
        .flat_map(|text| {
            text.lines().filter(|l| l.starts_with("SUMMARY:")).map(String::from).collect::<Vec<_>>()
        })
        .collect();
    lines.sort();
    lines.dedup();
    let folder = files.first().and_then(|file| file.parent()).unwrap_or(Path::new("")).display();
    format!("its tests passed, but Deadheat reported, see {folder}:\n{}", lines.join("\n"))
}
