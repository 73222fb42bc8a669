//! `deadheat trace`: recorded traces.

mod check;
mod compare;
mod convert;
pub mod output;
mod show;
mod stats;

use crate::args::TraceCommand;
use crate::failure::{Failure, Outcome};

/// Runs that subcommand.
pub fn run(command: TraceCommand) -> Result<Outcome, Failure> {
    match command {
        TraceCommand::Check(args) => check::run(&args),
        TraceCommand::Compare(args) => compare::run(&args),
        TraceCommand::Gen(args) => convert::generate(&args),
        TraceCommand::Convert(args) => convert::run(&args),
        TraceCommand::Stats(args) => stats::run(&args),
        TraceCommand::Show(args) => show::run(&args),
    }
}
