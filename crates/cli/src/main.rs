//! `deadheat`: arguments in, reports out. Everything that knows about files, terminals and exit statuses is in this crate.

mod args;
mod failure;
mod input;
mod lang;
mod limit;
mod native;
mod output;
mod progress;
mod run;
mod shell;
mod trace;

use args::{Cli, Command};
use clap::Parser;
use failure::Failure;
use native::{Language, Refusal};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: limit::Counted = limit::Counted;

fn main() -> ExitCode {
    let done = match native::wrapper::words() {
        Some((language, words)) => native::wrapper::run(language, &words),
        None => Cli::try_parse().map_or_else(|e| help(&e), run),
    };
    match done {
        Ok(status) => status,
        Err(failure) => {
            failure.print();
            ExitCode::from(2)
        }
    }
}

fn run(cli: Cli) -> Result<ExitCode, Failure> {
    let outcome = match cli.command {
        Command::Run(args) => return run_program(*args),
        Command::Cc(args) => return native::wrapper::run(Language::C, &args.words),
        Command::Cxx(args) => return native::wrapper::run(Language::Cxx, &args.words),
        Command::Lang(command) => return lang::run(command),
        Command::Trace(command) => trace::run(command),
        Command::Completions { shell } => shell::completions(shell),
        Command::Man { dir } => shell::man_pages(&dir),
    };
    Ok(outcome?.into())
}

fn run_program(args: native::args::Run) -> Result<ExitCode, Failure> {
    native::run(args).or_else(|refusal| match refusal {
        Refusal::Usage(error) => help(&error),
        Refusal::Failure(failure) => Err(failure),
    })
}

/// What was asked for (`--help`, `--version`) goes to standard output, what was done wrong to standard error.
fn help(answer: &clap::Error) -> Result<ExitCode, Failure> {
    let printed = answer.print();
    if answer.use_stderr() {
        return Ok(ExitCode::from(2));
    }
    printed.map_err(|e| Failure::writing("standard output", &e))?;
    Ok(ExitCode::SUCCESS)
}
