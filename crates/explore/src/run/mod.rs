//! What is known about one run: its steps and their order, its data races, and where it could be preempted next.

pub(crate) mod clocks;
pub(crate) mod objects;
pub(crate) mod trail;
