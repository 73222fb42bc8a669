//! The report for people: each race in a few lines, a hint, and what was found in all.
//!
//! Colours are [`anstyle`] styles written in place; the caller's stream keeps or strips them.

use crate::tell::{Story, why};
use crate::words::{Names, counted, event, verb};
use crate::{Evidence, Party, Precision, Reported, Run, Tally};
use anstyle::{AnsiColor, Style};
use deadheat_trace::Symbols;
use std::io::{Result, Write};

/// Longest line, colours apart, unless a single name is longer.
const WIDTH: usize = 100;
const INDENT: &str = "  ";
/// Width of the column that says which access came first.
const ORDER: usize = 5;

const RACE: Style = AnsiColor::Red.on_default().bold();
const CANDIDATE: Style = AnsiColor::Yellow.on_default().bold();
const CLEAN: Style = AnsiColor::Green.on_default().bold();
const STRONG: Style = Style::new().bold();
const PLACE: Style = AnsiColor::Cyan.on_default();
const FAINT: Style = Style::new().dimmed();

/// Writes the whole report: every race that the tally kept, a hint, and the summary.
pub fn write_report(out: &mut dyn Write, tally: &Tally, run: &Run<'_>, symbols: &Symbols) -> Result<()> {
    for (i, reported) in tally.reports().iter().enumerate() {
        write_race(out, i + 1, reported, symbols)?;
        writeln!(out)?;
    }
    write_hints(out, tally)?;
    write_summary(out, tally, run)
}

/// Writes one race under that number.
pub fn write_race(out: &mut dyn Write, number: usize, reported: &Reported, symbols: &Symbols) -> Result<()> {
    let race = &reported.race;
    let story = Story { race, names: Names(symbols) };
    let (style, title) = match race.evidence {
        Evidence::Locks { .. } => (CANDIDATE, "POSSIBLE DATA RACE"),
        _ => (RACE, "DATA RACE"),
    };
    writeln!(out, "{style}{title} #{number}{style:#}: {STRONG}{}{STRONG:#}", story.headline())?;
    write_accesses(out, story)?;
    write_wrapped(out, &why(race, symbols))?;
    if let Some(bytes) = story.bytes() {
        write_wrapped(out, &bytes)?;
    }
    if reported.repeats > 0 {
        write_wrapped(out, &again(reported, story))?;
    }
    Ok(())
}

/// What to do about it and how to read it: once, after all the races.
fn write_hints(out: &mut dyn Write, tally: &Tally) -> Result<()> {
    if tally.reports().is_empty() {
        return Ok(());
    }
    let has_times = |r: &Reported| matches!(r.race.evidence, Evidence::Clocks { known, .. } if known.0 > 0);
    if tally.reports().iter().any(has_times) {
        writeln!(
            out,
            "{FAINT}A thread's time ticks whenever it lets others see its work: unlock, fork, send, …{FAINT:#}"
        )?;
    }
    writeln!(
        out,
        "{FAINT}To fix a race, hold one lock around both accesses, or let one thread wait for the other.{FAINT:#}"
    )
}

/// Writes the last line: how much raced, or that nothing did.
pub fn write_summary(out: &mut dyn Write, tally: &Tally, run: &Run<'_>) -> Result<()> {
    let (events, detector) = (counted(run.events, "event", "events"), run.detector);
    let precision = run.precision.name();
    if tally.is_empty() {
        let what = match run.precision {
            Precision::Precise | Precision::AfterWrite => "No data race",
            Precision::Candidates => "No sign of a data race",
        };
        return writeln!(out, "{CLEAN}{what}{CLEAN:#} in {events} ({detector}, {precision}).");
    }
    let counts = tally.counts();
    let hidden = counts.pairs - tally.reports().len() as u64;
    if hidden > 0 {
        writeln!(
            out,
            "{} not shown.",
            counted(hidden, "more pair of places is", "more pairs of places are")
        )?;
    }
    let (style, accesses) = match run.precision {
        Precision::Candidates => {
            (CANDIDATE, counted(counts.events, "possibly racing access", "possibly racing accesses"))
        }
        _ => (RACE, counted(counts.events, "racing access", "racing accesses")),
    };
    let variables = counted(counts.variables, "variable", "variables");
    let pairs = counted(counts.pairs, "pair of places", "pairs of places");
    writeln!(
        out,
        "{style}{accesses}{style:#} on {variables} at {pairs} in {events}; {detector} ({precision})."
    )
}

/// The two accesses under each other, earlier first, in columns; the places on lines of their own if they are too long.
fn write_accesses(out: &mut dyn Write, story: Story<'_>) -> Result<()> {
    let rows = [Row::new("first", &story.race.prior, story), Row::new("then", &story.race.current, story)];
    let width = |column: fn(&Row) -> &str| rows.iter().map(|r| column(r).chars().count()).max().unwrap_or(0);
    let (thread, verb, what) = (width(|r| &r.thread), width(|r| r.verb), width(|r| &r.what));
    let (place, event) = (width(|r| &r.place), width(|r| &r.event));
    let stacked = INDENT.len() + ORDER + thread + verb + what + place + event + 7 > WIDTH;
    for row in &rows {
        write!(
            out,
            "{INDENT}{FAINT}{:<ORDER$}{FAINT:#} {STRONG}{:<thread$}{STRONG:#} ",
            row.order, row.thread
        )?;
        write!(out, "{:<verb$} {:<what$}  ", row.verb, row.what)?;
        if place > 0 && !stacked {
            write!(out, "{PLACE}{:<place$}{PLACE:#}  ", row.place)?;
        }
        writeln!(out, "{FAINT}{}{FAINT:#}", row.event)?;
        if stacked && !row.place.is_empty() {
            writeln!(out, "{INDENT}{:ORDER$} {PLACE}{}{PLACE:#}", "", row.place)?;
        }
    }
    Ok(())
}

/// One access in columns.
struct Row {
    order: &'static str,
    thread: String,
    verb: &'static str,
    what: String,
    place: String,
    event: String,
}

impl Row {
    fn new(order: &'static str, party: &Party, story: Story<'_>) -> Row {
        let names = story.names;
        Row {
            order,
            thread: names.thread(party.tid),
            verb: verb(party.mode),
            what: names.span(story.race.span),
            place: names.place(party.loc).map_or_else(String::new, |place| format!("at {place}")),
            event: format!("({})", event(party.event)),
        }
    }
}

/// How often the same thing happened again, in the words by which the tally told it apart.
fn again(reported: &Reported, story: Story<'_>) -> String {
    let times = counted(reported.repeats, "more time", "more times");
    if reported.race.has_places() {
        format!("{times} at the same two places.")
    } else {
        format!("{times} between the same two threads on {}.", story.names.span(reported.race.span))
    }
}

/// Writes the sentence with line breaks between words, indented.
fn write_wrapped(out: &mut dyn Write, sentence: &str) -> Result<()> {
    let mut column = 0;
    for word in sentence.split(' ') {
        let len = word.chars().count();
        if column > 0 && column + 1 + len > WIDTH {
            writeln!(out)?;
            column = 0;
        }
        let space = if column == 0 { INDENT } else { " " };
        write!(out, "{space}{word}")?;
        column += space.len() + len;
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Bank;
    use anstream::StripStream;
    use deadheat_clock::Tid;
    use deadheat_trace::{EventId, Loc, LockId, Mode, Span};
    use expect_test::{Expect, expect};

    const RUN: Run<'_> = Run { detector: "verifiedft", precision: Precision::Precise, events: 1_234 };

    fn plain(write: impl FnOnce(&mut dyn Write) -> Result<()>) -> String {
        let mut out = StripStream::new(Vec::new());
        write(&mut out).unwrap();
        String::from_utf8(out.into_inner()).unwrap()
    }

    fn check_race(bank: &Bank, race: crate::Race, repeats: u64, expected: Expect) {
        let reported = Reported { race, repeats };
        let text = plain(|out| write_race(out, 1, &reported, &bank.symbols));
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        expected.assert_eq(&text);
    }

    #[test]
    fn clocks() {
        let bank = Bank::new();
        check_race(
            &bank,
            bank.race(Bank::clocks(2)),
            14,
            expect![[r#"
                DATA RACE #1: write-after-read on counter
                  first T1 read  counter  at bank.c:30  (event 4)
                  then  T2 wrote counter  at bank.c:40  (event 6)
                  Nothing enforces this order: when T2 wrote, it knew T1 only up to time 2; T1 read at its time 3.
                  14 more times at the same two places.
            "#]],
        );
    }

    #[test]
    fn clocks_that_never_met() {
        let bank = Bank::new();
        check_race(
            &bank,
            bank.race(Bank::clocks(0)),
            0,
            expect![[r#"
            DATA RACE #1: write-after-read on counter
              first T1 read  counter  at bank.c:30  (event 4)
              then  T2 wrote counter  at bank.c:40  (event 6)
              Nothing enforces this order: T2 had never synchronised with T1, not even through other threads.
        "#]],
        );
    }

    #[test]
    fn labels() {
        let bank = Bank::new();
        check_race(
            &bank,
            bank.race(Evidence::Label { known: 7 }),
            1,
            expect![[r#"
            DATA RACE #1: write-after-read on counter
              first T1 read  counter  at bank.c:30  (event 4)
              then  T2 wrote counter  at bank.c:40  (event 6)
              Nothing enforces this order: T1's read is not among the 7 accesses known to happen before T2's
              write.
              1 more time at the same two places.
        "#]],
        );
        check_race(
            &bank,
            bank.race(Evidence::Label { known: 0 }),
            0,
            expect![[r#"
            DATA RACE #1: write-after-read on counter
              first T1 read  counter  at bank.c:30  (event 4)
              then  T2 wrote counter  at bank.c:40  (event 6)
              Nothing enforces this order: no access is known to happen before T2's write.
        "#]],
        );
    }

    #[test]
    fn steps() {
        let bank = Bank::new();
        let steps = |known| Evidence::Steps { prior: 2, current: 1, known };
        check_race(
            &bank,
            bank.race(steps(1)),
            0,
            expect![[r#"
            DATA RACE #1: write-after-read on counter
              first T1 read  counter  at bank.c:30  (event 4)
              then  T2 wrote counter  at bank.c:40  (event 6)
              Nothing enforces this order: of T1's steps only the first happens before T2's write, and the read
              was T1's step 2.
        "#]],
        );
        check_race(
            &bank,
            bank.race(steps(0)),
            0,
            expect![[r#"
            DATA RACE #1: write-after-read on counter
              first T1 read  counter  at bank.c:30  (event 4)
              then  T2 wrote counter  at bank.c:40  (event 6)
              Nothing enforces this order: none of T1's steps happens before T2's write, and the read was T1's
              step 2.
        "#]],
        );
    }

    #[test]
    fn locks() {
        let bank = Bank::new();
        let prior = vec![bank.lock, LockId(9)];
        check_race(
            &bank,
            bank.race(Evidence::Locks { prior, current: vec![] }),
            0,
            expect![[r#"
            POSSIBLE DATA RACE #1: write-after-read on counter
              first T1 read  counter  at bank.c:30  (event 4)
              then  T2 wrote counter  at bank.c:40  (event 6)
              A candidate only: no lock is common to both. T1 held {m, lock 9}, T2 held no lock; something else
              may still order them.
        "#]],
        );
    }

    #[test]
    fn bytes_numbers_and_atomics() {
        let bank = Bank::new();
        let mut race = bank.race(Bank::clocks(2));
        race.span = Span::new(0x7f10, 2);
        race.prior.mode = Mode::AtomicWrite;
        race.prior.loc = Loc(345);
        race.current.loc = Loc::NONE;
        race.current.event = EventId(1_233);
        check_race(
            &bank,
            race,
            2_000,
            expect![[r#"
                DATA RACE #1: write-after-write on 0x7f10:2
                  first T1 atomically wrote 0x7f10:2  at location 345  (event 4)
                  then  T2 wrote            0x7f10:2                   (event 1,234)
                  Nothing enforces this order: when T2 wrote, it knew T1 only up to time 2; T1 atomically wrote at
                  its time 3.
                  Both touch 2 bytes: 0x7f10 to 0x7f11.
                  2,000 more times between the same two threads on 0x7f10:2.
            "#]],
        );
    }

    #[test]
    fn long_places_get_lines_of_their_own() {
        let mut bank = Bank::new();
        let path = format!("{}/bank.c:40", "deep/".repeat(15));
        let loc = Loc::named(bank.symbols.intern(deadheat_trace::Namespace::Loc, &path));
        let mut race = bank.race(Bank::clocks(2));
        race.current.loc = loc;
        check_race(
            &bank,
            race,
            0,
            expect![[r#"
            DATA RACE #1: write-after-read on counter
              first T1 read  counter  (event 4)
                    at bank.c:30
              then  T2 wrote counter  (event 6)
                    at deep/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep//bank.c:40
              Nothing enforces this order: when T2 wrote, it knew T1 only up to time 2; T1 read at its time 3.
        "#]],
        );
    }

    #[test]
    fn the_whole_report() {
        let bank = Bank::new();
        let mut tally = Tally::new(1);
        tally.add(bank.race(Bank::clocks(2)));
        let mut other = bank.race(Bank::clocks(2));
        other.prior.loc = Loc(7);
        tally.add(other);
        expect![[r#"
            DATA RACE #1: write-after-read on counter
              first T1 read  counter  at bank.c:30  (event 4)
              then  T2 wrote counter  at bank.c:40  (event 6)
              Nothing enforces this order: when T2 wrote, it knew T1 only up to time 2; T1 read at its time 3.

            A thread's time ticks whenever it lets others see its work: unlock, fork, send, …
            To fix a race, hold one lock around both accesses, or let one thread wait for the other.
            1 more pair of places is not shown.
            1 racing access on 1 variable at 2 pairs of places in 1,234 events; verifiedft (precise).
        "#]]
        .assert_eq(&plain(|out| write_report(out, &tally, &RUN, &bank.symbols)));
    }

    #[test]
    fn nothing_found() {
        let tally = Tally::default();
        let clean = |run: &Run<'_>| plain(|out| write_report(out, &tally, run, &Symbols::default()));
        expect![[r#"
            No data race in 1,234 events (verifiedft, precise).
        "#]]
        .assert_eq(&clean(&RUN));
        expect![[r#"
            No sign of a data race in 1 event (lockset, imprecise: candidates only).
        "#]]
        .assert_eq(&clean(&Run { detector: "lockset", precision: Precision::Candidates, events: 1 }));
    }

    #[test]
    fn names_cannot_colour_the_report() {
        let mut bank = Bank::with_counter("x\x1b[31m");
        bank.symbols.intern_thread("T\x07");
        let mut race = bank.race(Bank::clocks(2));
        race.current.tid = Tid(3);
        let mut out = Vec::new();
        write_race(&mut out, 1, &Reported { race, repeats: 0 }, &bank.symbols).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("T\\u{7}") && text.contains("x\\u{1b}[31m"));
        assert!(!text.contains("x\x1b[31m") && !text.contains('\x07'));
    }
}
