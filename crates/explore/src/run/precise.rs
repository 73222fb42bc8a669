//! Precise data race detection on each run: VerifiedFT's rules over state that is forgotten in an instant.
//!
//! *VerifiedFT* (PPoPP 2018), §3 and Figure 2, and the atomics of `docs/happens-before.md`, as in `deadheat-detect`, against which the
//! tests compare this event for event. A search makes hundreds of thousands of runs a second of a few events each: here a
//! run begins by taking a new number, by which state of older runs is known to be stale.

use super::known::Known;
use super::objects::{Names, granules};
use super::rows::Row;
use deadheat_trace::{Access, Event, Mode, Op, Tid};

/// Two accesses of the run that race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    pub prior: u32,
    pub prior_mode: Mode,
    pub current: u32,
}

/// An access: `t@c` and which event it was. The clock is 0 for none.
#[derive(Clone, Copy, Default)]
struct Stamp {
    tid: u32,
    clock: u32,
    event: u32,
}

/// `S_x` of some bytes of a granule.
#[derive(Clone, Copy, Default)]
struct Cell {
    mask: u8,
    /// `R = SHARED`: the reads are in `reads`.
    shared: bool,
    /// The next cell of the granule, plus one.
    next: u32,
    /// `S_x.W`
    write: Stamp,
    /// `S_x.R`
    read: Stamp,
    /// `S_x.V`: a list.
    reads: List,
    atomic_reads: List,
    atomic_writes: List,
    /// What an acquire load of it learns.
    published: Row,
}

/// The first of some stamps, one for each thread, plus one.
type List = u32;

/// The detector.
#[derive(Default)]
pub(crate) struct Precise {
    known: Known,
    run: u32,
    /// By granule: in which run it was touched, and its first cell plus one.
    granules: Vec<(u32, u32)>,
    cells: Vec<Cell>,
    stamps: Vec<(Stamp, u32)>,
    /// The races of this run so far.
    pub found: Vec<Found>,
}

impl Precise {
    /// A new run.
    pub(crate) fn begin(&mut self) {
        self.known.begin();
        self.cells.clear();
        self.stamps.clear();
        self.found.clear();
        self.run = self.run.wrapping_add(1);
        if self.run == 0 {
            self.granules.clear();
            self.run = 1;
        }
    }

    /// The next event of the run.
    #[inline]
    pub(crate) fn event(&mut self, id: u32, event: &Event, names: &mut Names) {
        if let Op::Alloc(span) = event.op {
            for (granule, mask) in granules(span) {
                self.visit(names.granule(granule), mask, |_, cell| {
                    *cell = Cell { mask: cell.mask, next: cell.next, ..Cell::default() }
                });
            }
            return;
        }
        match event.op.access() {
            None => self.known.apply(event),
            Some(access) if access.mode.atomic() => self.atomic(id, event, access, names),
            Some(access) => self.access(id, event.tid, access, names),
        }
    }

    fn access(&mut self, id: u32, tid: Tid, access: Access, names: &mut Names) {
        let knows = self.known.of(tid);
        let now = Stamp { tid: tid.0, clock: self.known.now(tid), event: id };
        for (granule, mask) in granules(access.span) {
            self.visit(names.granule(granule), mask, |this, cell| {
                this.access_cell(cell, knows, now, access.mode)
            });
        }
    }

    /// An atomic operation: learn from what it reads, then access, then publish and, if it releases, begin a new instant.
    fn atomic(&mut self, id: u32, event: &Event, access: Access, names: &mut Names) {
        let (tid, op) = (event.tid, event.op);
        self.known.of(tid);
        for (granule, mask) in granules(access.span) {
            self.visit(names.granule(granule), mask, |this, cell| match op {
                Op::AtomicLoad(_, order) if order.acquires() => this.known.learn(tid, cell.published),
                Op::AtomicRmw(_, order) if order.acquires() => this.known.learn(tid, cell.published),
                Op::AtomicLoad(..) | Op::AtomicRmw(..) => this.known.keep_for_fence(tid, cell.published),
                _ => {}
            });
        }
        self.access(id, tid, access, names);
        let (fresh, releases) = match op {
            Op::AtomicStore(_, order) => (true, order.releases()),
            Op::AtomicRmw(_, order) => (false, order.releases()),
            _ => return,
        };
        let head = if releases { self.known.of(tid) } else { self.known.released_by_fence(tid) };
        for (granule, mask) in granules(access.span) {
            self.visit(names.granule(granule), mask, |this, cell| {
                let rows = &mut this.known.rows;
                // A store starts a sequence afresh, a read-modify-write continues the one it reads from.
                if fresh && cell.published != Row::BOTTOM {
                    rows.zero(cell.published);
                }
                if head != Row::BOTTOM {
                    let published = rows.own(&mut cell.published);
                    rows.join(published, head);
                }
            });
        }
        if releases {
            self.known.advance(tid);
        }
    }

    /// Calls `f` for the cells of just these bytes, split and made as needed.
    #[inline]
    fn visit(&mut self, object: u32, mask: u8, mut f: impl FnMut(&mut Precise, &mut Cell)) {
        if self.granules.len() <= object as usize {
            self.granules.resize(object as usize + 16, (0, 0));
        }
        let (run, head) = self.granules[object as usize];
        let head = if run == self.run { head } else { 0 };
        let (mut next, mut left) = (head, mask);
        while let Some(at) = next.checked_sub(1) {
            let mut cell = self.cells[at as usize];
            next = cell.next;
            if cell.mask & mask == 0 {
                continue;
            }
            if cell.mask & !mask != 0 {
                cell = self.split(at, mask);
            }
            left &= !cell.mask;
            f(self, &mut cell);
            self.cells[at as usize] = cell;
        }
        if left != 0 {
            let mut cell = Cell { mask: left, next: head, ..Cell::default() };
            f(self, &mut cell);
            self.cells.push(cell);
            self.granules[object as usize] = (self.run, self.cells.len() as u32);
        }
    }

    /// Parts the bytes of a cell that are not in `mask` off, with a copy of its state.
    #[cold]
    fn split(&mut self, at: u32, mask: u8) -> Cell {
        let mut rest = self.cells[at as usize];
        rest.mask &= !mask;
        rest.reads = self.copy(rest.reads);
        rest.atomic_reads = self.copy(rest.atomic_reads);
        rest.atomic_writes = self.copy(rest.atomic_writes);
        if rest.published != Row::BOTTOM {
            let copy = self.known.rows.make();
            self.known.rows.copy(copy, rest.published);
            rest.published = copy;
        }
        self.cells.push(rest);
        let added = self.cells.len() as u32;
        let cell = &mut self.cells[at as usize];
        cell.mask &= mask;
        cell.next = added;
        *cell
    }

    fn copy(&mut self, list: List) -> List {
        let Some(at) = list.checked_sub(1) else { return 0 };
        let (stamp, next) = self.stamps[at as usize];
        let next = self.copy(next);
        self.stamps.push((stamp, next));
        self.stamps.len() as u32
    }

    /// Puts a thread's last access into a list.
    fn record(&mut self, list: &mut List, stamp: Stamp) {
        let mut next = *list;
        while let Some(at) = next.checked_sub(1) {
            if self.stamps[at as usize].0.tid == stamp.tid {
                self.stamps[at as usize].0 = stamp;
                return;
            }
            next = self.stamps[at as usize].1;
        }
        self.stamps.push((stamp, *list));
        *list = self.stamps.len() as u32;
    }

    /// An access in the list that the thread does not know.
    fn unknown(&self, list: List, knows: Row) -> Option<Stamp> {
        let mut next = list;
        while let Some(at) = next.checked_sub(1) {
            let (stamp, after) = self.stamps[at as usize];
            if !self.covers(knows, stamp) {
                return Some(stamp);
            }
            next = after;
        }
        None
    }

    #[inline]
    fn covers(&self, knows: Row, stamp: Stamp) -> bool {
        stamp.clock == 0 || self.known.rows.get(knows, stamp.tid) >= stamp.clock
    }

    #[inline]
    fn access_cell(&mut self, cell: &mut Cell, knows: Row, now: Stamp, mode: Mode) {
        let conflict = match mode {
            Mode::Read => {
                let atomic = self.unknown(cell.atomic_writes, knows).map(|s| (s, Mode::AtomicWrite));
                self.read(cell, knows, now).or(atomic)
            }
            Mode::Write => {
                let writes = self.unknown(cell.atomic_writes, knows).map(|s| (s, Mode::AtomicWrite));
                let atomic =
                    writes.or_else(|| Some((self.unknown(cell.atomic_reads, knows)?, Mode::AtomicRead)));
                // A plain write is ordered after all atomics here, or races; either way it stands for them from now on.
                (cell.atomic_reads, cell.atomic_writes, cell.published) = (0, 0, Row::BOTTOM);
                self.write(cell, knows, now).or(atomic)
            }
            Mode::AtomicRead => {
                self.record(&mut cell.atomic_reads, now);
                self.check_read(cell, knows)
            }
            Mode::AtomicWrite => {
                self.record(&mut cell.atomic_writes, now);
                self.check_write(cell, knows)
            }
        };
        if let Some((prior, prior_mode)) = conflict {
            let found = Found { prior: prior.event, prior_mode, current: now.event };
            if !self.found.contains(&found) {
                self.found.push(found);
            }
        }
    }

    fn read(&mut self, cell: &mut Cell, knows: Row, now: Stamp) -> Option<(Stamp, Mode)> {
        // [Read Same Epoch] R = E_t
        if !cell.shared && (cell.read.tid, cell.read.clock) == (now.tid, now.clock) {
            return None;
        }
        // [Read Shared Same Epoch] R = SHARED, V(t) = E_t
        if cell.shared && self.is_same_epoch(cell.reads, now) {
            return None;
        }
        // [Write-Read Race] W ⋠ C_t
        let conflict = self.check_read(cell, knows);
        if cell.shared {
            // [Read Shared] V(t) := E_t
            self.record(&mut cell.reads, now);
        } else if self.covers(knows, cell.read) {
            // [Read Exclusive] R := E_t
            cell.read = now;
        } else {
            // [Read Share] two concurrent readers: V := ⊥[t := E_t, u := R], R := SHARED
            self.record(&mut cell.reads, cell.read);
            self.record(&mut cell.reads, now);
            cell.shared = true;
        }
        conflict
    }

    fn is_same_epoch(&self, list: List, now: Stamp) -> bool {
        let mut next = list;
        while let Some(at) = next.checked_sub(1) {
            let (stamp, after) = self.stamps[at as usize];
            if stamp.tid == now.tid {
                return stamp.clock == now.clock;
            }
            next = after;
        }
        false
    }

    fn write(&mut self, cell: &mut Cell, knows: Row, now: Stamp) -> Option<(Stamp, Mode)> {
        // [Write Same Epoch] W = E_t
        if (cell.write.tid, cell.write.clock) == (now.tid, now.clock) {
            return None;
        }
        // [Write Exclusive], [Write Shared], or a race with the write, the read or one of the reads
        let conflict = self.check_write(cell, knows);
        cell.write = now;
        conflict
    }

    #[inline]
    fn check_read(&self, cell: &Cell, knows: Row) -> Option<(Stamp, Mode)> {
        (!self.covers(knows, cell.write)).then_some((cell.write, Mode::Write))
    }

    #[inline]
    fn check_write(&self, cell: &Cell, knows: Row) -> Option<(Stamp, Mode)> {
        self.check_read(cell, knows).or_else(|| {
            let read = if cell.shared { self.unknown(cell.reads, knows) } else { Some(cell.read) };
            read.filter(|&r| !self.covers(knows, r)).map(|r| (r, Mode::Read))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deadheat_detect::DetectorKind;
    use deadheat_trace::EventId;
    use deadheat_trace::generate::{Shape, random_trace};
    use std::collections::{BTreeMap, BTreeSet};

    type Pairs = BTreeSet<(u64, u64, u64)>;

    /// Byte, earlier and later event of each race.
    fn theirs(kind: DetectorKind, events: &[Event]) -> Pairs {
        let mut pairs = Pairs::new();
        let mut detector = kind.build(DetectorKind::GC_EVERY);
        let mut sink = |r: deadheat_report::Race| {
            let bytes = r.span.addr.0..r.span.end();
            pairs.extend(bytes.map(|b| (b, r.prior.event.0, r.current.event.0)));
        };
        detector.on_events(EventId(0), events, &mut sink);
        detector.finish(&mut sink).unwrap();
        pairs
    }

    fn first(pairs: impl Iterator<Item = (u64, u64)>) -> BTreeMap<u64, u64> {
        let mut first = BTreeMap::new();
        for (byte, current) in pairs {
            let at = first.entry(byte).or_insert(current);
            *at = (*at).min(current);
        }
        first
    }

    /// One detector for many traces, as in a search: what a run leaves must not be seen by the next.
    #[test]
    fn agrees_with_the_detector_and_the_oracle() {
        let mut precise = Precise::default();
        let mut names = Names::default();
        let (mut rng, mut races) = (fastrand::Rng::with_seed(7), 0);
        let shapes = [
            Shape::default(),
            Shape { threads: 2, vars: 1, objects: 1, accesses: 8 },
            Shape { threads: 3, vars: 4, objects: 1, accesses: 1 },
            Shape { threads: 9, vars: 2, objects: 3, accesses: 4 },
        ];
        for round in 0..8000 {
            let choices: Vec<u64> = (0..rng.usize(..250)).map(|_| rng.u64(..)).collect();
            let events = random_trace(choices, shapes[round % shapes.len()]).events;
            precise.begin();
            for (id, event) in events.iter().enumerate() {
                precise.event(id as u32, event, &mut names);
            }
            let oracle = theirs(DetectorKind::Oracle, &events);
            let overlap = |f: &Found| {
                let spans = [f.prior, f.current].map(|e| events[e as usize].op.access().unwrap().span);
                (spans[0].addr.0.max(spans[1].addr.0)..spans[0].end().min(spans[1].end())).collect::<Vec<_>>()
            };
            for found in &precise.found {
                // Where several bytes overlap, the pair races on one of them at least.
                let pair = (u64::from(found.prior), u64::from(found.current));
                assert!(overlap(found).iter().any(|&b| oracle.contains(&(b, pair.0, pair.1))), "{found:?}");
            }
            let verified = theirs(DetectorKind::VerifiedFt, &events);
            let events_of = |p: &Pairs| p.iter().map(|&(_, _, c)| c).collect::<BTreeSet<_>>();
            let mine: BTreeSet<u64> = precise.found.iter().map(|f| u64::from(f.current)).collect();
            assert_eq!(mine, events_of(&verified), "{events:?}");
            // Each byte's first race completes at the same event as the oracle's.
            let truth = first(oracle.iter().map(|&(b, _, c)| (b, c)));
            let seen = first(
                precise.found.iter().flat_map(|f| overlap(f).into_iter().map(|b| (b, f.current.into()))),
            );
            assert!(truth.iter().all(|(b, at)| seen.get(b).is_some_and(|s| s <= at)), "{truth:?} {seen:?}");
            races += truth.len();
        }
        assert!(races > 1000, "{races}");
    }
}
