//! What `deadheat run`, `cc` and `c++` take, and how they tell it.

use clap::{Args, ValueEnum, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

/// Shown below the options of `run`.
pub const RUN_EXAMPLES: &str = "\
Examples:
  deadheat run prog.c                        compile with -g -O1 and instrumentation, run
  deadheat run -O2 a.cc b.cc -lz -- in.txt   compiler flags; after --, the program's arguments
  deadheat run ./prog in.txt                 a program built with deadheat cc, or by gcc with
                                             -fsanitize=thread, which need not be linked again
  deadheat run --html races.html ./prog      a page to look at
  deadheat run --record t.dht ./prog && deadheat trace show t.dht

Exit status: the program's own; 66 (or --exit-code) if it raced; 2 if it could not be built or run.
DEADHEAT_OPTIONS and TSAN_OPTIONS are understood too: DEADHEAT_OPTIONS=help=1 lists them.";

/// Shown below the options of `cc` and `c++`.
pub const COMPILE_EXAMPLES: &str = "\
Examples:
  make CC=\"deadheat cc\" CXX=\"deadheat c++\"
  CC=\"deadheat cc\" CXX=\"deadheat c++\" ./configure
  CC=\"deadheat cc\" CXX=\"deadheat c++\" cmake -B build && cmake --build build
  deadheat cc -O2 prog.c -o prog && ./prog
  deadheat cc --elide -O2 prog.c -o prog     fewer checks, the same races, a faster program (clang only)
  deadheat cc --elide -O2 -flto a.c b.c      the same for all files as one

--elide[=LEVEL] leaves out checks that cannot find anything new: off; redundant, made before since the thread last
published something; coalesce, also whole ranges before loops; inline (the default), also the usual comparison in the code.
--elide-stats tells what was done. DEADHEAT_ELIDE=LEVEL does the same for a whole build.

All other arguments go to the compiler; -fsanitize=thread, and -g if you give no -g, are added, and programs are linked
with Deadheat's runtime. DEADHEAT_CC and DEADHEAT_CXX name the compiler [default: the newest clang, else gcc].";

#[derive(Args)]
pub struct Run {
    #[command(flatten)]
    pub options: RunOptions,
    /// Source files with flags for the compiler, then `--` and arguments for the program; or a program with its arguments.
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "SOURCES|PROGRAM",
        value_hint = ValueHint::CommandWithArguments
    )]
    pub words: Vec<OsString>,
}

/// The options; among source files and compiler flags they may stand anywhere.
#[derive(Args, Default)]
pub struct RunOptions {
    /// The algorithm.
    #[arg(long, value_enum, value_name = "NAME")]
    pub algorithm: Option<Algorithm>,
    /// Write the reports to this file as JSON, one a line.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub json: Option<PathBuf>,
    /// Write the reports to this file as SARIF 2.1.0, for code hosts and editors.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub sarif: Option<PathBuf>,
    /// Write the reports to this file as a page to look at.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub html: Option<PathBuf>,
    /// Record what the program does as a trace, for `deadheat trace`; the name chooses the format (.std .jsonl .dht, .gz .zst).
    /// Programs that it starts are recorded beside it, with their process's number in the name.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub record: Option<PathBuf>,
    /// Do not report what this file says, in ThreadSanitizer's syntax.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub suppressions: Option<PathBuf>,
    /// Stop the program at the first report.
    #[arg(long)]
    pub halt: bool,
    /// Exit with this status if there were reports [default: 66].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8))]
    pub exit_code: Option<u8>,
    /// Write the reports to FILE.PID in place of standard error.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub log: Option<PathBuf>,
    /// At the end, tell how often each rule applied.
    #[arg(long)]
    pub stats: bool,
    /// The compiler [default: $CC or $CXX, else the newest clang, else gcc].
    #[arg(long, value_name = "PROGRAM", value_hint = ValueHint::CommandName)]
    pub compiler: Option<OsString>,
    /// Keep the program that was built, under this name.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub keep: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Algorithm {
    /// VerifiedFT with a lock around every access.
    V1,
    /// VerifiedFT with lock-free reads of the own epoch.
    #[value(name = "v1.5")]
    V15,
    /// VerifiedFT with lock-free fast paths, the default.
    V2,
    /// FastTrack with a lock around what is not the same epoch.
    FtMutex,
    /// FastTrack with compare-and-swap.
    FtCas,
}

impl Algorithm {
    /// What the runtime calls it.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

#[derive(Args)]
pub struct Compile {
    /// What the compiler is told.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    pub words: Vec<OsString>,
}
