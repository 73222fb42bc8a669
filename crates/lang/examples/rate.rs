use deadheat_explore::{Action, Log, Points, Status};
use deadheat_lang::{check, compile, parse, Machine, Options};
use deadheat_trace::Tid;
use std::sync::Arc;
fn main() {
    let src = "atomic x; thread { fetch_add(x, 1); fetch_add(x, 1); } thread { fetch_add(x, 1); fetch_add(x, 1); }";
    let p = parse(src).unwrap();
    let t = check(&p).unwrap();
    let mut m = Machine::new(Arc::new(compile(&p, &t).unwrap()), Options::default());
    let mut log = Log::default();
    let n = 2_000_000u64;
    let start = std::time::Instant::now();
    let mut r = 1u64;
    let mut steps = 0;
    for _ in 0..n {
        m.reset();
        log.clear();
        loop {
            let mut ready = [0u32; 8];
            let mut k = 0;
            for t in 0..m.created() {
                if let Status::Ready(_) = m.status(Tid(t)) { ready[k] = t; k += 1; }
            }
            if k == 0 { break }
            r ^= r << 13; r ^= r >> 7; r ^= r << 17;
            let tid = Tid(ready[(r % k as u64) as usize]);
            m.step(Action { tid, choice: 0 }, &Points::Everywhere, &mut log).unwrap();
            steps += 1;
        }
    }
    let s = start.elapsed().as_secs_f64();
    println!("{:.0} runs/s, {} steps a run", n as f64 / s, steps / n);
}
