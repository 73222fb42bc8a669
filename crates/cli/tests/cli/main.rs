//! The program as its users meet it: every test runs the binary.

mod cc;
mod check;
mod compare;
mod convert;
mod elide;
mod exports;
mod generate;
mod harness;
mod hostile;
mod lang;
mod lenient;
mod many_threads;
mod output;
mod programs;
mod reports;
mod run;
mod run_built;
mod show;
mod signals;
mod soak;
mod stats;
mod terminal;
mod trouble;
mod usage;
mod whole;
