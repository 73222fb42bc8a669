//! What a writer cannot say it refuses, and says so: nothing is written that would be read differently.

use super::*;
use deadheat_trace::{Event, LabelId, Loc, LockId, Namespace, Op, Span, Symbols, Tid};
use std::io;

fn refusal(symbols: &Symbols, op: Op, loc: Loc, format: Format) -> String {
    let trace = Trace { symbols: symbols.clone(), events: vec![Event { op, tid: Tid(0), loc }] };
    write(&trace, format).expect_err("refused").to_string()
}

fn thread() -> Symbols {
    let mut symbols = Symbols::default();
    symbols.intern_thread("T");
    symbols
}

#[test]
fn std_refuses_names_that_it_would_read_differently() {
    use Namespace::{Label, Lock, Thread, Var};
    let name = |space: Namespace, name: &str| {
        let mut symbols = thread();
        let i = symbols.intern(space, name);
        let (op, loc) = match space {
            Var => (Op::Read(Span::named(i)), Loc::NONE),
            Lock => (Op::Acquire(LockId(i)), Loc::NONE),
            Label => (Op::Begin(LabelId(i)), Loc::NONE),
            Namespace::Loc => (Op::Start, Loc::named(i)),
            _ => (Op::Fork(Tid(i)), Loc::NONE),
        };
        refusal(&symbols, op, loc, Format::Std)
    };
    for (space, text, why) in [
        (Var, "a b", "the name of the variable, \"a b\", contains white space"),
        (Var, "a|b", "the name of the variable, \"a|b\", contains |"),
        (Var, "", "the variable has no name"),
        (Var, "0x10:8", "the name of the variable, \"0x10:8\", looks like an address"),
        (Var, "0x10:0", "the name of the variable, \"0x10:0\", looks like an address"),
        (Lock, "a\nb", "the name of the lock, \"a\\nb\", contains white space"),
        (Thread, "{", "the name of the thread, \"{\", starts with {"),
        (Thread, "\u{feff}T", "the name of the thread, \"\\u{feff}T\", contains white space"),
        (Label, "a|b", "the name of the label, \"a|b\", contains | or a line end"),
        (Label, "a\nb", "the name of the label, \"a\\nb\", contains | or a line end"),
        (Namespace::Loc, "-", "the name of the location, \"-\", stands for no location"),
        (Namespace::Loc, "12", "the name of the location, \"12\", looks like a number"),
        (Namespace::Loc, "a\r", "the name of the location, \"a\\r\", ends in a carriage return"),
        (Namespace::Loc, "", "the location has no name"),
    ] {
        assert_eq!(name(space, text), format!("cannot write event 1: {why}"));
    }
}

#[test]
fn std_refuses_commas_where_two_operands_stand() {
    let mut symbols = thread();
    let x = symbols.intern_var("a,b");
    let load = Op::AtomicLoad(x, deadheat_trace::LoadOrder::Acquire);
    let message = refusal(&symbols, load, Loc::NONE, Format::Std);
    assert_eq!(message, "cannot write event 1: the name of the variable, \"a,b\", contains a comma");
    let read = Trace { symbols, events: vec![Event { op: Op::Read(x), tid: Tid(0), loc: Loc::NONE }] };
    assert_eq!(write(&read, Format::Std).unwrap(), b"T|r(a,b)|-\n");
}

#[test]
fn no_format_writes_what_is_not_there() {
    for format in Format::ALL {
        let check = |op, loc, what: &str| {
            assert_eq!(refusal(&thread(), op, loc, format), format!("cannot write event 1: {what}"));
        };
        check(
            Op::Acquire(LockId(7)),
            Loc::NONE,
            match format {
                // It would have to define the locks before it, too.
                Format::Binary => "lock number 0 is not among the symbols",
                _ => "lock number 7 is not among the symbols",
            },
        );
        check(Op::Fork(Tid(1)), Loc::NONE, "thread number 1 is not among the symbols");
        check(Op::Start, Loc::named(0), "location number 0 is not among the symbols");
        check(Op::Read(Span::named(0)), Loc::NONE, "variable number 0 is not among the symbols");
        check(Op::Read(Span::new(16, 0)), Loc::NONE, "the memory at 0x10 has a size of 0");
        check(
            Op::Read(Span::new(1 << 62, 1 << 63)),
            Loc::NONE,
            "9223372036854775808 bytes at 0x4000000000000000 reach beyond 0x8000000000000000",
        );
        check(
            Op::Read(Span::new(Span::named(0).addr.0 + 1, 1)),
            Loc::NONE,
            "1 bytes at 0x8000000000000001 are part of a named variable",
        );
        check(
            Op::Read(Span { size: 8, ..Span::named(0) }),
            Loc::NONE,
            "8 bytes at 0x8000000000000000 are part of a named variable",
        );
    }
}

#[test]
fn lines_that_no_reader_takes_are_not_written() {
    let mut symbols = thread();
    let x = symbols.intern_var(&"\u{1}".repeat(1 << 18));
    let trace = Trace { symbols, events: vec![Event { op: Op::Read(x), tid: Tid(0), loc: Loc::NONE }] };
    let error = write(&trace, Format::Jsonl).unwrap_err().to_string();
    assert_eq!(error, "cannot write event 1: its line has 1572899 bytes, more than 1048576");
    let binary = write(&trace, Format::Binary).unwrap();
    assert_eq!(read(&binary).unwrap().events, trace.events);
}

#[test]
fn after_a_failure_nothing_is_written() {
    let (symbols, mut file) = (thread(), Vec::new());
    let good = Event { op: Op::Start, tid: Tid(0), loc: Loc::NONE };
    let bad = Event { op: Op::Start, tid: Tid(1), loc: Loc::NONE };
    let mut to = writer(Format::Std, Compression::None, &mut file).unwrap();
    let error = to.write_batch(&[good, bad, good], &symbols).unwrap_err();
    assert_eq!(error.to_string(), "cannot write event 2: thread number 1 is not among the symbols");
    assert_eq!(to.write_batch(&[good], &symbols), Err(error.clone()));
    assert_eq!(to.finish(), Err(error));
    assert!(file.is_empty());
}

/// A disk with room for that many bytes.
struct Disk(usize);

impl io::Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(self.0);
        self.0 -= n;
        if n == 0 { Err(io::Error::from_raw_os_error(28)) } else { Ok(n) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_told_in_the_systems_words() {
    let symbols = thread();
    let events = vec![Event { op: Op::Start, tid: Tid(0), loc: Loc::NONE }; 100];
    for format in Format::ALL {
        for compression in Compression::ALL {
            let result = writer(format, compression, Disk(15))
                .and_then(|mut to| to.write_batch(&events, &symbols).and_then(|()| to.finish()));
            let message = result.unwrap_err().to_string();
            assert_eq!(message, "cannot write: No space left on device (os error 28)");
        }
    }
}
