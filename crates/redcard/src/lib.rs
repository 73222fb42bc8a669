//! RedCard: which race checks are redundant, because the thread already checked that location in the same release-free span.
#![forbid(unsafe_code)]

pub mod analysis;
pub mod context;
pub mod env;
pub mod exec;
pub mod flow;
pub mod graph;
mod invariant;
pub mod ir;
pub mod literal;
mod meet;
pub mod method;
pub mod peel;
pub mod prove;
pub mod proxy;
pub mod report;
pub mod rules;
mod scope;
pub mod show;
pub mod solver;
pub mod spec;
pub mod term;
#[doc(hidden)]
pub mod weaken;

pub use analysis::{Analysis, Config, Mode, ProxyMode, Reason, Verdict, analyse};
pub use ir::{Program, parse};
