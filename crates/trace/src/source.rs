//! Where events come from: in batches from a file that may be larger than memory, or from a trace in memory.

use crate::{Event, EventId, Symbols};
use std::fmt;

/// Where in its file something is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// A line, from 1.
    Line(u64),
    /// A byte offset in the (uncompressed) contents.
    Byte(u64),
    /// The file as a whole.
    File,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::Line(n) => write!(f, "line {n}"),
            Position::Byte(n) => write!(f, "byte {n}"),
            Position::File => Ok(()),
        }
    }
}

/// What is wrong with a trace's text, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceError {
    /// Where.
    pub at: Position,
    /// What, in one line without a full stop.
    pub what: String,
}

impl TraceError {
    /// That error there.
    pub fn new(at: Position, what: impl Into<String>) -> TraceError {
        TraceError { at, what: what.into() }
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Position::File => f.write_str(&self.what),
            at => write!(f, "{at}: {}", self.what),
        }
    }
}

impl std::error::Error for TraceError {}

/// Some events in a row, with where they came from.
#[derive(Clone, Default)]
pub struct Batch {
    /// The number of `events[0]` in the trace.
    pub first: EventId,
    /// The events.
    pub events: Vec<Event>,
    /// For line-based formats the line of each event; empty for others.
    pub lines: Vec<u64>,
    /// For binary formats the byte offset of the block these events are in.
    pub offset: u64,
}

impl Batch {
    /// How many events a source puts into a batch at most: as many as stay in the first-level cache.
    pub const LEN: usize = 1024;

    /// Where `events[i]` stands in its file.
    pub fn position(&self, i: usize) -> Position {
        match self.lines.get(i) {
            Some(&line) => Position::Line(line),
            None => Position::Byte(self.offset),
        }
    }

    /// The number of `events[i]` in the trace.
    pub fn id(&self, i: usize) -> EventId {
        EventId(self.first.0 + i as u64)
    }

    /// The events with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (EventId, &Event)> {
        self.events.iter().enumerate().map(|(i, e)| (self.id(i), e))
    }
}

/// A stream of events in constant memory (the names apart).
pub trait Source {
    /// Replaces the batch by the next events; `false` at the end.
    ///
    /// Events before a mistake in the file are delivered before the mistake is.
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, TraceError>;

    /// The names of everything seen so far.
    fn symbols(&self) -> &Symbols;
}

/// A whole trace in memory.
#[derive(Clone, Default)]
pub struct Trace {
    /// The names.
    pub symbols: Symbols,
    /// The events.
    pub events: Vec<Event>,
}

impl Trace {
    /// Reads a source to its end.
    pub fn read(source: &mut dyn Source) -> Result<Trace, TraceError> {
        let (mut events, mut batch) = (Vec::new(), Batch::default());
        while source.next_batch(&mut batch)? {
            events.extend_from_slice(&batch.events);
        }
        Ok(Trace { symbols: source.symbols().clone(), events })
    }

    /// The trace as a source.
    pub fn source(&self) -> impl Source + '_ {
        InMemory { trace: self, at: 0 }
    }
}

struct InMemory<'a> {
    trace: &'a Trace,
    at: usize,
}

impl Source for InMemory<'_> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        let rest = &self.trace.events[self.at..];
        let next = &rest[..rest.len().min(Batch::LEN)];
        batch.first = EventId(self.at as u64);
        batch.events.clear();
        batch.events.extend_from_slice(next);
        batch.lines.clear();
        self.at += next.len();
        Ok(!next.is_empty())
    }

    fn symbols(&self) -> &Symbols {
        &self.trace.symbols
    }
}
