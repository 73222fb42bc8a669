//! One.
use deadheat_explore::{End, Options as Opt, Points, Races, Search, Space};
use deadheat_lang::{Machine, Options, check, compile, parse};
use std::collections::BTreeMap;
use std::sync::Arc;
fn main() {
    let src = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    for search in [Search::Naive, Search::Dpor, Search::Optimal] {
        let p = parse(&src).unwrap();
        let t = check(&p).unwrap();
        let mut m = Machine::new(Arc::new(compile(&p, &t).unwrap()), Options::default());
        let mut s = Space::new(Points::Everywhere, Opt { search, races: Races::Ignore, ..Opt::default() });
        let mut seen = BTreeMap::new();
        while let Some(run) = s.next_run(&mut m) {
            let key = format!("{:?} {:x}", run.end, m.digest());
            let l = s.last_schedule().to_string();
            seen.entry(key).or_insert((0, l)).0 += 1;
            if std::env::var("ALL").is_ok() && search != Search::Naive {
                println!("{search:?} {:?} {:x} {}", run.end, m.digest(), s.last_schedule());
            }
        }
        println!("{search:?} {:?} {seen:#?}", s.counts());
    }
}
