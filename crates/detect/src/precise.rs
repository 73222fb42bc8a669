//! A precise detector: synchronisation over some knowledge, memory over some `VarState`, and nothing else.

use crate::atomic::{self, AtomicState};
use crate::detector::{Detector, RaceSink};
use crate::history::{Conflict, Site, Witness};
use crate::memory::Memory;
use crate::rule::{Counters, Rule};
use crate::sync::{JoinRule, SyncState, ThreadState};
use deadheat_clock::{Knowledge, Tid};
use deadheat_report::{Party, Race};
use deadheat_trace::{Access, Event, EventId, Mode, Op, Span};

/// The access under way: who, where, and the books to keep.
pub struct Step<'a> {
    /// The slot of the thread that makes it.
    pub slot: Tid,
    /// Its event, thread and place.
    pub site: Site,
    /// All bytes it touches, of which a cell may be only a part.
    pub span: Span,
    /// Rules applied so far.
    pub rules: &'a mut Counters,
}

/// `S_x` of 001: what a location remembers of the plain accesses to it, and the rules that read and change it.
///
/// `check_*` is pure: it says which remembered access the thread does not know. `read` and `write` are the rules; on
/// a race they record the access as if it had been ordered, and go on.
pub trait VarState: Clone + Default {
    /// What threads know in this detector.
    type Knowledge: Witness;

    /// The rule for a plain read.
    fn read(&mut self, known: &Self::Knowledge, step: &mut Step<'_>) -> Option<ConflictOf<Self>>;

    /// The rule for a plain write.
    fn write(&mut self, known: &Self::Knowledge, step: &mut Step<'_>) -> Option<ConflictOf<Self>>;

    /// A remembered write that the thread does not know.
    fn check_read(&self, known: &Self::Knowledge) -> Option<ConflictOf<Self>>;

    /// A remembered access that the thread does not know.
    fn check_write(&self, known: &Self::Knowledge) -> Option<ConflictOf<Self>>;

    /// What an atomic access of that mode leaves behind; `None` if this detector does not track such accesses.
    fn atomic_stamp(known: &Self::Knowledge, step: &Step<'_>, mode: Mode) -> Option<StampOf<Self>>;

    /// The access has been checked and recorded in all its cells: the thread may now take note of it.
    #[inline]
    fn settle(_known: &mut Self::Knowledge, _step: &Step<'_>, _mode: Mode) {}
}

/// The stamp of accesses in the detector of that `VarState`.
pub type StampOf<V> = <<V as VarState>::Knowledge as Witness>::Stamp;
/// The conflict of accesses in the detector of that `VarState`.
pub type ConflictOf<V> = Conflict<StampOf<V>>;

/// What a cell of memory remembers: plain accesses by the detector's rules, atomic ones by [`AtomicState`].
#[derive(Clone)]
pub struct Cell<V: VarState> {
    pub(crate) plain: V,
    pub(crate) atomic: Option<Box<AtomicState<V::Knowledge>>>,
}

impl<V: VarState> Default for Cell<V> {
    fn default() -> Cell<V> {
        Cell { plain: V::default(), atomic: None }
    }
}

/// The precise detector with those rules.
#[derive(Clone)]
pub struct Precise<V: VarState> {
    pub(crate) sync: SyncState<V::Knowledge>,
    pub(crate) memory: Memory<Cell<V>>,
    pub(crate) rules: Counters,
}

impl<V: VarState> Precise<V> {
    /// The detector before the first event.
    pub fn new(join_rule: JoinRule) -> Precise<V> {
        Precise { sync: SyncState::new(join_rule), memory: Memory::default(), rules: Counters::default() }
    }

    /// A plain access that just one cell covers and no atomic ever touched: nearly all of them.
    ///
    /// Reads and writes part only once the cell is there: the processor cannot tell which comes next, and fetches the cell meanwhile.
    #[inline(always)]
    fn plain_access(&mut self, id: EventId, event: &Event, span: Span, races: &mut RaceSink<'_>) {
        let thread = self.sync.thread(event.tid);
        let Some(Cell { plain, atomic: None }) = self.memory.exact(span) else {
            return self.access(id, event, races);
        };
        let site = Site::new(id, event);
        let mut step = Step { slot: thread.slot(), site, span, rules: &mut self.rules };
        let (mode, conflict) = match event.op {
            Op::Write(_) => (Mode::Write, plain.write(&thread.knowledge, &mut step)),
            _ => (Mode::Read, plain.read(&thread.knowledge, &mut step)),
        };
        V::settle(&mut thread.knowledge, &step, mode);
        if let Some(conflict) = conflict {
            races(race(thread, conflict, span, site.party(mode)));
        }
    }

    /// Any access, cell by cell. Cells that conflict with the same earlier access make one race.
    #[cold]
    fn access(&mut self, id: EventId, event: &Event, races: &mut RaceSink<'_>) {
        let Some(access) = event.op.access() else { return };
        let thread = self.sync.thread(event.tid);
        let site = Site::new(id, event);
        let mut step = Step { slot: thread.slot(), site, span: access.span, rules: &mut self.rules };
        let mut found: Option<Race> = None;
        self.memory.visit(access.span, &mut |span, cell| {
            let Some(conflict) = cell.access(&thread.knowledge, &mut step, access.mode) else { return };
            match &mut found {
                Some(race) if race.prior == conflict.prior && race.span.end() == span.addr.0 => {
                    race.span.size += span.size;
                }
                _ => {
                    let next = race(thread, conflict, span, site.party(access.mode));
                    found.replace(next).into_iter().for_each(&mut *races);
                }
            }
        });
        V::settle(&mut thread.knowledge, &step, access.mode);
        found.into_iter().for_each(races);
    }

    /// An atomic operation: learn from what it reads, then access, then publish and, if it releases, begin a new instant.
    fn atomic_access(&mut self, id: EventId, event: &Event, access: Access, races: &mut RaceSink<'_>) {
        let mut read = V::Knowledge::default();
        self.memory.visit(access.span, &mut |_, cell| {
            cell.atomic.iter().for_each(|a| read.join(a.published()));
        });
        atomic::acquire(event.op, self.sync.thread(event.tid), &read);
        self.access(id, event, races);
        let thread = self.sync.thread(event.tid);
        self.memory.visit(access.span, &mut |_, cell| {
            cell.atomic.get_or_insert_default().publish(event.op, thread);
        });
        self.rules.hit(atomic::release(event.op, thread));
    }
}

impl<V: VarState> Cell<V> {
    /// The access to this cell.
    fn access(&mut self, known: &V::Knowledge, step: &mut Step<'_>, mode: Mode) -> Option<ConflictOf<V>> {
        if mode.atomic() {
            return self.atomic.get_or_insert_default().access(&self.plain, known, step, mode);
        }
        let unseen = self.atomic.as_ref().and_then(|a| a.check_plain(known, mode));
        let plain = match mode {
            Mode::Write => {
                // A plain write is ordered after all atomics here, or races; either way it stands for them from now on.
                self.atomic = None;
                self.plain.write(known, step)
            }
            _ => self.plain.read(known, step),
        };
        if unseen.is_some() {
            step.rules.hit(Rule::AtomicPlainRace);
        }
        plain.or(unseen)
    }
}

#[cold]
fn race<K: Witness>(
    thread: &ThreadState<K>,
    conflict: Conflict<K::Stamp>,
    span: Span,
    current: Party,
) -> Race {
    let evidence = thread.knowledge.evidence(thread.slot(), conflict.stamp);
    Race { span, prior: conflict.prior, current, evidence }
}

impl<V: VarState> Detector for Precise<V> {
    #[inline(always)]
    fn on_event(&mut self, id: EventId, event: &Event, races: &mut RaceSink<'_>) {
        match event.op {
            Op::Read(span) | Op::Write(span) => self.plain_access(id, event, span, races),
            Op::Alloc(span) => self.memory.clear(span),
            op => match op.access() {
                Some(access) if access.mode.atomic() => self.atomic_access(id, event, access, races),
                Some(_) => self.access(id, event, races),
                None => self.sync.apply(event, &mut self.rules),
            },
        }
    }

    fn counters(&self) -> &Counters {
        &self.rules
    }
}
