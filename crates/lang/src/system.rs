//! The interpreter as a system that the explorer can drive.

use crate::machine::Machine;
use deadheat_explore::{Action, Fault, Log, Points, Status, System};
use deadheat_trace::{Op, Tid};

impl System for Machine {
    fn reset(&mut self) {
        Machine::reset(self);
    }

    fn threads(&self) -> u32 {
        self.created()
    }

    #[inline]
    fn status(&self, tid: Tid) -> Status {
        Machine::status(self, tid)
    }

    fn pending(&self, tid: Tid, into: &mut Vec<Op>) {
        self.pending_ops(tid, into);
    }

    #[inline]
    fn step(&mut self, action: Action, points: &Points, log: &mut Log) -> Result<(), Fault> {
        Machine::step(self, action, points, log)
    }

    fn digest(&self) -> u64 {
        Machine::digest(self)
    }
}
