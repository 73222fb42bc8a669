//! Traces written out, in the format and compression that the output's name suggests.

use crate::args;
use crate::failure::Failure;
use crate::output::{Fate, Target, note, print};
use deadheat_trace::format::{Compression, Format, Writer, rapid_knows, writer};
use deadheat_trace::{Event, Symbols};
use serde::Serialize;
use std::io::BufWriter;
use std::path::Path;

/// A trace being written.
pub struct TraceOutput<'a> {
    writer: Writer<'static>,
    fate: Fate,
    args: &'a args::Output,
    target: Target,
    format: Format,
    compression: Compression,
    /// Events written.
    pub events: u64,
    /// Of these, the ones that RAPID would not understand in STD.
    beyond_rapid: u64,
}

/// What was written, for `--json`.
#[derive(Serialize)]
struct Summary {
    output: Option<String>,
    format: &'static str,
    compression: &'static str,
    events: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    beyond_rapid: Option<u64>,
}

impl<'a> TraceOutput<'a> {
    /// Opens the output that the arguments ask for, while `input` is being read.
    pub fn open(args: &'a args::Output, input: Option<&Path>) -> Result<TraceOutput<'a>, Failure> {
        let target = Target::new(args.output.as_deref());
        let name = if target == Target::Standard { String::new() } else { target.name() };
        let format = args.to.map(Format::from).unwrap_or_else(|| format_of(&name));
        let compression = args.compress.map(Compression::from).unwrap_or_else(|| compression_of(&name));
        let (sink, fate) = target.create(input)?;
        let to = BufWriter::with_capacity(1 << 16, sink);
        let writer = writer(format, compression, to).map_err(|e| fate.failure(e))?;
        Ok(TraceOutput { writer, fate, args, target, format, compression, events: 0, beyond_rapid: 0 })
    }

    /// Writes some events.
    pub fn write(&mut self, events: &[Event], symbols: &Symbols) -> Result<(), Failure> {
        self.events += events.len() as u64;
        self.beyond_rapid += events.iter().filter(|e| !rapid_knows(&e.op)).count() as u64;
        // Names with | or brackets: only STD cannot say everything.
        let way_out = if self.format == Format::Std { "; --to jsonl and --to binary can" } else { "" };
        self.writer.write_batch(events, symbols).map_err(|e| self.fate.failure(format!("{e}{way_out}")))
    }

    /// Writes what is left, and says in words or as JSON what was written.
    pub fn finish(self) -> Result<(), Failure> {
        let summary = self.summary();
        self.writer.finish().map_err(|e| self.fate.failure(e))?;
        self.fate.finish();
        if self.args.json {
            let summary = serde_json::to_string(&summary).map_err(|e| Failure::new(e.to_string()))?;
            return match self.target {
                Target::File(_) => print(&format!("{summary}\n")),
                // The trace is there already.
                Target::Standard => {
                    note(&summary);
                    Ok(())
                }
            };
        }
        // Only for those who asked for RAPID's format; for others it would be noise.
        if let (Some(args::OutFormat::Std), Some(n @ 1..)) = (self.args.to, summary.beyond_rapid) {
            note(&format!(
                "note: RAPID does not know {n} of the {} events written; Deadheat does",
                summary.events
            ));
        }
        Ok(())
    }

    fn summary(&self) -> Summary {
        Summary {
            output: (self.target != Target::Standard).then(|| self.target.name()),
            format: self.format.name(),
            compression: self.compression.name(),
            events: self.events,
            beyond_rapid: (self.format == Format::Std).then_some(self.beyond_rapid),
        }
    }
}

fn format_of(name: &str) -> Format {
    let bare = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(name);
    match bare.rsplit_once('.') {
        Some((_, "jsonl" | "json" | "ndjson")) => Format::Jsonl,
        Some((_, "dht" | "bin")) => Format::Binary,
        _ => Format::Std,
    }
}

fn compression_of(name: &str) -> Compression {
    match name.rsplit_once('.') {
        Some((_, "gz")) => Compression::Gzip,
        Some((_, "zst")) => Compression::Zstd,
        _ => Compression::None,
    }
}
