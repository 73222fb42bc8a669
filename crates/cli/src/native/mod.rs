//! Real programs: `deadheat run`, `cc` and `c++`.

pub mod args;
mod build;
mod child;
mod command_line;
mod compiler;
mod elide;
mod lto;
mod modules;
mod program;
mod record;
mod response;
mod results;
mod run;
mod runtime;
mod settings;
mod whole;
mod words;
pub mod wrapper;

pub use compiler::Language;
pub use run::{Refusal, run};
