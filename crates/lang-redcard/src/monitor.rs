//! An independent judge of traces: §2.1's well-formedness, from the events of a run and the annotations alone.
//!
//! Each unchecked access must be preceded by a checked access of the same thread, in the same release-free span, to the same location
//! or its proxy, by a write if it is a write; as long as the trace before it has no race. A field's proxy may also be accessed right
//! after it, before the thread synchronises. The monitor knows neither the graph nor its contexts.

use deadheat_redcard::ir::Kind;
use deadheat_trace::{Event, Op, RmwOrder, StoreOrder, Tid};
use std::collections::HashMap;

/// A cell of memory, by its address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(pub u64);

/// What an event does to the cells, if it is a plain access.
pub fn access(op: &Op) -> Option<(Kind, Cell)> {
    match op {
        Op::Read(span) => Some((Kind::Read, Cell(span.addr.0 >> 3))),
        Op::Write(span) => Some((Kind::Write, Cell(span.addr.0 >> 3))),
        _ => None,
    }
}

/// Does an operation order what its thread did before it before something that another thread does?
pub fn releases(op: &Op) -> bool {
    match op {
        Op::Read(_) | Op::Write(_) | Op::Acquire(_) | Op::Join(_) | Op::Start => false,
        Op::VolatileRead(_) | Op::AtomicLoad(..) | Op::ReceiveClosed(_) => false,
        Op::Alloc(_) | Op::ChanMake(..) => false,
        Op::AtomicStore(_, order) => *order != StoreOrder::Relaxed,
        Op::AtomicRmw(_, order) => *order != RmwOrder::Relaxed,
        _ => true,
    }
}

/// Which checks were left out, and which proxies stand in for them.
pub struct Annotations<'a> {
    /// By place in the code.
    pub unchecked: &'a [bool],
    /// The cells that may stand for this cell at that place in the code.
    pub proxies: &'a dyn Fn(usize, Cell) -> Vec<Cell>,
}

/// The first unchecked access that nothing covers: its place in the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault(pub usize);

/// The first violation in a run that came to its end. `race_free` is how many events, from the first, have no race among them.
pub fn monitor(events: &[Event], race_free: usize, annotations: &Annotations<'_>) -> Result<(), Fault> {
    let mut spans: HashMap<Tid, HashMap<Cell, Kind>> = HashMap::new();
    // The event that makes the race still has a race-free prefix.
    for (at, event) in events.iter().enumerate().take(race_free.saturating_add(1)) {
        let span = spans.entry(event.tid).or_default();
        let Some((kind, cell)) = access(&event.op) else {
            if releases(&event.op) {
                span.clear();
            }
            continue;
        };
        let place = event.loc.0 as usize;
        if !annotations.unchecked[place] {
            record(span, cell, kind);
            continue;
        }
        let covers = |cell: &Cell| span.get(cell).is_some_and(|by| by.covers(kind));
        let proxies = (annotations.proxies)(place, cell);
        let follows =
            || proxies.iter().any(|proxy| follows(&events[at + 1..], event.tid, kind, *proxy, annotations));
        if !covers(&cell) && !proxies.iter().any(covers) && !follows() {
            return Err(Fault(at));
        }
    }
    Ok(())
}

/// Remembers that a cell was accessed.
pub(crate) fn record(span: &mut HashMap<Cell, Kind>, cell: Cell, kind: Kind) {
    let slot = span.entry(cell).or_insert(kind);
    *slot = (*slot).max(kind);
}

/// Does the thread access that cell, with a check, before it synchronises?
fn follows(rest: &[Event], tid: Tid, kind: Kind, proxy: Cell, annotations: &Annotations<'_>) -> bool {
    let own = rest.iter().filter(|event| event.tid == tid);
    let accesses = own.map_while(|event| Some((access(&event.op)?, event.loc.0 as usize)));
    let mut checked = accesses.filter(|(_, place)| !annotations.unchecked[*place]);
    checked.any(|((by, cell), _)| cell == proxy && by.covers(kind))
}
