//! Wakeup trees: what is still to be tried after a step, as sequences that share their beginnings.
//!
//! Abdulla, Aronis, Jonsson, Sagonas, *Source Sets* (JACM 2017), §6. To reverse a race `e ⋖ e'` of a run `E` one must run, from
//! before `e`, the sequence `v` = the steps after `e` that do not happen after it, then `e'`. Whoever starts along `v` only with its
//! first step may lose the way and end where all threads are asleep; a tree of whole sequences keeps the way. `[insert]` adds a
//! sequence unless the tree has one that leads to the same runs: it goes along a branch `p` while `p` is a *weak initial* of what is
//! left (`p` could come first: it has no predecessor in it, or commutes with all of it).

use super::sleep::Sleep;
use crate::run::objects::{Touch, dependent};
use crate::run::trail::{Later, Reversible, Trail};
use deadheat_trace::Tid;
use serde::{Deserialize, Serialize};

/// Stands for all the ways a thread can go.
pub(crate) const ANY: u32 = u32::MAX;

/// A step in a wakeup tree.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Branch {
    pub tid: u32,
    pub choice: u32,
    touches: Vec<Touch>,
    /// It may touch more than is known: it was never seen to run from there.
    open: bool,
    /// It may be impossible there, as a `select` none of whose branches is ready.
    maybe: bool,
    /// The next branch beside it, plus one.
    next: u32,
    /// The first branch that follows it, plus one.
    child: u32,
}

/// All branches of all trees of a search; those not in use are kept with their memory.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Branches {
    branches: Vec<Branch>,
    free: Vec<u32>,
}

/// The first of some branches beside each other, plus one; 0 for none.
pub(crate) type List = u32;

impl Branches {
    fn make(&mut self, tid: u32, choice: u32, touches: &[Touch], open: bool) -> u32 {
        let at = self.free.pop().unwrap_or_else(|| {
            self.branches.push(Branch::default());
            self.branches.len() as u32 - 1
        });
        let branch = &mut self.branches[at as usize];
        branch.touches.clear();
        branch.touches.extend_from_slice(touches);
        (branch.tid, branch.choice, branch.open) = (tid, choice, open);
        (branch.maybe, branch.next, branch.child) = (false, 0, 0);
        at
    }

    /// Takes the first branch off a list: its step, what follows it, and whether it may be impossible.
    pub(crate) fn take_first(&mut self, list: &mut List) -> Option<(Tid, u32, List, bool)> {
        let at = list.checked_sub(1)?;
        let branch = &self.branches[at as usize];
        *list = branch.next;
        self.free.push(at);
        Some((Tid(branch.tid), branch.choice, branch.child, branch.maybe))
    }

    /// Puts another way of a thread, with nothing after it, before the others.
    pub(crate) fn put_first(&mut self, list: &mut List, tid: Tid, choice: u32, touches: &[Touch]) {
        let at = self.make(tid.0, choice, touches, true);
        self.branches[at as usize].next = *list;
        *list = at + 1;
    }

    /// How many branches are beside each other there.
    pub(crate) fn count(&self, list: List) -> u32 {
        let mut next = list;
        std::iter::from_fn(|| {
            let at = next.checked_sub(1)?;
            next = self.branches[at as usize].next;
            Some(())
        })
        .count() as u32
    }

    /// How many branches there are in all trees.
    pub(crate) fn in_use(&self) -> usize {
        self.branches.len() - self.free.len()
    }

    /// Gives all branches of a list back.
    pub(crate) fn discard(&mut self, list: List) {
        let mut next = list;
        while let Some(at) = next.checked_sub(1) {
            next = self.branches[at as usize].next;
            self.discard(self.branches[at as usize].child);
            self.free.push(at);
        }
    }

    /// `[insert]` of *Source Sets*: the sequence comes into the tree unless a branch there leads to the same runs.
    pub(crate) fn insert(&mut self, list: &mut List, way: &mut Way, trail: &Trail) {
        let mut parent: Option<u32> = None;
        'down: loop {
            let mut last: Option<u32> = None;
            let mut next = parent.map_or(*list, |p| self.branches[p as usize].child);
            while let Some(at) = next.checked_sub(1) {
                let branch = &self.branches[at as usize];
                let initial = way.initial(Tid(branch.tid), branch.choice, &branch.touches, trail);
                // What may touch more, or turn out impossible, stands for nothing but itself.
                let sure = !branch.open && !branch.maybe;
                if let Some(at_start) = initial.filter(|at| at.is_some() || sure) {
                    at_start.into_iter().for_each(|at| {
                        way.steps.remove(at);
                    });
                    // A leaf: whatever comes after it will be tried. Or the whole sequence is there already.
                    if branch.child == 0 || way.steps.is_empty() {
                        return;
                    }
                    parent = Some(at);
                    continue 'down;
                }
                (last, next) = (Some(at), branch.next);
            }
            let chain = self.chain(way, trail);
            match (last, parent) {
                (Some(last), _) => self.branches[last as usize].next = chain,
                (None, Some(parent)) => self.branches[parent as usize].child = chain,
                (None, None) => *list = chain,
            }
            return;
        }
    }

    /// The rest of a sequence as one branch after the other.
    fn chain(&mut self, way: &Way, trail: &Trail) -> List {
        let mut after = 0;
        for &step in way.steps.iter().rev() {
            let at = match step {
                LAST => self.make(way.last.0, ANY, way.last_touches(trail), way.open),
                step => {
                    let (tid, choice) = way.key(step, trail);
                    self.make(tid.0, choice, trail.touches_of(step), false)
                }
            };
            self.branches[at as usize].child = after;
            self.branches[at as usize].maybe = step == LAST && way.race.is_some_and(|race| race.maybe);
            after = at + 1;
        }
        after
    }
}

/// `v`, the way from before a race's first step to its reversal: steps of the run, then the race's later one.
pub(crate) struct Way {
    /// The steps that are left, [`LAST`] for the later half of the race.
    steps: Vec<u32>,
    race: Option<Reversible>,
    last: Tid,
    /// The last step may touch more when it comes earlier.
    open: bool,
}

const LAST: u32 = u32::MAX;

impl Default for Way {
    fn default() -> Way {
        Way { steps: Vec::new(), race: None, last: Tid(0), open: false }
    }
}

impl Way {
    /// The way that reverses that race. With `open`, transitions are longer than one operation: what the later one does after its
    /// first operation may be something else when it comes first.
    pub(crate) fn reverse(&mut self, race: Reversible, trail: &Trail, open: bool) {
        self.steps.clear();
        let later = match race.later {
            Later::Step(step) => {
                self.last = trail.steps[step as usize].action.tid;
                step
            }
            Later::Pending(tid, _) => {
                self.last = tid;
                LAST
            }
        };
        // Nothing comes after a step that faults: it is on no way but to itself.
        let rest = race.first + 1..trail.steps.len() as u32 - u32::from(trail.faulted);
        self.steps.extend(rest.filter(|&s| s != later && !trail.happens_before(race.first, s)));
        self.steps.push(LAST);
        (self.race, self.open) = (Some(race), open);
    }

    fn last_touches<'a>(&self, trail: &'a Trail) -> &'a [Touch] {
        match self.race.map(|r| r.later) {
            Some(Later::Step(step)) => trail.touches_of(step),
            Some(Later::Pending(_, (from, to))) => &trail.pending[from as usize..to as usize],
            None => &[],
        }
    }

    fn touches<'a>(&self, step: u32, trail: &'a Trail) -> &'a [Touch] {
        if step == LAST { self.last_touches(trail) } else { trail.touches_of(step) }
    }

    /// Is the first step, of two on the way, before the second?
    fn ordered(&self, a: u32, b: u32, trail: &Trail) -> bool {
        if b != LAST {
            return trail.happens_before(a, b);
        }
        let Some(race) = self.race else { return false };
        // The later half comes without all that came after the first: only what is on the way can order it.
        let before =
            |p: u32| p > race.first && !trail.happens_before(race.first, p) && trail.happens_before(a, p);
        let by_preds = match race.later {
            Later::Step(step) => trail.preds_of(step).iter().any(|&p| before(p)),
            Later::Pending(tid, _) => trail.last_step_of(tid).is_some_and(before),
        };
        by_preds || dependent(trail.touches_of(a), self.last_touches(trail))
    }

    /// Can that step come first? Where it stands on the way if it does, `None` in it if it does not but commutes with all of it.
    fn initial(&self, tid: Tid, choice: u32, touches: &[Touch], trail: &Trail) -> Option<Option<usize>> {
        match self.steps.iter().position(|&s| self.key(s, trail).0 == tid) {
            Some(at) => {
                let step = self.steps[at];
                let same = choice == ANY || choice == self.key(step, trail).1;
                let first = same && !self.steps[..at].iter().any(|&s| self.ordered(s, step, trail));
                first.then_some(Some(at))
            }
            None if self.open => None,
            None => {
                let commutes = !self.steps.iter().any(|&s| dependent(self.touches(s, trail), touches));
                commutes.then_some(None)
            }
        }
    }

    /// The thread of a step on the way, and which way it goes: [`ANY`] if there is only one. A step that came after the later half could as
    /// well have gone another way, and the run that does so will not find the race again.
    fn key(&self, step: u32, trail: &Trail) -> (Tid, u32) {
        let later = match self.race.map(|race| race.later) {
            Some(Later::Step(later)) => later,
            _ => LAST,
        };
        match step {
            LAST => (self.last, ANY),
            step if step > later => (trail.steps[step as usize].action.tid, ANY),
            step => trail.steps[step as usize].key(),
        }
    }

    /// Has all that the way leads to been seen? So it has if a step that is asleep could come first; one that faults only if
    /// it is on the way, since nothing was seen after it.
    pub(crate) fn is_seen(&self, sleep: &Sleep, trail: &Trail) -> bool {
        sleep.iter().any(|s| match self.initial(s.tid, s.choice, s.touches, trail) {
            Some(at) => at.is_some() || !s.faults,
            None => false,
        })
    }

    /// The threads that can make the first step towards the later half: those of steps before it with no predecessor on the way.
    pub(crate) fn initials(&self, trail: &Trail, out: &mut Vec<(Tid, u32)>) {
        out.clear();
        for (at, &s) in self.steps.iter().enumerate() {
            let leads = s == LAST || self.ordered(s, LAST, trail);
            if leads && !self.steps[..at].iter().any(|&p| self.ordered(p, s, trail)) {
                out.push(self.key(s, trail));
            }
        }
    }
}
