//! The command line of `deadheat lang`.

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use std::path::PathBuf;

/// What the statuses of `explore` mean.
const EXPLORE_STATUS: &str = "\
Exit status: 0 all schedules verified (or replayed without a bug), 66 a bug was found, 3 stopped before all schedules were seen, 2 bad input or usage.

Examples:
  deadheat lang explore account.heat
  deadheat lang explore account.heat --search pct --runs 100000
  deadheat lang explore big.heat --time 3600 --save big.state
  deadheat lang explore big.heat --resume big.state
  deadheat lang explore account.heat --replay account.replay";

#[derive(Subcommand)]
pub enum LangCommand {
    /// Say what is wrong with a program, without running it.
    Check {
        /// The program; `-` is standard input.
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// Print a program the way it should be written.
    #[command(visible_alias = "format")]
    Fmt(Format),
    /// Run a program once, under a random schedule or a given one, and report its races.
    #[command(after_help = "Exit status: 0 no bug in this run, 66 a bug or a race, 2 bad input or usage.")]
    Run(Run),
    /// Compile race detection into a program and print the result (Verifying Dynamic Race Detection, Fig. 9).
    Instrument(Instrument),
    /// Run a program under every schedule that matters, until a bug is found or all are verified.
    #[command(after_help = EXPLORE_STATUS)]
    Explore(Box<Explore>),
}

#[derive(Args)]
pub struct Format {
    /// The program; `-` is standard input.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Only say whether it is written that way.
    #[arg(long)]
    pub check: bool,
    /// Change the file.
    #[arg(long, short, conflicts_with = "check")]
    pub write: bool,
}

#[derive(Args)]
pub struct Instrument {
    /// The program; `-` is standard input.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Leave the locks around the handlers out: races may be missed (Fig. 10).
    #[arg(long)]
    pub no_locks: bool,
}

#[derive(Args)]
pub struct Run {
    /// The program; `-` is standard input.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Which random schedule.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// The schedule: threads with the number of their operations, such as `0*2 1*5 0`; after it whoever can goes on.
    #[arg(long, value_name = "STEPS")]
    pub schedule: Option<String>,
    /// Write the run as a trace, for `deadheat trace`.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub record: Option<PathBuf>,
    #[command(flatten)]
    pub choice: crate::args::OneDetector,
}

/// How schedules are chosen.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SearchKind {
    /// One schedule of each equivalence class (wakeup trees).
    Optimal,
    /// Dynamic partial order reduction with sleep sets (Flanagan and Godefroid).
    Dpor,
    /// Every interleaving.
    Naive,
    /// Random schedules.
    Random,
    /// Random priorities with few changes (Burckhardt et al.).
    Pct,
    /// Random schedules, close to uniform over classes (selectively uniform random walk).
    Surw,
}

/// Where threads may be switched.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PointsKind {
    /// At synchronisation, and at data race candidates as they are found, until no more are found.
    Deepening,
    /// At synchronisation only.
    Sync,
    /// Before every access to shared memory.
    All,
}

#[derive(Args)]
pub struct Explore {
    /// The program; `-` is standard input.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// How schedules are chosen.
    #[arg(long, value_enum, default_value = "optimal", value_name = "NAME")]
    pub search: SearchKind,
    /// Where threads may be switched [default: deepening; all for random, pct and surw].
    #[arg(long, value_enum, value_name = "NAME")]
    pub points: Option<PointsKind>,
    /// At most so many preemptions in a schedule: faster, and no verification.
    #[arg(long, value_name = "K")]
    pub preemptions: Option<u32>,
    /// How many places of a schedule pct changes.
    #[arg(long, value_name = "D", default_value_t = 3)]
    pub depth: u32,
    /// Which random schedules.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Go on after a bug, and report all that are different.
    #[arg(long)]
    pub keep_going: bool,
    /// Do not report data races as bugs; they still become preemption points.
    #[arg(long)]
    pub allow_races: bool,
    /// Stop after so many runs [default: 100,000 for random, pct and surw].
    #[arg(long, value_name = "N")]
    pub runs: Option<u64>,
    /// Stop after so many seconds.
    #[arg(long, value_name = "SECONDS")]
    pub time: Option<u64>,
    /// Stop when the search needs more mebibytes than this [default: 3/4 of the free memory].
    #[arg(long, value_name = "MIB", value_parser = crate::args::at_least_one)]
    pub memory_limit: Option<u64>,
    /// A run of more steps than this is taken for a livelock.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub steps: u64,
    /// Threads that explore [default: as many as there are processors].
    #[arg(long, short, value_name = "N", value_parser = crate::args::at_least_one)]
    pub jobs: Option<u64>,
    /// Find heap overruns too: malloc and free count as synchronisation (Iterative Deepening, §6.4).
    #[arg(long)]
    pub heap_overruns: bool,
    /// Keep race candidates whose memory was freed and handed out again in between.
    #[arg(long)]
    pub keep_recycled: bool,
    /// Save the state of the search here when it is stopped.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub save: Option<PathBuf>,
    /// Go on where a saved search stopped.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub resume: Option<PathBuf>,
    /// Run the one schedule of that file, and tell what happens.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub replay: Option<PathBuf>,
    /// Write the schedule of the first bug here [default: the program's name with .replay].
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Draw the first bug's run as a page.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub html: Option<PathBuf>,
    /// Print the result as a JSON object.
    #[arg(long)]
    pub json: bool,
}
