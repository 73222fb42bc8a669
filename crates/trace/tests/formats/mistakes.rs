//! Each mistake in a text file, with the message that it gets.

use super::read;
use deadheat_trace::format::open;
use deadheat_trace::{Batch, Source, Tid};

#[track_caller]
fn check(file: &[u8], message: &str) {
    match read(file) {
        Ok(_) => panic!("no error in {:?}", String::from_utf8_lossy(file)),
        Err(e) => assert_eq!(e.to_string(), message),
    }
}

/// Each is the second line of a file.
const STD: &[(&str, &str)] = &[
    ("T1|w(x)", "expected thread|operation|location, found 2 fields"),
    ("T1", "expected thread|operation|location, found 1 field"),
    ("T1|w(x)|1|2", "expected thread|operation|location, found 4 fields"),
    ("T1|w(x)|1|", "expected thread|operation|location, found 4 fields"),
    ("|w(x)|1", "the thread has no name"),
    ("T1|w(x)|", "the location has no name"),
    ("T 1|w(x)|1", "the name of the thread, \"T 1\", contains white space"),
    ("{T|w(x)|1", "the name of the thread, \"{T\", starts with {"),
    ("T1||1", "expected an operation such as w(x), found \"\""),
    ("T1|w|1", "expected an operation such as w(x), found \"w\""),
    ("T1|w(x|1", "expected an operation such as w(x), found \"w(x\""),
    ("T1|w(x)y|1", "expected an operation such as w(x), found \"w(x)y\""),
    ("T1|w x|1", "expected an operation such as w(x), found \"w x\""),
    ("T1|w()|1", "w takes 1 operand, found 0"),
    ("T1|w(a b)|1", "the name of the variable, \"a b\", contains white space"),
    ("T1|w(a\u{feff}b)|1", "the name of the variable, \"a\\u{feff}b\", contains white space"),
    ("T1|acq(\u{a0})|1", "the name of the lock, \"\\u{a0}\", contains white space"),
    ("T1|aqc(m)|1", "unknown operation \"aqc\"; did you mean acq?"),
    ("T1|read(x)|1", "unknown operation \"read\"; did you mean r?"),
    ("T1|x(x)|1", "unknown operation \"x\"; did you mean r or w?"),
    (
        "T1|lock(x)|1",
        "unknown operation \"lock\"; there are r, w, acq, rel, racq, rrel, fork, join, start, exit, vr, vw, load, store, \
         rmw, fence, wait, woken, notify, notifyall, barrier, enter, leave, make, send, recv, recvclosed, close, alloc, \
         free, begin, end",
    ),
    ("T1|start(x)|1", "start takes no operand, found 1"),
    ("T1|exit(x,y)|1", "exit takes no operand, found 2"),
    ("T1|load(x)|1", "load takes 2 operands, found 1"),
    ("T1|load()|1", "load takes 2 operands, found 0"),
    ("T1|load(x,y,acquire)|1", "load takes 2 operands, found 3"),
    ("T1|wait(,m)|1", "the condition has no name"),
    ("T1|wait(c,)|1", "the lock has no name"),
    (
        "T1|load(x,acq)|1",
        "unknown memory order \"acq\"; there are relaxed, acquire, release, acq_rel and seq_cst",
    ),
    ("T1|load(x,release)|1", "an atomic load cannot be release; it can be relaxed, acquire, seq_cst"),
    ("T1|store(x,acquire)|1", "an atomic store cannot be acquire; it can be relaxed, release, seq_cst"),
    ("T1|fence(relaxed)|1", "a fence cannot be relaxed; it can be acquire, release, acq_rel, seq_cst"),
    ("T1|barrier(b,x)|1", "expected a number of at most 4294967295 as parties, found \"x\""),
    ("T1|barrier(b,03)|1", "expected a number of at most 4294967295 as parties, found \"03\""),
    ("T1|make(c,4294967296)|1", "expected a number of at most 4294967295 as capacity, found \"4294967296\""),
    ("T1|w(0x10:0)|1", "the memory at 0x10 has a size of 0"),
    ("T1|w(0x7fffffffffffffff:2)|1", "2 bytes at 0x7fffffffffffffff reach beyond 0x8000000000000000"),
    ("T1|w(0xffffffffffffffff:1)|1", "1 bytes at 0xffffffffffffffff reach beyond 0x8000000000000000"),
    (
        "T1|w(0x10000000000000000:1)|1",
        "the memory \"0x10000000000000000:1\" reaches beyond 0x8000000000000000",
    ),
    (
        "T1|w(0x1:99999999999999999999)|1",
        "the memory \"0x1:99999999999999999999\" reaches beyond 0x8000000000000000",
    ),
];

#[test]
fn std_mistakes_are_named() {
    for (line, what) in STD {
        check(format!("T0|w(x)|1\n{line}\nT0|w(x)|1\n").as_bytes(), &format!("line 2: {what}"));
        check(format!("T0|w(x)|1\r\n{line}\r\n").as_bytes(), &format!("line 2: {what}"));
    }
}

const JSON: &[(&str, &str)] = &[
    ("{", "the line ends in the middle of its object"),
    (
        "[]",
        "invalid type: sequence, expected an object such as {\"thread\":\"T1\",\"op\":\"write\",\"var\":\"x\"}",
    ),
    ("{} {}", "column 4: trailing characters"),
    ("{}", "the field `thread` is missing"),
    (r#"{"thread":"T"}"#, "the field `op` is missing"),
    (r#"{"thread":"T","op":"acq"}"#, "unknown operation \"acq\"; did you mean acquire?"),
    (r#"{"thread":"T","op":"write"}"#, "the field `var` is missing, or `addr` and `size`"),
    (r#"{"thread":"T","op":"write","addr":"0x10"}"#, "the field `size` is missing"),
    (r#"{"thread":"T","op":"acquire"}"#, "the field `lock` is missing"),
    (r#"{"thread":"T","op":"fork"}"#, "the field `child` is missing"),
    (r#"{"thread":"T","op":"fence"}"#, "the field `order` is missing"),
    (r#"{"thread":"T","op":"start","lock":"m"}"#, "the operation `start` has no field `lock`"),
    (
        r#"{"thread":"T","op":"write","var":"x","addr":"0x10","size":8}"#,
        "the operation `write` has no field `addr`",
    ),
    (r#"{"thread":"T","op":"start","lok":"m"}"#, "unknown field \"lok\""),
    (r#"{"thread":"T","op":"start","op":"exit"}"#, "the field `op` occurs twice"),
    (r#"{"thread":1,"op":"start"}"#, "the field `thread` should be a string, found 1"),
    (r#"{"thread":["T"],"op":"start"}"#, "the field `thread` should be a string, found an array"),
    (r#"{"thread":{"a":[1]},"op":"start"}"#, "the field `thread` should be a string, found an object"),
    (r#"{"thread":null,"op":"start"}"#, "the field `thread` should be a string, found null"),
    (r#"{"thread":"","op":"start"}"#, "the thread has no name"),
    (
        r#"{"thread":"T","op":"start","loc":-1}"#,
        "the field `loc` should be a number or a string, found a negative number",
    ),
    (
        r#"{"thread":"T","op":"start","loc":1.5}"#,
        "the field `loc` should be a number or a string, found a number with a fraction or too many digits",
    ),
    (
        r#"{"thread":"T","op":"start","loc":true}"#,
        "the field `loc` should be a number or a string, found a truth value",
    ),
    (r#"{"thread":"T","op":"start","loc":""}"#, "the location has no name"),
    (
        r#"{"thread":"T","op":"read","addr":"16","size":8}"#,
        "the field `addr` should be an address such as \"0x7f10\", found \"16\"",
    ),
    (
        r#"{"thread":"T","op":"read","addr":"0x+1","size":8}"#,
        "the field `addr` should be an address such as \"0x7f10\", found \"0x+1\"",
    ),
    (r#"{"thread":"T","op":"read","addr":"0x10","size":0}"#, "the memory at 0x10 has a size of 0"),
    (
        r#"{"thread":"T","op":"read","addr":9223372036854775808,"size":1}"#,
        "1 bytes at 0x8000000000000000 reach beyond 0x8000000000000000",
    ),
    (
        r#"{"thread":"T","op":"read","addr":1,"size":"8"}"#,
        "the field `size` should be a number without sign or fraction, found \"8\"",
    ),
    (
        r#"{"thread":"T","op":"chan_make","chan":"c","capacity":4294967296}"#,
        "4294967296 is too large for the field `capacity`",
    ),
    (
        r#"{"thread":"T","op":"atomic_load","var":"x","order":"release"}"#,
        "an atomic load cannot be release; it can be relaxed, acquire, seq_cst",
    ),
    (r#"{"thread":"T","op":"start","loc":"\ud800"}"#, "column 41: unexpected end of hex escape"),
];

#[test]
fn json_mistakes_are_named() {
    for (line, what) in JSON {
        let start = r#"{"thread":"T0","op":"start"}"#;
        check(format!("{start}\n{line}\n{start}\n").as_bytes(), &format!("line 2: {what}"));
    }
}

#[test]
fn text_must_be_utf8() {
    check(b"T|w(x)|1\nT\xff|w(x)|1\n", "line 2: the name of the thread, \"T\\xff\", is not UTF-8");
    check(b"T|w(x)|1\nT|w(\xc3)|1\n", "line 2: the name of the variable, \"\\xc3\", is not UTF-8");
    check(b"T|w(x)|1\nT|w(x)|\xff\n", "line 2: the name of the location, \"\\xff\", is not UTF-8");
    check(b"T|w(x)|1\nT|end\xff|1\n", "line 2: the name of the label, \"\\xff\", is not UTF-8");
    check(b"T|w(x)|1\nT|\xff(x)|1\n", "line 2: unknown operation \"\\xff\"; did you mean r or w?");
    check(b"{\"thread\":\"T\xff\"}", "line 1: byte 0xff in column 13 is not UTF-8");
}

#[test]
fn what_is_no_trace_is_not_called_a_bad_line() {
    let found = |what: &str| {
        format!(
            "line 1: not a trace: expected lines such as T1|w(x)|12, JSON Lines or a binary trace, found {what}"
        )
    };
    check(b"\x7fELF\x02\x01\x01\0", &found(r#""\u{7f}ELF\u{2}\u{1}\u{1}\0""#));
    check(b"PK\x03\x04\xff\xfe", &found(r#""PK\x03\x04\xff\xfe""#));
    check(&[b'a'; 5000], &found(&format!("\"{}…\"", "a".repeat(40))));
    check(b"[1, 2]\n", &found("\"[1, 2]\""));
}

#[test]
fn blank_lines_belong_to_the_end() {
    check(b"T|w(x)|1\n\nT|w(x)|1\n", "line 2: a blank line before the end");
    check(b"\nT|w(x)|1\n", "line 1: a blank line before the end");
    check(
        b"{\"thread\":\"T\",\"op\":\"start\"}\n \n\n{\"thread\":\"T\",\"op\":\"start\"}",
        "line 2: a blank line before the end",
    );
}

#[test]
fn threads_end_where_epochs_do() {
    let line = |t: u32| format!("{t}|w(x)|1\n");
    let mut file: String = (0..Tid::LIMIT).map(line).collect();
    file += "T|w(x)|1\n";
    check(file.as_bytes(), "line 4194305: too many threads: a trace can have 4194304");
}

/// Events before a mistake come first, with the lines they stand on; the mistake stays.
#[test]
fn a_mistake_comes_after_the_events_before_it() {
    for good in [0, 1, 1023, 1024, 1025, 3000] {
        let file = format!("{}T|oops|1\nT|w(x)|1\n", "T|w(x)|1\n".repeat(good));
        let (mut reader, mut batch) = (open(file.as_bytes()).unwrap(), Batch::default());
        let mut seen = 0;
        let mistake = loop {
            match reader.next_batch(&mut batch) {
                Ok(more) => assert!(more && !batch.events.is_empty() && batch.events.len() <= Batch::LEN),
                Err(e) => break e,
            }
            assert_eq!(batch.first.0, seen);
            let lines: Vec<u64> = (seen + 1..).take(batch.events.len()).collect();
            assert_eq!(batch.lines, lines);
            seen += batch.events.len() as u64;
        };
        assert_eq!(seen, good as u64);
        assert_eq!(
            mistake.to_string(),
            format!("line {}: expected an operation such as w(x), found \"oops\"", good + 1)
        );
        assert_eq!(reader.next_batch(&mut batch), Err(mistake));
        assert!(batch.events.is_empty());
    }
}
