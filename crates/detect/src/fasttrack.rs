//! FastTrack: VerifiedFT's ancestor, in the form that *Verifying Dynamic Race Detection* (CPP 2017) proves, §3.3 and Figure 3.
//!
//! Its state is VerifiedFT's [`EpochVar`] and its rules differ in three places, all listed in VerifiedFT §3: there is no
//! `[Read Shared Same Epoch]`; `[Write Shared]` forgets the reads (`R := ⊥`); `[Join]` increments the ended thread (the
//! [`JoinRule`](crate::sync::JoinRule) that the detector is built with).
//!
//! Deviations: `[Read Share]` in Figure 3 has no premise `R_x ⋠ C_t` and so overlaps with `[Read Exclusive]`; as in the original FastTrack, an
//! ordered read takes `[Read Exclusive]`. `[Write Shared]`'s reset takes place after a race too: the write then stands for the reads.

use crate::history::Conflict;
use crate::precise::{ConflictOf, Step, VarState};
use crate::rule::Rule;
use crate::verifiedft::EpochVar;
use deadheat_clock::{Epoch, VectorClock};
use deadheat_trace::Mode;

/// A variable under FastTrack's rules.
#[derive(Clone, Default)]
pub struct FastVar(pub(crate) EpochVar);

impl VarState for FastVar {
    type Knowledge = VectorClock;

    #[inline]
    fn read(&mut self, known: &VectorClock, step: &mut Step<'_>) -> Option<ConflictOf<Self>> {
        let x = &mut self.0;
        let now = known.epoch(step.slot);
        // [Read Same Epoch] R_x = E(t)
        if x.r == now {
            step.rules.hit(Rule::ReadSameEpoch);
            return None;
        }
        let conflict = if known.covers(x.w) { None } else { x.check_w(known) };
        let rule = x.record_r(known, now, step.site);
        step.rules.hit(if conflict.is_some() { Rule::WriteReadRace } else { rule });
        conflict
    }

    #[inline]
    fn write(&mut self, known: &VectorClock, step: &mut Step<'_>) -> Option<ConflictOf<Self>> {
        let x = &mut self.0;
        let now = known.epoch(step.slot);
        // [Write Same Epoch] W_x = E(t)
        if x.w == now {
            step.rules.hit(Rule::WriteSameEpoch);
            return None;
        }
        let ordered = known.covers(x.w) && x.knows_reads(known);
        let conflict = if ordered { None } else { x.check_wr(known) };
        let rule = if ordered { None } else { Some(x.write_race(&conflict)) };
        if x.r == Epoch::SHARED {
            // [Write Shared] R_x ⊑ C_t: R_x := ⊥, from now on W_x stands for the reads
            (x.r, x.v) = (Epoch::BOTTOM, None);
            step.rules.hit(rule.unwrap_or(Rule::WriteShared));
        } else {
            // [Write Exclusive] R_x ≼ C_t
            step.rules.hit(rule.unwrap_or(Rule::WriteExclusive));
        }
        x.record_w(now, step.site);
        conflict
    }

    fn check_read(&self, known: &VectorClock) -> Option<Conflict<Epoch>> {
        self.0.check_w(known)
    }

    fn check_write(&self, known: &VectorClock) -> Option<Conflict<Epoch>> {
        self.0.check_wr(known)
    }

    fn atomic_stamp(known: &VectorClock, step: &Step<'_>, _mode: Mode) -> Option<Epoch> {
        Some(known.epoch(step.slot))
    }
}
