//! Races and a trace for this crate's tests.

use crate::{Evidence, Party, PictureEdge, Race};
use deadheat_clock::Clock;
use deadheat_trace::{Event, EventId, Loc, LockId, Mode, Namespace, Op, Span, Symbols};

/// A bank whose clerk T1 counts under a lock and whose clerk T2 does not.
pub(crate) struct Bank {
    pub symbols: Symbols,
    pub events: Vec<Event>,
    pub edges: Vec<PictureEdge>,
    pub counter: Span,
    pub lock: LockId,
}

impl Bank {
    pub fn new() -> Bank {
        Bank::with_counter("counter")
    }

    /// The same with another name for the counter, and for its file and lock.
    pub fn with_counter(name: &str) -> Bank {
        let mut symbols = Symbols::default();
        let [main, t1, t2] = ["main", "T1", "T2"].map(|t| symbols.intern_thread(t));
        let counter = symbols.intern_var(name);
        let lock = LockId(symbols.intern(Namespace::Lock, if name == "counter" { "m" } else { name }));
        let file = if name == "counter" { "bank.c" } else { name };
        let mut event = |tid, op, line| {
            let loc = Loc::named(symbols.intern(Namespace::Loc, &format!("{file}:{line}")));
            Event { op, tid, loc }
        };
        let events = vec![
            event(main, Op::Fork(t1), 10),
            event(main, Op::Fork(t2), 11),
            event(t1, Op::Acquire(lock), 29),
            event(t1, Op::Read(counter), 30),
            event(t1, Op::Release(lock), 31),
            event(t2, Op::Write(counter), 40),
        ];
        let edge = |from, to| PictureEdge { from, to, label: "fork".into() };
        Bank { symbols, events, edges: vec![edge(0, 2), edge(1, 5)], counter, lock }
    }

    /// The one race of the bank, on that evidence.
    pub fn race(&self, evidence: Evidence) -> Race {
        let party = |i: usize, mode| {
            let Event { tid, loc, .. } = self.events[i];
            Party { event: EventId(i as u64), tid, loc, mode }
        };
        let (prior, current) = (party(3, Mode::Read), party(5, Mode::Write));
        Race { span: self.counter, prior, current, evidence }
    }

    /// Vector clocks of which the later one knows that much of the earlier thread.
    pub fn clocks(known: u64) -> Evidence {
        let (prior, current) = (Clock(3), Clock(1));
        Evidence::Clocks { prior, current, known: Clock(known) }
    }
}
