//! From the runtime's raw record of a run to a trace: events in order, dense names, places in the source.

mod merge;
mod places;
mod raw;
#[cfg(test)]
mod tests;
mod translate;

use crate::args;
use crate::failure::Failure;
use crate::output::note;
use crate::progress::Progress;
use crate::trace::output::TraceOutput;
use deadheat_trace::Feasibility;
use merge::Merge;
use places::Places;
use raw::Raw;
use std::path::Path;
use translate::Translator;

/// Events between two writes.
const BATCH: usize = 1024;

/// Writes the trace, in the format that its name suggests. What no run can have done, since the recorder missed something, is
/// repaired, and told.
pub fn convert(record: &Path, trace: &Path) -> Result<(), Failure> {
    let raw = Raw::open(record)?;
    if let Some(end) = &raw.early_end {
        note(&format!("note: the record of the run ends early: {end}"));
    }
    let target = args::Output { output: Some(trace.to_owned()), to: None, compress: None, json: false };
    let mut out = TraceOutput::open(&target, None)?;
    let (mut feasible, mut batch, mut repairs) = (Feasibility::new(), Vec::with_capacity(BATCH), 0);
    let mut translator = Translator::new(&raw.names, Places::new(&raw));
    let mut progress = Progress::new(Some(raw.events));
    for event in Merge::new(&raw)? {
        if let Some(event) = translator.event(&event?)? {
            repairs += feasible.admit_lenient(&event, &mut batch).len();
        }
        if batch.len() >= BATCH {
            out.write(&batch, translator.symbols())?;
            progress.at(out.events, out.events);
            batch.clear();
        }
    }
    out.write(&batch, translator.symbols())?;
    drop(progress);
    out.finish()?;
    if repairs > 0 {
        let s = if repairs == 1 { "" } else { "s" };
        note(&format!("note: {repairs} repair{s} made a possible trace of the record of the run"));
    }
    Ok(())
}
