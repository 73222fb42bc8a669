//! The report for programs. `docs/json.md` says what the fields mean; a change to them is a change to that file.

use crate::{Evidence, Party, Precision, Race, Reported, Run, Tally, why};
use deadheat_trace::{LockId, Mode, Symbols};
use serde::Serialize;

/// What a detector found in a trace.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RunReport {
    /// The detector's name.
    pub detector: String,
    /// Is a race reported on a variable if and only if there is one?
    pub precise: bool,
    /// How many events it has seen.
    pub events: u64,
    /// How much raced.
    pub counts: CountsReport,
    /// The first race of each distinct pair of places, up to the tally's limit.
    pub races: Vec<RaceReport>,
}

/// How much raced.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CountsReport {
    /// Accesses that completed at least one race.
    pub racing_events: u64,
    /// Distinct variables.
    pub racing_variables: u64,
    /// Distinct pairs of places.
    pub racing_pairs: u64,
}

/// One race.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RaceReport {
    /// `read-after-write`, `write-after-read` or `write-after-write`.
    pub kind: &'static str,
    /// The memory both touched.
    #[serde(flatten)]
    pub memory: Memory,
    /// The access that came first.
    pub prior: PartyReport,
    /// The access that completed the race.
    pub current: PartyReport,
    /// Which kind of evidence the detector has: `clocks`, `labels`, `steps` or `locks`.
    pub evidence: &'static str,
    /// How much of the earlier thread (`clocks`, `steps`), or of the whole trace (`labels`), happens before the later access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<u64>,
    /// The evidence in one English sentence.
    pub why: String,
    /// How often the same pair of places raced again.
    pub repeats: u64,
}

/// The memory both touched.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Memory {
    /// A variable with a name.
    Named {
        /// The name.
        var: String,
    },
    /// Bytes.
    Bytes {
        /// The first, in hexadecimal: numbers beyond 2⁵³ do not survive every JSON parser.
        addr: String,
        /// How many.
        size: u64,
    },
}

/// One of the two accesses.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PartyReport {
    /// Number of the event, from 1.
    pub event: u64,
    /// Name of the thread.
    pub thread: String,
    /// Where in the program, if the trace says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loc: Option<String>,
    /// `read`, `write`, `atomic-read` or `atomic-write`.
    pub mode: &'static str,
    /// What the evidence says about this access.
    #[serde(flatten)]
    pub when: When,
}

/// When an access was, in the terms of its evidence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub enum When {
    /// At that time of its thread's clock.
    #[serde(rename = "clock")]
    Clock(u64),
    /// As that step of its thread, from 1.
    #[serde(rename = "step")]
    Step(u64),
    /// Holding those locks.
    #[serde(rename = "locks")]
    Locks(Vec<String>),
    /// The evidence does not say more than the event.
    #[serde(untagged)]
    Event {},
}

impl RunReport {
    /// The report of what the tally kept.
    pub fn new(tally: &Tally, run: &Run<'_>, symbols: &Symbols) -> RunReport {
        let counts = tally.counts();
        RunReport {
            detector: run.detector.into(),
            precise: run.precision == Precision::Precise,
            events: run.events,
            counts: CountsReport {
                racing_events: counts.events,
                racing_variables: counts.variables,
                racing_pairs: counts.pairs,
            },
            races: tally.reports().iter().map(|r| RaceReport::new(r, symbols)).collect(),
        }
    }
}

impl RaceReport {
    /// One race, with its repeats.
    pub fn new(Reported { race, repeats }: &Reported, symbols: &Symbols) -> RaceReport {
        let Facts { evidence, known, prior, current } = Facts::of(race, symbols);
        RaceReport {
            kind: race.kind().name(),
            memory: Memory::of(race, symbols),
            prior: PartyReport::new(&race.prior, prior, symbols),
            current: PartyReport::new(&race.current, current, symbols),
            evidence,
            known,
            why: why(race, symbols),
            repeats: *repeats,
        }
    }
}

impl Memory {
    fn of(race: &Race, symbols: &Symbols) -> Memory {
        let span = race.span;
        match span.addr.name_index() {
            Some(_) => Memory::Named { var: symbols.span(span) },
            None => Memory::Bytes { addr: format!("{:#x}", span.addr.0), size: span.size },
        }
    }
}

impl PartyReport {
    fn new(party: &Party, when: When, symbols: &Symbols) -> PartyReport {
        PartyReport {
            event: party.event.0 + 1,
            thread: symbols.thread(party.tid),
            loc: symbols.loc(party.loc),
            mode: mode(party.mode),
            when,
        }
    }
}

/// The evidence taken apart into fields.
struct Facts {
    evidence: &'static str,
    known: Option<u64>,
    prior: When,
    current: When,
}

impl Facts {
    fn of(race: &Race, symbols: &Symbols) -> Facts {
        let names = |locks: &[LockId]| When::Locks(locks.iter().map(|&l| symbols.lock(l)).collect());
        let (evidence, known, prior, current) = match &race.evidence {
            Evidence::Clocks { prior, current, known } => {
                let time = |clock: &deadheat_clock::Clock| When::Clock(clock.0);
                ("clocks", Some(known.0), time(prior), time(current))
            }
            Evidence::Label { known } => ("labels", Some(*known as u64), When::Event {}, When::Event {}),
            Evidence::Steps { prior, current, known } => {
                ("steps", Some(*known), When::Step(*prior), When::Step(*current))
            }
            Evidence::Locks { prior, current } => ("locks", None, names(prior), names(current)),
        };
        Facts { evidence, known, prior, current }
    }
}

fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Read => "read",
        Mode::Write => "write",
        Mode::AtomicRead => "atomic-read",
        Mode::AtomicWrite => "atomic-write",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Bank;
    use deadheat_trace::{Loc, Span};
    use expect_test::expect;
    use serde_json::{Value, json};

    const RUN: Run<'_> = Run { detector: "verifiedft", precision: Precision::Precise, events: 6 };

    fn value(race: Race) -> Value {
        serde_json::to_value(RaceReport::new(&Reported { race, repeats: 0 }, &Bank::new().symbols)).unwrap()
    }

    #[test]
    fn a_run() {
        let bank = Bank::new();
        let mut tally = Tally::default();
        tally.add(bank.race(Bank::clocks(2)));
        tally.add(bank.race(Bank::clocks(2)));
        let report = RunReport::new(&tally, &RUN, &bank.symbols);
        expect![[r#"
            {
              "detector": "verifiedft",
              "precise": true,
              "events": 6,
              "counts": {
                "racing_events": 1,
                "racing_variables": 1,
                "racing_pairs": 1
              },
              "races": [
                {
                  "kind": "write-after-read",
                  "var": "counter",
                  "prior": {
                    "event": 4,
                    "thread": "T1",
                    "loc": "bank.c:30",
                    "mode": "read",
                    "clock": 3
                  },
                  "current": {
                    "event": 6,
                    "thread": "T2",
                    "loc": "bank.c:40",
                    "mode": "write",
                    "clock": 1
                  },
                  "evidence": "clocks",
                  "known": 2,
                  "why": "Nothing enforces this order: when T2 wrote, it knew T1 only up to time 2; T1 read at its time 3.",
                  "repeats": 1
                }
              ]
            }"#]].assert_eq(&serde_json::to_string_pretty(&report).unwrap());
    }

    #[test]
    fn bytes_and_unknown_places() {
        let mut race = Bank::new().race(Evidence::Label { known: 4 });
        race.span = Span::new(0x7fff_8000_0000_0010, 8);
        race.prior.loc = Loc(345);
        race.current.loc = Loc::NONE;
        let value = value(race);
        assert_eq!((&value["addr"], &value["size"]), (&json!("0x7fff800000000010"), &json!(8)));
        assert_eq!((value.get("var"), &value["known"]), (None, &json!(4)));
        assert_eq!(value["prior"], json!({"event": 4, "thread": "T1", "loc": "345", "mode": "read"}));
        assert_eq!(value["current"], json!({"event": 6, "thread": "T2", "mode": "write"}));
    }

    #[test]
    fn steps_and_locks() {
        let bank = Bank::new();
        let steps = value(bank.race(Evidence::Steps { prior: 2, current: 1, known: 0 }));
        assert_eq!((&steps["evidence"], &steps["known"]), (&json!("steps"), &json!(0)));
        assert_eq!((&steps["prior"]["step"], &steps["current"]["step"]), (&json!(2), &json!(1)));
        let locks = value(bank.race(Evidence::Locks { prior: vec![bank.lock], current: vec![] }));
        assert_eq!((&locks["evidence"], locks.get("known")), (&json!("locks"), None));
        assert_eq!((&locks["prior"]["locks"], &locks["current"]["locks"]), (&json!(["m"]), &json!([])));
    }
}
