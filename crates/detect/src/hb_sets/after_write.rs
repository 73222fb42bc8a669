//! Read-after-write and write-after-write races only: *Ready, Set, Go!* §3.3, Figures 2 and 3.

use super::{Accesses, LabelSet, unknown};
use crate::history::Conflict;
use crate::precise::{ConflictOf, Step, VarState};
use crate::rule::Rule;
use deadheat_trace::{EventId, Mode};

/// `E_hb^z`: all writes to the location.
#[derive(Clone, Default)]
pub struct AfterWriteVar {
    writes: Accesses,
}

impl VarState for AfterWriteVar {
    type Knowledge = LabelSet;

    fn read(&mut self, known: &LabelSet, step: &mut Step<'_>) -> Option<ConflictOf<Self>> {
        // [R-Read] E^z ⊆ E; [R-Read-E_RaW] E^z ⊈ E
        let conflict = self.check_read(known);
        step.rules.hit(if conflict.is_some() { Rule::RReadRaW } else { Rule::RRead });
        conflict
    }

    fn write(&mut self, known: &LabelSet, step: &mut Step<'_>) -> Option<ConflictOf<Self>> {
        // [R-Write] E^z ⊆ E, E^z := {(m', !z)} ∪ E^z; [R-Write-E_WaW] E^z ⊈ E
        let conflict = self.check_write(known);
        step.rules.hit(if conflict.is_some() { Rule::RWriteWaW } else { Rule::RWrite });
        self.writes.push(step.site);
        conflict
    }

    fn check_read(&self, known: &LabelSet) -> Option<Conflict<EventId>> {
        unknown(&self.writes, known, Mode::Write)
    }

    fn check_write(&self, known: &LabelSet) -> Option<Conflict<EventId>> {
        self.check_read(known)
    }

    fn atomic_stamp(_: &LabelSet, step: &Step<'_>, mode: Mode) -> Option<EventId> {
        mode.writes().then(|| step.site.event())
    }

    fn settle(known: &mut LabelSet, step: &Step<'_>, mode: Mode) {
        if mode.writes() {
            known.insert(step.site.event());
        }
    }
}
