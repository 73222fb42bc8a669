//! Making a schedule easier to read: the fewest preemptions that show the same bug, then the fewest segments and operations.
//!
//! First the bound is lowered: all schedules with 0, 1, 2, … preemptions below those of the schedule at hand are searched, each within a
//! part of the budget. A bound whose search ends without the bug is ruled out for good; one whose budget runs out is not. Then what is
//! there is simplified by hand: a segment is dropped, or brought together with an earlier one of the same thread, as long as the bug shows.

use crate::bug::{Bug, BugKind, Livelock};
use crate::schedule::{Replay, Schedule, replay};
use crate::search::Search;
use crate::space::{Options, Races, Space};
use crate::system::{Points, System};

/// A smaller schedule, and how good it is.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The bug with its new schedule; the old one if nothing better was found.
    pub bug: Bug,
    /// Is it certain that no schedule has fewer preemptions?
    pub fewest: bool,
    /// Runs and replays it took.
    pub runs: u64,
}

/// Looks for a simpler schedule of the same bug, with about so many runs.
pub fn shrink<S: System + ?Sized>(system: &mut S, bug: &Bug, budget: u64) -> Shrunk {
    let mut shrunk = Shrunk { bug: bug.clone(), fewest: bug.preemptions == 0, runs: 0 };
    // An endless run is shown by its length: there is nothing to cut.
    if matches!(bug.kind, BugKind::Livelock(Livelock::TooLong { .. })) {
        return shrunk;
    }
    shrunk.lower_bound(system, budget / 2);
    shrunk.simplify(system, budget);
    shrunk
}

/// How good a schedule is: less is better.
fn size(bug: &Bug) -> (u32, usize, u32) {
    (bug.preemptions, bug.schedule.segments.len(), bug.schedule.operations())
}

impl Shrunk {
    /// Searches with fewer and fewer preemptions forbidden.
    fn lower_bound<S: System + ?Sized>(&mut self, system: &mut S, budget: u64) {
        let mut certain = true;
        for bound in 0..self.bug.preemptions {
            let part = budget / u64::from(self.bug.preemptions);
            let races =
                if matches!(self.bug.kind, BugKind::DataRace(_)) { Races::Report } else { Races::Ignore };
            let (search, preemptions) = (Search::Naive, Some(bound));
            let options = Options { search, preemptions, races, ..Options::default() };
            let mut space = Space::new(Points::Everywhere, options);
            while space.counts().runs < part {
                self.runs += 1;
                let Some(run) = space.next_run(system) else { break };
                let same = space.bugs().iter().find(|b| b.kind.is_same(&self.bug.kind));
                if let (true, Some(found)) = (run.new_bugs > 0, same) {
                    (self.bug.kind, self.bug.schedule) = (found.kind.clone(), found.schedule.clone());
                    self.bug.preemptions = found.preemptions;
                    self.fewest = certain;
                    return;
                }
            }
            certain &= space.is_complete();
        }
        self.fewest = certain;
    }

    /// Drops and merges segments while the bug shows and the schedule gets better.
    fn simplify<S: System + ?Sized>(&mut self, system: &mut S, budget: u64) {
        let mut again = true;
        while again && self.runs < budget {
            again = false;
            let n = self.bug.schedule.segments.len();
            for at in (0..n).rev() {
                again |= variants(&self.bug.schedule, at).any(|schedule| {
                    self.runs += 1;
                    self.runs <= budget && self.try_schedule(system, &schedule)
                });
                if again {
                    break;
                }
            }
        }
    }

    /// Takes the schedule if it is better and shows the bug.
    fn try_schedule<S: System + ?Sized>(&mut self, system: &mut S, schedule: &Schedule) -> bool {
        let replay = replay(system, schedule);
        let Some((kind, schedule, preemptions)) = shows(&replay, &self.bug.kind) else { return false };
        let better = Bug { kind, schedule, preemptions, ..self.bug.clone() };
        if size(&better) < size(&self.bug) {
            self.bug = better;
            return true;
        }
        false
    }
}

/// The schedules without that segment, or with it brought together with an earlier one of its thread.
fn variants(schedule: &Schedule, at: usize) -> impl Iterator<Item = Schedule> + use<> {
    let segments = schedule.segments.clone();
    let tid = segments[at].tid;
    let earlier: Vec<usize> = (0..at).rev().filter(|&i| segments[i].tid == tid).collect();
    let rebuild = move |to: Option<usize>| {
        let mut built = Schedule::default();
        for (i, s) in segments.iter().enumerate().filter(|(i, _)| *i != at) {
            built.push(s.tid, s.operations, s.choice);
            if Some(i) == to {
                built.push(tid, segments[at].operations, segments[at].choice);
            }
        }
        built
    };
    std::iter::once(None).chain(earlier.into_iter().map(Some)).map(rebuild)
}

/// Does the replay show the bug? Then how, with the schedule up to there and its preemptions.
fn shows(replay: &Replay, kind: &BugKind) -> Option<(BugKind, Schedule, u32)> {
    let found = replay.bugs.iter().find(|b| b.is_same(kind))?.clone();
    let last = match &found {
        BugKind::DataRace(race) => replay.steps.iter().position(|s| s.events > race.second.event)? + 1,
        _ => replay.steps.len(),
    };
    let preemptions = replay.steps[..last].iter().filter(|s| s.preempts).count() as u32;
    Some((found, replay.schedule_of(last), preemptions))
}
