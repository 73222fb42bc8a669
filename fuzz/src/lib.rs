//! What every fuzz target asserts: no panic, and what can be read can be written and read again.
//!
//! On a stable toolchain (no sanitizer: there is no `unsafe` in what is fuzzed, and it would need nightly), from the root of the repository:
//!
//! ```text
//! cargo install cargo-fuzz
//! mkdir -p fuzz/corpus/std
//! cargo fuzz run --sanitizer none std fuzz/corpus/std fuzz/seeds/std -- -max_total_time=60
//! ```
//!
//! The targets are `std`, `jsonl`, `binary`, `binary_records` and `open` for traces, and `lang` for programs of the small language.

pub mod lang;

use deadheat_trace::format::{Compression, Format, Reader, open, open_as, writer};
use deadheat_trace::{Batch, Event, Source, Trace, TraceError};

/// Reads with that format and checks the round trip.
pub fn check(format: Format, file: &[u8]) {
    if let Ok(reader) = open_as(format, file) {
        round_trip(reader);
    }
}

/// Reads whatever it is, packed or not.
pub fn check_any(file: &[u8]) {
    if let Ok(reader) = open(file) {
        round_trip(reader);
    }
}

fn round_trip(mut reader: Reader) {
    let (format, compression) = (reader.format(), reader.compression());
    let Ok(trace) = Trace::read(&mut reader) else { return };
    let file = match write(&trace, format, compression) {
        Ok(file) => file,
        // The only thing that may be read and not written: escapes make a line of JSON longer.
        Err(e) if e.what.contains("its line has") => return,
        Err(e) => panic!("read, but cannot be written: {e}"),
    };
    // An empty text is no file.
    if trace.events.is_empty() && format != Format::Binary {
        return;
    }
    let mut again = open(&file[..]).expect("what was written can be opened");
    assert_eq!((again.format(), again.compression()), (format, compression));
    let again = Trace::read(&mut again).expect("what was written can be read");
    assert_eq!(again.events, trace.events);
    assert!(write(&again, format, compression).expect("and written again") == file);
}

fn write(trace: &Trace, format: Format, compression: Compression) -> Result<Vec<u8>, TraceError> {
    let mut file = Vec::new();
    let mut to = writer(format, compression, &mut file)?;
    to.write_batch(&trace.events, &trace.symbols)?;
    to.finish()?;
    Ok(file)
}

/// A file with these records in one block and all checksums right, so that the fuzzer gets at the records.
pub fn binary_file(records: &[u8]) -> Vec<u8> {
    // The events are counted by reading a file with a wrong count: they come before the mistake does.
    let events = delivered(&wrap(records, u32::MAX - 1)).len();
    wrap(records, events as u32)
}

fn delivered(file: &[u8]) -> Vec<Event> {
    let (mut events, mut batch) = (Vec::new(), Batch::default());
    if let Ok(mut reader) = open_as(Format::Binary, file) {
        while let Ok(true) = reader.next_batch(&mut batch) {
            events.extend_from_slice(&batch.events);
        }
    }
    events
}

fn wrap(records: &[u8], events: u32) -> Vec<u8> {
    let mut file = b"\x89DHT\r\n\x1a\n\x01\0\0\0".to_vec();
    push_block(&mut file, events, records);
    push_block(&mut file, u32::MAX, &u64::from(events).to_le_bytes());
    file
}

fn push_block(file: &mut Vec<u8>, events: u32, records: &[u8]) {
    let header = [events.to_le_bytes(), (records.len() as u32).to_le_bytes()].concat();
    let mut crc = crc32fast::Hasher::new();
    crc.update(&header);
    crc.update(records);
    file.extend_from_slice(&header);
    file.extend_from_slice(&crc.finalize().to_le_bytes());
    file.extend_from_slice(records);
}
