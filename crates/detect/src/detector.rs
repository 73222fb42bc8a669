//! What all detectors have in common.

use crate::rule::Counters;
use deadheat_report::Race;
use deadheat_trace::{Event, EventId};

/// Takes the races as they are found.
pub type RaceSink<'a> = dyn FnMut(Race) + 'a;

/// A race detector over a feasible trace. It goes on after a race.
pub trait Detector {
    /// The next event of the trace.
    fn on_event(&mut self, id: EventId, event: &Event, races: &mut RaceSink<'_>);

    /// The next events of the trace, the first of them numbered `first`: one dynamic call for all of them.
    fn on_events(&mut self, first: EventId, events: &[Event], races: &mut RaceSink<'_>) {
        for (id, event) in (first.0..).zip(events) {
            self.on_event(EventId(id), event, races);
        }
    }

    /// The trace is over. Says why in one line if the detector could not do its work.
    fn finish(&mut self, _races: &mut RaceSink<'_>) -> Result<(), String> {
        Ok(())
    }

    /// How often each rule was applied.
    fn counters(&self) -> &Counters;
}
