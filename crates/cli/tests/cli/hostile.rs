//! Input that is no trace, by accident or on purpose: one line, status 2, little memory.

use crate::harness::{BANK, BIN, Folder, Ran, gzip, pipe, run, zstd};
use expect_test::expect;
use std::io::{Cursor, Read};

/// More than a reader needs, less than hostile input would take if it were let.
const ADDRESS_SPACE: u64 = 64;

#[track_caller]
fn check(contents: impl AsRef<[u8]>) -> Ran {
    run(Folder::with("a", contents).confined(ADDRESS_SPACE, "trace check a"))
}

#[track_caller]
fn stream(input: impl Read + Send + 'static) -> Ran {
    pipe(Folder::new().confined(ADDRESS_SPACE, "trace check"), input)
}

/// The same bytes again and again: packed members one after the other are a packed file.
fn repeated(piece: Vec<u8>, times: usize) -> impl Read + Send + 'static {
    Repeated { piece: Cursor::new(piece), left: times }
}

struct Repeated {
    piece: Cursor<Vec<u8>>,
    left: usize,
}

impl Read for Repeated {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.piece.read(buffer)?;
        if n > 0 || self.left <= 1 {
            return Ok(n);
        }
        self.left -= 1;
        self.piece.set_position(0);
        self.piece.read(buffer)
    }
}

/// Numbers that look random and are the same in every run.
fn noise(mut state: u64, len: usize) -> Vec<u8> {
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    std::iter::repeat_with(next).take(len).collect()
}

#[test]
fn nothing() {
    let folder = Folder::with("empty", "");
    folder.run("trace check empty").fails("empty: the file is empty");
    folder.run("trace check /dev/null").fails("/dev/null: the file is empty");
    folder.run("trace check missing").fails("missing: no such file or directory");
    folder.run("trace check .").fails(".: is a directory, not a trace");
    folder.run("trace check").fails("standard input: the file is empty");
    check(" \n\n").fails("a: the file is empty");
    check(gzip(b"")).fails("a: the file is empty");
    check("\n".repeat(10_000)).fails("a: the trace has no events");
}

#[test]
fn a_closed_standard_input() {
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "exec \"$0\" trace check <&-", BIN]);
    run(command).fails("standard input: the file is empty");
}

#[test]
fn every_command_says_the_same() {
    let folder = Folder::with("a", "T1|w(x)|1\nT1 w(x)\n");
    for command in
        ["check", "compare", "stats", "convert", "show", "check --json", "compare --json", "stats --json"]
    {
        let ran = folder.run(&format!("trace {command} a"));
        assert!(
            ran.one_line().starts_with("a:2: expected thread|operation|location"),
            "{command}: {}",
            ran.stderr
        );
    }
}

/// A trace in each format and compression, with the name of that form.
fn forms() -> Vec<(String, Vec<u8>)> {
    let folder = Folder::with("a.std", BANK);
    let one = |format: &str| folder.run(&format!("trace convert a.std --to {format}")).status(0).bytes;
    let formats = ["std", "jsonl", "binary"].map(|format| (format, one(format)));
    let packed = |(name, bytes): &(&str, Vec<u8>)| {
        let forms = [("", bytes.clone()), (" gzip", gzip(bytes)), (" zstd", zstd(bytes))];
        forms.map(|(how, bytes)| (format!("{name}{how}"), bytes))
    };
    formats.iter().flat_map(packed).collect()
}

#[test]
fn cut_off_anywhere() {
    for (form, whole) in forms() {
        // A text file without its end may be a whole one, or one that cannot happen; everything else tells.
        let tells = form.contains(' ') || form == "binary";
        for len in (1..whole.len()).step_by(5) {
            let ran = check(&whole[..len]);
            match ran.status {
                Some(0 | 66) if !tells => assert_eq!(ran.stderr, "", "{form} {len}"),
                _ => assert!(ran.one_line().starts_with("a"), "{form} {len}: {}", ran.stderr),
            }
        }
    }
}

#[test]
fn cut_off_in_words() {
    let forms = forms();
    let told: String = forms
        .iter()
        .map(|(form, whole)| {
            let ran = check(&whole[..whole.len() * 2 / 3]);
            format!("{form}: {}\n", ran.stderr.trim_end().trim_start_matches("deadheat: "))
        })
        .collect();
    expect![[r#"
        std: a:8: expected thread|operation|location, found 2 fields
        std gzip: a:4: cannot read on: the gzip data is cut off
        std zstd: a: cannot read on: the zstd data is cut off
        jsonl: a:8: the line ends in the middle of its object
        jsonl gzip: a:4: cannot read on: the gzip data is cut off
        jsonl zstd: a: cannot read on: the zstd data is cut off
        binary: a, byte 168: the file ends in the middle of a block; it was cut off
        binary gzip: a, byte 92: cannot read on: the gzip data is cut off
        binary zstd: a: cannot read on: the zstd data is cut off
    "#]]
    .assert_eq(&told);
}

#[test]
fn damaged_anywhere() {
    for (form, whole) in forms() {
        for at in (0..whole.len()).step_by(7) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x55;
            let ran = check(bytes);
            if !matches!(ran.status, Some(0 | 66)) {
                assert!(ran.one_line().starts_with("a"), "{form} {at}: {}", ran.stderr);
            }
        }
    }
}

#[test]
fn garbage() {
    let mut random = vec![0; 1 << 16];
    std::fs::File::open("/dev/urandom").unwrap().read_exact(&mut random).unwrap();
    check(random).one_line();
    for seed in 1..50 {
        check(noise(seed, 5_000)).one_line();
    }
    for magic in [
        &b"\x1f\x8b"[..],
        b"\x1f\x8b\x08\0\0\0\0\0\0\x03",
        b"\x28\xb5\x2f\xfd",
        b"\x89DHT\r\n\x1a\n",
        b"\x89DHT\r\n\x1a\n\x01\0\0\0",
        b"{",
        b"T1|w(",
    ] {
        for seed in 1..20 {
            check([magic, &noise(seed, 500)].concat()).one_line();
        }
    }
}

#[test]
fn files_of_other_kinds() {
    check(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").fails(
        "a:1: not a trace: expected lines such as T1|w(x)|12, JSON Lines or a binary trace, found \"\\x89PNG\"",
    );
    check("<!DOCTYPE html>\n<html>").one_line();
    check("[1,2,3]").one_line();
    check("thread,op,loc\n1,w,2\n").one_line();
    run(Folder::new().confined(ADDRESS_SPACE, &format!("trace check {BIN}"))).one_line();
}

#[test]
fn a_line_of_a_gigabyte() {
    const GIGABYTE: u64 = 1 << 30;
    let too_long = "standard input:1: the line is longer than 1048576 bytes";
    stream(std::io::repeat(b'a').take(GIGABYTE)).fails(too_long);
    stream((&b"T1|w("[..]).chain(std::io::repeat(b'x').take(GIGABYTE))).fails(too_long);
    stream((&b"{\"thread\":\""[..]).chain(std::io::repeat(b'{').take(GIGABYTE))).fails(too_long);
    stream(std::io::repeat(b' ').take(GIGABYTE)).fails(too_long);
    let piece = vec![b'a'; 16 << 20];
    stream(repeated(gzip(&piece), 64)).fails(too_long);
    stream(repeated(zstd(&piece), 64)).fails(too_long);
    check("[".repeat(500_000)).one_line();
    check(format!("{{\"thread\":{}", "[".repeat(500_000))).one_line();
}

#[test]
fn bombs() {
    let zeros = vec![0; 16 << 20];
    let too_long = "standard input:1: the line is longer than 1048576 bytes";
    // Ten gigabytes.
    stream(repeated(gzip(&zeros), 640)).fails(too_long);
    stream(repeated(zstd(&zeros), 640)).fails(too_long);
    let twice = "a: the file is compressed twice";
    check(gzip(&gzip(&zeros))).fails(twice);
    check(zstd(&gzip(&zeros))).fails(twice);
    check(gzip(&zstd(&zeros))).fails(twice);
}

/// A frame says how much of what it unpacked the reader has to keep: up to 128 MiB are kept, more is refused.
#[test]
fn wide_windows() {
    let wide = |log| {
        let mut encoder = zstd::stream::Encoder::new(Vec::new(), 3).unwrap();
        encoder.window_log(log).unwrap();
        std::io::Write::write_all(&mut encoder, BANK.as_bytes()).unwrap();
        Folder::with("a", encoder.finish().unwrap())
    };
    run(wide(27).confined(256, "trace check a")).status(66);
    let ran = run(wide(31).confined(256, "trace check a"));
    assert!(ran.one_line().starts_with("a: cannot read on: the zstd data "), "{}", ran.stderr);
}

/// Blank lines without an end are read, not kept.
#[test]
fn blank_lines_without_an_end() {
    stream(repeated(gzip(&vec![b'\n'; 16 << 20]), 4)).fails("standard input: the trace has no events");
}

/// A thousand names of a megabyte are in the memory before the first event is looked at.
#[test]
fn names_that_fill_the_memory() {
    let lines = (0..1200).map(|i| format!("T{i}|w({}{i})|1\n", "x".repeat(1_000_000)));
    let mut lines = lines.map(|line| Cursor::new(line.into_bytes()));
    let mut line = lines.next();
    let input = std::iter::from_fn(move || {
        let mut buffer = vec![0; 1 << 16];
        loop {
            match line.as_mut()?.read(&mut buffer).unwrap() {
                0 => line = lines.next(),
                n => return Some(buffer[..n].to_vec()),
            }
        }
    });
    let ran =
        pipe(Folder::new().confined(400, "trace check --memory-limit 64"), Chunks(input, Cursor::default()));
    ran.fails("the analysis needs more than 64 MiB of memory; --memory-limit allows more");
}

struct Chunks<I>(I, Cursor<Vec<u8>>);

impl<I: Iterator<Item = Vec<u8>>> Read for Chunks<I> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.1.read(buffer)? {
            0 => match self.0.next() {
                Some(next) => {
                    self.1 = Cursor::new(next);
                    self.1.read(buffer)
                }
                None => Ok(0),
            },
            n => Ok(n),
        }
    }
}

/// A thread that the file numbers and does not name: no table of a billion threads.
#[test]
fn a_thread_of_a_binary_trace_with_a_large_number() {
    // A name record for thread 0, then a write of one byte by thread 10⁹.
    let records = [0x0f, 0, 2, b'T', b'1', 3, 0x80, 0x94, 0xeb, 0xdc, 0x03, 0];
    let mut file = b"\x89DHT\r\n\x1a\n\x01\0\0\0".to_vec();
    let header: Vec<u8> = [1u32, records.len() as u32].iter().flat_map(|n| n.to_le_bytes()).collect();
    let crc = crc32(header.iter().chain(&records));
    file.extend(header.iter().chain(&crc.to_le_bytes()).chain(&records));
    check(file).fails("a, byte 29: thread number 1000000000 has no name");
}

fn crc32<'a>(bytes: impl Iterator<Item = &'a u8>) -> u32 {
    !bytes.fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    })
}
