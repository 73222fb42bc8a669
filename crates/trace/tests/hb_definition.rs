//! The reduced edges, the bit sets and the search for races against the words of the table taken literally: all pairs, no reduction,
//! and Warshall's closure over starts and completions.

mod hb_build;

use deadheat_trace::*;
use hb_build::*;
use std::collections::BTreeMap;

/// Nodes 2i and 2i+1 are the start and the completion of event i; `reach[a][b]` is whether a comes before b.
struct Literal<'a> {
    events: &'a [Event],
    reach: Vec<Vec<bool>>,
}

fn start(i: usize) -> usize {
    2 * i
}

fn completion(i: usize) -> usize {
    2 * i + 1
}

impl Literal<'_> {
    fn of(events: &[Event]) -> Literal<'_> {
        let n = 2 * events.len();
        let mut this = Literal { events, reach: vec![vec![false; n]; n] };
        for j in 0..events.len() {
            this.reach[start(j)][completion(j)] = true;
            for i in 0..j {
                this.pair(i, j);
            }
        }
        this.barriers();
        this.channels();
        this.atomics();
        this.close();
        this
    }

    fn edge(&mut self, i: usize, j: usize) {
        self.reach[start(i)][completion(j)] = true;
    }

    /// Rows of the table that speak of "each ... every later" pair.
    fn pair(&mut self, i: usize, j: usize) {
        use Op::*;
        let (a, b) = (self.events[i], self.events[j]);
        if a.tid == b.tid {
            self.reach[completion(i)][start(j)] = true;
        }
        let releases =
            |m| self.outermost(i, m).filter(|_| matches!(a.op, Release(_) | Wait(..) | ReleaseShared(_)));
        let lock = match b.op {
            Acquire(m) | Woken(_, m) => self.outermost(j, m).and(releases(m)).is_some(),
            AcquireShared(m) => {
                self.outermost(j, m).and(releases(m)).is_some() && !matches!(a.op, ReleaseShared(_))
            }
            _ => false,
        };
        let volatile = matches!((a.op, b.op), (VolatileWrite(v), VolatileRead(u)) if v == u);
        let empty = matches!((a.op, b.op), (Fork(u), Join(v)) if u == v);
        let closed = matches!((a.op, b.op), (Close(c), ReceiveClosed(d)) if c == d);
        if lock || volatile || empty || closed {
            self.edge(i, j);
        }
        if matches!(a.op, Fork(u) if u == b.tid) {
            self.reach[start(i)][start(j)] = true;
        }
        if matches!(b.op, Join(u) if u == a.tid) {
            self.reach[completion(i)][completion(j)] = true;
        }
    }

    /// Is event i an outermost acquire or release of that lock? Counts the thread's pairs before it.
    fn outermost(&self, i: usize, m: LockId) -> Option<()> {
        use Op::*;
        let t = self.events[i].tid;
        let depth_at = |k: usize| {
            let own = self.events[..k].iter().filter(|e| e.tid == t);
            own.fold(0i32, |depth, e| match e.op {
                Acquire(l) | AcquireShared(l) if l == m => depth + 1,
                Release(l) | ReleaseShared(l) if l == m => depth - 1,
                _ => depth,
            })
        };
        let outermost = match self.events[i].op {
            Wait(_, l) | Woken(_, l) => l == m,
            Acquire(l) | AcquireShared(l) => l == m && depth_at(i) == 0,
            Release(l) | ReleaseShared(l) => l == m && depth_at(i) == 1,
            _ => false,
        };
        outermost.then_some(())
    }

    fn barriers(&mut self) {
        let mut parties = BTreeMap::new();
        // (barrier, round) → enters; the round that is open; what each thread is inside of.
        let (mut enters, mut open, mut inside) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for (i, event) in self.events.iter().enumerate() {
            match event.op {
                Op::BarrierMake(b, n) => drop(parties.insert(b, n as usize)),
                Op::BarrierEnter(b) => {
                    let round = *open.entry(b).or_insert(0);
                    let so_far: &mut Vec<usize> = enters.entry((b, round)).or_default();
                    so_far.push(i);
                    inside.insert(event.tid, round);
                    if parties.get(&b) == Some(&so_far.len()) {
                        open.insert(b, round + 1);
                    }
                }
                Op::BarrierLeave(b) => {
                    let round = inside[&event.tid];
                    for &enter in &enters[&(b, round)] {
                        self.reach[start(enter)][completion(i)] = true;
                    }
                    if !parties.contains_key(&b) && open[&b] == round {
                        open.insert(b, round + 1);
                    }
                }
                _ => {}
            }
        }
    }

    fn indices(&self, op: Op) -> Vec<usize> {
        (0..self.events.len()).filter(|&i| self.events[i].op == op).collect()
    }

    fn channels(&mut self) {
        for event in self.events {
            let Op::ChanMake(c, k) = event.op else { continue };
            let (sends, receives) = (self.indices(Op::Send(c)), self.indices(Op::Receive(c)));
            for i in 0..sends.len().max(receives.len()) {
                if let (Some(&s), Some(&r)) = (sends.get(i), receives.get(i)) {
                    self.edge(s, r);
                }
                if let (Some(&r), Some(&s)) = (receives.get(i), sends.get(i + k as usize)) {
                    self.edge(r, s);
                }
            }
        }
    }

    /// Looks back from every atomic read, byte by byte, for the heads of the sequences it reads from.
    fn atomics(&mut self) {
        for j in 0..self.events.len() {
            let (span, acquires) = match self.events[j].op {
                Op::AtomicLoad(s, order) => (s, order.acquires()),
                Op::AtomicRmw(s, order) => (s, order.acquires()),
                _ => continue,
            };
            let arrives = if acquires { Some(j) } else { self.fence_after(j) };
            for byte in span.addr.0..span.end() {
                for head in self.heads(byte, j) {
                    if let Some(to) = arrives {
                        self.reach[completion(head)][completion(to)] = true;
                    }
                }
            }
        }
    }

    fn heads(&self, byte: u64, j: usize) -> Vec<usize> {
        let mut heads = Vec::new();
        for i in (0..j).rev() {
            let here = |s: Span| s.overlaps(Span::new(byte, 1));
            match self.events[i].op {
                Op::AtomicRmw(s, order) if here(s) => heads.extend(self.head(i, order.releases())),
                Op::AtomicStore(s, order) if here(s) => {
                    heads.extend(self.head(i, order.releases()));
                    break;
                }
                Op::Write(s) | Op::Free(s) | Op::Alloc(s) if here(s) => break,
                _ => {}
            }
        }
        heads
    }

    fn head(&self, i: usize, releases: bool) -> Option<usize> {
        let own = (0..i).rev().filter(|&k| self.events[k].tid == self.events[i].tid);
        let mut fences = own.filter(|&k| matches!(self.events[k].op, Op::Fence(order) if order.releases()));
        if releases { Some(i) } else { fences.next() }
    }

    fn fence_after(&self, j: usize) -> Option<usize> {
        let own = (j + 1..self.events.len()).filter(|&k| self.events[k].tid == self.events[j].tid);
        own.filter(|&k| matches!(self.events[k].op, Op::Fence(order) if order.acquires())).min()
    }

    fn close(&mut self) {
        let n = self.reach.len();
        for via in 0..n {
            let row = self.reach[via].clone();
            for a in 0..n {
                if self.reach[a][via] {
                    self.reach[a].iter_mut().zip(&row).for_each(|(to, via)| *to |= via);
                }
            }
        }
    }

    fn before(&self, i: usize, j: usize) -> bool {
        self.reach[start(i)][completion(j)]
    }

    /// The racing bytes of all pairs, one by one.
    fn racing_bytes(&self) -> Vec<(usize, usize, u64)> {
        let mut out = Vec::new();
        for (j, b) in self.events.iter().enumerate() {
            for (i, a) in self.events[..j].iter().enumerate() {
                let (Some(x), Some(y)) = (a.op.access(), b.op.access()) else { continue };
                if a.tid == b.tid || !x.mode.conflicts(y.mode) || self.before(i, j) {
                    continue;
                }
                let parted = |byte| {
                    let between = self.events[i..j].iter();
                    between.clone().any(|e| matches!(e.op, Op::Alloc(s) if s.overlaps(Span::new(byte, 1))))
                };
                let both = (x.span.addr.0..x.span.end()).filter(|&byte| y.span.overlaps(Span::new(byte, 1)));
                out.extend(both.filter(|&byte| !parted(byte)).map(|byte| (j, i, byte)));
            }
        }
        out
    }
}

#[test]
fn edges_and_races_are_those_of_the_definition() {
    let mut seen = BTreeMap::new();
    for seed in 0..6_000 {
        let mut random = Random::new(seed);
        let mut events = random.feasible(10 + (seed % 500) as usize);
        events.truncate(90);
        let literal = Literal::of(&events);
        let hb = HappensBefore::of(&events).expect("short");
        for (i, j) in (0..events.len()).flat_map(|i| (0..events.len()).map(move |j| (i, j))) {
            if i != j {
                assert_eq!(hb.before(i, j), literal.before(i, j), "seed {seed}, {i} → {j} in {events:#?}");
            }
        }
        let races = races(&events, &hb);
        assert!(races.is_sorted_by_key(|r| (r.second, r.first, r.span.addr)), "seed {seed}");
        let bytes = |r: &RacePair| {
            (r.span.addr.0..r.span.end()).map(|byte| (r.second, r.first, byte)).collect::<Vec<_>>()
        };
        assert_eq!(races.iter().flat_map(bytes).collect::<Vec<_>>(), literal.racing_bytes(), "seed {seed}");
        for edge in edges(&events) {
            *seen.entry(edge.why).or_insert(0) += 1;
        }
    }
    assert!(
        seen.len() == 9 && seen.values().all(|&n| n > 300),
        "the traces synchronise in all ways: {seen:?}"
    );
}

/// For the pictures: no edge is implied by program order alone, and none is there twice.
#[test]
fn edges_are_between_threads_and_unique() {
    for seed in 0..500 {
        let events = Random::new(seed).feasible(200);
        let edges = edges(&events);
        assert!(edges.iter().all(|e| events[e.from].tid != events[e.to].tid), "seed {seed}");
        assert!(edges.is_sorted_by(|a, b| (a.to, a.from, a.why) < (b.to, b.from, b.why)), "seed {seed}");
    }
}
