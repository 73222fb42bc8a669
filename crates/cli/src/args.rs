//! The command line.

use crate::lang::args::LangCommand;
use crate::native::args::{COMPILE_EXAMPLES, Compile, RUN_EXAMPLES, Run};
use clap::builder::{PossibleValue, Styles, styling::AnsiColor};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use deadheat_detect::DetectorKind;
use deadheat_trace::format::{Compression, Format};
use std::path::{Path, PathBuf};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const EXIT_STATUS: &str = "Exit status: 0 no race, 66 races found, 2 bad input or usage.";

/// Finds the data races of concurrent programs: all of those in the run it looks at, and nothing else.
#[derive(Parser)]
#[command(name = "deadheat", version, styles = STYLES, after_help = EXIT_STATUS, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Build and run a C or C++ program, and report its data races.
    #[command(after_help = RUN_EXAMPLES)]
    Run(Box<Run>),
    /// Compile C so that the program reports its data races: for make, configure and cmake.
    #[command(after_help = COMPILE_EXAMPLES)]
    Cc(Compile),
    /// Compile C++ so that the program reports its data races: for make, configure and cmake.
    #[command(name = "c++", after_help = COMPILE_EXAMPLES)]
    Cxx(Compile),
    /// The small language: run, explore, instrument concurrent programs of a page.
    #[command(subcommand)]
    Lang(LangCommand),
    /// Analyse recorded traces: who did what to which memory, in which order.
    #[command(subcommand)]
    Trace(TraceCommand),
    /// Print a completion script for your shell.
    #[command(
        after_help = "For bash: deadheat completions bash > ~/.local/share/bash-completion/completions/deadheat"
    )]
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write the manual pages into a directory.
    #[command(after_help = "To read one: man DIR/deadheat-trace-check.1")]
    Man {
        /// The directory; made if it is missing.
        #[arg(value_hint = ValueHint::DirPath)]
        dir: PathBuf,
    },
}

#[derive(Subcommand)]
pub enum TraceCommand {
    /// Find the races of a trace with one detector.
    #[command(after_help = EXIT_STATUS)]
    Check(Check),
    /// Run several detectors side by side and show where they differ.
    #[command(after_help = EXIT_STATUS)]
    Compare(Compare),
    /// Make a random trace of something that could have happened.
    Gen(Generate),
    /// Rewrite a trace in another format.
    Convert(Convert),
    /// Count events by kind and how often each rule of a detector applied.
    #[command(after_help = EXIT_STATUS)]
    Stats(Stats),
    /// Draw a trace: a lane per thread, arrows for what orders what, races marked.
    #[command(after_help = EXIT_STATUS)]
    Show(Show),
}

/// Where a trace comes from and how it is read.
#[derive(Args)]
pub struct Input {
    /// The trace: STD text, JSON Lines or binary, plain or packed with gzip or zstd, whatever its name. `-` is standard input.
    #[arg(value_hint = ValueHint::FilePath, default_value = "-")]
    pub file: PathBuf,
    /// Repair what real logs lack (a lock held at the start, a missing fork) and say what was repaired.
    #[arg(long)]
    pub lenient: bool,
    /// Stop when the analysis needs more mebibytes than this [default: 3/4 of the free memory].
    #[arg(long, value_name = "MIB", value_parser = at_least_one)]
    pub memory_limit: Option<u64>,
}

#[derive(Args)]
pub struct Check {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub choice: OneDetector,
    /// Print at most this many distinct races; all are counted.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub max_races: usize,
    /// Print the report as a JSON object.
    #[arg(long)]
    pub json: bool,
}

/// A detector and what it can be told.
#[derive(Args)]
pub struct OneDetector {
    /// The detector.
    #[arg(long, short, value_enum, default_value = "verifiedft", value_name = "NAME")]
    pub detector: Detector,
    /// Events between two garbage collections of hb-sets-gc.
    #[arg(long, value_name = "N", default_value_t = DetectorKind::GC_EVERY, value_parser = at_least_one)]
    pub gc_every: u64,
}

#[derive(Args)]
pub struct Compare {
    #[command(flatten)]
    pub input: Input,
    /// The detectors, separated by commas [default: all for a short trace, all but the slowest for a long one].
    #[arg(long, short, value_enum, value_delimiter = ',', value_name = "NAMES")]
    pub detector: Vec<Detector>,
    /// Events between two garbage collections of hb-sets-gc.
    #[arg(long, value_name = "N", default_value_t = DetectorKind::GC_EVERY, value_parser = at_least_one)]
    pub gc_every: u64,
    /// Print the comparison as a JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Where a trace goes and in which form.
#[derive(Args)]
pub struct Output {
    /// Where to write [default: standard output].
    #[arg(long, short, value_hint = ValueHint::FilePath, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The format [default: by the output's name (.std .jsonl .dht), else STD].
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: Option<OutFormat>,
    /// The compression [default: by the output's name (.gz .zst), else none].
    #[arg(long, value_enum, value_name = "HOW")]
    pub compress: Option<OutCompression>,
    /// Print a summary as a JSON object: on standard output, or on standard error if the trace goes there.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Generate {
    /// Events in the trace.
    #[arg(long, short = 'n', value_name = "N", default_value_t = 1000, value_parser = at_least_one)]
    pub events: u64,
    /// Threads; the first one forks and joins the others.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub threads: u32,
    /// Variables.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub vars: u32,
    /// Locks, each guarding its share of the variables.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub locks: u32,
    /// Channels: half are used as locks, half pass messages.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub channels: u32,
    /// Accesses in a guarded section, on average.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub section: u32,
    /// Share of the accesses that are reads, from 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.7, value_parser = share)]
    pub reads: f64,
    /// Share of the accesses made without their guard, from 0 to 1; 0 gives a trace without a race.
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = share)]
    pub race_density: f64,
    /// Steps of a thread before another one's turn comes, on average.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub burst: u32,
    /// The same seed gives the same trace.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// What the trace is made of; `all` ignores --section and the shares.
    #[arg(long, value_enum, value_name = "WHICH", default_value = "guarded")]
    pub operations: Operations,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Operations {
    /// Sections of reads and writes under locks and channels, as in a program.
    Guarded,
    /// Every operation there is, at random: atomics, fences, barriers, read-write locks, allocation …
    All,
}

#[derive(Args)]
pub struct Convert {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Args)]
pub struct Stats {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub choice: OneDetector,
    /// Print the counts as a JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Show {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub choice: OneDetector,
    /// Where to draw: a still if the name ends in .svg, else a page [default: the trace's name with .html].
    #[arg(long, short, value_hint = ValueHint::FilePath, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draw so many events from the start [default: 20000 on a page, 2000 in a still].
    #[arg(long, short = 'n', value_name = "N", value_parser = at_least_one)]
    pub events: Option<u64>,
    /// Print a summary as a JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Does that name stand for standard input or output?
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(n) if (0.0..=1.0).contains(&n) => Ok(n),
        _ => Err("expected a number from 0 to 1".into()),
    }
}

pub fn at_least_one(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(n @ 1..) => Ok(n),
        _ => Err("expected a whole number, at least 1".into()),
    }
}

/// [`DetectorKind`] as an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Detector(pub DetectorKind);

impl ValueEnum for Detector {
    fn value_variants<'a>() -> &'a [Detector] {
        const ALL: [Detector; DetectorKind::ALL.len()] = {
            let mut all = [Detector(DetectorKind::Oracle); DetectorKind::ALL.len()];
            let mut i = 0;
            while i < all.len() {
                all[i] = Detector(DetectorKind::ALL[i]);
                i += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()).help(self.0.about()))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutFormat {
    /// RAPID's text, with words for what RAPID does not know.
    Std,
    /// A JSON object a line.
    Jsonl,
    /// Deadheat's own, small and fast.
    Binary,
}

impl From<OutFormat> for Format {
    fn from(format: OutFormat) -> Format {
        match format {
            OutFormat::Std => Format::Std,
            OutFormat::Jsonl => Format::Jsonl,
            OutFormat::Binary => Format::Binary,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum OutCompression {
    None,
    Gzip,
    Zstd,
}

impl From<OutCompression> for Compression {
    fn from(compression: OutCompression) -> Compression {
        match compression {
            OutCompression::None => Compression::None,
            OutCompression::Gzip => Compression::Gzip,
            OutCompression::Zstd => Compression::Zstd,
        }
    }
}
