//! How fast the formats are read, on generated accesses:
//! `cargo run --release -p deadheat-trace --example read_speed [events [format [trace]]]`.
//!
//! The worst case for text and binary alike: 64 threads take turns at random over 100,000 variables and 1,000 locations. A
//! second trace has the locality of programs: threads run for a while, and walk through memory and source.

use deadheat_trace::format::{Compression, Format, open, writer};
use deadheat_trace::{Batch, Event, Loc, LockId, Op, Source, Span, Symbols, Tid, Trace};
use std::time::Instant;

/// Marsaglia's xorshift: good enough to defeat branch prediction.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

fn symbols() -> Symbols {
    let mut symbols = Symbols::default();
    for t in 0..64 {
        symbols.intern_thread(&format!("T{t}"));
    }
    for v in 0..100_000 {
        symbols.intern_var(&format!("V{v}"));
    }
    for l in 0..1_000 {
        symbols.intern(deadheat_trace::Namespace::Lock, &format!("L{l}"));
    }
    symbols
}

/// One event in fifty is a lock operation, two accesses in three are reads.
fn operation(random: &mut Random, span: Span) -> Op {
    match random.below(150) {
        0 => Op::Acquire(LockId(random.below(1_000) as u32)),
        1 => Op::Release(LockId(random.below(1_000) as u32)),
        n if n % 3 == 0 => Op::Write(span),
        _ => Op::Read(span),
    }
}

fn scattered(n: usize) -> Trace {
    let mut random = Random(1);
    let events = (0..n).map(|_| {
        let span = Span::named(random.below(100_000) as u32);
        let tid = Tid(random.below(64) as u32);
        Event { op: operation(&mut random, span), tid, loc: Loc(random.below(1_000) as u32) }
    });
    Trace { events: events.collect(), symbols: symbols() }
}

fn local(n: usize) -> Trace {
    let mut random = Random(2);
    let (mut tid, mut addr, mut loc) = (Tid(0), 0x7f00_0000_0000, 0);
    let events = (0..n).map(|_| {
        if random.below(40) == 0 {
            tid = Tid(random.below(64) as u32);
        }
        addr = if random.below(8) == 0 { 0x7f00_0000_0000 + 8 * random.below(1 << 20) } else { addr + 8 };
        loc = if random.below(4) == 0 { random.below(1_000) as u32 } else { loc + 1 };
        let size = if random.below(4) == 0 { 4 } else { 8 };
        Event { op: operation(&mut random, Span::new(addr, size)), tid, loc: Loc(loc) }
    });
    Trace { events: events.collect(), symbols: symbols() }
}

/// The best of five: what the code can do when nobody else uses the machine.
fn measure(name: &str, trace: &Trace, format: Format) {
    let mut file = Vec::new();
    let start = Instant::now();
    let mut to = writer(format, Compression::None, &mut file).expect("memory can be written");
    to.write_batch(&trace.events, &trace.symbols)
        .and_then(|()| to.finish())
        .expect("the trace can be written");
    let writing = start.elapsed();
    let reading = (0..5).map(|_| read(&file, trace.events.len())).min().expect("five runs");
    let n = trace.events.len() as f64;
    println!(
        "{name:9} {:6}  read {:6.1} M events/s ({:5.2} ns)   write {:6.1} M events/s   {:5.2} bytes/event",
        format.name(),
        n / reading.as_secs_f64() / 1e6,
        reading.as_secs_f64() * 1e9 / n,
        n / writing.as_secs_f64() / 1e6,
        file.len() as f64 / n
    );
}

fn read(file: &[u8], expected: usize) -> std::time::Duration {
    let start = Instant::now();
    let (mut reader, mut batch, mut events) = (open(file).expect("a trace"), Batch::default(), 0);
    while reader.next_batch(&mut batch).expect("no mistake") {
        events += std::hint::black_box(&batch).events.len();
    }
    assert_eq!(events, expected);
    start.elapsed()
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let n = args.first().and_then(|n| n.parse().ok()).unwrap_or(5_000_000);
    let wanted = |i: usize, name: &str| args.get(i).is_none_or(|arg| arg == name);
    for (name, make) in [("scattered", scattered as fn(usize) -> Trace), ("local", local)] {
        if wanted(2, name) {
            let trace = make(n);
            for format in Format::ALL.into_iter().filter(|f| wanted(1, f.name())) {
                measure(name, &trace, format);
            }
        }
    }
}
