//! `cargo xtask`: the one door to everything that is done with this repository.

mod elide;
mod fuzz;
mod mutants;
mod proofs;
mod runtime;
mod setup;
mod shell;
mod soak;
mod suites;
mod threads;

use clap::{Parser, Subcommand, ValueEnum};
use shell::{Step, cargo, cargo_with, root, target};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Everything that is done with this repository")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install what is missing, then check everything: format, lints, tests, documentation, proofs, a short fuzzing of the readers.
    Test,
    /// Compile and run a shipped racy C program; then check a shipped trace, and draw it.
    Demo,
    /// Measure; results go to bench-results/.
    Bench {
        what: Bench,
        /// Passed on: for `runtime` --quick, --repeats N, --programs a,b, --tools a,b; for `compile` --repeats N, --programs a,b.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        options: Vec<String>,
    },
    /// Check the machine-checked proofs from clean, and print what each theorem rests on.
    Proofs {
        /// Check them even if nothing has changed since they were checked.
        #[arg(long)]
        anew: bool,
        /// Instead make a mistake in each comparison of each definition (of these files), one at a time: a proof has to break each. Goes on where it was stopped.
        #[arg(long, value_name = "FILE", num_args = 0.., conflicts_with = "anew")]
        comparisons: Option<Vec<String>>,
    },
    /// Make mistakes in the detectors, one at a time: a test has to notice each.
    Mutants {
        /// Passed on to cargo-mutants.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        options: Vec<String>,
    },
    /// Build and package the runtime: the archive, what to export of it, and the shared library.
    Runtime {
        /// Where to [default: target/runtime].
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Run something for long: it must neither fail, nor hang, nor grow.
    Soak {
        what: Soak,
        /// Seconds for each reader, or for the runtime.
        #[arg(long, default_value_t = 1800)]
        seconds: u32,
        /// For the runtime: only what this compiler builds.
        #[arg(long, value_parser = ["clang", "gcc"])]
        compiler: Option<String>,
    },
    /// Weaken the rules of check elimination, one at a time, to see that the tests notice; then judge the whole corpus of programs, built with `--elide` at every level: some twenty minutes.
    Elide,
    /// Run other projects' own multithreaded tests under Deadheat.
    Suites {
        /// Which [default: all].
        #[arg(value_parser = ["memcached", "sqlite"])]
        which: Vec<String>,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Soak {
    /// Fuzz the readers of traces.
    Readers,
    /// Thread churn, forks, signals, memory, plugins and more in one program, built by clang and by gcc.
    Runtime,
    /// 10,000 threads alive at once, 1,000,000 one after the other, and what an operation costs with 200 and with 300.
    Threads,
}

#[derive(Clone, Copy, ValueEnum)]
enum Bench {
    /// The detectors and readers on generated traces.
    Detect,
    /// Runs a second of the explorer, and how many runs the classic families take.
    Explore,
    /// The runtime on the papers' programs and on real ones from Debian, beside ThreadSanitizer, Helgrind and DRD.
    Runtime,
    /// The processor time that compiling the same programs takes with `--elide`, beside without.
    Compile,
}

fn main() -> ExitCode {
    let done = match Cli::parse().task {
        Task::Test => test(),
        Task::Demo => demo(),
        Task::Bench { what: Bench::Detect, .. } => bench_detect(),
        Task::Bench { what: Bench::Explore, .. } => bench_explore(),
        Task::Bench { what: Bench::Runtime, options } => bench_programs("runtime", &options),
        Task::Bench { what: Bench::Compile, options } => bench_programs("compile", &options),
        Task::Proofs { comparisons: Some(files), .. } => proofs::comparisons::run(&files),
        Task::Proofs { anew, .. } => proofs::run(anew),
        Task::Mutants { options } => mutants::run(&options),
        Task::Runtime { out } => setup::compilers().and_then(|()| runtime::run(out)),
        Task::Soak { what: Soak::Readers, seconds, .. } => setup::fuzzer().and_then(|()| fuzz::run(seconds)),
        Task::Soak { what: Soak::Runtime, seconds, compiler } => soak::run(seconds, compiler.as_deref()),
        Task::Soak { what: Soak::Threads, .. } => threads::run(),
        Task::Elide => elide::run(),
        Task::Suites { which } => suites::run(&which),
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
    setup::clang()?;
    setup::z3()?;
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    for apart in ["fuzz/Cargo.toml", "crates/rt-tsan/Cargo.toml"] {
        cargo(&["fmt", "--manifest-path", apart, "--check"])?;
        cargo(&["clippy", "--manifest-path", apart, "--", "-D", "warnings"])?;
    }
    cargo(&["test", "--workspace"])?;
    cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"])?;
    loom()?;
    proofs::run(false)?;
    setup::fuzzer()?;
    fuzz::run(60)
}

/// All interleavings of the concurrent handlers, in a target folder of their own: everything is built with another `cfg`.
fn loom() -> Step {
    let folder = target().join("loom").display().to_string();
    let package =
        ["test", "--release", "--package", "deadheat-online", "--test", "loom", "--target-dir", &folder];
    cargo_with(&[("RUSTFLAGS", "--cfg loom")], &package)
}

fn demo() -> Step {
    setup::compilers()?;
    cargo(&["build", "--release", "--package", "deadheat"])?;
    let deadheat = target().join("release/deadheat");
    shell::run_expecting(&deadheat, &["run", "examples/bank.c"], 66)?;
    println!();
    let example = "examples/bank.std";
    shell::run_expecting(&deadheat, &["trace", "check", example], 66)?;
    println!();
    let picture = target().join("bank.html");
    let picture = picture.strip_prefix(root()).unwrap_or(&picture).display().to_string();
    shell::run_expecting(&deadheat, &["trace", "show", example, "-o", &picture], 66)
}

/// The benchmarks that build other people's programs.
fn bench_programs(what: &str, options: &[String]) -> Step {
    setup::compilers()?;
    setup::clang_tsan()?;
    cargo(&["build", "--release", "--package", "deadheat", "--package", "deadheat-bench"])?;
    let [bench, deadheat] = ["deadheat-bench", "deadheat"].map(|b| target().join("release").join(b));
    let paths = [deadheat, root().join("bench-results"), target().join("bench-runtime")];
    let paths = paths.map(|path| path.display().to_string());
    let arguments: Vec<&str> =
        [what].into_iter().chain(paths.iter().chain(options).map(String::as_str)).collect();
    shell::run(&bench, &arguments)
}

fn bench_explore() -> Step {
    cargo(&["build", "--release", "--package", "deadheat-bench"])?;
    let out = root().join("bench-results").display().to_string();
    shell::run(&target().join("release/deadheat-bench"), &["explore", &out])
}

fn bench_detect() -> Step {
    setup::compilers()?;
    cargo(&["build", "--release", "--package", "deadheat", "--package", "deadheat-bench"])?;
    let [bench, deadheat] = ["deadheat-bench", "deadheat"].map(|b| target().join("release").join(b));
    let out = root().join("bench-results").display().to_string();
    shell::run(&bench, &["detect", &deadheat.display().to_string(), &out])
}
