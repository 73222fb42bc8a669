//! The rules of Figure 2, each a branch headed by its name: the one place where they live. The handlers say under which lock.
//!
//! *Deviations*: analysis goes on after a race, as in the paper's own tool: the access is recorded as if it had been ordered. `[Write Shared]` forgets the reads, as FastTrack
//! does and VerifiedFT does not: sets of reads are shared here, and what nobody holds is memory for others. An entry of a thread's current epoch is never forgotten
//! (the write would not be ordered after it), so reading one's own entry without the lock stays right.

use crate::sets::Sets;
use crate::thread::{Stamp, ThreadState};
use crate::var::Pair;
use crate::word::Word;

/// The rules of Figure 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names of the paper")]
pub enum Rule {
    ReadSameEpoch,
    ReadSharedSameEpoch,
    ReadExclusive,
    ReadShare,
    ReadShared,
    WriteReadRace,
    WriteSameEpoch,
    WriteExclusive,
    WriteShared,
    WriteWriteRace,
    ReadWriteRace,
    SharedWriteRace,
}

impl Rule {
    /// All rules, in order.
    pub const ALL: [Rule; 12] = [
        Rule::ReadSameEpoch,
        Rule::ReadSharedSameEpoch,
        Rule::ReadExclusive,
        Rule::ReadShare,
        Rule::ReadShared,
        Rule::WriteReadRace,
        Rule::WriteSameEpoch,
        Rule::WriteExclusive,
        Rule::WriteShared,
        Rule::WriteWriteRace,
        Rule::ReadWriteRace,
        Rule::SharedWriteRace,
    ];

    /// The paper's name.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::ReadSameEpoch => "Read Same Epoch",
            Rule::ReadSharedSameEpoch => "Read Shared Same Epoch",
            Rule::ReadExclusive => "Read Exclusive",
            Rule::ReadShare => "Read Share",
            Rule::ReadShared => "Read Shared",
            Rule::WriteReadRace => "Write-Read Race",
            Rule::WriteSameEpoch => "Write Same Epoch",
            Rule::WriteExclusive => "Write Exclusive",
            Rule::WriteShared => "Write Shared",
            Rule::WriteWriteRace => "Write-Write Race",
            Rule::ReadWriteRace => "Read-Write Race",
            Rule::SharedWriteRace => "Shared-Write Race",
        }
    }
}

/// What an access came to: the rule, and for a race the earlier access. Two registers wide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The rule that applied.
    pub rule: Rule,
    /// The earlier access of a race; [`Word::NONE`] if there is none.
    prior: Word,
}

impl From<Rule> for Outcome {
    #[inline]
    fn from(rule: Rule) -> Outcome {
        Outcome { rule, prior: Word::NONE }
    }
}

impl Outcome {
    /// A race with that earlier access.
    #[inline]
    pub fn racing(rule: Rule, prior: Word) -> Outcome {
        Outcome { rule, prior }
    }

    /// The earlier access that nothing orders before this one.
    #[inline]
    pub fn race(self) -> Option<Word> {
        (!self.prior.is_none()).then_some(self.prior)
    }
}

/// A read of a variable in that state, by its lock's holder: the new R.
#[inline(always)]
pub fn read(thread: &mut ThreadState, sets: &Sets, state: Pair, stamp: &mut impl Stamp) -> (Word, Outcome) {
    let Pair { w, r } = state;
    if !r.is_special() && thread.is_current(r) {
        return (r, Rule::ReadSameEpoch.into()); // [Read Same Epoch]
    }
    if r.is_special() && sets.read_in_epoch(r, thread) == Word::WHOLE {
        return (r, Rule::ReadSharedSameEpoch.into()); // [Read Shared Same Epoch]
    }
    let races = !w.is_none() && !thread.covers(w);
    let e = stamp.stamp(thread);
    let (r, rule) = if r.is_special() {
        (sets.with(r, e, &mut thread.shares), Rule::ReadShared) // [Read Shared]
    } else if r.is_none() || thread.covers(r) {
        (e, Rule::ReadExclusive) // [Read Exclusive]
    } else {
        (sets.pair(r, e, &mut thread.shares), Rule::ReadShare) // [Read Share] two concurrent readers: R becomes a set
    };
    // [Write-Read Race]
    (r, if races { Outcome::racing(Rule::WriteReadRace, w) } else { rule.into() })
}

/// A write of a variable in that state, by its lock's holder: the new W and R.
#[inline(always)]
pub fn write(thread: &mut ThreadState, sets: &Sets, state: Pair, stamp: &mut impl Stamp) -> (Pair, Outcome) {
    let Pair { w, r } = state;
    if thread.is_current(w) {
        return (state, Rule::WriteSameEpoch.into()); // [Write Same Epoch]
    }
    let outcome = if !w.is_none() && !thread.covers(w) {
        Outcome::racing(Rule::WriteWriteRace, w) // [Write-Write Race]
    } else if !r.is_special() {
        if r.is_none() || thread.covers(r) {
            Rule::WriteExclusive.into() // [Write Exclusive]
        } else {
            Outcome::racing(Rule::ReadWriteRace, r) // [Read-Write Race]
        }
    } else {
        match sets.unknown(r, thread, Word::WHOLE) {
            None => Rule::WriteShared.into(),                           // [Write Shared]
            Some(read) => Outcome::racing(Rule::SharedWriteRace, read), // [Shared-Write Race]
        }
    };
    // The reads are all ordered before this write, which stands for them from now on.
    let forget = outcome.rule == Rule::WriteShared;
    if forget {
        sets.release(r);
    }
    (Pair { w: stamp.stamp(thread), r: if forget { Word::NONE } else { r } }, outcome)
}
