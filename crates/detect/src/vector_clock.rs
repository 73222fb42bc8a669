//! VectorClock: two vector clocks per location.
//!
//! *Verifying Dynamic Race Detection* (CPP 2017), §3.2 and Figure 2; with [`JoinRule::Keep`](crate::sync::JoinRule) the multi-join
//! variant of §3.4, in which a thread joined by several is fine.
//!
//! Deviations: Figure 2 prints `W' = W[x := R_x[t := C_t(t)]]` in `[Write]`; that is a slip for `W_x[t := C_t(t)]`, as the text
//! ("`W_x` stores the time of each thread's last write") says. After a race the access is recorded and the detector goes on.

use crate::history::{Conflict, History};
use crate::precise::{ConflictOf, Step, VarState};
use crate::rule::Rule;
use deadheat_clock::{Epoch, VectorClock};
use deadheat_trace::Mode;

/// `R_x` and `W_x`: the time of each thread's last read and last write.
#[derive(Clone, Default)]
pub struct VarClocks {
    pub(crate) reads: History,
    pub(crate) writes: History,
}

impl VarState for VarClocks {
    type Knowledge = VectorClock;

    fn read(&mut self, known: &VectorClock, step: &mut Step<'_>) -> Option<ConflictOf<Self>> {
        let now = known.epoch(step.slot);
        // [Read No Change] R_x(t) = C_t(t)
        if self.reads.clock(step.slot) == now.clock() {
            step.rules.hit(Rule::ReadNoChange);
            return None;
        }
        // [Read] W_x ⊑ C_t, R_x(t) := C_t(t)
        let conflict = self.check_read(known);
        step.rules.hit(if conflict.is_some() { Rule::WriteReadRace } else { Rule::Read });
        self.reads.record(now, step.site);
        conflict
    }

    fn write(&mut self, known: &VectorClock, step: &mut Step<'_>) -> Option<ConflictOf<Self>> {
        let now = known.epoch(step.slot);
        // [Write No Change] W_x(t) = C_t(t)
        if self.writes.clock(step.slot) == now.clock() {
            step.rules.hit(Rule::WriteNoChange);
            return None;
        }
        // [Write] W_x ⊑ C_t, R_x ⊑ C_t, W_x(t) := C_t(t)
        let conflict = self.check_write(known);
        step.rules.hit(match &conflict {
            None => Rule::Write,
            Some(c) if c.prior.mode.writes() => Rule::WriteWriteRace,
            Some(_) => Rule::ReadWriteRace,
        });
        self.writes.record(now, step.site);
        conflict
    }

    fn check_read(&self, known: &VectorClock) -> Option<Conflict<Epoch>> {
        self.writes.check(known, Mode::Write)
    }

    fn check_write(&self, known: &VectorClock) -> Option<Conflict<Epoch>> {
        self.check_read(known).or_else(|| self.reads.check(known, Mode::Read))
    }

    fn atomic_stamp(known: &VectorClock, step: &Step<'_>, _mode: Mode) -> Option<Epoch> {
        Some(known.epoch(step.slot))
    }
}
