//! Theorem 1 on programs of the language: a run has a race if and only if its checked accesses have one, every trace is well-formed, and
//! each rule that is broken on purpose is caught.
#![allow(missing_docs)]

mod common;

use common::generate::{structured, with_points};
use common::{Tally, analysed, judge, subject, with_proxies};
use deadheat_lang::generate::{Constructs, Shape, random_program};
use deadheat_lang_redcard::annotate::{Contexts, annotate};
use deadheat_redcard::weaken::Weaken;
use deadheat_redcard::{Config, Mode};

/// `REDCARD_SEEDS=n` makes n times as many programs.
fn seeds(count: u64) -> std::ops::Range<u64> {
    let times: u64 = std::env::var("REDCARD_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    0..count * times
}

fn hold(name: &str, config: Config, seeds: std::ops::Range<u64>, text: impl Fn(u64) -> String) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let subject = subject(&text(seed));
        let elision = analysed(&subject, config);
        for schedule in 0..6 {
            if let Err(what) = judge(&subject, &elision, 10 * seed + schedule, &mut tally) {
                panic!("{name}, program {seed}, {what}\n{}", annotate(&subject, &elision, Contexts::All));
            }
        }
    }
    println!("{name}: {tally:?}");
    assert!(tally.raced * 20 > tally.runs, "hardly a race: {tally:?}");
    assert!(tally.raced * 20 < tally.runs * 19, "hardly a run without a race: {tally:?}");
    assert!(tally.unchecked * 20 > tally.accesses, "hardly a redundant check: {tally:?}");
    tally
}

fn shape(seed: u64) -> Shape {
    let constructs = if seed.is_multiple_of(2) { Constructs::Calculus } else { Constructs::All };
    Shape { threads: 2, vars: 2, locks: 2, statements: 7, constructs }
}

#[test]
fn the_calculus_and_all_synchronisation() {
    hold("small", Config::default(), seeds(300), |seed| random_program(shape(seed), seed));
}

#[test]
fn the_calculus_with_proxies() {
    hold("small with proxies", with_proxies(), seeds(200), |seed| random_program(shape(seed), 7000 + seed));
}

#[test]
fn objects_arrays_loops_and_calls() {
    hold("structured", Config::default(), seeds(150), structured);
}

#[test]
fn method_by_method() {
    let config = Config { mode: Mode::Intra, ..Config::default() };
    hold("intra", config, seeds(80), |seed| structured(20_000 + seed));
}

#[test]
fn peeled() {
    hold("peeled", Config::default(), seeds(80), |seed| {
        subject(&structured(40_000 + seed)).peeled().expect("a program").text
    });
}

#[test]
fn structured_programs_with_proxies() {
    hold("proxies", with_proxies(), seeds(80), |seed| structured(60_000 + seed));
}

#[test]
fn points_and_chunks() {
    let tally = hold("points", with_proxies(), seeds(60), |seed| {
        let text = with_points(seed);
        if seed.is_multiple_of(2) { text } else { subject(&text).peeled().expect("a program").text }
    });
    assert!(tally.proxied * 20 > tally.accesses, "hardly a proxy: {tally:?}");
}

/// The first program that gives a broken rule away.
fn caught(weaken: Weaken, most: u64) -> Option<u64> {
    let config = Config { weaken, ..Config::default() };
    (0..most).find(|seed| {
        let subject = subject(&structured(*seed));
        let elision = analysed(&subject, config);
        (0..6).any(|schedule| judge(&subject, &elision, schedule, &mut Tally::default()).is_err())
    })
}

#[test]
fn every_broken_rule_is_caught() {
    use Weaken::*;
    for weaken in
        [Release, Fork, VolatileWrite, ReadsAndWrites, AliasingStores, CallReleases, LoopInvariant, Meet]
    {
        let program = caught(weaken, 1500);
        println!("{weaken:?}: program {program:?}");
        assert!(program.is_some(), "{weaken:?} was not noticed");
    }
}

/// §5 as printed lets the proxy y of x be accessed after an acquire. If the first thread is done before the second begins to, they race on x alone, which nobody checks.
#[test]
fn a_proxy_after_an_acquire_loses_a_race() {
    let subject = subject(
        "class Point { x; y; }
        global m: mutex;
        main {
            let p = new Point;
            let t0 = spawn { sync m { p.y = 1; p.x = 1; } sync m { p.y = 2; } };
            let t1 = spawn { p.x = 3; lock m; p.y = 3; unlock m; };
            wait t0;
            wait t1;
        }",
    );
    let judged = |weaken| {
        let elision = analysed(&subject, Config { weaken, ..with_proxies() });
        assert!(elision.analysis.proxies != Default::default() || weaken == Weaken::Nothing);
        let mut tally = Tally::default();
        (0..300).try_for_each(|schedule| judge(&subject, &elision, schedule, &mut tally))
    };
    assert_eq!(judged(Weaken::Nothing), Ok(()));
    assert!(judged(Weaken::ProxyAcquire).is_err());
}
