//! Selectively uniform random walk.
//!
//! Zhao, Wolff, Mathur, Roychoudhury, *Selectively Uniform Concurrency Testing* (ASPLOS 2025). Each run selects one shared object
//! and makes all orders of the transitions that touch it about equally likely: the thread that may touch it next is drawn with
//! weights by how many such transitions each thread has left, counted in earlier runs; the others wait before theirs.
//!
//! Deviation: counts are the largest of all runs so far, beginning with one that counts only.

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
    /// Did it ever change it? What everybody only reads has but one order.
    changes: bool,
}

/// The search.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Surw {
    dice: Dice,
    counts: Vec<Count>,
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
        let (counts, shared) = Default::default();
        Surw { dice, counts, shared, selected: None, next: None, seen: 0 }
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
                let changes = !matches!(touch.kind, Kind::Read | Kind::Load | Kind::Look);
                match self.counts.iter_mut().find(|c| c.object == touch.object && c.tid == tid) {
                    Some(count) => {
                        count.now += 1;
                        count.changes |= changes;
                    }
                    None => self.counts.push(Count { object: touch.object, tid, most: 0, now: 1, changes }),
                }
            }
            self.seen += 1;
        }
    }

    /// Draws who touches the selected object next, by the transitions left that do. It need not exist yet: then the others wait for it.
    fn draw(&mut self) {
        let Some(object) = self.selected else { return };
        let left = |c: &Count| if c.object == object { c.most.saturating_sub(c.now) } else { 0 };
        let total = self.counts.iter().map(left).sum();
        let mut at = self.dice.below(total);
        for count in &self.counts {
            let weight = left(count);
            if at < weight {
                self.next = Some(count.tid);
                return;
            }
            at -= weight;
        }
    }

    /// Does the thread stand before the selected object, and is it not its turn?
    fn waits(&self, tid: Tid, trail: &Trail) -> bool {
        let Some(object) = self.selected else { return false };
        self.next != Some(tid.0) && trail.ahead.contains(&(tid, object))
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
            self.draw();
        }
        // Nobody is kept waiting if nobody else can go on.
        let free = trail.ready.iter().filter(|r| !self.waits(r.0, trail)).count() as u32;
        let pick = self.dice.below(if free > 0 { free } else { trail.ready.len() as u32 }) as usize;
        let mut allowed = trail.ready.iter().filter(|r| free == 0 || !self.waits(r.0, trail));
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
            let of_object = || self.counts.iter().filter(|b| b.object == a.object);
            let shared = of_object().any(|b| b.tid != a.tid) && of_object().any(|b| b.changes);
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
