//! The file formats: what is written is read back, and what is wrong is said.

mod arbitrary;
mod binary_mistakes;
mod examples;
mod mistakes;
mod opening;
mod refusals;
mod round_trips;

use deadheat_trace::format::{Compression, Format, open, writer};
use deadheat_trace::{Trace, TraceError};

/// The trace in a file.
fn read(file: &[u8]) -> Result<Trace, TraceError> {
    Trace::read(&mut open(file)?)
}

/// The trace as a file.
fn write(trace: &Trace, format: Format) -> Result<Vec<u8>, TraceError> {
    write_packed(trace, format, Compression::None)
}

fn write_packed(trace: &Trace, format: Format, compression: Compression) -> Result<Vec<u8>, TraceError> {
    let mut file = Vec::new();
    let mut to = writer(format, compression, &mut file)?;
    to.write_batch(&trace.events, &trace.symbols)?;
    to.finish()?;
    Ok(file)
}

/// The same trace as a file of another format.
fn convert(file: &[u8], format: Format) -> Result<Vec<u8>, TraceError> {
    write(&read(file)?, format)
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("text formats are UTF-8")
}
