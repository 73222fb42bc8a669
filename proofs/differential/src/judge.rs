//! What the Rust detectors say: for each variable, the access that completes the first race on it.

use crate::generate::Made;
use deadheat_detect::DetectorKind;
use deadheat_online::{
    Clock, LockState, Outcome, Sets, Slot, ThreadState, VarState, Version, Word, handlers,
};
use deadheat_trace::{Event, EventId, Op};

/// For each variable, where its first race was completed.
pub type Verdict = Vec<Option<usize>>;

const OFFLINE: [DetectorKind; 7] = [
    DetectorKind::VectorClock,
    DetectorKind::MultiJoin,
    DetectorKind::FastTrack,
    DetectorKind::VerifiedFt,
    DetectorKind::HbSetsAfterWrite,
    DetectorKind::HbSets,
    DetectorKind::HbSetsGc,
];

/// The verdicts of all detectors that take such a trace.
pub fn verdicts(made: &Made, gc_every: u64) -> Vec<(&'static str, Verdict)> {
    let mut all: Vec<_> = OFFLINE.map(|kind| (kind.name(), offline(made, kind, gc_every))).into();
    if made.capacities.is_empty() {
        let online = [("online-v1", Version::V1), ("online-v1.5", Version::V1_5), ("online-v2", Version::V2)];
        all.extend(online.map(|(name, version)| (name, Online::new(made, version).run(made))));
    }
    all
}

fn offline(made: &Made, kind: DetectorKind, gc_every: u64) -> Verdict {
    let mut verdict = vec![None; made.vars];
    let mut detector = kind.build(gc_every);
    for (i, event) in made.events.iter().enumerate() {
        detector.on_event(EventId(i as u64), event, &mut |race| {
            let x = race.span.addr.name_index().expect("all variables are named") as usize;
            verdict[x] = verdict[x].or(made.position[race.current.event.0 as usize]);
        });
    }
    verdict
}

/// The concurrent handlers, called by one thread after the other.
struct Online {
    version: Version,
    threads: Vec<(ThreadState, Word)>,
    locks: Vec<LockState>,
    vars: Vec<VarState>,
    sets: Sets,
}

impl Online {
    fn new(made: &Made, version: Version) -> Online {
        let thread = |t| (ThreadState::new(Slot(t as u32), Clock(0), |_| false), Word::NONE);
        Online {
            version,
            threads: (0..made.threads).map(thread).collect(),
            locks: vec![LockState::new(); made.locks],
            vars: (0..made.vars).map(|_| VarState::new()).collect(),
            sets: Sets::new(),
        }
    }

    fn run(mut self, made: &Made) -> Verdict {
        let mut verdict = vec![None; made.vars];
        for (event, position) in made.events.iter().zip(&made.position) {
            if let Some(x) = self.step(event) {
                verdict[x] = verdict[x].or(*position);
            }
        }
        verdict
    }

    /// The variable, if the event is an access that races.
    fn step(&mut self, event: &Event) -> Option<usize> {
        let t = event.tid.index();
        match event.op {
            Op::Read(span) | Op::Write(span) => {
                let x = span.addr.name_index()? as usize;
                let writes = matches!(event.op, Op::Write(_));
                return self.access(t, x, writes).race().map(|_| x);
            }
            Op::Acquire(m) => self.threads[t].0.acquire(&self.locks[m.index()]),
            Op::Release(m) => self.threads[t].0.release(&mut self.locks[m.index()]),
            Op::Fork(u) => {
                let [(parent, _), (child, _)] = self.threads.get_disjoint_mut([t, u.index()]).ok()?;
                parent.fork(child);
            }
            Op::Join(u) => {
                let [(waiter, _), (ended, _)] = self.threads.get_disjoint_mut([t, u.index()]).ok()?;
                waiter.join(ended);
            }
            _ => {}
        }
        None
    }

    fn access(&mut self, t: usize, x: usize, writes: bool) -> Outcome {
        let (thread, last) = &mut self.threads[t];
        // One word for all accesses of an epoch.
        let stamp = |thread: &mut ThreadState| {
            if !thread.is_current(*last) {
                *last = thread.stamp();
            }
            *last
        };
        let handler = if writes { handlers::write } else { handlers::read };
        let outcome = handler(self.version, thread, &self.vars[x], &self.sets, Word::WHOLE, stamp);
        outcome.expect("whole variables are accessed as such")
    }
}
