//! Sleep sets: transitions that need not be tried now, because all that follows from them has been seen.

use super::Ending;
use super::wakeup::ANY;
use crate::run::objects::{Touch, dependent};
use deadheat_trace::Tid;
use serde::{Deserialize, Serialize};

/// The transitions asleep before a step, each with what it touches.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Sleep {
    sleepers: Vec<Sleeper>,
    touches: Vec<Touch>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Sleeper {
    tid: u32,
    choice: u32,
    touches: (u32, u32),
    /// It faults: there is no need to see that again, but nothing was seen after it.
    faults: bool,
}

impl Sleep {
    pub(crate) fn clear(&mut self) {
        self.sleepers.clear();
        self.touches.clear();
    }

    /// That way of a thread has been tried; [`ANY`] if it is the only one.
    pub(crate) fn add(&mut self, tid: Tid, choice: u32, touches: &[Touch], ending: Ending) {
        let from = self.touches.len() as u32;
        self.touches.extend_from_slice(touches);
        let touches = (from, self.touches.len() as u32);
        let faults = ending == Ending::Fault;
        self.sleepers.push(Sleeper { tid: tid.0, choice, touches, faults });
    }

    /// What is still asleep after a step with those touches. That a thread's own step wakes it is one of its touches.
    pub(crate) fn pass(&self, step: &[Touch], into: &mut Sleep) {
        into.clear();
        for sleeper in self.sleepers.iter() {
            let touches = self.touches_of(sleeper);
            if !dependent(touches, step) {
                let ending = if sleeper.faults { Ending::Fault } else { Ending::Maximal };
                into.add(Tid(sleeper.tid), sleeper.choice, touches, ending);
            }
        }
    }

    /// Is that way of the thread asleep?
    pub(crate) fn contains(&self, tid: Tid, choice: u32) -> bool {
        self.sleepers.iter().any(|s| s.tid == tid.0 && (s.choice == choice || s.choice == ANY))
    }

    fn touches_of(&self, sleeper: &Sleeper) -> &[Touch] {
        &self.touches[sleeper.touches.0 as usize..sleeper.touches.1 as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Asleep<'_>> {
        self.sleepers.iter().map(|s| {
            let (tid, choice, touches, faults) = (Tid(s.tid), s.choice, self.touches_of(s), s.faults);
            Asleep { tid, choice, touches, faults }
        })
    }
}

/// A transition that is asleep.
pub(crate) struct Asleep<'a> {
    pub tid: Tid,
    pub choice: u32,
    pub touches: &'a [Touch],
    /// It faults: nothing was seen after it.
    pub faults: bool,
}
