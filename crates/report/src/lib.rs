//! What a detector found and how it is told: races with their evidence, told apart, counted, printed, drawn.
//!
//! A detector hands each [`Race`] to a [`Tally`]. What the tally kept is told as [`text`], as [`json`], or, together with the trace
//! itself, as a [`Picture`]. Nothing here opens a file or knows about terminals: every form is written to a given writer.

mod describe;
mod first;
pub mod json;
mod picture;
mod race;
mod run;
mod tally;
mod tell;
pub mod text;
mod words;

#[cfg(test)]
mod samples;

pub use describe::{describe, explain};
pub use first::{Difference, FirstRaces, differences};
pub use picture::{Picture, PictureEdge};
pub use race::{Evidence, Party, Race, RaceKind};
pub use run::{Precision, Run};
pub use tally::{Counts, Reported, Tally};
pub use tell::why;
pub use words::{counted, printable};
