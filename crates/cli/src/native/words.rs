//! The words after `deadheat run`: sources to build with flags and arguments, or a program with arguments.

use super::args::{Run, RunOptions};
use super::command_line::{CommandLine, Kind, kind};
use crate::failure::Failure;
use clap::{Args, Command, FromArgMatches};
use std::ffi::OsString;

/// What is to be run.
pub enum Subject {
    /// To be built from these words for the compiler, and run with those arguments.
    Sources { words: Vec<OsString>, args: Vec<OsString> },
    /// A program and its arguments.
    Program { program: OsString, args: Vec<OsString> },
}

impl Subject {
    /// Tells which, by the first word. Among sources our options may stand anywhere, and are put where they belong.
    pub fn of(run: Run) -> Result<(RunOptions, Subject), clap::Error> {
        let Run { mut options, mut words } = run;
        let builds = words.first().is_some_and(is_for_compiler);
        if !builds {
            let program = words.remove(0);
            return Ok((options, Subject::Program { program, args: words }));
        }
        let args = match words.iter().position(|word| word == "--") {
            Some(at) => words.split_off(at).split_off(1),
            None => Vec::new(),
        };
        let words = take_options(&mut options, words)?;
        Ok((options, Subject::Sources { words, args }))
    }
}

/// A flag or a file that compilers take.
fn is_for_compiler(word: &OsString) -> bool {
    let by_name = matches!(kind(word), Some(Kind::Source(_) | Kind::Linked));
    by_name || word.as_encoded_bytes().starts_with(b"-") || word.as_encoded_bytes().starts_with(b"@")
}

/// The words without our options, which are parsed as if they had stood in front.
fn take_options(options: &mut RunOptions, words: Vec<OsString>) -> Result<Vec<OsString>, clap::Error> {
    let parser = RunOptions::augment_args(Command::new("deadheat run").no_binary_name(true));
    let (mut ours, mut others) = (Vec::new(), Vec::new());
    let mut rest = words.into_iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        let name = text.strip_prefix("--").map(|t| t.split('=').next().unwrap_or(t).to_owned());
        let option =
            name.and_then(|name| parser.get_arguments().find(|a| a.get_long() == Some(&name)).cloned());
        let Some(option) = option else {
            others.push(word);
            continue;
        };
        let value_follows = option.get_action().takes_values() && !text.contains('=');
        ours.push(word);
        ours.extend(value_follows.then(|| rest.next()).flatten());
    }
    options.update_from_arg_matches(&parser.try_get_matches_from(ours)?)?;
    Ok(others)
}

/// The name for a program built from these: that of its first source.
pub fn program_name(line: &CommandLine) -> Result<OsString, Failure> {
    let source = line.inputs.iter().find(|file| matches!(kind(file), Some(Kind::Source(_))));
    let first = source.or(line.inputs.first()).ok_or_else(|| {
        Failure::new("there is nothing to compile: name source files, or a program before its arguments")
    })?;
    let stem = std::path::Path::new(first).file_stem().filter(|stem| *stem != "-");
    Ok(stem.unwrap_or("program".as_ref()).to_owned())
}
