//! Opening: which format, which compression, and files that are not what they should be.

use super::*;
use deadheat_trace::format::open_as;
use deadheat_trace::{Batch, Source};
use std::io::{self, Read, Write};

const STD: &[u8] = b"T1|w(x)|1\nT2|r(x)|2\n";

fn error(file: &[u8]) -> String {
    read(file).err().expect("an error").to_string()
}

#[test]
fn formats_and_compressions_are_told_apart() {
    let trace = read(STD).unwrap();
    for format in Format::ALL {
        for compression in Compression::ALL {
            let file = write_packed(&trace, format, compression).unwrap();
            let mut reader = open(&file[..]).unwrap();
            assert_eq!((reader.format(), reader.compression()), (format, compression));
            assert_eq!(Trace::read(&mut reader).unwrap().events, trace.events);
            let mut known = open_as(format, &file[..]).unwrap();
            assert_eq!(Trace::read(&mut known).unwrap().events, trace.events);
            // Packed in pieces, as by `cat a.gz b.gz`; a binary trace has one end.
            if compression != Compression::None && format != Format::Binary {
                assert_eq!(read(&file.repeat(2)).unwrap().events.len(), 4);
            }
        }
    }
}

#[test]
fn a_box_will_do() {
    let input: Box<dyn Read> = Box::new(STD);
    let output: Box<dyn Write> = Box::new(Vec::new());
    let mut to = writer(Format::Binary, Compression::Zstd, output).unwrap();
    let trace = Trace::read(&mut open(input).unwrap()).unwrap();
    to.write_batch(&trace.events, &trace.symbols).unwrap();
    to.finish().unwrap();
}

#[test]
fn empty_files_are_errors() {
    for nothing in ["", "\n", " \r\n\t\n", "\u{feff}", "\u{feff}\n"] {
        assert_eq!(error(nothing.as_bytes()), "the file is empty");
        for compression in [Compression::Gzip, Compression::Zstd] {
            assert_eq!(error(&pack(nothing.as_bytes(), compression)), "the file is empty");
        }
    }
    // A binary trace says that it has no events.
    assert!(read(&write(&Trace::default(), Format::Binary).unwrap()).unwrap().events.is_empty());
}

/// Any bytes, packed.
fn pack(bytes: &[u8], compression: Compression) -> Vec<u8> {
    match compression {
        Compression::None => bytes.to_vec(),
        Compression::Gzip => {
            let mut to = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            to.write_all(bytes).and_then(|()| to.finish()).unwrap()
        }
        Compression::Zstd => zstd::encode_all(bytes, 1).unwrap(),
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_name() {
    let file = ["\u{feff}".as_bytes(), STD].concat();
    assert_eq!(convert(&file, Format::Std).unwrap(), STD);
    let json = "\u{feff}{\"thread\":\"T\",\"op\":\"start\"}";
    assert_eq!(read(json.as_bytes()).unwrap().events.len(), 1);
}

#[test]
fn packed_twice_is_once_too_often() {
    for outer in [Compression::Gzip, Compression::Zstd] {
        for inner in [Compression::Gzip, Compression::Zstd] {
            assert_eq!(error(&pack(&pack(STD, inner), outer)), "the file is compressed twice");
        }
    }
}

/// Text that does not pack well, so that cutting it cuts the data and not only the checksum.
fn noise() -> Vec<u8> {
    let mut n = 1u64;
    let mut line = || {
        n = n.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        format!("T{}|w(x{n})|{}\n", n >> 60, n >> 40)
    };
    (0..2000).flat_map(|_| line().into_bytes()).collect()
}

#[test]
fn cut_off_packed_files_are_noticed() {
    for (compression, name) in [(Compression::Gzip, "gzip"), (Compression::Zstd, "zstd")] {
        for file in
            [pack(&noise(), compression), pack(&convert(&noise(), Format::Binary).unwrap(), compression)]
        {
            for len in [5, 20, file.len() / 2, file.len() - 5, file.len() - 1] {
                let message = error(&file[..len]);
                let expected = format!("cannot read on: the {name} data is cut off");
                assert!(message.ends_with(&expected), "{name} {len}: {message}");
            }
        }
    }
}

#[test]
fn damaged_packed_files_are_noticed() {
    for compression in [Compression::Gzip, Compression::Zstd] {
        let good = write_packed(&read(&noise()).unwrap(), Format::Std, compression).unwrap();
        for at in [good.len() / 3, good.len() / 2, good.len() - 6] {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert!(read(&bad).is_err(), "{compression:?} {at}");
        }
    }
    let trailing = [&pack(STD, Compression::Gzip), &b"garbage that is long enough"[..]].concat();
    assert_eq!(error(&trailing), "line 3: cannot read on: the gzip data is damaged (invalid gzip header)");
}

/// A gigabyte of one letter packs to a megabyte (gzip) or less; it must not be unpacked into memory.
#[test]
fn bombs_do_not_go_off() {
    let bomb = zstd::encode_all(io::repeat(b'x').take(1 << 30), 1).unwrap();
    assert!(bomb.len() < 200_000);
    assert_eq!(error(&bomb), "line 1: the line is longer than 1048576 bytes");
    let good = zstd::encode_all(STD, 1).unwrap();
    let later = [good, bomb].concat();
    assert_eq!(error(&later), "line 3: the line is longer than 1048576 bytes");
}

/// Fails after some bytes.
struct BadDisk<'a>(&'a [u8]);

impl Read for BadDisk<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self.0.read(to)? {
            0 => Err(io::Error::from_raw_os_error(5)),
            n => Ok(n),
        }
    }
}

/// One byte at a time, interrupted before each.
struct Trickle<'a>(&'a [u8], bool);

impl Read for Trickle<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        let to = &mut to[..1];
        if self.1 { Err(io::ErrorKind::Interrupted.into()) } else { self.0.read(to) }
    }
}

fn all_files() -> impl Iterator<Item = (Format, Compression, Vec<u8>)> {
    Format::ALL.into_iter().flat_map(|format| {
        Compression::ALL.into_iter().map(move |compression| {
            let trace = read(&noise()).unwrap();
            (format, compression, write_packed(&trace, format, compression).unwrap())
        })
    })
}

#[test]
fn failing_disks_are_told_in_the_systems_words() {
    for (format, compression, file) in all_files() {
        for len in [0, 3, 300, file.len() / 2] {
            let mut batch = Batch::default();
            let result = open(BadDisk(&file[..len])).and_then(|mut reader| {
                while reader.next_batch(&mut batch)? {}
                Ok(())
            });
            let message = result.unwrap_err().to_string();
            assert!(
                message.ends_with("cannot read on: Input/output error (os error 5)"),
                "{format:?} {compression:?} {len}: {message}"
            );
        }
    }
    let mut reader = open(BadDisk(STD)).unwrap();
    let mut batch = Batch::default();
    assert_eq!(reader.next_batch(&mut batch), Ok(true));
    let message = reader.next_batch(&mut batch).unwrap_err().to_string();
    assert_eq!(message, "line 3: cannot read on: Input/output error (os error 5)");
}

#[test]
fn interruptions_and_small_pieces_do_not_matter() {
    for (_, _, file) in all_files() {
        let whole = read(&file).unwrap();
        let pieces = Trace::read(&mut open(Trickle(&file, false)).unwrap()).unwrap();
        assert!(whole.events == pieces.events);
    }
}

#[test]
fn lines_are_numbered_from_one_and_binary_blocks_by_offset() {
    let mut batch = Batch::default();
    open(STD).unwrap().next_batch(&mut batch).unwrap();
    assert_eq!(batch.position(1).to_string(), "line 2");
    let binary = convert(STD, Format::Binary).unwrap();
    open(&binary[..]).unwrap().next_batch(&mut batch).unwrap();
    assert!(batch.lines.is_empty());
    assert_eq!(batch.position(1).to_string(), "byte 12");
}
