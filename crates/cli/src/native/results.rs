//! What a run leaves behind besides the report on the terminal: files that the user asked for.

use super::args::RunOptions;
use super::record;
use super::settings::Settings;
use crate::failure::{Failure, plain};
use crate::output::{Target, note};
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
        self.record.as_ref().map_or(Ok(()), |file| self.traces(file))
    }

    /// The trace of the program, and beside it those of the programs that it started.
    fn traces(&self, file: &Path) -> Result<(), Failure> {
        record::convert(&self.events(), file)?;
        for (process, raw) in self.files("events.")? {
            let beside = with_process(file, &process);
            record::convert(&raw, &beside)?;
            note(&format!("note: process {process} is recorded in {}", beside.display()));
        }
        Ok(())
    }

    /// The findings of the program and of those that it started, which write to files of their own: that of the first one first.
    fn text(&self) -> Result<String, Failure> {
        self.files("findings.")?.iter().map(|(_, path)| fs::read_to_string(path).map_err(fails)).collect()
    }

    /// The files that the runtime has made whose names begin so, by what comes behind that: the number of a process first.
    fn files(&self, prefix: &str) -> Result<Vec<(String, PathBuf)>, Failure> {
        let mut files: Vec<(u32, String, PathBuf)> = Vec::new();
        for file in fs::read_dir(self.raw.path()).map_err(fails)? {
            let path = file.map_err(fails)?.path();
            let process = path.file_name().and_then(|n| n.to_str()?.strip_prefix(prefix).map(str::to_owned));
            let Some(process) = process else { continue };
            let pid = process.split('.').next().and_then(|pid| pid.parse().ok());
            files.extend(pid.map(|pid| (pid, process, path)));
        }
        files.sort();
        Ok(files.into_iter().map(|(_, process, path)| (process, path)).collect())
    }
}

fn fails(e: std::io::Error) -> Failure {
    Failure::new(format!("cannot read what was found: {}", plain(&e)))
}

/// `run.std.gz` with the process's number in it: `run.7.std.gz`, whose ending still says what it is.
fn with_process(file: &Path, process: &str) -> PathBuf {
    let name = file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let dot = name.char_indices().skip(1).find(|(_, c)| *c == '.').map_or(name.len(), |(at, _)| at);
    file.with_file_name(format!("{}.{process}{}", &name[..dot], &name[dot..]))
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let (mut sink, fate) = Target::File(file.to_owned()).create(None)?;
    sink.write_all(text.as_bytes()).and_then(|()| sink.flush()).map_err(|e| fate.failure(e))?;
    fate.finish();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_its_number_before_the_ending() {
        for (file, expected) in
            [("run.std.gz", "run.7.std.gz"), ("out/run", "out/run.7"), (".hidden.dht", ".hidden.7.dht")]
        {
            assert_eq!(with_process(Path::new(file), "7"), Path::new(expected));
        }
    }
}
