//! Whatever is written is read back, in every format and from one to the next.

use super::arbitrary::{Made, plain_names, trace, wild_names};
use super::*;
use deadheat_trace::{Event, Loc, Op, Span, Symbols, Tid};
use proptest::prelude::*;

/// What a trace says, with names in place of numbers, which differ between formats.
fn meaning(trace: &Trace) -> String {
    text(write(trace, Format::Jsonl).expect("JSON can say everything"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_format_says_every_trace(Made(trace) in trace(plain_names())) {
        for format in Format::ALL {
            let file = write(&trace, format).unwrap();
            let back = read(&file).unwrap();
            prop_assert_eq!(meaning(&back), meaning(&trace));
            prop_assert_eq!(write(&back, format).unwrap(), file, "{:?}", format);
        }
    }

    #[test]
    fn a_round_through_all_formats_changes_no_byte(Made(trace) in trace(plain_names())) {
        let std = write(&trace, Format::Std).unwrap();
        let jsonl = convert(&std, Format::Jsonl).unwrap();
        let binary = convert(&jsonl, Format::Binary).unwrap();
        prop_assert_eq!(convert(&binary, Format::Std).unwrap(), std);
        prop_assert_eq!(convert(&binary, Format::Jsonl).unwrap(), jsonl);
    }

    #[test]
    fn binary_keeps_the_numbers_too(Made(trace) in trace(wild_names())) {
        let file = write(&trace, Format::Binary).unwrap();
        let back = read(&file).unwrap();
        prop_assert_eq!(&back.events, &trace.events);
        prop_assert_eq!(write(&back, Format::Binary).unwrap(), file);
    }

    #[test]
    fn wild_names_are_said_exactly_or_refused(Made(trace) in trace(wild_names())) {
        prop_assert_eq!(meaning(&read(meaning(&trace).as_bytes()).unwrap()), meaning(&trace));
        if let Ok(file) = write(&trace, Format::Std) {
            prop_assert_eq!(meaning(&read(&file).unwrap()), meaning(&trace));
        }
    }

    #[test]
    fn batches_leave_no_trace(Made(trace) in trace(plain_names()), cut in 0..60usize) {
        let (first, second) = trace.events.split_at(cut.min(trace.events.len()));
        for format in Format::ALL {
            let mut file = Vec::new();
            let mut to = writer(format, Compression::None, &mut file).unwrap();
            to.write_batch(first, &trace.symbols).unwrap();
            to.write_batch(second, &trace.symbols).unwrap();
            to.finish().unwrap();
            prop_assert_eq!(file, write(&trace, format).unwrap());
        }
    }
}

/// Many blocks, names of all lengths, definitions that do not fit into one block.
#[test]
fn long_binary_traces_come_back() {
    let mut symbols = Symbols::default();
    let tid = symbols.intern_thread("T");
    for len in 1..200 {
        symbols.intern_var(&"x".repeat(len * len));
    }
    let long = symbols.intern_var(&"é".repeat(1 << 19));
    let op = |i: u64| match i % 5 {
        0 => Op::Write(Span::new(i * i * i, 8)),
        1 => Op::Read(long),
        2 => Op::Read(Span::named((i % 199) as u32)),
        3 => Op::Free(Span::new(i << 40, i)),
        _ => Op::Start,
    };
    let events =
        (1..100_000).map(|i| Event { op: op(i), tid: Tid(tid.0), loc: Loc((i % 77) as u32) }).collect();
    let trace = Trace { symbols, events };
    let file = write(&trace, Format::Binary).unwrap();
    let back = read(&file).unwrap();
    assert!(back.events == trace.events);
    assert!(write(&back, Format::Binary).unwrap() == file);
}
