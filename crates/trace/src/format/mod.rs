//! Trace files: STD text, JSON Lines and a compact binary format, each plain or compressed.
//!
//! [`open`] tells them apart by their contents and streams events in constant memory; [`writer()`] writes them. All three can say
//! every operation, and reading a file that a writer made and writing it again gives the same bytes. `docs/trace-formats.md`
//! describes them for people who want to write one.

mod binary;
mod compression;
mod json_fields;
mod jsonl;
mod lines;
mod message;
mod names;
mod orders;
mod reader;
mod std_reader;
mod std_writer;
mod words;
mod writer;

pub use compression::Compression;
pub use reader::{Reader, open, open_as};
pub use std_reader::rapid_knows;
pub use words::operation_name;
pub use writer::{Writer, writer};

/// A way to write down a trace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// RAPID's text, with words for what RAPID does not know.
    Std,
    /// A JSON object a line.
    Jsonl,
    /// Deadheat's own, small and fast.
    Binary,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 3] = [Format::Std, Format::Jsonl, Format::Binary];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Format::Std => "std",
            Format::Jsonl => "jsonl",
            Format::Binary => "binary",
        }
    }
}
