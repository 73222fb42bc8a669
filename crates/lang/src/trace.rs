//! What a run did, as a trace with the names of the program: for every detector, and for files.

use crate::ast::Span as Place;
use crate::machine::{Address, Machine};
use deadheat_trace::{Event, Loc, Namespace, Op, Span, Symbols, Tid, Trace};

/// Lines and columns of a source.
pub struct Lines<'s> {
    source: &'s str,
    /// Where each line starts.
    starts: Vec<usize>,
}

impl<'s> Lines<'s> {
    /// Looks through that source.
    pub fn new(source: &'s str) -> Lines<'s> {
        let starts = std::iter::once(0).chain(source.match_indices('\n').map(|(i, _)| i + 1)).collect();
        Lines { source, starts }
    }

    /// The line and column of that place, from 1; columns count characters.
    pub fn position(&self, place: Place) -> (usize, usize) {
        let at = (place.start as usize).min(self.source.len());
        let line = self.starts.partition_point(|start| *start <= at);
        let start = self.starts[line - 1];
        (line, self.source.get(start..at).map_or(0, |before| before.chars().count()) + 1)
    }

    /// The text of that line, from 1.
    pub fn line(&self, number: usize) -> &'s str {
        let start = self.starts.get(number - 1).copied().unwrap_or(self.source.len());
        self.source[start..].lines().next().unwrap_or("")
    }
}

impl Machine {
    /// The events of the run that the machine has just made, with names for threads, variables, locks, channels and places.
    pub fn name_events(&self, events: &[Event], file: &str, source: &str) -> Trace {
        let mut symbols = Symbols::default();
        // In the order of their numbers, so that the numbers stay.
        for tid in (0..self.created()).map(Tid) {
            symbols.intern(Namespace::Thread, &word(&self.thread_name(tid)));
        }
        let lines = Lines::new(source);
        let events = events.iter().map(|event| {
            let op = self.name_op(event.op, &mut symbols);
            let (line, column) = lines.position(self.code().spans[event.loc.0 as usize]);
            let loc = symbols.intern(Namespace::Loc, &word(&format!("{file}:{line}:{column}")));
            Event { op, tid: event.tid, loc: Loc::named(loc) }
        });
        let events = events.collect();
        Trace { symbols, events }
    }

    fn name_op(&self, op: Op, symbols: &mut Symbols) -> Op {
        let mut cell = |span: Span| match Address(span.addr.0 >> 3) {
            // Blocks of the heap are told by their bytes: parts of them are freed and handed out again.
            at if at.as_heap().is_some() => span,
            at => symbols.intern_var(&word(&self.cell_name(at))),
        };
        match op {
            Op::Read(s) => Op::Read(cell(s)),
            Op::Write(s) => Op::Write(cell(s)),
            Op::AtomicLoad(s, order) => Op::AtomicLoad(cell(s), order),
            Op::AtomicStore(s, order) => Op::AtomicStore(cell(s), order),
            Op::AtomicRmw(s, order) => Op::AtomicRmw(cell(s), order),
            Op::Acquire(m) => Op::Acquire(self.name_lock(m, symbols)),
            Op::Release(m) => Op::Release(self.name_lock(m, symbols)),
            Op::ChanMake(c, room) => Op::ChanMake(self.name_chan(c, symbols), room),
            Op::Send(c) => Op::Send(self.name_chan(c, symbols)),
            Op::Receive(c) => Op::Receive(self.name_chan(c, symbols)),
            Op::ReceiveClosed(c) => Op::ReceiveClosed(self.name_chan(c, symbols)),
            Op::Close(c) => Op::Close(self.name_chan(c, symbols)),
            Op::VolatileRead(v) => Op::VolatileRead(self.name_wakeup(v, symbols)),
            Op::VolatileWrite(v) => Op::VolatileWrite(self.name_wakeup(v, symbols)),
            other => other,
        }
    }

    fn name_lock(&self, m: deadheat_trace::LockId, symbols: &mut Symbols) -> deadheat_trace::LockId {
        deadheat_trace::LockId(symbols.intern(Namespace::Lock, &word(&self.lock_name(m))))
    }

    fn name_chan(&self, c: deadheat_trace::ChanId, symbols: &mut Symbols) -> deadheat_trace::ChanId {
        deadheat_trace::ChanId(symbols.intern(Namespace::Chan, &word(&self.chan_name(c))))
    }

    fn name_wakeup(
        &self,
        v: deadheat_trace::VolatileId,
        symbols: &mut Symbols,
    ) -> deadheat_trace::VolatileId {
        let name = word(&format!("wake-up of {}", self.thread_name(Tid(v.0))));
        deadheat_trace::VolatileId(symbols.intern(Namespace::Volatile, &name))
    }
}

/// A name in one word, as the text format of traces wants it.
fn word(name: &str) -> String {
    name.replace(char::is_whitespace, "-")
}
