//! What is known about one run: its steps and their order, its data races, and where it could be preempted next.

pub(crate) mod candidates;
pub(crate) mod clocks;
pub(crate) mod known;
pub(crate) mod locksets;
pub(crate) mod objects;
pub(crate) mod precise;
pub(crate) mod rows;
pub(crate) mod trail;
