//! All races, nothing forgotten: *Ready, Set, Go!* §3.4, Figures 6 and 7.

use super::{Accesses, LabelSet, unknown};
use crate::history::Conflict;
use crate::precise::{ConflictOf, Step, VarState};
use crate::rule::Rule;
use deadheat_trace::{EventId, Mode};

/// `E_hb^z`: all writes to and all reads of the location.
#[derive(Clone, Default)]
pub struct AllRacesVar {
    writes: Accesses,
    reads: Accesses,
}

impl VarState for AllRacesVar {
    type Knowledge = LabelSet;

    fn read(&mut self, known: &LabelSet, step: &mut Step<'_>) -> Option<ConflictOf<Self>> {
        // [R-Read] E^z↓! ⊆ E, E^z := {(m', ?z)} ∪ E^z; [R-Read-E_RaW] E^z↓! ⊈ E
        let conflict = self.check_read(known);
        step.rules.hit(if conflict.is_some() { Rule::RReadRaW } else { Rule::RRead });
        self.reads.push(step.site);
        conflict
    }

    fn write(&mut self, known: &LabelSet, step: &mut Step<'_>) -> Option<ConflictOf<Self>> {
        let conflict = self.check_write(known);
        step.rules.hit(match &conflict {
            // [R-Write] E^z ⊆ E, E^z := {(m', !z)} ∪ E^z
            None => Rule::RWrite,
            // [R-Write-E_WaW] E^z ⊈ E, E^z↓? ⊆ E
            Some(c) if c.prior.mode.writes() => Rule::RWriteWaW,
            // [R-Write-E_WaR] E^z↓? ⊈ E
            Some(_) => Rule::RWriteWaR,
        });
        self.writes.push(step.site);
        conflict
    }

    fn check_read(&self, known: &LabelSet) -> Option<Conflict<EventId>> {
        unknown(&self.writes, known, Mode::Write)
    }

    /// Where both apply, the read is reported: it is the more recent of the two (Figure 7 and its footnote).
    fn check_write(&self, known: &LabelSet) -> Option<Conflict<EventId>> {
        unknown(&self.reads, known, Mode::Read).or_else(|| self.check_read(known))
    }

    fn atomic_stamp(_: &LabelSet, step: &Step<'_>, _: Mode) -> Option<EventId> {
        Some(step.site.event())
    }

    fn settle(known: &mut LabelSet, step: &Step<'_>, _: Mode) {
        known.insert(step.site.event());
    }
}
