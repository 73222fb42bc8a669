//! Writing a trace in any format, packed or not.

use super::binary::BinaryWriter;
use super::compression::Output;
use super::lines::MAX_LINE;
use super::message::write_failed;
use super::{Compression, Format, jsonl, std_writer};
use crate::{Event, EventId, Position, Symbols, TraceError};
use std::io::Write;

/// A trace file that is being written. Without [`finish`](Writer::finish) the file is incomplete.
pub struct Writer<'a> {
    encoder: Encoder,
    output: Output<'a>,
    /// Encoded and not yet handed on.
    buffer: Vec<u8>,
    next: EventId,
    /// The first failure: what follows a gap is not written, and `finish` fails too.
    failed: Option<TraceError>,
}

enum Encoder {
    Std,
    Jsonl,
    Binary(Box<BinaryWriter>),
}

/// How much is collected before it is handed on.
const CHUNK: usize = 64 << 10;

/// Begins a trace file of that format.
///
/// ```
/// use deadheat_trace::{Event, Loc, Op, Symbols, format};
/// let (mut symbols, mut file) = (Symbols::default(), Vec::new());
/// let (tid, x) = (symbols.intern_thread("T1"), symbols.intern_var("x"));
/// let mut writer = format::writer(format::Format::Std, format::Compression::None, &mut file)?;
/// writer.write_batch(&[Event { op: Op::Write(x), tid, loc: Loc(12) }], &symbols)?;
/// writer.finish()?;
/// assert_eq!(file, b"T1|w(x)|12\n");
/// # Ok::<(), deadheat_trace::TraceError>(())
/// ```
pub fn writer<'a>(
    format: Format,
    compression: Compression,
    to: impl Write + 'a,
) -> Result<Writer<'a>, TraceError> {
    let output = Output::new(compression, Box::new(to)).map_err(|e| write_failed(&e))?;
    let mut buffer = Vec::new();
    let encoder = match format {
        Format::Std => Encoder::Std,
        Format::Jsonl => Encoder::Jsonl,
        Format::Binary => {
            BinaryWriter::start(&mut buffer);
            Encoder::Binary(Box::default())
        }
    };
    Ok(Writer { encoder, output, buffer, next: EventId(0), failed: None })
}

impl Writer<'_> {
    /// Adds events. The symbols must hold their names; later batches may come with more of them, not with others.
    ///
    /// Fails if the output does or if the format cannot say an event, and from then on.
    pub fn write_batch(&mut self, events: &[Event], symbols: &Symbols) -> Result<(), TraceError> {
        self.check()?;
        let result = events.iter().try_for_each(|e| self.write_event(e, symbols));
        self.remember(result)
    }

    /// Writes what is left.
    pub fn finish(mut self) -> Result<(), TraceError> {
        self.check()?;
        if let Encoder::Binary(encoder) = &mut self.encoder {
            encoder.finish(&mut self.buffer);
        }
        self.flush()?;
        self.output.finish().map_err(|e| write_failed(&e))
    }

    fn check(&self) -> Result<(), TraceError> {
        self.failed.clone().map_or(Ok(()), Err)
    }

    fn remember(&mut self, result: Result<(), TraceError>) -> Result<(), TraceError> {
        self.failed = result.as_ref().err().cloned();
        result
    }

    fn write_event(&mut self, event: &Event, symbols: &Symbols) -> Result<(), TraceError> {
        let out = &mut self.buffer;
        let start = out.len();
        let written = match &mut self.encoder {
            Encoder::Std => {
                std_writer::write_line(event, symbols, out).and_then(|()| check_line(&out[start..]))
            }
            Encoder::Jsonl => jsonl::write_line(event, symbols, out).and_then(|()| check_line(&out[start..])),
            Encoder::Binary(encoder) => encoder.event(event, symbols, out),
        };
        written.map_err(|what| {
            TraceError::new(Position::File, format!("cannot write {}: {what}", Symbols::event(self.next)))
        })?;
        self.next.0 += 1;
        if self.buffer.len() >= CHUNK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        self.output.write(&self.buffer).map_err(|e| write_failed(&e))?;
        self.buffer.clear();
        Ok(())
    }
}

/// A line that no reader accepts is not written.
fn check_line(line: &[u8]) -> Result<(), String> {
    let len = line.len().saturating_sub(1);
    if len > MAX_LINE { Err(format!("its line has {len} bytes, more than {MAX_LINE}")) } else { Ok(()) }
}
