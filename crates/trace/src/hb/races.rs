//! Every racing pair of a trace, straight from the definition.

use super::HappensBefore;
use crate::{Access, Event, Mode, Op, Span, Tid};

/// Two conflicting accesses that nothing orders, with the bytes they share.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RacePair {
    /// Index of the access that comes first in the trace.
    pub first: usize,
    /// Index of the other.
    pub second: usize,
    /// A run of bytes that both touch without an alloc in between.
    pub span: Span,
}

/// All races, by second access, first access and address. A pair with several runs of common bytes is there several times.
pub fn races(events: &[Event], hb: &HappensBefore) -> Vec<RacePair> {
    let cuts = cuts(events);
    let mut segments: Vec<Segment> = Vec::new();
    segments.resize_with(cuts.len(), Segment::default);
    let mut out = Vec::new();
    for (j, event) in events.iter().enumerate() {
        if let Op::Alloc(span) = event.op {
            segments[range(&cuts, span)].fill_with(Segment::default);
        } else if let Some(access) = event.op.access() {
            let mut found = Vec::new();
            for s in range(&cuts, access.span) {
                segments[s].conflicts(event.tid, access, |list| {
                    // Of each thread's steps the first ones happen before j, and the others do not.
                    let ordered = list.partition_point(|&i| hb.before(i, j));
                    found.extend(list[ordered..].iter().map(|&i| (i, s)));
                });
                segments[s].add(event.tid, access.mode, j);
            }
            found.sort_unstable();
            out.extend(runs(&found, &cuts).map(|(first, span)| RacePair { first, second: j, span }));
        }
    }
    out
}

/// The bytes between two neighbouring cuts: no access or alloc begins or ends within, so they share one history.
#[derive(Default)]
struct Segment {
    threads: Vec<(Tid, Accesses)>,
}

/// The accesses of one thread since the last alloc, by mode.
#[derive(Default)]
struct Accesses([Vec<usize>; MODES.len()]);

const MODES: [Mode; 4] = [Mode::Read, Mode::Write, Mode::AtomicRead, Mode::AtomicWrite];

impl Segment {
    /// Calls `found` with the accesses of each other thread in each mode that conflicts.
    fn conflicts(&self, tid: Tid, access: Access, mut found: impl FnMut(&[usize])) {
        for (_, accesses) in self.threads.iter().filter(|(u, _)| *u != tid) {
            for (mode, list) in MODES.iter().zip(&accesses.0) {
                if mode.conflicts(access.mode) {
                    found(list);
                }
            }
        }
    }

    fn add(&mut self, tid: Tid, mode: Mode, j: usize) {
        let k = self.threads.iter().position(|(u, _)| *u == tid).unwrap_or_else(|| {
            self.threads.push((tid, Accesses::default()));
            self.threads.len() - 1
        });
        let m = MODES.iter().position(|&m| m == mode).expect("all modes are listed");
        self.threads[k].1.0[m].push(j);
    }
}

/// The addresses at which something begins or ends, in order.
fn cuts(events: &[Event]) -> Vec<u64> {
    let spans = events.iter().filter_map(|e| match e.op {
        Op::Alloc(span) => Some(span),
        op => op.access().map(|a| a.span),
    });
    let mut cuts: Vec<u64> = spans.flat_map(|s| [s.addr.0, s.end()]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// The segments of a span. Segment s goes from cut s to cut s+1.
fn range(cuts: &[u64], span: Span) -> std::ops::Range<usize> {
    let at = |addr| cuts.partition_point(|&cut| cut < addr);
    at(span.addr.0)..at(span.end())
}

/// Joins neighbouring segments of the same first access.
fn runs(found: &[(usize, usize)], cuts: &[u64]) -> impl Iterator<Item = (usize, Span)> {
    found.chunk_by(|a, b| a.0 == b.0 && a.1 + 1 == b.1).map(|run| {
        let (begin, end) = (cuts[run[0].1], cuts[run[run.len() - 1].1 + 1]);
        (run[0].0, Span::new(begin, end - begin))
    })
}
