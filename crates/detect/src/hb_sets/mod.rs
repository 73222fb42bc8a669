//! Happens-before sets: knowledge as the set of accesses that happened before, one label each.
//!
//! *Ready, Set, Go!*, §3–4. Three strengths: [`after_write`] keeps writes only (Figures 2 and 3), [`all_races`] keeps reads
//! too (Figures 6 and 7), [`collected`] forgets what newer accesses stand for (Figures 10 and 11). Channels and threads are
//! Figures 4 and 5, in [`sync`](crate::sync), unchanged for all three.
//!
//! The first two are the paper's definitions to the letter, and as costly: every location remembers every access and every
//! thread's set grows with the trace. They are references for short traces.
//!
//! Deviation: a variable starts with no write instead of one that everybody knows.

pub mod after_write;
pub mod all_races;
pub mod collected;

use crate::history::{Conflict, Site, Witness};
use deadheat_clock::{Knowledge, Tid};
use deadheat_report::Evidence;
use deadheat_trace::{EventId, Mode};
use std::collections::BTreeSet;

/// `E_hb` of §3: the labels of the accesses that happened before. An access's label `m` is its event.
#[derive(Clone, Default)]
pub struct LabelSet(BTreeSet<EventId>);

impl LabelSet {
    fn insert(&mut self, label: EventId) {
        self.0.insert(label);
    }
}

impl Knowledge for LabelSet {
    fn of_thread(_: Tid) -> LabelSet {
        LabelSet::default()
    }

    fn join(&mut self, other: &LabelSet) {
        self.0.extend(&other.0);
    }

    /// Labels are fresh: what was published does not cover later accesses.
    fn advance(&mut self, _: Tid) {}
}

impl Witness for LabelSet {
    type Stamp = EventId;

    fn knows(&self, label: EventId) -> bool {
        self.0.contains(&label)
    }

    fn evidence(&self, _: Tid, _: EventId) -> Evidence {
        Evidence::Label { known: self.0.len() }
    }
}

/// `E_hb^z ↓!` or `E_hb^z ↓?`: accesses of one mode to a location, in the order of the trace.
type Accesses = Vec<Site>;

/// The most recent of those accesses that is not in `E_hb`.
fn unknown(accesses: &Accesses, known: &LabelSet, mode: Mode) -> Option<Conflict<EventId>> {
    let site = accesses.iter().rev().find(|site| !known.knows(site.event()))?;
    Some(Conflict { prior: site.party(mode), stamp: site.event() })
}
