//! Each mistake in a binary file, with the message that it gets. The files are made by hand, from `docs/trace-formats.md`.

// Heads are grouped as their fields are: location, same thread, opcode.
#![allow(clippy::unusual_byte_groupings)]

use super::*;
use deadheat_trace::{Batch, Source};

const MAGIC: &[u8] = b"\x89DHT\r\n\x1a\n\x01\0\0\0";

/// A block with its checksum.
fn block(events: u32, records: &[u8]) -> Vec<u8> {
    let mut block = [events.to_le_bytes(), (records.len() as u32).to_le_bytes()].concat();
    let mut crc = crc32fast::Hasher::new();
    crc.update(&block);
    crc.update(records);
    block.extend_from_slice(&crc.finalize().to_le_bytes());
    block.extend_from_slice(records);
    block
}

fn end(events: u64) -> Vec<u8> {
    block(u32::MAX, &events.to_le_bytes())
}

/// A file of one block.
fn file(events: u32, records: &[u8]) -> Vec<u8> {
    [MAGIC, &block(events, records), &end(events.into())].concat()
}

fn name(space: u8, name: &str) -> Vec<u8> {
    [&[15, space, name.len() as u8], name.as_bytes()].concat()
}

/// A thread `T` and a variable `x`.
fn names() -> Vec<u8> {
    [name(0, "T"), name(1, "x")].concat()
}

#[track_caller]
fn check(file: &[u8], message: &str) {
    match read(file) {
        Ok(_) => panic!("no error"),
        Err(e) => assert_eq!(e.to_string(), message),
    }
}

#[test]
fn the_document_describes_the_format() {
    // T writes x at 5, reads x at 5, reads 8 bytes at 0x10 at 6, starts nowhere, loads 0x18:4.
    let records = [
        names(),
        vec![0b11_1_00001, 0, 10],
        vec![0b01_1_00000, 0],
        vec![0b10_1_01000, 32],
        vec![0b00_1_01110, 8],
        vec![0b01_1_01110, 12, 4, 16, 1],
    ];
    let bytes = file(5, &records.concat());
    let expected = "T|w(x)|5\nT|r(x)|5\nT|r(0x10:8)|6\nT|start()|-\nT|load(0x18:4,acquire)|6\n";
    assert_eq!(text(convert(&bytes, Format::Std).unwrap()), expected);
    assert_eq!(convert(expected.as_bytes(), Format::Binary).unwrap(), bytes);
}

/// Records after the names of `T` and `x`, all on the first event.
const RECORDS: &[(&[u8], &str)] = &[
    (&[0b00_0_00001, 1, 0], "thread number 1 has no name"),
    (&[0b00_1_00001, 2], "variable number 1 has no name"),
    (&[0b00_1_00001, 1], "variable number 18446744073709551615 has no name"),
    (&[0b00_1_01000, 1], "8 bytes at 0xffffffffffffffff reach beyond 0x8000000000000000"),
    (&[0b00_1_01010, 0, 2], "variable number 1 has no name"),
    (&[0b11_1_00001, 0, 1], "location 0xffffffffffffffff has no name"),
    (&[0b11_1_00001, 0, 0x80, 0x80, 0x80, 0x80, 0x10], "location 0x80000000 has no name"),
    (&[0b00_1_01100, 0], "lock number 0 has no name"),
    (&[0b00_1_01110, 6, 1], "thread number 1 has no name"),
    (&[0b00_1_10000], "unknown opcode 16"),
    (&[0b00_1_11111], "unknown opcode 31"),
    (&[0b00_1_01111], "unknown opcode 15"),
    (&[0b00_1_01110, 32], "unknown operation 32"),
    (&[0b00_1_01110, 15, 5], "unknown memory order 5"),
    (&[0b00_1_01110, 15, 0], "a fence cannot be relaxed; it can be acquire, release, acq_rel, seq_cst"),
    (&[0b00_1_00001, 0x80, 0], "a number is encoded in too many bytes"),
    (
        &[0b00_1_00001, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2],
        "a number is encoded in too many bytes",
    ),
    (&[0b00_1_00001], "a record reaches beyond the end of its block"),
    (&[15], "a record reaches beyond the end of its block"),
    (&[15, 1, 2, b'y'], "a record reaches beyond the end of its block"),
    (&[15, 9, 1, b'y'], "unknown namespace 9"),
    (&[15, 1, 1, b'x'], "the variable \"x\" is defined twice"),
    (&[15, 1, 0], "the variable has no name"),
    (&[15, 1, 1, 0xff], "the name of the variable, \"\\xff\", is not UTF-8"),
    (&[15, 1, 0x81, 0x80, 0x40], "a name of 1048577 bytes is longer than the limit of 1048576"),
];

#[test]
fn mistakes_in_records_are_named() {
    for (record, what) in RECORDS {
        let good = [names(), vec![0b00_1_00001, 0]].concat();
        let offset = MAGIC.len() + 12 + good.len();
        check(&file(2, &[&good, *record].concat()), &format!("byte {offset}: {what}"));
    }
}

#[test]
fn blocks_keep_their_promises() {
    let one = [names(), vec![0b00_1_00001, 0]].concat();
    check(&file(2, &one), "byte 12: the block should have 2 events, found 1");
    check(&file(0, &one), "byte 12: the block should have 0 events, found 1");
    let two = [MAGIC, &block(1, &one), &end(2)].concat();
    check(&two, "byte 34: the trace should have 2 events, found 1");
    let short_end = [MAGIC, &block(u32::MAX, b"1234")].concat();
    check(&short_end, "byte 12: the end block has a wrong length");
    let more = [file(1, &one), vec![0]].concat();
    check(&more, "byte 54: something follows the end of the trace");
    let large = [MAGIC, &[0, 0, 0, 0, 1, 0, 0x20, 0, 0, 0, 0, 0]].concat();
    check(&large, "byte 12: a block of 2097153 bytes is larger than the limit of 2097152");
}

#[test]
fn headers_are_checked() {
    let good = file(0, &names());
    let with = |at: usize, byte: u8| {
        let mut bad = good.clone();
        bad[at] = byte;
        bad
    };
    check(&with(8, 2), "byte 8: version 2 of the binary format is not known, only version 1");
    let converted = [b"\x89DHT\n\x1a\n", &good[8..]].concat();
    let what = "not a binary trace: line ends were converted, it starts with \"\\x89DHT\\n\\x1a\\n\\x01\"";
    check(&converted, &format!("byte 0: {what}"));
    for at in 12..20 {
        let message = read(&with(at, 0x01)).err().unwrap().to_string();
        assert!(message.starts_with("byte "), "{message}");
    }
    for (at, byte) in good.iter().enumerate().skip(20) {
        let message = read(&with(at, byte ^ 0x40)).err().unwrap().to_string();
        assert!(message.starts_with("byte "), "{message}");
    }
}

/// Cut anywhere, also between blocks, a file is known to be cut.
#[test]
fn cut_off_files_are_noticed() {
    let trace = read(b"T|w(x)|1\nT|w(y)|1\n").unwrap();
    let mut good = write(&trace, Format::Binary).unwrap();
    good = [MAGIC, &good[12..good.len() - 20], &block(1, &[0b00_1_00001, 0]), &end(3)].concat();
    assert_eq!(read(&good).unwrap().events.len(), 3);
    for len in 1..good.len() {
        let message =
            read(&good[..len]).err().unwrap_or_else(|| panic!("{len} of {}", good.len())).to_string();
        let places = ["in its header", "where a block should start", "in the middle of a block"];
        let known = places.map(|place| format!("byte {len}: the file ends {place}; it was cut off"));
        assert!(known.contains(&message), "{message}");
    }
}

/// Every single damaged bit is noticed.
#[test]
fn no_bit_flips_unnoticed() {
    let trace = read(b"T|w(x)|1\nU|w(y)|1\nT|fork(U)|2\nT|load(0x10:8,acquire)|3\n").unwrap();
    let good = write(&trace, Format::Binary).unwrap();
    for bit in 0..8 * good.len() {
        let mut bad = good.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        assert!(read(&bad).is_err(), "bit {bit}");
    }
}

#[test]
fn events_before_a_mistake_come_first() {
    let mut records = names();
    records.extend_from_slice(&[0b00_1_00001, 0].repeat(1500));
    records.push(0b00_1_11111);
    let bytes = file(1501, &records);
    let (mut reader, mut batch) = (open(&bytes[..]).unwrap(), Batch::default());
    let mut seen = 0;
    let error = loop {
        match reader.next_batch(&mut batch) {
            Ok(_) => seen += batch.events.len(),
            Err(e) => break e,
        }
    };
    assert_eq!(seen, 1500);
    assert_eq!(error.to_string(), format!("byte {}: unknown opcode 31", 24 + records.len() - 1));
    assert_eq!(reader.next_batch(&mut batch), Err(error));
}
