//! Opening a trace of any format, packed or not, by what is in it.

use super::binary::{self, BinaryReader};
use super::jsonl::JsonReader;
use super::message::read_failed;
use super::std_reader::StdReader;
use super::{Compression, Format};
use crate::{Batch, EventId, Position, Source, Symbols, TraceError};
use std::io::{self, Cursor, Read};

/// Reads one format, with the rules that all formats share left to [`Reader`].
pub(super) trait Decode {
    /// Adds events to an empty batch: none at the end, and those before a mistake.
    fn decode(&mut self, batch: &mut Batch) -> Result<(), TraceError>;

    fn symbols(&self) -> &Symbols;
}

/// A trace file that is being read.
pub struct Reader<'a> {
    decoder: Box<dyn Decode + 'a>,
    format: Format,
    compression: Compression,
    next: EventId,
    /// Told once the events before it have been delivered, and from then on.
    mistake: Option<TraceError>,
}

/// Opens a trace. Format and compression are told from the contents; the file's name plays no part.
///
/// ```
/// use deadheat_trace::{Source, Trace, format};
/// let mut reader = format::open("T1|w(x)|1\nT2|r(x)|2\n".as_bytes())?;
/// assert_eq!(reader.format(), format::Format::Std);
/// assert_eq!(Trace::read(&mut reader)?.events.len(), 2);
/// # Ok::<(), deadheat_trace::TraceError>(())
/// ```
pub fn open<'a>(input: impl Read + 'a) -> Result<Reader<'a>, TraceError> {
    let (compression, mut input) = unpack(input)?;
    let head = peek(&mut input, |head| head.len() >= binary::MAGIC.len() && !is_blank(head))?;
    if head.is_empty() || (is_blank(&head) && head.len() < PEEK) {
        return Err(TraceError::new(Position::File, "the file is empty"));
    }
    if Compression::detect(&head) != Compression::None {
        return Err(TraceError::new(Position::File, "the file is compressed twice"));
    }
    let format = Format::detect(&head);
    // A text file may start with a byte order mark.
    let skip = if format != Format::Binary && head.starts_with(BOM) { BOM.len() } else { 0 };
    let rest = Cursor::new(head[skip..].to_vec()).chain(input);
    Ok(Reader::new(format, compression, rest))
}

/// Opens a trace of a known format, packed or not.
pub fn open_as<'a>(format: Format, input: impl Read + 'a) -> Result<Reader<'a>, TraceError> {
    let (compression, input) = unpack(input)?;
    Ok(Reader::new(format, compression, input))
}

const BOM: &[u8] = "\u{feff}".as_bytes();
/// How far to look for the first character.
const PEEK: usize = 4096;

fn unpack<'a>(mut input: impl Read + 'a) -> Result<(Compression, Box<dyn Read + 'a>), TraceError> {
    const LONGEST_MAGIC: usize = 4;
    let head = peek(&mut input, |head| head.len() >= LONGEST_MAGIC)?;
    let compression = Compression::detect(&head);
    let unpacked =
        compression.unpack(Cursor::new(head).chain(input)).map_err(|e| read_failed(Position::File, &e))?;
    Ok((compression, unpacked))
}

/// Reads from the start until that is enough, and no further than necessary: the input may be a pipe.
fn peek(input: &mut impl Read, enough: impl Fn(&[u8]) -> bool) -> Result<Vec<u8>, TraceError> {
    let (mut head, mut len) = (vec![0; PEEK], 0);
    while len < PEEK && !enough(&head[..len]) {
        match input.read(&mut head[len..]) {
            Ok(0) => break,
            Ok(n) => len += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(read_failed(Position::File, &e)),
        }
    }
    head.truncate(len);
    Ok(head)
}

fn is_blank(text: &[u8]) -> bool {
    text.strip_prefix(BOM).unwrap_or(text).trim_ascii().is_empty()
}

impl Format {
    /// The format of the contents that start like this. Whatever is neither binary nor JSON is text, and an error if not.
    fn detect(head: &[u8]) -> Format {
        let text = head.strip_prefix(BOM).unwrap_or(head);
        let signature = &binary::SIGNATURE[..head.len().min(binary::SIGNATURE.len())];
        match text.trim_ascii_start().first() {
            _ if head.starts_with(signature) => Format::Binary,
            Some(b'{') => Format::Jsonl,
            _ => Format::Std,
        }
    }
}

impl<'a> Reader<'a> {
    fn new(format: Format, compression: Compression, input: impl Read + 'a) -> Reader<'a> {
        let decoder: Box<dyn Decode + 'a> = match format {
            Format::Std => Box::new(StdReader::new(input)),
            Format::Jsonl => Box::new(JsonReader::new(input)),
            Format::Binary => Box::new(BinaryReader::new(input)),
        };
        Reader { decoder, format, compression, next: EventId(0), mistake: None }
    }

    /// The format that was found.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The compression that was found.
    pub fn compression(&self) -> Compression {
        self.compression
    }
}

impl Source for Reader<'_> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        batch.first = self.next;
        batch.events.clear();
        batch.lines.clear();
        batch.offset = 0;
        if self.mistake.is_none() {
            batch.events.reserve(Batch::LEN);
            self.mistake = self.decoder.decode(batch).err();
        }
        match &self.mistake {
            Some(mistake) if batch.events.is_empty() => Err(mistake.clone()),
            _ => {
                self.next.0 += batch.events.len() as u64;
                Ok(!batch.events.is_empty())
            }
        }
    }

    fn symbols(&self) -> &Symbols {
        self.decoder.symbols()
    }
}
