//! The oracle: happens-before from its definition, and every racing pair. It judges the other detectors.
//!
//! It shares no code with them: [`deadheat_trace::HappensBefore`] is computed from the edges of `docs/happens-before.md` over the whole
//! trace, in quadratic space, so it takes short traces only.

use crate::detector::{Detector, RaceSink};
use crate::history::Site;
use crate::rule::Counters;
use deadheat_report::{Evidence, Party, Race};
use deadheat_trace::{Event, EventId, HappensBefore, RacePair, races};

/// Keeps the trace, and judges it when it is over.
#[derive(Clone, Default)]
pub struct Oracle {
    /// As many events as the definition can take.
    events: Vec<(EventId, Event)>,
    seen: usize,
    rules: Counters,
}

impl Detector for Oracle {
    fn on_event(&mut self, id: EventId, event: &Event, _: &mut RaceSink<'_>) {
        self.seen += 1;
        if self.events.len() < HappensBefore::MAX_EVENTS {
            self.events.push((id, *event));
        }
    }

    fn finish(&mut self, sink: &mut RaceSink<'_>) -> Result<(), String> {
        if self.seen > HappensBefore::MAX_EVENTS {
            let max = HappensBefore::MAX_EVENTS;
            return Err(format!("the oracle takes at most {max} events, and the trace has {}", self.seen));
        }
        let events: Vec<Event> = self.events.iter().map(|(_, e)| *e).collect();
        let order = HappensBefore::of(&events).map_err(|e| e.to_string())?;
        for pair in races(&events, &order) {
            sink(self.race(pair, &order));
        }
        Ok(())
    }

    fn counters(&self) -> &Counters {
        &self.rules
    }
}

impl Oracle {
    fn race(&self, RacePair { first, second, span }: RacePair, order: &HappensBefore) -> Race {
        let (prior, current) = (self.party(first), self.party(second));
        let known = order.known(prior.tid, second);
        let evidence = Evidence::Steps { prior: order.step(first), current: order.step(second), known };
        Race { span, prior, current, evidence }
    }

    fn party(&self, i: usize) -> Party {
        let (id, event) = self.events[i];
        let mode = event.op.access().expect("only accesses race").mode;
        Site::new(id, &event).party(mode)
    }
}
