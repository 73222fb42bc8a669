//! Rates.
use deadheat_explore::{Options as Opt, Points, Search, Space};
use deadheat_lang::{Machine, Options, check, compile, parse};
use std::sync::Arc;
fn main() {
    let add2 =
        "atomic x; thread { fetch_add(x, 1); fetch_add(x, 1); } thread { fetch_add(x, 1); fetch_add(x, 1); }";
    let add3 = "atomic x; thread { fetch_add(x, 1); fetch_add(x, 1); } thread { fetch_add(x, 1); fetch_add(x, 1); } thread { fetch_add(x, 1); fetch_add(x, 1); }";
    let mu2 = "global m: mutex; global x; thread { sync m { x = 1; } sync m { x = 2; } } thread { sync m { x = 3; }  sync m { x = 4; } }";
    for (n, src) in [("2x2 add", add2), ("2x2 mutex", mu2), ("3x2 add", add3)] {
        for search in [Search::Optimal, Search::Dpor, Search::Naive, Search::Random { seed: 1 }] {
            let p = parse(src).unwrap();
            let t = check(&p).unwrap();
            let mut m = Machine::new(Arc::new(compile(&p, &t).unwrap()), Options::default());
            let start = std::time::Instant::now();
            let mut runs = 0u64;
            let mut last = None;
            while start.elapsed().as_millis() < 1000 {
                let mut s = Space::new(Points::Everywhere, Opt { search, ..Opt::default() });
                let mut k = 0;
                while k < 100000 && s.next_run(&mut m).is_some() {
                    k += 1
                }
                runs += k;
                last = Some((s.counts(), s.bugs().len()));
            }
            println!("{n} {search:?}: {:.0} runs/s {last:?}", runs as f64 / start.elapsed().as_secs_f64());
        }
    }
}
