//! C++ atomics on a cell: what they publish to their readers, and how they conflict with plain accesses.
//!
//! `docs/happens-before.md`, *Atomics*, is the specification. Atomics never race with each other, so unordered ones pile up:
//! one per thread is kept until a plain write, which is ordered after all of them or races, stands for them all.

use crate::history::{Conflict, Site, Witness};
use crate::precise::{ConflictOf, Step, VarState};
use crate::rule::Rule;
use crate::sync::ThreadState;
use deadheat_clock::{Knowledge, TidMap};
use deadheat_trace::{Mode, Op};

/// The atomic side of a cell.
#[derive(Clone)]
pub struct AtomicState<K: Witness> {
    /// What an acquire load of this cell learns: the release sequences that its last write belongs to.
    published: K,
    reads: Latest<K::Stamp>,
    writes: Latest<K::Stamp>,
}

/// The last atomic access of each thread, by slot.
#[derive(Clone)]
struct Latest<S>(TidMap<Option<(S, Site)>>);

impl<K: Witness> Default for AtomicState<K> {
    fn default() -> AtomicState<K> {
        AtomicState { published: K::default(), reads: Latest(TidMap::new()), writes: Latest(TidMap::new()) }
    }
}

impl<S: Copy> Latest<S> {
    fn all(&self) -> impl Iterator<Item = (S, Site)> {
        self.0.iter().filter_map(|(_, access)| access)
    }

    fn check<K: Witness<Stamp = S>>(&self, known: &K, mode: Mode) -> Option<Conflict<S>> {
        let (stamp, site) = self.all().find(|(stamp, _)| !known.knows(*stamp))?;
        Some(Conflict { prior: site.party(mode), stamp })
    }
}

impl<K: Witness> AtomicState<K> {
    /// An atomic that a plain access of that mode does not know and conflicts with.
    pub fn check_plain(&self, known: &K, mode: Mode) -> Option<Conflict<K::Stamp>> {
        let write = self.writes.check(known, Mode::AtomicWrite);
        write.or_else(|| if mode.writes() { self.reads.check(known, Mode::AtomicRead) } else { None })
    }

    /// The atomic access of that mode to this cell, checked against the plain ones and recorded.
    pub fn access<V: VarState<Knowledge = K>>(
        &mut self,
        plain: &V,
        known: &K,
        step: &mut Step<'_>,
        mode: Mode,
    ) -> Option<ConflictOf<V>> {
        let (conflict, latest, rule) = match mode {
            Mode::AtomicWrite => (plain.check_write(known), &mut self.writes, Rule::AtomicWrite),
            _ => (plain.check_read(known), &mut self.reads, Rule::AtomicRead),
        };
        if let Some(stamp) = V::atomic_stamp(known, step, mode) {
            *latest.0.entry(step.slot) = Some((stamp, step.site));
        }
        step.rules.hit(if conflict.is_some() { Rule::AtomicPlainRace } else { rule });
        conflict
    }

    /// What a load of this cell reads: the knowledge of the release sequences that its last write belongs to.
    pub fn published(&self) -> &K {
        &self.published
    }

    /// What the operation, if it writes, leaves for later loads.
    pub fn publish(&mut self, op: Op, thread: &ThreadState<K>) {
        let releases = match op {
            // A store starts a sequence afresh …
            Op::AtomicStore(_, order) => {
                self.published = K::default();
                order.releases()
            }
            // … and a read-modify-write continues the one it reads from.
            Op::AtomicRmw(_, order) => order.releases(),
            _ => return,
        };
        let head = if releases { Some(&thread.knowledge) } else { thread.released_by_fence() };
        head.into_iter().for_each(|k| self.published.join(k));
    }

    /// Calls `f` for what was published here.
    pub fn each_knowledge(&mut self, f: &mut dyn FnMut(&mut K)) {
        f(&mut self.published);
    }

    /// The stamps of all accesses remembered.
    pub fn stamps(&self) -> impl Iterator<Item = K::Stamp> + '_ {
        self.reads.all().chain(self.writes.all()).map(|(stamp, _)| stamp)
    }
}

/// What a thread gains from the value an atomic operation read: now if it acquires, at its next acquire fence if not.
pub fn acquire<K: Knowledge>(op: Op, thread: &mut ThreadState<K>, read: &K) {
    match op {
        Op::AtomicLoad(_, order) if order.acquires() => thread.learn(read),
        Op::AtomicRmw(_, order) if order.acquires() => thread.learn(read),
        Op::AtomicLoad(..) | Op::AtomicRmw(..) => thread.keep_for_fence(read),
        _ => {}
    }
}

/// The rule of that atomic operation, once its knowledge has been published: a release starts a new instant.
pub fn release<K: Knowledge>(op: Op, thread: &mut ThreadState<K>) -> Rule {
    let (releases, rule) = match op {
        Op::AtomicStore(_, order) => (order.releases(), Rule::AtomicStoreSync),
        Op::AtomicRmw(_, order) => (order.releases(), Rule::AtomicRmwSync),
        _ => (false, Rule::AtomicLoadSync),
    };
    if releases {
        thread.advance();
    }
    rule
}
