//! Sleep sets: transitions that need not be tried now, because all that follows from them has been seen.

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
}

impl Sleep {
    pub(crate) fn clear(&mut self) {
        self.sleepers.clear();
        self.touches.clear();
    }

    /// That way of a thread has been tried; [`ANY`] if it is the only one.
    pub(crate) fn add(&mut self, tid: Tid, choice: u32, touches: &[Touch]) {
        let from = self.touches.len() as u32;
        self.touches.extend_from_slice(touches);
        let touches = (from, self.touches.len() as u32);
        self.sleepers.push(Sleeper { tid: tid.0, choice, touches });
    }

    /// What is still asleep after a step with those touches. That a thread's own step wakes it is one of its touches.
    pub(crate) fn pass(&self, step: &[Touch], into: &mut Sleep) {
        into.clear();
        for (tid, choice, touches) in self.iter().filter(|(_, _, touches)| !dependent(touches, step)) {
            into.add(tid, choice, touches);
        }
    }

    /// Is that way of the thread asleep?
    pub(crate) fn contains(&self, tid: Tid, choice: u32) -> bool {
        self.sleepers.iter().any(|s| s.tid == tid.0 && (s.choice == choice || s.choice == ANY))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Tid, u32, &[Touch])> {
        self.sleepers.iter().map(|s| {
            let touches = &self.touches[s.touches.0 as usize..s.touches.1 as usize];
            (Tid(s.tid), s.choice, touches)
        })
    }
}
