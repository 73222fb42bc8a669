//! Data race candidates: where it may be worth to preempt.
//!
//! *Soundness Proofs for Iterative Deepening* (CMU-PDL-16-103), Definitions 6, 11 and 13. Two conflicting accesses of
//! different threads are a candidate unless a common lock protects both or their transitions are related by *must-happen-before*:
//!
//! 1. `t1` found the thread of `t2` blocked and left it runnable, and `t2` is that thread's next transition; or
//! 2. `t1` MHB `t3` and `t3` MHB `t2`, where `t3` and `t2` are of different threads; or
//! 3. both are of the same thread.
//!
//! By 2, what comes before `t2` through other threads does not come before later transitions of its thread, although `t2` does:
//! sections of a lock can be reordered as a whole, but not into each other. So each transition has a clock of its own (`must`), that
//! of what comes before *it*; and each thread has one (`past`) that gathers these, for those it unblocks.
//!
//! A *malloc-recycle* candidate (Definition 13) lies in memory that was freed and handed out again between the two accesses. It is
//! counted and dropped: if the accesses can really race, another schedule of the same space shows them without that (Theorem 3).
//!
//! Deviations, each pinned by a test:
//! - The report's transitions end after a synchronisation, ours before the next one. It is the first operation of a transition that unblocks others,
//!   so what follows it in the same transition does not come before theirs: the two parts have times of their own.
//! - A join comes after all of its thread, whether it had to wait or not.
//! - A pair of accesses both of which are at preemption points already is no candidate.
//! - The two threads of a rendezvous are in one transition, which comes after the past of both.

use super::locksets::{Held, Lockset, Locksets};
use super::objects::{Names, granules};
use super::rows::{Row, Rows};
use crate::saved;
use crate::system::{Points, Site};
use deadheat_trace::{Access, Event, Op, Tid};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

/// Are malloc-recycle candidates dropped?
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Recycled {
    /// Dropped, and counted.
    #[default]
    Drop,
    /// Kept as candidates like any other.
    Keep,
}

/// Two places whose accesses may race: candidates for preemption points.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Candidate {
    /// The place with the smaller number.
    #[serde(with = "saved::Loc32")]
    pub first: Site,
    /// The other; the same, if two threads execute the same code.
    #[serde(with = "saved::Loc32")]
    pub second: Site,
    /// Was there no preemption point before the first?
    pub first_is_new: bool,
    /// Was there no preemption point before the second?
    pub second_is_new: bool,
}

impl Candidate {
    /// The places where a preemption point would be new.
    pub fn new_sites(self) -> impl Iterator<Item = Site> {
        let second = self.second_is_new && !(self.first_is_new && self.first == self.second);
        let sites = [(self.first_is_new, self.first), (second, self.second)];
        sites.into_iter().filter(|s| s.0).map(|s| s.1)
    }
}

/// An access as a granule remembers it: the last of its thread, place, mode and lockset, which stands for the earlier ones.
#[derive(Clone, Copy)]
struct Remembered {
    next: u32,
    tid: u32,
    /// When, by its thread's time: odd for the first operation of a transition, even for the rest of it.
    time: u32,
    site: u32,
    locks: Lockset,
    /// How often its memory had been handed out.
    generation: u32,
    mask: u8,
    writes: bool,
    /// It began its transition.
    at_point: bool,
}

#[derive(Clone, Copy, Default)]
struct Granule {
    run: u32,
    head: u32,
    generation: u32,
}

#[derive(Clone, Default)]
struct Thread {
    /// The time of the first operation of its last transition.
    time: u32,
    /// What must happen before its transition under way, other threads' part.
    must: Row,
    /// All that did before its transitions so far, with them.
    past: Row,
    /// What unblocked it since its last transition.
    next: Row,
    held: Held,
}

/// The candidates of a state space, and the state of the run under way.
#[derive(Default)]
pub(crate) struct Candidates {
    rows: Rows,
    run: u32,
    threads: Vec<Thread>,
    granules: Vec<Granule>,
    remembered: Vec<Remembered>,
    locksets: Locksets,
}

/// The distinct candidates of a space, with how often malloc-recycle ones were dropped.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(from = "(Vec<Candidate>, u64)", into = "(Vec<Candidate>, u64)")]
pub(crate) struct Tally {
    /// Which of the two places are new, by the pair.
    pairs: HashMap<(u32, u32), (bool, bool), FixedState>,
    /// In the order they were found.
    pub list: Vec<Candidate>,
    recycled: HashMap<(u32, u32), (), FixedState>,
    earlier: u64,
}

impl From<(Vec<Candidate>, u64)> for Tally {
    fn from((list, earlier): (Vec<Candidate>, u64)) -> Tally {
        let mut tally = Tally { earlier, ..Tally::default() };
        list.into_iter().for_each(|c| tally.add(c.first.0, c.second.0, c.first_is_new, c.second_is_new));
        tally
    }
}

impl From<Tally> for (Vec<Candidate>, u64) {
    fn from(tally: Tally) -> (Vec<Candidate>, u64) {
        let recycled = tally.recycled();
        (tally.list, recycled)
    }
}

impl Tally {
    /// Pairs of places that were dropped as malloc-recycle; one may be counted again after a search was loaded.
    pub(crate) fn recycled(&self) -> u64 {
        self.earlier + self.recycled.len() as u64
    }

    fn add(&mut self, a: u32, b: u32, a_is_new: bool, b_is_new: bool) {
        let (a, b, a_is_new, b_is_new) =
            if a <= b { (a, b, a_is_new, b_is_new) } else { (b, a, b_is_new, a_is_new) };
        let seen = self.pairs.entry((a, b)).or_insert((false, false));
        let now = (seen.0 || a_is_new, seen.1 || b_is_new);
        if *seen != now {
            *seen = now;
            let candidate = Candidate {
                first: deadheat_trace::Loc(a),
                second: deadheat_trace::Loc(b),
                first_is_new: now.0,
                second_is_new: now.1,
            };
            self.list.retain(|c| (c.first.0, c.second.0) != (a, b));
            self.list.push(candidate);
        }
    }
}

impl Candidates {
    /// A new run.
    pub(crate) fn begin(&mut self) {
        self.rows.clear();
        for thread in &mut self.threads {
            (thread.time, thread.must, thread.past, thread.next) = (0, Row::BOTTOM, Row::BOTTOM, Row::BOTTOM);
            thread.held.clear();
        }
        self.remembered.clear();
        self.run = self.run.wrapping_add(1);
        if self.run == 0 {
            self.granules.clear();
            self.run = 1;
        }
    }

    #[inline]
    fn thread(&mut self, tid: Tid) -> &mut Thread {
        if self.threads.len() <= tid.index() {
            self.threads.resize_with(tid.index() + 1, Thread::default);
        }
        &mut self.threads[tid.index()]
    }

    /// A transition, of one thread or two, with its events.
    #[inline]
    pub(crate) fn transition(
        &mut self,
        (tid, partner): (Tid, Option<Tid>),
        events: &[Event],
        points: &Points,
        names: &mut Names,
        recycled: Recycled,
        tally: &mut Tally,
    ) {
        self.enter(tid);
        if let Some(partner) = partner {
            self.enter(partner);
            let (mine, theirs) = (self.threads[tid.index()].past, self.threads[partner.index()].past);
            self.rows.join(mine, theirs);
            self.rows.copy(theirs, mine);
            for t in [tid, partner] {
                self.threads[t.index()].must = self.threads[t.index()].past;
            }
        }
        let mut begun = (false, false);
        for event in events {
            let begun = if event.tid == tid { &mut begun.0 } else { &mut begun.1 };
            let access = event.op.access();
            let first = !*begun;
            *begun |= event.op != Op::Start;
            match (event.op, access) {
                (Op::Alloc(span), _) => {
                    for (granule, _) in granules(span) {
                        self.granule(names.granule(granule)).generation += 1;
                    }
                }
                (_, Some(access)) => {
                    let plain = matches!(event.op, Op::Read(_) | Op::Write(_));
                    let at_point = first && (!plain || points.has(event.loc));
                    self.access(event, access, (first, at_point), names, recycled, tally);
                }
                (Op::Join(child), _) => self.joined(event.tid, child),
                (op, None) => {
                    let mut held = std::mem::take(&mut self.thread(event.tid).held);
                    self.locksets.apply(&mut held, op);
                    self.threads[event.tid.index()].held = held;
                }
            }
        }
    }

    /// The thread's next transition: what unblocked it comes before this one.
    fn enter(&mut self, tid: Tid) {
        self.rows.hold(tid);
        let thread = self.thread(tid);
        // Odd times: 1, 3, 5, …
        thread.time += if thread.time == 0 { 1 } else { 2 };
        thread.must = std::mem::take(&mut thread.next);
        let Thread { time, must, mut past, .. } = *thread;
        self.rows.own(&mut past);
        if must != Row::BOTTOM {
            self.rows.join(past, must);
        }
        self.rows.set(past, tid.0, time);
        self.threads[tid.index()].past = past;
    }

    /// All of a thread that has ended comes before the transition that joins it.
    fn joined(&mut self, tid: Tid, child: Tid) {
        let Thread { time, past: all, .. } = *self.thread(child);
        if all == Row::BOTTOM {
            return;
        }
        self.rows.set(all, child.0, time + 1);
        let mut must = self.thread(tid).must;
        self.rows.own(&mut must);
        self.rows.join(must, all);
        self.rows.join(self.threads[tid.index()].past, all);
        self.threads[tid.index()].must = must;
    }

    /// The transition of `by` found that thread blocked and left it runnable.
    pub(crate) fn unblocked(&mut self, tid: Tid, by: Tid) {
        self.rows.hold(tid);
        let mut next = self.thread(tid).next;
        self.rows.own(&mut next);
        let past = self.thread(by).past;
        self.rows.join(next, past);
        self.threads[tid.index()].next = next;
    }

    fn granule(&mut self, object: u32) -> &mut Granule {
        if self.granules.len() <= object as usize {
            self.granules.resize(object as usize + 16, Granule::default());
        }
        let granule = &mut self.granules[object as usize];
        if granule.run != self.run {
            *granule = Granule { run: self.run, head: 0, generation: 0 };
        }
        granule
    }

    fn access(
        &mut self,
        event: &Event,
        access: Access,
        (first, at_point): (bool, bool),
        names: &mut Names,
        recycled: Recycled,
        tally: &mut Tally,
    ) {
        let thread = self.thread(event.tid);
        let (must, locks) = (thread.must, thread.held.set);
        let time = thread.time + u32::from(!first);
        let (tid, site, writes) = (event.tid.0, event.loc.0, access.mode.writes());
        for (granule, mask) in granules(access.span) {
            let object = names.granule(granule);
            let Granule { head, generation, .. } = *self.granule(object);
            let mut same = None;
            let mut next = head;
            while let Some(at) = next.checked_sub(1) {
                let r = self.remembered[at as usize];
                next = r.next;
                if r.tid == tid {
                    let alike = (r.site, r.writes, r.locks, r.mask) == (site, writes, locks, mask);
                    if alike && r.generation == generation {
                        same = Some(at);
                    }
                    continue;
                }
                let conflict = r.mask & mask != 0 && (r.writes || writes) && !(r.at_point && at_point);
                if !conflict || self.locksets.protect(r.locks, locks) || self.rows.get(must, r.tid) >= r.time
                {
                    continue;
                }
                if r.generation != generation && recycled == Recycled::Drop {
                    tally.recycled.insert((r.site.min(site), r.site.max(site)), ());
                } else {
                    tally.add(r.site, site, !r.at_point, !at_point);
                }
            }
            match same {
                Some(at) => {
                    let r = &mut self.remembered[at as usize];
                    r.time = time;
                    r.at_point &= at_point;
                }
                None => {
                    let next = head;
                    self.remembered.push(Remembered {
                        next,
                        tid,
                        time,
                        site,
                        locks,
                        generation,
                        mask,
                        writes,
                        at_point,
                    });
                    self.granules[object as usize].head = self.remembered.len() as u32;
                }
            }
        }
    }
}
