//! Completion scripts and manual pages, made from the command line's own description.

use crate::args::Cli;
use crate::failure::{Failure, Outcome};
use crate::output::print;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;
use std::path::Path;

/// Prints the completion script for that shell.
pub fn completions(shell: Shell) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "deadheat", &mut script);
    let mut out = std::io::stdout().lock();
    out.write_all(&script).and_then(|()| out.flush()).map_err(|e| Failure::writing("standard output", &e))?;
    Ok(Outcome::Clean)
}

/// Writes `deadheat.1`, `deadheat-trace.1`, `deadheat-trace-check.1` and so on.
pub fn man_pages(dir: &Path) -> Result<Outcome, Failure> {
    std::fs::create_dir_all(dir)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), dir))
        .map_err(|e| Failure::writing(dir.display(), &e))?;
    print(&format!("Wrote the manual pages: try man {}\n", dir.join("deadheat.1").display()))?;
    Ok(Outcome::Clean)
}
