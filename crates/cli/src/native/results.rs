//! What a run leaves behind besides the report on the terminal: files that the user asked for.

use super::args::RunOptions;
use super::record;
use super::settings::Settings;
use crate::failure::{Failure, plain};
use crate::output::Target;
use deadheat_finding::{Finding, html, json, sarif};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Files to be made after a run, from what the runtime writes meanwhile.
pub struct Results {
    json: Option<PathBuf>,
    sarif: Option<PathBuf>,
    html: Option<PathBuf>,
    record: Option<PathBuf>,
    /// Where the runtime writes to.
    raw: TempDir,
}

impl Results {
    /// What the options ask for, if anything; and the runtime is told where to write.
    pub fn prepare(options: &RunOptions, settings: &mut Settings) -> Result<Option<Results>, Failure> {
        let [json, sarif, html, record] =
            [&options.json, &options.sarif, &options.html, &options.record].map(|file| file.clone());
        if [&json, &sarif, &html, &record].iter().all(|file| file.is_none()) {
            return Ok(None);
        }
        let raw = TempDir::with_prefix("deadheat-")
            .map_err(|e| Failure::new(format!("cannot make a temporary folder: {}", plain(&e))))?;
        let results = Results { json, sarif, html, record, raw };
        if [&results.json, &results.sarif, &results.html].iter().any(|file| file.is_some()) {
            settings.set_path("json_path", &results.findings())?;
        }
        if results.record.is_some() {
            settings.set_path("record", &results.events())?;
        }
        results.check()?;
        Ok(Some(results))
    }

    /// Fails now if a file could not be written in the end: the run may take hours.
    fn check(&self) -> Result<(), Failure> {
        for file in [&self.json, &self.sarif, &self.html, &self.record].into_iter().flatten() {
            let folder = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if file.is_dir() {
                return Err(Failure::at(file.display(), "is a folder"));
            }
            fs::metadata(folder).map_err(|e| Failure::at(folder.display(), plain(&e)))?;
        }
        Ok(())
    }

    fn findings(&self) -> PathBuf {
        self.raw.path().join("findings")
    }

    fn events(&self) -> PathBuf {
        self.raw.path().join("events")
    }

    /// Makes the files.
    pub fn finish(self) -> Result<(), Failure> {
        let text = self.text()?;
        if let Some(file) = &self.json {
            write(file, &text)?;
        }
        let findings: Result<Vec<Finding>, _> = json::read(&text).collect();
        let findings = findings.map_err(|e| Failure::at("what the program found", e))?;
        let here = std::env::current_dir().ok().and_then(|p| p.to_str().map(str::to_owned));
        if let Some(file) = &self.sarif {
            let setting = sarif::Setting { version: env!("CARGO_PKG_VERSION"), root: here.as_deref() };
            write(file, &sarif::document(&findings, setting))?;
        }
        if let Some(file) = &self.html {
            let (mut page, prefix) = (String::new(), here.map(|h| h + "/").unwrap_or_default());
            let mut source = |path: &str| fs::read_to_string(path).ok();
            // Writing to memory does not fail.
            let _ = html::write_page(&mut page, &findings, &prefix, &mut source);
            write(file, &page)?;
        }
        self.record.as_ref().map_or(Ok(()), |file| record::convert(&self.events(), file))
    }

    /// The findings of the program and of those that it started, which write to files of their own: that of the first one first.
    fn text(&self) -> Result<String, Failure> {
        let fails = |e: std::io::Error| Failure::new(format!("cannot read what was found: {}", plain(&e)));
        let mut files: Vec<(u32, PathBuf)> = Vec::new();
        for file in fs::read_dir(self.raw.path()).map_err(fails)? {
            let path = file.map_err(fails)?.path();
            let pid = path.file_name().and_then(|n| n.to_str()?.strip_prefix("findings.")?.parse().ok());
            files.extend(pid.map(|pid| (pid, path)));
        }
        files.sort();
        files.iter().map(|(_, path)| fs::read_to_string(path).map_err(fails)).collect()
    }
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let (mut sink, fate) = Target::File(file.to_owned()).create(None)?;
    sink.write_all(text.as_bytes()).and_then(|()| sink.flush()).map_err(|e| fate.failure(e))?;
    fate.finish();
    Ok(())
}
