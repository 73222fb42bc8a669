//! Happens-before sets with garbage collection: *Ready, Set, Go!* §4, Figures 10 and 11.
//!
//! A location keeps the most recent write `m` and the reads since; a thread that accesses it forgets what the new access
//! stands for; and `R-GC` runs every N events and drops every label that no location remembers any more, from threads, locks and
//! messages in flight alike.
//!
//! Deviations, each pinned by a test:
//! - `z` in `(m, !z)` is the run of bytes of the access, not a location: accesses of different sizes may overlap. `E_hb ↓ z` are the labels
//!   of accesses to exactly these bytes; the others are left to `R-GC`. Where sizes do not mix, this is Figure 10 as printed.
//! - Of several writes to the same bytes only the latest can still be the most recent write of any of them, so `[R-Read]`
//!   keeps that one instead of looking `m` up.

use crate::detector::{Detector, RaceSink};
use crate::history::{Conflict, Site, Witness};
use crate::precise::{ConflictOf, Precise, Step, VarState};
use crate::rule::{Counters, Rule};
use crate::sync::JoinRule;
use deadheat_clock::{Knowledge, Tid};
use deadheat_report::Evidence;
use deadheat_trace::{Event, EventId, Mode, Span};
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

/// `(m, !z)` or `(m, ?z)`: an access to the bytes `z`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    event: EventId,
    z: Span,
}

/// `E_hb` by variable: of each run of bytes, the labels known.
#[derive(Clone, Default)]
pub struct SetByVar {
    by_var: HashMap<Span, Vec<(EventId, Mode)>, RandomState>,
}

impl SetByVar {
    /// Drops the labels that are not live.
    fn retain(&mut self, live: &HashSet<EventId, RandomState>) {
        self.by_var.retain(|_, labels| {
            labels.retain(|(event, _)| live.contains(event));
            !labels.is_empty()
        });
    }

    /// All labels with their modes, in the order of the trace.
    #[cfg(test)]
    pub fn labels(&self) -> Vec<(EventId, Mode)> {
        let mut labels: Vec<_> = self.by_var.values().flatten().copied().collect();
        labels.sort_by_key(|(event, _)| *event);
        labels
    }
}

impl Knowledge for SetByVar {
    fn of_thread(_: Tid) -> SetByVar {
        SetByVar::default()
    }

    fn join(&mut self, other: &SetByVar) {
        for (z, theirs) in &other.by_var {
            let mine = self.by_var.entry(*z).or_default();
            for label in theirs {
                if !mine.contains(label) {
                    mine.push(*label);
                }
            }
        }
    }

    fn advance(&mut self, _: Tid) {}
}

impl Witness for SetByVar {
    type Stamp = Label;

    fn knows(&self, label: Label) -> bool {
        self.by_var.get(&label.z).is_some_and(|labels| labels.iter().any(|(event, _)| *event == label.event))
    }

    fn evidence(&self, _: Tid, _: Label) -> Evidence {
        Evidence::Label { known: self.by_var.values().map(Vec::len).sum() }
    }
}

/// `m⟨E_hb^r, z⟩`: the most recent write and the reads since.
#[derive(Clone, Default)]
pub struct CollectedVar {
    write: Option<Remembered>,
    reads: Vec<Remembered>,
}

#[derive(Clone, Copy)]
struct Remembered {
    site: Site,
    z: Span,
}

impl Remembered {
    fn new(step: &Step<'_>) -> Remembered {
        Remembered { site: step.site, z: step.span }
    }

    fn label(&self) -> Label {
        Label { event: self.site.event(), z: self.z }
    }

    fn conflict(&self, mode: Mode) -> Conflict<Label> {
        Conflict { prior: self.site.party(mode), stamp: self.label() }
    }
}

impl VarState for CollectedVar {
    type Knowledge = SetByVar;

    fn read(&mut self, known: &SetByVar, step: &mut Step<'_>) -> Option<ConflictOf<Self>> {
        // [R-Read] (m, !z) ∈ E, E^r := {(m', ?z)} ∪ (E^r − E↓z)
        let conflict = self.check_read(known);
        step.rules.hit(if conflict.is_some() { Rule::RReadRaW } else { Rule::RRead });
        self.reads.retain(|r| !known.knows(r.label()));
        self.reads.push(Remembered::new(step));
        conflict
    }

    fn write(&mut self, known: &SetByVar, step: &mut Step<'_>) -> Option<ConflictOf<Self>> {
        // [R-Write] (m, !z) ∈ E, E^r ⊆ E: m', E^r := ∅
        let conflict = self.check_write(known);
        step.rules.hit(match &conflict {
            None => Rule::RWrite,
            Some(c) if c.prior.mode.writes() => Rule::RWriteWaW,
            Some(_) => Rule::RWriteWaR,
        });
        *self = CollectedVar { write: Some(Remembered::new(step)), reads: Vec::new() };
        conflict
    }

    fn check_read(&self, known: &SetByVar) -> Option<Conflict<Label>> {
        let unknown = self.write.as_ref().filter(|w| !known.knows(w.label()))?;
        Some(unknown.conflict(Mode::Write))
    }

    fn check_write(&self, known: &SetByVar) -> Option<Conflict<Label>> {
        let read = self.reads.iter().rev().find(|r| !known.knows(r.label()));
        read.map(|r| r.conflict(Mode::Read)).or_else(|| self.check_read(known))
    }

    fn atomic_stamp(_: &SetByVar, step: &Step<'_>, _: Mode) -> Option<Label> {
        Some(Label { event: step.site.event(), z: step.span })
    }

    fn settle(known: &mut SetByVar, step: &Step<'_>, mode: Mode) {
        let labels = known.by_var.entry(step.span).or_default();
        match mode {
            // [R-Write] E := {(m', !z)} ∪ (E − E↓z)
            Mode::Write => labels.clear(),
            // [R-Read] E := {(m', ?z)} ∪ (E − E↓z) ∪ {(m, !z)}
            Mode::Read => {
                let latest = labels.iter().filter(|(_, m)| *m == Mode::Write).map(|(event, _)| *event).max();
                labels.retain(|(event, m)| m.atomic() || Some(*event) == latest);
            }
            // An atomic stands for no plain access.
            Mode::AtomicRead | Mode::AtomicWrite => {}
        }
        labels.push((step.site.event(), mode));
    }
}

/// The detector of §4, which collects garbage every so many events.
#[derive(Clone)]
pub struct Collected {
    pub(crate) inner: Precise<CollectedVar>,
    every: u64,
    since: u64,
}

impl Collected {
    /// The detector that runs `R-GC` after every `every` events.
    pub fn new(every: u64) -> Collected {
        Collected { inner: Precise::new(JoinRule::Keep), every: every.max(1), since: 0 }
    }

    // [R-GC] drop (m̂, !z) with m̂ ≠ m and (m̂, ?z) ∉ E^r: what no location remembers
    pub(crate) fn collect(&mut self) {
        let mut live = HashSet::with_hasher(RandomState::default());
        let Precise { sync, memory, rules } = &mut self.inner;
        memory.each_cell(&mut |cell| {
            let plain = cell.plain.reads.iter().chain(&cell.plain.write);
            live.extend(plain.map(|r| r.site.event()));
            live.extend(cell.atomic.iter().flat_map(|a| a.stamps()).map(|label| label.event));
        });
        memory.each_cell(&mut |cell| {
            cell.atomic.iter_mut().for_each(|a| a.each_knowledge(&mut |k| k.retain(&live)));
        });
        sync.each_knowledge(&mut |k| k.retain(&live));
        rules.hit(Rule::RGc);
    }
}

impl Detector for Collected {
    fn on_event(&mut self, id: EventId, event: &Event, races: &mut RaceSink<'_>) {
        self.inner.on_event(id, event, races);
        self.since += 1;
        if self.since == self.every {
            self.since = 0;
            self.collect();
        }
    }

    fn counters(&self) -> &Counters {
        self.inner.counters()
    }
}
