//! `deadheat lang`: the small language.

pub mod args;
mod display;
mod explore;
mod replays;
mod run;
mod saved;
mod source;
mod summary;
mod tell;

use crate::failure::{Failure, Outcome};
use crate::output::print;
use args::{Format, Instrument, LangCommand};
use deadheat_instrument::{Guard, instrument};
use deadheat_lang::{format, parse};
use source::Source;
use std::process::ExitCode;

/// Runs that subcommand.
pub fn run(command: LangCommand) -> Result<ExitCode, Failure> {
    let outcome = match command {
        LangCommand::Check { file } => {
            let source = Source::read(&file)?;
            source.compiled()?;
            print(&std::format!("{}: no mistakes found\n", source.name))?;
            Outcome::Clean
        }
        LangCommand::Fmt(args) => return fmt(&args),
        LangCommand::Run(args) => run::run(&args)?,
        LangCommand::Instrument(args) => rewrite(&args)?,
        LangCommand::Explore(args) => return explore::run(&args),
    };
    Ok(outcome.into())
}

/// Exit status 1 if `--check` finds something to do, as formatters have it.
fn fmt(args: &Format) -> Result<ExitCode, Failure> {
    let source = Source::read(&args.file)?;
    let program = parse(&source.text).map_err(|errors| source.refuse(&errors))?;
    let formatted = format(&program, &source.text);
    if args.check {
        return Ok(match formatted == source.text {
            true => ExitCode::SUCCESS,
            false => {
                print(&std::format!("{}: not formatted\n", source.name))?;
                ExitCode::FAILURE
            }
        });
    }
    match args.write {
        true if formatted == source.text => {}
        true => std::fs::write(&args.file, formatted).map_err(|e| Failure::writing(&source.name, &e))?,
        false => print(&formatted)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn rewrite(args: &Instrument) -> Result<Outcome, Failure> {
    let source = Source::read(&args.file)?;
    let program = source.checked()?;
    let guard = if args.no_locks { Guard::None } else { Guard::PerLocation };
    let (instrumented, _) = instrument(&program, guard).map_err(|errors| source.refuse(&errors))?;
    print(&deadheat_lang::print(&instrumented))?;
    Ok(Outcome::Clean)
}
