//! What a command comes to: clean, races, or one clear line about what went wrong.

use deadheat_report::printable;
use std::fmt::{self, Display};
use std::io::{self, Write};
use std::process::ExitCode;

/// What a command that did its work found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// No race: exit status 0.
    Clean,
    /// Races: exit status 66, as ThreadSanitizer has it.
    Races,
}

impl Outcome {
    /// What it comes to if that many races were found.
    pub fn of(races: u64) -> Outcome {
        if races == 0 { Outcome::Clean } else { Outcome::Races }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        match outcome {
            Outcome::Clean => ExitCode::SUCCESS,
            Outcome::Races => ExitCode::from(66),
        }
    }
}

/// Why a command could not do its work: exit status 2.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure(String);

impl Failure {
    /// That in one line, without a full stop.
    pub fn new(what: impl Into<String>) -> Failure {
        Failure(what.into())
    }

    /// Something that went wrong with that file.
    pub fn at(file: impl Display, what: impl Display) -> Failure {
        Failure(format!("{file}: {what}"))
    }

    /// That could not be written to: the disk is full, or the program behind the pipe has gone.
    pub fn writing(to: impl Display, error: &io::Error) -> Failure {
        Failure(format!("cannot write to {to}: {}", plain(error)))
    }

    /// Says it on standard error; if that is gone too, the exit status still tells.
    pub fn print(&self) {
        let style = anstyle::AnsiColor::Red.on_default().bold();
        let _ = writeln!(anstream::stderr(), "{style}deadheat:{style:#} {self}");
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(self.0.clone()))
    }
}

/// The operating system's words without the error number, which tells users nothing.
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or(&text);
    let mut rest = words.chars();
    rest.next().map_or_else(String::new, |first| first.to_lowercase().chain(rest).collect())
}
