//! Orders of mutexes: an edge for each pair taken one inside the other; a cycle whose edges have no common gate is a deadlock that did not happen yet.
//!
//! A *gate* is a mutex that was held during both nestings: under it the two can never meet, so a cycle counts only if no two of its edges
//! share one.

use crate::os::Mutex;
use crate::report;
use crate::sites::Note;
use crate::sites::Site;
use crate::sync::Object;
use crate::thread::Thread;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};
use deadheat_finding::ThreadId;

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
    /// What else was held.
    gates: BTreeSet<u32>,
}

/// More witnesses of one order than this, under different gates, are not kept.
const WITNESSES: usize = 8;
/// Cycles of more mutexes than this are not looked for.
const LONGEST: usize = 10;

struct Graph {
    edges: BTreeMap<u32, BTreeMap<u32, Vec<Edge>>>,
}

static GRAPH: Mutex<Graph> = Mutex::new(Graph { edges: BTreeMap::new() });
static ENABLED: AtomicBool = AtomicBool::new(true);

/// Switches the search off.
pub fn disable() {
    ENABLED.store(false, Ordering::Relaxed);
}

/// The mutex's number; it is part of the graph from now on.
pub fn number(object: &mut Object) -> u32 {
    object.mutex.ordered = true;
    object.serial
}

/// The thread asks for a mutex while it holds others.
pub fn wants(thread: &mut Thread, serial: u32, address: u64, pc: u64) {
    if !ENABLED.load(Ordering::Relaxed) || thread.placer.held().is_empty() {
        return;
    }
    let asked_at = thread.placer.site(pc, Note::CALL);
    let held = thread.placer.held();
    let mut cycles = Vec::new();
    {
        let mut graph = GRAPH.lock();
        for hold in held.iter().filter(|h| h.serial != serial) {
            let gates = held.iter().map(|h| h.serial).filter(|s| *s != hold.serial && *s != serial).collect();
            let edge = Edge {
                from: (hold.serial, hold.mutex),
                to: (serial, address),
                thread: thread.id,
                held_at: hold.site,
                asked_at,
                gates,
            };
            if let Some(cycle) = graph.add(edge) {
                cycles.push(cycle);
            }
        }
    }
    cycles.into_iter().for_each(|cycle| report::lock_order(thread, cycle));
}

/// The mutex of that number is no more.
pub fn forget(serial: u32) {
    let mut graph = GRAPH.lock();
    graph.edges.remove(&serial);
    graph.edges.values_mut().for_each(|to| {
        to.remove(&serial);
    });
}

impl Graph {
    /// Adds an edge; the cycle that it closes, if it is new.
    fn add(&mut self, edge: Edge) -> Option<Vec<Edge>> {
        let witnesses = self.edges.entry(edge.from.0).or_default().entry(edge.to.0).or_default();
        // A witness with fewer gates says all that one with more could.
        if witnesses.len() >= WITNESSES || witnesses.iter().any(|w| w.gates.is_subset(&edge.gates)) {
            return None;
        }
        witnesses.push(edge.clone());
        let (from, to) = (edge.from.0, edge.to.0);
        let mut path = alloc::vec![edge];
        self.search(to, from, &mut path).then_some(path)
    }

    /// Extends the path to the mutex `goal` by edges that share no gate with those before.
    fn search(&self, at: u32, goal: u32, path: &mut Vec<Edge>) -> bool {
        if at == goal {
            return true;
        }
        if path.len() >= LONGEST {
            return false;
        }
        for (next, witnesses) in self.edges.get(&at).into_iter().flatten() {
            if path.iter().any(|e| e.to.0 == *next) {
                continue;
            }
            for witness in witnesses {
                if path.iter().all(|e| e.gates.is_disjoint(&witness.gates)) {
                    path.push(witness.clone());
                    if self.search(*next, goal, path) {
                        return true;
                    }
                    path.pop();
                }
            }
        }
        false
    }
}
