//! Selectively uniform random walk.
//!
//! Zhao, Wolff, Mathur, Roychoudhury, *Selectively Uniform Concurrency Testing* (ASPLOS 2025). Each run selects one shared object
//! and makes all orders of the transitions that touch it about equally likely: the thread that may touch it next is drawn with
//! weights by how many such transitions each thread has left, counted in earlier runs; the others wait before theirs.
//!
//! Deviations: counts are the largest of all runs so far, beginning with one that counts only; a thread that does not exist
//! yet counts for the one that will make it.

use super::random::Dice;
use super::{Ending, Strategy};
use crate::run::objects::Kind;
use crate::run::trail::Trail;
use crate::system::Action;
use deadheat_trace::Tid;
use serde::{Deserialize, Serialize};

/// How often a thread touches an object.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Count {
    object: u32,
    tid: u32,
    most: u32,
    now: u32,
}

/// The search.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Surw {
    dice: Dice,
    counts: Vec<Count>,
    /// Who made each thread, by its number; threads that nobody made are their own.
    parents: Vec<u32>,
    /// Objects that several threads touch.
    shared: Vec<u32>,
    selected: Option<u32>,
    /// Who may touch the selected object next.
    next: Option<u32>,
    /// Steps of this run whose touches have been taken off.
    seen: usize,
}

impl Surw {
    pub(crate) fn new(seed: u64) -> Surw {
        let dice = Dice::new(seed);
        let (counts, parents, shared) = Default::default();
        Surw { dice, counts, parents, shared, selected: None, next: None, seen: 0 }
    }

    /// Takes the last step's touches into account.
    fn catch_up(&mut self, trail: &Trail) {
        while self.seen < trail.steps.len() {
            let tid = trail.steps[self.seen].action.tid.0;
            let touches = trail.touches_of(self.seen as u32);
            for (i, touch) in touches.iter().enumerate() {
                let again = touches[..i].iter().any(|t| t.object == touch.object);
                if touch.kind == Kind::Step || again {
                    continue;
                }
                if self.selected == Some(touch.object) && self.next == Some(tid) {
                    self.next = None;
                }
                match self.counts.iter_mut().find(|c| c.object == touch.object && c.tid == tid) {
                    Some(count) => count.now += 1,
                    None => self.counts.push(Count { object: touch.object, tid, most: 0, now: 1 }),
                }
            }
            self.seen += 1;
        }
        for tid in &trail.unblocked {
            let parent = trail.last_tid().unwrap_or(*tid).0;
            while self.parents.len() <= tid.index() {
                self.parents.push(self.parents.len() as u32);
            }
            if self.parents[tid.index()] == tid.0 {
                self.parents[tid.index()] = parent;
            }
        }
    }

    /// Transitions left that touch the selected object, a child's counted for the thread that has yet to make it.
    fn draw(&mut self, trail: &Trail) {
        let Some(object) = self.selected else { return };
        let mut weights: Vec<(u32, u64)> = trail.ready.iter().map(|r| (r.0.0, 0)).collect();
        for count in self.counts.iter().filter(|c| c.object == object) {
            let left = u64::from(count.most.saturating_sub(count.now));
            let mut tid = count.tid;
            for _ in 0..self.parents.len() {
                if let Some(w) = weights.iter_mut().find(|w| w.0 == tid) {
                    w.1 += left;
                    break;
                }
                tid = self.parents.get(tid as usize).copied().unwrap_or(tid);
            }
        }
        let total: u64 = weights.iter().map(|w| w.1).sum();
        if total == 0 {
            return;
        }
        let mut at = self.dice.rng().u64(..total);
        for (tid, weight) in weights {
            if at < weight {
                self.next = Some(tid);
                return;
            }
            at -= weight;
        }
    }

    /// Would the thread's next transition touch the selected object? Judged by what it has left: it stands before it only then.
    fn may_touch(&self, tid: Tid) -> bool {
        let Some(object) = self.selected else { return false };
        self.counts.iter().any(|c| c.object == object && c.tid == tid.0 && c.now < c.most)
    }
}

impl Strategy for Surw {
    fn begin(&mut self) -> Option<u32> {
        let rng = self.dice.begin();
        self.selected = (!self.shared.is_empty()).then(|| self.shared[rng.usize(..self.shared.len())]);
        (self.next, self.seen) = (None, 0);
        Some(u32::MAX)
    }

    fn pick(&mut self, trail: &Trail) -> Option<Action> {
        self.catch_up(trail);
        if self.next.is_none() {
            self.draw(trail);
        }
        // Whoever has touches left and is not next waits, unless nobody else can go on.
        let free =
            trail.ready.iter().filter(|r| self.next == Some(r.0.0) || !self.may_touch(r.0)).count() as u32;
        let pick = self.dice.below(if free > 0 { free } else { trail.ready.len() as u32 }) as usize;
        let mut allowed =
            trail.ready.iter().filter(|r| free == 0 || self.next == Some(r.0.0) || !self.may_touch(r.0));
        let &(tid, ways) = allowed.nth(pick)?;
        Some(Action { tid, choice: self.dice.below(ways) })
    }

    fn finish(&mut self, trail: &Trail, _: Ending) {
        self.catch_up(trail);
        for count in &mut self.counts {
            count.most = count.most.max(count.now);
            count.now = 0;
        }
        self.shared.clear();
        for (i, a) in self.counts.iter().enumerate() {
            let shared = self.counts.iter().any(|b| b.object == a.object && b.tid != a.tid);
            if shared && !self.counts[..i].iter().any(|b| b.object == a.object) {
                self.shared.push(a.object);
            }
        }
    }

    fn done(&self) -> f64 {
        0.0
    }

    fn kept(&self) -> usize {
        self.counts.len()
    }
}
