//! The transitive closure: for every event the set of all events that happen before it, as bits.

use super::{Edge, EdgeKind, End, edges};
use crate::{Event, Tid};
use std::collections::HashMap;
use std::fmt;

/// The trace has more events than [`HappensBefore::MAX_EVENTS`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLong {
    /// How many it has.
    pub events: usize,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (has, most) = (self.events, HappensBefore::MAX_EVENTS);
        write!(f, "happens-before by definition takes at most {most} events, and the trace has {has}")
    }
}

impl std::error::Error for TooLong {}

/// Happens-before of a whole trace.
#[derive(Clone, Debug)]
pub struct HappensBefore {
    /// Bit `i` of `rows[j]`: the start of event i reaches the completion of event j; true of j itself. A row ends with the last event
    /// that had started when j completed, so that all rows together take about n²/16 bytes.
    rows: Vec<Vec<u64>>,
    /// The events of each thread.
    steps: HashMap<Tid, Vec<usize>>,
    /// The position of each event among those of its thread, from 1.
    step: Vec<u64>,
}

impl HappensBefore {
    /// The longest trace: its rows take 160 MB.
    pub const MAX_EVENTS: usize = 50_000;

    /// Happens-before of a feasible trace.
    pub fn of(events: &[Event]) -> Result<HappensBefore, TooLong> {
        HappensBefore::new(events, &edges(events))
    }

    /// The transitive closure of program order and these edges, which must be those of the trace.
    pub fn new(events: &[Event], edges: &[Edge]) -> Result<HappensBefore, TooLong> {
        if events.len() > Self::MAX_EVENTS {
            return Err(TooLong { events: events.len() });
        }
        let (mut steps, mut step) = (HashMap::<Tid, Vec<usize>>::new(), Vec::new());
        for (i, event) in events.iter().enumerate() {
            let own = steps.entry(event.tid).or_default();
            own.push(i);
            step.push(own.len() as u64);
        }
        let rows = Closure::new(events, edges).rows();
        Ok(HappensBefore { rows, steps, step })
    }

    /// Does event i happen before event j: does its start come before the completion of j?
    ///
    /// Of accesses at most one of `before(i, j)` and `before(j, i)` holds; of the two halves of a rendezvous both do.
    pub fn before(&self, i: usize, j: usize) -> bool {
        i != j && self.rows[j].get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
    }

    /// The position of event i among the steps of its thread, from 1.
    pub fn step(&self, i: usize) -> u64 {
        self.step[i]
    }

    /// How many steps of thread t happen before event j, which is not counted itself. They are t's first ones.
    pub fn known(&self, t: Tid, j: usize) -> u64 {
        let steps = self.steps.get(&t).map_or(&[][..], Vec::as_slice);
        steps.partition_point(|&i| self.before(i, j)) as u64
    }
}

/// The rows under construction, in the order of the trace. A rendezvous completes, for both halves, with the start of the second.
struct Closure<'a> {
    /// By the event they arrive at, except those of `late`.
    edges: Vec<Edge>,
    /// The edge from the second half of a rendezvous to the first, by the event it leaves from.
    late: HashMap<usize, usize>,
    /// What comes directly before the start of each event: the previous step of its thread, or its fork.
    previous: Vec<Option<usize>>,
    events: &'a [Event],
}

impl Closure<'_> {
    fn new<'a>(events: &'a [Event], edges: &[Edge]) -> Closure<'a> {
        let mut last = HashMap::new();
        let mut previous: Vec<Option<usize>> = Vec::new();
        previous.extend(events.iter().enumerate().map(|(i, e)| last.insert(e.tid, i)));
        for edge in edges.iter().filter(|e| e.why.arrives() == End::Start) {
            debug_assert!(edge.why == EdgeKind::Fork && previous[edge.to].is_none());
            previous[edge.to] = Some(edge.from);
        }
        let (late, rest): (Vec<Edge>, Vec<Edge>) = edges.iter().partition(|e| e.from > e.to);
        let mut edges: Vec<Edge> = rest.into_iter().filter(|e| e.why.arrives() == End::Completion).collect();
        edges.sort_unstable_by_key(|e| e.to);
        Closure { edges, late: late.into_iter().map(|e| (e.from, e.to)).collect(), previous, events }
    }

    fn rows(&self) -> Vec<Vec<u64>> {
        let mut rows = Vec::with_capacity(self.events.len());
        let mut edges = self.edges.iter().peekable();
        for j in 0..self.events.len() {
            let mut row = vec![0; j / 64 + 1];
            self.add(&mut row, &rows, j, End::Start);
            if let Some(&first_half) = self.late.get(&j) {
                let mut first: Vec<u64> = std::mem::take(&mut rows[first_half]);
                first.resize(row.len(), 0);
                unite(&mut first, &row);
                rows[first_half] = first;
            }
            while let Some(edge) = edges.next_if(|e| e.to == j) {
                self.add(&mut row, &rows, edge.from, edge.why.leaves());
            }
            rows.push(row);
        }
        rows
    }

    /// Adds everything that reaches that node of event i.
    fn add(&self, row: &mut [u64], rows: &[Vec<u64>], i: usize, end: End) {
        let source = match end {
            End::Start => self.previous[i],
            End::Completion => Some(i),
        };
        if let Some(source) = source {
            unite(row, &rows[source]);
        }
        row[i / 64] |= 1 << (i % 64);
    }
}

fn unite(row: &mut [u64], other: &[u64]) {
    debug_assert!(other.len() <= row.len());
    for (word, more) in row.iter_mut().zip(other) {
        *word |= more;
    }
}
