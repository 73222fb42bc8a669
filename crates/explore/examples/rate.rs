//! How many runs a second the explorer makes of a program with two threads and two operations each, whose interpreter costs next to nothing.
//!
//! `cargo run --release -p deadheat-explore --example rate`

use deadheat_explore::{Action, Blocked, Fault, Log, Options, Points, Search, Space, Status, System};
use deadheat_trace::{Event, Loc, LockId, Op, RmwOrder, Span, Tid};

/// Two threads that do the same operations, forked and joined by a main thread.
struct Tiny {
    ops: Vec<Op>,
    value: u64,
    holder: Option<Tid>,
    at: [usize; 3],
    born: u32,
}

impl Tiny {
    fn new(ops: Vec<Op>) -> Tiny {
        Tiny { ops, value: 0, holder: None, at: [0; 3], born: 1 }
    }

    fn op(&self, tid: Tid) -> Option<Op> {
        let at = self.at[tid.index()];
        match tid.0 {
            0 => [Op::Fork(Tid(1)), Op::Fork(Tid(2)), Op::Join(Tid(1)), Op::Join(Tid(2))].get(at).copied(),
            _ => self.ops.get(at).copied(),
        }
    }

    fn operate(&mut self, tid: Tid, log: &mut Log) {
        let Some(op) = self.op(tid) else { return };
        match op {
            Op::Acquire(_) => self.holder = Some(tid),
            Op::Release(_) => self.holder = None,
            Op::Fork(_) => self.born += 1,
            _ => self.value += 1,
        }
        log.events.push(Event { op, tid, loc: Loc(tid.0 * 8 + self.at[tid.index()] as u32) });
        self.at[tid.index()] += 1;
    }
}

impl System for Tiny {
    fn reset(&mut self) {
        (self.value, self.holder, self.at, self.born) = (0, None, [0; 3], 1);
    }

    fn threads(&self) -> u32 {
        self.born
    }

    fn status(&self, tid: Tid) -> Status {
        match (self.op(tid), self.holder) {
            (None, _) => Status::Finished,
            (Some(Op::Acquire(m)), Some(holder)) => Status::Blocked(Blocked::Lock(m, holder)),
            (Some(Op::Join(t)), _) if self.op(t).is_some() => Status::Blocked(Blocked::Join(t)),
            _ => Status::Ready(1),
        }
    }

    fn pending(&self, tid: Tid, into: &mut Vec<Op>) {
        into.extend(self.op(tid));
    }

    fn step(&mut self, action: Action, points: &Points, log: &mut Log) -> Result<(), Fault> {
        self.operate(action.tid, log);
        while let Some(Op::Read(_) | Op::Write(_)) = self.op(action.tid) {
            if points.has(Loc(action.tid.0 * 8 + self.at[action.tid.index()] as u32)) {
                break;
            }
            self.operate(action.tid, log);
        }
        Ok(())
    }

    fn digest(&self) -> u64 {
        self.value
    }
}

/// Time on a processor: others may be at work on the machine.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    stat.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

fn measure(name: &str, ops: &[Op], search: Search) {
    let mut system = Tiny::new(ops.to_vec());
    let (mut runs, mut spaces, start) = (0u64, 0u64, cpu_seconds());
    while cpu_seconds() - start < 1.0 {
        for _ in 0..200 {
            let mut space = Space::new(Points::sync_only(), Options { search, ..Options::default() });
            while space.counts().runs < 1000 && space.next_run(&mut system).is_some() {}
            runs += space.counts().runs;
            spaces += 1;
        }
    }
    let rate = runs as f64 / (cpu_seconds() - start);
    println!("{name:22} {search:8?} {rate:8.0} runs per CPU second, {} runs a space", runs / spaces);
}

fn main() {
    let add = Op::AtomicRmw(Span::named(0), RmwOrder::SeqCst);
    let x = Span::named(0);
    let (lock, unlock) = (Op::Acquire(LockId(0)), Op::Release(LockId(0)));
    let section = [lock, Op::Read(x), Op::Write(x), unlock];
    for search in [Search::Optimal, Search::Dpor, Search::Naive, Search::Random { seed: 1 }] {
        measure("2 × 2 fetch_add", &[add, add], search);
        measure("2 × 4 fetch_add", &[add; 4], search);
        measure("2 × 2 mutex sections", &[section, section].concat(), search);
        measure("2 × 4 mutex sections", &[section, section, section, section].concat(), search);
    }
}
