//! Dynamic partial order reduction with backtrack sets and sleep sets.
//!
//! Flanagan, Godefroid, *Dynamic Partial-Order Reduction for Model Checking Software* (POPL 2005), Figure 3, with the sleep sets of
//! Godefroid's thesis: every Mazurkiewicz trace at least once. For each reversible race one thread that leads to its later half
//! is added to the backtrack set before its first step, unless one is there. Runs that end with everybody asleep are redundant; the
//! optimal search has none.
//!
//! With a bound on preemptions, sleep sets are off and each addition is repeated at the beginning of the block of steps of
//! the same thread (Coons, Musuvathi, McKinley, *Bounded Partial-Order Reduction*, OOPSLA 2013), since the switch itself may be what the bound
//! forbids. A bounded search finds what it finds: that there is no more within the bound is likely, not proved here, and beyond the bound nothing is known.

use super::sleep::Sleep;
use super::wakeup::{ANY, Way};
use super::{Bound, Ending, Strategy};
use crate::run::trail::{Reversible, Trail};
use crate::system::Action;
use deadheat_trace::Tid;
use serde::{Deserialize, Serialize};

#[derive(Clone, Default, Serialize, Deserialize)]
struct Node {
    sleep: Sleep,
    action: (u32, u32),
    /// What is still to try: thread and choice, [`ANY`] for all.
    todo: Vec<(u32, u32)>,
    /// Threads that are or were in the backtrack set.
    tried: Vec<u32>,
    /// Who else could have gone on.
    ready: Vec<u32>,
    done: u32,
}

/// The search.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Dpor {
    nodes: Vec<Node>,
    len: usize,
    begun: bool,
    bound: Bound,
    #[serde(skip)]
    way: Way,
    #[serde(skip)]
    initials: Vec<(Tid, u32)>,
}

impl Dpor {
    pub(crate) fn new(bound: Bound) -> Dpor {
        Dpor { bound, ..Dpor::default() }
    }

    fn push_node(&mut self, trail: &Trail) {
        if self.nodes.len() == self.len {
            self.nodes.push(Node::default());
        }
        let (before, rest) = self.nodes.split_at_mut(self.len);
        let node = &mut rest[0];
        match before.last() {
            Some(last) => last.sleep.pass(trail.touches_of(self.len as u32 - 1), &mut node.sleep),
            None => node.sleep.clear(),
        }
        node.done = 0;
        node.tried.clear();
        node.todo.clear();
        node.ready.clear();
        node.ready.extend(trail.ready.iter().map(|r| r.0.0));
        self.len += 1;
        // The thread that is running goes on if it can.
        let last = trail.last_tid().filter(|&t| trail.ways(t) > 0);
        let mut ready = last.into_iter().chain(trail.ready.iter().map(|r| r.0));
        if let Some(tid) = ready.find(|&t| !node.sleep.contains(t, ANY) && self.bound.allows(trail, t)) {
            node.todo.push((tid.0, ANY));
            node.tried.push(tid.0);
        }
    }

    fn choose(&mut self, trail: &Trail) -> Option<Action> {
        let node = &mut self.nodes[self.len - 1];
        while let Some((tid, choice)) = node.todo.pop() {
            let ways = trail.ways(Tid(tid));
            if choice == ANY {
                node.todo.extend((0..ways).rev().map(|c| (tid, c)));
            } else if choice < ways
                && !node.sleep.contains(Tid(tid), choice)
                && self.bound.allows(trail, Tid(tid))
            {
                node.action = (tid, choice);
                return Some(Action { tid: Tid(tid), choice });
            }
        }
        None
    }

    /// One thread that leads to the later half comes into the backtrack set before the first.
    fn reverse(&mut self, race: Reversible, trail: &Trail) {
        self.way.reverse(race, trail, true);
        self.way.initials(trail, &mut self.initials);
        let node = &mut self.nodes[race.first as usize];
        if !self.initials.iter().any(|(t, _)| node.tried.contains(&t.0)) {
            // The last is the later half itself, if nothing has to come before it.
            if let Some(&(tid, _)) = self.initials.last() {
                node.tried.push(tid.0);
                node.todo.push((tid.0, ANY));
            }
        }
        if self.bound.is_set() {
            self.add_at_block(race.first, trail);
        }
    }

    /// At the beginning of the block of steps that a step is in, everybody who can go on is tried.
    fn add_at_block(&mut self, step: u32, trail: &Trail) {
        let tid = trail.steps[step as usize].action.tid;
        let same = trail.steps[..step as usize].iter().rev().take_while(|s| s.action.tid == tid).count();
        let node = &mut self.nodes[step as usize - same];
        for &t in &node.ready {
            if !node.tried.contains(&t) {
                node.tried.push(t);
                node.todo.push((t, ANY));
            }
        }
    }

    fn backtrack(&mut self, trail: &Trail, ending: Ending) {
        while let Some(at) = self.len.checked_sub(1) {
            let node = &mut self.nodes[at];
            if let Some(step) = trail.steps.get(at) {
                let (tid, choice) = step.key();
                if !self.bound.is_set() {
                    let last = if at + 1 == trail.steps.len() { ending } else { Ending::Maximal };
                    node.sleep.add(tid, choice, trail.touches_of(at as u32), last);
                }
                node.done += 1;
            }
            if !node.todo.is_empty() {
                return;
            }
            self.len = at;
        }
    }
}

impl Strategy for Dpor {
    fn begin(&mut self) -> Option<u32> {
        if self.begun && self.len == 0 {
            return None;
        }
        self.begun = true;
        Some(self.len.saturating_sub(1) as u32)
    }

    fn pick(&mut self, trail: &Trail) -> Option<Action> {
        let at = trail.steps.len();
        if at + 1 < self.len {
            let (tid, choice) = self.nodes[at].action;
            return Some(Action { tid: Tid(tid), choice });
        }
        if at == self.len {
            self.push_node(trail);
        }
        self.choose(trail)
    }

    fn finish(&mut self, trail: &Trail, ending: Ending) {
        for &race in &trail.races {
            self.reverse(race, trail);
        }
        if ending == Ending::Fault
            && let Some(at) = trail.steps.len().checked_sub(1)
        {
            // The others go on without the one that faulted.
            let node = &mut self.nodes[at];
            for &t in &node.ready {
                if !node.tried.contains(&t) && !node.sleep.contains(Tid(t), ANY) {
                    node.tried.push(t);
                    node.todo.push((t, ANY));
                    break;
                }
            }
        }
        self.backtrack(trail, ending);
    }

    fn done(&self) -> f64 {
        let (mut done, mut weight) = (0.0, 1.0);
        for (at, node) in self.nodes[..self.len].iter().enumerate() {
            let under_way = u32::from(at + 1 < self.len);
            let all = f64::from(node.done + node.todo.len() as u32 + under_way).max(1.0);
            done += weight * f64::from(node.done) / all;
            weight /= all;
        }
        if self.len == 0 && self.begun { 1.0 } else { done }
    }

    fn kept(&self) -> usize {
        self.nodes[..self.len].iter().map(|n| n.todo.len() + 1).sum()
    }
}
