//! Every operation in each format, as a person would write it.

use super::*;
use deadheat_trace::format::rapid_knows;
use deadheat_trace::{Loc, Op, Source};

/// One line of STD text and the same line of JSON.
const LINES: &[(&str, &str)] = &[
    ("T1|r(x)|1", r#"{"thread":"T1","op":"read","var":"x","loc":1}"#),
    ("T1|w(V12)|345", r#"{"thread":"T1","op":"write","var":"V12","loc":345}"#),
    ("T1|w(0x7f10:8)|0", r#"{"thread":"T1","op":"write","addr":"0x7f10","size":8,"loc":0}"#),
    ("T1|r(0x0:4096)|2147483647", r#"{"thread":"T1","op":"read","addr":"0x0","size":4096,"loc":2147483647}"#),
    ("T1|r(a[i,j](k))|a.c:7", r#"{"thread":"T1","op":"read","var":"a[i,j](k)","loc":"a.c:7"}"#),
    ("T1|r(0x7F10:8)|2", r#"{"thread":"T1","op":"read","var":"0x7F10:8","loc":2}"#),
    ("T1|r(0x7f10)|2147483648", r#"{"thread":"T1","op":"read","var":"0x7f10","loc":"2147483648"}"#),
    ("T1|r(0x07f10:8)|007", r#"{"thread":"T1","op":"read","var":"0x07f10:8","loc":"007"}"#),
    ("T1|r(0x10:08)|-", r#"{"thread":"T1","op":"read","var":"0x10:08"}"#),
    ("T1|acq(m)|main (inlined)", r#"{"thread":"T1","op":"acquire","lock":"m","loc":"main (inlined)"}"#),
    ("T1|rel(m)|3", r#"{"thread":"T1","op":"release","lock":"m","loc":3}"#),
    ("T1|racq(m)|3", r#"{"thread":"T1","op":"acquire_shared","lock":"m","loc":3}"#),
    ("T1|rrel(m)|3", r#"{"thread":"T1","op":"release_shared","lock":"m","loc":3}"#),
    ("T1|fork(T2)|4", r#"{"thread":"T1","op":"fork","child":"T2","loc":4}"#),
    ("T1|join(T2)|4", r#"{"thread":"T1","op":"join","child":"T2","loc":4}"#),
    ("T2|start()|5", r#"{"thread":"T2","op":"start","loc":5}"#),
    ("T2|exit()|5", r#"{"thread":"T2","op":"exit","loc":5}"#),
    ("T1|vr(v)|6", r#"{"thread":"T1","op":"volatile_read","volatile":"v","loc":6}"#),
    ("T1|vw(v)|6", r#"{"thread":"T1","op":"volatile_write","volatile":"v","loc":6}"#),
    ("T1|load(x,relaxed)|7", r#"{"thread":"T1","op":"atomic_load","var":"x","order":"relaxed","loc":7}"#),
    ("T1|store(x,release)|7", r#"{"thread":"T1","op":"atomic_store","var":"x","order":"release","loc":7}"#),
    (
        "T1|rmw(0x10:4,acq_rel)|7",
        r#"{"thread":"T1","op":"atomic_rmw","addr":"0x10","size":4,"order":"acq_rel","loc":7}"#,
    ),
    ("T1|fence(seq_cst)|7", r#"{"thread":"T1","op":"fence","order":"seq_cst","loc":7}"#),
    ("T1|wait(c,m)|8", r#"{"thread":"T1","op":"wait","cond":"c","lock":"m","loc":8}"#),
    ("T1|woken(c,m)|8", r#"{"thread":"T1","op":"woken","cond":"c","lock":"m","loc":8}"#),
    ("T1|notify(c)|8", r#"{"thread":"T1","op":"notify","cond":"c","loc":8}"#),
    ("T1|notifyall(c)|8", r#"{"thread":"T1","op":"notify_all","cond":"c","loc":8}"#),
    ("T1|barrier(b,3)|9", r#"{"thread":"T1","op":"barrier_make","barrier":"b","parties":3,"loc":9}"#),
    ("T1|enter(b)|9", r#"{"thread":"T1","op":"barrier_enter","barrier":"b","loc":9}"#),
    ("T1|leave(b)|9", r#"{"thread":"T1","op":"barrier_leave","barrier":"b","loc":9}"#),
    ("T1|make(c,0)|9", r#"{"thread":"T1","op":"chan_make","chan":"c","capacity":0,"loc":9}"#),
    ("T1|send(c)|9", r#"{"thread":"T1","op":"send","chan":"c","loc":9}"#),
    ("T1|recv(c)|9", r#"{"thread":"T1","op":"receive","chan":"c","loc":9}"#),
    ("T1|recvclosed(c)|9", r#"{"thread":"T1","op":"receive_closed","chan":"c","loc":9}"#),
    ("T1|close(c)|9", r#"{"thread":"T1","op":"close","chan":"c","loc":9}"#),
    ("T1|alloc(0x10:64)|9", r#"{"thread":"T1","op":"alloc","addr":"0x10","size":64,"loc":9}"#),
    ("T1|free(0x10:64)|9", r#"{"thread":"T1","op":"free","addr":"0x10","size":64,"loc":9}"#),
    ("T1|begin|5", r#"{"thread":"T1","op":"begin","loc":5}"#),
    ("T1|begin()|5", r#"{"thread":"T1","op":"begin","label":"()","loc":5}"#),
    ("T1|end(foo)|7", r#"{"thread":"T1","op":"end","label":"(foo)","loc":7}"#),
    ("T1|ending with spaces |7", r#"{"thread":"T1","op":"end","label":"ing with spaces ","loc":7}"#),
];

fn std_file() -> String {
    LINES.iter().map(|(std, _)| format!("{std}\n")).collect()
}

fn json_file() -> String {
    LINES.iter().map(|(_, json)| format!("{json}\n")).collect()
}

#[test]
fn both_texts_say_the_same() {
    assert_eq!(text(convert(std_file().as_bytes(), Format::Jsonl).unwrap()), json_file());
    assert_eq!(text(convert(json_file().as_bytes(), Format::Std).unwrap()), std_file());
}

#[test]
fn rewriting_changes_no_byte() {
    let (std, json) = (std_file().into_bytes(), json_file().into_bytes());
    assert_eq!(convert(&std, Format::Std).unwrap(), std);
    assert_eq!(convert(&json, Format::Jsonl).unwrap(), json);
    let binary = convert(&std, Format::Binary).unwrap();
    assert_eq!(convert(&binary, Format::Binary).unwrap(), binary);
    assert_eq!(convert(&binary, Format::Std).unwrap(), std);
}

#[test]
fn every_prefix_of_the_fast_path_agrees_with_the_slow_one() {
    // A line is read by the fast path only if its names are known: twice the same file must give the same events twice.
    let once = read(std_file().as_bytes()).unwrap().events;
    let twice = read(std_file().repeat(2).as_bytes()).unwrap().events;
    assert_eq!(twice, [once.clone(), once].concat());
}

#[test]
fn windows_line_ends_and_a_missing_last_one_are_fine() {
    let plain = read(std_file().as_bytes()).unwrap().events;
    for file in [std_file().replace('\n', "\r\n"), std_file().trim_end().to_owned(), std_file() + "\n\r\n \n"]
    {
        assert_eq!(read(file.as_bytes()).unwrap().events, plain);
    }
    let json = json_file().replace('\n', "\r\n");
    assert_eq!(text(convert(json.as_bytes(), Format::Jsonl).unwrap()), json_file());
}

#[test]
fn json_may_be_written_in_other_ways() {
    let canonical = r#"{"thread":"Té","op":"write","addr":"0x1f","size":8,"loc":"4294967295"}"#;
    let other = r#" { "size": 8, "addr" : 31, "op":"wri\u0074e", "loc": 4294967295, "thread":"T\u00e9" } "#;
    assert_eq!(text(convert(other.as_bytes(), Format::Jsonl).unwrap()).trim_end(), canonical);
    let hex = canonical.replace("0x1f", "0x001F");
    assert_eq!(text(convert(hex.as_bytes(), Format::Jsonl).unwrap()).trim_end(), canonical);
}

#[test]
fn rapid_has_eight_words() {
    let trace = read(std_file().as_bytes()).unwrap();
    let known: Vec<&str> = LINES
        .iter()
        .zip(&trace.events)
        .filter(|(_, e)| rapid_knows(&e.op))
        .map(|((std, _), _)| *std)
        .collect();
    let words = ["r(", "w(", "acq(", "rel(", "fork(", "join(", "begin", "end"];
    assert!(known.iter().all(|line| words.iter().any(|w| line.split('|').nth(1).unwrap().starts_with(w))));
    assert_eq!(known.len(), 9 + 2 + 2 + 4);
}

#[test]
fn locations_are_numbers_names_or_nothing() {
    let trace =
        read(b"T|w(x)|0\nT|w(x)|-\nT|w(x)|--\nT|w(x)|2147483647\nT|w(x)|2147483648\nT|w(x)|--").unwrap();
    let locs: Vec<Loc> = trace.events.iter().map(|e| e.loc).collect();
    let number = |n| Loc::number(n).unwrap();
    let named = Loc::named;
    assert_eq!(locs, [number(0), Loc::NONE, named(0), number(i32::MAX as u32), named(1), named(0)]);
    assert_eq!(trace.symbols.loc(locs[4]).as_deref(), Some("2147483648"));
}

#[test]
fn names_are_numbered_by_appearance() {
    let trace = read(b"B|acq(x)|1\nA|fork(C)|1\nB|w(x)|1\n").unwrap();
    let mut source = trace.source();
    let mut batch = deadheat_trace::Batch::default();
    assert!(source.next_batch(&mut batch).unwrap());
    assert_eq!(batch.events.iter().map(|e| e.tid.0).collect::<Vec<_>>(), [0, 1, 0]);
    assert!(matches!(batch.events[1].op, Op::Fork(t) if t.0 == 2));
}
