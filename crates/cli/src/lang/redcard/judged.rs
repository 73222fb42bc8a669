//! Runs that are judged: a precise detector says how far they are free of races, the monitor whether that far every missing check was
//! redundant.

use crate::failure::Failure;
use deadheat_detect::DetectorKind;
use deadheat_lang::{Lines, Machine};
use deadheat_lang_redcard::monitor::{Annotations, monitor};
use deadheat_lang_redcard::{Elision, Subject};
use deadheat_trace::{Event, EventId};

/// How many events, from the first, have no race among them.
pub fn race_free(events: &[Event]) -> usize {
    let mut detector = DetectorKind::VerifiedFt.build(0);
    let mut first = events.len();
    detector.on_events(EventId(0), events, &mut |race| first = first.min(race.current.event.0 as usize));
    first
}

/// Says that a run that told every access was well-formed, or where it was not: then the analysis is wrong.
pub fn well_formed(
    subject: &Subject,
    elision: &Elision,
    machine: &Machine,
    events: &[Event],
) -> Result<(), Failure> {
    let proxies = |place, cell| elision.proxies(machine, place, cell);
    let annotations = Annotations { unchecked: &elision.unchecked, proxies: &proxies };
    monitor(events, race_free(events), &annotations).map_err(|fault| {
        let span = subject.code.spans[events[fault.0].loc.0 as usize];
        let (line, column) = Lines::new(&subject.text).position(span);
        let at = fault.0;
        Failure::new(format!(
            "the access at {line}:{column} lost its check although event {at} needs it: please report this"
        ))
    })
}
