//! `cargo xtask`: the one door to everything that is done with this repository.

mod fuzz;
mod setup;
mod shell;

use clap::{Parser, Subcommand, ValueEnum};
use shell::{Step, cargo, root, target};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Everything that is done with this repository")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install what is missing, then check everything: format, lints, tests, documentation, a short fuzzing of the readers.
    Test,
    /// Check a shipped example trace, report its races and draw it.
    Demo,
    /// Measure; results go to bench-results/.
    Bench { what: Bench },
    /// Fuzz the readers for longer than `test` does.
    Soak {
        /// Seconds for each target.
        #[arg(long, default_value_t = 1800)]
        seconds: u32,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Bench {
    /// The detectors and readers on generated traces.
    Detect,
}

fn main() -> ExitCode {
    let done = match Cli::parse().task {
        Task::Test => test(),
        Task::Demo => demo(),
        Task::Bench { what: Bench::Detect } => bench_detect(),
        Task::Soak { seconds } => setup::fuzzer().and_then(|()| fuzz::run(seconds)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("xtask: {e}");
            ExitCode::FAILURE
        }
    }
}

fn test() -> Step {
    setup::compilers()?;
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    cargo(&["clippy", "--manifest-path", "fuzz/Cargo.toml", "--", "-D", "warnings"])?;
    cargo(&["test", "--workspace"])?;
    cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"])?;
    setup::fuzzer()?;
    fuzz::run(60)
}

fn demo() -> Step {
    setup::compilers()?;
    cargo(&["build", "--release", "--package", "deadheat"])?;
    let deadheat = target().join("release/deadheat");
    let example = "examples/bank.std";
    shell::run_expecting(&deadheat, &["trace", "check", example], 66)?;
    println!();
    let picture = target().join("bank.html");
    let picture = picture.strip_prefix(root()).unwrap_or(&picture).display().to_string();
    shell::run_expecting(&deadheat, &["trace", "show", example, "-o", &picture], 66)
}

fn bench_detect() -> Step {
    setup::compilers()?;
    cargo(&["build", "--release", "--package", "deadheat", "--package", "deadheat-bench"])?;
    let [bench, deadheat] = ["deadheat-bench", "deadheat"].map(|b| target().join("release").join(b));
    let out = root().join("bench-results").display().to_string();
    shell::run(&bench, &["detect", &deadheat.display().to_string(), &out])
}
