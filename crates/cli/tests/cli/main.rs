//! The program as its users meet it: every test runs the binary.

mod check;
mod compare;
mod convert;
mod generate;
mod harness;
mod hostile;
mod lenient;
mod many_threads;
mod output;
mod show;
mod stats;
mod terminal;
mod usage;
