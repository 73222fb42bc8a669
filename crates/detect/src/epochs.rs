//! The rules that FastTrack and VerifiedFT share: an epoch for the last write, an epoch for the last read while reads are ordered, a
//! vector once they are not.
//!
//! The names are those of *VerifiedFT* (PPoPP 2018), §3 and Figure 2; FastTrack's (Figure 3 of *Verifying Dynamic Race Detection*) are
//! the same where it has the rule. What differs is an [`EpochRules`], in `verifiedft.rs` and `fasttrack.rs`, and the
//! [`JoinRule`](crate::sync::JoinRule) that a detector is built with.
//!
//! Deviation: the papers stop at the first race; here the access is recorded as if it had been ordered, and the analysis goes on. What is
//! remembered is always an access that took place, so a report is always a true racing pair, and on each variable the first race is exact.

use crate::history::{Conflict, History, Site};
use crate::precise::{ConflictOf, Step, VarState};
use crate::rule::Rule;
use deadheat_clock::{Epoch, VectorClock};
use deadheat_trace::Mode;
use std::marker::PhantomData;

/// Where FastTrack and VerifiedFT differ about a variable.
pub trait EpochRules: Clone + Default {
    /// Is it enough that the reads are shared and this thread has read in its present epoch?
    fn read_shared_same_epoch(reads: &History, now: Epoch) -> bool;

    /// What `[Write Shared]` leaves of `R` and `V`.
    fn after_write_shared(r: &mut Epoch, v: &mut Option<Box<History>>);
}

/// `S_x`: what a variable remembers, with where each remembered access was made.
///
/// | paper | field | meaning |
/// | --- | --- | --- |
/// | `S_x.W` | `w` | last write |
/// | `S_x.R` | `r` | last read, if all reads so far were ordered; else `SHARED` |
/// | `S_x.V` | `v` | last read of each thread, once `r` is `SHARED` |
#[derive(Clone, Default)]
pub struct EpochVar<R> {
    pub(crate) w: Epoch,
    pub(crate) r: Epoch,
    pub(crate) v: Option<Box<History>>,
    w_site: Site,
    r_site: Site,
    rules: PhantomData<R>,
}

// With the atomic side's pointer a cell has 64 bytes: a cache line.
const _: () = assert!(size_of::<EpochVar<()>>() == 56);

impl<R: EpochRules> EpochVar<R> {
    /// `S_x.R ≼ S_t.V` or `S_x.V ⊑ S_t.V`, whichever holds the reads: is no read unknown?
    #[inline(always)]
    fn knows_reads(&self, known: &VectorClock) -> bool {
        if self.r == Epoch::SHARED { self.unknown_shared(known).is_none() } else { known.covers(self.r) }
    }

    fn unknown_shared(&self, known: &VectorClock) -> Option<Conflict<Epoch>> {
        self.v.as_ref().and_then(|reads| reads.check(known, Mode::Read))
    }

    /// The read rules that change `R` or `V`.
    #[inline(always)]
    fn record_read(&mut self, known: &VectorClock, now: Epoch, site: Site) -> Rule {
        if self.r == Epoch::SHARED {
            // [Read Shared] V(t) := E_t
            self.v.get_or_insert_default().record(now, site);
            Rule::ReadShared
        } else if known.covers(self.r) {
            // [Read Exclusive] R := E_t
            (self.r, self.r_site) = (now, site);
            Rule::ReadExclusive
        } else {
            // [Read Share] two concurrent readers: V := ⊥[t := E_t, u := R], R := SHARED
            let mut reads = Box::<History>::default();
            reads.record(self.r, self.r_site);
            reads.record(now, site);
            (self.r, self.v) = (Epoch::SHARED, Some(reads));
            Rule::ReadShare
        }
    }

    /// Which of the write races this conflict is.
    #[cold]
    fn write_race(&self, conflict: &Option<Conflict<Epoch>>) -> Rule {
        match conflict.as_ref().map(|c| c.prior.mode) {
            // [Write-Write Race] W ⋠ C_t
            Some(Mode::Write) => Rule::WriteWriteRace,
            // [Shared-Write Race] V ⋢ C_t
            _ if self.r == Epoch::SHARED => Rule::SharedWriteRace,
            // [Read-Write Race] R ⋠ C_t
            _ => Rule::ReadWriteRace,
        }
    }
}

impl<R: EpochRules> VarState for EpochVar<R> {
    type Knowledge = VectorClock;

    #[inline(always)]
    fn read(&mut self, known: &VectorClock, step: &mut Step<'_>) -> Option<ConflictOf<Self>> {
        let now = known.epoch(step.slot);
        // [Read Same Epoch] R = E_t
        if self.r == now {
            step.rules.hit(Rule::ReadSameEpoch);
            return None;
        }
        // [Read Shared Same Epoch] R = SHARED, V(t) = E_t
        if self.r == Epoch::SHARED && self.v.as_ref().is_some_and(|v| R::read_shared_same_epoch(v, now)) {
            step.rules.hit(Rule::ReadSharedSameEpoch);
            return None;
        }
        // [Write-Read Race] W ⋠ C_t
        let conflict = if known.covers(self.w) { None } else { self.check_read(known) };
        let rule = self.record_read(known, now, step.site);
        step.rules.hit(if conflict.is_some() { Rule::WriteReadRace } else { rule });
        conflict
    }

    #[inline(always)]
    fn write(&mut self, known: &VectorClock, step: &mut Step<'_>) -> Option<ConflictOf<Self>> {
        let now = known.epoch(step.slot);
        // [Write Same Epoch] W = E_t
        if self.w == now {
            step.rules.hit(Rule::WriteSameEpoch);
            return None;
        }
        let ordered = known.covers(self.w) && self.knows_reads(known);
        let conflict = if ordered { None } else { self.check_write(known) };
        let race = if ordered { None } else { Some(self.write_race(&conflict)) };
        if self.r == Epoch::SHARED {
            // [Write Shared] V ⊑ C_t
            R::after_write_shared(&mut self.r, &mut self.v);
            step.rules.hit(race.unwrap_or(Rule::WriteShared));
        } else {
            // [Write Exclusive] R ≼ C_t
            step.rules.hit(race.unwrap_or(Rule::WriteExclusive));
        }
        (self.w, self.w_site) = (now, step.site);
        conflict
    }

    #[cold]
    fn check_read(&self, known: &VectorClock) -> Option<Conflict<Epoch>> {
        (!known.covers(self.w)).then(|| Conflict::at(self.w, self.w_site, Mode::Write))
    }

    #[cold]
    fn check_write(&self, known: &VectorClock) -> Option<Conflict<Epoch>> {
        self.check_read(known).or_else(|| match self.r {
            Epoch::SHARED => self.unknown_shared(known),
            r => (!known.covers(r)).then(|| Conflict::at(r, self.r_site, Mode::Read)),
        })
    }

    fn atomic_stamp(known: &VectorClock, step: &Step<'_>, _mode: Mode) -> Option<Epoch> {
        Some(known.epoch(step.slot))
    }
}
