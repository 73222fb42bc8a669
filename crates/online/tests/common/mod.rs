//! Figure 2 on plain data, to compare with, and one door to the five implementations.
#![allow(dead_code, reason = "each test uses a part of it")]

use deadheat_online::{Outcome, Rule, Sets, Slot, ThreadState, VarState, Version, Word, baselines, handlers};
use std::collections::BTreeMap;

/// An implementation of the handlers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    V1,
    V1_5,
    V2,
    FtMutex,
    FtCas,
}

impl Variant {
    pub const ALL: [Variant; 5] = [Variant::V1, Variant::V1_5, Variant::V2, Variant::FtMutex, Variant::FtCas];

    pub fn rules(self) -> Rules {
        match self {
            Variant::FtMutex | Variant::FtCas => Rules::FastTrack,
            _ => Rules::VerifiedFt,
        }
    }

    pub fn read(self, actor: &mut Actor, var: &VarState, sets: &Sets, extent: u8) -> Option<Outcome> {
        let Actor { thread, last } = actor;
        let stamp = |thread: &mut ThreadState| stamp(thread, last, extent);
        match self {
            Variant::V1 => handlers::read(Version::V1, thread, var, sets, extent, stamp),
            Variant::V1_5 => handlers::read(Version::V1_5, thread, var, sets, extent, stamp),
            Variant::V2 => handlers::read(Version::V2, thread, var, sets, extent, stamp),
            Variant::FtMutex => baselines::mutex::read(thread, var, sets, extent, stamp),
            Variant::FtCas => baselines::cas::read(thread, var, sets, extent, stamp),
        }
    }

    pub fn write(self, actor: &mut Actor, var: &VarState, sets: &Sets, extent: u8) -> Option<Outcome> {
        let Actor { thread, last } = actor;
        let stamp = |thread: &mut ThreadState| stamp(thread, last, extent);
        match self {
            Variant::V1 => handlers::write(Version::V1, thread, var, sets, extent, stamp),
            Variant::V1_5 => handlers::write(Version::V1_5, thread, var, sets, extent, stamp),
            Variant::V2 => handlers::write(Version::V2, thread, var, sets, extent, stamp),
            Variant::FtMutex => baselines::mutex::write(thread, var, sets, extent, stamp),
            Variant::FtCas => baselines::cas::write(thread, var, sets, extent, stamp),
        }
    }
}

/// A thread, and the stamp of its latest access: one place in the program makes all its accesses.
pub struct Actor {
    pub thread: ThreadState,
    pub last: Word,
}

impl Actor {
    pub fn new(slot: u32) -> Actor {
        let before = deadheat_online::Clock(0);
        Actor { thread: ThreadState::new(Slot(slot), before, |_| false), last: Word::NONE }
    }

    pub fn stamp(&mut self) -> Word {
        stamp(&mut self.thread, &mut self.last, Word::WHOLE)
    }
}

/// The same word for all accesses of an epoch.
fn stamp(thread: &mut ThreadState, last: &mut Word, extent: u8) -> Word {
    if !thread.is_current(*last) {
        *last = thread.stamp();
    }
    last.with_extent(extent)
}

/// Which rules apply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rules {
    VerifiedFt,
    FastTrack,
}

/// A variable under these rules: the reads are a map, and SHARED says whether the paper would have R an epoch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlainVar {
    pub w: Word,
    pub shared: bool,
    pub reads: BTreeMap<Slot, Word>,
}

impl PlainVar {
    pub fn read(&mut self, rules: Rules, actor: &mut Actor) -> Outcome {
        let own = self.reads.get(&actor.thread.slot()).copied().unwrap_or_default();
        if actor.thread.is_current(own) && !self.shared {
            return Rule::ReadSameEpoch.into();
        }
        if actor.thread.is_current(own) && rules == Rules::VerifiedFt {
            return Rule::ReadSharedSameEpoch.into();
        }
        let races = !self.w.is_none() && !actor.thread.covers(self.w);
        let rule = if self.shared {
            Rule::ReadShared
        } else if self.reads.values().all(|r| actor.thread.covers(*r)) {
            self.reads.clear();
            Rule::ReadExclusive
        } else {
            self.shared = true;
            Rule::ReadShare
        };
        self.reads.insert(actor.thread.slot(), actor.stamp());
        if races { Outcome::racing(Rule::WriteReadRace, self.w) } else { rule.into() }
    }

    pub fn write(&mut self, rules: Rules, actor: &mut Actor) -> Outcome {
        if actor.thread.is_current(self.w) {
            return Rule::WriteSameEpoch.into();
        }
        let unknown = self.reads.values().copied().find(|r| !actor.thread.covers(*r));
        let outcome = match (unknown, self.shared) {
            _ if !self.w.is_none() && !actor.thread.covers(self.w) => {
                Outcome::racing(Rule::WriteWriteRace, self.w)
            }
            (None, false) => Rule::WriteExclusive.into(),
            (None, true) => Rule::WriteShared.into(),
            (Some(r), false) => Outcome::racing(Rule::ReadWriteRace, r),
            (Some(r), true) => Outcome::racing(Rule::SharedWriteRace, r),
        };
        if self.shared && (rules == Rules::FastTrack || outcome.rule == Rule::WriteShared) {
            (self.shared, self.reads) = (false, BTreeMap::new());
        }
        self.w = actor.stamp();
        outcome
    }

    /// What a variable holds, in this form. Nobody else uses it now.
    pub fn of(var: &VarState, sets: &Sets) -> PlainVar {
        let (w, r) = (var.load_w(), var.load_r());
        let mut reads = BTreeMap::new();
        let mut add = |read: Word| assert!(reads.insert(read.slot(), read).is_none(), "two reads of a slot");
        if r.is_special() {
            sets.each(r, add);
        } else if !r.is_none() {
            add(r);
        }
        PlainVar { w, shared: r.is_special(), reads }
    }
}
