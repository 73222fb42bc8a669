//! Every interleaving of the preemption points, without any reduction: the oracle that judges the other searches.

use super::{Bound, Ending, Strategy};
use crate::run::trail::Trail;
use crate::system::Action;
use deadheat_trace::Tid;
use serde::{Deserialize, Serialize};

#[derive(Clone, Default, Serialize, Deserialize)]
struct Node {
    /// Thread and choice of the steps to try, the one under way last.
    todo: Vec<(u32, u32)>,
    all: u32,
}

/// The search.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Naive {
    nodes: Vec<Node>,
    len: usize,
    begun: bool,
    bound: Bound,
}

impl Naive {
    pub(crate) fn new(bound: Bound) -> Naive {
        Naive { bound, ..Naive::default() }
    }

    fn push_node(&mut self, trail: &Trail) {
        if self.nodes.len() == self.len {
            self.nodes.push(Node::default());
        }
        let node = &mut self.nodes[self.len];
        self.len += 1;
        node.todo.clear();
        for &(tid, ways) in trail.ready.iter().rev().filter(|r| self.bound.allows(trail, r.0)) {
            node.todo.extend((0..ways).rev().map(|choice| (tid.0, choice)));
        }
        // The thread that is running goes on first: the first runs have few preemptions.
        if let Some(last) = trail.last_tid() {
            node.todo.sort_by_key(|&(tid, _)| tid == last.0);
        }
        node.all = node.todo.len() as u32;
    }
}

impl Strategy for Naive {
    fn begin(&mut self) -> Option<u32> {
        if self.begun && self.len == 0 {
            return None;
        }
        self.begun = true;
        Some(self.len.saturating_sub(1) as u32)
    }

    fn pick(&mut self, trail: &Trail) -> Option<Action> {
        if trail.steps.len() == self.len {
            self.push_node(trail);
        }
        let &(tid, choice) = self.nodes[trail.steps.len()].todo.last()?;
        Some(Action { tid: Tid(tid), choice })
    }

    fn finish(&mut self, _: &Trail, _: Ending) {
        while let Some(node) = self.nodes[..self.len].last_mut() {
            node.todo.pop();
            if !node.todo.is_empty() {
                return;
            }
            self.len -= 1;
        }
    }

    fn done(&self) -> f64 {
        let (mut done, mut weight) = (0.0, 1.0);
        for node in &self.nodes[..self.len] {
            let all = f64::from(node.all.max(1));
            done += weight * (all - node.todo.len() as f64) / all;
            weight /= all;
        }
        if self.len == 0 && self.begun { 1.0 } else { done }
    }

    fn kept(&self) -> usize {
        self.nodes[..self.len].iter().map(|n| n.todo.len()).sum()
    }
}
