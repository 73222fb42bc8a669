//! What a detector found and how it is told: races with their evidence, told apart, counted, printed, drawn.

mod race;

pub use race::{Evidence, Party, Race, RaceKind};
