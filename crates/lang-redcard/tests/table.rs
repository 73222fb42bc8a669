//! Table 1 for the paper's programs: every run is well-formed, and no more is checked than the paper checks on the average; proxies leave about as many locations without a shadow as in Table 2.
#![allow(missing_docs)]

mod common;

use common::{analysed, subject, with_proxies};
use deadheat_explore::{End, Options, Points, Races, Search, Space};
use deadheat_lang::Machine;
use deadheat_lang_redcard::Subject;
use deadheat_lang_redcard::count::{checked, counts};
use deadheat_lang_redcard::monitor::{Annotations, Cell, monitor};
use deadheat_redcard::Config;

const PROGRAMS: [&str; 11] = [
    "crypt",
    "elevator",
    "lufact",
    "moldyn",
    "montecarlo",
    "philo",
    "raytracer",
    "series",
    "sor",
    "sparse",
    "tsp",
];

/// The share of a run's accesses that is checked without proxies and with them, and of its locations those that have a shadow with them. None of the programs has a race.
fn shares(subject: &Subject) -> [f64; 3] {
    let mut machine = Machine::new(subject.code.clone(), deadheat_lang::Options::default());
    let search = Search::Random { seed: 0 };
    let options = Options { search, races: Races::Ignore, step_limit: 1_000_000, ..Options::default() };
    let mut space = Space::new(Points::Everywhere, options);
    assert_eq!(space.next_run(&mut machine).expect("one run").end, End::Finished);
    let events = space.last_events();
    let all = counts(events);
    assert!(0 < all.needed && all.needed <= all.accesses, "{all:?}");
    let [without, with] = [Config::default(), with_proxies()].map(|config| {
        let elision = analysed(subject, config);
        let proxies = |place: usize, cell: Cell| elision.proxies(&machine, place, cell);
        let annotations = Annotations { unchecked: &elision.unchecked, proxies: &proxies };
        monitor(events, events.len(), &annotations).expect("every unchecked access is covered");
        checked(events, &elision.unchecked)
    });
    assert_eq!(without.locations, all.locations, "the first access to a location is checked");
    let share = |of: u64, all: u64| of as f64 / all as f64;
    let [without_proxies, with_proxies] = [without, with].map(|c| share(c.accesses, all.accesses));
    [without_proxies, with_proxies, share(with.locations, all.locations)]
}

#[test]
fn the_papers_programs() {
    let mut logs = [[0.0; 3]; 2];
    for name in PROGRAMS {
        let path = format!("{}/../../testdata/lang/redcard/{name}.heat", env!("CARGO_MANIFEST_DIR"));
        let original = subject(&std::fs::read_to_string(path).expect("the program is shipped"));
        let peeled = original.peeled().expect("a program");
        for (sums, subject) in logs.iter_mut().zip([&original, &peeled]) {
            let shares = shares(subject);
            println!("{name}: {shares:.3?}");
            assert!(shares[1] <= shares[0], "{name}: proxies add checks");
            sums.iter_mut().zip(shares).for_each(|(sum, share)| *sum += share.ln());
        }
    }
    let [original, peeled] = logs.map(|sums| sums.map(|sum| (sum / PROGRAMS.len() as f64).exp()));
    println!("original {original:.3?}, peeled {peeled:.3?}");
    assert!(original[0] <= 0.793 && original[1] <= 0.631, "{original:?}");
    assert!(original[2] <= 0.8, "{original:?}");
    assert!(peeled[0] <= 0.626 && peeled[1] <= 0.534, "{peeled:?}");
}
