//! Random feasible traces: disciplined ones with a chosen share of mistakes, and ones in which anything can happen.

mod disciplined;
mod random;

pub use disciplined::{Disciplined, Workload};
pub use random::{Random, Shape, random_trace};
