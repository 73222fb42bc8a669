//! RedCard for the small language: which accesses of a program need a check, shown, run and watched.
//!
//! `redcard` has the analysis over an abstract graph and knows no language; `lang` has the language and knows no analysis. This crate
//! stands between them: [`lower`](lower()) makes the graph, [`elide`] asks for the verdicts and gives them to the compiled instructions,
//! [`annotate`](mod@annotate) prints the program as the paper does, [`peel`] transforms loops, [`count`] is Table 1, and
//! [`monitor`] judges a run's trace without knowing how the verdicts came about.
//!
//! *Not claimed*: that a run which fails between an access and the proxy right after it has its race told (see `redcard`).
#![forbid(unsafe_code)]

pub mod annotate;
pub mod count;
pub mod lower;
pub mod monitor;
pub mod peel;
mod ranges;
mod show;
mod subject;

pub use lower::{Access, Lowered, lower};
pub use subject::{Elision, Subject, elide};
