//! Tests that look into the detectors' states: the papers' figures as printed, and the simulation between two of them.

mod channels;
mod figures;
mod kinds;
mod locksets;
mod rules;
mod simulation;
mod slots;

use crate::detector::Detector;
use deadheat_clock::{Clock, Tid, VectorClock};
use deadheat_trace::{Event, EventId, Loc, LockId, Op, Span};

/// Feeds a detector one step after the other.
struct Run<D> {
    detector: D,
    steps: u64,
    races: usize,
}

impl<D: Detector> Run<D> {
    fn new(detector: D) -> Run<D> {
        Run { detector, steps: 0, races: 0 }
    }

    /// Lets the threads be heard of in order, so that each goes by its own number in the clocks.
    fn started(mut self, threads: u32) -> Run<D> {
        for t in 0..threads {
            self.step(Tid(t), Op::Start);
        }
        self
    }

    fn step(&mut self, tid: Tid, op: Op) -> &mut Run<D> {
        let event = Event { op, tid, loc: Loc::NONE };
        self.detector.on_event(EventId(self.steps), &event, &mut |_| self.races += 1);
        self.steps += 1;
        self
    }
}

const M: LockId = LockId(0);

/// The variable of the figures.
fn x() -> Span {
    Span::named(0)
}

fn vc(entries: &[(u32, u64)]) -> VectorClock {
    entries.iter().map(|&(t, c)| (Tid(t), Clock(c))).collect()
}
