//! Optimal dynamic partial order reduction: every Mazurkiewicz trace once.
//!
//! Abdulla, Aronis, Jonsson, Sagonas, *Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction* (JACM 2017), Algorithm 2,
//! as a search that is driven run by run. A run repeats the stack's steps, takes the first branch of the last node's wakeup tree, and goes
//! on along it, then with any thread that is not asleep. At its end each reversible race is put into the wakeup tree of the node before
//! its first step.
//!
//! Deviations:
//! - Only races whose later step is new in this run are reversed: the others were when it was.
//! - Where transitions are longer than one operation (some accesses are no preemption points), what a transition does after its
//!   first operation may change when it comes earlier. A branch of which that is so counts as dependent on everything: no
//!   trace is lost, but runs that turn out redundant can happen; they are counted. With preemption points everywhere there are none.
//! - A thread may have several ways to go on (a `select`). They are branches beside each other.
//! - A transition that faults ends its run and is then asleep like any that has been tried; the next run goes on with the other
//!   threads from there, so that faults that others make are found too.

use super::sleep::Sleep;
use super::wakeup::{ANY, Branches, List, Way};
use super::{Ending, Strategy};
use crate::run::trail::Trail;
use crate::system::Action;
use deadheat_trace::Tid;
use serde::{Deserialize, Serialize};

/// What is known before a step of the current run.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Node {
    sleep: Sleep,
    /// The wakeup tree, without the branch under way.
    todo: List,
    /// The step under way: thread and choice.
    action: (u32, u32),
    /// Branches that are done.
    done: u32,
    /// When this step was chosen others could have gone on that are not in the tree.
    others: bool,
    /// The step faulted: one of the others is to be tried.
    others_next: bool,
}

/// The search.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Optimal {
    nodes: Vec<Node>,
    /// How many nodes are in use.
    len: usize,
    branches: Branches,
    /// What follows the branch taken last.
    carry: List,
    /// Do transitions have more than one operation?
    open: bool,
    begun: bool,
    /// Wakeup sequences that could not be followed: the system is not what its log says.
    pub(crate) diverged: u64,
    #[serde(skip)]
    way: Way,
}

impl Clone for Way {
    fn clone(&self) -> Way {
        Way::default()
    }
}

impl Optimal {
    /// The search; `open` if transitions can have more than one operation.
    pub(crate) fn new(open: bool) -> Optimal {
        Optimal { open, ..Optimal::default() }
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
        node.todo = std::mem::take(&mut self.carry);
        // Off the wakeup sequence there is nothing to look for.
        (node.done, node.others, node.others_next) = (0, false, node.todo == 0);
        self.len += 1;
    }

    /// Chooses the step of the last node: the first branch of its tree, or any thread if it may.
    fn choose(&mut self, trail: &Trail) -> Option<Action> {
        let at = self.len - 1;
        while let Some((tid, choice, child, maybe)) = self.branches.take_first(&mut self.nodes[at].todo) {
            if let Some(action) = self.start(tid, choice, trail) {
                self.carry = child;
                return Some(action);
            }
            self.diverged += u64::from(trail.ways(tid) == 0 && !maybe);
            self.branches.discard(child);
        }
        // Where the sequence turns out to be impossible its beginning has still to be followed by something, or it would go to sleep unseen.
        let node = &mut self.nodes[at];
        if !std::mem::take(&mut node.others_next) && node.done > 0 {
            return None;
        }
        let last = trail.last_tid().filter(|&t| trail.ways(t) > 0);
        let ready = last.into_iter().chain(trail.ready.iter().map(|r| r.0));
        for tid in ready {
            if let Some(action) = self.start(tid, ANY, trail) {
                return Some(action);
            }
        }
        None
    }

    /// Begins with a thread's way, or with the first of its ways, the others beside it; `None` if it cannot or is asleep.
    fn start(&mut self, tid: Tid, choice: u32, trail: &Trail) -> Option<Action> {
        let ways = trail.ways(tid);
        let node = &mut self.nodes[self.len - 1];
        let awake = |&c: &u32| !node.sleep.contains(tid, c);
        let first = if choice == ANY {
            (0..ways).find(awake)?
        } else {
            Some(choice).filter(|c| *c < ways && awake(c))?
        };
        node.action = (tid.0, first);
        node.others =
            trail.ready.iter().any(|&(t, n)| t != tid && (0..n).any(|c| !node.sleep.contains(t, c)));
        node.others_next = false;
        if choice == ANY {
            for c in (first + 1..ways).rev() {
                if !node.sleep.contains(tid, c) {
                    self.branches.put_first(&mut node.todo, tid, c, &[]);
                }
            }
        }
        Some(Action { tid, choice: first })
    }

    fn reverse_races(&mut self, trail: &Trail) {
        let mut way = std::mem::take(&mut self.way);
        for &race in &trail.races {
            way.reverse(race, trail, self.open);
            let node = &mut self.nodes[race.first as usize];
            if !way.is_seen(&node.sleep, trail) {
                self.branches.insert(&mut node.todo, &mut way, trail);
            }
        }
        self.way = way;
    }

    /// Ends the steps that have nothing left to try.
    fn backtrack(&mut self, trail: &Trail, ending: Ending) {
        while let Some(at) = self.len.checked_sub(1) {
            let node = &mut self.nodes[at];
            if let Some(step) = trail.steps.get(at) {
                let (tid, choice) = step.key();
                let last = if at + 1 == trail.steps.len() { ending } else { Ending::Maximal };
                node.sleep.add(tid, choice, trail.touches_of(at as u32), last);
                node.done += 1;
            }
            if node.todo != 0 || node.others_next {
                return;
            }
            self.len = at;
        }
    }
}

impl Strategy for Optimal {
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
        let carry = std::mem::take(&mut self.carry);
        self.branches.discard(carry);
        self.reverse_races(trail);
        if ending == Ending::Fault
            && let Some(at) = trail.steps.len().checked_sub(1)
        {
            self.nodes[at].others_next = self.nodes[at].others;
        }
        self.backtrack(trail, ending);
    }

    fn done(&self) -> f64 {
        let (mut done, mut weight) = (0.0, 1.0);
        for (at, node) in self.nodes[..self.len].iter().enumerate() {
            let todo = self.branches.count(node.todo) + u32::from(node.others_next);
            let under_way = u32::from(at + 1 < self.len);
            let all = f64::from(node.done + todo + under_way).max(1.0);
            done += weight * f64::from(node.done) / all;
            weight /= all;
        }
        if self.len == 0 && self.begun { 1.0 } else { done }
    }

    fn kept(&self) -> usize {
        self.len + self.branches.in_use()
    }
}
