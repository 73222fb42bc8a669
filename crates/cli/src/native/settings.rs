//! What the runtime is told, through the environment of the program that it is in.

use super::args::RunOptions;
use crate::failure::Failure;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The variable that the runtime reads.
pub const VARIABLE: &str = "DEADHEAT_OPTIONS";

/// Options for the runtime, `name=value`.
#[derive(Default, Debug)]
pub struct Settings(Vec<String>);

impl Settings {
    /// What the options of the command line ask the runtime for.
    pub fn of(options: &RunOptions) -> Result<Settings, Failure> {
        let mut settings = Settings::default();
        if let Some(algorithm) = options.algorithm {
            settings.set("algorithm", &algorithm.name())?;
        }
        if let Some(status) = options.exit_code {
            settings.set("exitcode", &status.to_string())?;
        }
        for (name, file) in [("suppressions", &options.suppressions), ("log_path", &options.log)] {
            if let Some(file) = file {
                settings.set_path(name, file)?;
            }
        }
        for (name, wanted) in [("halt_on_error", options.halt), ("stats", options.stats)] {
            if wanted {
                settings.set(name, "1")?;
            }
        }
        Ok(settings)
    }

    /// Adds a setting whose value is a file. The program may change its folder before the file is opened, so the name is a whole one.
    pub fn set_path(&mut self, name: &str, file: &Path) -> Result<(), Failure> {
        let whole: PathBuf = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let text = whole.to_str().ok_or_else(|| Failure::at(file.display(), "the name is not UTF-8"))?;
        self.set(name, text)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        let quoted = match (value.contains(|c: char| " ,:\t\r\n'\"#".contains(c)), value.contains('"')) {
            (false, _) => value.to_owned(),
            (true, false) => format!("\"{value}\""),
            (true, true) if !value.contains('\'') => format!("'{value}'"),
            _ => return Err(Failure::at(value, "the name has both kinds of quotes")),
        };
        self.0.push(format!("{name}={quoted}"));
        Ok(())
    }

    /// The variable's value: after what the user has set, since the later of two settings counts.
    pub fn value(&self) -> Option<OsString> {
        if self.0.is_empty() {
            return None;
        }
        let mut value = env::var_os(VARIABLE).unwrap_or_default();
        if !value.is_empty() {
            // A comment of the user's ends with its line.
            value.push("\n");
        }
        value.push(self.0.join(" "));
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_where_they_must_be() {
        let mut settings = Settings::default();
        settings.set_path("log_path", Path::new("/a/b")).unwrap();
        settings.set_path("json_path", Path::new("/a b/c")).unwrap();
        settings.set_path("record", Path::new("/a\"b/c")).unwrap();
        assert_eq!(settings.0, ["log_path=/a/b", "json_path=\"/a b/c\"", "record='/a\"b/c'"]);
        assert!(settings.set_path("record", Path::new("/'\"")).is_err());
    }
}
