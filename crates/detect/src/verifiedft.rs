//! VerifiedFT: an epoch for the last write, an epoch for the last read while reads are ordered, a vector once they are not.
//!
//! *VerifiedFT* (PPoPP 2018), §3 and Figure 2. [`EpochVar`] and its two checks serve FastTrack too, which differs in
//! three rules (`fasttrack.rs`).
//!
//! Deviation: the paper stops at the first race; here the access is recorded as if it had been ordered, and the analysis goes on. What is
//! remembered is always an access that took place, so a report is always a true racing pair, and on each variable the first race is exact.

use crate::history::{Conflict, History, Site};
use crate::precise::{ConflictOf, Step, VarState};
use crate::rule::Rule;
use deadheat_clock::{Epoch, VectorClock};
use deadheat_trace::Mode;

/// `S_x`: what a variable remembers, with where each remembered access was made.
///
/// | paper | field | meaning |
/// | --- | --- | --- |
/// | `S_x.W` | `w` | last write |
/// | `S_x.R` | `r` | last read, if all reads so far were ordered; else `SHARED` |
/// | `S_x.V` | `v` | last read of each thread, once `r` is `SHARED` |
#[derive(Clone, Default)]
pub struct EpochVar {
    pub(crate) w: Epoch,
    pub(crate) r: Epoch,
    pub(crate) v: Option<Box<History>>,
    w_site: Site,
    r_site: Site,
}

// With the atomic side's pointer a cell has 64 bytes: a cache line.
const _: () = assert!(size_of::<EpochVar>() == 56);

impl EpochVar {
    /// `S_x.R ≼ S_t.V` or `S_x.V ⊑ S_t.V`, whichever holds the reads: is no read unknown?
    #[inline(always)]
    pub(crate) fn knows_reads(&self, known: &VectorClock) -> bool {
        if self.r == Epoch::SHARED { self.unknown_shared(known).is_none() } else { known.covers(self.r) }
    }

    fn unknown_shared(&self, known: &VectorClock) -> Option<Conflict<Epoch>> {
        self.v.as_ref().and_then(|reads| reads.check(known, Mode::Read))
    }

    /// `S_x.W ≼ S_t.V`, or else the write that is not.
    #[cold]
    pub(crate) fn check_w(&self, known: &VectorClock) -> Option<Conflict<Epoch>> {
        (!known.covers(self.w)).then(|| Conflict::at(self.w, self.w_site, Mode::Write))
    }

    /// Both, or else an access that is not covered.
    #[cold]
    pub(crate) fn check_wr(&self, known: &VectorClock) -> Option<Conflict<Epoch>> {
        self.check_w(known).or_else(|| match self.r {
            Epoch::SHARED => self.unknown_shared(known),
            r => (!known.covers(r)).then(|| Conflict::at(r, self.r_site, Mode::Read)),
        })
    }

    /// `S_x.W := E_t`.
    #[inline(always)]
    pub(crate) fn record_w(&mut self, now: Epoch, site: Site) {
        (self.w, self.w_site) = (now, site);
    }

    /// The read rules that change `R` or `V`: `[Read Shared]`, `[Read Exclusive]`, `[Read Share]`.
    #[inline(always)]
    pub(crate) fn record_r(&mut self, known: &VectorClock, now: Epoch, site: Site) -> Rule {
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
            self.v = Some(reads);
            self.r = Epoch::SHARED;
            Rule::ReadShare
        }
    }

    /// Is `S_x.V(t) = E_t`, with `S_x.R = SHARED`?
    #[inline(always)]
    fn read_shared_at(&self, now: Epoch) -> bool {
        self.r == Epoch::SHARED && self.v.as_ref().is_some_and(|v| v.clock(now.tid()) == now.clock())
    }

    /// `[Write-Write Race]`, `[Read-Write Race]` or `[Shared-Write Race]`: which of them this conflict is.
    #[cold]
    pub(crate) fn write_race(&self, conflict: &Option<Conflict<Epoch>>) -> Rule {
        match conflict.as_ref().map(|c| c.prior.mode) {
            Some(Mode::Write) => Rule::WriteWriteRace,
            _ if self.r == Epoch::SHARED => Rule::SharedWriteRace,
            _ => Rule::ReadWriteRace,
        }
    }
}

/// A variable under VerifiedFT's rules.
#[derive(Clone, Default)]
pub struct VerifiedVar(pub(crate) EpochVar);

impl VarState for VerifiedVar {
    type Knowledge = VectorClock;

    #[inline(always)]
    fn read(&mut self, known: &VectorClock, step: &mut Step<'_>) -> Option<ConflictOf<Self>> {
        let x = &mut self.0;
        let now = known.epoch(step.slot);
        // [Read Same Epoch] R = E_t
        if x.r == now {
            step.rules.hit(Rule::ReadSameEpoch);
            return None;
        }
        // [Read Shared Same Epoch] R = SHARED, V(t) = E_t
        if x.read_shared_at(now) {
            step.rules.hit(Rule::ReadSharedSameEpoch);
            return None;
        }
        // [Write-Read Race] W ⋠ C_t
        let conflict = if known.covers(x.w) { None } else { x.check_w(known) };
        let rule = x.record_r(known, now, step.site);
        step.rules.hit(if conflict.is_some() { Rule::WriteReadRace } else { rule });
        conflict
    }

    #[inline(always)]
    fn write(&mut self, known: &VectorClock, step: &mut Step<'_>) -> Option<ConflictOf<Self>> {
        let x = &mut self.0;
        let now = known.epoch(step.slot);
        // [Write Same Epoch] W = E_t
        if x.w == now {
            step.rules.hit(Rule::WriteSameEpoch);
            return None;
        }
        let mut conflict = None;
        if !(known.covers(x.w) && x.knows_reads(known)) {
            // [Write-Write Race], [Read-Write Race], [Shared-Write Race]
            conflict = x.check_wr(known);
            step.rules.hit(x.write_race(&conflict));
        } else if x.r == Epoch::SHARED {
            // [Write Shared] V ⊑ C_t: R stays SHARED and V stays as it is
            step.rules.hit(Rule::WriteShared);
        } else {
            // [Write Exclusive] R ≼ C_t
            step.rules.hit(Rule::WriteExclusive);
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
