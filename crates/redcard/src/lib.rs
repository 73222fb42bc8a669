//! RedCard: which race checks are redundant, because the thread already checked that location in the same release-free span.
//!
//! C. Flanagan, S. N. Freund: *RedCard: Redundant Check Elimination for Dynamic Race Detectors*, ECOOP 2013 (UCSC-SOE-13-05).
//!
//! A release-free span has no outgoing edge in the happens-before order. If an access races with a step of another thread, so do all
//! earlier accesses of the span to the same location. So only the first needs a check. A front end lowers its program to [`ir`],
//! [`analyse`] computes a context Π for every point (`rules.rs` has the paper's rules by name) and a [`Verdict`] for every access.
//!
//! ```
//! use deadheat_redcard::{Config, analyse, ir::AccessId, parse, solver::Builtin};
//! let program = parse("field f  fn main(m, x) { e: lock m  y = read x.f  z = read x.f  unlock m  return }")?;
//! let analysis = analyse(&program, Config::default(), &mut Builtin::default())?;
//! assert_eq!(analysis.mark(AccessId(0)), "Check");
//! assert_eq!(analysis.mark(AccessId(1)), "NoCheck");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! *Deviations* from the paper, besides those in `proxy/mod.rs` and `env.rs`:
//! - The language is SSA; `[ASSIGN]` is a substitution, and Skolem variables come from φ-functions only.
//! - Strides are constants. A context has at most 160 paths and 160 facts, and loops run on fuel; what does not fit is forgotten.
//! - Facts about array bounds (0 ≤ i < length after an access) are not used: the graph does not say that accesses are checked for them.
//!
//! *Not claimed*: that the same races are reported, only that one is if there is one (Theorem 1); and nothing about a thread that is
//! killed between an access and the proxy that follows it.
#![forbid(unsafe_code)]

pub mod analysis;
pub mod context;
pub mod env;
pub mod exec;
pub mod explain;
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
