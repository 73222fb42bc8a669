//! The arrows: a direct ordering between two events, what it is called, and at which ends of the events it hangs.

use crate::words::{Names, printable};
use deadheat_trace::{Edge, EdgeKind, End, Event, Op, Symbols};

/// A direct ordering: event `from` happens before event `to` because of one synchronisation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PictureEdge {
    /// Index of the earlier event.
    pub from: usize,
    /// Index of the later event.
    pub to: usize,
    /// By what, in a few words: `lock m`, `fork`.
    pub label: String,
}

impl PictureEdge {
    /// All the direct orderings of a feasible trace, each called by what makes it.
    pub fn of_trace(events: &[Event], symbols: &Symbols) -> Vec<PictureEdge> {
        let named = |e: Edge| PictureEdge { from: e.from, to: e.to, label: label(&e, events, symbols) };
        deadheat_trace::edges(events).into_iter().map(named).collect()
    }

    /// The end of the earlier event that the edge leaves from.
    ///
    /// The rule is [`EdgeKind::leaves`], told by the operations: a join waits for the last step's completion, and an atomic
    /// operation passes on what it has just acquired.
    pub(super) fn leaves(&self, events: &[Event]) -> End {
        let joins = matches!(events[self.to].op, Op::Join(_));
        let atomic = matches!(events[self.from].op, Op::AtomicStore(..) | Op::AtomicRmw(..) | Op::Fence(_));
        if joins || atomic { End::Completion } else { End::Start }
    }

    /// The end of the later event that the edge arrives at; the rule is [`EdgeKind::arrives`].
    pub(super) fn arrives(&self, events: &[Event]) -> End {
        let forks = matches!(events[self.from].op, Op::Fork(_)) && !matches!(events[self.to].op, Op::Join(_));
        if forks { End::Start } else { End::Completion }
    }
}

fn label(edge: &Edge, events: &[Event], symbols: &Symbols) -> String {
    let names = Names(symbols);
    let text = match (edge.why, events[edge.from].op) {
        (EdgeKind::Fork, _) => "fork".into(),
        (EdgeKind::Join, _) => "join".into(),
        (_, Op::Release(l) | Op::ReleaseShared(l) | Op::Wait(_, l)) => names.the_lock(l),
        (_, Op::VolatileWrite(v)) => names.the_volatile(v),
        (_, Op::AtomicStore(s, _) | Op::AtomicRmw(s, _)) => format!("atomic {}", names.span(s)),
        (_, Op::BarrierEnter(b)) => names.the_barrier(b),
        (_, Op::Send(c)) => names.the_chan(c),
        (_, Op::Receive(c)) => format!("room in {}", names.the_chan(c)),
        (_, Op::Close(c)) => format!("close of {}", names.the_chan(c)),
        (_, other) => crate::describe(&other, symbols),
    };
    printable(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deadheat_trace::{ChanId, LoadOrder, LockId, RmwOrder, StoreOrder, Tid};

    /// A trace with an edge of most kinds.
    fn trace(symbols: &mut Symbols) -> Vec<Event> {
        let [main, t1] = ["main", "T1"].map(|t| symbols.intern_thread(t));
        let x = symbols.intern_var("x");
        let steps: [(Tid, Op); 14] = [
            (main, Op::ChanMake(ChanId(0), 1)),
            (main, Op::Fork(t1)),
            (t1, Op::Send(ChanId(0))),
            (main, Op::Receive(ChanId(0))),
            (t1, Op::Send(ChanId(0))),
            (t1, Op::AtomicStore(x, StoreOrder::Release)),
            (main, Op::AtomicRmw(x, RmwOrder::AcqRel)),
            (t1, Op::AtomicLoad(x, LoadOrder::Acquire)),
            (t1, Op::Acquire(LockId(0))),
            (t1, Op::Release(LockId(0))),
            (main, Op::Acquire(LockId(0))),
            (main, Op::Release(LockId(0))),
            (t1, Op::AtomicStore(x, StoreOrder::Release)),
            (main, Op::Join(t1)),
        ];
        steps.map(|(tid, op)| Event { op, tid, loc: deadheat_trace::Loc::NONE }).into()
    }

    #[test]
    fn edges_hang_where_the_definition_says() {
        let mut symbols = Symbols::default();
        let events = trace(&mut symbols);
        let drawn = PictureEdge::of_trace(&events, &symbols);
        let defined = deadheat_trace::edges(&events);
        for (edge, by_definition) in drawn.iter().zip(&defined) {
            let ends = (edge.leaves(&events), edge.arrives(&events));
            assert_eq!(ends, (by_definition.why.leaves(), by_definition.why.arrives()), "{edge:?}");
        }
        let labels: Vec<_> = drawn.iter().map(|e| e.label.as_str()).collect();
        assert_eq!(
            labels,
            ["fork", "channel 0", "room in channel 0", "atomic x", "atomic x", "lock 0", "join"]
        );
    }
}
