//! Orders of mutexes: an edge for each pair taken one inside the other; a cycle that threads could really close is a deadlock that did not happen yet.
//!
//! Threads can stand at all edges of a cycle at once only if what they hold there goes together: a mutex that two of them held, at least one alone (a *gate*),
//! keeps them apart. And each must really wait for the next: two that only read the same lock do not.

use crate::locksets::{Hold, hash};
use crate::nestings::{Shown, nesting};
use crate::os::Mutex;
use crate::output;
use crate::report;
use crate::sites::Note;
use crate::sites::Site;
use crate::thread::Thread;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};
use deadheat_finding::{Hold as Mode, ThreadId};

/// Mutex `to` was asked for by a thread that held `from`.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The mutex that was held: number and address.
    pub from: (u32, u64),
    /// The mutex that was asked for.
    pub to: (u32, u64),
    /// By whom.
    pub thread: ThreadId,
    /// Where the first was taken.
    pub held_at: Site,
    /// Where the second was asked for.
    pub asked_at: Site,
    /// How the first was held.
    held: Mode,
    /// How the second was asked for.
    asked: Mode,
    /// All that was held, in order of the numbers; `from` is among it.
    all: Arc<[(u32, Mode)]>,
}

/// More witnesses of one order than this, with different mutexes around them, are not kept.
const WITNESSES: usize = 8;
/// Cycles of more mutexes than this are not looked for.
const LONGEST: usize = 10;
/// A search that has looked at so many edges gives up: the program is not to wait for it.
const STEPS: usize = 1 << 16;

struct Graph {
    edges: BTreeMap<u32, BTreeMap<u32, Vec<Edge>>>,
    /// From where edges lead to a mutex.
    origins: BTreeMap<u32, BTreeSet<u32>>,
    /// Nestings that any thread has shown.
    nestings: Shown,
    /// The places of cycles that were told.
    told: BTreeSet<Vec<u32>>,
}

static GRAPH: Mutex<Graph> = Mutex::new(Graph {
    edges: BTreeMap::new(),
    origins: BTreeMap::new(),
    nestings: Shown::new(),
    told: BTreeSet::new(),
});
static ENABLED: AtomicBool = AtomicBool::new(true);

/// Switches the search off.
pub fn disable() {
    ENABLED.store(false, Ordering::Relaxed);
}

/// The thread asks for a mutex while it holds others.
#[inline]
pub fn wants(thread: &mut Thread, serial: u32, address: u64, mode: Mode, pc: u64) {
    if !thread.placer.held().is_empty() {
        wants_inside(thread, serial, address, mode, pc);
    }
}

#[inline(never)]
fn wants_inside(thread: &mut Thread, serial: u32, address: u64, mode: Mode, pc: u64) {
    if !ENABLED.load(Ordering::Relaxed) {
        return;
    }
    let nesting = nesting(thread.placer.held_hash(), hash(serial, mode));
    if !thread.nestings.met(nesting) && GRAPH.lock().nestings.is_new(nesting) {
        new_nesting(thread, serial, address, mode, pc);
    }
}

#[cold]
fn new_nesting(thread: &mut Thread, serial: u32, address: u64, mode: Mode, pc: u64) {
    let asked_at = thread.placer.site(pc, Note::CALL);
    let held = thread.placer.held();
    // Who has it already, for reading, gets it again without waiting.
    if held.iter().any(|h| h.serial == serial) {
        return;
    }
    let mut all: Vec<_> = held.iter().map(|h| (h.serial, h.mode)).collect();
    all.sort_unstable_by_key(|(serial, mode)| (*serial, *mode as u8));
    let all: Arc<[_]> = all.into();
    let edge = |hold: &Hold| Edge {
        from: (hold.serial, hold.mutex),
        to: (serial, address),
        thread: thread.id,
        held_at: hold.site(),
        asked_at,
        held: hold.mode,
        asked: mode,
        all: all.clone(),
    };
    let cycles: Vec<_> = {
        let mut graph = GRAPH.lock();
        held.iter().filter_map(|hold| graph.add(edge(hold))).collect()
    };
    cycles.into_iter().for_each(|cycle| report::lock_order(thread, cycle));
}

/// The mutex of that number is no more.
pub fn forget(serial: u32) {
    GRAPH.lock().forget(serial);
}

/// Holds the graph still during `fork`.
pub fn lock_all() {
    GRAPH.lock_raw();
}

/// Lets it go again.
///
/// # Safety
/// This thread, or the one whose copy it is, must have called [`lock_all`].
pub unsafe fn unlock_all() {
    // SAFETY: as the caller promises.
    unsafe { GRAPH.unlock_raw() }
}

/// Two threads can hold those at the same time.
fn go_together(a: &[(u32, Mode)], b: &[(u32, Mode)]) -> bool {
    let (mut i, mut j) = (0, 0);
    while let (Some((x, how_x)), Some((y, how_y))) = (a.get(i), b.get(j)) {
        if x == y && (*how_x == Mode::Write || *how_y == Mode::Write) {
            return false;
        }
        (i, j) = (i + (x <= y) as usize, j + (y <= x) as usize);
    }
    true
}

/// Who asks like that waits for who holds like this.
fn waits(asked: Mode, held: Mode) -> bool {
    asked == Mode::Write || held == Mode::Write
}

impl Edge {
    /// This witness can be part of every cycle that the other can be part of: it holds no more, and asks for as much.
    fn says_all_of(&self, other: &Edge) -> bool {
        let as_much = |mine, theirs| mine == Mode::Write || theirs == Mode::Read;
        let mut theirs = other.all.iter();
        let among = |(serial, mode): &(u32, Mode)| theirs.any(|(s, m)| s == serial && as_much(*m, *mode));
        as_much(self.asked, other.asked) && as_much(self.held, other.held) && self.all.iter().all(among)
    }
}

impl Graph {
    /// Adds an edge; the cycle that it closes, if it is new.
    fn add(&mut self, edge: Edge) -> Option<Vec<Edge>> {
        let (from, to) = (edge.from.0, edge.to.0);
        let witnesses = self.edges.entry(from).or_default().entry(to).or_default();
        if witnesses.len() >= WITNESSES || witnesses.iter().any(|w| w.says_all_of(&edge)) {
            return None;
        }
        // One is enough as a rule, and programs with many locks have many pairs.
        witnesses.reserve_exact(1);
        witnesses.push(edge.clone());
        self.origins.entry(to).or_default().insert(from);
        if !self.leads(to, from) {
            return None;
        }
        let mut path = alloc::vec![edge];
        let mut steps = STEPS;
        (self.search(to, from, &mut path, &mut steps) && self.is_new(&path)).then_some(path)
    }

    /// No cycle of these places was told.
    fn is_new(&mut self, cycle: &[Edge]) -> bool {
        let mut places: Vec<_> = cycle.iter().map(|e| e.asked_at.0).collect();
        places.sort_unstable();
        !output::options().suppress_equal_stacks || self.told.insert(places)
    }

    /// Edges lead from one mutex to the other at all. Rules most searches out, in time that grows only with the graph.
    fn leads(&self, from: u32, to: u32) -> bool {
        let (mut seen, mut open) = (BTreeSet::from([from]), alloc::vec![from]);
        let mut steps = STEPS;
        while let Some(at) = open.pop() {
            if at == to {
                return true;
            }
            for next in self.edges.get(&at).into_iter().flat_map(|m| m.keys()) {
                steps -= 1;
                if steps == 0 {
                    return false;
                }
                if seen.insert(*next) {
                    open.push(*next);
                }
            }
        }
        false
    }

    /// Extends the path to the mutex `goal` by edges at which other threads can stand at the same time.
    fn search(&self, at: u32, goal: u32, path: &mut Vec<Edge>, steps: &mut usize) -> bool {
        let Some(asked) = path.last().map(|e| e.asked) else { return false };
        if at == goal {
            return waits(asked, path[0].held);
        }
        if path.len() >= LONGEST {
            return false;
        }
        for (next, witnesses) in self.edges.get(&at).into_iter().flatten() {
            if path.iter().any(|e| e.to.0 == *next) {
                continue;
            }
            for witness in witnesses {
                if *steps == 0 {
                    return false;
                }
                *steps -= 1;
                if waits(asked, witness.held) && path.iter().all(|e| go_together(&e.all, &witness.all)) {
                    path.push(witness.clone());
                    if self.search(*next, goal, path, steps) {
                        return true;
                    }
                    path.pop();
                }
            }
        }
        false
    }

    fn forget(&mut self, serial: u32) {
        for (to, _) in self.edges.remove(&serial).into_iter().flatten() {
            if let Some(origins) = self.origins.get_mut(&to) {
                origins.remove(&serial);
                if origins.is_empty() {
                    self.origins.remove(&to);
                }
            }
        }
        for from in self.origins.remove(&serial).into_iter().flatten() {
            if let Some(edges) = self.edges.get_mut(&from) {
                edges.remove(&serial);
                if edges.is_empty() {
                    self.edges.remove(&from);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> Graph {
        Graph {
            edges: BTreeMap::new(),
            origins: BTreeMap::new(),
            nestings: Shown::new(),
            told: BTreeSet::new(),
        }
    }

    /// A thread at a place of its own holds those, the last of which is `from`, and asks for a mutex.
    fn edge(held: &[(u32, Mode)], to: u32, asked: Mode) -> Edge {
        let (from, mode) = held[held.len() - 1];
        let mut all = held.to_vec();
        all.sort_unstable_by_key(|(serial, _)| *serial);
        Edge {
            from: (from, from as u64),
            to: (to, to as u64),
            thread: ThreadId(1),
            held_at: Site(1),
            asked_at: Site(from * 100 + to),
            held: mode,
            asked,
            all: all.into(),
        }
    }

    const W: Mode = Mode::Write;
    const R: Mode = Mode::Read;

    #[test]
    fn two_orders_are_a_cycle_told_once() {
        let mut graph = graph();
        assert!(graph.add(edge(&[(1, W)], 2, W)).is_none());
        assert_eq!(graph.add(edge(&[(2, W)], 1, W)).map(|c| c.len()), Some(2));
        assert!(graph.add(edge(&[(2, W)], 1, W)).is_none());
    }

    #[test]
    fn a_gate_keeps_the_two_apart_unless_both_only_read_it() {
        for (gate, found) in [(W, false), (R, true)] {
            let mut graph = graph();
            graph.add(edge(&[(9, gate), (1, W)], 2, W));
            assert_eq!(graph.add(edge(&[(9, R), (2, W)], 1, W)).is_some(), found);
        }
    }

    #[test]
    fn a_witness_without_the_gate_is_kept_beside_one_with_it() {
        let mut graph = graph();
        graph.add(edge(&[(9, W), (1, W)], 2, W));
        assert!(graph.add(edge(&[(9, W), (2, W)], 1, W)).is_none());
        assert!(graph.add(edge(&[(2, W)], 1, W)).is_some());
    }

    #[test]
    fn readers_do_not_wait_for_readers() {
        let mut graph = graph();
        graph.add(edge(&[(1, R)], 2, R));
        assert!(graph.add(edge(&[(2, R)], 1, R)).is_none());
        graph.add(edge(&[(1, R)], 2, W));
        assert!(graph.add(edge(&[(2, R)], 1, W)).is_some());
    }

    #[test]
    fn long_cycles_are_found_and_dead_mutexes_forgotten() {
        let mut graph = graph();
        for i in 1..6 {
            assert!(graph.add(edge(&[(i, W)], i + 1, W)).is_none());
        }
        graph.forget(3);
        assert!(graph.add(edge(&[(6, W)], 1, W)).is_none());
        graph.add(edge(&[(2, W)], 3, W));
        assert_eq!(graph.add(edge(&[(3, W)], 4, W)).map(|c| c.len()), Some(6));
    }
}
