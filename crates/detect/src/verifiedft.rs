//! VerifiedFT: *VerifiedFT* (PPoPP 2018), §3 and Figure 2. Its rules are in `epochs.rs`; here is what it changed in FastTrack.

use crate::epochs::{EpochRules, EpochVar};
use crate::history::History;
use deadheat_clock::Epoch;

/// The differences to FastTrack, as listed at the end of §3; the third, `[Join]`, is [`JoinRule::Keep`](crate::sync::JoinRule).
#[derive(Clone, Default)]
pub struct VerifiedFt;

/// A variable under VerifiedFT's rules.
pub type VerifiedVar = EpochVar<VerifiedFt>;

impl EpochRules for VerifiedFt {
    /// `[Read Shared Same Epoch]`, which avoids the checks when a shared variable is read again in the same epoch.
    #[inline(always)]
    fn read_shared_same_epoch(reads: &History, now: Epoch) -> bool {
        reads.clock(now.tid()) == now.clock()
    }

    /// `[Write Shared]` keeps the reads: forgetting them makes `R` thrash and complicates the handlers.
    #[inline(always)]
    fn after_write_shared(_: &mut Epoch, _: &mut Option<Box<History>>) {}
}
