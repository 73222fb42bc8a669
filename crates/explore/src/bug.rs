//! What the explorer calls a bug, and how the same bug is recognised in another run.

use crate::run::precise::Found;
use crate::saved;
use crate::schedule::Schedule;
use crate::system::{Blocked, Fault, FaultKind, Site, Status, System};
use deadheat_trace::{Event, Mode, Op, Span, Tid};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A bug, with how to get there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bug {
    /// What is wrong.
    pub kind: BugKind,
    /// The run that showed it, up to where it shows.
    pub schedule: Schedule,
    /// How often that run switches from a thread that could have gone on.
    pub preemptions: u32,
    /// In which run of its search it was found first, from 1.
    pub run: u64,
    /// In how many runs it was seen.
    pub seen: u64,
}

/// The kinds of bugs.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum BugKind {
    /// The system faulted.
    Fault(Fault),
    /// Threads wait, and nobody can go on.
    Deadlock(Deadlock),
    /// Two accesses that nothing orders, precise: they raced in that run.
    DataRace(DataRace),
    /// The run did not end. A guess: it was longer than the limit, or only threads that spin were left.
    Livelock(Livelock),
}

/// Nobody can go on.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Deadlock {
    /// Who waits for what.
    pub waits: Vec<Wait>,
    /// Threads that wait for each other in a circle, each for the next, the last for the first; empty if there is none.
    #[serde(with = "tids")]
    pub cycle: Vec<Tid>,
    /// Threads that wait to be made runnable and were, too early: when they were not waiting yet.
    #[serde(with = "tids")]
    pub lost_wakeups: Vec<Tid>,
}

/// A thread that waits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Wait {
    /// Who.
    #[serde(with = "saved::Tid32")]
    pub tid: Tid,
    /// For what.
    pub on: Blocked,
}

/// One side of a data race.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct RacingAccess {
    /// Who.
    #[serde(with = "saved::Tid32")]
    pub tid: Tid,
    /// Where.
    #[serde(with = "saved::Loc32")]
    pub site: Site,
    /// How.
    #[serde(with = "saved::SavedMode")]
    pub mode: Mode,
    /// Which event of the run, from 0.
    pub event: u32,
}

/// Two accesses that nothing orders.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct DataRace {
    /// The one that came first in that run.
    pub first: RacingAccess,
    /// The other.
    pub second: RacingAccess,
    /// The first byte of the later access, for its name.
    pub address: u64,
    /// How many bytes it has.
    pub size: u64,
}

impl DataRace {
    /// The race as the detector found it.
    pub(crate) fn new(found: &Found, events: &[Event]) -> DataRace {
        let access = |event: u32, mode| {
            let e = &events[event as usize];
            RacingAccess { tid: e.tid, site: e.loc, mode, event }
        };
        let last = events[found.current as usize].op.access();
        let (mode, span) = last.map_or((found.prior_mode, Span::new(0, 1)), |a| (a.mode, a.span));
        DataRace {
            first: access(found.prior, found.prior_mode),
            second: access(found.current, mode),
            address: span.addr.0,
            size: span.size,
        }
    }

    /// The bytes of the later access.
    pub fn span(&self) -> Span {
        Span::new(self.address, self.size)
    }
}

/// Why a run seems to have no end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Livelock {
    /// It took more steps than the limit.
    TooLong {
        /// The limit.
        steps: u32,
    },
    /// All threads that have not ended spin, and nobody is left to change what they read.
    Spinning,
}

impl fmt::Display for BugKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BugKind::Fault(fault) => write!(f, "{}: {}", fault.kind, fault.message),
            BugKind::Deadlock(d) if !d.lost_wakeups.is_empty() => f.write_str("lost wake-up"),
            BugKind::Deadlock(_) => f.write_str("deadlock"),
            BugKind::DataRace(_) => f.write_str("data race"),
            BugKind::Livelock(Livelock::TooLong { steps }) => {
                write!(f, "no end after {steps} steps: an infinite loop or a livelock, perhaps")
            }
            BugKind::Livelock(Livelock::Spinning) => f.write_str("all threads spin: a livelock, perhaps"),
        }
    }
}

/// What makes two bugs the same: their kind and places.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
enum Key {
    Fault(FaultKind, u32),
    Deadlock(Vec<Wait>),
    Race(u32, u32),
    Livelock(bool),
}

impl BugKind {
    fn key(&self) -> Key {
        match self {
            BugKind::Fault(fault) => Key::Fault(fault.kind, fault.site.0),
            BugKind::Deadlock(deadlock) => Key::Deadlock(deadlock.waits.clone()),
            BugKind::DataRace(r) => {
                let (a, b) = (r.first.site.0, r.second.site.0);
                Key::Race(a.min(b), a.max(b))
            }
            BugKind::Livelock(l) => Key::Livelock(*l == Livelock::Spinning),
        }
    }

    /// Are the two the same bug, seen in two runs?
    pub fn is_same(&self, other: &BugKind) -> bool {
        self.key() == other.key()
    }
}

/// The distinct bugs, in the order they were found.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
#[serde(from = "Vec<Bug>", into = "Vec<Bug>")]
pub struct Bugs {
    bugs: Vec<Bug>,
    places: HashMap<Key, usize, FixedState>,
}

impl From<Vec<Bug>> for Bugs {
    fn from(bugs: Vec<Bug>) -> Bugs {
        let places = bugs.iter().enumerate().map(|(i, b)| (b.kind.key(), i)).collect();
        Bugs { bugs, places }
    }
}

impl From<Bugs> for Vec<Bug> {
    fn from(bugs: Bugs) -> Vec<Bug> {
        bugs.bugs
    }
}

impl Bugs {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Bug> {
        self.bugs.iter()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.bugs.len()
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.bugs.is_empty()
    }

    /// A bug was seen; its schedule is asked for only if it is new or takes fewer preemptions than before. Is it new?
    pub(crate) fn see(
        &mut self,
        kind: BugKind,
        run: u64,
        preemptions: u32,
        schedule: &dyn Fn() -> Schedule,
    ) -> bool {
        let next = self.bugs.len();
        let at = *self.places.entry(kind.key()).or_insert(next);
        if at == next {
            self.bugs.push(Bug { kind, schedule: schedule(), preemptions, run, seen: 1 });
            return true;
        }
        let bug = &mut self.bugs[at];
        bug.seen += 1;
        if preemptions < bug.preemptions {
            (bug.kind, bug.schedule, bug.preemptions) = (kind, schedule(), preemptions);
        }
        false
    }

    /// Takes over what another search found; how many were new.
    pub(crate) fn merge(&mut self, others: &Bugs) -> usize {
        let before = self.len();
        for bug in others.iter() {
            let next = self.bugs.len();
            let at = *self.places.entry(bug.kind.key()).or_insert(next);
            if at == next {
                self.bugs.push(bug.clone());
            } else if bug.preemptions < self.bugs[at].preemptions {
                let seen = self.bugs[at].seen;
                self.bugs[at] = Bug { seen, ..bug.clone() };
            }
        }
        self.len() - before
    }
}

/// What is wrong where nobody can go on: nothing if all threads have ended.
pub(crate) fn stuck<S: System + ?Sized>(system: &S, events: &[Event]) -> Option<BugKind> {
    let mut waits = Vec::new();
    for tid in (0..system.threads()).map(Tid) {
        if let Status::Blocked(on) = system.status(tid) {
            waits.push(Wait { tid, on });
        }
    }
    if waits.is_empty() {
        return None;
    }
    if waits.iter().all(|w| w.on == Blocked::Spinning) {
        return Some(BugKind::Livelock(Livelock::Spinning));
    }
    let descheduled = waits.iter().filter(|w| w.on == Blocked::Descheduled).map(|w| w.tid);
    let lost_wakeups = descheduled.filter(|&t| was_woken_early(t, events)).collect();
    let cycle = cycle(&waits);
    Some(BugKind::Deadlock(Deadlock { waits, cycle, lost_wakeups }))
}

/// Did a `make_runnable` find that thread, which waits for one, not waiting yet? Both are writes of the thread's volatile.
fn was_woken_early(tid: Tid, events: &[Event]) -> bool {
    let own = events.iter().rev().find_map(|e| match e.op {
        Op::VolatileWrite(v) if e.tid == tid => Some(v),
        _ => None,
    });
    let (mut waits, mut early) = (false, false);
    for event in events.iter().filter(|e| own.is_some_and(|v| e.op == Op::VolatileWrite(v))) {
        match event.tid == tid {
            true => waits = true,
            false if waits => waits = false,
            false => early = true,
        }
    }
    early
}

/// A circle of threads that each wait for one other thread: a lock's holder or a thread to join.
fn cycle(waits: &[Wait]) -> Vec<Tid> {
    let next = |tid: Tid| {
        waits.iter().find(|w| w.tid == tid).and_then(|w| match w.on {
            Blocked::Lock(_, holder) => Some(holder),
            Blocked::Join(child) => Some(child),
            _ => None,
        })
    };
    for wait in waits {
        let mut path = vec![wait.tid];
        while let Some(tid) = path.last().and_then(|&t| next(t)) {
            if let Some(at) = path.iter().position(|&t| t == tid) {
                return path.split_off(at);
            }
            path.push(tid);
        }
    }
    Vec::new()
}

/// Lists of threads, saved as numbers.
pub(crate) mod tids {
    use deadheat_trace::Tid;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(tids: &[Tid], to: S) -> Result<S::Ok, S::Error> {
        tids.iter().map(|t| t.0).collect::<Vec<u32>>().serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Tid>, D::Error> {
        Ok(Vec::<u32>::deserialize(from)?.into_iter().map(Tid).collect())
    }
}
